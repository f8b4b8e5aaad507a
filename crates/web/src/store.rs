//! The files of a bundle over HTTP: `fetch`, with the Cache API in front, if the browser has it.
//! Every file but the entry file is named by its content, so a cached file is never outdated. The
//! engine verifies each file, so a damaged file is never used.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use js_sys::futures::JsFuture;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Cache, Headers, Request, RequestCache, RequestInit, Response, ResponseInit};

use crate::Error;
use crate::browser;

/// The cache entry that holds the build the cache was last pruned for.
const PRUNED: &str = "findling.pruned";

/// Status of an answer with a range of a file.
const PARTIAL: u16 = 206;

/// Bytes of a file.
pub struct Fetched {
    /// The requested bytes.
    pub bytes: Uint8Array,
    /// The whole file, if the server ignored the range.
    pub whole: Option<Uint8Array>,
}

/// A range of a pack, or the whole pack from a server that ignores ranges.
pub enum Part {
    Range(Uint8Array),
    Whole(Uint8Array),
}

/// A directory on a web server.
pub struct Store {
    /// Ends with a slash.
    base: String,
    cache: Option<Cache>,
    /// Whether an earlier visit may have left files in the cache.
    had_cache: bool,
    /// Files that are yet to be written to the cache.
    unwritten: RefCell<HashMap<String, Uint8Array>>,
    /// Paths that this visit has written.
    written: RefCell<HashSet<String>>,
    is_writing: Cell<bool>,
}

impl Store {
    /// Returns the directory at `base`, which ends with a slash. The JavaScript client uses the
    /// same cache, so a page with both downloads each file once.
    pub async fn open(base: String, caches: bool) -> Self {
        let storage = if caches { browser::caches() } else { None };
        let name = format!("findling {base}");
        let (mut cache, mut had_cache) = (None, false);
        if let Some(storage) = storage {
            let has = JsFuture::from(storage.has(&name)).await;
            had_cache = has.is_ok_and(|has| has.is_truthy());
            // In private windows it may fail: the cache saves traffic and is never required.
            let opened = JsFuture::from(storage.open(&name)).await;
            cache = opened.ok().and_then(|cache| cache.dyn_into().ok());
        }
        Self {
            base,
            cache,
            had_cache,
            unwritten: RefCell::default(),
            written: RefCell::default(),
            is_writing: Cell::new(false),
        }
    }

    /// Returns a file that never changes: from the cache, else from the network. With a `range`,
    /// the bytes are of another file and `path` is only their name in the cache. `fresh` bypasses
    /// every cache.
    pub async fn immutable(
        &self,
        path: &str,
        range: Option<(&str, Range<u64>)>,
        fresh: bool,
    ) -> Result<Uint8Array, Error> {
        if !fresh && let Some(cached) = self.cached(path).await {
            return Ok(cached);
        }
        let mode = if fresh { RequestCache::Reload } else { RequestCache::Default };
        let bytes = match range {
            Some((file, range)) => self.range(file, range, mode).await?.bytes,
            None => self.get(path, None, mode).await?.0,
        };
        self.remember(path, &bytes);
        Ok(bytes)
    }

    /// Returns a file that changes: from the network if the server can be reached, otherwise from
    /// the cache.
    pub async fn mutable(
        &self,
        path: &str,
        range: Option<(&str, Range<u64>)>,
    ) -> Result<Fetched, Error> {
        let mode = RequestCache::NoCache;
        let fetched = match range {
            Some((file, range)) => self.range(file, range, mode).await,
            None => {
                let got = self.get(path, None, mode).await;
                got.map(|(bytes, _)| Fetched { bytes, whole: None })
            }
        };
        match fetched {
            Ok(fetched) => {
                self.remember(path, &fetched.bytes);
                Ok(fetched)
            }
            Err(error) if error.code() == "network" => match self.cached(path).await {
                Some(bytes) => Ok(Fetched { bytes, whole: None }),
                None => Err(error),
            },
            Err(error) => Err(error),
        }
    }

    /// Returns a range of a file. A server that ignores ranges sends the whole file.
    async fn range(
        &self,
        file: &str,
        range: Range<u64>,
        mode: RequestCache,
    ) -> Result<Fetched, Error> {
        let (bytes, status) = self.get(file, Some(&range), mode).await?;
        if status == PARTIAL {
            return Ok(Fetched { bytes, whole: None });
        }
        let part = bytes.subarray(range.start as u32, range.end as u32);
        Ok(Fetched { bytes: part, whole: Some(bytes) })
    }

    /// Returns a range of a pack. The HTTP cache would make requests for ranges of one file wait
    /// for each other, so it is not used if there is a better one.
    pub async fn part(&self, file: &str, range: Range<u64>) -> Result<Part, Error> {
        let mode = if self.cache.is_some() { RequestCache::NoStore } else { RequestCache::Default };
        let (response, url) = self.response(file, Some(&range), mode).await?;
        let body = browser::body(&response);
        if response.status() != PARTIAL {
            return Ok(Part::Whole(body.await.map_err(|thrown| unreachable(&url, &thrown))?));
        }
        // Other origins only show these headers if they are configured to do so.
        let header = |name| response.headers().get(name).ok().flatten();
        let expected = format!("bytes {}-{}/", range.start, range.end.saturating_sub(1));
        let is_other = header("content-range").is_some_and(|found| !found.starts_with(&expected));
        let encoding = header("content-encoding").filter(|encoding| encoding != "identity");
        if is_other || encoding.is_some() {
            return Err(Error::new(
                "bundle",
                format!(
                    "{url} came wrong: expected {expected}…, found another or a compressed range."
                ),
            ));
        }
        Ok(Part::Range(body.await.map_err(|thrown| unreachable(&url, &thrown))?))
    }

    /// Returns a whole pack.
    pub async fn pack(&self, file: &str, fresh: bool) -> Result<Uint8Array, Error> {
        let mode = if fresh { RequestCache::Reload } else { RequestCache::Default };
        Ok(self.get(file, None, mode).await?.0)
    }

    /// Writes the files that were fetched since the last call to the cache. It is called when no
    /// search is running, because writing would delay the answer.
    pub async fn write(&self) {
        let Some(cache) = &self.cache else { return };
        if self.is_writing.replace(true) {
            return;
        }
        let files: Vec<_> = self.unwritten.borrow_mut().drain().collect();
        let puts = files.into_iter().filter_map(|(path, bytes)| {
            let response = Response::new_with_opt_js_u8_array_and_init(Some(&bytes), &binary()?);
            let put = cache.put_with_str(&self.url(&path), &response.ok()?);
            self.written.borrow_mut().insert(path);
            Some(JsFuture::from(put))
        });
        // A full disk must not fail the search.
        browser::join_all(puts.collect::<Vec<_>>()).await;
        self.is_writing.set(false);
    }

    /// Removes cached files that are not among `keep`, once for each `build`.
    pub async fn prune(&self, keep: HashSet<String>, build: &str) {
        // The next visit tries again if this fails.
        let _ = self.try_prune(keep, build).await;
    }

    async fn try_prune(&self, keep: HashSet<String>, build: &str) -> Result<(), JsValue> {
        let Some(cache) = &self.cache else { return Ok(()) };
        let marker = self.url(PRUNED);
        let pruned = JsFuture::from(cache.match_with_str(&marker)).await?;
        if let Ok(response) = pruned.dyn_into::<Response>() {
            let text = JsFuture::from(response.text()?).await?;
            if text.as_string().as_deref() == Some(build) {
                return Ok(());
            }
        }
        let requests: Array = JsFuture::from(cache.keys()).await?.dyn_into()?;
        for request in requests.iter() {
            let request: Request = request.dyn_into()?;
            let url = request.url();
            if url.strip_prefix(&self.base).is_none_or(|path| !keep.contains(path)) {
                JsFuture::from(cache.delete_with_request(&request)).await?;
            }
        }
        let response = Response::new_with_opt_str(Some(build))?;
        JsFuture::from(cache.put_with_str(&marker, &response)).await?;
        Ok(())
    }

    /// Returns a file of this visit or an earlier one.
    pub async fn cached(&self, path: &str) -> Option<Uint8Array> {
        if let Some(bytes) = self.unwritten.borrow().get(path) {
            return Some(bytes.clone());
        }
        // A first visit asks the cache for its own files only.
        if !self.had_cache && !self.written.borrow().contains(path) {
            return None;
        }
        let found = JsFuture::from(self.cache.as_ref()?.match_with_str(&self.url(path))).await;
        let response: Response = found.ok()?.dyn_into().ok()?;
        browser::body(&response).await.ok()
    }

    /// Keeps a file for the cache.
    pub fn remember(&self, path: &str, bytes: &Uint8Array) {
        if self.cache.is_some() {
            self.unwritten.borrow_mut().insert(path.to_owned(), bytes.clone());
        }
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Returns the body of the server's answer, and its status.
    async fn get(
        &self,
        path: &str,
        range: Option<&Range<u64>>,
        mode: RequestCache,
    ) -> Result<(Uint8Array, u16), Error> {
        let (response, url) = self.response(path, range, mode).await?;
        let body = browser::body(&response).await;
        Ok((body.map_err(|thrown| unreachable(&url, &thrown))?, response.status()))
    }

    /// Returns the server's answer if it has the file, and the file's address.
    async fn response(
        &self,
        path: &str,
        range: Option<&Range<u64>>,
        mode: RequestCache,
    ) -> Result<(Response, String), Error> {
        let url = self.url(path);
        let unreachable = |thrown: JsValue| unreachable(&url, &thrown);
        let init = RequestInit::new();
        init.set_cache(mode);
        if let Some(Range { start, end }) = range {
            let headers = Headers::new().map_err(unreachable)?;
            let wanted = format!("bytes={start}-{}", end.saturating_sub(1));
            headers.set("range", &wanted).map_err(unreachable)?;
            init.set_headers(&headers);
        }
        let response = browser::fetch(&url, &init).await.map_err(unreachable)?;
        let status = response.status();
        if response.ok() {
            return Ok((response, url));
        }
        let (code, remedy) = match status {
            404 | 410 => (
                "not-found",
                "Check the address: expected a bundle's directory or a .findling file.",
            ),
            _ => ("network", "Check the server and try again."),
        };
        let what = format!("the server answered with status {status}");
        Err(Error::new(code, format!("{url} could not be fetched: {what}. {remedy}")))
    }
}

fn unreachable(url: &str, thrown: &JsValue) -> Error {
    let reason = browser::reason(thrown);
    let advice = "Check the connection and try again.";
    Error::new("network", format!("{url} could not be fetched: {reason}. {advice}"))
}

/// Returns the options of a cached answer.
fn binary() -> Option<ResponseInit> {
    let headers = Headers::new().ok()?;
    headers.set("content-type", "application/octet-stream").ok()?;
    let init = ResponseInit::new();
    init.set_headers(&headers);
    Some(init)
}

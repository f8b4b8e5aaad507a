//! [`Index`]: what a program uses.

use std::cell::RefCell;
use std::rc::Rc;

use findling_engine::{Limit, Request, Response, Suggestion};
use web_sys::Url;

use crate::Error;
use crate::browser;
use crate::bundle::Bundle;
use crate::info::Info;
use crate::source::parse_address;
use crate::worker::{Opening, Remote, in_worker};

/// Options of opening a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenOptions {
    /// Search in a worker, if one can be started. Default: true.
    pub worker: bool,
    /// Fetch only the vectors near a query, if the bundle supports it. Otherwise the first search
    /// by meaning fetches all of them. Default: true. Single-file bundles have no such parts.
    pub streamed: bool,
    /// Maximum memory, in bytes, for shards between searches. Default: 24 MiB, or 96 MiB if all
    /// vectors are fetched.
    pub memory: Option<usize>,
    /// Keep files in the browser's Cache API for later visits. Default: true.
    pub cache: bool,
    /// Base of relative page addresses. Default: the parent of the bundle's directory.
    pub site: Option<String>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self { worker: true, streamed: true, memory: None, cache: true, site: None }
    }
}

/// An open bundle. Clones share it; the last one to be dropped closes it.
#[derive(Clone)]
pub struct Index(Rc<Inner>);

struct Inner {
    engine: Engine,
    info: RefCell<Info>,
    /// Base of page addresses.
    site: String,
    /// Whether the site was given: root-relative addresses are then relative to it.
    is_moved: bool,
}

/// The place of searches: this page, or a worker.
enum Engine {
    Page(Rc<Bundle>),
    Worker(Remote),
}

impl Index {
    /// Opens the bundle in the directory at `url`, or the single-file bundle at `url` if the
    /// address ends with `.findling`. A relative address is relative to the page.
    ///
    /// # Errors
    /// `not-found` and `network` if the bundle cannot be fetched; `bundle`, `analysis` and
    /// `manifest-changed` if it is not one that this version reads.
    pub async fn open(url: &str) -> Result<Self, Error> {
        Self::open_with(url, OpenOptions::default()).await
    }

    /// Opens a bundle with options.
    ///
    /// # Errors
    /// See [`Index::open`].
    pub async fn open_with(url: &str, options: OpenOptions) -> Result<Self, Error> {
        let address = browser::absolute(url).ok_or_else(|| {
            Error::new("not-found", format!("`{url}` is no address: expected that of a bundle."))
        })?;
        let href = address.href();
        let (base, file) = parse_address(&href);
        let beside = match file {
            Some(_) => base,
            None => resolve("..", &base).map_or(base, |site| site.href()),
        };
        let site = match &options.site {
            Some(site) => browser::absolute(site).map_or(beside, |site| site.href()),
            None => beside,
        };
        let opening = Opening {
            url: href,
            streamed: options.streamed,
            memory: options.memory,
            caches: options.cache,
        };
        let remote = match options.worker && !in_worker() {
            true => Remote::start().await,
            false => None,
        };
        let (engine, info) = match remote {
            Some(remote) => {
                let info = remote.open(&opening).await?;
                (Engine::Worker(remote), info)
            }
            None => {
                let Opening { url, streamed, memory, caches } = opening;
                let bundle = Bundle::open(&url, streamed, memory, caches).await?;
                let info = bundle.info();
                (Engine::Page(bundle), info)
            }
        };
        let is_moved = options.site.is_some();
        Ok(Self(Rc::new(Inner { engine, info: RefCell::new(info), site, is_moved })))
    }

    /// Returns the bundle's description.
    pub fn info(&self) -> Info {
        self.0.info.borrow().clone()
    }

    /// Returns whether searches run in a worker. If not, the page waits for each step of a search.
    pub fn runs_in_worker(&self) -> bool {
        matches!(self.0.engine, Engine::Worker(_))
    }

    /// Searches. `request` is a query's text, or a [`Request`] with filters, facets and orders. An
    /// empty query with a filter, an order or facets lists pages.
    ///
    /// If files for meaning cannot be fetched, the answer is by words, with the notice
    /// `meaning-missing`.
    ///
    /// # Errors
    /// The engine's errors about requests, and `network`, `shard-missing`, `shard-corrupt`.
    pub async fn search(&self, request: impl Into<Request>) -> Result<Response, Error> {
        self.ask(request.into(), None).await
    }

    /// Searches, and calls `on_words` at most once before the answer, with the results of the
    /// query's own words, if the search has to wait for more files: for the correction of a word,
    /// or for vectors.
    ///
    /// # Errors
    /// See [`Index::search`].
    pub async fn search_in_steps(
        &self,
        request: impl Into<Request>,
        on_words: impl Fn(Response) + 'static,
    ) -> Result<Response, Error> {
        self.ask(request.into(), Some(Rc::new(on_words))).await
    }

    /// Returns other queries that find something, for a query that finds nothing; the one most like
    /// it comes first. Empty if the query finds something. The response of a search has them too.
    ///
    /// # Errors
    /// See [`Index::search`].
    pub async fn suggest(&self, request: impl Into<Request>) -> Result<Vec<Suggestion>, Error> {
        let request = Request { limit: Limit(0), ..request.into() };
        Ok(self.search(request).await?.suggestions)
    }

    /// Returns pages similar to `page`, which is an address or a document's id; the page itself is
    /// left out. The page's own vectors decide, so no encoder takes part; without vectors, its
    /// words decide. For other options set [`Request::similar_to`] in a search.
    ///
    /// # Errors
    /// `no-such-page`, and the errors of [`Index::search`].
    pub async fn similar(&self, page: &str) -> Result<Response, Error> {
        self.search(Request { similar_to: Some(page.to_owned()), ..Request::default() }).await
    }

    /// Returns the absolute address of a page or a section; `None` if it is not HTTP(S), such as
    /// `javascript:`.
    pub fn href(&self, url: &str) -> Option<String> {
        // On another site than the indexed one, root-relative addresses are relative to that site.
        let is_root_relative = url.starts_with('/') && !url.starts_with("//");
        let url = if self.0.is_moved && is_root_relative { &url[1..] } else { url };
        let address = resolve(url, &self.0.site)?;
        matches!(address.protocol().as_str(), "http:" | "https:").then(|| address.href())
    }

    /// Loads the deployed build if it is another one, for programs that stay open for days; returns
    /// whether it is. A search that misses a file does so by itself.
    ///
    /// # Errors
    /// See [`Index::open`].
    pub async fn refresh(&self) -> Result<bool, Error> {
        let info = match &self.0.engine {
            Engine::Page(bundle) => {
                bundle.refresh().await?;
                bundle.info()
            }
            Engine::Worker(remote) => remote.refresh().await?,
        };
        let is_new = self.0.info.borrow().revision != info.revision;
        *self.0.info.borrow_mut() = info;
        Ok(is_new)
    }

    /// Asks the engine. If the bundle does not know the page of `similar_to` or `why`, asks again
    /// without the site's own address in front of it.
    async fn ask(
        &self,
        mut request: Request,
        on_words: Option<Rc<dyn Fn(Response)>>,
    ) -> Result<Response, Error> {
        let error = match self.answer(&request, on_words.clone()).await {
            Err(error) if error.code() == "no-such-page" => error,
            answer => return answer,
        };
        let Request { similar_to, why, .. } = &mut request;
        for page in [similar_to, why].into_iter().flatten() {
            let href = resolve(page, &self.0.site).map(|address| address.href());
            match href.as_deref().and_then(|href| href.strip_prefix(&self.0.site)) {
                Some(path) => *page = path.to_owned(),
                None => return Err(error),
            }
        }
        self.answer(&request, on_words).await
    }

    async fn answer(
        &self,
        request: &Request,
        on_words: Option<Rc<dyn Fn(Response)>>,
    ) -> Result<Response, Error> {
        match &self.0.engine {
            Engine::Page(bundle) => bundle.search(request, on_words.as_deref()).await,
            Engine::Worker(remote) => remote.search(request, on_words).await,
        }
    }
}

fn resolve(url: &str, base: &str) -> Option<Url> {
    Url::new_with_base(url, base).ok()
}

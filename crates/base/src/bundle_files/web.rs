//! Fetches the files of a deployed bundle, and keeps them in a directory.

use std::collections::HashMap;
use std::fs;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use findling_bundle::{EntryFile, entry, single_file};
use ureq::Agent;
use ureq::http::{HeaderMap, StatusCode, header};

use super::SINGLE_FILE;
use super::address::Address;
use super::meter::{Meter, Overrun};
use crate::http::{Timeouts, config};
use crate::private_network::{self, PrivateAddress, PrivateHosts, is_this_machine};
use crate::replace_file::keep;

/// Largest entity tag that is kept, in bytes.
const MAX_TAG: usize = 200;

/// Bytes that are read at once.
const PIECE: usize = 16 << 10;

const TIMEOUTS: Timeouts =
    Timeouts { connect: Duration::from_secs(10), stall: Duration::from_secs(20) };

/// The reason why a site's bundle cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Bundles are not read from such an address.
    #[error("{address}: expected {expected}; found {found}")]
    Address {
        /// The address, as the user gave it.
        address: String,
        /// A description of the addresses that can be read.
        expected: &'static str,
        /// The fault of this address.
        found: String,
    },
    /// The site does not answer, or answers with something other than a file.
    #[error("{url} cannot be fetched: {reason}; try again, or check the address")]
    Unreachable {
        /// The file that was requested.
        url: String,
        /// A description of the response that came instead of the file.
        reason: String,
    },
    /// The site is in a private network.
    #[error("{url}: {refused}")]
    Private {
        /// The file that was requested.
        url: String,
        /// The host, and its private address.
        refused: PrivateAddress,
    },
    /// The site names another address. It is not followed: it could lead anywhere.
    #[error("{url} is now at {to}; give that address if you trust it")]
    Moved {
        /// The file that was requested.
        url: String,
        /// The address that the site names.
        to: String,
    },
    /// The site has no bundle there.
    #[error(
        "{address}: expected a bundle, found none: the site has neither of {tried}; give the \
         address of the directory that `findling build` wrote, or of its file"
    )]
    NoBundle {
        /// The address, as the user gave it.
        address: String,
        /// The files that were requested.
        tried: String,
    },
    /// The file differs from the file that the bundle lists.
    #[error(
        "{url}: expected the file that the bundle lists, found other contents: {reason}; if the \
         site is being deployed, try again"
    )]
    Contents {
        /// The file.
        url: String,
        /// The fault of the file.
        reason: String,
    },
    /// The copy cannot be kept.
    #[error("{path} cannot be written: {source}")]
    Copy {
        /// The file of the copy.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

/// The place of a bundle on the web.
#[derive(Debug)]
pub(super) struct Origin {
    url: Address,
    client: Client,
    /// The meter of the bytes that have arrived for the current question.
    question: Mutex<Option<Arc<Meter>>>,
}

/// The client for the bundles of one host. It follows no redirects. It connects to a private
/// address only if the environment lists the host, or if the bundle's address names this machine.
#[derive(Clone, Debug)]
pub(super) struct Client {
    agent: Agent,
    hosts: PrivateHosts,
}

impl Client {
    /// Returns the client for the bundle at an address. All bundles of a host share a client, so
    /// that connections stay open after a bundle has been opened.
    pub fn for_bundle_at(url: &Address) -> Self {
        static CLIENTS: LazyLock<Mutex<HashMap<String, Client>>> = LazyLock::new(Mutex::default);
        let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
        clients.entry(url.host().to_owned()).or_insert_with(|| Self::for_host(url.host())).clone()
    }

    fn for_host(host: &str) -> Self {
        let mut hosts = PrivateHosts::of_environment();
        if is_this_machine(host) {
            hosts = hosts.and(host);
        }
        Self { agent: private_network::agent(config(TIMEOUTS, 0), hosts.clone()), hosts }
    }
}

/// A file, or a part of it, as a site sends it.
pub(super) struct Fetched {
    pub bytes: Vec<u8>,
    pub tag: Option<String>,
    /// Whether the bytes are the part that was requested.
    is_part: bool,
}

/// A range of a file, or the whole file if the site does not send ranges.
pub(super) enum Part {
    Range(Vec<u8>),
    Whole(Vec<u8>),
}

/// A request to a site.
struct Ask<'a> {
    url: &'a str,
    part: Option<Range<u64>>,
    /// Maximum number of bytes of the answer.
    max: u64,
    /// Maximum number of bytes of the whole file, if it is taken in place of the part.
    max_whole: Option<u64>,
    /// The entity tag of the file that is known.
    tag: Option<&'a str>,
}

/// A site's answer to a request.
pub(super) enum Answer {
    File(Fetched),
    NotModified,
    Missing,
}

impl Origin {
    /// Returns the bundle whose entry file, or single file, is at an address.
    pub fn new(url: Address, client: Client) -> Self {
        Self { url, client, question: Mutex::default() }
    }

    /// Begins to count the bytes that arrive for a question.
    pub fn begin_question(&self) {
        let mut question = self.question.lock().unwrap_or_else(PoisonError::into_inner);
        *question = Some(Arc::new(Meter::of_question()));
    }

    /// Returns the address of the entry file, or of the single file.
    pub fn url(&self) -> &Address {
        &self.url
    }

    /// Returns whether the original is a single file. Parts of it are then fetched.
    pub fn is_single_file(&self) -> bool {
        self.url.is_single_file()
    }

    /// Requests the entry file, or the beginning of the single file. `tag` is the entity tag of the
    /// known version.
    pub fn entry(&self, tag: Option<&str>) -> Result<Answer, Error> {
        let (part, max) = match self.is_single_file() {
            true => (Some(0..single_file::HEADER_LEN as u64), single_file::HEADER_LEN as u64),
            false => (None, EntryFile::MAX_LEN as u64),
        };
        self.fetch(Ask { url: &self.url.to_string(), part, max, max_whole: None, tag })
    }

    /// Fetches a range of a file of the bundle by its path. `len` is the length of the whole file,
    /// which a site that does not send ranges sends in its place.
    pub fn range(&self, path: &str, range: Range<u64>, len: u64) -> Result<Part, Error> {
        let url = self.url.beside(path)?;
        let max = range.end - range.start;
        let ask = Ask { url: &url, part: Some(range), max, max_whole: Some(len), tag: None };
        let found = self.found(ask)?;
        let expected = if found.is_part { max } else { len };
        if found.bytes.len() as u64 != expected {
            let reason = format!("expected {expected} bytes, found {}", found.bytes.len());
            return Err(Error::Contents { url, reason });
        }
        Ok(if found.is_part { Part::Range(found.bytes) } else { Part::Whole(found.bytes) })
    }

    /// Fetches a file of the bundle by its path, or the part of a single file that contains it.
    /// `len` is the largest permitted number of bytes.
    pub fn file(&self, path: &str, part: Option<Range<u64>>, len: u64) -> Result<Vec<u8>, Error> {
        let (url, part) = match self.is_single_file() && part.is_some() {
            true => (self.url.to_string(), part),
            false => (self.url.beside(path)?, None),
        };
        let ask = Ask { url: &url, part, max: len, max_whole: None, tag: None };
        Ok(self.found(ask)?.bytes)
    }

    /// Fetches the first `len` bytes of a file by its path. The file has `whole` bytes. If the site
    /// sends ranges, the rest is not fetched.
    pub fn beginning(&self, path: &str, len: u64, whole: u64) -> Result<Vec<u8>, Error> {
        let (Part::Range(mut bytes) | Part::Whole(mut bytes)) = self.range(path, 0..len, whole)?;
        bytes.truncate(usize::try_from(len).unwrap_or(usize::MAX));
        Ok(bytes)
    }

    /// Fetches a file that the bundle lists.
    fn found(&self, ask: Ask<'_>) -> Result<Fetched, Error> {
        let url = ask.url.to_owned();
        match self.fetch(ask)? {
            Answer::File(found) => Ok(found),
            Answer::Missing | Answer::NotModified => {
                let reason = "the site answers that there is no such file".to_owned();
                Err(Error::Contents { url, reason })
            }
        }
    }

    fn fetch(&self, ask: Ask<'_>) -> Result<Answer, Error> {
        let Ask { url, part, mut max, max_whole, tag } = ask;
        let unreachable = |reason: String| Error::Unreachable { url: url.to_owned(), reason };
        let private = |refused| Error::Private { url: url.to_owned(), refused };
        // A proxy would get a numeric address without name resolution.
        if let Some(address) = self.url.ip() {
            self.client.hosts.check(self.url.host(), address).map_err(private)?;
        }
        let question = self.question.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let meters = [Some(Arc::new(Meter::of_answer(max_whole.unwrap_or(max)))), question];
        let meters: Vec<Arc<Meter>> = meters.into_iter().flatten().collect();
        let overrun = |overrun| match overrun {
            Overrun::Bytes(_) => {
                Error::Contents { url: url.to_owned(), reason: overrun.to_string() }
            }
            Overrun::Rate => unreachable(overrun.to_string()),
        };
        let mut most = meters.iter().map(|meter| meter.most_time());
        let most = most.try_fold(Duration::MAX, |most, left| Ok(most.min(left?)));
        let most = most.map_err(overrun)?;
        let request = self.client.agent.get(url).config().timeout_global(Some(most)).build();
        let mut request = request.header(header::ACCEPT_ENCODING, "identity");
        if let Some(part) = &part {
            request =
                request.header(header::RANGE, format!("bytes={}-{}", part.start, part.end - 1));
        }
        if let Some(tag) = tag {
            request = request.header(header::IF_NONE_MATCH, tag);
        }
        let response = request.call().map_err(|error| match private_network::refusal(&error) {
            Some(refused) => private(refused.clone()),
            None => unreachable(error.to_string()),
        })?;
        let headers = response.headers();
        let is_part = response.status() == StatusCode::PARTIAL_CONTENT;
        match response.status() {
            StatusCode::OK if part.is_none() => {}
            StatusCode::OK if max_whole.is_some() => max = max_whole.unwrap_or(max),
            StatusCode::PARTIAL_CONTENT if part.as_ref().is_some_and(|p| is_range(headers, p)) => {}
            StatusCode::OK | StatusCode::PARTIAL_CONTENT => {
                return Err(unreachable(
                    "the site does not send parts of files; deploy the bundle as a directory, \
                     built with --host files"
                        .to_owned(),
                ));
            }
            StatusCode::NOT_MODIFIED if tag.is_some() => return Ok(Answer::NotModified),
            StatusCode::NOT_FOUND | StatusCode::GONE | StatusCode::RANGE_NOT_SATISFIABLE => {
                return Ok(Answer::Missing);
            }
            status if status.is_redirection() => {
                let to = text(headers, header::LOCATION).unwrap_or("an address that it leaves out");
                return Err(Error::Moved { url: url.to_owned(), to: to.to_owned() });
            }
            status => return Err(unreachable(format!("the site answers {status}"))),
        }
        let tag = text(headers, header::ETAG).filter(|tag| tag.len() <= MAX_TAG);
        let tag = tag.map(str::to_owned);
        let mut body = response.into_body().into_reader().take(max + 1);
        let mut bytes = Vec::new();
        let mut piece = [0; PIECE];
        loop {
            let n_bytes = body.read(&mut piece).map_err(|error| unreachable(error.to_string()))?;
            for meter in &meters {
                meter.count(n_bytes as u64).map_err(overrun)?;
            }
            bytes.extend_from_slice(&piece[..n_bytes]);
            if bytes.len() as u64 > max {
                return Err(overrun(Overrun::Bytes(max)));
            }
            if n_bytes == 0 {
                break;
            }
        }
        Ok(Answer::File(Fetched { bytes, tag, is_part }))
    }
}

/// Returns whether a response contains the requested part.
fn is_range(headers: &HeaderMap, part: &Range<u64>) -> bool {
    let wanted = format!("bytes {}-{}/", part.start, part.end - 1);
    text(headers, header::CONTENT_RANGE).is_some_and(|range| range.trim().starts_with(&wanted))
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// Writes a file of a copy.
pub(super) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Error> {
    keep(path, bytes.as_ref()).map_err(|source| Error::Copy { path: path.to_owned(), source })
}

/// Returns a file of a copy, if it is there.
pub(super) fn kept(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Copy { path: path.to_owned(), source }),
    }
}

/// Possible names of the file of a site's bundle, if the address leads to a directory.
pub(super) const NAMES: [&str; 3] = [entry::FILE_NAME, "findling/findling.idx", SINGLE_FILE];

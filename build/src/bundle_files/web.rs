//! Bundles of deployed sites. A site's bundle is copied to disk piece by piece: the entry file and
//! the manifest when it is opened, every other file when it is first read.
//!
//! A copy is a directory like any bundle's, and `origin.txt` in it holds the address of the
//! original. Whatever comes from the network is checked before it is written. The entry file is
//! written last, so that a copy is never half of one state and half of another.

use std::fs;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use findling_bundle::{Entry, entry, opening, single_file};
use ureq::Agent;
use ureq::http::{HeaderMap, StatusCode, header};

use super::SINGLE_FILE;
use super::address::Address;
use crate::http::{Timeouts, agent};
use crate::replace_file::replace_by;

/// The file of a copy that holds the address of the original.
const ORIGIN: &str = "origin.txt";

/// The file of a copy that holds the entity tag of the entry file. Its date says when the site was
/// last asked.
const CHECKED: &str = "checked.txt";

/// For this long a site is not asked again whether it has changed.
const CHECKED_FOR: Duration = Duration::from_secs(60);

/// Largest entity tag that is kept, in bytes.
const MAX_TAG: usize = 200;

const TIMEOUTS: Timeouts =
    Timeouts { connect: Duration::from_secs(10), stall: Duration::from_secs(20) };

/// Why a site's bundle cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is not one that is read.
    #[error("{address}: expected {expected}; found {found}")]
    Address {
        /// As it was given.
        address: String,
        /// What addresses are read.
        expected: &'static str,
        /// What is wrong with this one.
        found: String,
    },
    /// The site does not answer, or not with a file.
    #[error("{url} cannot be fetched: {reason}; try again, or check the address")]
    Unreachable {
        /// The file that was asked for.
        url: String,
        /// What came instead.
        reason: String,
    },
    /// The site names another address. It is not followed: it could lead anywhere.
    #[error("{url} is now at {to}; give that address if you trust it")]
    Moved {
        /// The file that was asked for.
        url: String,
        /// Where it is said to be.
        to: String,
    },
    /// The site has no bundle there.
    #[error(
        "{address}: expected a bundle, found none: the site has neither of {tried}; give the \
         address of the directory that `findling build` wrote, or of its file"
    )]
    NoBundle {
        /// As it was given.
        address: String,
        /// The files that were asked for.
        tried: String,
    },
    /// The file is not the one that the bundle lists.
    #[error(
        "{url}: expected the file that the bundle lists, found other contents: {reason}; if the \
         site is being deployed, try again"
    )]
    Contents {
        /// The file.
        url: String,
        /// What is wrong with it.
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

/// A copy of a site's bundle.
#[derive(Debug)]
pub struct WebCopy {
    /// Its directory, which opens as a bundle does.
    pub directory: PathBuf,
    /// Why it may be older than the original: the site could not be asked.
    pub stale: Option<String>,
}

impl WebCopy {
    /// When the site of the copy in a directory was last asked whether it has changed.
    pub fn asked(directory: &Path) -> Option<SystemTime> {
        fs::metadata(directory.join(CHECKED)).ok()?.modified().ok()
    }
}

/// Where the original of a copy is.
#[derive(Debug)]
pub(super) struct Origin {
    url: Address,
    agent: Agent,
}

/// A file, or a part of it, as a site sends it.
struct Fetched {
    bytes: Vec<u8>,
    tag: Option<String>,
}

/// What a site answers.
enum Answer {
    File(Fetched),
    NotModified,
    Missing,
}

/// Copies the entry file and the manifest of the bundle at an address, below `root`. If the site
/// was asked a short time ago, or cannot be reached, an existing copy is used as it is.
///
/// # Errors
/// [`Error`]; if the site cannot be reached, only where there is no copy.
pub fn copy(address: &str, root: &Path) -> Result<WebCopy, Error> {
    let address = Address::parse(address)?;
    let directory = root.join(address.directory_name());
    let is_whole = directory.join(entry::FILE_NAME).is_file() && directory.join(ORIGIN).is_file();
    let age = WebCopy::asked(&directory).and_then(|date| date.elapsed().ok());
    let is_recent = age.is_some_and(|age| age < CHECKED_FOR);
    if is_whole && is_recent {
        return Ok(WebCopy { directory, stale: None });
    }
    match refresh(&address, &directory) {
        Ok(()) => Ok(WebCopy { directory, stale: None }),
        Err(error @ Error::Unreachable { .. }) if is_whole => {
            Ok(WebCopy { directory, stale: Some(error.to_string()) })
        }
        Err(error) => Err(error),
    }
}

/// Asks the site for its entry file and, if it is new, for its manifest.
fn refresh(address: &Address, directory: &Path) -> Result<(), Error> {
    let agent = agent(TIMEOUTS, 0);
    let known = Origin::of(directory);
    let has_entry = directory.join(entry::FILE_NAME).is_file();
    let tag = fs::read_to_string(directory.join(CHECKED)).ok();
    let tag = tag.as_deref().filter(|tag| has_entry && !tag.is_empty());
    let candidates = match known {
        Some(origin) => vec![origin.url],
        None => address.candidates(),
    };
    let mut refused = None;
    for url in &candidates {
        let origin = Origin { url: url.clone(), agent: agent.clone() };
        let kept = match origin.entry(tag) {
            Ok(Answer::Missing) => continue,
            Ok(Answer::NotModified) => write(&directory.join(CHECKED), tag.unwrap_or_default()),
            Ok(Answer::File(found)) => origin.keep_entry(&found, directory),
            Err(error) => Err(error),
        };
        match kept {
            // Many sites send a page for an address where there is nothing.
            Err(error @ Error::Contents { .. }) => refused = refused.or(Some(error)),
            Err(_) if refused.is_some() => break,
            kept => return kept,
        }
    }
    if let Some(error) = refused {
        return Err(error);
    }
    let names: Vec<String> = candidates.iter().map(ToString::to_string).collect();
    Err(Error::NoBundle { address: address.to_string(), tried: names.join(", ") })
}

impl Origin {
    /// The origin of a copy; `None` for a bundle that is no copy.
    pub fn of(directory: &Path) -> Option<Self> {
        let url = fs::read_to_string(directory.join(ORIGIN)).ok()?;
        Some(Self { url: Address::parse(url.trim()).ok()?, agent: agent(TIMEOUTS, 0) })
    }

    /// Whether the original is one file, of which parts are fetched.
    pub fn is_single_file(&self) -> bool {
        self.url.is_single_file()
    }

    fn entry(&self, tag: Option<&str>) -> Result<Answer, Error> {
        if self.is_single_file() {
            let end = single_file::HEADER_LEN as u64;
            return self.fetch(&self.url.to_string(), Some(0..end), end, tag);
        }
        self.fetch(&self.url.to_string(), None, Entry::LEN as u64, tag)
    }

    /// Writes the entry file of a copy, once the manifest is there.
    fn keep_entry(&self, found: &Fetched, directory: &Path) -> Result<(), Error> {
        let url = self.url.to_string();
        let contents = |error: findling_bundle::Error| Error::Contents {
            url: url.clone(),
            reason: error.to_string(),
        };
        let entry = match self.is_single_file() {
            true => single_file::read_header(&found.bytes),
            false => Entry::from_bytes(&found.bytes),
        };
        let entry = entry.map_err(contents)?;
        let manifest = directory.join(entry.manifest_path());
        let has_manifest =
            fs::read(&manifest).is_ok_and(|file| opening::read(&entry, &file).is_ok());
        if !has_manifest {
            let (start, len) = (single_file::HEADER_LEN as u64, u64::from(entry.manifest_len));
            let (part, len) = match self.is_single_file() {
                true => (Some(start..start + len), len),
                false => (None, len + opening::MAX_BEHIND),
            };
            let file = self.file(&entry.manifest_path(), part, len)?;
            opening::read(&entry, &file).map_err(contents)?;
            write(&manifest, file)?;
        }
        write(&directory.join(ORIGIN), format!("{url}\n"))?;
        write(&directory.join(entry::FILE_NAME), entry.to_bytes())?;
        write(&directory.join(CHECKED), found.tag.as_deref().unwrap_or_default())
    }

    /// Fetches a file of the bundle by its path, or the part of a single file that holds it. `len`
    /// is the most bytes that it may have.
    pub fn file(&self, path: &str, part: Option<Range<u64>>, len: u64) -> Result<Vec<u8>, Error> {
        let (url, part) = match self.is_single_file() && part.is_some() {
            true => (self.url.to_string(), part),
            false => (self.url.beside(path)?, None),
        };
        match self.fetch(&url, part, len, None)? {
            Answer::File(found) => Ok(found.bytes),
            Answer::Missing | Answer::NotModified => {
                let reason = "the site answers that there is no such file".to_owned();
                Err(Error::Contents { url, reason })
            }
        }
    }

    fn fetch(
        &self,
        url: &str,
        part: Option<Range<u64>>,
        max: u64,
        tag: Option<&str>,
    ) -> Result<Answer, Error> {
        let unreachable = |reason: String| Error::Unreachable { url: url.to_owned(), reason };
        let mut request = self.agent.get(url).header(header::ACCEPT_ENCODING, "identity");
        if let Some(part) = &part {
            request =
                request.header(header::RANGE, format!("bytes={}-{}", part.start, part.end - 1));
        }
        if let Some(tag) = tag {
            request = request.header(header::IF_NONE_MATCH, tag);
        }
        let response = request.call().map_err(|error| unreachable(error.to_string()))?;
        let headers = response.headers();
        match response.status() {
            StatusCode::OK if part.is_none() => {}
            StatusCode::PARTIAL_CONTENT if part.as_ref().is_some_and(|p| is_part(headers, p)) => {}
            StatusCode::OK | StatusCode::PARTIAL_CONTENT => {
                return Err(unreachable(
                    "the site does not send parts of files; deploy the bundle as a directory"
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
        let mut bytes = Vec::new();
        let body = response.into_body().into_reader();
        body.take(max + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unreachable(error.to_string()))?;
        if bytes.len() as u64 > max {
            let reason = format!("it has more than {max} bytes");
            return Err(Error::Contents { url: url.to_owned(), reason });
        }
        Ok(Answer::File(Fetched { bytes, tag }))
    }
}

/// Whether a response holds the part that was asked for.
fn is_part(headers: &HeaderMap, part: &Range<u64>) -> bool {
    let wanted = format!("bytes {}-{}/", part.start, part.end - 1);
    text(headers, header::CONTENT_RANGE).is_some_and(|range| range.trim().starts_with(&wanted))
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// Writes a file of a copy.
pub(super) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Error> {
    let failed = |source| Error::Copy { path: path.to_owned(), source };
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(failed)?;
    }
    replace_by(path, |file| std::io::Write::write_all(file, bytes.as_ref())).map_err(failed)
}

/// A file of a copy, if it is there.
pub(super) fn kept(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Copy { path: path.to_owned(), source }),
    }
}

/// Names that the file of a site's bundle may have, where a directory is given.
pub(super) const NAMES: [&str; 3] = [entry::FILE_NAME, "findling/findling.idx", SINGLE_FILE];

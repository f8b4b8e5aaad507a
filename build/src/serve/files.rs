//! The files that are served: a bundle's files by their names, a site's files below its directory.
//!
//! A directory may contain files that are not meant for readers. So a bundle's directory gives only
//! what the format and the client name:
//!
//! - `findling.idx`, `bundle.findling`: the entry file, a single-file bundle
//! - `shards/HEX.bin`, `encoder/HEX.bin`: shards and packs; the parts of a query encoder
//! - `findling*.js`, `findling*.wasm`: the client
//! - what takes the place of Pagefind: `pagefind-entry.json`, `pagefind*.js`, `pagefind*.css`,
//!   `wasm.*.pagefind`, `pagefind-fragment/*.pf_fragment`, `playground/index.html`
//!
//! A single file gives itself and the client beside it. A site's directory gives all its files,
//! except hidden ones; `.well-known` is not hidden. Directories are never listed. A link is
//! followed only in a site, and only to a file of the site.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncSeek, ReadBuf};
use tower_http::services::fs::{Backend, File as BackendFile};

use super::beneath::{self, Opened};
use crate::regular_file;

/// The name of a bundle's entry file.
const ENTRY: &str = "findling.idx";
/// The name of a single file in a bundle's directory.
const SINGLE: &str = "bundle.findling";
/// The directory below a site's root that is served although its name begins with a dot.
const WELL_KNOWN: &str = ".well-known";
/// The page on which Pagefind's users try a search.
const PLAYGROUND: [&str; 2] = ["playground", "index.html"];

/// The kind of a directory, which decides which of its files are served.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Bundle,
    /// The single file, which the user has named: it may be a link.
    Single(PathBuf),
    Site,
}

/// Files that may be served.
#[derive(Clone, Debug)]
pub struct Files(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    root: PathBuf,
    kind: Kind,
}

impl Files {
    /// Returns the files of the bundle at a path: its directory, its entry file, or a single file.
    pub fn of_bundle(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default();
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let (root, kind) = match path.is_file() {
            true if name == ENTRY || name == SINGLE => (parent, Kind::Bundle),
            true => (parent, Kind::Single(path.to_owned())),
            false => (path, Kind::Bundle),
        };
        Self(Arc::new(Inner { root: root.to_owned(), kind }))
    }

    /// Returns the files of a site in a directory.
    pub fn of_site(root: &Path) -> Self {
        Self(Arc::new(Inner { root: root.to_owned(), kind: Kind::Site }))
    }

    /// Returns the name of the single file, if there is one.
    pub fn single_name(&self) -> Option<&OsStr> {
        match &self.0.kind {
            Kind::Single(file) => file.file_name(),
            _ => None,
        }
    }
}

impl Inner {
    /// Opens the file that a request's path names.
    fn open(&self, path: &Path) -> io::Result<Opened> {
        let not_found = || io::Error::from(io::ErrorKind::NotFound);
        let names = plain_names(path).ok_or_else(not_found)?;
        let path: PathBuf = names.iter().collect();
        match &self.kind {
            Kind::Single(file) if names.as_slice() == [file.file_name().unwrap_or_default()] => {
                let file = regular_file::open(file).map_err(|_| not_found())?;
                let metadata = file.metadata()?;
                Ok(Opened { file: Some(file), metadata })
            }
            Kind::Single(_) if matches!(&names[..], [name] if is_of_client(name)) => {
                beneath::open(&self.root, &path)
            }
            Kind::Bundle if is_of_bundle(&names) => beneath::open(&self.root, &path),
            Kind::Site => {
                let path = beneath::resolve(&self.root, &path)?;
                // A link may lead to a hidden file.
                plain_names(&path).ok_or_else(not_found)?;
                beneath::open(&self.root, &path)
            }
            _ => Err(not_found()),
        }
    }
}

/// Splits a path into names, if none is hidden or means something else on another system.
fn plain_names(path: &Path) -> Option<Vec<&OsStr>> {
    let mut names = Vec::new();
    for part in path.components() {
        let name = match part {
            Component::Normal(name) => name,
            Component::CurDir => continue,
            _ => return None,
        };
        let text = name.to_str()?;
        let is_hidden = text.starts_with('.') && !(names.is_empty() && text == WELL_KNOWN);
        // On Windows, a colon in a name selects a stream of a file.
        let is_odd = text.contains(['\\', ':']) || text.contains(char::is_control);
        if is_hidden || is_odd {
            return None;
        }
        names.push(name);
    }
    Some(names)
}

/// Returns whether a bundle has a file or a directory of this name.
fn is_of_bundle(names: &[&OsStr]) -> bool {
    match names {
        [name] if *name == ENTRY || *name == SINGLE => true,
        // The directory, which is answered by its page.
        [name] => *name == PLAYGROUND[0] || is_of_client(name),
        [folder, name] => match (folder.to_str(), name.to_str()) {
            (Some("shards" | "encoder"), Some(name)) => {
                name.strip_suffix(".bin").is_some_and(|hash| {
                    !hash.is_empty()
                        && hash.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
                })
            }
            (Some("pagefind-fragment"), Some(name)) => {
                name.strip_suffix(".pf_fragment").is_some_and(is_plain)
            }
            (Some(folder), Some(name)) => [folder, name] == PLAYGROUND,
            _ => false,
        },
        _ => false,
    }
}

/// Returns whether a file next to a bundle belongs to the client or to the replacement of Pagefind.
fn is_of_client(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    if name == "pagefind-entry.json" {
        return true;
    }
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    match ending {
        "js" | "wasm" if begins_with(stem, "findling") => is_plain(stem),
        "js" | "css" if begins_with(stem, "pagefind") => is_plain(stem),
        "pagefind" => stem.strip_prefix("wasm.").is_some_and(is_plain),
        _ => false,
    }
}

/// Returns whether a name is a word, or that word followed by a separator and more.
fn begins_with(name: &str, word: &str) -> bool {
    name.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

type Later<T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send>>;

impl Backend for Files {
    type File = Served;
    type Metadata = Metadata;
    type OpenFuture = Later<Served>;
    type MetadataFuture = Later<Metadata>;

    fn open(&self, path: PathBuf) -> Self::OpenFuture {
        let inner = self.0.clone();
        Box::pin(async move {
            let opened = blocking(move || inner.open(&path)).await?;
            let file = opened.file.filter(|_| opened.metadata.is_file());
            let file = file.ok_or(io::ErrorKind::NotFound)?;
            Ok(Served(tokio::fs::File::from_std(file)))
        })
    }

    fn metadata(&self, path: PathBuf) -> Self::MetadataFuture {
        let inner = self.0.clone();
        Box::pin(async move { Ok(blocking(move || inner.open(&path)).await?.metadata) })
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}

/// A file that is sent.
#[derive(Debug)]
pub struct Served(tokio::fs::File);

impl AsyncRead for Served {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncSeek for Served {
    fn start_seek(mut self: Pin<&mut Self>, position: io::SeekFrom) -> io::Result<()> {
        Pin::new(&mut self.0).start_seek(position)
    }

    fn poll_complete(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<u64>> {
        Pin::new(&mut self.0).poll_complete(context)
    }
}

impl BackendFile for Served {
    type Metadata = Metadata;
    type MetadataFuture<'a> = Pin<Box<dyn Future<Output = io::Result<Metadata>> + Send + 'a>>;

    fn metadata(&self) -> Self::MetadataFuture<'_> {
        Box::pin(self.0.metadata())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str) -> Option<Vec<&OsStr>> {
        plain_names(Path::new(path))
    }

    #[test]
    fn a_bundle_has_the_files_that_its_format_and_its_client_name() {
        for path in [
            "findling.idx",
            "./findling.idx",
            "bundle.findling",
            "shards/00ff.bin",
            "encoder/0123456789abcdef.bin",
            "findling.js",
            "findling-ui.js",
            "findling-locale-zh-Hant.js",
            "findling_engine_rest.wasm",
            "pagefind.js",
            "pagefind-component-ui.css",
            "pagefind-entry.json",
            "wasm.pt-br.pagefind",
            "pagefind-fragment/en_0123456789ab_light.pf_fragment",
            "playground",
            "playground/index.html",
        ] {
            assert!(is_of_bundle(&names(path).unwrap()), "{path}");
        }
        for path in [
            "",
            "notes.txt",
            "id_rsa",
            "index.html",
            "secrets.js",
            "findlingsecrets.js",
            "findling-.env.js",
            "findling.idx.bak",
            "FINDLING.IDX",
            "backup.findling",
            "shards",
            "shards/notes.txt",
            "shards/.bin",
            "shards/00FF.bin",
            "shards/00ff.bin.bak",
            "shards/a/00ff.bin",
            "encoder/model.onnx",
            "pagefind-fragment/a.json",
            "playground/notes.html",
            "wasm.a.b.pagefind",
        ] {
            assert!(names(path).is_none_or(|names| !is_of_bundle(&names)), "{path}");
        }
    }

    #[test]
    fn hidden_and_odd_names_are_in_no_path() {
        for path in [
            ".env",
            "a/.git/config",
            "a/.well-known/b",
            "../a",
            "a/../b",
            "/a",
            "a\\b",
            "a.txt::$DATA",
            "a\0",
            "a\nb",
        ] {
            assert_eq!(names(path), None, "{path}");
        }
        assert_eq!(names(".well-known/security.txt").unwrap().len(), 2);
        assert_eq!(names("a/b.c").unwrap(), ["a", "b.c"]);
    }
}

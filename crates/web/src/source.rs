//! The two layouts of a bundle: a directory of files, and a single file.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use findling_bundle::{EntryFile, entry, opening, single_file};
use js_sys::Uint8Array;

use crate::Error;
use crate::packs::{Packs, slots_name};
use crate::store::{Fetched, Store};

/// The ending of a bundle in a single file.
const SINGLE_FILE: &str = ".findling";

/// Bytes of a single file's first request: room for the header and the manifest of a small site.
const FIRST_BYTES: u64 = 32 << 10;

/// The files that opening a build reads.
pub struct Opened {
    pub stored_manifest: Vec<u8>,
    /// The packs that shards are in; `None` if each is a file of its own.
    pub packs: Option<Packs>,
}

/// The source of the parts of a bundle.
pub struct Source {
    pub store: Store,
    layout: Layout,
}

enum Layout {
    /// Content-addressed files.
    Directory {
        /// Shards that came with the manifest, by path.
        early: RefCell<HashMap<String, Vec<u8>>>,
    },
    /// One file, read in ranges, or as a whole if the server ignores ranges.
    SingleFile { name: String, head: RefCell<Vec<u8>>, whole: RefCell<Option<Uint8Array>> },
}

/// Returns a bundle's address: its directory, with a slash at its end, and the name of its file if
/// it is in a single one.
pub fn parse_address(url: &str) -> (String, Option<String>) {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let (path, rest) = url.split_at(end);
    let query = rest.split('#').next().unwrap_or_default();
    if path.ends_with(SINGLE_FILE)
        && let Some((directory, name)) = path.rsplit_once('/')
    {
        return (format!("{directory}/"), Some(format!("{name}{query}")));
    }
    (format!("{}/", path.trim_end_matches('/')), None)
}

impl Source {
    /// Returns the bundle at an absolute address.
    pub async fn open(url: &str, caches: bool) -> Self {
        let (base, file) = parse_address(url);
        let layout = match file {
            None => Layout::Directory { early: RefCell::default() },
            Some(name) => {
                Layout::SingleFile { name, head: RefCell::default(), whole: RefCell::default() }
            }
        };
        Self { store: Store::open(base, caches).await, layout }
    }

    /// Returns whether vectors can be fetched near a query: a single file has no cells.
    pub fn is_directory(&self) -> bool {
        matches!(self.layout, Layout::Directory { .. })
    }

    /// Returns the entry, which is the only part that changes.
    pub async fn entry(&self) -> Result<EntryFile, Error> {
        match &self.layout {
            Layout::Directory { .. } => {
                let fetched = self.store.mutable(entry::FILE_NAME, None).await?;
                Ok(EntryFile::from_bytes(&fetched.bytes.to_vec())?)
            }
            Layout::SingleFile { name, head, whole } => {
                let range = Some((name.as_str(), 0..FIRST_BYTES));
                let Fetched { bytes, whole: all } =
                    self.store.mutable(&head_name(name), range).await?;
                let bytes = bytes.to_vec();
                let entry = single_file::read_header(&bytes)?;
                (*head.borrow_mut(), *whole.borrow_mut()) = (bytes, all);
                Ok(EntryFile { entry, opening: None })
            }
        }
    }

    /// Returns the stored manifest that an entry file names, and what comes with it.
    pub async fn manifest(&self, file: &EntryFile, fresh: bool) -> Result<Opened, Error> {
        let (entry, path) = (&file.entry, file.opening_path());
        match &self.layout {
            Layout::Directory { early } => {
                let bytes = self.store.immutable(&path, None, fresh).await?.to_vec();
                if let Some(whole) = &file.opening {
                    whole.check(&bytes)?;
                }
                let opening = opening::read(entry, &bytes)?;
                let packs = opening.packs.map(|packs| Packs::new(packs, &path)).transpose()?;
                let shards = opening.shards.into_iter();
                *early.borrow_mut() =
                    shards.map(|(path, stored)| (path, stored.to_vec())).collect();
                Ok(Opened { stored_manifest: opening.stored_manifest.to_vec(), packs })
            }
            Layout::SingleFile { head, .. } => {
                let start = single_file::HEADER_LEN;
                let end = start.saturating_add(entry.manifest_len as usize);
                let at_hand = head.borrow().get(start..end).map(<[u8]>::to_vec);
                let stored_manifest = match at_hand.filter(|_| !fresh) {
                    Some(stored) => stored,
                    None => self.part(&path, start as u64..end as u64, fresh).await?,
                };
                Ok(Opened { stored_manifest, packs: None })
            }
        }
    }

    /// Returns a shard that came with the manifest. It is given once: the engine keeps it, and asks
    /// for another copy only if this one was damaged.
    pub fn early(&self, path: &str) -> Option<Vec<u8>> {
        match &self.layout {
            Layout::Directory { early } => early.borrow_mut().remove(path),
            Layout::SingleFile { .. } => None,
        }
    }

    /// Returns a shard in a file of its own, or in a single file, where `range` is its place.
    pub async fn shard(
        &self,
        path: &str,
        range: Option<Range<u64>>,
        fresh: bool,
    ) -> Result<Vec<u8>, Error> {
        match &self.layout {
            Layout::Directory { .. } => Ok(self.store.immutable(path, None, fresh).await?.to_vec()),
            Layout::SingleFile { .. } => {
                let range = range.ok_or_else(|| {
                    Error::new("inconsistent", format!("{path} has no place in the single file."))
                })?;
                self.part(path, range, fresh).await
            }
        }
    }

    /// Removes all cached parts but these, once for each build.
    pub async fn prune(&self, mut keep: HashSet<String>, file: &EntryFile, build: &str) {
        let opening = file.opening_path();
        keep.extend([slots_name(&opening), opening]);
        keep.insert(match &self.layout {
            Layout::Directory { .. } => entry::FILE_NAME.to_owned(),
            Layout::SingleFile { name, .. } => head_name(name),
        });
        self.store.prune(keep, build).await;
    }

    async fn part(&self, path: &str, range: Range<u64>, fresh: bool) -> Result<Vec<u8>, Error> {
        let Layout::SingleFile { name, whole, .. } = &self.layout else { return Ok(Vec::new()) };
        if fresh {
            *whole.borrow_mut() = None;
        }
        let at_hand = whole.borrow().clone();
        let expected = range.end - range.start;
        let bytes = match at_hand {
            Some(whole) => whole.subarray(range.start as u32, range.end as u32),
            None => self.store.immutable(path, Some((name, range.clone())), fresh).await?,
        };
        if u64::from(bytes.length()) != expected {
            return Err(Error::new(
                "bundle",
                format!(
                    "{name} is too short: expected {} bytes or more, found {}. Deploy the whole \
                     file again.",
                    range.end,
                    range.start + u64::from(bytes.length())
                ),
            ));
        }
        Ok(bytes.to_vec())
    }
}

/// Returns the name of a single file's beginning in the cache.
fn head_name(file: &str) -> String {
    format!("{file}.head")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_directory_or_a_file() {
        let cases = [
            ("https://a.org/findling/", "https://a.org/findling/", None),
            ("https://a.org/findling", "https://a.org/findling/", None),
            ("https://a.org/findling?x#y", "https://a.org/findling/", None),
            ("https://a.org/s/a.findling", "https://a.org/s/", Some("a.findling")),
            ("https://a.org/a.findling?v=2#x", "https://a.org/", Some("a.findling?v=2")),
        ];
        for (url, base, file) in cases {
            assert_eq!(parse_address(url), (base.to_owned(), file.map(str::to_owned)), "{url}");
        }
    }
}

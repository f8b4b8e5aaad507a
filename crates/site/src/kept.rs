//! The results that a build keeps for the next one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use findling_index as index;
use findling_read::Listing;

/// The results that the next build need not compute again. Each log can be deleted at any time.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The directory of the bundle that is replaced, which stays as it is; `None` if there is no
    /// bundle to continue from.
    pub bundle: Option<PathBuf>,
    /// The hashes of the input's files that are known, BLAKE3 in hex digits.
    pub hashes: HashMap<PathBuf, String>,
    /// The input's files, if they have been looked for.
    pub listing: Option<Listing>,
    /// The log of parsed files ([`PageCache`](findling_read::page_cache::PageCache)).
    pub pages: PathBuf,
    /// Whether other builds use that log, too.
    pub shares_pages: bool,
    /// The log of analysed pages.
    pub analyses: PathBuf,
    /// The log of what the bundle's shards were made from.
    pub shards: PathBuf,
}

impl Kept {
    /// Returns the logs in a directory.
    pub fn below(directory: &Path) -> Self {
        let [pages, analyses, shards] =
            ["pages", "analyses", "shards"].map(|name| directory.join(name));
        let (bundle, hashes, listing) = (None, HashMap::new(), None);
        Self { bundle, hashes, listing, pages, shares_pages: false, analyses, shards }
    }

    /// Returns the logs that the index reads and writes.
    pub fn of_index(&self) -> index::Logs<'_> {
        index::Logs { analyses: &self.analyses, shards: &self.shards }
    }

    /// Returns all logs.
    pub fn logs(&self) -> [&Path; 3] {
        [&self.pages, &self.analyses, &self.shards]
    }
}

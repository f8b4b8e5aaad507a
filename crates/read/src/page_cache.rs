//! The pages of earlier reads. A file whose contents did not change is not parsed again.
//!
//! The log's keys are hashes over the program, the options, the file's path and the hash of its
//! contents; its contents are the pages and problems of the file. A file whose hash the caller
//! knows is not even read. Pages are stored before the rules for the whole site are applied, so
//! that these rules see all pages.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use super::file::File;
use super::{Format, Listing, Options, Outcome};
use findling_base::record_log::{CODING, Key, Kind, RecordLog, Used, key_of, program};

/// Largest size of a log that several reads share, in bytes.
pub const MAX_SHARED_BYTES: u64 = 4 << 30;

const KIND: Kind = Kind { magic: *b"FNDLPAGE", version: 5 };

/// The hashes of files: BLAKE3 in hex digits.
pub type Hashes = HashMap<PathBuf, String>;

/// The pages of earlier reads.
pub struct PageCache<'a> {
    log: RecordLog,
    /// Hash of this program.
    program: Key,
    /// Hashes of files that the caller knows.
    hashes: Option<&'a Hashes>,
    /// The files, if the caller knows them.
    listing: Option<&'a Listing>,
    /// Whether other reads use the log, too.
    is_shared: bool,
}

impl<'a> PageCache<'a> {
    /// Opens a log. A log that is missing, damaged or of another version counts as empty. For a
    /// file with a hash in `hashes`, the cache returns the pages of contents with this hash, if the
    /// log has them.
    pub fn open(path: &Path, hashes: Option<&'a Hashes>) -> Self {
        let log = RecordLog::open(path, KIND);
        Self { log, program: program(), hashes, listing: None, is_shared: false }
    }

    /// Returns the cache for files that were listed with the options of the read.
    pub fn with_listing(self, listing: Option<&'a Listing>) -> Self {
        Self { listing, ..self }
    }

    /// Returns the same for a log that other reads use, too: their results stay in it while it has
    /// at most [`MAX_SHARED_BYTES`].
    pub fn shared(self, is_shared: bool) -> Self {
        Self { is_shared, ..self }
    }

    pub(super) fn listing(&self) -> Option<&'a Listing> {
        self.listing
    }

    /// Returns the pages and problems of a file's contents with the hash that `hashes` gives for
    /// it; `None` if there is no such hash or the log does not have the pages.
    pub(super) fn known(&self, file: &File, options: &Options) -> Option<(Outcome, Used)> {
        let key = self.key(file, self.hashes?.get(&file.path)?, options);
        Some((self.get(&key, file)?, Used { key, new: None }))
    }

    /// Reads a file, or returns the earlier result for the same contents.
    pub(super) fn read(
        &self,
        file: &File,
        bytes: &[u8],
        options: &Options,
        read: impl FnOnce() -> Outcome,
    ) -> (Outcome, Option<Used>) {
        // Records are parsed fast, and their files may be too large for memory.
        if file.format == Format::Jsonl {
            return (read(), None);
        }
        let key = self.key(file, &blake3::hash(bytes).to_hex(), options);
        if let Some(outcome) = self.get(&key, file) {
            return (outcome, Some(Used { key, new: None }));
        }
        let outcome = read();
        if outcome.may_change {
            return (outcome, None);
        }
        // A path that is not Unicode cannot be stored.
        let encoded = bincode::encode_to_vec(&outcome, CODING).ok();
        (outcome, encoded.map(|encoded| Used { key, new: Some(encoded) }))
    }

    fn key(&self, file: &File, hash: &str, options: &Options) -> Key {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.program);
        // A package is the same wherever it lies, so its place is no part of the key.
        let file = match &file.package {
            Some(package) => format!("{options:?}\0{package:?}\0{}\0", file.id),
            None => format!("{options:?}\0{file:?}\0"),
        };
        hasher.update(&(file.len() as u64).to_le_bytes());
        hasher.update(file.as_bytes());
        hasher.update(hash.as_bytes());
        key_of(&hasher)
    }

    fn get(&self, key: &Key, file: &File) -> Option<Outcome> {
        let decode = |pages: &[u8]| {
            let (outcome, read) = bincode::decode_from_slice(pages, CODING).ok()?;
            (read == pages.len()).then_some(outcome)
        };
        let mut outcome: Outcome = self.log.read(key, decode)??;
        if file.package.is_some() {
            outcome.pages.iter_mut().for_each(|page| page.path.clone_from(&file.path));
            outcome.problems.iter_mut().for_each(|problem| problem.path.clone_from(&file.path));
        }
        Some(outcome)
    }

    /// Adds the results that were read. Removes all other results, if these are most of the log.
    ///
    /// # Errors
    /// If the log cannot be written. It stays valid.
    pub(super) fn store(self, reads: Vec<Used>) -> io::Result<()> {
        self.log.store_up_to(reads, if self.is_shared { MAX_SHARED_BYTES } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::super::{read, read_cached};
    use super::*;
    use findling_base::progress::Counter;
    use findling_page::page::Page;

    /// A site, a log, and reading the site through the log.
    struct Site {
        dir: tempfile::TempDir,
    }

    impl Site {
        fn new() -> Self {
            let site = Self { dir: tempfile::tempdir().unwrap() };
            fs::create_dir(site.root()).unwrap();
            for name in ["a", "b", "c"] {
                site.write(&format!("{name}.md"), &format!("# {name}\n\nText of {name}.\n"));
            }
            site
        }

        fn root(&self) -> PathBuf {
            self.dir.path().join("site")
        }

        fn log(&self) -> PathBuf {
            self.dir.path().join("pages")
        }

        fn write(&self, name: &str, text: &str) {
            fs::write(self.root().join(name), text).unwrap();
        }

        fn read(&self) -> Vec<Page> {
            self.read_as(&Options::default())
        }

        fn read_as(&self, options: &Options) -> Vec<Page> {
            self.read_with(options, None)
        }

        fn read_with(&self, options: &Options, hashes: Option<&Hashes>) -> Vec<Page> {
            let cache = PageCache::open(&self.log(), hashes);
            let bar = Counter::default();
            let on_problem = &mut |problem| panic!("{problem:?}");
            read_cached(&[self.root()], options, Some(cache), &bar, on_problem).pages
        }

        fn n_records(&self) -> usize {
            PageCache::open(&self.log(), None).log.len()
        }

        fn anew(&self) -> Vec<Page> {
            read(&[self.root()], &Options::default(), &mut |problem| panic!("{problem:?}"))
        }
    }

    #[test]
    fn pages_are_those_of_a_read_without_the_log() {
        let site = Site::new();
        let first = site.read();
        assert_eq!(first, site.anew());
        assert_eq!(site.n_records(), 3);
        assert_eq!(site.read(), first);
        site.write("b.md", "# b\n\nOther text.\n");
        assert_eq!(site.read(), site.anew());
        assert_eq!(site.n_records(), 4, "the old record of b is kept");
        fs::rename(site.root().join("c.md"), site.root().join("d.md")).unwrap();
        assert_eq!(site.read(), site.anew());
        assert_eq!(site.n_records(), 5, "another path is another page");
    }

    #[test]
    fn a_file_is_read_unless_its_hash_is_known_and_in_the_log() {
        let site = Site::new();
        let hash = |name: &str| {
            let path = site.root().join(name);
            let hash = blake3::hash(&fs::read(&path).unwrap()).to_hex().to_string();
            (path, hash)
        };
        let hashes: Hashes = ["a.md", "b.md"].map(hash).into();
        let options = Options::default();
        let first = site.read();
        // Edits that the caller does not know about.
        ["a", "b", "c"]
            .iter()
            .for_each(|name| site.write(&format!("{name}.md"), "# New\n\nNew.\n"));
        let titles = |pages: &[Page]| -> Vec<String> {
            pages.iter().map(|page| page.title.clone()).collect()
        };
        assert_eq!(titles(&site.read_with(&options, Some(&hashes))), ["a", "b", "New"]);
        // A file that is read again has the hash of its contents, not the known hash.
        fs::remove_file(site.log()).unwrap();
        assert_eq!(titles(&site.read_with(&options, Some(&hashes))), ["New"; 3]);
        assert_eq!(titles(&site.read_with(&options, Some(&hashes))), ["New"; 3]);
        ["a", "b", "c"].iter().for_each(|name| {
            site.write(&format!("{name}.md"), &format!("# {name}\n\nText of {name}.\n"))
        });
        assert_eq!(site.read_with(&options, Some(&hashes)), first);
    }

    #[test]
    fn what_is_in_the_log_is_not_parsed() {
        let site = Site::new();
        site.read();
        // Another text in the log, with the right checksum.
        let whole = fs::read(site.log()).unwrap();
        let mut spoilt = whole[..12].to_vec();
        let mut rest = &whole[12..];
        while let Some((head, behind)) = rest.split_at_checked(36) {
            let len = u32::from_le_bytes(head[32..].try_into().unwrap()) as usize;
            let (pages, behind) = behind.split_at(len);
            let other: Vec<u8> =
                pages.iter().map(|&byte| if byte == b'T' { b'X' } else { byte }).collect();
            spoilt.extend_from_slice(&head[..16]);
            spoilt.extend_from_slice(&findling_bundle::hash128(&other));
            spoilt.extend_from_slice(&head[32..]);
            spoilt.extend_from_slice(&other);
            rest = behind;
        }
        fs::write(site.log(), spoilt).unwrap();
        assert_eq!(site.read()[0].sections[0].blocks[0].text, "Xext of a.");
        let other = Options { language: Some("de".into()), ..Options::default() };
        assert_eq!(site.read_as(&other)[0].sections[0].blocks[0].text, "Text of a.");
    }

    #[test]
    fn a_log_that_is_cut_or_spoilt_anywhere_costs_only_time() {
        let site = Site::new();
        let pages = site.read();
        let whole = fs::read(site.log()).unwrap();
        for at in (0..whole.len()).step_by(7) {
            fs::write(site.log(), &whole[..at]).unwrap();
            assert_eq!(site.read(), pages, "cut at {at}");
            assert_eq!(site.read(), pages, "after a cut at {at}");
            let mut spoilt = whole.clone();
            spoilt[at] ^= 0x40;
            fs::write(site.log(), &spoilt).unwrap();
            assert_eq!(site.read(), pages, "spoilt at {at}");
        }
    }

    #[test]
    fn the_log_is_written_anew_when_most_of_it_is_old() {
        let site = Site::new();
        for edit in 0..20 {
            for name in ["a", "b", "c"] {
                site.write(&format!("{name}.md"), &format!("# {name}\n\nEdit {edit}.\n"));
            }
            site.read();
            let n = site.n_records();
            assert!(n <= 6, "{n} records after edit {edit}");
        }
        assert!(!site.log().with_extension("new").exists());
    }
}

//! The pages of earlier reads: a file whose contents did not change is not parsed again.
//!
//! An append-only log. Pages are stored before the rules for the whole site, so that these see all
//! pages.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | magic, `FNDLPAGE` |
//! | 8 | 4 | format version, u32 |
//! | 12 | | records |
//!
//! A record:
//!
//! | bytes | what |
//! |---|---|
//! | 16 | key: first 16 bytes of BLAKE3 over the program, the options, and the file |
//! | 8 | first 8 bytes of BLAKE3 over the pages |
//! | 4 | length of the pages, u32 |
//! | | the pages and problems of the file |
//!
//! A read that is killed can leave an incomplete record at the end; the next one overwrites it.
//! The log is written anew when less than half of it is in use.

use std::collections::{HashMap, HashSet};
use std::fs::{self, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use findling_bundle::hash128;

use super::files::File;
use super::{Format, Options, Outcome};

const MAGIC: [u8; 8] = *b"FNDLPAGE";
const VERSION: u32 = 2;
const HEADER_LEN: usize = 12;
const RECORD_HEADER_LEN: usize = 28;
/// Largest length of the pages of one file.
const MAX_LEN: usize = 256 << 20;
const CODING: bincode::config::Configuration<
    bincode::config::LittleEndian,
    bincode::config::Varint,
    bincode::config::Limit<MAX_LEN>,
> = bincode::config::standard().with_limit::<MAX_LEN>();

type Key = [u8; 16];

/// What was read of a file, and under which key. `encoded` is empty if the cache has it already.
pub(super) struct Read {
    key: Key,
    encoded: Vec<u8>,
}

/// The pages of earlier reads.
pub struct PageCache {
    path: PathBuf,
    /// The whole log.
    bytes: Vec<u8>,
    /// The pages of each key, as a range of `bytes`.
    records: HashMap<Key, Range<usize>>,
    /// Where the last whole record ends.
    end: usize,
    /// Hash of this program.
    program: Key,
}

impl PageCache {
    /// Opens a log. One that is missing, damaged or of another version counts as empty.
    pub fn open(path: &Path) -> Self {
        let bytes = fs::read(path).unwrap_or_default();
        let (mut records, mut end) = (HashMap::new(), 0);
        if bytes.get(..HEADER_LEN) == Some(&header()) {
            end = HEADER_LEN;
            while let Some((key, pages)) = record(&bytes, end) {
                end = pages.end;
                records.insert(key, pages);
            }
        }
        Self { path: path.to_owned(), bytes, records, end, program: program() }
    }

    /// Reads a file, or takes what it held when it had the same contents.
    pub(super) fn read(
        &self,
        file: &File,
        bytes: &[u8],
        options: &Options,
        read: impl FnOnce() -> Outcome,
    ) -> (Outcome, Option<Read>) {
        // Records are read fast, and their files may be larger than memory has room for.
        if file.format == Format::Jsonl {
            return (read(), None);
        }
        let key = self.key(file, bytes, options);
        if let Some(outcome) = self.get(&key) {
            return (outcome, Some(Read { key, encoded: Vec::new() }));
        }
        let outcome = read();
        if outcome.may_change {
            return (outcome, None);
        }
        // A path that is not Unicode cannot be stored.
        let encoded = bincode::encode_to_vec(&outcome, CODING).ok();
        let encoded = encoded.filter(|encoded| encoded.len() <= MAX_LEN);
        (outcome, encoded.map(|encoded| Read { key, encoded }))
    }

    fn key(&self, file: &File, bytes: &[u8], options: &Options) -> Key {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.program);
        let file = format!("{options:?}\0{file:?}\0");
        hasher.update(&(file.len() as u64).to_le_bytes());
        hasher.update(file.as_bytes());
        hasher.update(bytes);
        first(&hasher.finalize())
    }

    fn get(&self, key: &Key) -> Option<Outcome> {
        let pages = self.records.get(key)?.clone();
        let found = self.bytes.get(pages.start - 12..pages.start - 4)?;
        let pages = self.bytes.get(pages)?;
        if found != checksum(pages) {
            return None;
        }
        let (outcome, read) = bincode::decode_from_slice(pages, CODING).ok()?;
        (read == pages.len()).then_some(outcome)
    }

    /// Adds what was read, and forgets what was not, if that is most of the log.
    ///
    /// # Errors
    /// If the log cannot be written. It stays valid.
    pub(super) fn store(self, reads: Vec<Read>) -> io::Result<()> {
        let mut added = Vec::new();
        let mut used = HashSet::new();
        for Read { key, encoded } in reads {
            if used.insert(key) && !encoded.is_empty() {
                push(&mut added, &key, &encoded);
            }
        }
        let kept = used.iter().filter_map(|key| Some((key, self.records.get(key)?)));
        let kept: Vec<(&Key, &Range<usize>)> = kept.collect();
        let n_kept: usize = kept.iter().map(|(_, pages)| RECORD_HEADER_LEN + pages.len()).sum();
        if self.end > 0 && 2 * n_kept >= self.end - HEADER_LEN {
            if added.is_empty() && self.end == self.bytes.len() {
                return Ok(());
            }
            let mut log = OpenOptions::new().write(true).open(&self.path)?;
            log.set_len(self.end as u64)?;
            log.seek(SeekFrom::End(0))?;
            return log.write_all(&added);
        }
        let mut log = header().to_vec();
        for (key, pages) in kept {
            push(&mut log, key, &self.bytes[pages.clone()]);
        }
        log.extend_from_slice(&added);
        let staged = self.path.with_extension("new");
        fs::write(&staged, log)?;
        fs::rename(&staged, &self.path)
    }
}

fn header() -> [u8; HEADER_LEN] {
    let mut header = [0; HEADER_LEN];
    header[..8].copy_from_slice(&MAGIC);
    header[8..].copy_from_slice(&VERSION.to_le_bytes());
    header
}

/// The key of the record at `at`, and the range of its pages.
fn record(bytes: &[u8], at: usize) -> Option<(Key, Range<usize>)> {
    let head = bytes.get(at..at + RECORD_HEADER_LEN)?;
    let key = head[..16].try_into().ok()?;
    let len = u32::from_le_bytes(head[24..].try_into().ok()?) as usize;
    let start = at + RECORD_HEADER_LEN;
    let end = start.checked_add(len)?;
    (len <= MAX_LEN && end <= bytes.len()).then_some((key, start..end))
}

fn push(log: &mut Vec<u8>, key: &Key, pages: &[u8]) {
    log.extend_from_slice(key);
    log.extend_from_slice(&checksum(pages));
    log.extend_from_slice(&(pages.len() as u32).to_le_bytes());
    log.extend_from_slice(pages);
}

fn checksum(pages: &[u8]) -> [u8; 8] {
    first(&blake3::hash(pages))
}

fn first<const N: usize>(hash: &blake3::Hash) -> [u8; N] {
    std::array::from_fn(|i| hash.as_bytes()[i])
}

/// Tells this program from others, which may parse differently: by its version, and by length and
/// date of its file.
fn program() -> Key {
    let file = std::env::current_exe().and_then(fs::metadata);
    let file = file.ok().map(|file| {
        let written = file.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        (file.len(), written)
    });
    hash128(format!("{} {file:?}", env!("CARGO_PKG_VERSION")).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::super::{read, read_cached};
    use super::*;
    use crate::page::Page;

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
            let cache = PageCache::open(&self.log());
            read_cached(&[self.root()], options, cache, &mut |problem| panic!("{problem:?}"))
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
        assert_eq!(PageCache::open(&site.log()).records.len(), 3);
        assert_eq!(site.read(), first);
        let n_records = || PageCache::open(&site.log()).records.len();
        site.write("b.md", "# b\n\nOther text.\n");
        assert_eq!(site.read(), site.anew());
        assert_eq!(n_records(), 4, "the old record of b is kept");
        fs::rename(site.root().join("c.md"), site.root().join("d.md")).unwrap();
        assert_eq!(site.read(), site.anew());
        assert_eq!(n_records(), 5, "another path is another page");
    }

    #[test]
    fn what_is_in_the_log_is_not_parsed() {
        let site = Site::new();
        site.read();
        // Another title in the log, with the right checksum.
        let mut cache = PageCache::open(&site.log());
        for (_, pages) in cache.records.clone() {
            let mut stored = cache.bytes[pages.clone()].to_vec();
            for byte in &mut stored {
                if *byte == b'T' {
                    *byte = b'X';
                }
            }
            cache.bytes[pages.start - 12..pages.start - 4].copy_from_slice(&checksum(&stored));
            cache.bytes[pages].copy_from_slice(&stored);
        }
        fs::write(site.log(), &cache.bytes).unwrap();
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
            let n = PageCache::open(&site.log()).records.len();
            assert!(n <= 6, "{n} records after edit {edit}");
        }
        assert!(!site.log().with_extension("new").exists());
    }
}

//! An append-only log of records by key. It stores results so that they need not be computed again.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | magic |
//! | 8 | 4 | format version, u32 |
//! | 12 | | records |
//!
//! A record:
//!
//! | bytes | what |
//! |---|---|
//! | 16 | key |
//! | 16 | first 16 bytes of BLAKE3 over the contents |
//! | 4 | length of the contents, u32 |
//! | | contents |
//!
//! A process that is killed can leave an incomplete record at the end; the next one overwrites it.
//! The log is written anew when less than half of it is in use. Short contents are kept in memory;
//! others are read when they are needed.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use findling_bundle::hash128;

use crate::file_mode::private_file;

const HEADER_LEN: usize = 12;
const RECORD_HEADER_LEN: usize = 36;
/// Largest length of the contents of a record.
const MAX_LEN: usize = 256 << 20;
/// Bytes that are read at once when a log is opened.
const WINDOW: usize = 64 << 10;
/// Largest length of contents that are kept in memory.
const MAX_SHORT_LEN: usize = 256;
/// Maximum number of bytes that each thread keeps for reading.
const MAX_BUFFER_LEN: usize = 4 << 20;
/// The coding of contents.
pub const CODING: bincode::config::Configuration<
    bincode::config::LittleEndian,
    bincode::config::Varint,
    bincode::config::Limit<MAX_LEN>,
> = bincode::config::standard().with_limit::<MAX_LEN>();

/// The key by which a record is found.
pub type Key = [u8; 16];

/// The kind and version of a log, which distinguish it from other logs.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The first bytes of the log.
    pub magic: [u8; 8],
    /// The version. It is raised when contents are coded in another way.
    pub version: u32,
}

/// A record that is in use: its key, and its contents unless they come from the log.
pub struct Used<B = Vec<u8>> {
    /// The key.
    pub key: Key,
    /// The contents. Contents that the log already has, or that exceed its limit, are not added.
    pub new: Option<B>,
}

/// The records of a log, as they were when it was opened.
#[derive(Debug)]
pub struct RecordLog {
    path: PathBuf,
    kind: Kind,
    /// The file; `None` if there is no log of this kind.
    file: Option<File>,
    records: HashMap<Key, Record>,
    /// The end of the last whole record.
    end: u64,
}

/// A record of a log.
#[derive(Debug)]
struct Record {
    /// The contents, as a range of the file.
    at: Range<u64>,
    /// The hash that the contents must have.
    checksum: [u8; 16],
    /// The contents, if they are short.
    short: Option<Box<[u8]>>,
}

impl RecordLog {
    /// Opens a log. A log that is missing, damaged or of another kind counts as empty.
    pub fn open(path: &Path, kind: Kind) -> Self {
        let (mut records, mut end) = (HashMap::new(), 0);
        let mut header = [0; HEADER_LEN];
        let file = File::open(path)
            .ok()
            .filter(|file| read_at(file, 0, &mut header).is_ok() && header == kind.header());
        if let Some(file) = &file {
            let len = file.metadata().map_or(0, |metadata| metadata.len());
            end = HEADER_LEN as u64;
            let mut window = Window { file, len, start: 0, bytes: Vec::new() };
            while let Some((key, record)) = window.record(end) {
                end = record.at.end;
                records.insert(key, record);
            }
        }
        Self { path: path.to_owned(), kind, file, records, end }
    }

    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns whether the log has no record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `read` with the contents of a record and returns its result; `None` if the log has no
    /// whole record with this key. Each thread reuses its own buffer, because new memory would have
    /// to be cleared.
    pub fn read<T>(&self, key: &Key, read: impl FnOnce(&[u8]) -> T) -> Option<T> {
        thread_local! {
            static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
        }
        let Record { at, checksum, short } = self.records.get(key)?;
        let whole = |bytes: &[u8]| hash128(bytes) == *checksum;
        if let Some(short) = short {
            return whole(short).then(|| read(short));
        }
        let n = usize::try_from(at.end - at.start).ok()?;
        BUFFER.with_borrow_mut(|buffer| {
            if buffer.len() < n {
                buffer.resize(n, 0);
            }
            let bytes = &mut buffer[..n];
            read_at(self.file.as_ref()?, at.start, bytes).ok()?;
            let made = whole(bytes).then(|| read(bytes));
            if buffer.len() > MAX_BUFFER_LEN {
                *buffer = Vec::new();
            }
            made
        })
    }

    /// Returns the contents of a record; `None` if the log has none that is whole.
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let Record { at, checksum, short } = self.records.get(key)?;
        let bytes = match short {
            Some(short) => short.to_vec(),
            None => {
                let mut bytes = vec![0; (at.end - at.start) as usize];
                read_at(self.file.as_ref()?, at.start, &mut bytes).ok()?;
                bytes
            }
        };
        (hash128(&bytes) == *checksum).then_some(bytes)
    }

    /// Adds the new records. If most of the log is not in use, also removes the records that are
    /// not in use.
    ///
    /// # Errors
    /// If the log cannot be written. It stays valid, and does not grow.
    pub fn store<B: AsRef<[u8]>>(&self, used: Vec<Used<B>>) -> io::Result<()> {
        self.store_up_to(used, 0)
    }

    /// Adds the new records like [`store`](Self::store) to a log that others use, too. Records that
    /// are not in use here stay while the log has at most `most` bytes.
    ///
    /// # Errors
    /// The errors of [`store`](Self::store).
    pub fn store_up_to<B: AsRef<[u8]>>(&self, used: Vec<Used<B>>, most: u64) -> io::Result<()> {
        let mut keys = HashSet::new();
        let mut added: Vec<(Key, B)> = Vec::new();
        for Used { key, new } in used {
            if keys.insert(key) {
                let new = new.filter(|new| {
                    let new = new.as_ref();
                    new.len() <= MAX_LEN && self.get(&key).as_deref() != Some(new)
                });
                added.extend(new.map(|contents| (key, contents)));
            }
        }
        let kept = self.records.iter().filter(|(key, _)| keys.contains(*key));
        let n_kept: u64 = kept
            .clone()
            .map(|(_, Record { at, .. })| RECORD_HEADER_LEN as u64 + at.end - at.start)
            .sum();
        let is_full = 2 * n_kept < self.end.saturating_sub(HEADER_LEN as u64) && self.end > most;
        let Some(old) = self.file.as_ref().filter(|_| !is_full) else {
            let staged = self.path.with_extension("new");
            let kept = kept.map(|(key, _)| key);
            let written = self.write_anew(&staged, kept, &added);
            let written = written.and_then(|()| fs::rename(&staged, &self.path));
            return written.inspect_err(|_| drop(fs::remove_file(&staged)));
        };
        if added.is_empty() && old.metadata()?.len() == self.end {
            return Ok(());
        }
        let mut log = OpenOptions::new().write(true).open(&self.path)?;
        log.set_len(self.end)?;
        log.seek(SeekFrom::End(0))?;
        let mut out = BufWriter::new(&log);
        let written = added
            .iter()
            .try_for_each(|(key, contents)| push(&mut out, key, contents.as_ref()))
            .and_then(|()| out.flush());
        // Otherwise the rest of the buffer would be written once more to a full disk.
        drop(out.into_parts());
        written.inspect_err(|_| drop(log.set_len(self.end)))
    }

    /// Writes a log of records of this one and of new ones.
    fn write_anew<'a, B: AsRef<[u8]>>(
        &self,
        path: &Path,
        kept: impl Iterator<Item = &'a Key>,
        added: &[(Key, B)],
    ) -> io::Result<()> {
        let mut log =
            BufWriter::new(private_file().write(true).create(true).truncate(true).open(path)?);
        log.write_all(&self.kind.header())?;
        for key in kept {
            if let Some(contents) = self.get(key) {
                push(&mut log, key, &contents)?;
            }
        }
        added.iter().try_for_each(|(key, contents)| push(&mut log, key, contents.as_ref()))?;
        log.into_inner()?;
        Ok(())
    }
}

impl Kind {
    fn header(self) -> [u8; HEADER_LEN] {
        let mut header = [0; HEADER_LEN];
        header[..8].copy_from_slice(&self.magic);
        header[8..].copy_from_slice(&self.version.to_le_bytes());
        header
    }
}

/// A part of a log, so that short records take few reads.
struct Window<'a> {
    file: &'a File,
    /// Bytes of the file.
    len: u64,
    /// The offset at which the part begins.
    start: u64,
    bytes: Vec<u8>,
}

impl Window<'_> {
    /// Returns the record at `at`; `None` if there is no whole one.
    fn record(&mut self, at: u64) -> Option<(Key, Record)> {
        let head = self.bytes(at, RECORD_HEADER_LEN)?;
        let (key, checksum) = (head[..16].try_into().ok()?, head[16..32].try_into().ok()?);
        let n_bytes = u32::from_le_bytes(head[32..].try_into().ok()?) as usize;
        let start = at + RECORD_HEADER_LEN as u64;
        let at = start..start + n_bytes as u64;
        if n_bytes > MAX_LEN || at.end > self.len {
            return None;
        }
        let short = match n_bytes {
            ..=MAX_SHORT_LEN => Some(self.bytes(start, n_bytes)?.into()),
            _ => None,
        };
        Some((key, Record { at, checksum, short }))
    }

    /// Returns the `n` bytes that begin at `at`. `n` is at most [`WINDOW`].
    fn bytes(&mut self, at: u64, n: usize) -> Option<&[u8]> {
        let is_inside = at >= self.start && at + n as u64 <= self.start + self.bytes.len() as u64;
        if !is_inside {
            let n_read = self.len.checked_sub(at)?.min(WINDOW as u64);
            self.start = at;
            self.bytes.resize(n_read as usize, 0);
            read_at(self.file, at, &mut self.bytes).ok()?;
        }
        let from = (at - self.start) as usize;
        self.bytes.get(from..from + n)
    }
}

fn push(log: &mut impl Write, key: &Key, contents: &[u8]) -> io::Result<()> {
    log.write_all(key)?;
    log.write_all(&hash128(contents))?;
    log.write_all(&(contents.len() as u32).to_le_bytes())?;
    log.write_all(contents)
}

/// Fills `bytes` from a place in a file.
#[cfg(unix)]
pub fn read_at(file: &File, at: u64, bytes: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

/// Reads bytes at a place of a file, on a system without positioned reads.
#[cfg(not(any(unix, windows)))]
pub fn read_at(mut file: &File, at: u64, bytes: &mut [u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at)).and_then(|_| io::Read::read_exact(&mut file, bytes))
}

#[cfg(windows)]
pub fn read_at(file: &File, mut at: u64, mut bytes: &mut [u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => {
                bytes = &mut bytes[n..];
                at += n as u64;
            }
        }
    }
    Ok(())
}

/// Returns a hash as a key.
pub fn key_of(hasher: &blake3::Hasher) -> Key {
    let hash = hasher.finalize();
    std::array::from_fn(|i| hash.as_bytes()[i])
}

/// Distinguishes this build of the program from others, which may compute other results from the
/// same input. The distinction uses the version, and the length and date of the program's file.
pub fn program() -> Key {
    let file = std::env::current_exe().and_then(fs::metadata);
    let file = file.ok().map(|file| {
        let written = file.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        (file.len(), written)
    });
    hash128(format!("{} {file:?}", env!("CARGO_PKG_VERSION")).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: Kind = Kind { magic: *b"FNDLTEST", version: 1 };
    const N: u32 = 400;

    fn key(i: u32) -> Key {
        hash128(&i.to_le_bytes())
    }

    /// Returns contents for record `i`. Some are short, some are long.
    fn contents(i: u32) -> Vec<u8> {
        (0..i * 7 % 1000).map(|at| (at * i) as u8).collect()
    }

    #[test]
    fn records_of_every_length_come_back_unless_they_are_spoilt() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let used = (0..N).map(|i| Used { key: key(i), new: Some(contents(i)) });
        RecordLog::open(&path, KIND).store(used.collect()).unwrap();
        let log = RecordLog::open(&path, KIND);
        assert_eq!(log.len(), N as usize);
        (0..N).for_each(|i| assert_eq!(log.get(&key(i)), Some(contents(i)), "{i}"));
        (0..N).for_each(|i| {
            let read = log.read(&key(i), <[u8]>::to_vec);
            assert_eq!(read, Some(contents(i)), "{i}");
        });
        assert_eq!((log.get(&key(N)), log.read(&key(N), |_| ())), (None, None));
        let whole = fs::read(&path).unwrap();
        assert!(whole.len() > 2 * WINDOW);
        for i in [30, 100] {
            assert_eq!(contents(i).len() <= MAX_SHORT_LEN, i == 30);
            let mut spoilt = whole.clone();
            spoilt[log.records[&key(i)].at.start as usize] ^= 1;
            fs::write(&path, spoilt).unwrap();
            let log = RecordLog::open(&path, KIND);
            assert_eq!((0..N).filter(|&i| log.get(&key(i)).is_none()).collect::<Vec<_>>(), [i]);
        }
    }
}

//! The shards of the bundle that is replaced. Shards whose inputs have not changed are not
//! compressed again.
//!
//! A shard is found by its uncompressed contents, or by a key of the data that they are made from.
//! A log beside the bundle lists the file for each key. Without a log all shards are decompressed,
//! which takes a twentieth of the time of compressing.
//!
//! With a log, a file is read and hashed once, when its shard is needed. After that, the hash
//! identifies the file, so the new bundle gets a link to it without another read.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use findling_bundle::{
    Error, ShardEntry, ShardKind, decode_shard, encode_shard, has_first_name, hash128,
    shard_hash_of,
};
use rayon::prelude::*;

use super::bundle::Bundle;
use super::stored::{ShardBytes, Stored};
use findling_base::bundle_files::BundleFiles;
use findling_base::record_log::{CODING, Key, Kind, RecordLog, Used, key_of};
use findling_base::regular_file;
use findling_base::scratch::Scratch;

/// Largest stored size, in bytes, of a shard that is taken from an earlier bundle.
const MAX_STORED: u64 = 512 << 20;

/// The kind of the log.
pub const KIND: Kind = Kind { magic: *b"FNDLSHRD", version: 2 };

/// Earlier shards, by the hash of their inputs.
#[derive(Debug, Default)]
pub struct EarlierShards {
    /// Shards by their contents, if there is no log.
    stored: HashMap<Key, Vec<u8>>,
    /// The directory of the bundle; `None` without a bundle.
    directory: Option<PathBuf>,
    log: Option<RecordLog>,
    noted: Mutex<Noted>,
    /// Storage for shards for which there is no room in memory.
    scratch: Option<Scratch>,
}

/// Facts about shards that a build records.
#[derive(Debug, Default)]
struct Noted {
    /// Keys, each with the hash of its shard; `None` if the key has no shard.
    keys: Vec<(Key, Option<Key>)>,
    /// Files of the earlier bundle that were read, with their hashes.
    files: HashMap<String, Key>,
}

/// A record of the log: the file of a shard, and the hash of its bytes; `None` for a key without a
/// shard.
type Record = Option<(String, Key)>;

impl EarlierShards {
    /// Returns the shards of a bundle. Missing and damaged shards are left out. Renamed shards are
    /// left out too, because the same contents have another name in a newly built bundle.
    pub fn of(files: Option<&BundleFiles>, log: Option<RecordLog>) -> Self {
        let Some(files) = files else { return Self { log, ..Self::default() } };
        let directory = Some(files.directory().to_owned());
        if log.as_ref().is_some_and(|log| !log.is_empty()) {
            return Self { directory, log, ..Self::default() };
        }
        let shards = files.listed_shards();
        let stored = shards.par_iter().filter_map(|(id, entry)| {
            let stored = files.stored(*id, entry).ok().filter(|stored| has_first_name(stored))?;
            let raw = decode_shard(entry, &stored).ok()?;
            Some((key(entry.kind, &raw), stored))
        });
        Self { stored: stored.collect(), directory, log, ..Self::default() }
    }

    /// Sets how many bytes of new shards may stay in memory.
    pub fn with_memory(self, bytes: u64) -> Self {
        Self { scratch: Some(Scratch::new(bytes)), ..self }
    }

    /// Returns whether shards are found by the hash of their inputs.
    pub fn has_log(&self) -> bool {
        self.log.is_some()
    }

    /// Returns whether a log knows shards of an earlier bundle, so that most are found.
    pub fn knows_shards(&self) -> bool {
        self.log.as_ref().is_some_and(|log| !log.is_empty())
    }

    /// Encodes a shard like [`encode_shard`], or takes the earlier shard with the same contents.
    ///
    /// # Errors
    /// If the contents are too long.
    pub fn encode(&self, kind: ShardKind, raw: &[u8]) -> Result<Stored, Error> {
        if self.stored.is_empty() && self.log.is_none() {
            return self.encode_new(kind, raw);
        }
        let key = key(kind, raw);
        if let Some(known) = self.find(&key, kind).flatten() {
            return Ok(known);
        }
        let stored = self.encode_new(kind, raw)?;
        self.note(key, Some(&stored));
        Ok(stored)
    }

    fn encode_new(&self, kind: ShardKind, raw: &[u8]) -> Result<Stored, Error> {
        let (entry, stored) = encode_shard(kind, raw)?;
        Ok((entry, self.keep(stored)))
    }

    fn keep(&self, stored: Vec<u8>) -> ShardBytes {
        match &self.scratch {
            Some(scratch) => ShardBytes::new(stored, scratch),
            None => stored.into(),
        }
    }

    /// Returns the shard that an earlier build made for this key. `Some(None)` means that it made
    /// no shard for the key. `None` means that nothing is known.
    pub fn find(&self, key: &Key, kind: ShardKind) -> Option<Option<Stored>> {
        let (stored, hash) = match self.stored.get(key) {
            Some(stored) => (stored.clone(), hash128(stored)),
            None => match self.record(key)? {
                Some((path, hash)) => {
                    let stored =
                        regular_file::read(&self.directory.as_ref()?.join(&path), MAX_STORED)
                            .ok()?;
                    if hash128(&stored) != hash || !has_first_name(&stored) {
                        return None;
                    }
                    self.noted().files.insert(path, hash);
                    (stored, hash)
                }
                None => {
                    self.noted().keys.push((*key, None));
                    return Some(None);
                }
            },
        };
        if self.has_log() {
            self.noted().keys.push((*key, Some(hash)));
        }
        let hash = shard_hash_of(kind, &hash);
        let entry = ShardEntry { kind, hash, stored_len: stored.len() as u32 };
        Some(Some((entry, self.keep(stored))))
    }

    /// Returns the hash of a file in a directory, if it was read.
    pub fn hash_of(&self, directory: &Path, path: &str) -> Option<Key> {
        let is_there = self.has_log() && self.directory.as_deref() == Some(directory);
        if is_there { self.noted().files.get(path).copied() } else { None }
    }

    fn record(&self, key: &Key) -> Option<Record> {
        let bytes = self.log.as_ref()?.get(key)?;
        bincode::decode_from_slice(&bytes, CODING).ok().map(|(record, _)| record)
    }

    /// Remembers the shard that was made for a key, or that none was made.
    pub fn note(&self, key: Key, made: Option<&Stored>) {
        if self.has_log() {
            // Without a hash the shard is made again in the next build.
            let hash = match made.map(|(_, stored)| stored.read()) {
                None => None,
                Some(Ok(stored)) => Some(hash128(&stored)),
                Some(Err(_)) => return,
            };
            self.noted().keys.push((key, hash));
        }
    }

    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(|noted| noted.into_inner())
    }

    /// Writes the log of a bundle that was made with these shards. Returns the paths of its shards
    /// that the earlier bundle has with the same bytes, as far as they were read.
    pub fn store(&self, bundle: &Bundle) -> HashSet<String> {
        let Some(log) = &self.log else { return HashSet::new() };
        let stored: Vec<(String, &ShardBytes)> = bundle.stored().collect();
        let hashed = stored
            .into_par_iter()
            .filter_map(|(path, stored)| Some((hash128(&stored.read().ok()?), path)));
        let hashed: Vec<(Key, String)> = hashed.collect();
        let Noted { keys, files } = std::mem::take(&mut *self.noted());
        let unchanged = hashed.iter().filter(|(hash, path)| files.get(path) == Some(hash));
        let unchanged = unchanged.map(|(_, path)| path.clone()).collect();
        let paths: HashMap<Key, String> = hashed.into_iter().collect();
        let used = keys.into_iter().filter_map(|(key, hash)| {
            let record: Record = match hash {
                // A shard that was renamed is left out.
                Some(hash) => Some((paths.get(&hash)?.clone(), hash)),
                None => None,
            };
            let new = bincode::encode_to_vec(record, CODING).ok()?;
            Some(Used { key, new: Some(new) })
        });
        // Without the log, the next build only takes longer.
        let _ = log.store(used.collect());
        unchanged
    }
}

/// Returns the key of contents.
fn key(kind: ShardKind, raw: &[u8]) -> Key {
    key_of(blake3::Hasher::new().update(&[kind as u8]).update(raw))
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::super::write::{BundleWriter, Shape};
    use super::super::{Job, build};
    use super::*;
    use findling_base::progress::Silent;
    use findling_page::page::{Block, Page, Section};

    fn bundle(directory: &Path) -> BundleFiles {
        let page = |i: usize| {
            let text = format!("Page {i} of a bundle with some words. ").repeat(20);
            let block = Block { text, code: vec![], is_code_block: false, weight: 1.0 };
            let section = Section { blocks: vec![block], ..Section::default() };
            let (id, url) = (format!("{i}.html"), format!("/{i}.html"));
            Page { id, url, sections: vec![section], ..Page::default() }
        };
        let job = Job { pages: (0..40).map(page).collect(), ..Job::default() };
        let bundle = build(job, &Silent).unwrap().bundle;
        BundleWriter::new(directory, Shape::Directory, &bundle).write().unwrap();
        BundleFiles::open(directory).unwrap()
    }

    #[test]
    fn shards_are_those_that_compressing_gives() {
        let dir = tempfile::tempdir().unwrap();
        let files = bundle(&dir.path().join("bundle"));
        let earlier = EarlierShards::of(Some(&files), None);
        let listed = files.listed_shards();
        assert!(listed.iter().any(|(_, entry)| entry.kind == ShardKind::Positions));
        for (id, entry) in &listed {
            let raw = decode_shard(entry, &files.stored(*id, entry).unwrap()).unwrap();
            assert!(earlier.stored.contains_key(&key(entry.kind, &raw)), "{entry:?}");
            let anew = |raw: &[u8]| {
                let (entry, stored) = encode_shard(entry.kind, raw).unwrap();
                (entry, ShardBytes::from(stored))
            };
            assert_eq!(earlier.encode(entry.kind, &raw).unwrap(), anew(&raw));
            let other = [&raw[..], b"x"].concat();
            assert_eq!(earlier.encode(entry.kind, &other).unwrap(), anew(&other));
        }
    }

    #[test]
    fn damaged_and_renamed_shards_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let files = bundle(&dir.path().join("bundle"));
        let (id, entry) = files.listed_shards()[0];
        let n_whole = EarlierShards::of(Some(&files), None).stored.len();
        let path: PathBuf = files.directory().join(files.manifest().path(id, &entry));
        let stored = std::fs::read(&path).unwrap();
        std::fs::write(&path, &stored[..stored.len() - 1]).unwrap();
        assert_eq!(EarlierShards::of(Some(&files), None).stored.len(), n_whole - 1);
        assert!(has_first_name(&stored));
        assert!(!has_first_name(&findling_bundle::rename_shard(&entry, stored).1));
    }
}

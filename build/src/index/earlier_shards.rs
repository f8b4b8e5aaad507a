//! The shards of the bundle that is replaced. What is made from the same is not compressed again.
//!
//! A shard is found by its uncompressed contents, or by a key of what these are made from. A log
//! beside the bundle tells the file of each key. Without a log all shards are decompressed, which
//! takes a twentieth of the time of compressing.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;

use findling_bundle::{
    Error, ShardEntry, ShardKind, decode_shard, encode_shard, has_first_name, hash128, shard_hash,
};
use rayon::prelude::*;

use super::assemble::Bundle;
use super::shards::Stored;
use crate::bundle_files::BundleFiles;
use crate::record_log::{CODING, Key, Kind, RecordLog, Used, key_of};

/// The kind of the log.
pub const KIND: Kind = Kind { magic: *b"FNDLSHRD", version: 2 };

/// Shards by what they are made from.
#[derive(Debug, Default)]
pub struct EarlierShards {
    /// Shards by their contents, where there is no log.
    stored: HashMap<Key, Vec<u8>>,
    /// The directory of the bundle.
    directory: PathBuf,
    log: Option<RecordLog>,
    /// The keys of this build, each with the hash of its shard; `None` if it has none.
    noted: Mutex<Vec<(Key, Option<Key>)>>,
}

/// A record of the log: the file of a shard, and the hash of its bytes; `None` for a key without a
/// shard.
type Record = Option<(String, Key)>;

impl EarlierShards {
    /// The shards of a bundle. Those that are missing or damaged are left out, as are those that
    /// were renamed: the same contents have another name in a bundle that is built anew.
    pub fn of(files: Option<&BundleFiles>, log: Option<RecordLog>) -> Self {
        let Some(files) = files else { return Self { log, ..Self::default() } };
        let directory = files.directory().to_owned();
        if log.as_ref().is_some_and(|log| log.len() > 0) {
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

    /// Whether shards are found by what they are made from.
    pub fn has_log(&self) -> bool {
        self.log.is_some()
    }

    /// As [`encode_shard`].
    ///
    /// # Errors
    /// If the contents are too long.
    pub fn encode(&self, kind: ShardKind, raw: &[u8]) -> Result<Stored, Error> {
        if self.stored.is_empty() && self.log.is_none() {
            return encode_shard(kind, raw);
        }
        let key = key(kind, raw);
        if let Some(known) = self.find(&key, kind).flatten() {
            return Ok(known);
        }
        let stored = encode_shard(kind, raw)?;
        self.note(key, Some(&stored));
        Ok(stored)
    }

    /// What was made from the same: a shard, or none. `None` if that is not known.
    pub fn find(&self, key: &Key, kind: ShardKind) -> Option<Option<Stored>> {
        let stored = match self.stored.get(key) {
            Some(stored) => stored.clone(),
            None => match self.record(key)? {
                Some((path, hash)) => {
                    let stored = std::fs::read(self.directory.join(path)).ok()?;
                    (hash128(&stored) == hash && has_first_name(&stored)).then_some(stored)?
                }
                None => {
                    self.note(*key, None);
                    return Some(None);
                }
            },
        };
        let hash = shard_hash(kind, &stored);
        let entry = ShardEntry { kind, hash, stored_len: stored.len() as u32 };
        let stored = (entry, stored);
        self.note(*key, Some(&stored));
        Some(Some(stored))
    }

    fn record(&self, key: &Key) -> Option<Record> {
        let bytes = self.log.as_ref()?.get(key)?;
        bincode::decode_from_slice(&bytes, CODING).ok().map(|(record, _)| record)
    }

    /// Remembers what was made from what a key stands for.
    pub fn note(&self, key: Key, made: Option<&Stored>) {
        if self.log.is_some() {
            let hash = made.map(|(_, stored)| hash128(stored));
            self.noted.lock().unwrap_or_else(|noted| noted.into_inner()).push((key, hash));
        }
    }

    /// Writes the log of a bundle that was made with these shards.
    pub fn store(&self, bundle: &Bundle) {
        let Some(log) = &self.log else { return };
        let paths: HashMap<Key, String> =
            bundle.stored().map(|(path, stored)| (hash128(stored), path)).collect();
        let noted =
            std::mem::take(&mut *self.noted.lock().unwrap_or_else(|noted| noted.into_inner()));
        let used = noted.into_iter().filter_map(|(key, hash)| {
            let record: Record = match hash {
                // A shard that was renamed is left out.
                Some(hash) => Some((paths.get(&hash)?.clone(), hash)),
                None => None,
            };
            let new = bincode::encode_to_vec(record, CODING).ok()?;
            Some(Used { key, new: Some(new) })
        });
        // Without the log the next build takes longer, and nothing else.
        let _ = log.store(used.collect());
    }
}

/// The key of contents.
fn key(kind: ShardKind, raw: &[u8]) -> Key {
    key_of(blake3::Hasher::new().update(&[kind as u8]).update(raw))
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    use super::super::write::{self, Shape};
    use super::super::{Job, build};
    use super::*;
    use crate::page::{Block, Page, Section};
    use crate::ui::Ui;

    fn bundle(directory: &Path) -> BundleFiles {
        let page = |i: usize| {
            let text = format!("Page {i} of a bundle with some words. ").repeat(20);
            let block = Block { text, code: vec![], is_code_block: false, weight: 1.0 };
            let section = Section { blocks: vec![block], ..Section::default() };
            let (id, url) = (format!("{i}.html"), format!("/{i}.html"));
            Page { id, url, sections: vec![section], ..Page::default() }
        };
        let job = Job { pages: (0..40).map(page).collect(), ..Job::default() };
        let bundle = build(job, &Ui::silent()).unwrap().bundle;
        write::write(directory, Shape::Directory, &bundle, &[], Duration::ZERO).unwrap();
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
            assert_eq!(
                earlier.encode(entry.kind, &raw).unwrap(),
                encode_shard(entry.kind, &raw).unwrap()
            );
            let other = [&raw[..], b"x"].concat();
            assert_eq!(
                earlier.encode(entry.kind, &other).unwrap(),
                encode_shard(entry.kind, &other).unwrap()
            );
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

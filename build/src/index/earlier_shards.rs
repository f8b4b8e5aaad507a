//! The shards of the bundle that is replaced, by their contents: equal contents are not compressed
//! again. Decompressing takes a twentieth of the time of compressing.

use std::collections::HashMap;

use findling_bundle::{
    Error, ShardEntry, ShardKind, decode_shard, encode_shard, has_first_name, shard_hash,
};
use rayon::prelude::*;

use super::shards::Stored;
use crate::bundle_files::BundleFiles;

/// Kind and hash of the contents.
type Key = (u8, blake3::Hash);

/// Shards by their contents.
#[derive(Clone, Debug, Default)]
pub struct EarlierShards {
    stored: HashMap<Key, Vec<u8>>,
}

impl EarlierShards {
    /// The shards of a bundle. Those that are missing or damaged are left out, as are those that
    /// were renamed: the same contents have another name in a bundle that is built anew.
    pub fn of(files: &BundleFiles) -> Self {
        let shards = files.listed_shards();
        let stored = shards.par_iter().filter_map(|(id, entry)| {
            let stored = files.stored(*id, entry).ok().filter(|stored| has_first_name(stored))?;
            let raw = decode_shard(entry, &stored).ok()?;
            Some((key(entry.kind, &raw), stored))
        });
        Self { stored: stored.collect() }
    }

    /// As [`encode_shard`].
    ///
    /// # Errors
    /// If the contents are too long.
    pub fn encode(&self, kind: ShardKind, raw: &[u8]) -> Result<Stored, Error> {
        let known = if self.stored.is_empty() { None } else { self.stored.get(&key(kind, raw)) };
        match known {
            Some(stored) => {
                let hash = shard_hash(kind, stored);
                let entry = ShardEntry { kind, hash, stored_len: stored.len() as u32 };
                Ok((entry, stored.clone()))
            }
            None => encode_shard(kind, raw),
        }
    }
}

fn key(kind: ShardKind, raw: &[u8]) -> Key {
    (kind as u8, blake3::hash(raw))
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
        let earlier = EarlierShards::of(&files);
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
        let n_whole = EarlierShards::of(&files).stored.len();
        let path: PathBuf = files.directory().join(files.manifest().path(id, &entry));
        let stored = std::fs::read(&path).unwrap();
        std::fs::write(&path, &stored[..stored.len() - 1]).unwrap();
        assert_eq!(EarlierShards::of(&files).stored.len(), n_whole - 1);
        assert!(has_first_name(&stored));
        assert!(!has_first_name(&findling_bundle::rename_shard(&entry, stored).1));
    }
}

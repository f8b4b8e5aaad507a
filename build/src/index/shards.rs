//! Collecting shards.

use std::collections::{HashMap, HashSet};

use findling_bundle::{Error, ShardEntry, ShardHash, ShardId, ShardKind, encode_shard, rename_shard};
use rayon::prelude::*;

/// A shard's line in a directory, and the shard.
pub type Stored = (ShardEntry, Vec<u8>);

/// A shard under the first of its names that is not `taken`: files are named by a part of their hash.
pub fn rename_while(mut shard: Stored, mut taken: impl FnMut(&Stored) -> bool) -> Stored {
    while taken(&shard) {
        let (entry, stored) = shard;
        shard = rename_shard(&entry, stored);
    }
    shard
}

/// The shard directory and what it refers to, as stored. Equal shards are kept once.
#[derive(Debug, Default)]
pub struct ShardSet {
    entries: Vec<ShardEntry>,
    stored: Vec<Vec<u8>>,
    ids: HashMap<ShardHash, ShardId>,
    /// Names of shards that are not in the directory.
    reserved: HashSet<ShardHash>,
}

impl ShardSet {
    /// Keeps names free that shards outside of the directory have.
    pub fn reserve(&mut self, names: impl IntoIterator<Item = ShardHash>) {
        self.reserved.extend(names);
    }

    /// Compresses and adds one shard.
    pub fn add(&mut self, kind: ShardKind, raw: &[u8]) -> Result<ShardId, Error> {
        let (entry, stored) = encode_shard(kind, raw)?;
        Ok(self.insert(entry, stored))
    }

    /// Compresses shards on all cores and adds them in order.
    pub fn add_all(&mut self, kind: ShardKind, raws: &[Vec<u8>]) -> Result<Vec<ShardId>, Error> {
        let encoded: Vec<_> =
            raws.par_iter().map(|raw| encode_shard(kind, raw)).collect::<Result<_, Error>>()?;
        Ok(encoded.into_iter().map(|(entry, stored)| self.insert(entry, stored)).collect())
    }

    /// Compresses shards on all cores for another directory: the lines of all, none for those that are empty, and the shards of those that
    /// are not. Names are like no others.
    pub fn add_apart(
        &mut self,
        kind: ShardKind,
        raws: &[Vec<u8>],
    ) -> Result<(Vec<Option<ShardEntry>>, Vec<Stored>), Error> {
        let encoded: Vec<Option<Stored>> = raws
            .par_iter()
            .map(|raw| (!raw.is_empty()).then(|| encode_shard(kind, raw)).transpose())
            .collect::<Result<_, Error>>()?;
        let (mut lines, mut all) = (Vec::with_capacity(raws.len()), Vec::<Stored>::new());
        let mut named: HashMap<ShardHash, usize> = HashMap::new();
        for shard in encoded {
            let line = shard.map(|shard| {
                let (entry, stored) = rename_while(shard, |(entry, stored)| match named.get(&entry.hash) {
                    Some(&same) => all[same].1 != *stored,
                    None => self.ids.contains_key(&entry.hash) || self.reserved.contains(&entry.hash),
                });
                named.insert(entry.hash, all.len());
                all.push((entry, stored));
                entry
            });
            lines.push(line);
        }
        self.reserved.extend(named.into_keys());
        Ok((lines, all))
    }

    fn insert(&mut self, entry: ShardEntry, stored: Vec<u8>) -> ShardId {
        let (entry, stored) =
            rename_while((entry, stored), |(entry, stored)| match self.ids.get(&entry.hash) {
                Some(same) => self.stored[same.index()] != *stored,
                None => self.reserved.contains(&entry.hash),
            });
        if let Some(&same) = self.ids.get(&entry.hash) {
            return same;
        }
        let id = ShardId(self.entries.len() as u32);
        self.ids.insert(entry.hash, id);
        self.entries.push(entry);
        self.stored.push(stored);
        id
    }

    /// The directory and, in its order, the shards as stored.
    pub fn finish(self) -> (Vec<ShardEntry>, Vec<Vec<u8>>) {
        (self.entries, self.stored)
    }
}

#[cfg(test)]
mod tests {
    use findling_bundle::decode_shard;

    use super::*;

    #[test]
    fn equal_shards_are_kept_once() {
        let mut shards = ShardSet::default();
        let a = shards.add(ShardKind::Column, b"same").unwrap();
        let b = shards.add(ShardKind::Column, b"same").unwrap();
        let c = shards.add(ShardKind::Texts, b"same").unwrap();
        assert_eq!(a, b);
        assert_ne!(a, c);
        assert_eq!(shards.finish().0.len(), 2);
    }

    #[test]
    fn shards_whose_hashes_begin_alike_get_names_of_their_own() {
        let mut shards = ShardSet::default();
        let first = shards.add(ShardKind::Column, b"one").unwrap();
        let (mut entry, stored) = encode_shard(ShardKind::Column, b"other").unwrap();
        entry.hash = shards.entries[first.index()].hash;
        let other = shards.insert(entry, stored.clone());
        assert_ne!(first, other);
        assert_eq!(shards.insert(entry, stored), other, "and again");
        let (entry, _) = encode_shard(ShardKind::Column, b"third").unwrap();
        shards.reserve([entry.hash]);
        let third = shards.add(ShardKind::Column, b"third").unwrap();
        assert_ne!(shards.entries[third.index()].hash, entry.hash);
        assert_eq!(shards.add(ShardKind::Column, b"third").unwrap(), third);
        let (entries, stored) = shards.finish();
        assert_ne!(entries[0].hash, entries[1].hash);
        assert_eq!(decode_shard(&entries[1], &stored[1]).unwrap(), b"other");
    }
}

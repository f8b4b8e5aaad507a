//! Collecting shards.

use std::collections::HashMap;

use findling_bundle::{Error, ShardEntry, ShardHash, ShardId, ShardKind, encode_shard};
use rayon::prelude::*;

/// A shard's line in a directory, and the shard.
pub type Stored = (ShardEntry, Vec<u8>);

/// The shard directory and what it refers to, as stored. Equal shards are kept once.
#[derive(Debug, Default)]
pub struct ShardSet {
    entries: Vec<ShardEntry>,
    stored: Vec<Vec<u8>>,
    ids: HashMap<(ShardKind, ShardHash), ShardId>,
}

impl ShardSet {
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

    fn insert(&mut self, entry: ShardEntry, stored: Vec<u8>) -> ShardId {
        *self.ids.entry((entry.kind, entry.hash)).or_insert_with(|| {
            self.entries.push(entry);
            self.stored.push(stored);
            ShardId(self.entries.len() as u32 - 1)
        })
    }

    /// The directory and, in its order, the shards as stored.
    pub fn finish(self) -> (Vec<ShardEntry>, Vec<Vec<u8>>) {
        (self.entries, self.stored)
    }
}

#[cfg(test)]
mod tests {
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
}

//! Paths of shards, and groups of shards that share a hash.

use super::Manifest;
use crate::names::{RangeStart, shard_path};
use crate::{ShardEntry, ShardId, ShardKind};

impl Manifest {
    /// Returns the path of a shard, relative to the bundle and with `/`. `entry` is its line in the
    /// manifest, the centroids or the directory of positions. O(log n); for a second tier O(n).
    pub fn path(&self, id: ShardId, entry: &ShardEntry) -> String {
        match self.range_start(id, entry.kind) {
            Some(start) => start.path(entry),
            None => shard_path(&entry.hash),
        }
    }

    /// Returns whether a shard begins a group, so that its hash is stored.
    pub(crate) fn begins_group(&self, at: usize) -> bool {
        let kind = |at: usize| self.shards.get(at).map(|shard| shard.kind);
        let Some(own) = kind(at).filter(|kind| kind.is_grouped()) else { return true };
        let is_first = at.checked_sub(1).and_then(kind) != Some(own);
        is_first || self.range_start(ShardId(at as u32), own).is_none_or(RangeStart::begins_group)
    }

    /// Gives every shard of a group the hash of the group's first shard, the only one that the
    /// manifest stores.
    pub fn share_hashes(&mut self) {
        for at in 1..self.shards.len() {
            if !self.begins_group(at) {
                self.shards[at].hash = self.shards[at - 1].hash;
            }
        }
    }

    fn range_start(&self, id: ShardId, kind: ShardKind) -> Option<RangeStart<'_>> {
        let key = match kind {
            ShardKind::Terms => {
                let at = self.lexicon.binary_search_by_key(&id, |range| range.terms).ok()?;
                &self.lexicon[at].first_term
            }
            ShardKind::SecondTier => {
                &self.lexicon.iter().find(|range| range.second == Some(id))?.first_term
            }
            ShardKind::Rows => {
                let rows = self.dense.as_ref()?.rows.as_ref()?;
                let at = rows.ranges.binary_search_by_key(&id, |range| range.shard);
                return Some(RangeStart::Row(
                    rows.origin,
                    at.map_or("", |at| &rows.ranges[at].first_key),
                ));
            }
            ShardKind::Texts => {
                let at = self.texts.binary_search_by_key(&id, |range| range.shard).ok()?;
                let range = self.texts[at];
                return Some(RangeStart::Page(range.first_page, range.first_section));
            }
            ShardKind::Sentences => {
                let ranges = &self.dense.as_ref()?.sentences;
                let at = ranges.binary_search_by_key(&id, |range| range.shard).ok()?;
                return Some(RangeStart::Page(ranges[at].first_page, 0));
            }
            // Ids of cells follow the ids of the manifest's shards.
            ShardKind::Cell => {
                return Some(RangeStart::Cell(id.0.checked_sub(self.shards.len() as u32)?));
            }
            _ => return None,
        };
        Some(RangeStart::Key(key))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Error, PageId, Stats, TextRange, shard_hash};

    fn entry(kind: ShardKind, stored: &[u8]) -> ShardEntry {
        ShardEntry { kind, hash: shard_hash(kind, stored), stored_len: stored.len() as u32 }
    }

    /// Returns a column, and the texts of these pages, one shard each.
    fn manifest(pages: &[u32]) -> Manifest {
        let sample = |kind, i: u32| entry(kind, &i.to_le_bytes());
        let texts = (1..).zip(pages).map(|(i, &page)| TextRange {
            first_page: PageId(page),
            first_section: 0,
            shard: ShardId(i),
        });
        let texts: Vec<_> = texts.collect();
        let entries = pages.iter().map(|&page| sample(ShardKind::Texts, page));
        let shards = [sample(ShardKind::Column, 0)].into_iter().chain(entries).collect();
        let (generator, languages, attributes) = (String::new(), Vec::new(), Vec::new());
        let (lexicon, spelling, synonyms, ranking) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let stats = Stats {
            n_pages: 5000,
            n_sections: 0,
            n_passages: 0,
            n_vectors: 0,
            n_terms: 0,
            mean_len: [0.0; 6],
        };
        let mut manifest = Manifest {
            generator,
            languages,
            analysis: 0,
            stats,
            attributes,
            lexicon,
            spelling,
            synonyms,
            ranking,
            dense: None,
            texts,
            shards,
        };
        manifest.share_hashes();
        manifest
    }

    proptest! {
        #[test]
        fn the_shards_of_a_group_share_a_stored_hash(
            pages in prop::collection::btree_set(0u32..5000, 0..300),
        ) {
            let pages: Vec<u32> = pages.into_iter().collect();
            let of = manifest(&pages);
            let read = Manifest::from_bytes(&of.to_bytes().unwrap()).unwrap();
            prop_assert_eq!(&read.shards, &of.shards);
            // Removing the first page changes only the first group.
            let Some((_, others)) = pages.split_first() else { return Ok(()) };
            let fewer = manifest(others);
            let begins = |of: &Manifest, page: u32| {
                let at =
                    of.texts.iter().find(|range| range.first_page.0 == page).unwrap().shard.index();
                of.begins_group(at)
            };
            prop_assert!(
                others.iter().skip(1).all(|&page| begins(&of, page) == begins(&fewer, page))
            );
        }
    }

    #[test]
    fn groups_have_four_shards_on_average_and_one_hash() {
        let pages: Vec<u32> = (0..4000).collect();
        let mut of = manifest(&pages);
        let n = (0..of.shards.len()).filter(|&at| of.begins_group(at)).count();
        assert!((900..1100).contains(&n), "{n}");
        let keys: Vec<String> =
            (0..4000).map(|i: u32| format!("{:x}", i.wrapping_mul(2_654_435_761))).collect();
        let n = keys.iter().filter(|key| RangeStart::Row([0; 4], key).begins_group()).count();
        assert!((900..1100).contains(&n), "{n}");
        let inside = (2..of.shards.len()).find(|&at| !of.begins_group(at)).unwrap();
        of.shards[inside].hash[0] ^= 1;
        assert!(matches!(of.to_bytes(), Err(Error::Malformed { .. })));
    }
}

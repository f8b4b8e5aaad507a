//! What shards are called. A name never stands for other contents than it did before, so that a
//! file can be cached for ever.
//!
//! Every reader fetches a hash of each shard, so that a bit of it counts. Most shards hold a range:
//! of terms, of pages' texts, of encoder rows, the vectors of a cell. These are named by what their
//! range begins with as well, which the reader knows anyhow; then a hash has to tell a shard from
//! its own earlier states alone, not from all shards that ever were. Of texts and rows, which are
//! most of all shards and small, some that lie side by side share a hash over them all, a group:
//! who edits one of them renames the others.
//!
//! | kinds | hash | name |
//! |---|---|---|
//! | rows of the static encoder | of a group, first 8 bits; 32 of each shard's own stand in its file | the same, with where the rows are from ([`crate::StaticRows::origin`]) |
//! | texts | of a group, first 20 bits; 32 of each shard's own in its file | as the next |
//! | terms and their second tier, sentences, cells | first 20 bits of BLAKE3 over the stored bytes | first 8 bytes of BLAKE3 over kind, hash and what the range begins with ([`Manifest::path`]) |
//! | others | first 32 bits | the hash |
//!
//! A group begins with the first of its kind, and where what a range begins with chooses it
//! ([`RangeStart::begins_group`]), so that a shard more or less moves the groups around it alone.
//!
//! Rows are a case of their own because there are most of them, and because one in the place of
//! another does no harm: a shard that has the name of its own earlier state has right rows, of the
//! same origin, and at worst lacks those of words that the site did not have then.
//!
//! A file's name is written in hex digits. A shard that was edited has the hash it had with a
//! probability of 1e-6; who builds a bundle into the directory of the one before sees to it that it
//! has not ([`crate::rename_shard`]).

use crate::codec::{Reader, hash128};
use crate::entry::shard_path;
use crate::{Error, Manifest, PageId, ShardEntry, ShardId, ShardKind};

/// The first bits of BLAKE3 over the stored bytes of a shard, or of all of its group, as many as
/// its kind has; the others are 0.
pub type ShardHash = [u8; 4];

/// The hash of a shard of a kind, or of the shards of a group one behind the other.
pub fn shard_hash(kind: ShardKind, stored: &[u8]) -> ShardHash {
    let [a, b, c, d, ..] = hash128(stored);
    match kind.n_digits() {
        2 => [a, 0, 0, 0],
        5 => [a, b, c & 0xf0, 0],
        _ => [a, b, c, d],
    }
}

impl ShardKind {
    /// Whether its shards are named by what their ranges begin with.
    pub fn is_range(self) -> bool {
        matches!(
            self,
            Self::Terms
                | Self::SecondTier
                | Self::Texts
                | Self::Sentences
                | Self::Rows
                | Self::Cell
        )
    }

    /// Whether some of its shards share a hash: each has a checksum of its own inside.
    pub fn is_grouped(self) -> bool {
        matches!(self, Self::Texts | Self::Rows)
    }

    /// Hex digits of a hash.
    fn n_digits(self) -> usize {
        match self {
            Self::Rows => 2,
            _ if self.is_range() => 5,
            _ => 8,
        }
    }
}

/// Fewest bytes that a number of hashes take.
pub(crate) const LEAST_HASH: usize = 1;

/// Writes the hashes of shards, a half byte a digit.
pub(crate) fn put_hashes<'a>(out: &mut Vec<u8>, shards: impl IntoIterator<Item = &'a ShardEntry>) {
    let digit = |hash: &ShardHash, at: usize| hash[at / 2] >> (4 * (1 - at % 2)) & 15;
    let mut odd = false;
    for shard in shards {
        for at in 0..shard.kind.n_digits() {
            let digit = digit(&shard.hash, at);
            match out.last_mut().filter(|_| odd) {
                Some(byte) => *byte |= digit,
                None => out.push(digit << 4),
            }
            odd = !odd;
        }
    }
}

/// Reads the hashes of shards whose kinds are known.
///
/// # Errors
/// Where there are fewer.
pub(crate) fn take_hashes<'a>(
    reader: &mut Reader<'_>,
    shards: impl IntoIterator<Item = &'a mut ShardEntry>,
) -> Result<(), Error> {
    let mut low = None;
    for shard in shards {
        shard.hash = ShardHash::default();
        for at in 0..shard.kind.n_digits() {
            let digit = match low.take() {
                Some(digit) => digit,
                None => {
                    let byte = reader.u8()?;
                    low = Some(byte & 15);
                    byte >> 4
                }
            };
            shard.hash[at / 2] |= digit << (4 * (1 - at % 2));
        }
    }
    match low {
        Some(1..) => Err(reader.malformed("there is something behind the last hash")),
        _ => Ok(()),
    }
}

/// What a range begins with.
#[derive(Clone, Copy, Debug)]
pub enum RangeStart<'a> {
    /// A term.
    Key(&'a str),
    /// A key of the static encoder, and where its rows are from; of that encoder's common words,
    /// which are no range, no key.
    Row([u8; 4], &'a str),
    /// A page, and the place of a section in it.
    Page(PageId, u32),
    /// A cell by its number.
    Cell(u32),
}

/// Shards of a group in the mean. An edit renames seven, since most shards are in groups that are
/// larger.
const GROUP: u32 = 4;

impl RangeStart<'_> {
    /// Whether a group of shards begins here, where they have groups.
    pub fn begins_group(self) -> bool {
        let place;
        let bytes = match self {
            Self::Page(PageId(page), section) => {
                place = (u64::from(page) << 32 | u64::from(section)).to_le_bytes();
                &place[..]
            }
            Self::Row(_, key) => key.as_bytes(),
            Self::Key(_) | Self::Cell(_) => return true,
        };
        // FNV-1a, stirred once more: every reader goes through all ranges.
        let add = |hash: u32, &byte: &u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        let hash = bytes.iter().fold(0x811c_9dc5, add);
        (hash ^ hash >> 15).wrapping_mul(0x2c1b_3c6d) < u32::MAX / GROUP
    }

    /// The path relative to the bundle, with `/`, of a shard of the range.
    pub fn path(self, entry: &ShardEntry) -> String {
        let [a, b, c, _] = entry.hash;
        let mut named = vec![entry.kind as u8, a, b, c];
        match self {
            Self::Key(key) => named.extend_from_slice(key.as_bytes()),
            Self::Row(origin, key) => {
                named.extend_from_slice(&origin);
                named.extend_from_slice(key.as_bytes());
            }
            Self::Page(page, section) => {
                named.extend_from_slice(
                    &(u64::from(page.0) << 32 | u64::from(section)).to_le_bytes(),
                );
            }
            Self::Cell(number) => named.extend_from_slice(&number.to_le_bytes()),
        }
        shard_path(&hash128(&named)[..8])
    }
}

impl Manifest {
    /// The path relative to the bundle, with `/`, of a shard: one of the manifest, of the centroids
    /// or of the directory of positions, with its line there. O(log n), of a second tier O(n).
    pub fn path(&self, id: ShardId, entry: &ShardEntry) -> String {
        match self.range_start(id, entry.kind) {
            Some(start) => start.path(entry),
            None => shard_path(&entry.hash),
        }
    }

    /// Whether a shard has a hash that the one before it has not.
    pub(crate) fn begins_group(&self, at: usize) -> bool {
        let kind = |at: usize| self.shards.get(at).map(|shard| shard.kind);
        let Some(own) = kind(at).filter(|kind| kind.is_grouped()) else { return true };
        let is_first = at.checked_sub(1).and_then(kind) != Some(own);
        is_first || self.range_start(ShardId(at as u32), own).is_none_or(RangeStart::begins_group)
    }

    /// Gives every shard of a group the hash of its first: all that the manifest keeps.
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
            // Cells are counted on from the manifest's last shard.
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

    fn entry(kind: ShardKind, stored: &[u8]) -> ShardEntry {
        ShardEntry { kind, hash: shard_hash(kind, stored), stored_len: stored.len() as u32 }
    }

    proptest! {
        #[test]
        fn hashes_come_back(shards: Vec<(bool, u32)>) {
            let kind = |is_range| if is_range { ShardKind::Texts } else { ShardKind::Column };
            let shards: Vec<ShardEntry> =
                shards.iter().map(|&(is_range, i)| entry(kind(is_range), &i.to_le_bytes())).collect();
            let mut out = vec![0xff];
            put_hashes(&mut out, &shards);
            prop_assert!(out.len() > LEAST_HASH * shards.len());
            let mut read: Vec<ShardEntry> =
                shards.iter().map(|shard| ShardEntry { hash: [9; 4], ..*shard }).collect();
            let mut reader = Reader::new(&out[1..], "test");
            take_hashes(&mut reader, &mut read).unwrap();
            prop_assert!(reader.finish().is_ok());
            prop_assert_eq!(&read, &shards);
            if !shards.is_empty() {
                prop_assert!(take_hashes(&mut Reader::new(&out[1..out.len() - 1], "test"), &mut read).is_err());
            }
        }
    }

    /// Texts of so many pages, one shard each, with a column in front.
    fn manifest(pages: &[u32]) -> Manifest {
        let sample = |kind, i: u32| entry(kind, &i.to_le_bytes());
        let texts = (1..).zip(pages).map(|(i, &page)| crate::TextRange {
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
        let stats = crate::Stats {
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
        fn of_a_group_one_hash_is_said(pages in prop::collection::btree_set(0u32..5000, 0..300)) {
            let pages: Vec<u32> = pages.into_iter().collect();
            let of = manifest(&pages);
            let read = Manifest::from_bytes(&of.to_bytes().unwrap()).unwrap();
            prop_assert_eq!(&read.shards, &of.shards);
            // A page in front of all others leaves the groups as they were, but the first.
            let Some((_, others)) = pages.split_first() else { return Ok(()) };
            let fewer = manifest(others);
            let begins = |of: &Manifest, page: u32| {
                let at = of.texts.iter().find(|range| range.first_page.0 == page).unwrap().shard.index();
                of.begins_group(at)
            };
            prop_assert!(others.iter().skip(1).all(|&page| begins(&of, page) == begins(&fewer, page)));
        }
    }

    #[test]
    fn a_group_is_of_four_shards_and_its_hash_no_others() {
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
        assert!(of.to_bytes().unwrap_err().to_string().contains("of a group"));
    }

    #[test]
    fn rows_are_named_by_their_origin_and_eight_bits() {
        let shard = entry(ShardKind::Rows, b"rows");
        assert_eq!(shard.hash, [hash128(b"rows")[0], 0, 0, 0]);
        let path = |origin| RangeStart::Row(origin, "mutex").path(&shard);
        assert_ne!(path([1, 0, 0, 0]), path([2, 0, 0, 0]));
        let mut out = Vec::new();
        put_hashes(&mut out, &[shard; 3]);
        assert_eq!(out, [shard.hash[0]; 3]);
    }

    #[test]
    fn ranges_are_named_by_what_they_begin_with_as_well() {
        let (terms, texts) = (entry(ShardKind::Terms, b"same"), entry(ShardKind::Texts, b"same"));
        assert_eq!(terms.hash, texts.hash, "the kind is in the name alone");
        let paths = [
            RangeStart::Key("a").path(&terms),
            RangeStart::Key("b").path(&terms),
            RangeStart::Key("a").path(&entry(ShardKind::Terms, b"other")),
            RangeStart::Page(PageId(1), 0).path(&texts),
            RangeStart::Page(PageId(1), 1).path(&texts),
            RangeStart::Cell(1).path(&entry(ShardKind::Cell, b"same")),
        ];
        let different: std::collections::BTreeSet<&String> = paths.iter().collect();
        assert_eq!(different.len(), paths.len(), "{paths:?}");
        assert!(paths.iter().all(|path| path.len() == "shards/.bin".len() + 16));
    }
}

//! What shards are called. A name never stands for other contents than it did before, so that a file can be cached for ever.
//!
//! Every reader fetches a hash of each shard, so that a bit of it counts. Most shards hold a range: of terms, of pages' texts, of encoder
//! rows, the vectors of a cell. These are named by what their range begins with as well, which the reader knows anyhow; then a hash has
//! to tell a shard from its own earlier states alone, not from all shards that ever were.
//!
//! | kinds | hash | name |
//! |---|---|---|
//! | rows of the static encoder | first 8 bits; 32 others stand in the file | the same, with where the rows are from ([`crate::StaticRows::origin`]) |
//! | terms and their second tier, texts, sentences, cells | first 20 bits of BLAKE3 over the stored bytes | first 8 bytes of BLAKE3 over kind, hash and what the range begins with ([`Manifest::path`]) |
//! | others | first 32 bits | the hash |
//!
//! Rows are a case of their own because there are most of them, and because one in the place of another does no harm: a shard that has the name of
//! its own earlier state has right rows, of the same origin, and at worst lacks those of words that the site did not have then.
//!
//! A file's name is written in hex digits. A shard that was edited has the hash it had with a probability of 1e-6; who builds a bundle into
//! the directory of the one before sees to it that it has not ([`crate::rename_shard`]).

use crate::codec::{Reader, hash128};
use crate::entry::shard_path;
use crate::{Error, Manifest, PageId, ShardEntry, ShardId, ShardKind};

/// The first bits of BLAKE3 over a shard's stored bytes, as many as its kind has; the others are 0.
pub type ShardHash = [u8; 4];

/// The hash of a shard of a kind.
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
            Self::Terms | Self::SecondTier | Self::Texts | Self::Sentences | Self::Rows | Self::Cell
        )
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
    /// A key of the static encoder, and where its rows are from; of that encoder's common words, which are no range, no key.
    Row([u8; 4], &'a str),
    /// A page, and the place of a section in it.
    Page(PageId, u32),
    /// A cell by its number.
    Cell(u32),
}

impl RangeStart<'_> {
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
                named.extend_from_slice(&(u64::from(page.0) << 32 | u64::from(section)).to_le_bytes());
            }
            Self::Cell(number) => named.extend_from_slice(&number.to_le_bytes()),
        }
        shard_path(&hash128(&named)[..8])
    }
}

impl Manifest {
    /// The path relative to the bundle, with `/`, of a shard: one of the manifest, of the centroids or of the directory of positions, with its
    /// line there. O(log n), of a second tier O(n).
    pub fn path(&self, id: ShardId, entry: &ShardEntry) -> String {
        match self.range_start(id, entry.kind) {
            Some(start) => start.path(entry),
            None => shard_path(&entry.hash),
        }
    }

    fn range_start(&self, id: ShardId, kind: ShardKind) -> Option<RangeStart<'_>> {
        let key = match kind {
            ShardKind::Terms => {
                let at = self.lexicon.binary_search_by_key(&id, |range| range.terms).ok()?;
                &self.lexicon[at].first_term
            }
            ShardKind::SecondTier => &self.lexicon.iter().find(|range| range.second == Some(id))?.first_term,
            ShardKind::Rows => {
                let rows = self.dense.as_ref()?.rows.as_ref()?;
                let at = rows.ranges.binary_search_by_key(&id, |range| range.shard);
                return Some(RangeStart::Row(rows.origin, at.map_or("", |at| &rows.ranges[at].first_key)));
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
            ShardKind::Cell => return Some(RangeStart::Cell(id.0.checked_sub(self.shards.len() as u32)?)),
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

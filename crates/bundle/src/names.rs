//! Names of shards. The contents of a name never change, so every shard can be cached for ever.
//!
//! Every reader fetches a hash of each shard, so hashes are as short as they can be. Most shards
//! hold a range: of terms, of pages' texts, of encoder rows, or the vectors of a cell. The name of
//! such a shard also depends on the start of its range, which the reader knows anyway. So its hash
//! must differ only from the hashes of its own earlier states, not from the hashes of all shards
//! that ever existed. Shards of texts and rows are the most numerous, and small. Neighbouring ones
//! form groups that share one hash over all of them; an edit of one renames the whole group.
//!
//! | kinds | bits of BLAKE3 that are kept | name |
//! |---|---|---|
//! | rows | 8, over the stored bytes of the group | by range |
//! | texts | 20, over the stored bytes of the group | by range |
//! | terms, second tier, sentences, cell | 20, over the stored bytes of the shard | by range |
//! | others | 32, over the stored bytes of the shard | the hash |
//!
//! A name by range is the first 8 bytes of BLAKE3 over kind, hash and range start. The range start
//! of rows includes their origin ([`crate::StaticRows::origin`]).
//!
//! Shards of texts and rows contain a checksum of 32 bits each, since the group's hash cannot check
//! one of them. A group begins with the first shard of its kind, and with each shard whose range
//! start has a certain hash ([`RangeStart::begins_group`]). So an added or removed shard only
//! changes the groups around it.
//!
//! Rows need the fewest bits because there are most of them, and because a stale one does no harm:
//! a shard under the name of its own earlier state has correct rows of the same origin, and at
//! worst lacks the rows of new words.
//!
//! A file's name is in hex digits. An edited shard keeps its hash with a probability of 1e-6. A
//! build over an earlier bundle detects this and changes the salt ([`crate::rename_shard`]).

use crate::codec::{Reader, hash128, hex};
use crate::{Error, PageId, ShardEntry, ShardHash, ShardKind};

/// The folder of shards and manifests, beside the entry file.
pub const SHARDS: &str = "shards";

/// Returns the path of a file named by its hash, relative to the bundle, with `/`.
pub fn shard_path(hash: &[u8]) -> String {
    format!("{SHARDS}/{}.bin", hex(hash))
}

/// Returns the hash of a shard's stored bytes, or of the concatenated stored bytes of a group.
pub fn shard_hash(kind: ShardKind, stored: &[u8]) -> ShardHash {
    shard_hash_of(kind, &hash128(stored))
}

/// Returns the hash of a shard whose stored bytes have this hash ([`hash128`]).
pub fn shard_hash_of(kind: ShardKind, &[a, b, c, d, ..]: &[u8; 16]) -> ShardHash {
    match kind.n_digits() {
        2 => [a, 0, 0, 0],
        5 => [a, b, c & 0xf0, 0],
        _ => [a, b, c, d],
    }
}

/// Smallest number of bytes of a hash, rounded up from half bytes.
pub(crate) const MIN_HASH_LEN: usize = 1;

/// Writes the hashes of shards, half a byte for each hex digit.
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
/// If there are fewer, or the last half byte is unused and not 0.
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
        Some(1..) => {
            Err(reader.malformed("expected 0 in the half byte after the last hash, found another"))
        }
        _ => Ok(()),
    }
}

/// The start of a range.
#[derive(Clone, Copy, Debug)]
pub enum RangeStart<'a> {
    /// A term.
    Key(&'a str),
    /// The origin of encoder rows, and a key. The shard of common words, which is not a range, has
    /// an empty key.
    Row([u8; 4], &'a str),
    /// A page, and a section's place in it.
    Page(PageId, u32),
    /// A cell by its number.
    Cell(u32),
}

/// Mean number of shards in a group. An edit renames seven on average, since most shards are in
/// larger groups.
const GROUP: u32 = 4;

impl RangeStart<'_> {
    /// Returns whether a group begins with the shard of this range, if its kind has groups.
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
        // FNV-1a with one more mixing step. It must be fast: every reader hashes all ranges.
        let add = |hash: u32, &byte: &u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        let hash = bytes.iter().fold(0x811c_9dc5, add);
        (hash ^ hash >> 15).wrapping_mul(0x2c1b_3c6d) < u32::MAX / GROUP
    }

    /// Returns the path, relative to the bundle and with `/`, of the shard of this range.
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
                shards
                    .iter()
                    .map(|&(is_range, i)| entry(kind(is_range), &i.to_le_bytes()))
                    .collect();
            let mut out = vec![0xff];
            put_hashes(&mut out, &shards);
            prop_assert!(out.len() > MIN_HASH_LEN * shards.len());
            let mut read: Vec<ShardEntry> =
                shards.iter().map(|shard| ShardEntry { hash: [9; 4], ..*shard }).collect();
            let mut reader = Reader::new(&out[1..], "test");
            take_hashes(&mut reader, &mut read).unwrap();
            prop_assert!(reader.finish().is_ok());
            prop_assert_eq!(&read, &shards);
            if !shards.is_empty() {
                prop_assert!(
                    take_hashes(&mut Reader::new(&out[1..out.len() - 1], "test"), &mut read)
                        .is_err()
                );
            }
        }
    }

    #[test]
    fn the_name_of_rows_depends_on_origin_and_eight_bits() {
        let shard = entry(ShardKind::Rows, b"rows");
        assert_eq!(shard.hash, [hash128(b"rows")[0], 0, 0, 0]);
        let path = |origin| RangeStart::Row(origin, "mutex").path(&shard);
        assert_ne!(path([1, 0, 0, 0]), path([2, 0, 0, 0]));
        let mut out = Vec::new();
        put_hashes(&mut out, &[shard; 3]);
        assert_eq!(out, [shard.hash[0]; 3]);
    }

    #[test]
    fn the_name_of_a_range_depends_on_kind_hash_and_start() {
        let (terms, texts) = (entry(ShardKind::Terms, b"same"), entry(ShardKind::Texts, b"same"));
        assert_eq!(terms.hash, texts.hash, "the kind is part of the name, not of the hash");
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

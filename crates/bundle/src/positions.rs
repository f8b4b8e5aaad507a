//! Where in their fields terms occur: what phrases and proximity need, and nothing else, hence
//! shards of their own.
//!
//! Positions lie in a grid. Its columns are runs of ranges of the lexicon, its rows blocks of
//! pages, and each place of it is a shard: an edit of a page changes the shards of one block,
//! though every passage has everyday words, and a phrase fetches those of its words' columns in the
//! blocks that have all of its words. Positions count tokens, from 0: in the title (pages), the
//! heading (sections), the text with its code (passages).
//!
//! A shard:
//!
//! | what | encoding |
//! |---|---|
//! | number of ranges | varint |
//! | of each range: bytes of its counts, bytes of its lists | two varints |
//! | of each range: its counts, then its lists | varints |
//!
//! A range has a list for each of its postings in the block, in their order: term by term, each by
//! [`Level`]. Which those are, the shard of terms says, so that a term that comes in elsewhere
//! changes nothing here. A list is its first position, then distances from the one before less one.
//! Its length is counted as what it is more or less than the posting's frequencies say, in
//! zigzag; zeros at the end are left out, which is mostly all of them.
//!
//! The directory lists the grid, for those who ask for a phrase:
//!
//! | what | encoding |
//! |---|---|
//! | number of blocks; pages of each | varints |
//! | number of columns; ranges of each | varints |
//! | bytes of each shard as stored, column by column; 0 where there is none | varints |
//! | hashes of those that there are | 5 bytes each |

use core::ops::Range;

use crate::codec::{Reader, put_varint, unzigzag, zigzag};
use crate::limits::MAX_RANGES;
use crate::{Error, Level, PageId, ShardEntry, ShardHash, ShardId, ShardKind};

const WHAT: &str = "positions";
const DIRECTORY: &str = "directory of positions";

/// Positions that a posting has where all its words count once and stand where positions are told:
/// of titles, headings, texts and code.
fn expected(level: Level, tf: [u32; 2]) -> u32 {
    if level == Level::Passage { tf[0].saturating_add(tf[1]) } else { tf[0] }
}

/// Writes the positions of a column in a block.
#[derive(Clone, Debug, Default)]
pub struct PositionsBuilder {
    n_ranges: u32,
    lens: Vec<u8>,
    bytes: Vec<u8>,
    counts: Vec<u32>,
    lists: Vec<u8>,
    has_lists: bool,
}

impl PositionsBuilder {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether there is no position in it.
    pub fn is_empty(&self) -> bool {
        !self.has_lists
    }

    /// Adds the list of the next posting of the range at hand, which has these frequencies.
    ///
    /// # Errors
    /// Where positions do not ascend.
    pub fn push(&mut self, level: Level, tf: [u32; 2], positions: &[u32]) -> Result<(), Error> {
        if !positions.is_sorted_by(|a, b| a < b) || positions.last() == Some(&u32::MAX) {
            return Err(Error::malformed(WHAT, "positions must ascend"));
        }
        self.counts.push(zigzag((positions.len() as u32).wrapping_sub(expected(level, tf)) as i32));
        let mut next = 0;
        for &position in positions {
            put_varint(&mut self.lists, position - next);
            next = position + 1;
        }
        self.has_lists |= !positions.is_empty();
        Ok(())
    }

    /// Ends a range.
    pub fn end_range(&mut self) {
        let n = self.counts.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
        let before = self.bytes.len();
        self.counts[..n].iter().for_each(|&count| put_varint(&mut self.bytes, count));
        put_varint(&mut self.lens, (self.bytes.len() - before) as u32);
        put_varint(&mut self.lens, self.lists.len() as u32);
        self.bytes.append(&mut self.lists);
        self.counts.clear();
        self.n_ranges += 1;
    }

    /// The shard's raw bytes.
    pub fn finish(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.lens.len() + self.bytes.len() + 5);
        put_varint(&mut out, self.n_ranges);
        out.extend_from_slice(&self.lens);
        out.extend_from_slice(&self.bytes);
        out
    }
}

/// The positions of a column in a block.
#[derive(Clone, Debug)]
pub struct PositionsShard {
    raw: Vec<u8>,
    /// Where the counts and the lists of each range begin, and where the last ends.
    starts: Vec<u32>,
}

impl PositionsShard {
    /// Checks and takes what [`PositionsBuilder`] wrote. Whether there is a list for each posting
    /// only the postings tell.
    ///
    /// # Errors
    /// Where the bytes break the format.
    pub fn from_bytes(raw: Vec<u8>) -> Result<Self, Error> {
        let mut reader = Reader::new(&raw, WHAT);
        let n_ranges = reader.count(2)?;
        let mut starts = Vec::with_capacity(2 * n_ranges + 1);
        starts.push(0);
        let mut sum = 0u64;
        for _ in 0..2 * n_ranges {
            sum += u64::from(reader.varint()?);
            if sum > raw.len() as u64 {
                return Err(Error::Truncated { what: WHAT, needed: sum, left: raw.len() as u64 });
            }
            starts.push(sum as u32);
        }
        let base = reader.at();
        reader.take(sum as usize)?;
        reader.finish()?;
        for start in &mut starts {
            *start += base as u32;
        }
        Ok(Self { raw, starts })
    }

    /// Bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        self.raw.len() + self.starts.len() * 4
    }

    /// The lists of a range, named by its place in the column; none of one that does not exist.
    pub fn lists(&self, range: u32) -> PositionLists<'_> {
        let part = |i: usize| match (self.starts.get(i), self.starts.get(i + 1)) {
            (Some(&start), Some(&end)) => {
                self.raw.get(start as usize..end as usize).unwrap_or_default()
            }
            _ => &[],
        };
        let i = (range as usize).saturating_mul(2);
        PositionLists {
            counts: Reader::new(part(i), WHAT),
            lists: Reader::new(part(i.saturating_add(1)), WHAT),
        }
    }
}

/// Position lists, one after the other.
#[derive(Clone, Debug)]
pub struct PositionLists<'a> {
    counts: Reader<'a>,
    lists: Reader<'a>,
}

impl PositionLists<'_> {
    /// Puts the list of the next posting, ascending, into `positions`, in place of what was there.
    pub fn next_list(&mut self, level: Level, tf: [u32; 2], positions: &mut Vec<u32>) {
        positions.clear();
        let mut next = 0u32;
        self.each(level, tf, |gap| {
            let position = next.saturating_add(gap);
            positions.push(position);
            next = position.saturating_add(1);
        });
    }

    /// Passes over the list of the next posting.
    pub fn skip_list(&mut self, level: Level, tf: [u32; 2]) {
        self.each(level, tf, |_| ());
    }

    fn each(&mut self, level: Level, tf: [u32; 2], mut each: impl FnMut(u32)) {
        // What is left out is 0.
        let more = unzigzag(self.counts.varint().unwrap_or(0));
        let count = expected(level, tf).wrapping_add_signed(more);
        // Each takes a byte at least, so that a count too large ends with the bytes.
        (0..count).map_while(|_| self.lists.varint().ok()).for_each(&mut each);
    }
}

/// The grid: which pages make a block, which ranges of terms a column, and the shard of each.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionsDirectory {
    /// The first page of each block, then the number of all.
    pages: Vec<u32>,
    /// The first range of each column, then the number of all.
    ranges: Vec<u32>,
    /// Column by column; of no bytes where there is none.
    shards: Vec<ShardEntry>,
}

/// Writes the directory: how many pages each block has, how many ranges each column, and the
/// shards, column by column; `None` where there is nothing.
///
/// # Errors
/// Where there is not one for each place of the grid, or too many.
pub fn write_directory(
    pages: &[u32],
    ranges: &[u32],
    shards: &[Option<ShardEntry>],
) -> Result<Vec<u8>, Error> {
    let n = pages.len() * ranges.len();
    if shards.len() != n {
        return Err(Error::Length {
            what: DIRECTORY,
            expected: n as u64,
            got: shards.len() as u64,
        });
    }
    check_places(pages.len(), ranges.len())?;
    let mut out = Vec::new();
    for counts in [pages, ranges] {
        put_varint(&mut out, counts.len() as u32);
        counts.iter().for_each(|&count| put_varint(&mut out, count));
    }
    shards.iter().for_each(|shard| put_varint(&mut out, shard.map_or(0, |shard| shard.stored_len)));
    shards.iter().flatten().for_each(|shard| out.extend_from_slice(&shard.hash));
    Ok(out)
}

fn check_places(n_blocks: usize, n_columns: usize) -> Result<(), Error> {
    let n = n_blocks as u64 * n_columns as u64;
    if n > MAX_RANGES as u64 {
        return Err(Error::Limit { what: "shards of positions", limit: MAX_RANGES as u64, got: n });
    }
    Ok(())
}

impl PositionsDirectory {
    /// Reads what [`write_directory`] wrote, for a bundle of so many pages and ranges of terms.
    ///
    /// # Errors
    /// Where the bytes break the format, or blocks and columns are not made of so many.
    pub fn from_bytes(raw: &[u8], n_pages: u32, n_ranges: usize) -> Result<Self, Error> {
        let mut reader = Reader::new(raw, DIRECTORY);
        let pages = firsts(&mut reader, n_pages as usize)?;
        let ranges = firsts(&mut reader, n_ranges)?;
        let (n_blocks, n_columns) = (pages.len() - 1, ranges.len() - 1);
        check_places(n_blocks, n_columns)?;
        let n = n_blocks * n_columns;
        if n > reader.remaining() {
            return Err(Error::Truncated {
                what: DIRECTORY,
                needed: n as u64,
                left: reader.remaining() as u64,
            });
        }
        let mut shards = Vec::with_capacity(n);
        for _ in 0..n {
            let stored_len = reader.varint()?;
            shards.push(ShardEntry {
                kind: ShardKind::Positions,
                hash: ShardHash::default(),
                stored_len,
            });
        }
        for shard in shards.iter_mut().filter(|shard| shard.stored_len > 0) {
            shard.hash = reader.array()?;
        }
        reader.finish()?;
        Ok(Self { pages, ranges, shards })
    }

    /// The shards with their ids, column by column.
    pub fn shards(&self) -> impl Iterator<Item = (ShardId, &ShardEntry)> {
        (ShardId::POSITIONS..)
            .map(ShardId)
            .zip(&self.shards)
            .filter(|(_, shard)| shard.stored_len > 0)
    }

    /// Places of the grid.
    pub fn n_places(&self) -> usize {
        self.shards.len()
    }

    /// A shard's line.
    pub fn shard(&self, id: ShardId) -> Option<&ShardEntry> {
        self.shards.get(id.place_of_positions()?).filter(|shard| shard.stored_len > 0)
    }

    /// Bytes of all shards as stored.
    pub fn stored_len(&self) -> u64 {
        self.shards.iter().map(|shard| u64::from(shard.stored_len)).sum()
    }

    /// Bytes as stored of the shards in front of one: where it lies behind the manifest's in a
    /// single file.
    pub fn offset(&self, id: ShardId) -> u64 {
        let before =
            id.place_of_positions().and_then(|place| self.shards.get(..place)).unwrap_or_default();
        before.iter().map(|shard| u64::from(shard.stored_len)).sum()
    }

    /// Blocks.
    pub fn n_blocks(&self) -> u32 {
        self.pages.len() as u32 - 1
    }

    /// The block of a page; the last for one that does not exist.
    pub fn block_of(&self, page: PageId) -> u32 {
        let after = self.pages.partition_point(|&first| first <= page.0) as u32;
        after.saturating_sub(1).min(self.n_blocks().saturating_sub(1))
    }

    /// The pages of a block.
    pub fn pages(&self, block: u32) -> Range<u32> {
        match (self.pages.get(block as usize), self.pages.get(block as usize + 1)) {
            (Some(&start), Some(&end)) => start..end,
            _ => 0..0,
        }
    }

    /// The shard with the positions of a range of terms in a block, where it has any, and the
    /// range's place in it.
    pub fn find(&self, range: usize, block: u32) -> Option<(ShardId, u32)> {
        let column =
            self.ranges.partition_point(|&first| first as usize <= range).checked_sub(1)?;
        let place = column.checked_mul(self.n_blocks() as usize)? + block as usize;
        self.shards.get(place).filter(|shard| shard.stored_len > 0 && block < self.n_blocks())?;
        Some((
            ShardId(ShardId::POSITIONS + place as u32),
            (range - *self.ranges.get(column)? as usize) as u32,
        ))
    }

    /// Bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        (self.pages.len() + self.ranges.len()) * 4 + self.shards.len() * size_of::<ShardEntry>()
    }
}

/// What each of a list of runs begins with, and where the last ends, which must be at `n`; none is
/// empty.
fn firsts(reader: &mut Reader<'_>, n: usize) -> Result<Vec<u32>, Error> {
    let count = reader.count(1)?;
    let mut firsts = Vec::with_capacity(count + 1);
    firsts.push(0);
    let mut sum = 0u64;
    for _ in 0..count {
        let len = reader.varint()?;
        sum += u64::from(len);
        if len == 0 || sum > n as u64 {
            return Err(reader.malformed("blocks or columns are empty, or more than there is"));
        }
        firsts.push(sum as u32);
    }
    if sum != n as u64 {
        return Err(reader.malformed("blocks or columns do not cover everything"));
    }
    Ok(firsts)
}

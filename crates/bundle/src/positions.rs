//! Positions of terms in their fields. Only phrases need them, so they are in shards of their own.
//!
//! Shards of positions form a grid. A column is a run of ranges of the lexicon, a row is a block of
//! pages. So an edit of a page only changes the shards of one block, although every passage has
//! common words. And a phrase only fetches the columns of its words in the blocks that have all of
//! them. Positions count tokens, from 0: in the title (pages), in the heading (sections), in text
//! and code together (passages).
//!
//! A shard:
//!
//! | field | encoding |
//! |---|---|
//! | number of ranges | varint |
//! | for each range: bytes of its counts, bytes of its lists | two varints |
//! | for each range: its counts, then its lists | varints |
//!
//! A range has a list for each of its postings in the block: term by term, then by [`Level`]. The
//! shard of terms determines them, so that a new term elsewhere changes nothing here. A list is its
//! first position, then the distance to each next position, minus one. Its count is the zigzag of
//! its length minus the length expected from the posting's frequencies. Counts of 0 at the end are
//! left out; usually this applies to all counts.
//!
//! The directory lists the grid:
//!
//! | field | encoding |
//! |---|---|
//! | number of blocks; pages of each | varints |
//! | number of columns; ranges of each | varints |
//! | stored bytes of each shard, column by column; 0 if there is none | varints |
//! | hash of each shard that exists | 4 bytes each |

#![doc(alias = "deferred")]

use core::ops::Range;

use crate::codec::{Reader, put_varint, unzigzag, zigzag};
use crate::limits::MAX_RANGES;
use crate::{Error, Level, PageId, ShardEntry, ShardHash, ShardId, ShardKind};

const WHAT: &str = "positions";
const DIRECTORY: &str = "directory of positions";

/// Returns the expected length of a posting's list: its frequencies in the fields that have
/// positions, which are title, heading, text and code.
fn expected(level: Level, tf: [u32; 2]) -> u32 {
    if level == Level::Passage { tf[0].saturating_add(tf[1]) } else { tf[0] }
}

/// Writes the positions of one column in one block.
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
    /// Returns an empty shard.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns whether the shard has no position.
    pub fn is_empty(&self) -> bool {
        !self.has_lists
    }

    /// Adds the list of the next posting of the current range. `tf`: the posting's frequencies.
    ///
    /// # Errors
    /// If positions do not ascend.
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

    /// Ends the current range.
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

    /// Returns the shard's raw bytes.
    pub fn finish(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.lens.len() + self.bytes.len() + 5);
        put_varint(&mut out, self.n_ranges);
        out.extend_from_slice(&self.lens);
        out.extend_from_slice(&self.bytes);
        out
    }
}

/// The positions of one column in one block, read and checked.
#[derive(Clone, Debug)]
pub struct PositionsShard {
    raw: Vec<u8>,
    /// The beginnings of the counts and of the lists of each range, and the end of the last.
    starts: Vec<u32>,
}

impl PositionsShard {
    /// Reads and checks what [`PositionsBuilder`] wrote. Only with the postings can a reader check
    /// that each has a list.
    ///
    /// # Errors
    /// If the bytes break the format.
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

    /// Returns the bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        self.raw.len() + self.starts.len() * 4
    }

    /// Returns the lists of a range, given by its place in the column; empty if there is no such
    /// range.
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

/// Walks position lists, one after the other.
#[derive(Clone, Debug)]
pub struct PositionLists<'a> {
    counts: Reader<'a>,
    lists: Reader<'a>,
}

impl PositionLists<'_> {
    /// Replaces `positions` with the list of the next posting, ascending.
    pub fn next_list(&mut self, level: Level, tf: [u32; 2], positions: &mut Vec<u32>) {
        positions.clear();
        let mut next = 0u32;
        self.each(level, tf, |gap| {
            let position = next.saturating_add(gap);
            positions.push(position);
            next = position.saturating_add(1);
        });
    }

    /// Skips the list of the next posting.
    pub fn skip_list(&mut self, level: Level, tf: [u32; 2]) {
        self.each(level, tf, |_| ());
    }

    fn each(&mut self, level: Level, tf: [u32; 2], mut each: impl FnMut(u32)) {
        // Omitted counts are 0.
        let more = unzigzag(self.counts.varint().unwrap_or(0));
        let count = expected(level, tf).wrapping_add_signed(more);
        // A position takes a byte at least, so a count that is too large ends with the bytes.
        (0..count).map_while(|_| self.lists.varint().ok()).for_each(&mut each);
    }
}

/// The grid: the pages of each block, the ranges of each column, and the shard of each cell of the
/// grid.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionsDirectory {
    /// The first page of each block, then the number of all.
    pages: Vec<u32>,
    /// The first range of each column, then the number of all.
    ranges: Vec<u32>,
    /// Column by column; a stored length of 0 means that there is no shard.
    shards: Vec<ShardEntry>,
}

/// Writes the directory: the pages of each block, the ranges of each column, and the shards, column
/// by column; `None` for a place without positions.
///
/// # Errors
/// If `shards` does not have one item for each place of the grid, or has too many.
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
    /// Reads and checks what [`write_directory`] wrote, for a bundle with these numbers of pages
    /// and ranges of terms.
    ///
    /// # Errors
    /// If the bytes break the format, or blocks and columns do not add up to these numbers.
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

    /// Returns the shards with their ids, column by column.
    pub fn shards(&self) -> impl Iterator<Item = (ShardId, &ShardEntry)> {
        (ShardId::POSITIONS..)
            .map(ShardId)
            .zip(&self.shards)
            .filter(|(_, shard)| shard.stored_len > 0)
    }

    /// Returns the number of places of the grid.
    pub fn n_places(&self) -> usize {
        self.shards.len()
    }

    /// Returns a shard's line; `None` if there is no such shard.
    pub fn shard(&self, id: ShardId) -> Option<&ShardEntry> {
        self.shards.get(id.place_of_positions()?).filter(|shard| shard.stored_len > 0)
    }

    /// Returns the stored bytes of all shards.
    pub fn stored_len(&self) -> u64 {
        self.shards.iter().map(|shard| u64::from(shard.stored_len)).sum()
    }

    /// Returns the stored bytes of all shards before this one. This is its offset after the
    /// manifest's shards in a single file.
    pub fn offset(&self, id: ShardId) -> u64 {
        let before =
            id.place_of_positions().and_then(|place| self.shards.get(..place)).unwrap_or_default();
        before.iter().map(|shard| u64::from(shard.stored_len)).sum()
    }

    /// Returns the number of blocks.
    pub fn n_blocks(&self) -> u32 {
        self.pages.len() as u32 - 1
    }

    /// Returns the block of a page; the last block if there is no such page.
    pub fn block_of(&self, page: PageId) -> u32 {
        let after = self.pages.partition_point(|&first| first <= page.0) as u32;
        after.saturating_sub(1).min(self.n_blocks().saturating_sub(1))
    }

    /// Returns the pages of a block.
    pub fn pages(&self, block: u32) -> Range<u32> {
        match (self.pages.get(block as usize), self.pages.get(block as usize + 1)) {
            (Some(&start), Some(&end)) => start..end,
            _ => 0..0,
        }
    }

    /// Returns the shard with the positions of a range of terms in a block, and the range's place
    /// in it; `None` if there are none.
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

    /// Returns the bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        (self.pages.len() + self.ranges.len()) * 4 + self.shards.len() * size_of::<ShardEntry>()
    }
}

/// Reads the lengths of runs. Returns the first item of each run, and then `n`, the end of the last
/// run.
fn firsts(reader: &mut Reader<'_>, n: usize) -> Result<Vec<u32>, Error> {
    let count = reader.count(1)?;
    let mut firsts = Vec::with_capacity(count + 1);
    firsts.push(0);
    let mut sum = 0u64;
    for _ in 0..count {
        let len = reader.varint()?;
        sum += u64::from(len);
        if len == 0 || sum > n as u64 {
            return Err(reader
                .malformed("a block or column is empty, or ends beyond the last page or range"));
        }
        firsts.push(sum as u32);
    }
    if sum != n as u64 {
        return Err(
            reader.malformed("the blocks do not cover all pages, or the columns all ranges")
        );
    }
    Ok(firsts)
}

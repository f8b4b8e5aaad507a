//! Where in their fields terms occur: what phrases and proximity need, and nothing else, hence shards of their own.
//!
//! A positions shard lies parallel to a [`crate::lexicon::TermsShard`]: the same terms in the same order, and for each
//! [`Level`] one list of positions for each posting. Positions count tokens, from 0: in the title (pages), the heading
//! (sections), the text with its code (passages); a posting that occurs only in the path or in the headings above has an empty
//! list.
//!
//! | what | encoding |
//! |---|---|
//! | `n_terms` | varint |
//! | bytes of each term's lists | `n_terms` varints |
//! | lists | for each term, for each level: the number of lists, varint, then each |
//!
//! A list is its length, varint, then varints: the first position, then distances from the one before less one.

use crate::Error;
use crate::codec::{Reader, put_varint};
use crate::lexicon::Level;

const WHAT: &str = "positions";

/// The position lists of one term on one level, all in a row: `counts[i]` positions belong to posting `i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lists<'a> {
    /// Length of each list.
    pub counts: &'a [u32],
    /// All positions; strictly ascending within a list.
    pub positions: &'a [u32],
}

/// Writes a positions shard.
#[derive(Clone, Debug, Default)]
pub struct PositionsBuilder {
    n_terms: u32,
    lens: Vec<u8>,
    lists: Vec<u8>,
}

impl PositionsBuilder {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes so far.
    pub fn len(&self) -> usize {
        self.lens.len() + self.lists.len()
    }

    /// Whether no term has been added.
    pub fn is_empty(&self) -> bool {
        self.n_terms == 0
    }

    /// Adds the next term's lists, by [`Level`].
    ///
    /// # Errors
    /// Where positions do not ascend within a list, or the counts do not add up.
    pub fn push(&mut self, lists: [Lists<'_>; 3]) -> Result<(), Error> {
        let start = self.lists.len();
        for Lists { counts, positions } in lists {
            put_varint(&mut self.lists, counts.len() as u32);
            let mut rest = positions;
            for &count in counts {
                let Some((list, after)) = rest.split_at_checked(count as usize) else {
                    return Err(Error::malformed(WHAT, "fewer positions than counted"));
                };
                rest = after;
                put_varint(&mut self.lists, count);
                let mut next = 0;
                for &position in list {
                    if position < next || position == u32::MAX {
                        return Err(Error::malformed(WHAT, "positions must ascend"));
                    }
                    put_varint(&mut self.lists, position - next);
                    next = position + 1;
                }
            }
            if !rest.is_empty() {
                return Err(Error::malformed(WHAT, "more positions than counted"));
            }
        }
        put_varint(&mut self.lens, (self.lists.len() - start) as u32);
        self.n_terms += 1;
        Ok(())
    }

    /// The shard's raw bytes.
    pub fn finish(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.len() + 5);
        put_varint(&mut out, self.n_terms);
        out.extend_from_slice(&self.lens);
        out.extend_from_slice(&self.lists);
        out
    }
}

/// The positions of a range of terms, checked.
#[derive(Clone, Debug)]
pub struct PositionsShard {
    raw: Vec<u8>,
    /// `n_terms + 1` offsets into `raw`.
    starts: Vec<u32>,
}

impl PositionsShard {
    /// Checks and takes what [`PositionsBuilder`] wrote.
    ///
    /// # Errors
    /// Where the bytes break the format.
    pub fn from_bytes(raw: Vec<u8>) -> Result<Self, Error> {
        let mut reader = Reader::new(&raw, WHAT);
        // A length and three numbers of lists.
        let n_terms = reader.count(4)?;
        let mut starts = Vec::with_capacity(n_terms + 1);
        starts.push(0);
        let mut sum = 0u64;
        for _ in 0..n_terms {
            sum += u64::from(reader.varint()?);
            if sum > raw.len() as u64 {
                return Err(Error::Truncated { what: WHAT, needed: sum, left: raw.len() as u64 });
            }
            starts.push(sum as u32);
        }
        let base = reader.at();
        for pair in starts.windows(2) {
            let mut lists = Reader::new(reader.take((pair[1] - pair[0]) as usize)?, WHAT);
            for _ in Level::ALL {
                for _ in 0..lists.count(1)? {
                    let mut next = 0u64;
                    for _ in 0..lists.count(1)? {
                        let position = next + u64::from(lists.varint()?);
                        if position >= u64::from(u32::MAX) {
                            return Err(Error::malformed(WHAT, "a position does not fit 32 bits"));
                        }
                        next = position + 1;
                    }
                }
            }
            lists.finish()?;
        }
        reader.finish()?;
        for start in &mut starts {
            *start += base as u32;
        }
        Ok(Self { raw, starts })
    }

    /// Terms.
    pub fn n_terms(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// Bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        self.raw.len() + self.starts.len() * 4
    }

    /// The lists of the term with this ordinal in the terms shard beside, one for each of its postings on `level`, in
    /// the same order. Empty for an ordinal that does not exist.
    pub fn lists(&self, ordinal: u32, level: Level) -> PositionLists<'_> {
        let i = ordinal as usize;
        let bytes = match (self.starts.get(i), self.starts.get(i + 1)) {
            (Some(&start), Some(&end)) => self.raw.get(start as usize..end as usize).unwrap_or_default(),
            _ => &[],
        };
        let mut lists = PositionLists { reader: Reader::new(bytes, WHAT), left: 0 };
        for before in 0..=level as usize {
            lists.left = lists.reader.varint().unwrap_or(0);
            if before < level as usize {
                while lists.skip_list() {}
            }
        }
        lists
    }
}

/// Position lists, one after the other.
#[derive(Clone, Debug)]
pub struct PositionLists<'a> {
    reader: Reader<'a>,
    left: u32,
}

impl PositionLists<'_> {
    /// Lists not yet read.
    pub fn n_left(&self) -> u32 {
        self.left
    }

    /// Puts the next list, ascending, into `positions`, in place of what was there; false after the last list.
    pub fn next_list(&mut self, positions: &mut Vec<u32>) -> bool {
        positions.clear();
        let Some(count) = self.begin() else { return false };
        let mut next = 0u32;
        for _ in 0..count {
            let Ok(gap) = self.reader.varint() else { return false };
            let position = next.saturating_add(gap);
            positions.push(position);
            next = position.saturating_add(1);
        }
        true
    }

    /// Passes over the next list; false after the last one.
    pub fn skip_list(&mut self) -> bool {
        let Some(count) = self.begin() else { return false };
        (0..count).all(|_| self.reader.varint().is_ok())
    }

    fn begin(&mut self) -> Option<u32> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        self.reader.varint().ok()
    }
}

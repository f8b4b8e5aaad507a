//! The dictionary with its postings: "where does this term occur, and how often?"
//!
//! The lexicon is cut into ranges of terms, one shard each. The manifest lists the first term of
//! each range ([`crate::Manifest::lexicon_of`]). A shard holds a front-coded dictionary and, for
//! each term, three posting lists, one for each [`Level`]: the postings of a whole page (for its
//! title and its path) are stored once, not in each of its passages.
//!
//! | field | encoding |
//! |---|---|
//! | `n_terms` | varint |
//! | `dictionary_len` | varint, bytes |
//! | dictionary | `n_terms` entries |
//! | postings | the lists of each term, in the dictionary's order, to the end (`posting.rs`) |
//!
//! An entry of the dictionary:
//!
//! - `shared`: varint: bytes in common with the term before; absent in every [`BLOCK`]th entry,
//!   which begins a block
//! - suffix: string: varint length, bytes
//! - `df`: varint: passages that contain the term in any field
//! - `n_pages`, `n_sections`, `n_passages`: varints: the lengths of its lists
//! - `n_second`: three varints: how many more postings of each level are in the second tier
//! - `len`: varint: bytes of its lists
//!
//! A word on every second page has so many postings that they would dominate a query's download. On
//! each level, the postings with the highest scores are the first tier, in this shard. The others
//! are the second tier, in a separate shard of the same form, in which each `n_second` is 0
//! (champion lists in a tiered index: Manning, Raghavan and Schütze, "Introduction to Information
//! Retrieval", 2008, sections 7.1.3 and 7.2.1). [`merged`] merges the two.
//!
//! Reading checks everything once, in one pass; afterwards nothing can fail. Looking up a term is a
//! binary search over blocks and a scan of one: O(log n + [`BLOCK`]). In memory: the raw bytes and
//! half a byte a term.

pub(crate) mod packed;
mod posting;

pub use posting::{Level, Posting, Postings, len_code, len_of, merged, round_len};

use crate::codec::{Reader, put_str, put_varint, shared_prefix};
use crate::limits::MAX_TERM_LEN;
use crate::{Error, Stats, Structure};
use posting::{Lists, put_list};

const WHAT: &str = "terms";

/// Terms in a block.
pub const BLOCK: usize = 16;
/// Fewest bytes of an entry of the dictionary: a suffix of one byte with its length, and eight
/// numbers.
const MIN_ENTRY_LEN: usize = 10;

/// A term's entry in the dictionary of one [`TermsShard`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TermEntry {
    /// The term's place in the shard. Positions are in the same order ([`crate::positions`]).
    pub ordinal: u32,
    /// Passages that contain the term in any field, including those below a title or heading.
    pub df: u32,
    /// Lengths of its posting lists, by [`Level`].
    pub n: [u32; 3],
    /// Further postings, in the second tier, by [`Level`].
    pub n_second: [u32; 3],
    /// The beginning of its postings, and their bytes.
    start: u32,
    len: u32,
}

/// Returns the part of a term that is indexed: the longest prefix of whole characters that fits
/// [`MAX_TERM_LEN`].
pub fn cap_term(term: &str) -> &str {
    if term.len() <= MAX_TERM_LEN {
        return term;
    }
    let mut end = MAX_TERM_LEN;
    while !term.is_char_boundary(end) {
        end -= 1;
    }
    &term[..end]
}

/// Writes a range of terms.
#[derive(Clone, Debug, Default)]
pub struct TermsBuilder {
    n_terms: u32,
    last: String,
    dictionary: Vec<u8>,
    postings: Vec<u8>,
}

impl TermsBuilder {
    /// Returns an empty range.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the bytes so far.
    pub fn len(&self) -> usize {
        self.dictionary.len() + self.postings.len()
    }

    /// Returns whether no term has been added.
    pub fn is_empty(&self) -> bool {
        self.n_terms == 0
    }

    /// Adds a term with its posting lists by [`Level`]: all of them, or their second tier.
    ///
    /// # Errors
    /// If terms or ids do not ascend, the term is empty or too long, a frequency pair is `[0, 0]`,
    /// or all lists are empty.
    pub fn push(
        &mut self,
        term: &str,
        df: u32,
        lists: [&[Posting]; 3],
        structure: &Structure,
    ) -> Result<(), Error> {
        self.push_first_tier(term, df, lists, [0; 3], structure)
    }

    /// Adds a term with the first tier of its posting lists. `n_second`: how many more postings of
    /// each level are in the second tier.
    ///
    /// # Errors
    /// The errors of [`TermsBuilder::push`].
    pub fn push_first_tier(
        &mut self,
        term: &str,
        df: u32,
        lists: [&[Posting]; 3],
        n_second: [u32; 3],
        structure: &Structure,
    ) -> Result<(), Error> {
        if term.len() > MAX_TERM_LEN {
            return Err(Error::Limit {
                what: "bytes of a term",
                limit: MAX_TERM_LEN as u64,
                got: term.len() as u64,
            });
        }
        if term <= self.last.as_str() {
            return Err(Error::malformed(WHAT, "terms must ascend and not be empty"));
        }
        if lists.iter().all(|list| list.is_empty()) {
            return Err(Error::malformed(WHAT, "a term must have a posting"));
        }
        let start = self.postings.len();
        let mut lens = Vec::new();
        for (list, level) in lists.iter().zip(Level::ALL) {
            put_list(list, level, structure, &mut self.postings, &mut lens)?;
        }
        self.postings.extend(lens.iter().rev());
        let mut shared = 0;
        if !(self.n_terms as usize).is_multiple_of(BLOCK) {
            shared = shared_prefix(term, &self.last);
            put_varint(&mut self.dictionary, shared as u32);
        }
        put_str(&mut self.dictionary, &term[shared..]);
        put_varint(&mut self.dictionary, df);
        let n = lists.map(|list| list.len() as u32);
        n.into_iter().chain(n_second).for_each(|n| put_varint(&mut self.dictionary, n));
        put_varint(&mut self.dictionary, (self.postings.len() - start) as u32);
        self.n_terms += 1;
        self.last.clear();
        self.last.push_str(term);
        Ok(())
    }

    /// Returns the shard's raw bytes.
    pub fn finish(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.len() + 10);
        put_varint(&mut out, self.n_terms);
        put_varint(&mut out, self.dictionary.len() as u32);
        out.extend_from_slice(&self.dictionary);
        out.extend_from_slice(&self.postings);
        out
    }
}

/// The beginnings of a block of the dictionary and of the postings of its first term.
#[derive(Clone, Copy, Debug)]
struct Block {
    dictionary: u32,
    postings: u32,
}

/// A range of terms, read and checked.
#[derive(Clone, Debug)]
pub struct TermsShard {
    raw: Vec<u8>,
    n_terms: u32,
    blocks: Vec<Block>,
}

impl TermsShard {
    /// Reads and checks the output of [`TermsBuilder`].
    ///
    /// # Errors
    /// If the bytes break the format, or name ids beyond `stats`.
    pub fn from_bytes(raw: Vec<u8>, stats: &Stats) -> Result<Self, Error> {
        let mut reader = Reader::new(&raw, WHAT);
        let n_terms = reader.count(MIN_ENTRY_LEN)?;
        let dictionary_len = reader.varint()? as usize;
        let dictionary_start = reader.at();
        let mut dictionary = Reader::new(reader.take(dictionary_len)?, WHAT);
        let postings_start = reader.at();

        let mut blocks = Vec::with_capacity(n_terms.div_ceil(BLOCK));
        let mut last = String::new();
        let mut term = String::new();
        for i in 0..n_terms {
            if i % BLOCK == 0 {
                blocks.push(Block {
                    dictionary: offset(dictionary_start + dictionary.at())?,
                    postings: offset(reader.at())?,
                });
            }
            let shared = if i % BLOCK == 0 { 0 } else { dictionary.varint()? as usize };
            let prefix = last.get(..shared).ok_or(Error::malformed(
                WHAT,
                "a term shares more bytes than the term before has",
            ))?;
            term.clear();
            term.push_str(prefix);
            term.push_str(dictionary.str()?);
            if term.len() > MAX_TERM_LEN {
                return Err(Error::Limit {
                    what: "bytes of a term",
                    limit: MAX_TERM_LEN as u64,
                    got: term.len() as u64,
                });
            }
            if term <= last {
                return Err(Error::malformed(WHAT, "terms do not ascend"));
            }
            core::mem::swap(&mut last, &mut term);
            let df = dictionary.varint()?;
            let [n, n_second] = read_counts(&mut dictionary)?;
            let n_passages =
                n[Level::Passage as usize].saturating_add(n_second[Level::Passage as usize]);
            let len = dictionary.varint()? as usize;
            if df > stats.n_passages || df < n_passages || n == [0; 3] {
                return Err(Error::malformed(
                    WHAT,
                    "a document frequency does not fit the posting lists or the number of passages",
                ));
            }
            let mut lists = Lists::new(reader.take(len)?);
            for (n, level) in n.into_iter().zip(Level::ALL) {
                lists.check(n, stats, level)?;
            }
            lists.finish()?;
        }
        dictionary.finish()?;
        reader.finish()?;
        debug_assert!(postings_start <= raw.len());
        Ok(Self { n_terms: n_terms as u32, raw, blocks })
    }

    /// Returns the number of terms.
    pub fn n_terms(&self) -> u32 {
        self.n_terms
    }

    /// Returns the bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        self.raw.len() + self.blocks.len() * size_of::<Block>()
    }

    /// Returns the entry of a term (cut by [`cap_term`] first).
    pub fn find(&self, term: &str) -> Option<TermEntry> {
        let term = cap_term(term);
        let mut terms = self.seek(term);
        match terms.advance() {
            Some((found, entry)) if found == term => Some(entry),
            _ => None,
        }
    }

    /// Returns all terms, ascending.
    pub fn terms(&self) -> Terms<'_> {
        self.terms_from_block(0)
    }

    /// Returns the terms from the first that is not below `term`.
    pub fn seek(&self, term: &str) -> Terms<'_> {
        // Find the last block whose first term is not above the sought one.
        let after = self.blocks.partition_point(|block| self.first_term(*block) <= term.as_bytes());
        let mut terms = self.terms_from_block(after.saturating_sub(1));
        loop {
            let mut ahead = terms.clone();
            match ahead.advance() {
                Some((found, _)) if found < term => terms = ahead,
                _ => return terms,
            }
        }
    }

    /// Returns the terms that begin with `prefix`, ascending.
    pub fn prefix<'a>(&'a self, prefix: &str) -> Terms<'a> {
        let mut terms = self.seek(prefix);
        terms.prefix = prefix.to_owned();
        terms
    }

    fn first_term(&self, block: Block) -> &[u8] {
        let mut reader =
            Reader::new(self.raw.get(block.dictionary as usize..).unwrap_or_default(), WHAT);
        let len = reader.varint().unwrap_or(0);
        reader.take(len as usize).unwrap_or_default()
    }

    fn terms_from_block(&self, block: usize) -> Terms<'_> {
        let at = self.blocks.get(block).copied().unwrap_or(Block { dictionary: 0, postings: 0 });
        Terms {
            reader: Reader::new(self.raw.get(at.dictionary as usize..).unwrap_or_default(), WHAT),
            ordinal: (block * BLOCK) as u32,
            n_terms: self.n_terms,
            postings: at.postings,
            term: String::new(),
            prefix: String::new(),
        }
    }

    /// Returns a posting list, ascending by id. `entry` must be of this shard, and `structure` of
    /// the same bundle.
    pub fn postings<'a>(
        &'a self,
        entry: &TermEntry,
        level: Level,
        structure: &'a Structure,
    ) -> Postings<'a> {
        let mut postings = Postings::new(self.list_bytes(entry), structure);
        for before in Level::ALL {
            postings.begin(before, entry.n[before as usize]);
            if before == level {
                break;
            }
            while postings.next().is_some() {}
        }
        postings
    }

    /// Returns all three posting lists, by [`Level`]. Cheaper than three calls of
    /// [`TermsShard::postings`], since it reads the lists once.
    pub fn lists(&self, entry: &TermEntry, structure: &Structure) -> [Vec<Posting>; 3] {
        let bytes = self.list_bytes(entry);
        let mut postings = Postings::new(bytes, structure);
        Level::ALL.map(|level| {
            let n = entry.n[level as usize];
            postings.begin(level, n);
            let mut list = Vec::with_capacity((n as usize).min(bytes.len()));
            list.extend(&mut postings);
            list
        })
    }

    /// Returns the bytes of a term's lists.
    fn list_bytes(&self, entry: &TermEntry) -> &[u8] {
        let end = entry.start as usize + entry.len as usize;
        self.raw.get(entry.start as usize..end).unwrap_or_default()
    }
}

/// Reads the lengths of a term's lists in this shard, and in the second tier.
fn read_counts(reader: &mut Reader<'_>) -> Result<[[u32; 3]; 2], Error> {
    let mut counts = [[0; 3]; 2];
    for n in counts.as_flattened_mut() {
        *n = reader.varint()?;
    }
    Ok(counts)
}

fn offset(at: usize) -> Result<u32, Error> {
    u32::try_from(at).map_err(|_| Error::Limit {
        what: "bytes of terms",
        limit: u32::MAX.into(),
        got: at as u64,
    })
}

/// Walks the dictionary. Not an `Iterator`, because the term is borrowed from a buffer.
#[derive(Clone, Debug)]
pub struct Terms<'a> {
    reader: Reader<'a>,
    ordinal: u32,
    n_terms: u32,
    postings: u32,
    term: String,
    prefix: String,
}

impl Terms<'_> {
    /// Returns the next term and its entry.
    pub fn advance(&mut self) -> Option<(&str, TermEntry)> {
        if self.ordinal >= self.n_terms {
            return None;
        }
        let entry = self.decode().ok()?;
        self.ordinal += 1;
        if !self.term.starts_with(&self.prefix) {
            self.ordinal = self.n_terms;
            return None;
        }
        Some((&self.term, entry))
    }

    fn decode(&mut self) -> Result<TermEntry, Error> {
        let reader = &mut self.reader;
        let shared = if (self.ordinal as usize).is_multiple_of(BLOCK) {
            0
        } else {
            reader.varint()? as usize
        };
        if self.term.is_char_boundary(shared) {
            self.term.truncate(shared);
        }
        self.term.push_str(reader.str()?);
        let df = reader.varint()?;
        let [n, n_second] = read_counts(reader)?;
        let len = reader.varint()?;
        let start = self.postings;
        self.postings = start.saturating_add(len);
        Ok(TermEntry { ordinal: self.ordinal, df, n, n_second, start, len })
    }
}

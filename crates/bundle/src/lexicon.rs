//! The dictionary with its postings: "where does this term occur, and how often?"
//!
//! The lexicon is cut into ranges of terms, one shard each; the manifest says which term begins
//! which ([`crate::Manifest::lexicon_of`]). A shard holds a front-coded dictionary and, for each
//! term, three posting lists, one a [`Level`]: what is true of a whole page (its title, its path)
//! is said once, not in each of its passages.
//!
//! | what | encoding |
//! |---|---|
//! | `n_terms` | varint |
//! | `dictionary_len` | varint, bytes |
//! | dictionary | `n_terms` entries |
//! | postings | the lists of each term, in the dictionary's order, to the end |
//!
//! An entry of the dictionary:
//!
//! | what | encoding |
//! |---|---|
//! | `shared` | varint: bytes in common with the term before; left out in every [`BLOCK`]th entry, which begins a block |
//! | suffix | string: varint length, bytes |
//! | `df` | varint: passages that contain the term in any field |
//! | `n_pages`, `n_sections`, `n_passages` | varints: the lengths of its lists |
//! | `n_second` | three varints: how many more of each are in the second tier |
//! | `len` | varint: bytes of its lists |
//!
//! A section is named by its page and its place there, a passage by its section's name and its own
//! place in it, so that an edit which changes how many sections a page has, or a section passages,
//! leaves the postings of all other pages as they were. A posting of a page is the varint `gap * 2
//! + plain`, of a section `gap * 4 + later * 2 + plain`, of a passage `gap * 8 + later * 4 + skips
//! * 2 + plain`. `gap` is the distance from the page before, of pages less one. Where `later` is 1,
//! a varint follows: the distance from the section before, or from the page's first, less one,
//! where sections are counted from the one behind the last. Where `skips` is 1, another one: the
//! same for passages in their section. `plain` says that the frequencies are `[1, 0]`; where it
//! does not, both follow as varints. They are never both 0. The lengths of the fields that a term
//! is in stand behind its three lists, a byte each, the last posting's first, so that one walk
//! reads postings from the front and lengths from the end: of titles and headings as they are, at
//! most 255, of text and code by [`len_code`]; of paths and of the headings above there are none.
//!   So a query fetches the lengths of what its words are in, and of nothing else.
//!
//! A word of every other page has so many postings that a query would fetch little else. On each
//! level those where it counts most are the first tier, here; the others are the second tier, a
//! shard of its own with the same form, which says 0 for each `n_second` (champion lists in a
//! tiered index: Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008,
//! sections 7.1.3 and 7.2.1). [`merged`] makes one list of both.
//!
//! Reading checks everything once, in one pass; afterwards nothing can fail. Looking up a term is a
//! binary search over blocks and a scan of one: O(log n + [`BLOCK`]). In memory: the raw bytes and
//! half a byte a term.

pub(crate) mod packed;

use crate::codec::{Reader, put_str, put_varint, put_varint64, shared_prefix};
use crate::limits::MAX_TERM_LEN;
use crate::{Error, PageId, PassageId, SectionId, Stats, Structure};

const WHAT: &str = "terms";

/// Terms in a block.
pub const BLOCK: usize = 16;
/// Fewest bytes of an entry of the dictionary: a suffix of one byte with its length, and eight
/// numbers.
const LEAST_ENTRY: usize = 10;

/// The three levels of postings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Ids are pages; frequencies are those in title and path.
    Page = 0,
    /// Ids are sections; frequencies are those in the heading and in the headings above it.
    Section = 1,
    /// Ids are passages; frequencies are those in text and code.
    Passage = 2,
}

impl Level {
    /// All of them, in the order they are stored in.
    pub const ALL: [Self; 3] = [Self::Page, Self::Section, Self::Passage];
}

/// One occurrence list entry: an id of its level, and how often the term occurs in the level's two
/// fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    /// A page, section or passage.
    pub id: u32,
    /// Frequencies in the level's two fields; not both 0.
    pub tf: [u32; 2],
    /// Tokens in those fields; 0 where the term is not in the field, and for paths and the
    /// headings above. At most 255 for titles and headings; those of passages are as
    /// [`round_len`] has them.
    pub len: [u32; 2],
}

impl Posting {
    /// A posting with lengths as they are stored.
    pub fn new(level: Level, id: u32, tf: [u32; 2], len: [u32; 2]) -> Self {
        let kept = |i: usize| match (tf[i], level) {
            (0, _) => 0,
            (_, Level::Passage) => round_len(len[i]),
            _ if i == 0 => len[i].min(u8::MAX.into()),
            _ => 0,
        };
        Self { id, tf, len: [kept(0), kept(1)] }
    }
}

/// A length in a byte: exact below 4, then two steps an octave, which is within a quarter. Finer
/// steps would cost every query bytes and gain it nothing.
pub fn len_code(len: u32) -> u8 {
    if len < 4 {
        return len as u8;
    }
    let octave = len.ilog2();
    (4 + (octave - 2) * 2 + (len >> (octave - 1) & 1)) as u8
}

/// The length that a code stands for: the middle of those that share it. Codes beyond the last are
/// the last.
#[inline]
pub fn len_of(code: u8) -> u32 {
    if code < 4 {
        return code.into();
    }
    let step = u32::from(code - 4).min(59);
    let octave = step / 2 + 2;
    let width = 1u32 << (octave - 1);
    (2 + step % 2) * width + width / 2
}

/// A length as passages' postings keep it.
pub fn round_len(len: u32) -> u32 {
    len_of(len_code(len))
}

/// A term's entry in the dictionary of one [`TermsShard`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermEntry {
    /// The term's place in the shard: positions lie in the same order ([`crate::positions`]).
    pub ordinal: u32,
    /// Passages that contain the term in any field, those below a title or heading included.
    pub df: u32,
    /// Lengths of its posting lists, by [`Level`].
    pub n: [u32; 3],
    /// Further postings, in the second tier, by [`Level`].
    pub n_second: [u32; 3],
    /// Where its postings are.
    start: u32,
    len: u32,
}

/// The part of a term that is indexed: the longest prefix of whole characters that fits
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
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes so far.
    pub fn len(&self) -> usize {
        self.dictionary.len() + self.postings.len()
    }

    /// Whether no term has been added.
    pub fn is_empty(&self) -> bool {
        self.n_terms == 0
    }

    /// Adds a term with its posting lists by [`Level`]: all that there are, or the second tier of
    /// them. `structure`: which passages are of which section.
    ///
    /// # Errors
    /// Where terms or ids do not ascend, the term is empty or too long, a frequency pair is `[0,
    /// 0]`, or there is nothing to add.
    pub fn push(
        &mut self,
        term: &str,
        df: u32,
        lists: [&[Posting]; 3],
        structure: &Structure,
    ) -> Result<(), Error> {
        self.push_first_tier(term, df, lists, [0; 3], structure)
    }

    /// The same, where so many more postings of each level are in the second tier.
    ///
    /// # Errors
    /// Those of [`TermsBuilder::push`].
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
            return Err(Error::malformed(WHAT, "a term must occur somewhere"));
        }
        let start = self.postings.len();
        let mut lens = Vec::new();
        for (list, level) in lists.iter().zip(Level::ALL) {
            let (mut next, mut before) = (0, Place::default());
            for posting in *list {
                if posting.id < next || posting.id == u32::MAX || posting.tf == [0, 0] {
                    return Err(Error::malformed(
                        WHAT,
                        "ids must ascend, with frequencies above 0",
                    ));
                }
                let plain = posting.tf == [1, 0];
                before = Place::of(posting.id, level, structure).put(
                    before,
                    level,
                    plain,
                    &mut self.postings,
                );
                if !plain {
                    put_varint(&mut self.postings, posting.tf[0]);
                    put_varint(&mut self.postings, posting.tf[1]);
                }
                for (field, &len) in posting.len.iter().enumerate() {
                    if has_len(level, field, posting.tf) {
                        lens.push(if level == Level::Passage {
                            len_code(len)
                        } else {
                            len.min(u8::MAX.into()) as u8
                        });
                    }
                }
                next = posting.id + 1;
            }
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

    /// The shard's raw bytes.
    pub fn finish(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.len() + 10);
        put_varint(&mut out, self.n_terms);
        put_varint(&mut out, self.dictionary.len() as u32);
        out.extend_from_slice(&self.dictionary);
        out.extend_from_slice(&self.postings);
        out
    }
}

/// Where a posting is, or the least place at which the next one of a list can be.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    page: u32,
    /// A section's place in its page; 0 for a page.
    section: u32,
    /// A passage's place in its section; 0 for a page or a section.
    at: u32,
}

/// How far a posting is from the least place: pages on, then sections on, or from the page's first;
/// then passages.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    gap: u64,
    section: u64,
    at: u64,
}

impl Place {
    fn of(id: u32, level: Level, structure: &Structure) -> Self {
        let (section, at) = match level {
            Level::Page => return Self { page: id, section: 0, at: 0 },
            Level::Section => (SectionId(id), 0),
            Level::Passage => structure.place_of(PassageId(id)),
        };
        let (page, section) = structure.place_of_section(section);
        Self { page: page.0, section, at }
    }

    /// Writes how far a posting is from the least place; gives the least place of the next.
    fn put(self, least: Self, level: Level, plain: bool, out: &mut Vec<u8>) -> Self {
        let gap = self.page - least.page;
        let section = if gap > 0 { self.section } else { self.section - least.section };
        let at = if gap > 0 || section > 0 { self.at } else { self.at - least.at };
        put_step(out, level, [gap, section, at], plain);
        self.next(level)
    }

    /// The least place behind this one.
    #[inline]
    fn next(self, level: Level) -> Self {
        match level {
            Level::Page => Self { page: self.page.saturating_add(1), ..self },
            Level::Section => Self { section: self.section.saturating_add(1), ..self },
            Level::Passage => Self { at: self.at.saturating_add(1), ..self },
        }
    }

    /// The place so far from this one, the least: page, section, passage.
    #[inline]
    fn step(self, step: Step) -> [u64; 3] {
        let Step { gap, section, at } = step;
        let from_section = if gap > 0 { 0 } else { u64::from(self.section) };
        let from = if gap > 0 || section > 0 { 0 } else { u64::from(self.at) };
        [
            u64::from(self.page).saturating_add(gap),
            from_section.saturating_add(section),
            from.saturating_add(at),
        ]
    }
}

/// Flags of a posting's number beside `plain`: sections that are later, passages that are skipped.
fn n_flags(level: Level) -> u32 {
    level as u32
}

/// Writes how far a posting is from the one before: pages, sections, passages.
fn put_step(out: &mut Vec<u8>, level: Level, [gap, section, at]: [u32; 3], plain: bool) {
    let parts = [section, at];
    let parts = &parts[..n_flags(level) as usize];
    let flags = parts.iter().fold(0, |flags, &part| flags << 1 | u64::from(part > 0));
    put_varint64(out, (u64::from(gap) << n_flags(level) | flags) << 1 | u64::from(plain));
    parts.iter().filter(|&&part| part > 0).for_each(|&part| put_varint(out, part - 1));
}

impl Step {
    /// Reads what [`put_step`] wrote, and whether the frequencies are `[1, 0]`.
    #[inline]
    fn read(reader: &mut Reader<'_>, level: Level) -> Result<(Self, bool), Error> {
        let value = reader.varint64()?;
        let (flags, n) = (value >> 1, n_flags(level));
        let mut part = |flag: u32| -> Result<u64, Error> {
            match n > flag && flags >> (n - 1 - flag) & 1 == 1 {
                true => Ok(u64::from(reader.varint()?) + 1),
                false => Ok(0),
            }
        };
        Ok((Self { gap: flags >> n, section: part(0)?, at: part(1)? }, value & 1 == 1))
    }
}

/// Where a block of the dictionary begins, and where the postings of its first term do.
#[derive(Clone, Copy, Debug)]
struct Block {
    dictionary: u32,
    postings: u32,
}

/// A range of terms, checked.
#[derive(Clone, Debug)]
pub struct TermsShard {
    raw: Vec<u8>,
    n_terms: u32,
    blocks: Vec<Block>,
}

impl TermsShard {
    /// Checks and takes what [`TermsBuilder`] wrote.
    ///
    /// # Errors
    /// Where the bytes break the format, or name ids beyond `stats`.
    pub fn from_bytes(raw: Vec<u8>, stats: &Stats) -> Result<Self, Error> {
        let mut reader = Reader::new(&raw, WHAT);
        let n_terms = reader.count(LEAST_ENTRY)?;
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
            let prefix = last
                .get(..shared)
                .ok_or(Error::malformed(WHAT, "a term shares more than there is"))?;
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
                return Err(Error::malformed(WHAT, "a document frequency is impossible"));
            }
            let mut lists = Lists { reader: Reader::new(reader.take(len)?, WHAT), n_lens: 0 };
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

    /// Terms.
    pub fn n_terms(&self) -> u32 {
        self.n_terms
    }

    /// Bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        self.raw.len() + self.blocks.len() * size_of::<Block>()
    }

    /// The entry of a term (cut by [`cap_term`] first).
    pub fn find(&self, term: &str) -> Option<TermEntry> {
        let term = cap_term(term);
        let mut terms = self.seek(term);
        match terms.advance() {
            Some((found, entry)) if found == term => Some(entry),
            _ => None,
        }
    }

    /// All terms, ascending.
    pub fn terms(&self) -> Terms<'_> {
        self.terms_from_block(0)
    }

    /// The terms from the first that is not below `term`.
    pub fn seek(&self, term: &str) -> Terms<'_> {
        // The last block whose first term is not above the one sought.
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

    /// The terms that begin with `prefix`, ascending.
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

    /// A posting list, ascending by id. `entry` must be of this shard, which must be of the same
    /// bundle as `structure`.
    pub fn postings<'a>(
        &'a self,
        entry: &TermEntry,
        level: Level,
        structure: &'a Structure,
    ) -> Postings<'a> {
        let end = entry.start as usize + entry.len as usize;
        let bytes = self.raw.get(entry.start as usize..end).unwrap_or_default();
        let mut postings = Postings {
            lists: Lists { reader: Reader::new(bytes, WHAT), n_lens: 0 },
            structure,
            left: 0,
            least: Place::default(),
            level: Level::Page,
        };
        for before in Level::ALL {
            (postings.left, postings.least, postings.level) =
                (entry.n[before as usize], Place::default(), before);
            if before == level {
                break;
            }
            while postings.next().is_some() {}
        }
        postings
    }

    /// The three posting lists, by [`Level`], for one pass less than three calls of
    /// [`TermsShard::postings`].
    pub fn lists(&self, entry: &TermEntry, structure: &Structure) -> [Vec<Posting>; 3] {
        let end = entry.start as usize + entry.len as usize;
        let bytes = self.raw.get(entry.start as usize..end).unwrap_or_default();
        let mut postings = Postings {
            lists: Lists { reader: Reader::new(bytes, WHAT), n_lens: 0 },
            structure,
            left: 0,
            least: Place::default(),
            level: Level::Page,
        };
        Level::ALL.map(|level| {
            let n = entry.n[level as usize];
            (postings.left, postings.least, postings.level) = (n, Place::default(), level);
            let mut list = Vec::with_capacity((n as usize).min(bytes.len()));
            list.extend(&mut postings);
            list
        })
    }
}

/// The lengths of a term's lists in this shard, and in the second tier.
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

/// A posting as it is read: section and place, frequencies, lengths.
type Stepped = ([u64; 3], [u32; 2], [u32; 2]);

/// A term's lists: postings from the front, lengths from the end.
#[derive(Clone, Copy, Debug)]
struct Lists<'a> {
    reader: Reader<'a>,
    /// Lengths read.
    n_lens: usize,
}

impl Lists<'_> {
    /// How far the next posting is from the least place that it can be at, and the rest of it.
    #[inline]
    fn next(&mut self, level: Level, least: Place) -> Result<Stepped, Error> {
        let (step, plain) = Step::read(&mut self.reader, level)?;
        let tf = if plain { [1, 0] } else { [self.reader.varint()?, self.reader.varint()?] };
        let mut lens = [0; 2];
        for (field, len) in lens.iter_mut().enumerate() {
            if has_len(level, field, tf) {
                self.n_lens += 1;
                let byte = self.reader.byte_from_end(self.n_lens)?;
                *len = if level == Level::Passage { len_of(byte) } else { byte.into() };
            }
        }
        Ok((least.step(step), tf, lens))
    }

    fn check(&mut self, n: u32, stats: &Stats, level: Level) -> Result<(), Error> {
        // Of the places in pages and sections the structure knows better, which may not be here
        // yet.
        let Stats { n_pages, n_sections, n_passages, .. } = *stats;
        let limits = [n_pages, n_sections, n_passages].map(u64::from);
        let mut least = Place::default();
        for _ in 0..n {
            let (place, tf, _) = self.next(level, least)?;
            if place.iter().zip(limits).any(|(&at, limit)| at >= limit.max(1))
                || place[0] >= limits[0]
            {
                return Err(self.reader.malformed("an id is beyond the last"));
            }
            if tf == [0, 0] {
                return Err(self.reader.malformed("a frequency is 0"));
            }
            let [page, section, at] = place.map(|at| at as u32);
            least = Place { page, section, at }.next(level);
        }
        Ok(())
    }

    /// The lengths must be all that is left.
    fn finish(self) -> Result<(), Error> {
        match self.reader.remaining() == self.n_lens {
            true => Ok(()),
            false => Err(self.reader.malformed("postings and lengths do not fill their lists")),
        }
    }
}

/// Whether a posting says how long a field is.
#[inline]
fn has_len(level: Level, field: usize, tf: [u32; 2]) -> bool {
    tf[field] > 0 && (field == 0 || level == Level::Passage)
}

/// Walks the dictionary. Not an `Iterator`, since the term is lent from a buffer.
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
    /// The next term and its entry.
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

/// One list of two tiers, both ascending by id and without an id in common. Where there is one in
/// both, hostile bytes, it comes twice.
pub fn merged(
    first: impl Iterator<Item = Posting>,
    second: impl Iterator<Item = Posting>,
) -> impl Iterator<Item = Posting> {
    let (mut first, mut second) = (first.peekable(), second.peekable());
    core::iter::from_fn(move || {
        let id = second.peek().map_or(u32::MAX, |posting| posting.id);
        match first.next_if(|posting| posting.id < id) {
            None => second.next().or_else(|| first.next()),
            posting => posting,
        }
    })
}

/// A posting list, ascending by id.
#[derive(Clone, Debug)]
pub struct Postings<'a> {
    lists: Lists<'a>,
    structure: &'a Structure,
    left: u32,
    least: Place,
    level: Level,
}

impl Iterator for Postings<'_> {
    type Item = Posting;

    #[inline]
    fn next(&mut self) -> Option<Posting> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        // Most is checked when the shard was read; were it not so, the list would end here.
        let (place, tf, len) = self.lists.next(self.level, self.least).ok()?;
        let [page, section, at] = place.map(|at| at as u32);
        self.least = Place { page, section, at }.next(self.level);
        let id = match self.level {
            Level::Page => Some(page),
            Level::Section => self.structure.section_at(PageId(page), section).map(|id| id.0),
            Level::Passage => self.structure.passage_in(PageId(page), section, at).map(|id| id.0),
        };
        // A place that the page does not have ends the list: any other answer could name one
        // section without end.
        let Some(id) = id else {
            self.left = 0;
            return None;
        };
        Some(Posting { id, tf, len })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let most = (self.left as usize).min(self.lists.reader.remaining());
        (most, Some(most))
    }
}

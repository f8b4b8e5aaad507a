//! Postings, and the codec of a term's three posting lists.
//!
//! A posting list names pages, sections or passages, ascending. A section is identified by its page
//! and its index in the page, a passage by its section and its index in the section. So an edit
//! that changes the number of a page's sections does not change the postings of other pages.
//!
//! | level | first varint of a posting | optional varints |
//! |---|---|---|
//! | page | `gap * 2 + plain` | |
//! | section | `gap * 4 + later * 2 + plain` | sections on |
//! | passage | `gap * 8 + later * 4 + skips * 2 + plain` | sections on, passages on |
//!
//! - `gap`: distance in pages from the first page that the posting can be on. For postings of
//!   pages, this is the page after the previous posting, otherwise the page of the previous
//!   posting.
//! - `later`: 1 if the section is not the first possible one. The next varint is the distance in
//!   sections minus one, from the first possible section if `gap` is 0, otherwise from the page's
//!   first section.
//! - `skips`: 1 if the passage is not the first possible one; the same for passages in a section.
//! - `plain`: 1 if the frequencies are `[1, 0]`. Otherwise both follow as varints. They are never
//!   both 0.
//!
//! The lengths of the fields follow a term's three lists, one byte each. The lengths of the last
//! posting come first, so that one pass can read postings from the front and lengths from the end.
//! Lengths of titles and headings are stored as they are, at most 255; lengths of text and code as
//! [`len_code`]; paths and the headings above have none.

use super::WHAT;
use crate::codec::{Reader, put_varint, put_varint64};
use crate::{Error, PageId, PassageId, SectionId, Stats, Structure};

/// The three levels of postings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Ids are pages; frequencies count occurrences in title and path.
    Page = 0,
    /// Ids are sections; frequencies count occurrences in the heading and in the headings above it.
    Section = 1,
    /// Ids are passages; frequencies count occurrences in text and code.
    Passage = 2,
}

impl Level {
    /// All levels, in the order in which they are stored.
    pub const ALL: [Self; 3] = [Self::Page, Self::Section, Self::Passage];
}

/// An entry of a posting list: an id of its level, and how often the term occurs in the level's two
/// fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    /// A page, section or passage.
    pub id: u32,
    /// Frequencies in the level's two fields; not both 0.
    pub tf: [u32; 2],
    /// Tokens in those fields; 0 if the term is not in the field, and for paths and the headings
    /// above. At most 255 for titles and headings; rounded by [`round_len`] in passages.
    pub len: [u32; 2],
}

impl Posting {
    /// Returns a posting with its lengths rounded as they are stored.
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

/// Returns the code of a length: exact below 4, then two steps an octave, so within a quarter.
/// Finer steps would cost every query bytes and improve no ranking.
pub fn len_code(len: u32) -> u8 {
    if len < 4 {
        return len as u8;
    }
    let octave = len.ilog2();
    (4 + (octave - 2) * 2 + (len >> (octave - 1) & 1)) as u8
}

/// Returns the length that a code represents: the middle of the lengths that share the code. Codes
/// above the last count as the last.
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

/// Returns a length rounded as postings of passages store it.
pub fn round_len(len: u32) -> u32 {
    len_of(len_code(len))
}

/// Writes a list of postings to `out`, and the lengths of their fields to `lens`, first to last.
///
/// # Errors
/// If ids do not ascend, or a frequency pair is `[0, 0]`.
pub(super) fn put_list(
    list: &[Posting],
    level: Level,
    structure: &Structure,
    out: &mut Vec<u8>,
    lens: &mut Vec<u8>,
) -> Result<(), Error> {
    let (mut next, mut before) = (0, Place::default());
    for posting in list {
        if posting.id < next || posting.id == u32::MAX || posting.tf == [0, 0] {
            return Err(Error::malformed(WHAT, "ids must ascend, with frequencies above 0"));
        }
        let plain = posting.tf == [1, 0];
        before = Place::of(posting.id, level, structure).put(before, level, plain, out);
        if !plain {
            put_varint(out, posting.tf[0]);
            put_varint(out, posting.tf[1]);
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
    Ok(())
}

/// The place of a posting, or the first place that the next posting of a list can have.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    page: u32,
    /// A section's index in its page; 0 for a page.
    section: u32,
    /// A passage's index in its section; 0 for a page or a section.
    at: u32,
}

/// The distance of a posting from the first possible place: pages; sections, or sections from the
/// page's first; passages, or passages from the section's first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Step {
    pub(super) gap: u64,
    pub(super) section: u64,
    pub(super) at: u64,
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

    /// Writes the distance from the first possible place, and returns the first possible place of
    /// the next posting.
    fn put(self, least: Self, level: Level, plain: bool, out: &mut Vec<u8>) -> Self {
        let gap = self.page - least.page;
        let section = if gap > 0 { self.section } else { self.section - least.section };
        let at = if gap > 0 || section > 0 { self.at } else { self.at - least.at };
        put_step(out, level, [gap, section, at], plain);
        self.next(level)
    }

    /// Returns the first possible place of the next posting.
    #[inline]
    fn next(self, level: Level) -> Self {
        match level {
            Level::Page => Self { page: self.page.saturating_add(1), ..self },
            Level::Section => Self { section: self.section.saturating_add(1), ..self },
            Level::Passage => Self { at: self.at.saturating_add(1), ..self },
        }
    }

    /// Returns the place at a distance from this place: page, section, passage.
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

/// Returns the flags `later` and `skips` of a posting's first varint.
fn n_flags(level: Level) -> u32 {
    level as u32
}

/// Writes a distance: pages, sections, passages.
pub(super) fn put_step(out: &mut Vec<u8>, level: Level, [gap, section, at]: [u32; 3], plain: bool) {
    let parts = [section, at];
    let parts = &parts[..n_flags(level) as usize];
    let flags = parts.iter().fold(0, |flags, &part| flags << 1 | u64::from(part > 0));
    put_varint64(out, (u64::from(gap) << n_flags(level) | flags) << 1 | u64::from(plain));
    parts.iter().filter(|&&part| part > 0).for_each(|&part| put_varint(out, part - 1));
}

impl Step {
    /// Reads the output of [`put_step`], and whether the frequencies are `[1, 0]`.
    #[inline]
    pub(super) fn read(reader: &mut Reader<'_>, level: Level) -> Result<(Self, bool), Error> {
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

/// A posting as it is read: page, section and passage; frequencies; lengths.
type Stepped = ([u64; 3], [u32; 2], [u32; 2]);

/// Reads a term's lists: postings from the front, lengths from the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lists<'a> {
    reader: Reader<'a>,
    /// Lengths read so far.
    n_lens: usize,
}

impl<'a> Lists<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { reader: Reader::new(bytes, WHAT), n_lens: 0 }
    }

    /// Returns the next posting, given the first place that it can have.
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

    /// Checks the next list, of `n` postings.
    pub(super) fn check(&mut self, n: u32, stats: &Stats, level: Level) -> Result<(), Error> {
        // The number of the page's sections is in the structure, which may not be in memory yet.
        let Stats { n_pages, n_sections, n_passages, .. } = *stats;
        let limits = [n_pages, n_sections, n_passages].map(u64::from);
        let mut least = Place::default();
        for _ in 0..n {
            let (place, tf, _) = self.next(level, least)?;
            if place.iter().zip(limits).any(|(&at, limit)| at >= limit.max(1))
                || place[0] >= limits[0]
            {
                return Err(self
                    .reader
                    .malformed("a posting is of a page, section or passage beyond the last"));
            }
            if tf == [0, 0] {
                return Err(self.reader.malformed("both frequencies of a posting are 0"));
            }
            let [page, section, at] = place.map(|at| at as u32);
            least = Place { page, section, at }.next(level);
        }
        Ok(())
    }

    /// Checks that the remaining bytes are exactly the lengths.
    pub(super) fn finish(self) -> Result<(), Error> {
        match self.reader.remaining() == self.n_lens {
            true => Ok(()),
            false => Err(self
                .reader
                .malformed("the postings and lengths of a term are fewer or more than its bytes")),
        }
    }
}

/// Returns whether a posting has the length of a field.
#[inline]
pub(super) fn has_len(level: Level, field: usize, tf: [u32; 2]) -> bool {
    tf[field] > 0 && (field == 0 || level == Level::Passage)
}

/// Merges the lists of both tiers, which ascend by id and have no id in common. If hostile bytes
/// have an id in both, it is returned twice.
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

impl<'a> Postings<'a> {
    /// Begins before a term's first list.
    pub(super) fn new(bytes: &'a [u8], structure: &'a Structure) -> Self {
        let (lists, least) = (Lists::new(bytes), Place::default());
        Self { lists, structure, left: 0, least, level: Level::Page }
    }

    /// Begins the next list, of `n` postings. The list before must have been read.
    pub(super) fn begin(&mut self, level: Level, n: u32) {
        (self.left, self.least, self.level) = (n, Place::default(), level);
    }
}

impl Iterator for Postings<'_> {
    type Item = Posting;

    #[inline]
    fn next(&mut self) -> Option<Posting> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        // The shard was checked when it was read. If it was not, the list ends here.
        let (place, tf, len) = self.lists.next(self.level, self.least).ok()?;
        let [page, section, at] = place.map(|at| at as u32);
        self.least = Place { page, section, at }.next(self.level);
        let id = match self.level {
            Level::Page => Some(page),
            Level::Section => self.structure.section_at(PageId(page), section).map(|id| id.0),
            Level::Passage => self.structure.passage_in(PageId(page), section, at).map(|id| id.0),
        };
        // A place that the page does not have ends the list. Otherwise the same section could be
        // returned without end.
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

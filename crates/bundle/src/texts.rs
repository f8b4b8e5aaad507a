//! What is shown of pages: titles, headings, anchors, text. Fetched for the pages of a result list
//! alone.
//!
//! A shard holds pages, any of which can be read without the others. A long page comes in parts,
//! each a run of its sections in a shard of its own, so that who is shown one of them need not
//! fetch all; a part says what any part is shown with.
//!
//! | what | encoding |
//! |---|---|
//! | `n_pages` | varint |
//! | bytes of each page | `n_pages` varints |
//! | pages | one after the other |
//!
//! A page:
//!
//! | what | encoding |
//! |---|---|
//! | `id`, `url`, `title`, `language` | strings: UTF-8, then [`END`], which is no byte of any character and tells more cheaply than a length where one ends |
//! | meta | number of pairs, varint; name and value of each, strings |
//! | attributes | number of those it has, varint; for each: its place among the manifest's less that of the one before less one, varint; its value: kind, u8, then by kind a string, a number of strings with these, f64, i64 or u8, as in a column: strings behind their lengths |
//! | `first` | varint: the place in the page of the first section here, 0 but in a later part |
//! | above | number, varint: sections of earlier parts that sections here are below; for each: places since the one before, parent and heading as of a section |
//! | `n_sections` | varint |
//! | sections | see below |
//!
//! A section:
//!
//! | what | encoding |
//! |---|---|
//! | level | u8, 0 to 6 |
//! | parent | varint: 0, or how many sections back the section stands that it belongs to; one here, or one of those above |
//! | heading | string |
//! | anchor | 0: none; 1 and a string; 2: what the heading gives ([`slug`]) |
//! | text | string with marks in it: [`CODE`] where code begins and where it ends, [`PASSAGE`] where a passage begins, [`ENDED`] where the oldest of those begun ends; what is left ends with the text |
//!
//! Marks stand where they belong rather than in lists of numbers, since what stands around them
//! foretells them.

use core::ops::Range;
use std::borrow::Cow;

use crate::codec::{Reader, put_varint};
use crate::column::{put_value, read_value};
use crate::{AttributeValue, Error};

const WHAT: &str = "texts";
const LATE_PARENT: &str = "a parent does not stand before its child";
const UNORDERED_ATTRIBUTES: &str = "attributes do not ascend";
/// Ends a string.
const END: u8 = 0xff;
/// Where code begins or ends.
const CODE: u8 = 0xfe;
/// Where a passage begins.
const PASSAGE: u8 = 0xfd;
/// Where a passage ends before the text does.
const ENDED: u8 = 0xfc;
const UNORDERED: &str = "the sections above do not ascend, or stand behind those below them";

/// A page's texts, or a part of them, borrowed from the shard or from whoever writes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageText<'a> {
    /// The document's id.
    pub id: &'a str,
    /// Where the page is.
    pub url: &'a str,
    /// Plain text.
    pub title: &'a str,
    /// BCP 47; may be empty.
    pub language: &'a str,
    /// What to show with it, name and value.
    pub meta: Vec<(&'a str, &'a str)>,
    /// The attributes that it has, ascending, each by its place among the manifest's. The columns
    /// have them too, but of all pages.
    pub attributes: Vec<(u32, AttributeValue)>,
    /// The place in the page of the first of `sections`.
    pub first: u32,
    /// Sections of earlier parts that those here are below, by ascending place.
    pub above: Vec<Above<'a>>,
    /// In page order; of all parts together as many as the structure says the page has.
    pub sections: Vec<SectionText<'a>>,
}

/// A section of an earlier part, as far as the sections below it are shown with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Above<'a> {
    /// Its place in the page.
    pub place: u32,
    /// The section it belongs to, which is another of these.
    pub parent: Option<u32>,
    /// Plain text.
    pub heading: &'a str,
}

/// A section's texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SectionText<'a> {
    /// 1 to 6; 0 for what stands before the first heading.
    pub level: u8,
    /// Plain text; empty at level 0.
    pub heading: &'a str,
    /// Fragment without `#`.
    pub anchor: Option<Cow<'a, str>>,
    /// The section this one belongs to: its place in the page, always before this one.
    pub parent: Option<u32>,
    /// All text, blocks separated by newlines.
    pub text: Cow<'a, str>,
    /// Byte ranges of code in `text`, ascending, disjoint.
    pub code: Vec<Range<u32>>,
    /// Byte ranges of the passages in `text`, by ascending start and end; they may overlap.
    pub passages: Vec<Range<u32>>,
}

impl<'a> PageText<'a> {
    /// The section at a place in the page; `None` where it is not in this part.
    pub fn section(&self, place: u32) -> Option<&SectionText<'a>> {
        self.sections.get(place.checked_sub(self.first)? as usize)
    }

    /// Headings from the outermost to that of the section at a place in the page; empty ones are
    /// left out.
    pub fn heading_path(&self, place: u32) -> Vec<&'a str> {
        let mut path = Vec::new();
        let mut at = Some(place);
        while let Some((heading, parent)) = at.and_then(|place| self.name(place)) {
            if !heading.is_empty() {
                path.push(heading);
            }
            // Parents stand before their children, so this ends.
            at = parent.filter(|&parent| Some(parent) < at);
        }
        path.reverse();
        path
    }

    /// The heading at a place in the page, and the place of the section it belongs to.
    fn name(&self, place: u32) -> Option<(&'a str, Option<u32>)> {
        if let Some(section) = self.section(place) {
            return Some((section.heading, section.parent));
        }
        let at = self.above.binary_search_by_key(&place, |above| above.place).ok()?;
        self.above.get(at).map(|above| (above.heading, above.parent))
    }

    /// The part with the sections at these places of a page that is whole.
    pub fn part(&self, places: Range<u32>) -> PageText<'a> {
        let mut above: Vec<u32> = Vec::new();
        for place in places.clone() {
            let parent = |place: u32| self.name(place).and_then(|(_, parent)| parent);
            let chain = core::iter::successors(parent(place), |&place| parent(place));
            above.extend(chain.filter(|&place| place < places.start));
        }
        above.sort_unstable();
        above.dedup();
        let named =
            |place| self.name(place).map(|(heading, parent)| Above { place, parent, heading });
        PageText {
            first: places.start,
            above: above.into_iter().filter_map(named).collect(),
            sections: places.filter_map(|place| self.section(place)).cloned().collect(),
            meta: self.meta.clone(),
            attributes: self.attributes.clone(),
            ..*self
        }
    }

    /// The page's part of a shard, as [`TextsBuilder::push`] adds it. Also the measure of its size.
    ///
    /// # Errors
    /// Where ranges do not ascend, are not on character boundaries or beyond the text, or a parent
    /// does not stand before its child.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        for text in [self.id, self.url, self.title, self.language] {
            put_text(&mut out, text);
        }
        put_varint(&mut out, self.meta.len() as u32);
        for (name, value) in &self.meta {
            put_text(&mut out, name);
            put_text(&mut out, value);
        }
        put_varint(&mut out, self.attributes.len() as u32);
        let mut next = 0;
        for (place, value) in &self.attributes {
            let skip =
                place.checked_sub(next).ok_or(Error::malformed(WHAT, UNORDERED_ATTRIBUTES))?;
            put_varint(&mut out, skip);
            put_value(&mut out, value);
            next = place + 1;
        }
        put_varint(&mut out, self.first);
        put_varint(&mut out, self.above.len() as u32);
        let mut next = 0;
        for above in &self.above {
            let skip = above.place.checked_sub(next).filter(|_| above.place < self.first);
            put_varint(&mut out, skip.ok_or(Error::malformed(WHAT, UNORDERED))?);
            put_parent(&mut out, above.place, above.parent)?;
            put_text(&mut out, above.heading);
            next = above.place + 1;
        }
        put_varint(&mut out, self.sections.len() as u32);
        for (place, section) in (self.first..).zip(&self.sections) {
            if section.level > 6 {
                return Err(Error::malformed(WHAT, "a heading's level is above 6"));
            }
            out.push(section.level);
            put_parent(&mut out, place, section.parent)?;
            put_text(&mut out, section.heading);
            match section.anchor.as_deref() {
                None => out.push(0),
                Some(anchor) if anchor == slug(section.heading) => out.push(2),
                Some(anchor) => {
                    out.push(1);
                    put_text(&mut out, anchor);
                }
            }
            put_marked(&mut out, section)?;
        }
        Ok(out)
    }

    /// Reads one page.
    fn from_bytes(bytes: &'a [u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(bytes, WHAT);
        let mut strings = || read_text(&mut reader);
        let [id, url, title, language] = [strings()?, strings()?, strings()?, strings()?];
        let n_meta = reader.count(2)?;
        let mut meta = Vec::with_capacity(n_meta);
        for _ in 0..n_meta {
            meta.push((read_text(&mut reader)?, read_text(&mut reader)?));
        }
        // Place, kind and value take a byte each.
        let n_attributes = reader.count(3)?;
        let mut attributes = Vec::with_capacity(n_attributes);
        let mut next = 0u32;
        for _ in 0..n_attributes {
            let place = next.checked_add(reader.varint()?).filter(|&place| place < u32::MAX);
            let place = place.ok_or(reader.malformed(UNORDERED_ATTRIBUTES))?;
            attributes.push((place, read_value(&mut reader)?));
            next = place + 1;
        }
        let first = reader.varint()?;
        // Place, parent and heading take a byte each.
        let n_above = reader.count(3)?;
        let mut above: Vec<Above<'a>> = Vec::with_capacity(n_above);
        for _ in 0..n_above {
            let next = above.last().map_or(0, |above| above.place + 1);
            let place = next.checked_add(reader.varint()?).filter(|&place| place < first);
            let place = place.ok_or(reader.malformed(UNORDERED))?;
            above.push(Above {
                place,
                parent: read_parent(&mut reader, place)?,
                heading: read_text(&mut reader)?,
            });
        }
        // Level, parent, heading, anchor and text take a byte each.
        let n_sections = reader.count(5)?;
        if first.checked_add(n_sections as u32).is_none() {
            return Err(reader.malformed("a section's place does not fit 32 bits"));
        }
        let mut sections = Vec::with_capacity(n_sections);
        for place in (first..).take(n_sections) {
            sections.push(read_section(&mut reader, place)?);
        }
        reader.finish()?;
        Ok(Self { id, url, title, language, meta, attributes, first, above, sections })
    }
}

fn put_parent(out: &mut Vec<u8>, place: u32, parent: Option<u32>) -> Result<(), Error> {
    let back = match parent {
        None => Some(0),
        Some(parent) => place.checked_sub(parent).filter(|&back| back > 0),
    };
    put_varint(out, back.ok_or(Error::malformed(WHAT, LATE_PARENT))?);
    Ok(())
}

fn read_parent(reader: &mut Reader<'_>, place: u32) -> Result<Option<u32>, Error> {
    match reader.varint()? {
        0 => Ok(None),
        back => place.checked_sub(back).map(Some).ok_or(reader.malformed(LATE_PARENT)),
    }
}

/// The anchor that most headings have which were given one by a rule, as GitHub does: small
/// letters, no punctuation, hyphens for spaces. Of ASCII alone: other letters stay as they are, and
/// other anchors are written out.
fn slug(heading: &str) -> String {
    let mut slug = heading.as_bytes().to_vec();
    slug.retain(|byte| !byte.is_ascii() || byte.is_ascii_alphanumeric() || b" -_".contains(byte));
    for byte in &mut slug {
        *byte = if *byte == b' ' { b'-' } else { byte.to_ascii_lowercase() };
    }
    // Nothing but whole ASCII characters went.
    String::from_utf8(slug).unwrap_or_default()
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
    out.push(END);
}

fn read_text<'a>(reader: &mut Reader<'a>) -> Result<&'a str, Error> {
    let bytes = reader.until(END)?;
    core::str::from_utf8(bytes).map_err(|_| reader.malformed("text is not UTF-8"))
}

fn check_range(text: &str, range: &Range<u32>) -> Result<(), Error> {
    if text.get(range.start as usize..range.end as usize).is_none() {
        return Err(Error::malformed(WHAT, "a range is not of whole characters of the text"));
    }
    Ok(())
}

/// A section's text with its marks.
fn put_marked(out: &mut Vec<u8>, section: &SectionText<'_>) -> Result<(), Error> {
    let (text, passages) = (&*section.text, &section.passages);
    let mut marks = Vec::with_capacity(2 * (section.code.len() + passages.len()));
    let mut at = 0;
    for range in &section.code {
        check_range(text, range)?;
        if range.start < at {
            return Err(Error::malformed(WHAT, "code ranges overlap"));
        }
        at = range.end;
        marks.extend([(range.start, CODE), (range.end, CODE)]);
    }
    // The ends of those begun, oldest first.
    let mut ends = passages.iter().map(|passage| passage.end).peekable();
    let mut last = 0..0;
    for passage in passages {
        check_range(text, passage)?;
        if passage.start < last.start || passage.end < last.end {
            return Err(Error::malformed(WHAT, "passages do not ascend"));
        }
        while let Some(end) = ends.next_if(|&end| end <= passage.start && end < passage.end) {
            marks.push((end, ENDED));
        }
        marks.push((passage.start, PASSAGE));
        last = passage.clone();
    }
    marks.extend(ends.filter(|&end| (end as usize) < text.len()).map(|end| (end, ENDED)));
    marks.sort_by_key(|&(at, _)| at);
    let mut from = 0;
    for (at, mark) in marks {
        out.extend_from_slice(&text.as_bytes()[from..at as usize]);
        out.push(mark);
        from = at as usize;
    }
    put_text(out, &text[from..]);
    Ok(())
}

fn read_section<'a>(reader: &mut Reader<'a>, place: u32) -> Result<SectionText<'a>, Error> {
    let level = reader.u8()?;
    if level > 6 {
        return Err(reader.malformed("a heading's level is above 6"));
    }
    let parent = read_parent(reader, place)?;
    let heading = read_text(reader)?;
    let anchor = match reader.u8()? {
        0 => None,
        1 => Some(read_text(reader)?.into()),
        2 => Some(slug(heading).into()),
        _ => return Err(reader.malformed("an anchor is neither there nor not there")),
    };
    let mut text = Vec::new();
    let mut code: Vec<Range<u32>> = Vec::new();
    let mut passages: Vec<Range<u32>> = Vec::new();
    let (mut in_code, mut n_ended) = (false, 0);
    for &byte in reader.until(END)? {
        let at = text.len() as u32;
        match byte {
            CODE if in_code => {
                code.last_mut().into_iter().for_each(|range| range.end = at);
                in_code = false;
            }
            CODE => {
                code.push(at..at);
                in_code = true;
            }
            PASSAGE => passages.push(at..u32::MAX),
            ENDED => {
                let ended = passages
                    .get_mut(n_ended)
                    .ok_or(reader.malformed("a passage ends before it begins"))?;
                ended.end = at;
                n_ended += 1;
            }
            _ => text.push(byte),
        }
    }
    if in_code {
        return Err(reader.malformed("code does not end"));
    }
    passages.iter_mut().skip(n_ended).for_each(|range| range.end = text.len() as u32);
    let text = String::from_utf8(text).map_err(|_| reader.malformed("text is not UTF-8"))?;
    code.iter().chain(&passages).try_for_each(|range| check_range(&text, range))?;
    Ok(SectionText { level, heading, anchor, parent, text: text.into(), code, passages })
}

/// Writes a shard of pages and parts of pages.
#[derive(Clone, Debug, Default)]
pub struct TextsBuilder {
    lens: Vec<u32>,
    pages: Vec<u8>,
}

impl TextsBuilder {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes so far.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether no page has been added.
    pub fn is_empty(&self) -> bool {
        self.lens.is_empty()
    }

    /// Adds the next page.
    ///
    /// # Errors
    /// As [`PageText::to_bytes`].
    pub fn push(&mut self, page: &PageText<'_>) -> Result<(), Error> {
        self.push_bytes(&page.to_bytes()?);
        Ok(())
    }

    /// Adds the next page, as [`PageText::to_bytes`] wrote it.
    pub fn push_bytes(&mut self, page: &[u8]) {
        self.lens.push(page.len() as u32);
        self.pages.extend_from_slice(page);
    }

    /// The shard's raw bytes.
    pub fn finish(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.pages.len() + 3 * self.lens.len() + 5);
        put_varint(&mut out, self.lens.len() as u32);
        for len in self.lens {
            put_varint(&mut out, len);
        }
        out.extend_from_slice(&self.pages);
        out
    }
}

/// The texts of a range of pages, of the first and last perhaps a part. Indices count from the
/// shard's first page ([`crate::TextRange`]). A page's own bytes are checked when it is read.
#[derive(Clone, Debug)]
pub struct TextsShard {
    raw: Vec<u8>,
    /// One more than there are pages.
    starts: Vec<u32>,
}

impl TextsShard {
    /// Takes what [`TextsBuilder`] wrote.
    ///
    /// # Errors
    /// Where the lengths of the pages are not those of the shard.
    pub fn from_bytes(raw: Vec<u8>) -> Result<Self, Error> {
        let mut reader = Reader::new(&raw, WHAT);
        // A page takes its length, four strings and five numbers.
        let n_pages = reader.count(10)?;
        let mut starts = Vec::with_capacity(n_pages + 1);
        let mut sum = 0u64;
        starts.push(0);
        for _ in 0..n_pages {
            sum += u64::from(reader.varint()?);
            if sum > raw.len() as u64 {
                return Err(Error::Truncated { what: WHAT, needed: sum, left: raw.len() as u64 });
            }
            starts.push(sum as u32);
        }
        let base = reader.at() as u32;
        reader.take(sum as usize)?;
        reader.finish()?;
        for start in &mut starts {
            *start += base;
        }
        Ok(Self { raw, starts })
    }

    /// Pages.
    pub fn n_pages(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// Bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        self.raw.len() + 4 * self.starts.len()
    }

    /// The texts of the shard's page number `i`, from 0. O(bytes of the page).
    ///
    /// # Errors
    /// Where there is no such page or its bytes break the format.
    pub fn page(&self, i: u32) -> Result<PageText<'_>, Error> {
        let i = i as usize;
        match (self.starts.get(i), self.starts.get(i + 1)) {
            (Some(&start), Some(&end)) => {
                PageText::from_bytes(self.raw.get(start as usize..end as usize).unwrap_or_default())
            }
            _ => Err(Error::malformed(WHAT, "a page is not in the shard that should hold it")),
        }
    }
}

//! The texts that results show: titles, headings, anchors, text. Fetched only for the pages of a
//! result list.
//!
//! Each page of a shard can be read without the others. A long page is split into parts, each a run
//! of its sections in a separate shard, so that a reader need not fetch the whole page. Each part
//! repeats everything that results show together with a section.
//!
//! | field | encoding |
//! |---|---|
//! | `n_pages` | varint |
//! | bytes of each page | `n_pages` varints |
//! | pages | one after the other |
//!
//! A page:
//!
//! - `id`, `url`, `title`, `language`: texts: UTF-8, then [`END`], which never occurs in UTF-8 and
//!   compresses better than a length
//! - meta: number of pairs, varint; name and value of each, texts
//! - attributes: number that the page has, varint; for each, ascending: varint, its index among the
//!   manifest's attributes, minus that of the one before, minus one; its value: type, u8, then a
//!   string, a count and strings, f64, i64 or u8 (these strings have a varint length)
//! - `first`: varint: the place in the page of the first section here; 0 except in later parts
//! - above: number of sections in earlier parts that contain sections here, varint; for each of
//!   them: its place, minus the place of the one before, minus one, varint; parent and heading as
//!   for a section
//! - `n_sections`: varint
//! - sections: see below
//!
//! A section:
//!
//! - level: u8, 0 to 6; 8 more if the section has attributes of its own
//! - parent: varint: how many sections before this one its parent is, 0 for none; a section here,
//!   or one of those above
//! - heading: text
//! - anchor: u8: 0 none; 1, then a text; 2: the slug of the heading ([`slug`])
//! - attributes, if it has any: as for a page
//! - text: text with marks: [`CODE`] where code begins and where it ends, [`PASSAGE`] where a
//!   passage begins, [`ENDED`] where the oldest open passage ends; passages still open end with the
//!   text
//!
//! Marks are inside the text rather than in lists of offsets, because the text around them predicts
//! them, which compresses better.

use core::ops::Range;
use std::borrow::Cow;

use crate::codec::{Reader, put_varint};
use crate::column::{put_value, read_value};
use crate::{AttributeValue, Error};

const WHAT: &str = "texts";
const LATE_PARENT: &str = "a parent does not come before its child";
const UNORDERED_ATTRIBUTES: &str = "attributes do not ascend";
/// Flag added to the level of a section that has its own attributes.
const HAS_ATTRIBUTES: u8 = 8;
/// Ends a text.
const END: u8 = 0xff;
/// Mark where code begins or ends.
const CODE: u8 = 0xfe;
/// The mark at the beginning of a passage.
const PASSAGE: u8 = 0xfd;
/// The mark at the end of a passage, if the text continues.
const ENDED: u8 = 0xfc;
const UNORDERED: &str = "the sections above do not ascend, or do not come before the first section";

/// A page's texts, or a part of them, borrowed from the shard or from the writer's caller.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageText<'a> {
    /// The document's id.
    pub id: &'a str,
    /// The address.
    pub url: &'a str,
    /// Plain text.
    pub title: &'a str,
    /// BCP 47; may be empty.
    pub language: &'a str,
    /// Pairs of name and value to show with it.
    pub meta: Vec<(&'a str, &'a str)>,
    /// The attributes, ascending, each by its index among the manifest's. Columns have the same
    /// values, but for all pages.
    pub attributes: Vec<(u32, AttributeValue)>,
    /// The place in the page of the first of `sections`.
    pub first: u32,
    /// Sections of earlier parts that those here are below, by ascending place.
    pub above: Vec<Above<'a>>,
    /// The sections, in page order. All parts together have as many as the structure says.
    pub sections: Vec<SectionText<'a>>,
}

/// A section of an earlier part, with what results show for the sections below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Above<'a> {
    /// The place in the page.
    pub place: u32,
    /// The parent, another section above.
    pub parent: Option<u32>,
    /// Plain text.
    pub heading: &'a str,
}

/// A section's texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SectionText<'a> {
    /// 1 to 6; 0 for the text before the first heading.
    pub level: u8,
    /// Plain text; empty at level 0.
    pub heading: &'a str,
    /// Fragment without `#`.
    pub anchor: Option<Cow<'a, str>>,
    /// The place of its parent in the page, always before this section.
    pub parent: Option<u32>,
    /// The section's own attributes, not those of its page; ascending, each by its index among the
    /// manifest's.
    pub attributes: Vec<(u32, AttributeValue)>,
    /// All text, blocks separated by newlines.
    pub text: Cow<'a, str>,
    /// Byte ranges of code in `text`, ascending, disjoint.
    pub code: Vec<Range<u32>>,
    /// Byte ranges of the passages in `text`, by ascending start and end; they may overlap.
    pub passages: Vec<Range<u32>>,
}

impl<'a> PageText<'a> {
    /// Returns the section at a place in the page; `None` if it is not in this part.
    pub fn section(&self, place: u32) -> Option<&SectionText<'a>> {
        self.sections.get(place.checked_sub(self.first)? as usize)
    }

    /// Returns the headings from the outermost down to the heading of the section at a place in the
    /// page, without empty ones.
    pub fn heading_path(&self, place: u32) -> Vec<&'a str> {
        let mut path = Vec::new();
        let mut at = Some(place);
        while let Some((heading, parent)) = at.and_then(|place| self.name(place)) {
            if !heading.is_empty() {
                path.push(heading);
            }
            // Parents come before their children, so this ends.
            at = parent.filter(|&parent| Some(parent) < at);
        }
        path.reverse();
        path
    }

    /// Returns the heading at a place in the page, and the place of its parent.
    fn name(&self, place: u32) -> Option<(&'a str, Option<u32>)> {
        if let Some(section) = self.section(place) {
            return Some((section.heading, section.parent));
        }
        let at = self.above.binary_search_by_key(&place, |above| above.place).ok()?;
        self.above.get(at).map(|above| (above.heading, above.parent))
    }

    /// Returns the part of a whole page with the sections at these places.
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

    /// Returns the bytes that [`TextsBuilder::push`] adds to a shard. Their number is also the
    /// measure of a page's size.
    ///
    /// # Errors
    /// If ranges do not ascend, are not on character boundaries or are beyond the text, or a parent
    /// does not come before its child.
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
        put_attributes(&mut out, &self.attributes)?;
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
            let flag = if section.attributes.is_empty() { 0 } else { HAS_ATTRIBUTES };
            out.push(section.level | flag);
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
            if flag != 0 {
                put_attributes(&mut out, &section.attributes)?;
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
        let attributes = read_attributes(&mut reader)?;
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

fn put_attributes(out: &mut Vec<u8>, attributes: &[(u32, AttributeValue)]) -> Result<(), Error> {
    put_varint(out, attributes.len() as u32);
    let mut next = 0;
    for (place, value) in attributes {
        let skip = place.checked_sub(next).ok_or(Error::malformed(WHAT, UNORDERED_ATTRIBUTES))?;
        put_varint(out, skip);
        put_value(out, value);
        next = place + 1;
    }
    Ok(())
}

fn read_attributes(reader: &mut Reader<'_>) -> Result<Vec<(u32, AttributeValue)>, Error> {
    // Place, kind and value take a byte each.
    let n_attributes = reader.count(3)?;
    let mut attributes = Vec::with_capacity(n_attributes);
    let mut next = 0u32;
    for _ in 0..n_attributes {
        let place = next.checked_add(reader.varint()?).filter(|&place| place < u32::MAX);
        let place = place.ok_or(reader.malformed(UNORDERED_ATTRIBUTES))?;
        attributes.push((place, read_value(reader)?));
        next = place + 1;
    }
    Ok(attributes)
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

/// Returns the anchor that GitHub and most generators give a heading: lower case, no punctuation,
/// hyphens for spaces. Only ASCII is changed. Other anchors are written out.
fn slug(heading: &str) -> String {
    let mut slug = heading.as_bytes().to_vec();
    slug.retain(|byte| !byte.is_ascii() || byte.is_ascii_alphanumeric() || b" -_".contains(byte));
    for byte in &mut slug {
        *byte = if *byte == b' ' { b'-' } else { byte.to_ascii_lowercase() };
    }
    // Only whole ASCII characters were removed, so this is UTF-8.
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
        return Err(Error::malformed(WHAT, "a range is not of whole characters inside the text"));
    }
    Ok(())
}

/// Writes a section's text with its marks.
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
    // The ends of open passages, oldest first.
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
    let has_attributes = level & HAS_ATTRIBUTES != 0;
    let level = level & !HAS_ATTRIBUTES;
    if level > 6 {
        return Err(reader.malformed("a heading's level is above 6"));
    }
    let parent = read_parent(reader, place)?;
    let heading = read_text(reader)?;
    let anchor = match reader.u8()? {
        0 => None,
        1 => Some(read_text(reader)?.into()),
        2 => Some(slug(heading).into()),
        _ => {
            return Err(reader
                .malformed("expected 0, 1 or 2 for the kind of an anchor, found another number"));
        }
    };
    let attributes = if has_attributes { read_attributes(reader)? } else { Vec::new() };
    if has_attributes && attributes.is_empty() {
        return Err(reader.malformed("a section with attributes has none"));
    }
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
                    .ok_or(reader.malformed("a passage ends that has not begun"))?;
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
    let text = text.into();
    Ok(SectionText { level, heading, anchor, parent, attributes, text, code, passages })
}

/// Writes a shard of pages and parts of pages.
#[derive(Clone, Debug, Default)]
pub struct TextsBuilder {
    lens: Vec<u32>,
    pages: Vec<u8>,
}

impl TextsBuilder {
    /// Returns an empty shard.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the bytes so far.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Returns whether no page has been added.
    pub fn is_empty(&self) -> bool {
        self.lens.is_empty()
    }

    /// Adds the next page.
    ///
    /// # Errors
    /// The errors of [`PageText::to_bytes`].
    pub fn push(&mut self, page: &PageText<'_>) -> Result<(), Error> {
        self.push_bytes(&page.to_bytes()?);
        Ok(())
    }

    /// Adds the next page, from the output of [`PageText::to_bytes`].
    pub fn push_bytes(&mut self, page: &[u8]) {
        self.lens.push(page.len() as u32);
        self.pages.extend_from_slice(page);
    }

    /// Returns the shard's raw bytes.
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

/// The texts of a range of pages; the first and the last may be parts. Indices count from the
/// shard's first page ([`crate::TextRange`]). The bytes of a page are checked when it is read.
#[derive(Clone, Debug)]
pub struct TextsShard {
    raw: Vec<u8>,
    /// The start of each page; the last number is the end of the last page.
    starts: Vec<u32>,
}

impl TextsShard {
    /// Reads the output of [`TextsBuilder`].
    ///
    /// # Errors
    /// If the pages do not fill the shard exactly.
    pub fn from_bytes(raw: Vec<u8>) -> Result<Self, Error> {
        let mut reader = Reader::new(&raw, WHAT);
        // A page takes at least ten bytes: its length, four texts and five numbers.
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

    /// Returns the number of pages.
    pub fn n_pages(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// Returns the bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        self.raw.len() + 4 * self.starts.len()
    }

    /// Returns the texts of page `i` of the shard, from 0. O(bytes of the page).
    ///
    /// # Errors
    /// If there is no such page, or its bytes break the format.
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

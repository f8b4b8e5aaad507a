//! The structure of a site: pages, their sections, and the passages and vectors of each section.
//!
//! It answers, for every posting and every neighbour: "which section and which page is this?" There
//! is one shard for the whole bundle, which stays in memory from the first query on.
//!
//! All numbers are varints, column after column. They are packed for storage
//! (`structure/packed.rs`):
//!
//! | field | how many |
//! |---|---|
//! | `n_pages`, `n_sections`, `n_passages`, `n_vectors` | 1 each |
//! | sections of each page | `n_pages` |
//! | vectors of each section | `n_sections` |
//! | section of each passage, less the section of the passage before | `n_passages` |
//! | number of sections that continue the section before (parts of a very long section) | 1 |
//! | these sections, each less the one before | as many |
//!
//! If vectors are streamed and too many for the centroids to list the cell of each
//! ([`crate::cells`]), cells name sections, and `n_vectors` is 0 here. The numbers of vectors would
//! be the largest part of this shard, and only a reader of all vectors needs them. Such a reader
//! finds them in a separate shard ([`Structure::vector_counts`]): `n_sections` varints, packed like
//! columns.
//!
//! In memory: 4 bytes a page, 12 a section, 4 a passage, 4 a vector.

pub(crate) mod packed;

use core::ops::Range;

pub use packed::MIN_ORDERED_PAGES;

use crate::codec::{Reader, put_varint};
use crate::limits::MAX_VECTORS_PER_UNIT;
use crate::{Error, PageId, PassageId, SectionId, Stats, VectorId};

const WHAT: &str = "structure";

/// The tree of pages, sections, passages and vectors. Every accessor is total: an id that does not
/// exist has an empty range, and belongs to the last page or section (to 0 if there is none).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    /// `n_pages + 1` offsets into sections.
    page_sections: Vec<u32>,
    /// `n_sections + 1` offsets into passages.
    section_passages: Vec<u32>,
    /// `n_sections + 1` offsets into vectors.
    section_vectors: Vec<u32>,
    section_page: Vec<u32>,
    passage_section: Vec<u32>,
    vector_section: Vec<u32>,
    /// Sections that continue the previous section, ascending.
    continuing: Vec<u32>,
}

/// Makes a [`Structure`] in reading order: a page, its sections, the passages of each.
#[derive(Clone, Debug, Default)]
pub struct StructureBuilder {
    page_sections: Vec<u32>,
    section_passages: Vec<u32>,
    section_vectors: Vec<u32>,
    continuing: Vec<u32>,
    n_passages: u32,
}

impl StructureBuilder {
    /// Begins the next page.
    pub fn page(&mut self) -> PageId {
        self.page_sections.push(0);
        PageId(self.page_sections.len() as u32 - 1)
    }

    /// Begins the next section of the current page.
    ///
    /// # Panics
    /// If there is no page.
    pub fn section(&mut self, n_vectors: u32) -> SectionId {
        *self.page_sections.last_mut().expect("a page before its sections") += 1;
        self.section_passages.push(0);
        self.section_vectors.push(n_vectors);
        SectionId(self.section_passages.len() as u32 - 1)
    }

    /// Marks the current section as a continuation of the previous one. A page shows both as one.
    ///
    /// # Panics
    /// If it is the first section of its page.
    pub fn continues(&mut self) {
        assert!(self.page_sections.last().is_some_and(|&n| n > 1), "a section to continue");
        self.continuing.push(self.section_passages.len() as u32 - 1);
    }

    /// Adds a passage to the current section.
    ///
    /// # Panics
    /// If there is no section.
    pub fn passage(&mut self) -> PassageId {
        *self.section_passages.last_mut().expect("a section before its passages") += 1;
        self.n_passages += 1;
        PassageId(self.n_passages - 1)
    }

    /// Returns the finished structure.
    pub fn finish(self) -> Structure {
        let page_sections = offsets(&self.page_sections);
        let section_passages = offsets(&self.section_passages);
        let section_vectors = offsets(&self.section_vectors);
        Structure {
            section_page: owners(&page_sections),
            passage_section: owners(&section_passages),
            vector_section: owners(&section_vectors),
            page_sections,
            section_passages,
            section_vectors,
            continuing: self.continuing,
        }
    }
}

/// Refuses more vectors than sections and passages allow. Vectors have no bytes of their own in
/// this shard, so its length does not bound their memory.
fn check_n_vectors(stats: &Stats) -> Result<(), Error> {
    let limit = MAX_VECTORS_PER_UNIT * (u64::from(stats.n_sections) + u64::from(stats.n_passages));
    match u64::from(stats.n_vectors) {
        got if got > limit => Err(Error::Limit { what: "vectors of all sections", limit, got }),
        _ => Ok(()),
    }
}

fn offsets(counts: &[u32]) -> Vec<u32> {
    let mut sum = 0;
    let mut offsets = Vec::with_capacity(counts.len() + 1);
    offsets.push(0);
    for count in counts {
        sum += count;
        offsets.push(sum);
    }
    offsets
}

fn range(offsets: &[u32], i: u32) -> Range<u32> {
    match (offsets.get(i as usize), offsets.get(i as usize + 1)) {
        (Some(&start), Some(&end)) => start..end,
        _ => 0..0,
    }
}

fn at_or_last(owners: &[u32], i: u32) -> u32 {
    owners.get(i as usize).or(owners.last()).copied().unwrap_or(0)
}

impl Structure {
    /// Returns the number of pages.
    pub fn n_pages(&self) -> u32 {
        self.page_sections.len().saturating_sub(1) as u32
    }

    /// Returns the number of sections, of all pages.
    pub fn n_sections(&self) -> u32 {
        self.section_passages.len().saturating_sub(1) as u32
    }

    /// Returns the number of passages, of all sections.
    pub fn n_passages(&self) -> u32 {
        self.passage_section.len() as u32
    }

    /// Returns the number of vectors, of all sections.
    pub fn n_vectors(&self) -> u32 {
        self.vector_section.len() as u32
    }

    /// Returns the [`SectionId`]s of a page.
    #[inline]
    pub fn sections(&self, page: PageId) -> Range<u32> {
        range(&self.page_sections, page.0)
    }

    /// Returns the [`PassageId`]s of a section.
    #[inline]
    pub fn passages(&self, section: SectionId) -> Range<u32> {
        range(&self.section_passages, section.0)
    }

    /// Returns the [`VectorId`]s of a section.
    #[inline]
    pub fn vectors(&self, section: SectionId) -> Range<u32> {
        range(&self.section_vectors, section.0)
    }

    /// Returns the [`PassageId`]s of all sections of a page.
    #[inline]
    pub fn passages_of_page(&self, page: PageId) -> Range<u32> {
        let sections = self.sections(page);
        match (
            self.section_passages.get(sections.start as usize),
            self.section_passages.get(sections.end as usize),
        ) {
            (Some(&start), Some(&end)) => start..end,
            _ => 0..0,
        }
    }

    /// Returns the page of a section.
    #[inline]
    pub fn page_of(&self, section: SectionId) -> PageId {
        PageId(at_or_last(&self.section_page, section.0))
    }

    /// Returns the section of a passage.
    #[inline]
    pub fn section_of(&self, passage: PassageId) -> SectionId {
        SectionId(at_or_last(&self.passage_section, passage.0))
    }

    /// Returns the page of a section, and its index in the page. An edit of another page changes
    /// neither.
    #[inline]
    pub fn place_of_section(&self, section: SectionId) -> (PageId, u32) {
        let page = self.page_of(section);
        (page, section.0.saturating_sub(self.sections(page).start))
    }

    /// Returns the first part of a very long section, or the section itself if it has only one
    /// part.
    pub fn head(&self, section: SectionId) -> SectionId {
        let Ok(at) = self.continuing.binary_search(&section.0) else { return section };
        // In a run of continuing sections, ids minus indexes are equal.
        let run = |at: usize| self.continuing.get(at).map(|&section| section as usize - at);
        let (mut low, mut high) = (0, at);
        while low < high {
            let middle = low + (high - low) / 2;
            if run(middle) < run(at) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        // Section 0 never continues another, so this does not underflow.
        SectionId(self.continuing[low] - 1)
    }

    /// Returns the section with an index in a page; `None` if the page has fewer.
    #[inline]
    pub fn section_at(&self, page: PageId, place: u32) -> Option<SectionId> {
        let Range { start, end } = self.sections(page);
        start.checked_add(place).filter(|&section| section < end).map(SectionId)
    }

    /// Returns the passage with an index in a section, which is given by its own index in a page;
    /// `None` if there are fewer.
    #[inline]
    pub fn passage_in(&self, page: PageId, section: u32, place: u32) -> Option<PassageId> {
        let Range { start, end } = self.passages(self.section_at(page, section)?);
        start.checked_add(place).filter(|&passage| passage < end).map(PassageId)
    }

    /// Returns the section of a passage, and its index in the section.
    #[inline]
    pub fn place_of(&self, passage: PassageId) -> (SectionId, u32) {
        let section = self.section_of(passage);
        (section, passage.0.saturating_sub(self.passages(section).start))
    }

    /// Returns the section of a vector.
    #[inline]
    pub fn section_of_vector(&self, vector: VectorId) -> SectionId {
        SectionId(at_or_last(&self.vector_section, vector.0))
    }

    /// Returns the same structure without vectors, for a bundle with a shard of vector counts.
    pub fn without_vectors(&self) -> Self {
        Self {
            section_vectors: vec![0; self.section_vectors.len()],
            vector_section: Vec::new(),
            ..self.clone()
        }
    }

    /// Writes the shard of vector counts.
    pub fn vector_counts(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.section_vectors.windows(2).for_each(|pair| put_varint(&mut out, pair[1] - pair[0]));
        out
    }

    /// Reads the output of [`Structure::vector_counts`].
    ///
    /// # Errors
    /// If the bytes break the format, or the counts do not add up to the manifest's vectors.
    pub fn set_vector_counts(&mut self, raw: &[u8], stats: &Stats) -> Result<(), Error> {
        self.section_vectors = read_vector_counts(raw, stats)?;
        self.vector_section = owners(&self.section_vectors);
        Ok(())
    }

    /// Checks the output of [`Structure::vector_counts`], without a structure.
    ///
    /// # Errors
    /// The errors of [`Structure::set_vector_counts`].
    pub fn check_vector_counts(raw: &[u8], stats: &Stats) -> Result<(), Error> {
        read_vector_counts(raw, stats).map(drop)
    }

    /// Returns the bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        4 * (self.page_sections.len()
            + self.section_passages.len()
            + self.section_vectors.len()
            + self.section_page.len()
            + self.passage_section.len()
            + self.vector_section.len()
            + self.continuing.len())
    }

    /// Writes the structure in the format that this module's documentation describes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for n in [self.n_pages(), self.n_sections(), self.n_passages(), self.n_vectors()] {
            put_varint(&mut out, n);
        }
        for offsets in [&self.page_sections, &self.section_vectors] {
            for pair in offsets.windows(2) {
                put_varint(&mut out, pair[1] - pair[0]);
            }
        }
        let mut before = 0;
        for &section in &self.passage_section {
            put_varint(&mut out, section - before);
            before = section;
        }
        put_varint(&mut out, self.continuing.len() as u32);
        let mut before = 0;
        for &section in &self.continuing {
            put_varint(&mut out, section - before);
            before = section;
        }
        out
    }

    /// Reads the output of [`Structure::to_bytes`].
    ///
    /// # Errors
    /// If the bytes break the format, or the counts are not the manifest's.
    pub fn from_bytes(raw: &[u8], stats: &Stats) -> Result<Self, Error> {
        let mut reader = Reader::new(raw, WHAT);
        let mut counts = [0; 4];
        let expected = [stats.n_pages, stats.n_sections, stats.n_passages, stats.n_vectors];
        for (i, (count, expected)) in counts.iter_mut().zip(expected).enumerate() {
            *count = reader.varint()? as usize;
            let is_said_apart = i == 3 && *count == 0;
            if *count != expected as usize && !is_said_apart {
                return Err(Error::Length {
                    what: WHAT,
                    expected: expected.into(),
                    got: *count as u64,
                });
            }
        }
        let [n_pages, n_sections, n_passages, n_vectors] = counts;
        // Each takes a byte at least, so memory is bounded by the length of the input.
        reader.fits(n_pages, 1)?;
        reader.fits(n_sections, 1)?;
        reader.fits(n_passages, 1)?;
        check_n_vectors(stats)?;
        let page_sections = read_offsets(&mut reader, n_pages, n_sections)?;
        let section_vectors = read_offsets(&mut reader, n_sections, n_vectors)?;
        let passage_section = read_owners(&mut reader, n_passages, n_sections)?;
        let n_continuing = reader.count(1)?;
        let continuing = read_owners(&mut reader, n_continuing, n_sections)?;
        reader.finish()?;
        if continuing.windows(2).any(|pair| pair[0] == pair[1])
            || continuing.iter().any(|at| page_sections.binary_search(at).is_ok())
        {
            return Err(Error::malformed(
                WHAT,
                "a continuing section is listed twice or is the first of its page",
            ));
        }
        Ok(Self {
            section_page: owners(&page_sections),
            vector_section: owners(&section_vectors),
            section_passages: offsets_of(&passage_section, n_sections),
            page_sections,
            section_vectors,
            passage_section,
            continuing,
        })
    }
}

/// Reads the offsets into vectors, one more than there are sections.
fn read_vector_counts(raw: &[u8], stats: &Stats) -> Result<Vec<u32>, Error> {
    let mut reader = Reader::new(raw, "vectors of sections");
    check_n_vectors(stats)?;
    let offsets = read_offsets(&mut reader, stats.n_sections as usize, stats.n_vectors as usize)?;
    reader.finish()?;
    Ok(offsets)
}

fn read_offsets(reader: &mut Reader<'_>, n: usize, total: usize) -> Result<Vec<u32>, Error> {
    reader.fits(n, 1)?;
    let mut offsets = Vec::with_capacity(n + 1);
    let mut sum = 0u64;
    offsets.push(0);
    for _ in 0..n {
        sum += u64::from(reader.varint()?);
        if sum > total as u64 {
            break;
        }
        offsets.push(sum as u32);
    }
    if sum != total as u64 {
        return Err(reader.malformed("the counts do not add up to the total"));
    }
    Ok(offsets)
}

/// Reads the owner of each of `n` items, stored as its distance from the owner before.
fn read_owners(reader: &mut Reader<'_>, n: usize, n_owners: usize) -> Result<Vec<u32>, Error> {
    reader.fits(n, 1)?;
    let mut owners = Vec::with_capacity(n);
    let mut owner = 0u64;
    for _ in 0..n {
        owner += u64::from(reader.varint()?);
        if owner >= n_owners as u64 {
            return Err(reader.malformed("an item belongs to a section beyond the last"));
        }
        owners.push(owner as u32);
    }
    Ok(owners)
}

/// Returns the offsets of `n` owners into their items; one more for the end.
fn offsets_of(owners: &[u32], n: usize) -> Vec<u32> {
    let mut offsets = vec![0; n + 1];
    for &owner in owners {
        if let Some(count) = offsets.get_mut(owner as usize + 1) {
            *count += 1;
        }
    }
    let mut sum = 0;
    for offset in &mut offsets {
        sum += *offset;
        *offset = sum;
    }
    offsets
}

/// Returns the owner of each item.
fn owners(offsets: &[u32]) -> Vec<u32> {
    let mut owners = Vec::with_capacity(offsets.last().copied().unwrap_or(0) as usize);
    for (owner, pair) in offsets.windows(2).enumerate() {
        owners.resize(pair[1] as usize, owner as u32);
    }
    owners
}

//! Which sections are of which page, which passages and vectors of which section, and how long each field is.
//!
//! Answers, for every posting and every neighbour, "which section, which page is this?" and gives BM25F its field
//! lengths. One shard for the whole bundle, resident from the first query on.
//!
//! All numbers are varints, column after column, which deflate then makes small:
//!
//! | what | how many |
//! |---|---|
//! | `n_pages`, `n_sections`, `n_passages`, `n_vectors` | 1 each |
//! | sections of each page | `n_pages` |
//! | passages of each section | `n_sections` |
//! | vectors of each section | `n_sections` |
//! | tokens in the title; in the path | `n_pages` each |
//! | tokens in the heading; in the headings above it | `n_sections` each |
//! | tokens in the text; in code | `n_passages` each |
//!
//! In memory: 12 bytes a page, 20 a section, 12 a passage, 4 a vector.

use core::ops::Range;

use crate::codec::{Reader, put_varint};
use crate::limits::MAX_VECTORS_PER_UNIT;
use crate::{Error, PageId, PassageId, SectionId, Stats, VectorId};

const WHAT: &str = "structure";

/// The tree of pages, sections, passages and vectors, with field lengths. Every accessor is total: an id that does
/// not exist has an empty range, zero lengths, and belongs to the last page or section (or to 0 where there is none).
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
    page_len: Vec<[u32; 2]>,
    section_len: Vec<[u32; 2]>,
    passage_len: Vec<[u32; 2]>,
}

/// Puts a [`Structure`] together in reading order: a page, its sections, the passages of each.
#[derive(Clone, Debug, Default)]
pub struct StructureBuilder {
    page_sections: Vec<u32>,
    section_passages: Vec<u32>,
    section_vectors: Vec<u32>,
    page_len: Vec<[u32; 2]>,
    section_len: Vec<[u32; 2]>,
    passage_len: Vec<[u32; 2]>,
}

impl StructureBuilder {
    /// Begins the next page. `len`: tokens in title and path.
    pub fn page(&mut self, len: [u32; 2]) -> PageId {
        self.page_sections.push(0);
        self.page_len.push(len);
        PageId(self.page_len.len() as u32 - 1)
    }

    /// Begins the next section of the page begun last. `len`: tokens in the heading and in those above it.
    ///
    /// # Panics
    /// Without a page.
    pub fn section(&mut self, len: [u32; 2], n_vectors: u32) -> SectionId {
        *self.page_sections.last_mut().expect("a page before its sections") += 1;
        self.section_passages.push(0);
        self.section_vectors.push(n_vectors);
        self.section_len.push(len);
        SectionId(self.section_len.len() as u32 - 1)
    }

    /// The next passage of the section begun last. `len`: tokens in text and in code.
    ///
    /// # Panics
    /// Without a section.
    pub fn passage(&mut self, len: [u32; 2]) -> PassageId {
        *self.section_passages.last_mut().expect("a section before its passages") += 1;
        self.passage_len.push(len);
        PassageId(self.passage_len.len() as u32 - 1)
    }

    /// The structure.
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
            page_len: self.page_len,
            section_len: self.section_len,
            passage_len: self.passage_len,
        }
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
    /// Pages.
    pub fn n_pages(&self) -> u32 {
        self.page_len.len() as u32
    }

    /// Sections of all pages.
    pub fn n_sections(&self) -> u32 {
        self.section_len.len() as u32
    }

    /// Passages of all sections.
    pub fn n_passages(&self) -> u32 {
        self.passage_len.len() as u32
    }

    /// Vectors of all sections.
    pub fn n_vectors(&self) -> u32 {
        self.vector_section.len() as u32
    }

    /// The [`SectionId`]s of a page.
    #[inline]
    pub fn sections(&self, page: PageId) -> Range<u32> {
        range(&self.page_sections, page.0)
    }

    /// The [`PassageId`]s of a section.
    #[inline]
    pub fn passages(&self, section: SectionId) -> Range<u32> {
        range(&self.section_passages, section.0)
    }

    /// The [`VectorId`]s of a section.
    #[inline]
    pub fn vectors(&self, section: SectionId) -> Range<u32> {
        range(&self.section_vectors, section.0)
    }

    /// The [`PassageId`]s of all sections of a page.
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

    /// The page of a section.
    #[inline]
    pub fn page_of(&self, section: SectionId) -> PageId {
        PageId(at_or_last(&self.section_page, section.0))
    }

    /// The section of a passage.
    #[inline]
    pub fn section_of(&self, passage: PassageId) -> SectionId {
        SectionId(at_or_last(&self.passage_section, passage.0))
    }

    /// The section of a vector.
    #[inline]
    pub fn section_of_vector(&self, vector: VectorId) -> SectionId {
        SectionId(at_or_last(&self.vector_section, vector.0))
    }

    /// Tokens in a page's title and in its path.
    #[inline]
    pub fn page_len(&self, page: PageId) -> [u32; 2] {
        self.page_len.get(page.index()).copied().unwrap_or_default()
    }

    /// Tokens in a section's heading and in those above it.
    #[inline]
    pub fn section_len(&self, section: SectionId) -> [u32; 2] {
        self.section_len.get(section.index()).copied().unwrap_or_default()
    }

    /// Tokens in a passage's text and in its code.
    #[inline]
    pub fn passage_len(&self, passage: PassageId) -> [u32; 2] {
        self.passage_len.get(passage.index()).copied().unwrap_or_default()
    }

    /// Mean field lengths over passages, in the order of [`crate::Field`]; 0 where there are no passages.
    pub fn mean_len(&self) -> [f32; 6] {
        let mut sums = [0u64; 6];
        for (passage, len) in self.passage_len.iter().enumerate() {
            let section = self.section_of(PassageId(passage as u32));
            let page = self.page_of(section);
            for (field, tokens) in
                [self.page_len(page), self.section_len(section), *len].into_iter().flatten().enumerate()
            {
                sums[field] += u64::from(tokens);
            }
        }
        let n = self.passage_len.len().max(1) as f64;
        sums.map(|sum| (sum as f64 / n) as f32)
    }

    /// Bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        4 * (self.page_sections.len()
            + self.section_passages.len()
            + self.section_vectors.len()
            + self.section_page.len()
            + self.passage_section.len()
            + self.vector_section.len())
            + 8 * (self.page_len.len() + self.section_len.len() + self.passage_len.len())
    }

    /// Writes the format of this module's front page.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for n in [self.n_pages(), self.n_sections(), self.n_passages(), self.n_vectors()] {
            put_varint(&mut out, n);
        }
        for offsets in [&self.page_sections, &self.section_passages, &self.section_vectors] {
            for pair in offsets.windows(2) {
                put_varint(&mut out, pair[1] - pair[0]);
            }
        }
        for lens in [&self.page_len, &self.section_len, &self.passage_len] {
            for field in 0..2 {
                for len in lens.iter() {
                    put_varint(&mut out, len[field]);
                }
            }
        }
        out
    }

    /// Reads what [`Structure::to_bytes`] wrote.
    ///
    /// # Errors
    /// Where the bytes are not such a structure, or have other counts than the manifest's.
    pub fn from_bytes(raw: &[u8], stats: &Stats) -> Result<Self, Error> {
        let mut reader = Reader::new(raw, WHAT);
        let mut counts = [0; 4];
        let expected = [stats.n_pages, stats.n_sections, stats.n_passages, stats.n_vectors];
        for (count, expected) in counts.iter_mut().zip(expected) {
            *count = reader.varint()? as usize;
            if *count != expected as usize {
                return Err(Error::Length { what: WHAT, expected: expected.into(), got: *count as u64 });
            }
        }
        let [n_pages, n_sections, n_passages, n_vectors] = counts;
        // One count and two lengths for each page, two and two for each section, two lengths for each passage.
        reader.fits(n_pages, 3)?;
        reader.fits(n_sections, 4)?;
        reader.fits(n_passages, 2)?;
        // Vectors leave no bytes of their own here; this bounds the memory for them by the input's length.
        let most = MAX_VECTORS_PER_UNIT * (n_sections as u64 + n_passages as u64);
        if n_vectors as u64 > most {
            return Err(Error::Limit { what: "vectors of all sections", limit: most, got: n_vectors as u64 });
        }
        let page_sections = read_offsets(&mut reader, n_pages, n_sections)?;
        let section_passages = read_offsets(&mut reader, n_sections, n_passages)?;
        let section_vectors = read_offsets(&mut reader, n_sections, n_vectors)?;
        let page_len = read_lens(&mut reader, n_pages)?;
        let section_len = read_lens(&mut reader, n_sections)?;
        let passage_len = read_lens(&mut reader, n_passages)?;
        reader.finish()?;
        Ok(Self {
            section_page: owners(&page_sections),
            passage_section: owners(&section_passages),
            vector_section: owners(&section_vectors),
            page_sections,
            section_passages,
            section_vectors,
            page_len,
            section_len,
            passage_len,
        })
    }
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
        return Err(reader.malformed("the parts do not add up to the whole"));
    }
    Ok(offsets)
}

fn read_lens(reader: &mut Reader<'_>, n: usize) -> Result<Vec<[u32; 2]>, Error> {
    reader.fits(n, 2)?;
    let mut lens = vec![[0; 2]; n];
    for field in 0..2 {
        for len in &mut lens {
            len[field] = reader.varint()?;
        }
    }
    Ok(lens)
}

fn owners(offsets: &[u32]) -> Vec<u32> {
    let mut owners = Vec::with_capacity(offsets.last().copied().unwrap_or(0) as usize);
    for (owner, pair) in offsets.windows(2).enumerate() {
        owners.resize(pair[1] as usize, owner as u32);
    }
    owners
}

//! The chunked pages of a site. Pages without room in memory are spilled to a temporary file.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use findling_bundle::AttributeValue;
use rayon::prelude::*;

use findling_base::scratch::{Record, Scratch, Stowed};
use findling_page::chunk::{ChunkedPage, ChunkedSection};

/// Attributes of a section.
pub type Attributes = BTreeMap<String, AttributeValue>;

static NO_ATTRIBUTES: Attributes = BTreeMap::new();

/// Bytes that a section takes in addition to its texts.
const SECTION_BYTES: usize = size_of::<ChunkedSection>() + 64;

/// All chunked pages, in the order of pages.
#[derive(Debug, Default)]
pub struct Chunks(Vec<Kept>);

/// A chunked page.
#[derive(Debug)]
pub enum Kept {
    /// A page in memory.
    Held(ChunkedPage),
    /// A page in a temporary file.
    Away {
        /// The place in the file.
        record: Record,
        /// Number of its sections.
        n_sections: usize,
        /// Number of units of all sections.
        n_units: usize,
        /// The attributes of the sections. Empty if no section has attributes of its own, as in
        /// most sites.
        attributes: Box<[Attributes]>,
    },
}

impl Kept {
    /// Keeps a page in memory if there is room, otherwise in the temporary file.
    pub fn new(page: ChunkedPage, scratch: &Scratch) -> Self {
        let of_section = |section: &ChunkedSection| {
            let units: usize = section.units.iter().map(|unit| unit.text.len() + 32).sum();
            SECTION_BYTES + section.heading.len() + section.text.len() + units
        };
        let len = page.sections.iter().map(of_section).sum();
        let n_sections = page.sections.len();
        let n_units = page.sections.iter().map(|section| section.units.len()).sum();
        let has_attributes = page.sections.iter().any(|section| !section.attributes.is_empty());
        let sections = page.sections.iter().filter(|_| has_attributes);
        let attributes = sections.map(|section| section.attributes.clone()).collect();
        match scratch.keep(page, len) {
            Stowed::Held(page) => Self::Held(page),
            Stowed::Away(record) => Self::Away { record, n_sections, n_units, attributes },
        }
    }
}

impl From<Vec<ChunkedPage>> for Chunks {
    fn from(pages: Vec<ChunkedPage>) -> Self {
        Self(pages.into_iter().map(Kept::Held).collect())
    }
}

impl FromIterator<Kept> for Chunks {
    fn from_iter<I: IntoIterator<Item = Kept>>(pages: I) -> Self {
        Self(pages.into_iter().collect())
    }
}

impl Chunks {
    /// Returns the number of pages.
    pub fn n_pages(&self) -> usize {
        self.0.len()
    }

    /// Returns whether all pages are in memory.
    pub fn are_held(&self) -> bool {
        self.0.iter().all(|page| matches!(page, Kept::Held(_)))
    }

    /// Returns whether a page is in memory.
    pub fn is_held(&self, page: usize) -> bool {
        matches!(self.0.get(page), Some(Kept::Held(_)))
    }

    /// Returns a page.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub fn page(&self, page: usize) -> io::Result<Cow<'_, ChunkedPage>> {
        match &self.0[page] {
            Kept::Held(page) => Ok(Cow::Borrowed(page)),
            Kept::Away { record, .. } => record.value().map(Cow::Owned),
        }
    }

    /// Returns the pages of a range.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub fn pages(&self, pages: Range<usize>) -> io::Result<Vec<Cow<'_, ChunkedPage>>> {
        pages.into_par_iter().map(|page| self.page(page)).collect()
    }

    /// Returns the number of sections of a page.
    pub fn n_sections(&self, page: usize) -> usize {
        match &self.0[page] {
            Kept::Held(page) => page.sections.len(),
            Kept::Away { n_sections, .. } => *n_sections,
        }
    }

    /// Returns the number of units of all pages.
    pub fn n_units(&self) -> usize {
        let of_page = |kept: &Kept| match kept {
            Kept::Held(page) => page.sections.iter().map(|section| section.units.len()).sum(),
            Kept::Away { n_units, .. } => *n_units,
        };
        self.0.iter().map(of_page).sum()
    }

    /// Returns the own attributes of each section of a page.
    pub fn attributes(&self, page: usize) -> impl Iterator<Item = &Attributes> {
        let kept = &self.0[page];
        (0..self.n_sections(page)).map(move |section| match kept {
            Kept::Held(page) => &page.sections[section].attributes,
            Kept::Away { attributes, .. } => attributes.get(section).unwrap_or(&NO_ATTRIBUTES),
        })
    }
}

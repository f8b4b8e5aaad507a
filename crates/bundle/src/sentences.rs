//! Codes of sentences: "which sentence of a section is most like a query?" They serve snippets of
//! sections that are found only by meaning.
//!
//! A section longer than a snippet is split into stretches of whole sentences
//! (`findling_text::sentences`). Each stretch has a code: the signs of the first numbers of its
//! vector. The sum of a query's numbers with these signs is a coarse cosine, good enough to choose
//! among a few dozen stretches. Codes are in separate shards, so that a reader who shows no such
//! section fetches none.
//!
//! | field | encoding |
//! |---|---|
//! | `n_pages` | varint |
//! | for each page: its sections | varint |
//! | for each of its sections: its codes, 0 if it has a single stretch | u8 |
//! | all codes, in order | u64 each |

#![doc(alias = "deferred")]

use crate::Error;
use crate::codec::{Reader, put_varint};

const WHAT: &str = "sentences";

/// Numbers of a vector whose signs make a code.
pub const BITS: usize = 64;

/// Returns the code of a vector: bit `i` is 1 if its number `i` is above 0.
pub fn code(vector: &[f32]) -> u64 {
    let bits = vector.iter().take(BITS).enumerate();
    bits.fold(0, |code, (i, value)| code | u64::from(*value > 0.0) << i)
}

/// Writes a range of pages.
#[derive(Clone, Debug, Default)]
pub struct SentencesBuilder {
    n_pages: u32,
    counts: Vec<u8>,
    codes: Vec<u8>,
}

impl SentencesBuilder {
    /// Returns an empty shard.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a page: for each section the codes of its stretches; no codes for a section with a
    /// single stretch.
    ///
    /// # Errors
    /// If a section has more than 255 codes.
    pub fn push(&mut self, sections: &[Vec<u64>]) -> Result<(), Error> {
        put_varint(&mut self.counts, sections.len() as u32);
        for codes in sections {
            let limit = Error::Limit {
                what: "stretches of a section",
                limit: 255,
                got: codes.len() as u64,
            };
            self.counts.push(u8::try_from(codes.len()).map_err(|_| limit)?);
            codes.iter().for_each(|code| self.codes.extend_from_slice(&code.to_le_bytes()));
        }
        self.n_pages += 1;
        Ok(())
    }

    /// Returns whether there is no page.
    pub fn is_empty(&self) -> bool {
        self.n_pages == 0
    }

    /// Returns the shard's raw bytes.
    pub fn finish(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.counts.len() + self.codes.len() + 5);
        put_varint(&mut out, self.n_pages);
        out.extend_from_slice(&self.counts);
        out.extend_from_slice(&self.codes);
        out
    }
}

/// The codes of a range of pages, read and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentencesShard {
    /// The first section of each page, and the end of all.
    pages: Vec<u32>,
    /// The first code of each section, and the end of all.
    sections: Vec<u32>,
    codes: Vec<u64>,
}

impl SentencesShard {
    /// Reads and checks the output of [`SentencesBuilder`].
    ///
    /// # Errors
    /// If the bytes break the format.
    pub fn from_bytes(raw: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(raw, WHAT);
        let n_pages = reader.count(1)?;
        let mut pages = Vec::with_capacity(n_pages + 1);
        let (mut sections, mut n_codes) = (vec![0], 0u32);
        pages.push(0);
        for _ in 0..n_pages {
            for _ in 0..reader.count(1)? {
                n_codes = n_codes.saturating_add(u32::from(reader.u8()?));
                sections.push(n_codes);
            }
            pages.push(sections.len() as u32 - 1);
        }
        reader.fits(n_codes as usize, 8)?;
        let codes = (0..n_codes)
            .map(|_| reader.array().map(u64::from_le_bytes))
            .collect::<Result<_, _>>()?;
        reader.finish()?;
        Ok(Self { pages, sections, codes })
    }

    /// Returns the codes of a section, given by its page's index in the shard and its own index in
    /// the page; empty if there are none.
    pub fn codes(&self, page: u32, section: u32) -> &[u64] {
        let page = page as usize;
        let (Some(&first), Some(&end)) = (self.pages.get(page), self.pages.get(page + 1)) else {
            return &[];
        };
        let section = match first.checked_add(section) {
            Some(section) if section < end => section as usize,
            _ => return &[],
        };
        match self.sections.get(section..section + 2) {
            Some(&[start, end]) => self.codes.get(start as usize..end as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Returns the bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        4 * (self.pages.len() + self.sections.len()) + 8 * self.codes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_the_signs_of_the_first_numbers() {
        assert_eq!(code(&[0.5, -0.5, 0.0, 2.0]), 0b1001);
        assert_eq!(code(&[1.0; 100]), u64::MAX);
        assert_eq!(code(&[]), 0);
    }

    #[test]
    fn codes_are_found_by_page_and_section() {
        let mut builder = SentencesBuilder::new();
        builder.push(&[vec![], vec![1, 2]]).unwrap();
        builder.push(&[]).unwrap();
        builder.push(&[vec![3, 4, 5]]).unwrap();
        assert!(builder.clone().push(&[vec![0; 256]]).is_err());
        let shard = SentencesShard::from_bytes(&builder.finish()).unwrap();
        for (page, section, expect) in [
            (0, 0, &[][..]),
            (0, 1, &[1, 2]),
            (0, 2, &[]),
            (1, 0, &[]),
            (2, 0, &[3, 4, 5]),
            (2, 1, &[]),
            (3, 0, &[]),
            (0, u32::MAX, &[]),
        ] {
            assert_eq!(shard.codes(page, section), expect, "{page} {section}");
        }
    }

    #[test]
    fn bytes_that_are_cut_or_too_many_are_refused() {
        let mut builder = SentencesBuilder::new();
        builder.push(&[vec![7, 8], vec![9, 9, 9]]).unwrap();
        let raw = builder.finish();
        for end in 0..raw.len() {
            assert!(SentencesShard::from_bytes(&raw[..end]).is_err(), "{end}");
        }
        assert!(SentencesShard::from_bytes(&[&raw[..], &[0]].concat()).is_err());
        // More codes than a section can have.
        assert!(SentencesShard::from_bytes(&[255, 255, 255, 255, 15]).is_err());
        assert!(SentencesShard::from_bytes(&[1, 255, 255, 255, 255, 15]).is_err());
    }
}

//! The lexical index: analyses every page on all cores, collects postings on three levels, and cuts
//! them into ranges of terms.
//!
//! The result does not depend on the number of cores. Pages are analysed in batches with fixed
//! boundaries, each with its own term numbers. Batches are joined in page order, so ids ascend.
//! Terms are sorted at the end. Positions are also cut by pages, so that an edit changes only the
//! positions of the pages around it.

mod page_batch;
mod page_names;
mod positions;
mod shards;
mod term_ranges;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::iter;

use findling_bundle::Synonym;
use findling_bundle::limits::MAX_TERM_LEN;
use findling_bundle::structure::{Structure, StructureBuilder};
use findling_text::Analyzer;
use indicatif::ProgressBar;
use rayon::prelude::*;

use super::languages::Languages;
use super::spelling::Words;
use super::synonyms::Rows;
use super::tiers::Tiers;
use crate::chunk::ChunkedPage;
use crate::page::Page;
use crate::shard_cutter::separator;
use page_batch::{PageBatch, Reader, TermPostings};
pub use positions::Positions;
use positions::{blocks, columns};
use shards::Column;
use term_ranges::{Term, drop_lone_forms, drop_plain_names, range_starts};

const _: () = assert!(findling_text::MAX_TERM_BYTES <= MAX_TERM_LEN);

/// Pages analysed together. It affects memory use only, not the result.
const BATCH: usize = 64;

/// The lexical index.
#[derive(Debug)]
pub struct Lexical {
    /// The tree of pages, sections, passages and vectors.
    pub structure: Structure,
    /// Mean length of each field over passages, in the order of [`findling_bundle::Field`].
    pub mean_len: [f32; 6],
    /// Ranges of terms, ascending.
    pub ranges: Vec<TermRange>,
    /// Positions of the terms.
    pub positions: Positions,
    /// Words as they are spelt.
    pub words: Words,
    /// Number of distinct terms.
    pub n_terms: u32,
    /// Number of postings on all levels.
    pub n_postings: u64,
}

/// A range of terms.
#[derive(Debug)]
pub struct TermRange {
    /// Shortest prefix of the first term that sorts after all terms before it.
    pub first_term: String,
    /// Dictionary and postings, uncompressed.
    pub terms: Vec<u8>,
    /// The second tier of postings, uncompressed; empty if the range has none.
    pub second: Vec<u8>,
}

/// Analyses all pages. Sections count their embedding units as vectors only if `vectors`.
///
/// # Errors
/// If a limit of the bundle format is exceeded.
pub fn analyse(
    pages: &[Page],
    chunks: &[ChunkedPage],
    languages: &Languages,
    synonyms: &[Synonym],
    vectors: bool,
    bar: &ProgressBar,
) -> Result<Lexical, findling_bundle::Error> {
    let first_ids = first_ids(chunks);
    let starts: Vec<usize> = (0..pages.len()).step_by(BATCH).collect();
    let mut batches: Vec<PageBatch> = starts
        .par_iter()
        .map(|&start| {
            let end = (start + BATCH).min(pages.len());
            let mut batch = PageBatch::default();
            let mut analyzers = HashMap::new();
            for page in start..end {
                let language = languages.of_page(page);
                let (analyzer, rows) = analyzers.entry(language).or_insert_with(|| {
                    let mut analyzer = Analyzer::for_language(language);
                    let rows = Rows::new(synonyms, &mut analyzer);
                    (analyzer, rows)
                });
                let reader = &mut Reader { analyzer, synonyms: rows };
                batch.page(
                    page as u32,
                    &pages[page],
                    &chunks[page],
                    first_ids[page],
                    vectors,
                    reader,
                );
            }
            bar.inc((end - start) as u64);
            batch
        })
        .collect();

    let mut words = Words::default();
    for batch in &mut batches {
        words.merge(std::mem::take(&mut batch.words));
    }
    let structure = structure(&batches);
    let mut terms: HashMap<&str, Vec<&TermPostings>> = HashMap::new();
    for batch in &batches {
        for (term, &at) in &batch.terms {
            // A word has no postings if every occurrence has weight 0.
            let lists = &batch.lists[at as usize];
            if lists.levels.iter().any(|level| !level.postings.is_empty()) {
                terms.entry(term).or_default().push(lists);
            }
        }
    }
    let mut terms: Vec<Term<'_>> = terms.into_iter().collect();
    terms.sort_unstable_by_key(|(term, _)| *term);
    drop_lone_forms(&mut terms);
    drop_plain_names(&mut terms);

    let range_starts = range_starts(&terms);
    let range_starts: Vec<&[Term<'_>]> = range_starts
        .windows(2)
        .map(|cut| &terms[cut[0]..cut[1]])
        .filter(|range| !range.is_empty())
        .collect();
    let blocks = blocks(pages, &batches);
    let columns = columns(&range_starts, blocks.len());
    let mean_len = mean_len(&batches);
    let tiers = Tiers::new(pages, &structure, &mean_len);
    let made: Vec<Column> = columns
        .par_iter()
        .map(|column| shards::column(column, &tiers, &blocks))
        .collect::<Result<_, _>>()?;
    let mut positions = Positions { pages: blocks, ..Positions::default() };
    let mut packed = Vec::with_capacity(range_starts.len());
    for column in made {
        positions.ranges.push(column.terms.len() as u32);
        positions.shards.extend(column.positions);
        packed.extend(column.terms);
    }
    let befores = iter::once("").chain(range_starts.iter().map(|range| range[range.len() - 1].0));
    let firsts =
        befores.zip(&range_starts).map(|(before, range)| separator(before, range[0].0).to_owned());
    let ranges = firsts.zip(packed);
    let ranges = ranges
        .map(|(first_term, [terms, second])| TermRange { first_term, terms, second })
        .collect();
    let n_postings = terms
        .iter()
        .flat_map(|(_, parts)| parts.iter())
        .flat_map(|lists| &lists.levels)
        .map(|level| level.postings.len() as u64)
        .sum();
    let n_terms = terms.len() as u32;
    Ok(Lexical { structure, mean_len, ranges, positions, words, n_terms, n_postings })
}

/// The ids of the first section and the first passage of each page.
fn first_ids(chunks: &[ChunkedPage]) -> Vec<(u32, u32)> {
    let mut base = (0, 0);
    chunks
        .iter()
        .map(|page| {
            let here = base;
            base.0 += page.sections.len() as u32;
            base.1 +=
                page.sections.iter().map(|section| section.passages.len() as u32).sum::<u32>();
            here
        })
        .collect()
}

/// The tree of pages, sections and passages.
fn structure(batches: &[PageBatch]) -> Structure {
    let mut builder = StructureBuilder::default();
    for batch in batches {
        let mut section = 0;
        for page in &batch.pages {
            builder.page();
            for _ in 0..page.n_children {
                let at = &batch.sections[section];
                section += 1;
                builder.section(at.n_vectors);
                if at.continues {
                    builder.continues();
                }
                for _ in 0..at.n_children {
                    builder.passage();
                }
            }
        }
    }
    builder.finish()
}

/// The mean length of each field, over the passages in which the field is not empty. A page's title
/// counts for each of its passages. Including passages without code would make a single word of
/// code look like a long field.
fn mean_len(batches: &[PageBatch]) -> [f32; 6] {
    let (mut sums, mut counts) = ([0u64; 6], [0u64; 6]);
    for batch in batches {
        let (mut sections, mut passages) = (batch.sections.iter(), batch.passages.iter());
        for page in &batch.pages {
            for section in sections.by_ref().take(page.n_children as usize) {
                for passage in passages.by_ref().take(section.n_children as usize) {
                    let lens = [page.len, section.len, *passage].into_iter().flatten();
                    for ((sum, n), len) in sums.iter_mut().zip(&mut counts).zip(lens) {
                        *sum += u64::from(len);
                        *n += u64::from(len > 0);
                    }
                }
            }
        }
    }
    std::array::from_fn(|field| (sums[field] as f64 / counts[field].max(1) as f64) as f32)
}

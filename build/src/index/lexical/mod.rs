//! The lexical index: analyses every page on all cores, collects postings on three levels, and cuts
//! them into ranges of terms.
//!
//! The result does not depend on the number of cores. Pages are analysed in batches with fixed
//! boundaries, each with its own term numbers. Their sorted terms are merged in page order, so ids
//! ascend. Positions are also cut by pages, so that an edit changes only the
//! positions of the pages around it.

mod analyses;
mod batch_index;
mod compounds;
mod inputs;
mod page_batch;
mod page_names;
mod positions;
mod shards;
mod term_merge;
mod term_ranges;
#[cfg(test)]
mod tests;

use std::iter;

use findling_bundle::Synonym;
use findling_bundle::limits::MAX_TERM_LEN;
use findling_bundle::structure::{Structure, StructureBuilder};
use indicatif::ProgressBar;
use rayon::prelude::*;

use super::earlier_shards::EarlierShards;
use super::languages::Languages;
use super::shards::Stored;
use super::spelling::corrections;
use super::tiers::Tiers;
use crate::chunk::ChunkedPage;
use crate::page::Page;
use crate::record_log::RecordLog;
use crate::shard_cutter::separator;
pub use analyses::KIND as ANALYSES;
use analyses::analyses;
use batch_index::BatchIndex;
use inputs::Inputs;
pub use positions::Positions;
use positions::{blocks, columns};
use shards::{Column, Making};
use term_merge::MergedTerms;
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
    /// Words as they are spelt that can be corrections, in order, with how often they occur.
    pub words: Vec<(Box<str>, u32)>,
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
    /// Dictionary and postings.
    pub terms: Stored,
    /// The second tier of postings; `None` if the range has none.
    pub second: Option<Stored>,
}

/// What is analysed.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// All pages.
    pub pages: &'a [Page],
    /// The sections of each page.
    pub chunks: &'a [ChunkedPage],
    /// The languages of the pages.
    pub languages: &'a Languages,
    /// The site's synonyms.
    pub synonyms: &'a [Synonym],
}

/// Analyses all pages, and compresses the shards. What the log and the previous bundle have of
/// unchanged pages is taken from there.
///
/// # Errors
/// If a limit of the bundle format is exceeded.
pub fn analyse(
    input: &Input<'_>,
    log: Option<RecordLog>,
    earlier: &EarlierShards,
    bar: &ProgressBar,
) -> Result<Lexical, findling_bundle::Error> {
    let batches = analyses(input, log, bar);
    let pages = input.pages;
    let words = || corrections(batches.iter().flat_map(|batch| batch.words()));
    let (words, merged) = rayon::join(words, || MergedTerms::of(&batches));
    let structure = structure(&batches);
    let mut terms = merged.terms();
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
    // Without a log no shard is found by its key.
    let inputs = earlier.has_log().then(|| Inputs::new(pages, BATCH, &tiers));
    let making = Making { tiers: &tiers, blocks: &blocks, inputs: inputs.as_ref(), earlier };
    let made: Vec<Column> =
        columns.par_iter().map(|column| making.column(column)).collect::<Result<_, _>>()?;
    let pages = blocks.iter().map(|block| block.pages.len() as u32).collect();
    let mut positions = Positions { pages, ..Positions::default() };
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
        .map(|(first_term, (terms, second))| TermRange { first_term, terms, second })
        .collect();
    let n_postings = terms.par_iter().map(|(_, parts)| {
        parts.iter().flat_map(|part| part.n_postings).map(u64::from).sum::<u64>()
    });
    let n_postings = n_postings.sum();
    let n_terms = terms.len() as u32;
    Ok(Lexical { structure, mean_len, ranges, positions, words, n_terms, n_postings })
}

/// The tree of pages, sections and passages.
fn structure(batches: &[BatchIndex]) -> Structure {
    let mut builder = StructureBuilder::default();
    for batch in batches {
        let mut section = 0;
        for page in batch.pages() {
            builder.page();
            for _ in 0..page.n_children {
                let at = &batch.sections()[section];
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
fn mean_len(batches: &[BatchIndex]) -> [f32; 6] {
    let (mut sums, mut counts) = ([0u64; 6], [0u64; 6]);
    for batch in batches {
        let (mut sections, mut passages) = (batch.sections().iter(), batch.passages().iter());
        for page in batch.pages() {
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

//! The lexical index: analyses every page on all cores, collects postings on three levels, and cuts
//! them into ranges of terms.
//!
//! The result does not depend on the number of cores. Pages are analysed in batches with fixed
//! boundaries, each with its own term numbers. Their sorted terms are merged in page order, so ids
//! ascend. Positions are also cut by pages, so that an edit changes only the
//! positions of the pages around it.

mod analyses;
mod batch_index;
mod batches;
mod compounds;
mod inputs;
mod page_batch;
mod page_names;
mod positions;
mod shards;
mod term_merge;
mod term_plan;
mod term_ranges;
#[cfg(test)]
mod tests;

use std::iter;
use std::ops::Range;

use findling_bundle::Synonym;
use findling_bundle::limits::MAX_TERM_LEN;
use findling_bundle::structure::{Structure, StructureBuilder};
use rayon::prelude::*;

use super::chunks::Chunks;
use super::earlier_shards::EarlierShards;
use super::languages::Languages;
use super::stored::Stored;
use super::tiers::Tiers;
pub use analyses::KIND as ANALYSES;
use analyses::analyses;
use batch_index::Head;
use batches::{Batch, Groups, all_held, even_starts, words};
use findling_base::progress::Counter;
use findling_base::record_log::RecordLog;
use findling_base::scratch::changed;
use findling_page::page::Page;
use findling_page::shard_cutter::separator;
use inputs::Inputs;
pub use positions::Positions;
use positions::blocks;
use shards::{Column, Making};
use term_merge::{MergedTerms, N_RUNS, N_RUNS_OF_GROUP};
use term_plan::{Plan, TermTable};
use term_ranges::Term;

const _: () = assert!(findling_text::MAX_TERM_BYTES <= MAX_TERM_LEN);

/// Pages analysed together. It affects memory use only, not the result.
const BATCH: usize = 64;

/// The number of groups that together would fill the memory for terms. Terms in a temporary file
/// are merged in groups.
const GROUPS_IN_MEMORY: u64 = 2;
/// The smallest group, in bytes.
const MIN_GROUP_BYTES: u64 = 64 << 10;

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

/// The input of the analysis.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// All pages.
    pub pages: &'a [Page],
    /// The sections of each page.
    pub chunks: &'a Chunks,
    /// The languages of the pages.
    pub languages: &'a Languages,
    /// The site's synonyms.
    pub synonyms: &'a [Synonym],
    /// Bytes of analysed pages that stay in memory.
    pub memory: u64,
}

/// Analyses all pages, and compresses the shards. The results for unchanged pages are taken from
/// the log and the previous bundle.
///
/// # Errors
/// If a limit of the bundle format is exceeded, or a temporary file cannot be read.
pub fn analyse(
    input: &Input<'_>,
    log: Option<RecordLog>,
    earlier: &EarlierShards,
    bar: &Counter,
) -> anyhow::Result<Lexical> {
    let batches = analyses(input, log, bar)?;
    let pages = input.pages;
    let structure = structure(&batches);
    let blocks = blocks(pages, &batches);
    let mean_len = mean_len(&batches);
    let tiers = Tiers::new(pages, &structure, &mean_len);
    // Without a log no shard is found by its key.
    let inputs = earlier.has_log().then(|| Inputs::new(pages, BATCH, &tiers));
    let making = Making { tiers: &tiers, blocks: &blocks, inputs: inputs.as_ref(), earlier };
    let words = || words(&batches);
    let (words, made) = match all_held(&batches) {
        Some(held) => {
            let (words, merged) = rayon::join(words, || MergedTerms::of(&held, N_RUNS));
            (words?, made_at_once(&making, &merged)?)
        }
        None => {
            let group_bytes = (input.memory / GROUPS_IN_MEMORY).max(MIN_GROUP_BYTES) as usize;
            (words()?, made_by_groups(&making, &batches, group_bytes)?)
        }
    };
    let pages = blocks.iter().map(|block| block.pages.len() as u32).collect();
    let mut positions = Positions { pages, ..Positions::default() };
    let mut packed = Vec::with_capacity(made.firsts.len());
    for column in made.columns {
        positions.ranges.push(column.terms.len() as u32);
        positions.shards.extend(column.positions);
        packed.extend(column.terms);
    }
    let ranges = made.firsts.into_iter().zip(packed);
    let ranges = ranges
        .map(|(first_term, (terms, second))| TermRange { first_term, terms, second })
        .collect();
    let Made { n_terms, n_postings, .. } = made;
    Ok(Lexical { structure, mean_len, ranges, positions, words, n_terms, n_postings })
}

/// The result of indexing all terms.
struct Made {
    columns: Vec<Column>,
    /// The string with which each range begins.
    firsts: Vec<String>,
    n_terms: u32,
    n_postings: u64,
}

impl Made {
    fn new(plan: &Plan<'_>, columns: Vec<Column>) -> Self {
        let Plan { terms, ranges, .. } = plan;
        let befores = iter::once("").chain(ranges.iter().map(|range| terms[range.end - 1].term));
        let firsts = befores
            .zip(ranges)
            .map(|(before, range)| separator(before, terms[range.start].term).to_owned());
        let n_postings = terms.par_iter().flat_map_iter(|term| term.n_postings).map(u64::from);
        let (n_terms, n_postings) = (terms.len() as u32, n_postings.sum());
        Self { columns, firsts: firsts.collect(), n_terms, n_postings }
    }
}

/// Makes all shards of terms that are in memory.
fn made_at_once(making: &Making<'_>, merged: &MergedTerms<'_>) -> anyhow::Result<Made> {
    let terms = merged.terms();
    let plan = Plan::of_merged(&terms, making.blocks.len());
    let columns = columns(making, &plan, 0..plan.columns.len(), terms)?;
    Ok(Made::new(&plan, columns))
}

/// Makes the shards of one group of terms after the other. Each group takes about `group_bytes`
/// bytes of memory.
fn made_by_groups(
    making: &Making<'_>,
    batches: &[Batch],
    group_bytes: usize,
) -> anyhow::Result<Made> {
    let starts = even_starts(batches, group_bytes);
    let groups = Groups::new(batches, &starts)?;
    let mut table = TermTable::default();
    for at in 0..starts.len() {
        table.add(&MergedTerms::of(&groups.group(at)?, N_RUNS_OF_GROUP));
    }
    let plan = Plan::of(table.infos(), making.blocks.len());
    let of_groups = plan.groups(group_bytes);
    let first = |columns: &Range<usize>| {
        plan.terms.get(plan.terms_of(columns).start).map_or("", |term| term.term)
    };
    let starts: Vec<&str> = of_groups.iter().map(first).collect();
    let groups = Groups::new(batches, &starts)?;
    let mut made = Vec::with_capacity(plan.columns.len());
    for (at, of_group) in of_groups.into_iter().enumerate() {
        let group = groups.group(at)?;
        let merged = MergedTerms::of(&group, N_RUNS_OF_GROUP);
        made.extend(columns(making, &plan, of_group, merged.terms())?);
    }
    Ok(Made::new(&plan, made))
}

/// Makes the shards of some columns, whose terms are among `terms`.
fn columns(
    making: &Making<'_>,
    plan: &Plan<'_>,
    columns: Range<usize>,
    terms: Vec<Term<'_>>,
) -> anyhow::Result<Vec<Column>> {
    let place = plan.terms_of(&columns);
    let terms = plan.keep(terms, &place);
    if terms.len() != place.len() {
        return Err(changed().into());
    }
    let column = |ranges: &Range<usize>| {
        let ranges = plan.ranges[ranges.clone()].iter();
        let ranges: Vec<&[Term<'_>]> = ranges
            .map(|range| &terms[range.start - place.start..range.end - place.start])
            .collect();
        making.column(&ranges)
    };
    Ok(plan.columns[columns].par_iter().map(column).collect::<Result<_, _>>()?)
}

/// Returns the tree of pages, sections and passages.
fn structure(batches: &[Batch]) -> Structure {
    let mut builder = StructureBuilder::default();
    for Head { pages, sections, .. } in batches.iter().map(Batch::head) {
        let mut section = 0;
        for page in pages {
            builder.page();
            for _ in 0..page.n_children {
                let at = &sections[section];
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

/// Returns the mean length of each field, over the passages in which the field is not empty. A
/// page's title counts for each of its passages. If passages without code also counted, a single
/// word of code would look like a long field.
fn mean_len(batches: &[Batch]) -> [f32; 6] {
    let (mut sums, mut counts) = ([0u64; 6], [0u64; 6]);
    for Head { pages, sections, passages } in batches.iter().map(Batch::head) {
        let (mut sections, mut passages) = (sections.iter(), passages.iter());
        for page in pages {
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

//! Cutting the positions of terms into shards, by pages and by terms.

use std::ops::Range;

use findling_bundle::positions::PositionsBuilder;
use findling_bundle::structure::Structure;
use findling_bundle::{Level, PageId, PassageId, SectionId};
use rayon::prelude::*;

use super::BATCH;
use super::batch_index::Head;
use super::batches::Batch;
use super::page_batch::LevelPostings;
use super::term_plan::TermInfo;
use crate::stored::Stored;
use findling_page::page::Page;
use findling_page::shard_cutter::ShardCutter;

/// The positions of all terms, cut into a grid of shards: blocks of pages by columns of term ranges
/// (see [`findling_bundle::positions`]).
#[derive(Debug, Default)]
pub struct Positions {
    /// Number of pages in each block.
    pub pages: Vec<u32>,
    /// Number of term ranges in each column.
    pub ranges: Vec<u32>,
    /// The shards column by column; `None` for a cell without positions.
    pub shards: Vec<Option<Stored>>,
}

/// A block of pages.
#[derive(Clone, Debug)]
pub struct Block {
    /// The pages.
    pub pages: Range<u32>,
    /// The batches that these pages are in.
    pub batches: Range<u32>,
}

/// Number of blocks that pages are cut into. An edited page changes the positions of one block.
const N_BLOCKS: usize = 16;

/// Bytes of an entry in the directory of positions. Together with [`SHARDS_PER_PHRASE`] it decides
/// the size of the shards.
const BYTES_PER_ENTRY: usize = 7;

/// Shards that a phrase fetches: two words in four blocks.
const SHARDS_PER_PHRASE: usize = 8;

/// Smallest size that a shard of positions is cut to.
const MIN_POSITIONS_BYTES: usize = 1 << 10;

/// Returns the blocks. The addresses of pages decide the cuts.
pub fn blocks(pages: &[Page], batches: &[Batch]) -> Vec<Block> {
    let mut sizes = Vec::with_capacity(pages.len());
    for Head { pages, sections, passages } in batches.iter().map(Batch::head) {
        let (mut sections, mut passages) = (sections.iter(), passages.iter());
        for page in pages {
            let mut size = page.len[0];
            for section in sections.by_ref().take(page.n_children as usize) {
                size += section.len[0];
                let own = passages.by_ref().take(section.n_children as usize);
                size += own.map(|len| len[0] + len[1]).sum::<u32>();
            }
            sizes.push(size as usize);
        }
    }
    let total: usize = sizes.iter().sum();
    let mut cutter = ShardCutter::new(ShardCutter::steady((total / N_BLOCKS) as f64));
    let mut starts = Vec::new();
    for (at, (page, size)) in (0..).zip(pages.iter().zip(sizes)) {
        if cutter.cut_before(&page.url, size) || starts.is_empty() {
            starts.push(at);
        }
    }
    let batch = |page: u32| page / BATCH as u32;
    let ends = starts.iter().skip(1).copied().chain([pages.len() as u32]);
    let blocks = starts.iter().zip(ends).map(|(&start, end)| Block {
        pages: start..end,
        batches: batch(start)..batch(end - 1) + 1,
    });
    blocks.collect()
}

/// Returns the ranges of terms of each column.
pub fn columns(
    terms: &[TermInfo<'_>],
    ranges: &[Range<usize>],
    n_blocks: usize,
) -> Vec<Range<usize>> {
    let size = |range: &Range<usize>| -> usize {
        terms[range.clone()].iter().map(|term| term.n_positions as usize).sum()
    };
    let sizes: Vec<usize> = ranges.par_iter().map(size).collect();
    let total: usize = sizes.iter().sum();
    let best = ((BYTES_PER_ENTRY * total) as f64 / SHARDS_PER_PHRASE as f64).sqrt();
    let shard = ShardCutter::steady(best).max(MIN_POSITIONS_BYTES);
    let mut cutter = ShardCutter::new(shard * n_blocks);
    let mut starts = vec![0];
    for (i, (range, size)) in ranges.iter().zip(sizes).enumerate() {
        if cutter.cut_before(terms[range.start].term, size) {
            starts.push(i);
        }
    }
    starts.push(ranges.len());
    let columns = starts.windows(2).map(|cut| cut[0]..cut[1]);
    columns.filter(|column| !column.is_empty()).collect()
}

/// Adds the positions of one term on one level, each to the block of its page. Blocks without a
/// builder are skipped.
pub fn push_positions(
    builders: &mut [Option<PositionsBuilder>],
    blocks: &[Block],
    lists: &LevelPostings,
    level: Level,
    structure: &Structure,
) -> Result<(), findling_bundle::Error> {
    let mut block = 0;
    let mut rest = &lists.positions[..];
    for (posting, &count) in lists.postings.iter().zip(&lists.counts) {
        let page = match level {
            Level::Page => PageId(posting.id),
            Level::Section => structure.page_of(SectionId(posting.id)),
            Level::Passage => structure.page_of(structure.section_of(PassageId(posting.id))),
        };
        while page.0 >= blocks[block].pages.end && block + 1 < blocks.len() {
            block += 1;
        }
        let (own, after) = rest.split_at(count as usize);
        if let Some(builder) = &mut builders[block] {
            builder.push(level, posting.tf, own)?;
        }
        rest = after;
    }
    Ok(())
}

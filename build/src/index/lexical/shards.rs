//! Writing terms, postings and positions into shards.

use findling_bundle::lexicon::TermsBuilder;
use findling_bundle::positions::PositionsBuilder;
use findling_bundle::structure::Structure;
use findling_bundle::{Level, PageId, SectionId};

use super::page_batch::{LevelPostings, TermPostings};
use super::positions::push_positions;
use super::term_ranges::Term;
use crate::index::tiers::Tiers;

/// The uncompressed shards of the term ranges of one column.
pub struct Column {
    /// For each range its first and second tier. The second is empty if the range has none.
    pub terms: Vec<[Vec<u8>; 2]>,
    /// The positions, by block.
    pub positions: Vec<Vec<u8>>,
}

/// Builds the shards of one column. `blocks` holds the number of pages of each block.
pub fn column(
    ranges: &[&[Term<'_>]],
    tiers: &Tiers<'_>,
    blocks: &[u32],
) -> Result<Column, findling_bundle::Error> {
    let structure = tiers.structure;
    let mut builders = vec![PositionsBuilder::new(); blocks.len()];
    let mut made = Vec::with_capacity(ranges.len());
    for terms in ranges {
        let (mut builder, mut second) = (TermsBuilder::new(), TermsBuilder::new());
        for (term, parts) in *terms {
            let joined = join(parts);
            let df = document_frequency(&joined, structure);
            let split =
                Level::ALL.map(|level| tiers.split(level, &joined[level as usize].postings));
            let [firsts, others] =
                [0, 1].map(|tier| split.each_ref().map(|tiers| &tiers[tier][..]));
            let n_second = others.map(|others| others.len() as u32);
            builder.push_first_tier(term, df, firsts, n_second, structure)?;
            if n_second != [0; 3] {
                second.push(term, df, others, structure)?;
            }
            for (lists, level) in joined.iter().zip(Level::ALL) {
                push_positions(&mut builders, blocks, lists, level, structure)?;
            }
        }
        builders.iter_mut().for_each(PositionsBuilder::end_range);
        let second = if second.is_empty() { Vec::new() } else { second.finish() };
        made.push([builder.finish(), second]);
    }
    let positions = builders
        .into_iter()
        .map(|builder| if builder.is_empty() { Vec::new() } else { builder.finish() })
        .collect();
    Ok(Column { terms: made, positions })
}

/// The postings of a term in all batches, by level.
fn join(parts: &[&TermPostings]) -> [LevelPostings; 3] {
    [0, 1, 2].map(|level| {
        let mut all = LevelPostings::default();
        for part in parts {
            let part = &part.levels[level];
            all.postings.extend_from_slice(&part.postings);
            all.counts.extend_from_slice(&part.counts);
            all.positions.extend_from_slice(&part.positions);
        }
        all
    })
}

/// Number of passages that contain the term in any field. A title or heading counts for every
/// passage below it.
fn document_frequency(
    [pages, sections, passages]: &[LevelPostings; 3],
    structure: &Structure,
) -> u32 {
    let of_pages =
        pages.postings.iter().map(|posting| structure.passages_of_page(PageId(posting.id)));
    let of_sections =
        sections.postings.iter().map(|posting| structure.passages(SectionId(posting.id)));
    let own = passages.postings.iter().map(|posting| posting.id..posting.id + 1);
    let mut spans: Vec<_> = of_pages.chain(of_sections).chain(own).collect();
    spans.sort_unstable_by_key(|span| span.start);
    let (mut df, mut covered) = (0, 0);
    for span in spans {
        df += span.end.saturating_sub(span.start.max(covered));
        covered = covered.max(span.end);
    }
    df
}

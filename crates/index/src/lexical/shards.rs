//! Writing terms, postings and positions into shards.

use findling_bundle::lexicon::TermsBuilder;
use findling_bundle::positions::PositionsBuilder;
use findling_bundle::structure::Structure;
use findling_bundle::{Error, Level, PageId, SectionId, ShardKind};

use super::BATCH;
use super::inputs::Inputs;
use super::page_batch::LevelPostings;
use super::positions::{Block, push_positions};
use super::term_ranges::Term;
use crate::earlier_shards::EarlierShards;
use crate::stored::Stored;
use crate::tiers::Tiers;
use findling_base::record_log::Key;

/// Both tiers of a range of terms. The second is missing if the range has none.
pub type BothTiers = (Stored, Option<Stored>);

/// The shards of the term ranges of one column.
pub struct Column {
    /// The tiers of each range.
    pub terms: Vec<BothTiers>,
    /// The positions, by block; `None` for a block without positions.
    pub positions: Vec<Option<Stored>>,
}

/// The data that shards are made with.
pub struct Making<'a> {
    /// The sections and pages of passages, and how tiers are divided.
    pub tiers: &'a Tiers<'a>,
    /// The blocks of positions.
    pub blocks: &'a [Block],
    /// The keys of shards; `None` if shards are not found by keys.
    pub inputs: Option<&'a Inputs>,
    /// The shards of the previous bundle.
    pub earlier: &'a EarlierShards,
}

impl Making<'_> {
    /// Makes the shards of one column. Shards with unchanged inputs are taken from the previous
    /// bundle.
    pub fn column(&self, ranges: &[&[Term<'_>]]) -> Result<Column, Error> {
        let keys: Vec<Option<Key>> = match self.inputs {
            Some(inputs) => inputs.positions(ranges, self.blocks).into_iter().map(Some).collect(),
            None => vec![None; self.blocks.len()],
        };
        let known: Vec<Option<Option<Stored>>> =
            keys.iter().map(|key| self.find(*key, ShardKind::Positions)).collect();
        let mut builders: Vec<Option<PositionsBuilder>> =
            known.iter().map(|known| known.is_none().then(PositionsBuilder::new)).collect();
        let terms = ranges
            .iter()
            .map(|range| self.range(range, &mut builders))
            .collect::<Result<_, Error>>()?;
        let positions = keys.into_iter().zip(known).zip(builders).map(|((key, known), builder)| {
            let builder = builder.filter(|builder| !builder.is_empty());
            let raw = builder.map(PositionsBuilder::finish).unwrap_or_default();
            known.map_or_else(|| self.encode(key, ShardKind::Positions, &raw), Ok)
        });
        Ok(Column { terms, positions: positions.collect::<Result<_, _>>()? })
    }

    /// Makes the tiers of one range, and adds its positions to the builders of the blocks that are
    /// made again.
    fn range(
        &self,
        terms: &[Term<'_>],
        builders: &mut [Option<PositionsBuilder>],
    ) -> Result<BothTiers, Error> {
        let keys = self.inputs.map(|inputs| inputs.tiers(terms));
        let [first_key, second_key] = [0, 1].map(|tier| keys.map(|keys| keys[tier]));
        let first = self.find(first_key, ShardKind::Terms);
        let second = self.find(second_key, ShardKind::SecondTier);
        let known = first.flatten().zip(second);
        let blocks = self.blocks.iter().zip(&*builders);
        let anew: Vec<&Block> =
            blocks.filter(|(_, builder)| builder.is_some()).map(|(block, _)| block).collect();
        let is_read =
            |batch: u32| known.is_none() || anew.iter().any(|block| block.batches.contains(&batch));
        let structure = self.tiers.structure;
        let (mut first, mut second) = (TermsBuilder::new(), TermsBuilder::new());
        for (term, parts) in terms {
            let mut lists = <[LevelPostings; 3]>::default();
            for part in parts.iter().filter(|part| is_read(part.batch)) {
                part.read(PageId(part.batch * BATCH as u32), structure, &mut lists);
            }
            if known.is_none() {
                self.push(term, &lists, &mut first, &mut second)?;
            }
            for (lists, level) in lists.iter().zip(Level::ALL) {
                push_positions(builders, self.blocks, lists, level, structure)?;
            }
        }
        builders.iter_mut().flatten().for_each(PositionsBuilder::end_range);
        if let Some(known) = known {
            return Ok(known);
        }
        let second = if second.is_empty() { Vec::new() } else { second.finish() };
        let first = self.earlier.encode(ShardKind::Terms, &first.finish())?;
        self.note(first_key, Some(&first));
        Ok((first, self.encode(second_key, ShardKind::SecondTier, &second)?))
    }

    /// Adds a term to both tiers.
    fn push(
        &self,
        term: &str,
        lists: &[LevelPostings; 3],
        first: &mut TermsBuilder,
        second: &mut TermsBuilder,
    ) -> Result<(), Error> {
        let structure = self.tiers.structure;
        let df = document_frequency(lists, structure);
        let split =
            Level::ALL.map(|level| self.tiers.split(level, &lists[level as usize].postings));
        let [firsts, others] = [0, 1].map(|tier| split.each_ref().map(|tiers| &tiers[tier][..]));
        let n_second = others.map(|others| others.len() as u32);
        first.push_first_tier(term, df, firsts, n_second, structure)?;
        if n_second != [0; 3] {
            second.push(term, df, others, structure)?;
        }
        Ok(())
    }

    fn find(&self, key: Option<Key>, kind: ShardKind) -> Option<Option<Stored>> {
        self.earlier.find(&key?, kind)
    }

    fn note(&self, key: Option<Key>, made: Option<&Stored>) {
        if let Some(key) = key {
            self.earlier.note(key, made);
        }
    }

    /// Compresses a shard if it is not empty. Remembers the result by the key of its inputs.
    fn encode(
        &self,
        key: Option<Key>,
        kind: ShardKind,
        raw: &[u8],
    ) -> Result<Option<Stored>, Error> {
        let stored = if raw.is_empty() { None } else { Some(self.earlier.encode(kind, raw)?) };
        self.note(key, stored.as_ref());
        Ok(stored)
    }
}

/// Returns the number of passages that contain the term in any field. A title or heading counts for
/// every passage below it.
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

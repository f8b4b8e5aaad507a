//! Merging the sorted terms of all batches.
//!
//! The terms are cut into runs, which are merged on all cores. The terms of a run are concatenated
//! batch by batch and sorted; a stable sort of sorted lists is a merge, and keeps the parts of a
//! term in the order of the batches. The sort compares the first bytes of terms, so that most
//! comparisons read no term. The boundaries of runs only affect time, not the result.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::ops::Range;

use rayon::prelude::*;

use super::batch_index::{BatchIndex, TermPart};
use super::compounds::{with_word, word_of};
use super::term_ranges::Term;

/// Number of runs: several for each core, so that all cores end at about the same time.
pub const N_RUNS: usize = 64;
/// The same number if only a group of the terms is merged.
pub const N_RUNS_OF_GROUP: usize = 8;

/// Terms of each batch that are sampled to cut runs of about equal length.
const SAMPLES: usize = 8;

/// Bytes of a term that are compared without reading it.
const PREFIX: usize = 16;

/// The terms of all batches.
pub struct MergedTerms<'a>(Vec<Run<'a>>);

/// A run of terms.
struct Run<'a> {
    /// The terms in order, each with the end of its parts.
    terms: Vec<(&'a str, usize)>,
    /// The parts of all terms.
    parts: Vec<TermPart<'a>>,
}

impl<'a> MergedTerms<'a> {
    /// Merges the terms of batches in `n_runs` runs. The number of a batch is its index.
    pub fn of(batches: &'a [impl Borrow<BatchIndex> + Sync], n_runs: usize) -> Self {
        let batches: Vec<&BatchIndex> = batches.iter().map(Borrow::borrow).collect();
        let batches = &batches[..];
        let starts = starts(batches, n_runs);
        let run = |at: usize| Run::of(batches, starts[at], starts.get(at + 1).copied());
        Self((0..starts.len()).into_par_iter().map(run).collect())
    }

    /// Returns all terms in order, each with its parts in the order of batches.
    pub fn terms(&self) -> Vec<Term<'_>> {
        let mut all = Vec::with_capacity(self.0.iter().map(|run| run.terms.len()).sum());
        for run in &self.0 {
            let mut from = 0;
            for &(term, end) in &run.terms {
                all.push((term, &run.parts[from..end]));
                from = end;
            }
        }
        all
    }
}

/// The place of a term in its batch, and the data that decides most comparisons with other terms.
struct Place {
    /// The first bytes of the term, with the first byte as the highest. A short term is followed by
    /// zeros.
    prefix: u128,
    /// Bytes of the term.
    len: u32,
    batch: u32,
    at: u32,
}

impl Place {
    fn of(batch: &BatchIndex, number: u32, at: usize) -> Self {
        let term = batch.term_bytes(at);
        let mut prefix = [0; PREFIX];
        let n = term.len().min(PREFIX);
        prefix[..n].copy_from_slice(&term[..n]);
        let (prefix, len) = (u128::from_be_bytes(prefix), term.len() as u32);
        Self { prefix, len, batch: number, at: at as u32 }
    }

    /// Returns the order of the terms' bytes.
    fn compare(&self, other: &Self, batches: &[&BatchIndex]) -> Ordering {
        self.prefix.cmp(&other.prefix).then_with(|| {
            if self.len.max(other.len) as usize <= PREFIX {
                // One term is the other term followed by zeros.
                return self.len.cmp(&other.len);
            }
            self.term(batches).cmp(other.term(batches))
        })
    }

    fn term<'a>(&self, batches: &[&'a BatchIndex]) -> &'a [u8] {
        batches[self.batch as usize].term_bytes(self.at as usize)
    }
}

/// Returns the first term of each run, in order. The first run begins with the empty term.
fn starts<'a>(batches: &[&'a BatchIndex], n_runs: usize) -> Vec<&'a str> {
    let samples = batches
        .iter()
        .flat_map(|batch| (0..SAMPLES).filter_map(|i| batch.term(i * batch.n_terms() / SAMPLES)));
    let mut samples: Vec<&str> = samples.collect();
    samples.sort_unstable();
    let cuts = (1..n_runs).filter_map(|i| samples.get(i * samples.len() / n_runs).copied());
    let mut starts: Vec<&str> = [""].into_iter().chain(cuts.map(with_word)).collect();
    starts.dedup();
    starts
}

impl<'a> Run<'a> {
    /// Merges the terms from `start` to before `end`.
    fn of(batches: &[&'a BatchIndex], start: &str, end: Option<&str>) -> Self {
        let places: Vec<Range<usize>> = batches
            .iter()
            .map(|batch| {
                let end = end.map_or(batch.n_terms(), |end| batch.place_of(end));
                batch.place_of(start)..end
            })
            .collect();
        let n = places.iter().map(ExactSizeIterator::len).sum();
        let mut all: Vec<Place> = Vec::with_capacity(n);
        for (number, (batch, places)) in (0..).zip(batches.iter().zip(places)) {
            all.extend(places.map(|at| Place::of(batch, number, at)));
        }
        all.sort_by(|a, b| a.compare(b, batches));
        let (mut terms, mut parts): (Vec<(&str, usize)>, _) =
            (Vec::new(), Vec::with_capacity(all.len()));
        let part =
            |place: &Place| batches[place.batch as usize].part(place.at as usize, place.batch);
        // Candidates come after the word. A batch has one of the two.
        let mut joined: Vec<usize> = Vec::new();
        for (term, part) in all.iter().filter_map(part) {
            let word = word_of(term);
            let place = terms.len().saturating_sub(1);
            match terms.last_mut() {
                Some((last, end)) if *last == word.unwrap_or(term) => {
                    parts.push(part);
                    *end = parts.len();
                    if word.is_some() && joined.last() != Some(&place) {
                        joined.push(place);
                    }
                }
                // No page has the piece of a compound as a word.
                _ if word.is_some() => {}
                _ => {
                    parts.push(part);
                    terms.push((term, parts.len()));
                }
            }
        }
        for place in joined {
            let start = place.checked_sub(1).map_or(0, |before| terms[before].1);
            parts[start..terms[place].1].sort_by_key(|part| part.batch);
        }
        Self { terms, parts }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;

    use super::super::page_batch::{Node, PageBatch, TermPostings};
    use super::*;
    use findling_bundle::{Level, Posting};

    /// Returns a batch of one page that contains these terms.
    fn batch(terms: &BTreeSet<String>) -> BatchIndex {
        let mut batch = PageBatch::default();
        let node = Node { len: [1, 0], n_children: 0, n_vectors: 0, continues: false };
        batch.pages.push(node);
        for (number, term) in (0..).zip(terms) {
            batch.terms.insert(term.as_str().into(), number);
            let mut lists = TermPostings::default();
            let level = &mut lists.levels[Level::Page as usize];
            level.postings.push(Posting::new(Level::Page, 0, [1, 0], [1, 0]));
            level.counts.push(0);
            batch.lists.push(lists);
        }
        BatchIndex::encode(batch)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn terms_and_parts_are_those_of_a_sorted_map(
            batches in vec(btree_set("([a-c]{0,4}|[ab]{13,18}|[ab]\u{1}c?)\0?", 0..40), 0..9),
        ) {
            let mut expect: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
            let words = batches.iter().flatten().filter(|term| word_of(term).is_none());
            words.for_each(|term| { expect.entry(term).or_default(); });
            for (number, terms) in (0..).zip(&batches) {
                for term in terms {
                    let word = word_of(term).unwrap_or(term);
                    expect.entry(word).and_modify(|batches| { batches.insert(number); });
                }
            }
            let encoded: Vec<BatchIndex> = batches.iter().map(batch).collect();
            let merged = MergedTerms::of(&encoded, N_RUNS);
            let numbers = |parts: &[TermPart<'_>]| parts.iter().map(|part| part.batch).collect();
            let found: Vec<(&str, Vec<u32>)> =
                merged.terms().iter().map(|(term, parts)| (*term, numbers(parts))).collect();
            let expect = expect.into_iter().map(|(term, of)| (term, of.into_iter().collect()));
            prop_assert_eq!(found, expect.collect::<Vec<_>>());
        }
    }
}

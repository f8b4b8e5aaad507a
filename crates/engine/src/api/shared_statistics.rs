//! Statistics of several bundles that are searched as one, so that their scores can be compared.
//!
//! Hosts ask each bundle for what the query looks up there ([`crate::Search::terms`],
//! [`Index::frequencies`](crate::Index::frequencies)), add it up here, and hand the sum to all of
//! them ([`Index::set_shared`](crate::Index::set_shared)).

use std::collections::{BTreeMap, BTreeSet};

use findling_bundle::Stats;

/// What a query looks up in one bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryTerms {
    /// All terms and keys, whether the bundle has them or not.
    pub terms: BTreeSet<String>,
    /// By the beginning of an unfinished word: the terms that it may become.
    pub completions: BTreeMap<String, Vec<String>>,
    /// By term: terms made of it, and terms that it is made of.
    pub relatives: BTreeMap<String, Vec<String>>,
}

/// A word that none of the bundles has, and the word of one of them that is nearest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misspelling {
    /// In lower case, without diacritics.
    pub word: String,
    /// What it is replaced by.
    pub replacement: String,
    /// Half edits between them.
    pub cost: u8,
    /// Less is better.
    pub rank: i32,
}

/// The best scores of both legs for one phrasing, which shares of fused scores are relative to.
#[derive(Clone, Debug, PartialEq)]
pub struct LegBests {
    /// The query of the phrasing.
    pub query: String,
    /// The best score by words.
    pub lexical: f32,
    /// The greatest similarity.
    pub nearest: Option<f32>,
    /// The similarity of the query with the mean of the vectors, and the number of vectors.
    pub zero: Option<(f32, u32)>,
}

/// Statistics of several bundles for one request.
#[derive(Clone, Debug, Default)]
pub struct SharedStatistics {
    /// Only what scores depend on: passages, and mean lengths.
    pub(crate) stats: Stats,
    frequencies: BTreeMap<String, u32>,
    lists: QueryTerms,
    corrections: Option<BTreeMap<String, Misspelling>>,
    bests: Vec<LegBests>,
    /// Whether a query that leaves nothing is read without its phrases and exclusions.
    pub relaxes: bool,
}

impl SharedStatistics {
    /// The statistics of bundles without a query. Mean lengths are weighed by passages.
    pub fn new<'a>(all: impl IntoIterator<Item = &'a Stats>) -> Self {
        let (mut stats, mut sums) = (Stats::default(), [0.0f64; 6]);
        for one in all {
            stats.n_passages = stats.n_passages.saturating_add(one.n_passages);
            for (sum, mean) in sums.iter_mut().zip(one.mean_len) {
                // Where each passage has the field, this is the number of its words.
                *sum += libm::round(f64::from(mean) * f64::from(one.n_passages));
            }
        }
        let n = f64::from(stats.n_passages.max(1));
        stats.mean_len = sums.map(|sum| (sum / n) as f32);
        Self { stats, ..Self::default() }
    }

    /// The mean lengths of fields over all bundles, in the order of [`findling_bundle::Field`].
    pub fn mean_lengths(&self) -> [f32; 6] {
        self.stats.mean_len
    }

    /// Adds what a query looks up in one of the bundles.
    pub fn add_terms(&mut self, found: QueryTerms) {
        self.lists.terms.extend(found.terms);
        for (lists, more) in [
            (&mut self.lists.completions, found.completions),
            (&mut self.lists.relatives, found.relatives),
        ] {
            for (word, terms) in more {
                self.lists.terms.extend(terms.iter().cloned());
                lists.entry(word).or_default().extend(terms);
            }
        }
    }

    /// The terms whose frequencies are not known yet.
    pub fn uncounted(&self) -> Vec<String> {
        let terms = self.lists.terms.iter();
        terms.filter(|term| !self.frequencies.contains_key(*term)).cloned().collect()
    }

    /// Adds the frequencies of terms in one of the bundles.
    pub fn add_frequencies(&mut self, terms: &[String], counts: &[u32]) {
        for (term, count) in terms.iter().zip(counts) {
            let sum = self.frequencies.entry(term.clone()).or_default();
            *sum = sum.saturating_add(*count);
        }
    }

    /// Puts completions and relatives in order, the most frequent first, once all frequencies are
    /// known.
    pub fn arrange(&mut self) {
        let Self { frequencies, lists, .. } = self;
        for terms in lists.completions.values_mut().chain(lists.relatives.values_mut()) {
            terms.sort();
            terms.dedup();
            // Stable: among equals the first in the alphabet.
            let df = |term: &String| frequencies.get(term).copied().unwrap_or_default();
            terms.sort_by_key(|term| std::cmp::Reverse(df(term)));
        }
    }

    /// Chooses the replacements of misspelled words. From then on no bundle looks for its own.
    /// Returns whether there are any.
    pub fn correct(&mut self, found: impl IntoIterator<Item = Misspelling>) -> bool {
        let mut best: BTreeMap<String, Misspelling> = BTreeMap::new();
        for near in found {
            let key = |near: &Misspelling| (near.rank, near.replacement.clone());
            match best.get(&near.word) {
                Some(known) if key(known) <= key(&near) => {}
                _ => drop(best.insert(near.word.clone(), near)),
            }
        }
        let is_any = !best.is_empty();
        self.corrections = Some(best);
        is_any
    }

    /// The words that are replaced, and what by, once replacements are chosen.
    pub fn replacements(&self) -> impl Iterator<Item = (&str, &str)> {
        let chosen = self.corrections.iter().flatten();
        chosen.map(|(word, near)| (word.as_str(), near.replacement.as_str()))
    }

    /// Adds the best scores in one of the bundles.
    pub fn add_bests(&mut self, bests: Vec<LegBests>) {
        for one in bests {
            let Some(known) = self.bests.iter_mut().find(|known| known.query == one.query) else {
                self.bests.push(one);
                continue;
            };
            known.lexical = known.lexical.max(one.lexical);
            let nearest = [known.nearest, one.nearest];
            known.nearest = nearest.into_iter().flatten().reduce(f32::max);
            known.zero = match (known.zero, one.zero) {
                (Some((a, n)), Some((b, m))) => {
                    let weight = |zero: f32, n: u32| f64::from(zero) * f64::from(n);
                    let all = n.saturating_add(m).max(1);
                    let mean = (weight(a, n) + weight(b, m)) / f64::from(all);
                    Some((mean as f32, all))
                }
                (a, b) => a.or(b),
            };
        }
    }

    /// In how many passages of all bundles a term is; `None` where it was not counted.
    pub(crate) fn frequency(&self, term: &str) -> Option<u32> {
        self.frequencies.get(term).copied()
    }

    pub(crate) fn completions(&self, prefix: &str) -> Option<&[String]> {
        self.lists.completions.get(prefix).map(Vec::as_slice)
    }

    pub(crate) fn relatives(&self, term: &str) -> Option<&[String]> {
        self.lists.relatives.get(term).map(Vec::as_slice)
    }

    /// The replacement of a word, once replacements are chosen.
    pub(crate) fn correction(&self, word: &str) -> Option<Option<&Misspelling>> {
        self.corrections.as_ref().map(|corrections| corrections.get(word))
    }

    /// Whether replacements are chosen.
    pub(crate) fn is_corrected(&self) -> bool {
        self.corrections.is_some()
    }

    pub(crate) fn bests(&self, query: &str) -> Option<&LegBests> {
        self.bests.iter().find(|bests| bests.query == query)
    }
}

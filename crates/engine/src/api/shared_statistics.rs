//! Statistics of several bundles that are searched as one, so that their scores can be compared.
//!
//! Hosts collect from each bundle the terms that the query looks up and their frequencies
//! ([`crate::Search::terms`], [`Index::frequencies`](crate::Index::frequencies)), add them up here,
//! and hand the sum to all bundles ([`Index::set_statistics`](crate::Index::set_statistics)).
//!
//! Browsers have each bundle in a worker of its own. There a request carries the answers of all
//! bundles ([`SharedPart`]), and each bundle adds them up.

use findling_bundle::{Stats, order};

/// The statistics of all bundles that the search of one bundle reads. This is a trait, so that the
/// part of the engine that every reader loads does not contain the code behind it.
pub(crate) trait SharedScores: Send + Sync {
    /// Returns the number of passages and the mean lengths.
    fn stats(&self) -> &Stats;
    /// Returns whether a query that finds nothing is repeated without its phrases and exclusions.
    fn relaxes(&self) -> bool;
    /// Returns the number of passages of all bundles that have a term; `None` if it was not
    /// counted.
    fn frequency(&self, term: &str) -> Option<u32>;
    /// Returns the completions of a word in all bundles, the most frequent first.
    fn completions(&self, prefix: &str) -> Option<&[String]>;
    /// Returns the terms that begin with a term, and the terms with which it begins, in the same
    /// order.
    fn relatives(&self, term: &str) -> Option<&[String]>;
    /// Returns the replacement of a word, after replacements were chosen.
    fn correction(&self, word: &str) -> Option<Option<&Misspelling>>;
    /// Returns whether replacements are chosen.
    fn is_corrected(&self) -> bool;
    /// Returns the best score by words and the greatest similarity for a phrasing.
    fn bests(&self, query: &str) -> (f32, f32);
    /// Returns the similarity of a phrasing with the mean vector of all bundles, or `own` if it is
    /// not known.
    fn zero(&self, query: &str, own: f32) -> f32;
    /// Returns the terms whose frequencies are not known yet.
    fn uncounted(&self) -> Vec<String>;
}

/// The statistics that a bundle uses for scores: its own statistics, or the statistics of several
/// bundles.
#[derive(Default)]
pub struct Statistics(Option<Box<dyn SharedScores>>);

impl Statistics {
    #[inline]
    pub(crate) fn get(&self) -> Option<&dyn SharedScores> {
        self.0.as_deref()
    }
}

impl From<SharedStatistics> for Statistics {
    fn from(shared: SharedStatistics) -> Self {
        Self(Some(Box::new(shared)))
    }
}

/// The part of the statistics that a request asks for instead of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedPart {
    /// The terms that the query looks up ([`crate::Search::terms`]).
    Terms,
    /// The frequencies of terms that were not counted yet ([`crate::Index::frequencies`]).
    Counts,
    /// The words that would be corrected ([`crate::Search::misspellings`]).
    Misspellings,
    /// The best scores of both legs ([`crate::Search::bests`]).
    Bests,
}

/// The terms that a query looks up in one bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryTerms {
    /// All terms and keys, even if the bundle does not have them.
    pub terms: Vec<String>,
    /// The beginnings of unfinished words, with the terms that they may become.
    pub completions: Vec<(String, Vec<String>)>,
    /// Terms, with the terms that begin with them and the terms with which they begin.
    pub relatives: Vec<(String, Vec<String>)>,
}

/// A word that no bundle has, and the nearest word in one of the bundles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misspelling {
    /// In lower case, without diacritics.
    pub word: String,
    /// The word that replaces it.
    pub replacement: String,
    /// Half edits between them.
    pub cost: u8,
    /// Less is better.
    pub rank: i32,
}

/// The best scores of both legs for one phrasing. Shares of fused scores are relative to them.
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
    /// Only numbers that scores depend on: passages, and mean lengths.
    stats: Stats,
    /// Terms in ascending order, with the passages that they are in, once these are counted.
    frequencies: Vec<(String, Option<u32>)>,
    completions: Vec<(String, Vec<String>)>,
    relatives: Vec<(String, Vec<String>)>,
    corrections: Option<Vec<Misspelling>>,
    bests: Vec<LegBests>,
    /// Whether a query that finds nothing is repeated without its phrases and exclusions.
    pub relaxes: bool,
}

impl SharedStatistics {
    /// Returns the statistics of bundles without a query. Mean lengths are weighted by the number
    /// of passages.
    pub fn new<'a>(all: impl IntoIterator<Item = &'a Stats>) -> Self {
        let (mut stats, mut sums) = (Stats::default(), [0.0f64; 6]);
        for one in all {
            stats.n_passages = stats.n_passages.saturating_add(one.n_passages);
            for (sum, mean) in sums.iter_mut().zip(one.mean_len) {
                // If every passage has the field, this is the number of words in it.
                *sum += libm::round(f64::from(mean) * f64::from(one.n_passages));
            }
        }
        let n = f64::from(stats.n_passages.max(1));
        stats.mean_len = sums.map(|sum| (sum / n) as f32);
        Self { stats, ..Self::default() }
    }

    /// Returns the mean lengths of fields over all bundles, in the order of
    /// [`findling_bundle::Field`].
    pub fn mean_lengths(&self) -> [f32; 6] {
        self.stats.mean_len
    }

    /// Adds the terms that a query looks up in one of the bundles.
    pub fn add_terms(&mut self, found: QueryTerms) {
        found.terms.into_iter().for_each(|term| self.add_term(term));
        for (of_words, found) in [(false, found.completions), (true, found.relatives)] {
            for (word, terms) in found {
                terms.iter().for_each(|term| self.add_term(term.clone()));
                let lists = if of_words { &mut self.relatives } else { &mut self.completions };
                match lists.iter_mut().find(|(known, _)| *known == word) {
                    Some((_, known)) => known.extend(terms),
                    None => lists.push((word, terms)),
                }
            }
        }
    }

    fn add_term(&mut self, term: String) {
        if let Err(place) = self.place(&term) {
            self.frequencies.insert(place, (term, None));
        }
    }

    /// Returns the index of a term, or the index at which to insert it.
    fn place(&self, term: &str) -> Result<usize, usize> {
        self.frequencies.binary_search_by(|(known, _)| (**known).cmp(term))
    }

    /// Returns the terms whose frequencies are not known yet.
    pub fn uncounted(&self) -> Vec<String> {
        let uncounted = self.frequencies.iter().filter(|(_, count)| count.is_none());
        uncounted.map(|(term, _)| term.clone()).collect()
    }

    /// Adds the frequencies of terms in one of the bundles.
    pub fn add_frequencies(&mut self, terms: &[String], counts: &[u32]) {
        for (term, count) in terms.iter().zip(counts) {
            self.add_term(term.clone());
            if let Ok(place) = self.place(term) {
                let sum = &mut self.frequencies[place].1;
                *sum = Some(sum.unwrap_or_default().saturating_add(*count));
            }
        }
    }

    /// Puts completions and relatives in order, the most frequent first, once all frequencies are
    /// known.
    pub fn arrange(&mut self) {
        self.completions = self.arranged(&self.completions);
        self.relatives = self.arranged(&self.relatives);
    }

    fn arranged(&self, lists: &[(String, Vec<String>)]) -> Vec<(String, Vec<String>)> {
        let mut arranged = Vec::with_capacity(lists.len());
        for (word, terms) in lists {
            let df = |term: &str| self.place(term).ok().and_then(|at| self.frequencies[at].1);
            let mut keyed: Vec<(u32, &String)> =
                terms.iter().map(|term| (df(term).unwrap_or_default(), term)).collect();
            // Ties go to the alphabetically first term.
            order::sort_by(&mut keyed, |a, b| a.0 > b.0 || (a.0 == b.0 && a.1 < b.1));
            keyed.dedup();
            arranged
                .push((word.clone(), keyed.into_iter().map(|(_, term)| term.clone()).collect()));
        }
        arranged
    }

    /// Chooses the replacements of misspelled words. From then on no bundle chooses its own.
    /// Returns whether there are any.
    pub fn correct(&mut self, found: impl IntoIterator<Item = Misspelling>) -> bool {
        let mut best: Vec<Misspelling> = Vec::new();
        for near in found {
            let Some(known) = best.iter_mut().find(|known| known.word == near.word) else {
                best.push(near);
                continue;
            };
            if (near.rank, &near.replacement) < (known.rank, &known.replacement) {
                *known = near;
            }
        }
        let is_any = !best.is_empty();
        self.corrections = Some(best);
        is_any
    }

    /// Returns the replaced words with their replacements, after these were chosen.
    pub fn replacements(&self) -> impl Iterator<Item = (&str, &str)> {
        let chosen = self.corrections.iter().flatten();
        chosen.map(|near| (near.word.as_str(), near.replacement.as_str()))
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

    fn leg_bests(&self, query: &str) -> Option<&LegBests> {
        self.bests.iter().find(|bests| bests.query == query)
    }
}

impl SharedScores for SharedStatistics {
    fn stats(&self) -> &Stats {
        &self.stats
    }

    fn relaxes(&self) -> bool {
        self.relaxes
    }

    fn frequency(&self, term: &str) -> Option<u32> {
        self.frequencies[self.place(term).ok()?].1
    }

    fn completions(&self, prefix: &str) -> Option<&[String]> {
        list_of(&self.completions, prefix)
    }

    fn relatives(&self, term: &str) -> Option<&[String]> {
        list_of(&self.relatives, term)
    }

    fn correction(&self, word: &str) -> Option<Option<&Misspelling>> {
        Some(self.corrections.as_ref()?.iter().find(|near| near.word == word))
    }

    fn is_corrected(&self) -> bool {
        self.corrections.is_some()
    }

    fn bests(&self, query: &str) -> (f32, f32) {
        let bests = self.leg_bests(query);
        let similarity = bests.and_then(|bests| bests.nearest).unwrap_or(f32::NEG_INFINITY);
        (bests.map_or(0.0, |bests| bests.lexical), similarity)
    }

    fn zero(&self, query: &str, own: f32) -> f32 {
        self.leg_bests(query).and_then(|bests| bests.zero).map_or(own, |(zero, _)| zero)
    }

    fn uncounted(&self) -> Vec<String> {
        self.uncounted()
    }
}

fn list_of<'a>(lists: &'a [(String, Vec<String>)], word: &str) -> Option<&'a [String]> {
    let (_, terms) = lists.iter().find(|(known, _)| known == word)?;
    Some(terms)
}

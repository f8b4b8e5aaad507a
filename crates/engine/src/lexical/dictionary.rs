//! Lookup of terms across the ranges of the lexicon.

use findling_bundle::lexicon::{Postings, merged};
use findling_bundle::{Level, Posting, ShardId, TermEntry, TermsShard};

use findling_text::is_stop_word;
use findling_text::keys::is_key;

use crate::api::SharedScores;
use crate::index::Index;

/// Maximum number of completions of an unfinished word.
pub(crate) const MAX_COMPLETIONS: usize = 24;
/// Maximum number of ranges of the lexicon that are read for completions, which bounds the download
/// for a keystroke.
const MAX_COMPLETION_RANGES: usize = 3;
/// Shortest stem in characters, and the largest number of characters by which it is shorter than
/// its word.
const MIN_STEM_CHARS: usize = 4;
const MAX_STEM_CUT: usize = 4;

/// Maximum number of relatives of a term that are longer than it.
const MAX_RELATIVES: usize = 16;
/// Shortest term, in characters, whose longer relatives are looked up.
const MIN_RELATIVE_CHARS: usize = 4;

/// A term that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lookup {
    /// The range: an index in the manifest's `lexicon`.
    pub range: usize,
    pub entry: TermEntry,
    /// The entry in the second tier, if the second tier is read.
    second: Option<TermEntry>,
}

impl Lookup {
    /// Returns whether there are postings that are not read.
    pub fn is_partial(&self) -> bool {
        has_second(&self.entry) && self.second.is_none()
    }
}

/// Returns whether a term has postings in the second tier, on any level.
fn has_second(entry: &TermEntry) -> bool {
    entry.n_second != [0; 3]
}

/// A term's postings on one level, tier after tier.
#[derive(Default)]
pub(crate) struct Tiers<'a> {
    /// The rest of the current tier.
    first: Option<Postings<'a>>,
    second: Option<Postings<'a>>,
}

impl<'a> Tiers<'a> {
    /// Returns each tier separately, with ascending postings.
    pub fn apart(self) -> impl Iterator<Item = Postings<'a>> {
        self.first.into_iter().chain(self.second)
    }
}

impl Iterator for Tiers<'_> {
    type Item = Posting;

    #[inline]
    fn next(&mut self) -> Option<Posting> {
        // Postings are only read here. The code is inlined into each caller, and readers download
        // each copy.
        loop {
            match self.first.as_mut()?.next() {
                None => self.first = self.second.take(),
                posting => return posting,
            }
        }
    }
}

/// The lexicon, as far as its shards are in memory. Terms of other shards are not found: call
/// [`Dictionary::shard_of`] first.
#[derive(Clone, Copy)]
pub(crate) struct Dictionary<'a> {
    index: &'a Index,
    whole: bool,
}

impl<'a> Dictionary<'a> {
    /// Creates a dictionary with both tiers of postings.
    pub fn new(index: &'a Index) -> Self {
        Self { index, whole: true }
    }

    /// Creates a dictionary with both tiers, or with only the first, even if the second is loaded:
    /// a response must not depend on earlier requests.
    pub fn of_tiers(index: &'a Index, whole: bool) -> Self {
        Self { index, whole }
    }

    /// Returns the shard to look a term up in.
    pub fn shard_of(&self, term: &str) -> Option<ShardId> {
        let manifest = self.index.manifest();
        Some(manifest.lexicon.get(manifest.lexicon_of(term)?)?.terms)
    }

    /// Returns the shards to search for completions of a word that is analysed to `terms`.
    pub fn shards_for_completion(&self, prefix: &str, terms: &[String]) -> Vec<ShardId> {
        let manifest = self.index.manifest();
        let ranges = manifest.lexicon_with_prefix(prefix).take(MAX_COMPLETION_RANGES);
        let stems = stems(prefix, terms).filter_map(|stem| manifest.lexicon_of(stem));
        ranges.chain(stems).filter_map(|range| Some(manifest.lexicon.get(range)?.terms)).collect()
    }

    /// Returns the terms of a range.
    pub fn terms_shard(&self, range: usize) -> Option<&'a TermsShard> {
        self.index.terms(self.index.manifest().lexicon.get(range)?.terms)
    }

    /// Returns the bundle.
    pub fn index(&self) -> &'a Index {
        self.index
    }

    /// Finds a term. If several bundles are searched as one, also finds terms that only another
    /// bundle has; these have no postings here.
    pub fn find(&self, term: &str) -> Option<Lookup> {
        match self.index.shared() {
            Some(shared) => self.find_in_all(shared, term),
            None => self.find_here(term),
        }
    }

    /// Finds a term in several bundles that are searched as one. If it was counted, it has the
    /// number of passages of all bundles.
    #[doc(alias = "deferred")]
    #[inline(never)]
    fn find_in_all(&self, shared: &dyn SharedScores, term: &str) -> Option<Lookup> {
        let own = self.find_here(term);
        let Some(df) = shared.frequency(term) else { return own };
        let elsewhere = || {
            let entry = TermEntry::default();
            (df > 0).then_some(Lookup { range: usize::MAX, entry, second: None })
        };
        let mut found = own.or_else(elsewhere)?;
        found.entry.df = df;
        Some(found)
    }

    /// Finds a term in this bundle.
    pub fn find_here(&self, term: &str) -> Option<Lookup> {
        let range = self.index.manifest().lexicon_of(term)?;
        let entry = self.terms_shard(range)?.find(term)?;
        Some(self.lookup(range, term, entry))
    }

    /// Returns a term that was found in a range.
    pub fn lookup(&self, range: usize, term: &str, entry: TermEntry) -> Lookup {
        let whole = self.whole && has_second(&entry);
        let second =
            if whole { self.second_tier(range).and_then(|shard| shard.find(term)) } else { None };
        Lookup { range, entry, second }
    }

    fn second_tier(&self, range: usize) -> Option<&'a TermsShard> {
        self.index.terms(self.index.manifest().lexicon.get(range)?.second?)
    }

    /// Returns a term's postings on one level: the first tier's, ascending, then the second's.
    pub fn postings(&self, lookup: &Lookup, level: Level) -> Tiers<'a> {
        let Some(structure) = self.index.structure() else { return Tiers::default() };
        let of = |shard: &'a TermsShard, entry: &TermEntry| shard.postings(entry, level, structure);
        let first = self.terms_shard(lookup.range).map(|shard| of(shard, &lookup.entry));
        let second =
            lookup.second.and_then(|entry| Some(of(self.second_tier(lookup.range)?, &entry)));
        Tiers { first, second }
    }

    /// Returns the postings of both tiers merged, ascending.
    pub fn ascending(
        &self,
        lookup: &Lookup,
        level: Level,
    ) -> impl Iterator<Item = Posting> + use<'a> {
        let Tiers { first, second } = self.postings(lookup, level);
        merged(first.into_iter().flatten(), second.into_iter().flatten())
    }

    /// Returns the relatives of a term: the terms that begin with it, most frequent first, at most
    /// [`MAX_RELATIVES`], and the terms with which it begins. Only its own shard is searched, so
    /// that nothing is fetched for them. Only words count, and no stop words.
    pub fn relatives(&self, term: &str) -> Vec<(String, Lookup)> {
        if let Some(shared) = self.index.shared()
            && let Some(found) = self.find_all(shared.relatives(term), MAX_RELATIVES)
        {
            return found;
        }
        let mut best = Vec::new();
        let languages = &self.index.manifest().languages;
        let is_stop = |term: &str| languages.iter().any(|language| is_stop_word(language, term));
        let is_word = |term: &str| term.chars().all(char::is_alphabetic) && !is_stop(term);
        let own = self
            .index
            .manifest()
            .lexicon_of(term)
            .and_then(|own| Some((own, self.terms_shard(own)?)));
        let Some((own, shard)) = own.filter(|_| is_word(term)) else { return best };
        if term.chars().nth(MIN_RELATIVE_CHARS - 1).is_some() {
            let mut longer = shard.prefix(term);
            while let Some((found, entry)) = longer.advance() {
                if found != term && is_word(found) {
                    keep_frequent(&mut best, MAX_RELATIVES, found, self.lookup(own, found, entry));
                }
            }
        }
        for (end, _) in term.char_indices().skip(MIN_RELATIVE_CHARS) {
            let shorter = &term[..end];
            if let Some(entry) = shard.find(shorter).filter(|_| is_word(shorter)) {
                best.push((shorter.to_string(), self.lookup(own, shorter, entry)));
            }
        }
        best
    }

    /// Returns the terms of a list that all bundles share.
    #[doc(alias = "deferred")]
    #[inline(never)]
    fn find_all(&self, terms: Option<&[String]>, most: usize) -> Option<Vec<(String, Lookup)>> {
        let found = terms?.iter().filter_map(|term| Some((term.clone(), self.find(term)?)));
        Some(found.take(most).collect())
    }

    /// Returns whether a term begins with `prefix`.
    pub fn begins(&self, prefix: &str) -> bool {
        let ranges = self.index.manifest().lexicon_with_prefix(prefix).take(MAX_COMPLETION_RANGES);
        ranges
            .filter_map(|range| self.terms_shard(range))
            .any(|shard| shard.prefix(prefix).advance().is_some())
    }

    /// Returns the terms that begin with `prefix`, most frequent first, ties in the order of terms,
    /// at most [`MAX_COMPLETIONS`].
    ///
    /// If there are none, returns the longest term that `prefix` begins with, if it is only a
    /// little shorter: no stem begins with `concurrenc`, but the lexicon has `concurr`. This is not
    /// done if one of the word's `terms` is its beginning: `example` is looked up as `exampl`, and
    /// the shorter `exam` is another word.
    pub fn complete(&self, prefix: &str, terms: &[String]) -> Vec<(String, Lookup)> {
        if let Some(shared) = self.index.shared()
            && let Some(found) = self.find_all(shared.completions(prefix), MAX_COMPLETIONS)
        {
            return found;
        }
        let mut best: Vec<(String, Lookup)> = Vec::new();
        for range in self.index.manifest().lexicon_with_prefix(prefix).take(MAX_COMPLETION_RANGES) {
            let Some(shard) = self.terms_shard(range) else { continue };
            let mut terms = shard.prefix(prefix);
            while let Some((term, entry)) = terms.advance() {
                if is_key(term) {
                    continue;
                }
                keep_frequent(&mut best, MAX_COMPLETIONS, term, self.lookup(range, term, entry));
            }
        }
        if best.is_empty() {
            best.extend(
                stems(prefix, terms).find_map(|stem| Some((stem.to_string(), self.find(stem)?))),
            );
        }
        best
    }
}

/// Inserts a term into the list of the `most` most frequent ones. Terms arrive in order, so ties
/// keep that order.
fn keep_frequent(best: &mut Vec<(String, Lookup)>, most: usize, term: &str, lookup: Lookup) {
    let place = best.partition_point(|(_, other)| other.entry.df >= lookup.entry.df);
    if place < most {
        best.truncate(most - 1);
        best.insert(place, (term.to_string(), lookup));
    }
}

/// Returns the possible stems of `word` made by cutting its end, longest first. Empty if one of its
/// `terms` is such a stem.
fn stems<'a>(word: &'a str, terms: &[String]) -> impl Iterator<Item = &'a str> + use<'a> {
    let is_stem = |term: &String| term.len() < word.len() && word.starts_with(&term[..]);
    let ends: Vec<usize> = word.char_indices().map(|(at, _)| at).collect();
    let shortest = ends.len().saturating_sub(MAX_STEM_CUT).max(MIN_STEM_CHARS);
    let shortest = if terms.iter().any(is_stem) { ends.len() } else { shortest };
    (shortest..ends.len()).rev().map(move |n| &word[..ends[n]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_are_a_little_shorter() {
        let of = |word, term: &str| stems(word, &[term.into()]).collect::<Vec<_>>();
        assert_eq!(of("concurrenc", "concurrenc"), ["concurren", "concurre", "concurr", "concur"]);
        assert_eq!(of("äöüßx", "äöüßx"), ["äöüß"]);
        assert_eq!(of("rust", "rust"), [""; 0]);
        assert_eq!(of("", ""), [""; 0]);
        assert_eq!(of("example", "exampl"), [""; 0], "it has its stem, and `exam` is another word");
        assert_eq!(of("happily", "happili"), ["happil", "happi", "happ"]);
    }
}

//! What one bundle contributes to the statistics of several that are searched as one.
//!
//! Each function goes as far as the shards at hand allow, as [`Search::step`] does. A search that
//! was asked for one of these can go on.

use findling_bundle::{Level, ShardId};

use super::{Retrieving, Search, Stage};
use crate::api::{Error, LegBests, Misspelling, QueryTerms};
use crate::index::Index;
use crate::lexical::{Dictionary, Scorer};
use crate::query_run::{QueryRun, step_all};
use crate::resolve::ResolvedQuery;
use crate::spelling;

impl Index {
    /// In how many passages each term is, or the shards that are missing.
    pub fn frequencies(&self, terms: &[String]) -> Result<Vec<u32>, Vec<ShardId>> {
        let dictionary = Dictionary::new(self);
        let shards = terms.iter().filter_map(|term| dictionary.shard_of(term)).collect::<Vec<_>>();
        let missing = self.missing(&shards);
        if !missing.is_empty() {
            return Err(missing);
        }
        // Keys of titles have postings, but stand in no passage by themselves.
        let count = |term: &String| {
            let found = dictionary.find_here(term)?;
            let has_any = Level::ALL.iter().any(|&level| found.entry.n[level as usize] > 0);
            Some(found.entry.df.max(u32::from(has_any)))
        };
        Ok(terms.iter().map(|term| count(term).unwrap_or_default()).collect())
    }
}

impl Search {
    /// The terms that the query looks up, once misspelled words are replaced.
    ///
    /// # Errors
    /// As [`Search::step`].
    pub fn terms(&mut self, index: &Index) -> Result<Result<QueryTerms, Vec<ShardId>>, Error> {
        let mut found = QueryTerms::default();
        let Stage::Retrieving(retrieving) = &mut self.stage else { return Ok(Ok(found)) };
        let (mut runs, mut missing) = (Vec::new(), Vec::new());
        for run in std::mem::take(&mut retrieving.phrasings) {
            let (run, needed) = run.spelt(index)?;
            missing.extend(needed);
            runs.push(run);
        }
        retrieving.phrasings = runs;
        if missing.is_empty() {
            for asked in retrieving.phrasings.iter().filter_map(QueryRun::asked) {
                missing.extend(index.missing(&asked.shards));
                add_terms(index, asked, &mut found);
            }
        }
        Ok(if missing.is_empty() { Ok(found) } else { Err(missing) })
    }

    /// The words that would be corrected, with the nearest words of this bundle.
    ///
    /// # Errors
    /// As [`Search::step`].
    pub fn misspellings(
        &mut self,
        index: &Index,
    ) -> Result<Result<Vec<Misspelling>, Vec<ShardId>>, Error> {
        let Stage::Retrieving(retrieving) = &self.stage else { return Ok(Ok(Vec::new())) };
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        for asked in retrieving.phrasings.iter().filter_map(QueryRun::typed) {
            let needed = index.missing(&asked.shards);
            if !needed.is_empty() {
                missing.extend(needed);
            } else if asked.pins(index).is_empty() {
                match spelling::misspellings(index, &asked.query, asked.request.prefix) {
                    Ok(words) => found.extend(words),
                    Err(shards) => missing.extend(shards),
                }
            }
        }
        let missing = index.missing(&missing);
        Ok(if missing.is_empty() { Ok(found) } else { Err(missing) })
    }

    /// The best scores of both legs, by phrasing.
    ///
    /// # Errors
    /// As [`Search::step`].
    pub fn bests(&mut self, index: &Index) -> Result<Result<Vec<LegBests>, Vec<ShardId>>, Error> {
        let Stage::Retrieving(retrieving) = &mut self.stage else { return Ok(Ok(Vec::new())) };
        let Retrieving { phrasings, .. } = &mut **retrieving;
        let mut missing = Vec::new();
        *phrasings = step_all(index, std::mem::take(phrasings), &mut missing)?;
        let missing = index.missing(&missing);
        if !missing.is_empty() {
            return Ok(Err(missing));
        }
        let retrieved = phrasings.iter().filter_map(QueryRun::retrieved);
        Ok(Ok(retrieved.map(|one| one.found.bests(index, &one.asked.request.query)).collect()))
    }
}

/// Adds the terms that a query looks up.
fn add_terms(index: &Index, asked: &ResolvedQuery, found: &mut QueryTerms) {
    let dictionary = Dictionary::new(index);
    let params = &index.rank_params().bm25f;
    let only_stops = asked.plan.only_stops();
    for (group, related) in asked.plan.groups.iter().zip(asked.plan.related()) {
        if Scorer::group_weight(params, group, only_stops) <= 0.0 {
            continue;
        }
        let terms =
            group.terms.iter().chain(&group.synonyms).chain(&group.joined).chain(&group.forms);
        found.terms.extend(terms.cloned());
        if let Some(prefix) = &group.prefix {
            let completions = dictionary.complete(prefix, &group.terms);
            let list = found.completions.entry(prefix.clone()).or_default();
            list.extend(completions.into_iter().map(|(term, _)| term));
        }
        if let Some(word) = group.terms.iter().max_by_key(|term| term.len()).filter(|_| related) {
            let list = found.relatives.entry(word.clone()).or_default();
            list.extend(dictionary.relatives(word).into_iter().map(|(term, _)| term));
        }
    }
    found.terms.extend(asked.plan.names.iter().chain(&asked.plan.questions).cloned());
    found.terms.extend(asked.plan.options.iter().map(|(_, term)| term.clone()));
    for phrase in asked.plan.phrases.iter().chain(&asked.plan.excluded) {
        found.terms.extend(phrase.slots.iter().flat_map(|slot| slot.terms.iter().cloned()));
    }
}

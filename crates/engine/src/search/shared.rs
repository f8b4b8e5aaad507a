//! The part of one bundle in the statistics of several that are searched as one.
//!
//! Each function goes as far as the available shards allow, like [`Search::step`]. The search can
//! continue after each of these calls.

use findling_bundle::{Level, ShardId, order};

use super::{Retrieving, Search, Stage};
use crate::api::json::Json;
use crate::api::{Correction, Error, LegBests, Misspelling, QueryTerms, SharedPart};
use crate::index::Index;
use crate::lexical::{Dictionary, Scorer};
use crate::query_run::{QueryRun, step_all};
use crate::resolve::ResolvedQuery;
use crate::spelling;

impl Index {
    /// Returns the number of passages that have each term, or the shards that are missing.
    pub fn frequencies(&self, terms: &[String]) -> Result<Vec<u32>, Vec<ShardId>> {
        let dictionary = Dictionary::new(self);
        let shards = terms.iter().filter_map(|term| dictionary.shard_of(term)).collect::<Vec<_>>();
        let missing = self.missing(&shards);
        if !missing.is_empty() {
            return Err(missing);
        }
        // Keys of titles have postings, but do not occur in passages.
        let count = |term: &String| {
            let found = dictionary.find_here(term)?;
            let has_any = Level::ALL.iter().any(|&level| found.entry.n[level as usize] > 0);
            Some(found.entry.df.max(u32::from(has_any)))
        };
        Ok(terms.iter().map(|term| count(term).unwrap_or_default()).collect())
    }
}

impl Search {
    /// Returns a part of the statistics that bundles share, as JSON for [`crate::Shared::read`].
    /// Hosts pass it on like an answer: a response without pages, with the statistics in `told`. If
    /// words were corrected, it contains the corrections, so that hosts embed the corrected query.
    ///
    /// # Errors
    /// The errors of [`Search::step`].
    #[doc(alias = "deferred")]
    #[inline(never)]
    pub fn tell(
        &mut self,
        index: &Index,
        part: SharedPart,
    ) -> Result<Result<String, Vec<ShardId>>, Error> {
        let mut told = Json::default();
        told.object();
        let written = match part {
            SharedPart::Terms => self.terms(index)?.map(|terms| {
                // A bundle reports its own statistics only once.
                if index.shared().is_none() {
                    let stats = &index.manifest().stats;
                    told.name("passages").whole(stats.n_passages.into());
                    told.name("meanLengths").list(&stats.mean_len, |json, &mean| json.real(mean));
                }
                write_terms(&mut told, &terms);
            }),
            SharedPart::Counts => {
                let terms = index.shared().map(|shared| shared.uncounted()).unwrap_or_default();
                index.frequencies(&terms).map(|counts| {
                    told.name("counted").texts(&terms);
                    told.name("counts").list(&counts, |json, &count| json.whole(count.into()));
                })
            }
            SharedPart::Misspellings => self
                .misspellings(index)?
                .map(|words| told.name("misspellings").list(&words, write_misspelling)),
            SharedPart::Bests => {
                self.bests(index)?.map(|bests| told.name("bests").list(&bests, write_bests))
            }
        };
        if let Err(missing) = written {
            return Ok(Err(missing));
        }
        told.end_object();
        let mut json = Json::default();
        json.object().name("notices").array();
        json.end_array();
        json.name("results").array();
        json.end_array();
        json.name("corrections").list(self.corrections(), |json, one| {
            json.object().name("word").text(&one.word);
            json.name("replacement").text(&one.replacement);
            json.end_object();
        });
        json.name("told").json(&told);
        json.end_object();
        Ok(Ok(json.into_text()))
    }

    /// Returns the corrections in the query, once it is retrieved.
    fn corrections(&self) -> &[Correction] {
        let Stage::Retrieving(retrieving) = &self.stage else { return &[] };
        let first = retrieving.phrasings.first().and_then(QueryRun::retrieved);
        first.map_or(&[], |first| &first.asked.corrections)
    }

    /// Returns the terms that the query looks up, once misspelled words are replaced.
    ///
    /// # Errors
    /// The errors of [`Search::step`].
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
            order::sort(&mut found.terms);
            found.terms.dedup();
        }
        Ok(if missing.is_empty() { Ok(found) } else { Err(missing) })
    }

    /// Returns the words that would be corrected, with the nearest words of this bundle.
    ///
    /// # Errors
    /// The errors of [`Search::step`].
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

    /// Returns the best scores of both legs, by phrasing.
    ///
    /// # Errors
    /// The errors of [`Search::step`].
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

fn write_terms(json: &mut Json, found: &QueryTerms) {
    json.name("terms").texts(&found.terms);
    for (name, lists) in [("completions", &found.completions), ("relatives", &found.relatives)] {
        json.name(name).list(lists, |json, (word, terms)| {
            json.object().name("word").text(word);
            json.name("terms").texts(terms);
            json.end_object();
        });
    }
}

fn write_misspelling(json: &mut Json, found: &Misspelling) {
    json.object().name("word").text(&found.word);
    json.name("replacement").text(&found.replacement);
    json.name("cost").whole(found.cost.into());
    json.name("rank").real(found.rank as f32);
    json.end_object();
}

fn write_bests(json: &mut Json, bests: &LegBests) {
    json.object().name("query").text(&bests.query);
    json.name("lexical").real(bests.lexical);
    json.name("nearest").or_null(bests.nearest, Json::real);
    json.name("zero").or_null(bests.zero.map(|(zero, _)| zero), Json::real);
    json.name("vectors").whole(bests.zero.map_or(0, |(_, n)| n).into());
    json.end_object();
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
            let terms = completions.into_iter().map(|(term, _)| term).collect();
            found.completions.push((prefix.clone(), terms));
        }
        if let Some(word) = group.terms.iter().max_by_key(|term| term.len()).filter(|_| related) {
            let terms = dictionary.relatives(word).into_iter().map(|(term, _)| term).collect();
            found.relatives.push((word.clone(), terms));
        }
    }
    found.terms.extend(asked.plan.names.iter().chain(&asked.plan.questions).cloned());
    found.terms.extend(asked.plan.options.iter().map(|(_, term)| term.clone()));
    for phrase in asked.plan.phrases.iter().chain(&asked.plan.excluded) {
        found.terms.extend(phrase.slots.iter().flat_map(|slot| slot.terms.iter().cloned()));
    }
}

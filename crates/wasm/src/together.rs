//! Several bundles searched as one.

use std::sync::Arc;

use findling_bundle::{ShardId, Stats};
use findling_engine::json::Json;
use findling_engine::{LegBests, Misspelling, QueryTerms, SharedStatistics};

use crate::error::Failure;
use crate::open_bundle::{OpenBundle, Search, missing};

/// What a part of a search returns: what was asked, or the shards that are missing for it.
type Part<T> = Result<Result<T, Vec<ShardId>>, findling_engine::Error>;

/// The statistics of the bundles of one request, which are searched as one: their scores are by the
/// statistics of all. The counts never leave the module.
///
/// After [`Together::add`] for each bundle and [`Together::begin`], every bundle is asked, part by
/// part, as often as it returns shards that are missing: `terms`, then `list`, `count`, `arrange`,
/// `misspellings`, `correct`; from `terms` again if words were corrected; `bests` and `compare` if
/// both legs are fused. Then each is searched by [`Together::step`].
#[derive(Default)]
pub struct Together {
    stats: Vec<Stats>,
    shared: SharedStatistics,
    /// What the bundles know of it.
    told: Option<Arc<SharedStatistics>>,
    /// What bundles have answered, until all have.
    terms: Vec<QueryTerms>,
    uncounted: Vec<String>,
    counts: Vec<Vec<u32>>,
    misspellings: Vec<Misspelling>,
    bests: Vec<LegBests>,
}

impl Together {
    /// Adds a bundle.
    pub fn add(&mut self, bundle: &OpenBundle) {
        self.stats.push(bundle.index.manifest().stats);
    }

    /// Begins a request. `relaxes`: whether a query that leaves nothing is read without its phrases
    /// and exclusions.
    pub fn begin(&mut self, relaxes: bool) {
        self.shared = SharedStatistics::new(&self.stats);
        self.shared.relaxes = relaxes;
        self.told = None;
    }

    /// As [`Search::step`], by the statistics of all.
    pub fn step(&self, bundle: &mut OpenBundle, search: &mut Search) -> Result<String, Failure> {
        self.within(bundle, |bundle| search.step(bundle))
    }

    /// Finds the terms that the query looks up in a bundle. Returns the shards that are missing, or
    /// nothing.
    pub fn terms(
        &mut self,
        bundle: &mut OpenBundle,
        search: &mut Search,
    ) -> Result<String, Failure> {
        let found = self.within(bundle, |bundle| search.0.terms(&bundle.index));
        taken(bundle, found, |terms| self.terms.push(terms))
    }

    /// Lists what is to be counted, when all bundles have told their terms.
    pub fn list(&mut self) {
        for terms in self.terms.drain(..) {
            self.shared.add_terms(terms);
        }
        self.uncounted = self.shared.uncounted();
    }

    /// Counts the terms in a bundle. Returns as [`Together::terms`] does.
    pub fn count(&mut self, bundle: &mut OpenBundle) -> Result<String, Failure> {
        let terms = &self.uncounted;
        let found = self.within(bundle, |bundle| Ok(bundle.index.frequencies(terms)));
        taken(bundle, found, |counts| self.counts.push(counts))
    }

    /// Adds up the counts, when all bundles have told theirs.
    pub fn arrange(&mut self) {
        for counts in self.counts.drain(..) {
            self.shared.add_frequencies(&self.uncounted, &counts);
        }
        self.shared.arrange();
        self.tell();
    }

    /// Finds the words that a bundle would correct. Returns as [`Together::terms`] does.
    pub fn misspellings(
        &mut self,
        bundle: &mut OpenBundle,
        search: &mut Search,
    ) -> Result<String, Failure> {
        let found = self.within(bundle, |bundle| search.0.misspellings(&bundle.index));
        taken(bundle, found, |words| self.misspellings.extend(words))
    }

    /// Chooses the corrections: JSON of words and their replacements.
    pub fn correct(&mut self) -> String {
        self.shared.correct(self.misspellings.drain(..));
        self.tell();
        let chosen: Vec<(&str, &str)> = self.shared.replacements().collect();
        let mut json = Json::default();
        json.list(&chosen, |json, (word, replacement)| {
            json.object().name("word").text(word);
            json.name("replacement").text(replacement);
            json.end_object();
        });
        json.into_text()
    }

    /// Finds the best scores of both legs in a bundle. Returns as [`Together::terms`] does.
    pub fn bests(
        &mut self,
        bundle: &mut OpenBundle,
        search: &mut Search,
    ) -> Result<String, Failure> {
        let found = self.within(bundle, |bundle| search.0.bests(&bundle.index));
        taken(bundle, found, |bests| self.bests.extend(bests))
    }

    /// Compares the best scores, when all bundles have told theirs.
    pub fn compare(&mut self) {
        self.shared.add_bests(std::mem::take(&mut self.bests));
        self.tell();
    }

    fn tell(&mut self) {
        self.told = Some(Arc::new(self.shared.clone()));
    }

    /// Works with a bundle while it has the statistics of all. Searches of other requests, which
    /// take turns with this one, have those of the bundle alone.
    fn within<T>(&self, bundle: &mut OpenBundle, work: impl FnOnce(&OpenBundle) -> T) -> T {
        bundle.index.set_shared(self.told.clone());
        let answer = work(bundle);
        bundle.index.set_shared(None);
        answer
    }
}

/// Takes what a bundle has answered, or returns the shards that are missing.
fn taken<T>(bundle: &OpenBundle, found: Part<T>, take: impl FnOnce(T)) -> Result<String, Failure> {
    match found.map_err(Failure::Engine)? {
        Ok(answer) => {
            take(answer);
            Ok(String::new())
        }
        Err(shards) => Ok(missing(bundle, shards)),
    }
}

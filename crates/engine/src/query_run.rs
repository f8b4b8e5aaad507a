//! One query's run, from a resolved query to the sections and pages that it finds.

use findling_bundle::ShardId;

use crate::api::{Error, Mode, QueryVector};
use crate::filter;
use crate::index::Index;
use crate::rank::{Allowed, Found, Words};
use crate::resolve::{ResolvedQuery, SeedPage};
use crate::similar::Seed;
use crate::spelling::{self, Spelling};
use crate::vector::Probe;

/// What the middle of a page's vectors is called in responses.
const PAGE: &str = "page";

/// One way to say what is searched for, as far as it has come.
pub(crate) struct QueryRun {
    pub asked: ResolvedQuery,
    /// What ranking needs.
    first: Vec<ShardId>,
    allowed: Option<Allowed>,
    /// Whether the query's spelling has been looked at.
    spelt: bool,
    /// Whether exclusions have been looked at for options.
    options_read: bool,
    /// Whether phrases and exclusions become words where they leave nothing.
    pub relaxes: bool,
    /// Until ranking takes it.
    words: Option<Words>,
    probe: Option<Probe>,
    /// Until it is merged with what the others found.
    found: Option<Found>,
}

impl QueryRun {
    pub fn new(index: &Index, asked: ResolvedQuery) -> Result<Self, Error> {
        let first = asked.shards(index)?;
        let spelt = asked.request.verbatim || asked.mode == Mode::Semantic;
        let options_read = asked.plan.options.is_empty();
        Ok(Self {
            asked,
            first,
            spelt,
            options_read,
            relaxes: false,
            allowed: None,
            words: None,
            probe: None,
            found: None,
        })
    }

    /// Goes on with what stands in for a query. It is spelt as the site spells it.
    #[doc(alias = "deferred")]
    #[inline(never)]
    pub fn ask_for(&mut self, index: &Index, seed: Seed) -> Result<(), Error> {
        let mut request = self.asked.request.clone();
        self.asked = match seed {
            Seed::Need(_) => return Ok(()),
            Seed::Vector { page, middle: values, vectors } => {
                request.mode = Mode::Semantic;
                request.vector =
                    Some(QueryVector { values, encoder: PAGE.into(), truncated: false });
                ResolvedQuery {
                    like: Some(SeedPage { page, vectors }),
                    ..ResolvedQuery::new(index, request)?
                }
            }
            Seed::Words { page, query } => {
                let like = Some(SeedPage { page, vectors: Vec::new() });
                ResolvedQuery { like, ..ResolvedQuery::of(index, request, query)? }
            }
        };
        self.first = self.asked.shards(index)?;
        self.spelt = true;
        Ok(())
    }

    /// The same query without the part of its filter that concerns one attribute. `None` where the
    /// filter has no such part, or none that can be separated.
    #[doc(alias = "deferred")]
    #[inline(never)]
    pub fn without_attribute(&self, index: &Index, name: &str) -> Result<Option<Self>, Error> {
        let before = &self.asked;
        let Some(rest) = before.condition.as_ref().and_then(|condition| condition.without(name))
        else {
            return Ok(None);
        };
        let mut asked = ResolvedQuery::of(index, before.request.clone(), before.query.clone())?;
        asked.condition = Some(rest).filter(|rest| !rest.is_everything());
        // The search with the whole filter has fetched all that this takes.
        asked.counts_all = true;
        Ok(Some(Self { spelt: self.spelt, ..Self::new(index, asked)? }))
    }

    /// What it found, once it has.
    pub fn take_found(&mut self) -> Option<Found> {
        self.found.take()
    }

    /// Goes as far as the shards at hand allow, up to the sections it finds; the shards that are
    /// missing on the way.
    pub fn step(&mut self, index: &Index) -> Result<Vec<ShardId>, Error> {
        if self.found.is_some() {
            return Ok(Vec::new());
        }
        if self.asked.misfits.iter().any(|misfit| misfit.refused) {
            return filter::refuse(index, &self.asked.misfits);
        }
        let mut needed =
            if self.spelt { self.asked.embed(index)? } else { self.asked.rows(index)? };
        if needed.is_empty() && !self.asked.planned {
            // Only now it is known whether meaning takes part.
            self.first = self.asked.shards(index)?;
            self.asked.planned = true;
        }
        needed.extend(&self.first);
        let missing = index.missing(&needed);
        if !missing.is_empty() {
            return Ok(missing);
        }
        if !std::mem::replace(&mut self.options_read, true) && self.asked.look_options_up(index) {
            self.first = self.asked.shards(index)?;
            return self.step(index);
        }
        // A query that the site has an answer to is no slip.
        self.spelt = self.spelt || !self.asked.pins(index).is_empty();
        if !self.spelt {
            match spelling::correct(index, &mut self.asked.query, self.asked.request.prefix) {
                Spelling::Need(shards) => return Ok(index.missing(&shards)),
                Spelling::Done { changed, corrections } => {
                    self.spelt = true;
                    if changed {
                        self.asked.correct(index, corrections);
                        self.first = self.asked.shards(index)?;
                    }
                }
            }
            return self.step(index);
        }
        let allowed = match &mut self.allowed {
            Some(allowed) => allowed,
            none => {
                if self.asked.plan.has_phrases() {
                    let missing = index.missing(&Allowed::shards(index, &self.asked));
                    if !missing.is_empty() {
                        return Ok(missing);
                    }
                }
                none.insert(Allowed::new(index, &self.asked)?)
            }
        };
        let words = match self.words.take() {
            Some(words) => words,
            None => Words::new(index, &self.asked, allowed)?,
        };
        let missing = probe(index, &self.asked, allowed, &words, &mut self.probe)?;
        if !missing.is_empty() {
            self.words = Some(words);
            return Ok(missing);
        }
        let found = Found::new(index, &self.asked, allowed, words, self.probe.as_ref())?;
        if self.relaxes && found.pages.is_empty() && self.asked.relax(index) {
            (self.allowed, self.probe) = (None, None);
            self.first = self.asked.shards(index)?;
            return self.step(index);
        }
        self.found = Some(found);
        Ok(Vec::new())
    }
}

/// What wordings found, once all of them have.
pub(crate) fn take_found(wordings: &mut [QueryRun]) -> Vec<Found> {
    wordings.iter_mut().filter_map(QueryRun::take_found).collect()
}

/// Chooses the cells to look into, where vectors are streamed, and gives the shards that are
/// missing for it. Cells are added until enough sections pass the filter, or the budget is spent.
fn probe(
    index: &Index,
    asked: &ResolvedQuery,
    allowed: &Allowed,
    words: &Words,
    probe: &mut Option<Probe>,
) -> Result<Vec<ShardId>, Error> {
    let (Some(dense), Some(_)) = (&asked.dense, index.streams()) else { return Ok(Vec::new()) };
    let (Some(centroids), Some(structure)) = (index.centroids(), index.structure()) else {
        return Err(Error::inconsistent("the centroids are missing"));
    };
    let params = index.rank_params();
    let probe = match probe {
        Some(probe) => probe,
        none => {
            let best = words.best(params.probe_best as usize);
            let vectors = best.into_iter().flat_map(|section| structure.vectors(section));
            let own = asked.like.iter().flat_map(|like| like.vectors.iter().copied());
            let vectors = own.chain(vectors);
            let (point, budget) =
                (dense.point(index)?, params.probe_bytes(asked.plan.is_sentence()));
            // By meaning alone there is nothing else to find pages by.
            let near_alone = asked.mode != Mode::Semantic;
            none.insert(Probe::new(centroids, &point.query, vectors, budget, near_alone))
        }
    };
    let enough = asked.enough(params.probe_enough);
    loop {
        let shards: Vec<ShardId> =
            probe.cells().iter().map(|&cell| index.cell_shard(cell)).collect();
        let missing = index.missing(&shards);
        // Too few even if all of them pass: further cells come in the same round.
        let too_few = probe.n_vectors(centroids) < enough;
        if !missing.is_empty() && !too_few
            || probe.is_all()
            || probe.bytes() >= params.most_probe_bytes.into()
        {
            return Ok(missing);
        }
        let cells = probe.cells().iter().filter_map(|&cell| index.cell(cell));
        let vectors = cells.flat_map(|cell| cell.vectors(structure));
        let passing = vectors.filter(|vector| allowed.contains(vector.section));
        if !too_few && passing.count() >= enough {
            return Ok(missing);
        }
        let twice = probe.bytes().saturating_mul(2).min(params.most_probe_bytes.into());
        probe.widen(centroids, twice);
    }
}

//! One query's run, from a resolved query to the sections and pages that it finds.
//!
//! ```text
//! Typed --> Spelt --> Probing --> Settling --> Retrieved
//!             ^                                    |
//!             +-- relaxed, if nothing -------------+
//! ```
//!
//! A query that is not corrected begins with `Spelt`. `Probing` is skipped if all vectors are in
//! memory, or the query has none; `Settling` is skipped if no other page scores nearly as much as
//! the first.

use findling_bundle::{ShardId, order};

use crate::api::{Error, Mode};
use crate::filter;
use crate::index::Index;
use crate::rank::{AllowedSections, LexicalLeg, Matches};
use crate::resolve::{Reading, ResolvedQuery};
use crate::spelling::{self, Spelling};
use crate::stage::Next;
use crate::vector::{Embedded, Probe};

/// One phrasing of a query and its stage. Stages are boxed, so that a change of stage only moves a
/// pointer.
pub(crate) enum QueryRun {
    /// The filter has a test that the type of an attribute does not allow.
    Refused(Box<ResolvedQuery>),
    /// The query as typed: words may be options or misspelled.
    Typed(Box<ResolvedQuery>),
    /// The query with the words that are looked up.
    Spelt(Box<ResolvedQuery>),
    /// The matches by words, and the cells to compare.
    Probing(Box<Probing>),
    /// The matches, and the shards of the vectors that decide which page comes first.
    Settling(Box<Retrieved>, Vec<ShardId>),
    /// The matches.
    Retrieved(Box<Retrieved>),
}

/// A query whose words were scored and whose cells are fetched.
pub(crate) struct Probing {
    asked: Box<ResolvedQuery>,
    allowed: AllowedSections,
    words: LexicalLeg,
    probe: Probe,
}

/// A query and its matches.
pub(crate) struct Retrieved {
    pub asked: Box<ResolvedQuery>,
    pub found: Matches,
}

impl Retrieved {
    /// Returns the shards that ranking reads again, because another search may have dropped them
    /// while this one waited for other phrasings.
    fn shards(&self, index: &Index) -> Vec<ShardId> {
        let mut shards = self.asked.shards.clone();
        shards.extend(self.found.trace.cells.iter().flatten());
        if self.asked.request.why.is_some() && self.asked.plan.has_phrases() {
            shards.extend(AllowedSections::shards(index, &self.asked));
        }
        shards
    }
}

impl QueryRun {
    pub fn new(asked: ResolvedQuery) -> Self {
        let asked = Box::new(asked);
        if asked.mismatches.iter().any(|mismatch| mismatch.refused) {
            Self::Refused(asked)
        } else if asked.request.verbatim || asked.mode == Mode::Semantic {
            Self::Spelt(asked)
        } else {
            Self::Typed(asked)
        }
    }

    /// Goes from stage to stage as far as the available shards allow. Returns the shards that are
    /// missing for the stage it stops at; empty if it is done.
    pub fn step(mut self, index: &Index) -> Result<(Self, Vec<ShardId>), Error> {
        loop {
            let next = match self {
                Self::Refused(asked) => refuse(index, asked)?,
                Self::Typed(asked) => spell(index, asked)?,
                Self::Spelt(asked) => retrieve(index, asked)?,
                Self::Probing(probing) => probe(index, probing)?,
                Self::Settling(retrieved, shards) => settle(index, retrieved, shards)?,
                Self::Retrieved(retrieved) => {
                    let missing = index.missing(&retrieved.shards(index));
                    return Ok((Self::Retrieved(retrieved), missing));
                }
            };
            match next {
                Next::Stage(stage) => self = stage,
                Next::Need(stage, shards) => return Ok((stage, index.missing(&shards))),
            }
        }
    }

    /// Returns the query as typed, in the first stage.
    pub fn typed(&self) -> Option<&ResolvedQuery> {
        if let Self::Typed(asked) = self { Some(asked) } else { None }
    }

    /// Returns the query, before it is retrieved.
    pub fn asked(&self) -> Option<&ResolvedQuery> {
        if let Self::Typed(asked) | Self::Spelt(asked) = self { Some(asked) } else { None }
    }

    /// Returns the matches so far, in the last stage.
    pub fn retrieved(&self) -> Option<&Retrieved> {
        if let Self::Retrieved(retrieved) = self { Some(retrieved) } else { None }
    }

    /// Continues until misspelled words are replaced, if the replacements are known; otherwise does
    /// nothing. Returns the shards that are missing.
    pub fn spelt(self, index: &Index) -> Result<(Self, Vec<ShardId>), Error> {
        let mut run = self;
        while let Self::Typed(asked) = run {
            let missing = index.missing(&asked.shards);
            if !missing.is_empty() || index.shared().is_none_or(|shared| !shared.is_corrected()) {
                return Ok((Self::Typed(asked), missing));
            }
            match spell(index, asked)? {
                Next::Stage(stage) => run = stage,
                Next::Need(stage, shards) => return Ok((stage, index.missing(&shards))),
            }
        }
        let missing = run.asked().map_or(Vec::new(), |asked| index.missing(&asked.shards));
        Ok((run, missing))
    }

    /// Returns the matches, in the last stage.
    pub fn into_retrieved(self) -> Option<Box<Retrieved>> {
        match self {
            Self::Retrieved(retrieved) => Some(retrieved),
            _ => None,
        }
    }
}

/// Steps several queries, so that one round serves all of them. Adds the missing shards to
/// `missing`.
pub(crate) fn step_all(
    index: &Index,
    runs: Vec<QueryRun>,
    missing: &mut Vec<ShardId>,
) -> Result<Vec<QueryRun>, Error> {
    let mut stepped = Vec::with_capacity(runs.len());
    for run in runs {
        let (run, needed) = run.step(index)?;
        missing.extend(needed);
        stepped.push(run);
    }
    Ok(stepped)
}

/// Refuses a filter, once the column with the attribute's values is in memory.
fn refuse(index: &Index, asked: Box<ResolvedQuery>) -> Result<Next<QueryRun>, Error> {
    let shards = filter::refuse(index, &asked.mismatches)?;
    Ok(Next::Need(QueryRun::Refused(asked), shards))
}

/// Looks for options among the excluded words, then for misspelled words. Needs all shards of the
/// query as typed, because nearly all queries are spelt correctly.
fn spell(index: &Index, asked: Box<ResolvedQuery>) -> Result<Next<QueryRun>, Error> {
    let mut needed = match asked.embedding(index)? {
        Some(Embedded::Need(rows)) => rows,
        _ => Vec::new(),
    };
    needed.extend(&asked.shards);
    if needed.iter().any(|&shard| !index.has(shard)) {
        return Ok(Next::Need(QueryRun::Typed(asked), needed));
    }
    if let Some(reading) = options(index, &asked) {
        return Ok(Next::Stage(QueryRun::Typed(Box::new(asked.reread(index, reading)))));
    }
    // A query that the site has pinned a page to is not misspelled.
    if !asked.pins(index).is_empty() {
        return Ok(Next::Stage(QueryRun::Spelt(asked)));
    }
    Ok(match spelling::correct(index, &asked.query, asked.request.prefix) {
        Spelling::Need(shards) => Next::Need(QueryRun::Typed(asked), shards),
        Spelling::Right => Next::Stage(QueryRun::Spelt(asked)),
        Spelling::Changed { query, corrections } => {
            let asked = Box::new(asked.correct(index, query, corrections));
            Next::Stage(QueryRun::Spelt(asked))
        }
    })
}

/// Embeds the query, decides which sections may be found, and scores the sections with its words.
fn retrieve(index: &Index, asked: Box<ResolvedQuery>) -> Result<Next<QueryRun>, Error> {
    let asked = match asked.embedding(index)? {
        None => asked,
        Some(Embedded::Done(sum)) => Box::new(asked.embedded(index, sum)?),
        Some(Embedded::Need(mut needed)) => {
            needed.extend(&asked.shards);
            return Ok(Next::Need(QueryRun::Spelt(asked), needed));
        }
    };
    let missing = index.missing(&asked.shards);
    if !missing.is_empty() {
        return Ok(Next::Need(QueryRun::Spelt(asked), missing));
    }
    if let Some(reading) = options(index, &asked) {
        return Ok(Next::Stage(QueryRun::Spelt(Box::new(asked.reread(index, reading)))));
    }
    if asked.plan.has_phrases() {
        let missing = index.missing(&AllowedSections::shards(index, &asked));
        if !missing.is_empty() {
            return Ok(Next::Need(QueryRun::Spelt(asked), missing));
        }
    }
    let allowed = AllowedSections::new(index, &asked)?;
    let words = LexicalLeg::new(index, &asked, &allowed)?;
    // Search by meaning would find other pages, but the query requires pages with the words.
    if asked.condition.is_none()
        && words.is_left_out()
        && let Some(reading) = asked.relaxed(index)
    {
        return Ok(Next::Stage(QueryRun::Spelt(Box::new(asked.reread(index, reading)))));
    }
    match first_probe(index, &asked, &words)? {
        Some(probe) => {
            let probing = Probing { asked, allowed, words, probe };
            Ok(Next::Stage(QueryRun::Probing(Box::new(probing))))
        }
        None => finish(index, asked, allowed, words, None),
    }
}

/// Returns the query with its excluded words read as options, if the site has them.
fn options(index: &Index, asked: &ResolvedQuery) -> Option<Reading> {
    if asked.plan.options.is_empty() { None } else { asked.options(index) }
}

/// Returns the cells that are looked into first; `None` if vectors are not streamed, or the query
/// has no vector.
fn first_probe(
    index: &Index,
    asked: &ResolvedQuery,
    words: &LexicalLeg,
) -> Result<Option<Probe>, Error> {
    let (Some(dense), Some(_)) = (&asked.dense, index.streams()) else { return Ok(None) };
    let (Some(centroids), Some(structure)) = (index.centroids(), index.structure()) else {
        return Err(Error::inconsistent("the centroids are missing"));
    };
    let params = index.rank_params();
    let best = words.best(params.probe_sections.max(params.probe_best) as usize);
    let first = best.iter().take(params.probe_sections as usize);
    let mut sections: Vec<ShardId> =
        first.filter_map(|&section| index.manifest().vectors_of(section)).collect();
    order::sort(&mut sections);
    sections.dedup();
    let vectors = best
        .into_iter()
        .take(params.probe_best as usize)
        .flat_map(|section| structure.vectors(section));
    let own = asked.seed.iter().flat_map(|seed| seed.vectors.iter().copied());
    let vectors = own.chain(vectors);
    let (point, budget) = (dense.point(index)?, params.probe_bytes(asked.plan.is_sentence()));
    // In semantic mode, pages are found by meaning alone, so distant cells count too.
    let near_alone = asked.mode != Mode::Semantic;
    let mut probe = Probe::new(centroids, &point.query, vectors, budget, near_alone);
    probe.sections = sections;
    Ok(Some(probe))
}

/// Waits for the cells. Cells are added until enough sections pass the filter, or the budget is
/// spent.
fn probe(index: &Index, mut probing: Box<Probing>) -> Result<Next<QueryRun>, Error> {
    // Another search may have dropped shards in the meantime.
    let missing = index.missing(&probing.asked.shards);
    if !missing.is_empty() {
        return Ok(Next::Need(QueryRun::Probing(probing), missing));
    }
    let Probing { asked, allowed, probe, .. } = &mut *probing;
    let (Some(centroids), Some(structure)) = (index.centroids(), index.structure()) else {
        return Err(Error::inconsistent("the centroids are missing"));
    };
    let params = index.rank_params();
    let enough = match asked.mode {
        // The search by words has found every section with the phrase, so the search by meaning
        // cannot find others.
        Mode::Hybrid if !asked.plan.phrases.is_empty() => 0,
        _ => asked.enough(params.probe_enough),
    };
    let missing = loop {
        let shards = probe.shards(index);
        let missing = index.missing(&shards);
        // If these cells have too few vectors even if all pass, further cells are fetched in the
        // same round.
        let too_few = probe.n_vectors(centroids) < enough;
        if !missing.is_empty() && !too_few
            || probe.is_all()
            || probe.bytes() >= params.max_probe_bytes.into()
        {
            break missing;
        }
        let cells = shards.iter().filter_map(|&shard| index.cell(shard));
        let vectors = cells.flat_map(|cell| cell.vectors(structure));
        let passing = vectors.filter(|vector| allowed.contains(vector.section));
        if !too_few && passing.count() >= enough {
            break missing;
        }
        let twice = probe.bytes().saturating_mul(2).min(params.max_probe_bytes.into());
        probe.widen(centroids, twice);
    };
    if !missing.is_empty() {
        return Ok(Next::Need(QueryRun::Probing(probing), missing));
    }
    let Probing { asked, allowed, words, probe } = *probing;
    finish(index, asked, allowed, words, Some(&probe))
}

/// Searches by meaning and fuses. If phrases or exclusions leave nothing, the query is repeated
/// without them.
fn finish(
    index: &Index,
    asked: Box<ResolvedQuery>,
    allowed: AllowedSections,
    words: LexicalLeg,
    probe: Option<&Probe>,
) -> Result<Next<QueryRun>, Error> {
    let found = Matches::new(index, &asked, allowed, words, probe)?;
    if found.pages.is_empty()
        && let Some(reading) = asked.relaxed(index)
    {
        return Ok(Next::Stage(QueryRun::Spelt(Box::new(asked.reread(index, reading)))));
    }
    let contended = found.contended(index, &asked);
    let retrieved = Box::new(Retrieved { asked, found });
    Ok(Next::Stage(match contended.is_empty() {
        true => QueryRun::Retrieved(retrieved),
        false => QueryRun::Settling(retrieved, contended),
    }))
}

/// Compares the first pages by their vectors, once these are in memory.
fn settle(
    index: &Index,
    mut retrieved: Box<Retrieved>,
    shards: Vec<ShardId>,
) -> Result<Next<QueryRun>, Error> {
    if !index.missing(&shards).is_empty() {
        return Ok(Next::Need(QueryRun::Settling(retrieved, shards.clone()), shards));
    }
    let Retrieved { asked, found } = &mut *retrieved;
    found.settle(index, asked, &shards);
    Ok(Next::Stage(QueryRun::Retrieved(retrieved)))
}

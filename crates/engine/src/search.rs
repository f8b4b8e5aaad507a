//! One search, as a state machine without IO.
//!
//! | stage | waits for | makes |
//! |---|---|---|
//! | `Reading` | the text of a page | the response |
//! | `Similar` | the page that others should resemble | the query |
//! | `Retrieving` | the shards of each phrasing's [`QueryRun`] | pages in order |
//! | `NothingFound` | spellings | other queries |
//! | `Suggesting` | the shards of these queries | those that find something |
//! | `Found` | texts, and codes of sentences | |
//! | `Presenting` | texts | the response |
//!
//! Each stage is one function: it takes the result of the previous stage, and returns its own
//! result, or itself with the shards that it waits for.

mod shared;

use findling_bundle::ShardId;

use crate::api::{Error, Notice, Request, Response};
use crate::bitset::Bitset;
use crate::hit_vectors::{HitVectors, hit_vectors};
use crate::index::Index;
use crate::locate::{Located, Place, locate};
use crate::query_run::{QueryRun, step_all};
use crate::rank::{Matches, Ranked, sections_of};
use crate::resolve::{ParsedRequest, Purpose, ResolvedQuery};
use crate::results::{Answer, read, respond};
use crate::similar::seed;
use crate::spelling;
use crate::stage::Next;
use crate::suggest::{Suggested, Tries, tries};

impl Index {
    /// Begins a search: parses the query and the filter, and plans.
    ///
    /// # Errors
    /// Errors for which [`Error::is_request`] holds.
    pub fn search(&self, request: Request) -> Result<Search, Error> {
        self.count_search();
        Search::new(self, request)
    }
}

/// A search under way. Step it until it is done.
pub struct Search {
    stage: Stage,
}

/// The next thing that a search needs.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Shards that are needed, in any order: fetch them, [`Index::provide`] them and step again.
    /// The crate's front page says how many such rounds a search takes.
    Need(Vec<ShardId>),
    /// The answer. The search is over.
    Done(Box<Response>),
}

/// The stage that a search has reached.
enum Stage {
    /// Waits for the text of a page that is read whole. Nothing is searched.
    Reading(Box<Request>),
    /// Waits for the page that similar pages are searched for.
    Similar {
        parsed: Box<ParsedRequest>,
        address: String,
    },
    Retrieving(Box<Retrieving>),
    /// No page was found; other queries are sought.
    NothingFound(Box<Answer>),
    Suggesting(Box<Answer>, Tries),
    Found(Box<Answer>),
    Presenting(Box<Answer>),
    Answered(Box<Response>),
    /// The search has returned its response, or failed.
    Over,
}

/// The running queries of a request.
struct Retrieving {
    /// The query, then its other phrasings.
    phrasings: Vec<QueryRun>,
    /// Queries without one attribute's part of the filter, by attribute, to count its values.
    without: Vec<(String, Vec<QueryRun>)>,
    why: ExplainedPage,
}

/// The page whose rank is to be explained ([`Request::why`]).
enum ExplainedPage {
    None,
    At(String),
    Found(Place, Option<Notice>),
}

impl Search {
    pub(crate) fn new(index: &Index, mut request: Request) -> Result<Self, Error> {
        request.validate()?;
        if request.read.is_some() {
            return Ok(Self { stage: Stage::Reading(Box::new(request)) });
        }
        if let Some(address) = request.similar_to.clone() {
            let parsed = Box::new(ParsedRequest::new(index, request)?);
            return Ok(Self { stage: Stage::Similar { parsed, address } });
        }
        let (why, facets_instead) = (request.why.clone(), request.facets_instead);
        let also = std::mem::take(&mut request.also);
        let asked = if also.is_empty() {
            let parsed = ParsedRequest::new(index, request)?;
            vec![ResolvedQuery::new(index, parsed, Purpose::Alone, None)?]
        } else {
            several(index, request, also)?
        };
        // Without a filter no part can be left out, and browsers need not load that code.
        let filtered = asked.iter().any(|asked| asked.condition.is_some());
        let without = if facets_instead && filtered { without(index, &asked)? } else { Vec::new() };
        let phrasings = asked.into_iter().map(QueryRun::new).collect();
        let why = why.map_or(ExplainedPage::None, ExplainedPage::At);
        let retrieving = Box::new(Retrieving { phrasings, without, why });
        Ok(Self { stage: Stage::Retrieving(retrieving) })
    }

    /// Goes from stage to stage as far as the available shards allow.
    ///
    /// # Errors
    /// [`Error::Bundle`] and [`Error::Inconsistent`] if a shard turns out to be hostile or damaged;
    /// [`Error::NoSuchPage`]. After an error or the response the search is over, and further steps
    /// give [`Error::Request`].
    pub fn step(&mut self, index: &Index) -> Result<Step, Error> {
        loop {
            if let Some(step) = self.advance(index)? {
                return Ok(step);
            }
        }
    }

    /// Returns the vectors of the query and of the sections that the response will show, or the
    /// shards that are missing to read them. Advances like [`Search::step`], but stops before texts
    /// are fetched. Calls of `step` may follow.
    ///
    /// # Errors
    /// The errors of [`Search::step`]; [`Error::Vector`] if the bundle has no vectors.
    pub fn vectors(&mut self, index: &Index) -> Result<Result<HitVectors, Vec<ShardId>>, Error> {
        loop {
            if let Stage::Found(answer) | Stage::Presenting(answer) = &self.stage {
                return hit_vectors(index, answer);
            }
            match self.advance(index)? {
                Some(Step::Need(shards)) => return Ok(Err(shards)),
                Some(Step::Done(_)) => return Err(over()),
                None => {}
            }
        }
    }

    /// Runs one stage. `None` if the next stage can run at once.
    #[inline]
    fn advance(&mut self, index: &Index) -> Result<Option<Step>, Error> {
        let next = match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Reading(request) => read_page(index, request)?,
            Stage::Similar { parsed, address } => resolve_similar(index, parsed, address)?,
            Stage::Retrieving(retrieving) => retrieve(index, *retrieving)?,
            Stage::NothingFound(answer) => find_tries(index, answer)?,
            Stage::Suggesting(answer, tries) => suggest(index, answer, tries)?,
            Stage::Found(answer) => fetch_texts(index, answer),
            Stage::Presenting(answer) => present(index, answer)?,
            Stage::Answered(response) => return Ok(Some(Step::Done(response))),
            Stage::Over => return Err(over()),
        };
        let (stage, step) = match next {
            Next::Stage(stage) => (stage, None),
            Next::Need(stage, shards) => (stage, Some(Step::Need(index.missing(&shards)))),
        };
        self.stage = stage;
        Ok(step)
    }
}

/// Returns the error for a step after the end of the search.
fn over() -> Error {
    let message = "expected a search under way, found one that is over; begin another".into();
    Error::Request { message }
}

/// Reads the page that the request names.
#[doc(alias = "deferred")]
#[inline(never)]
fn read_page(index: &Index, request: Box<Request>) -> Result<Next<Stage>, Error> {
    let address = request.read.as_deref().unwrap_or_default();
    Ok(match read(index, &request, address)? {
        Ok(response) => Next::Stage(Stage::Answered(response)),
        Err(shards) => Next::Need(Stage::Reading(request), shards),
    })
}

/// Makes the query of a search for similar pages.
#[doc(alias = "deferred")]
#[inline(never)]
fn resolve_similar(
    index: &Index,
    parsed: Box<ParsedRequest>,
    address: String,
) -> Result<Next<Stage>, Error> {
    let asked = match seed(index, &address, &parsed.request)? {
        Ok(seed) => seed.resolve(index, *parsed)?,
        Err(shards) => return Ok(Next::Need(Stage::Similar { parsed, address }, shards)),
    };
    let why = asked.request.why.clone().map_or(ExplainedPage::None, ExplainedPage::At);
    // The words come from the site, so none is corrected.
    let phrasings = vec![QueryRun::Spelt(Box::new(asked))];
    let retrieving = Retrieving { phrasings, without: Vec::new(), why };
    Ok(Next::Stage(Stage::Retrieving(Box::new(retrieving))))
}

/// Runs all queries, so that one round serves all of them, and ranks what they found.
fn retrieve(index: &Index, retrieving: Retrieving) -> Result<Next<Stage>, Error> {
    let Retrieving { phrasings, without: counted, why } = retrieving;
    let mut missing = Vec::new();
    let why = match why {
        ExplainedPage::At(address) => locate_page(index, address, &mut missing)?,
        known => known,
    };
    let phrasings = step_all(index, phrasings, &mut missing)?;
    let mut without = Vec::with_capacity(counted.len());
    for (attribute, runs) in counted {
        without.push((attribute, step_all(index, runs, &mut missing)?));
    }
    if !missing.is_empty() {
        let retrieving = Retrieving { phrasings, without, why };
        return Ok(Next::Need(Stage::Retrieving(Box::new(retrieving)), missing));
    }
    let without = if without.is_empty() { Vec::new() } else { sections_without(index, without) };
    let (asked, found): (Vec<ResolvedQuery>, Vec<Matches>) = phrasings
        .into_iter()
        .filter_map(QueryRun::into_retrieved)
        .map(|retrieved| (*retrieved.asked, retrieved.found))
        .unzip();
    let (place, notice) = match why {
        ExplainedPage::Found(place, notice) => (Some(place), notice),
        _ => (None, None),
    };
    let ranked = Ranked::new(index, &asked, found, &without, place)?;
    let suggests = |asked: &ResolvedQuery| {
        asked.request.suggest.0 && asked.seed.is_none() && asked.post.is_none()
    };
    let nothing = ranked.total.pages == 0 && place.is_none() && asked.iter().all(suggests);
    let answer = Box::new(Answer { asked, notice, ranked, suggested: Suggested::default() });
    Ok(Next::Stage(if nothing { Stage::NothingFound(answer) } else { Stage::Found(answer) }))
}

/// Makes the other queries that could be suggested.
fn find_tries(index: &Index, answer: Box<Answer>) -> Result<Next<Stage>, Error> {
    // The client fetches the deferred part of the engine when it sees this shard.
    let queries = answer.asked.iter().map(|asked| asked.request.query.as_str());
    let mut shards = spelling::first_shard(index, queries);
    // The shards in which the query's words were looked up. Another search may have dropped them.
    shards.extend(answer.asked.iter().flat_map(|asked| &asked.shards));
    let missing = index.missing(&shards);
    if !missing.is_empty() {
        return Ok(Next::Need(Stage::NothingFound(answer), missing));
    }
    Ok(match tries(index, &answer.asked)? {
        Ok(tries) => Next::Stage(Stage::Suggesting(answer, tries)),
        Err(shards) => Next::Need(Stage::NothingFound(answer), shards),
    })
}

/// Runs the queries that could be suggested, and keeps the queries that find something.
#[doc(alias = "deferred")]
#[inline(never)]
fn suggest(index: &Index, mut answer: Box<Answer>, tries: Tries) -> Result<Next<Stage>, Error> {
    let mut missing = Vec::new();
    let tries = tries.step(index, &mut missing)?;
    if !missing.is_empty() {
        return Ok(Next::Need(Stage::Suggesting(answer, tries), missing));
    }
    answer.suggested = tries.finish(index, &answer.asked)?;
    Ok(Next::Stage(Stage::Found(answer)))
}

/// Needs the texts of the pages shown. Codes of sentences are optional, so they are requested only
/// once.
fn fetch_texts(index: &Index, answer: Box<Answer>) -> Next<Stage> {
    let mut shards = answer.ranked.texts(index);
    shards.extend(answer.ranked.sentences(index));
    let missing = index.missing(&shards);
    if missing.is_empty() {
        Next::Stage(Stage::Presenting(answer))
    } else {
        Next::Need(Stage::Presenting(answer), missing)
    }
}

/// Makes the response.
fn present(index: &Index, answer: Box<Answer>) -> Result<Next<Stage>, Error> {
    let missing = index.missing(&answer.ranked.texts(index));
    if !missing.is_empty() {
        return Ok(Next::Need(Stage::Presenting(answer), missing));
    }
    Ok(Next::Stage(Stage::Answered(Box::new(respond(index, *answer)?))))
}

/// Finds the page that is explained; adds the shards that are `missing` for it.
#[doc(alias = "deferred")]
#[inline(never)]
fn locate_page(
    index: &Index,
    address: String,
    missing: &mut Vec<ShardId>,
) -> Result<ExplainedPage, Error> {
    let place = match locate(index, &address, true)? {
        Located::Need(shards) => {
            missing.extend(index.missing(&shards));
            return Ok(ExplainedPage::At(address));
        }
        Located::Found(place) => place,
    };
    let unknown = address.contains('#') && place.section.is_none();
    let notice = unknown.then(|| {
        let message = format!("no section found by `{address}`; the page as a whole is explained");
        Notice { code: "unknown-anchor".into(), message }
    });
    Ok(ExplainedPage::Found(place, notice))
}

/// Resolves the phrasings of a request: its query and the alternative phrasings that are not empty.
#[doc(alias = "deferred")]
#[inline(never)]
fn several(
    index: &Index,
    mut request: Request,
    also: Vec<String>,
) -> Result<Vec<ResolvedQuery>, Error> {
    let mut vectors = std::mem::take(&mut request.also_vectors).into_iter();
    let mut requests = vec![request.clone()];
    for query in also {
        let vector = vectors.next().flatten();
        // An empty phrasing is left out.
        if !query.trim().is_empty() {
            requests.push(Request { query, vector, ..request.clone() });
        }
    }
    let mut phrasings = Vec::with_capacity(requests.len());
    for request in requests {
        let parsed = ParsedRequest::new(index, request)?;
        phrasings.push(ResolvedQuery::new(index, parsed, Purpose::Together, None)?);
    }
    Ok(phrasings)
}

/// Returns, for each attribute that is counted, the queries without the part of the filter that
/// concerns it. Attributes whose part is missing or cannot be separated are left out.
#[doc(alias = "deferred")]
#[inline(never)]
fn without(
    index: &Index,
    phrasings: &[ResolvedQuery],
) -> Result<Vec<(String, Vec<QueryRun>)>, Error> {
    let mut searches = Vec::new();
    for attribute in phrasings.first().map_or(Ok(Vec::new()), |first| first.facets(index))? {
        let others =
            phrasings.iter().filter_map(|asked| asked.without_attribute(index, &attribute.name));
        let others: Vec<QueryRun> = others.map(QueryRun::new).collect();
        if !others.is_empty() {
            searches.push((attribute.name.clone(), others));
        }
    }
    Ok(searches)
}

/// Returns the sections that each of these searches found.
#[doc(alias = "deferred")]
#[inline(never)]
fn sections_without(
    index: &Index,
    searches: Vec<(String, Vec<QueryRun>)>,
) -> Vec<(String, Bitset)> {
    let mut sections = Vec::with_capacity(searches.len());
    for (name, runs) in searches {
        let retrieved = runs.into_iter().filter_map(QueryRun::into_retrieved);
        let found: Vec<Matches> = retrieved.map(|retrieved| retrieved.found).collect();
        sections.push((name, sections_of(index, &found)));
    }
    sections
}

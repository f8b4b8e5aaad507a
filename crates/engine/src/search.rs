//! One search, as a state machine without IO.
//!
//! 1. Everything that the query alone tells it needs: structure, dictionary ranges, for phrases the
//!    directory of positions, columns for filter, facets and order, vectors and graph; the static
//!    encoder's rows. Where the bundle does not have a word, its own words of that spelling, and
//!    what the corrected query needs. Then the positions of phrases, where all of their words are.
//! 2. Where vectors are streamed, the cells nearest to the query; more of them where a filter lets
//!    little through.
//! 3. What the pages shown need: their texts, and of what only meaning found the codes of
//!    sentences.
//! 4. Done.

use findling_bundle::ShardId;

use crate::api::{Error, Notice, Request, Response};
use crate::bitset::Bitset;
use crate::index::Index;
use crate::locate::{Located, Place, locate};
use crate::query_run::{QueryRun, take_found};
use crate::rank::{Ranked, pages_of};
use crate::resolve::ResolvedQuery;
use crate::similar::{Seed, seed};
use crate::spelling;
use crate::suggest::{Suggested, Suggesting};

impl Index {
    /// Begins a search: parses the query and the filter, and plans.
    ///
    /// # Errors
    /// Those for which [`Error::is_request`] holds.
    pub fn search(&self, request: Request) -> Result<Search, Error> {
        self.count_search();
        Search::new(self, request)
    }
}

/// A search under way. Step it until it is done.
pub struct Search {
    /// The query, then its other wordings.
    wordings: Vec<QueryRun>,
    /// The same without one attribute's part of the filter, for counting that attribute's values.
    instead: Vec<(String, Vec<QueryRun>)>,
    /// What else to ask, where nothing is found.
    suggesting: Option<Suggesting>,
    /// The page that others are to be like, until it is known what of it is asked for.
    similar_to: Option<String>,
    /// The page asked about, once it is found.
    why: Option<Place>,
    ranked: Option<Ranked>,
    /// Whether the codes of sentences were asked for, which results can do without.
    asked_for_sentences: bool,
}

/// What a search wants next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// These shards, in any order: fetch them, [`Index::provide`] them and step again. Twice for a
    /// search, and more often where vectors are streamed, a phrase is asked for or a word is
    /// corrected.
    Need(Vec<ShardId>),
    /// The answer.
    Done(Box<Response>),
}

impl Search {
    pub(crate) fn new(index: &Index, mut request: Request) -> Result<Self, Error> {
        request.validate()?;
        let similar_to = request.similar_to.clone();
        let facets_instead = request.facets_instead && similar_to.is_none();
        let also = std::mem::take(&mut request.also);
        let wordings = if also.is_empty() {
            let mut run = QueryRun::new(index, ResolvedQuery::new(index, request)?)?;
            run.relaxes = true;
            vec![run]
        } else {
            several(index, request, also)?
        };
        // Without a filter there is nothing to leave out, and what leaves it out need not be here.
        let filtered = wordings.iter().any(|wording| wording.asked.condition.is_some());
        let instead =
            if facets_instead && filtered { without(index, &wordings)? } else { Vec::new() };
        Ok(Self {
            wordings,
            instead,
            suggesting: None,
            similar_to,
            why: None,
            ranked: None,
            asked_for_sentences: false,
        })
    }

    /// Goes as far as the shards at hand allow. Cheap to call again.
    ///
    /// # Errors
    /// [`Error::Bundle`] and [`Error::Inconsistent`] where a shard turns out to be hostile or
    /// damaged; [`Error::NoSuchPage`].
    pub fn step(&mut self, index: &Index) -> Result<Step, Error> {
        if let (Some(address), [wording, ..]) = (&self.similar_to, &mut self.wordings[..]) {
            match seed(index, address, &wording.asked.request)? {
                Seed::Need(shards) => return Ok(Step::Need(index.missing(&shards))),
                seed => wording.ask_for(index, seed)?,
            }
            self.similar_to = None;
        }
        let locates = self.why.is_none()
            && self.wordings.iter().take(1).any(|first| first.asked.request.why.is_some());
        let mut needed = if locates { self.locate(index)? } else { Vec::new() };
        if self.ranked.is_none() {
            let instead = self.instead.iter_mut().flat_map(|(_, wordings)| wordings);
            for wording in self.wordings.iter_mut().chain(instead) {
                needed.extend(wording.step(index)?);
            }
        }
        let missing = index.missing(&needed);
        if !missing.is_empty() {
            return Ok(Step::Need(missing));
        }
        let ranked = match &mut self.ranked {
            Some(ranked) => ranked,
            none => {
                let instead = if self.instead.is_empty() {
                    Vec::new()
                } else {
                    pages_without(index, &mut self.instead)?
                };
                let found = take_found(&mut self.wordings);
                let asked: Vec<&ResolvedQuery> =
                    self.wordings.iter().map(|wording| &wording.asked).collect();
                none.insert(Ranked::new(index, &asked, found, &instead, self.why)?)
            }
        };
        let suggests =
            |wording: &QueryRun| wording.asked.request.suggest.0 && wording.asked.like.is_none();
        if ranked.total.pages == 0 && self.why.is_none() && self.wordings.iter().all(suggests) {
            // A host that has the engine in parts fetches the one that suggests with spellings.
            let spellings = index.missing(&spelling::first_shard(
                index,
                self.wordings.iter().map(|run| run.asked.request.query.as_str()),
            ));
            if !spellings.is_empty() {
                return Ok(Step::Need(spellings));
            }
            let suggesting = self.suggesting.get_or_insert_default();
            match suggesting.step(index, &self.wordings)? {
                Suggested::Need(shards) => return Ok(Step::Need(index.missing(&shards))),
                Suggested::Done { suggestions, notices } => {
                    ranked.suggestions = suggestions;
                    ranked.notices.extend(notices);
                }
            }
        }
        let mut shards = ranked.shards(index);
        // The name of a page that was not found.
        shards.extend(self.why.and_then(|place| Some(index.manifest().text_of(place.page, 0)?.0)));
        if !std::mem::replace(&mut self.asked_for_sentences, true) {
            shards.extend(ranked.sentences(index));
        }
        let missing = index.missing(&shards);
        if !missing.is_empty() {
            return Ok(Step::Need(missing));
        }
        let asked: Vec<&ResolvedQuery> =
            self.wordings.iter().map(|wording| &wording.asked).collect();
        Ok(Step::Done(Box::new(crate::results::respond(index, &asked, ranked)?)))
    }

    /// Finds the page asked about; the shards that are missing for it.
    #[doc(alias = "deferred")]
    #[inline(never)]
    fn locate(&mut self, index: &Index) -> Result<Vec<ShardId>, Error> {
        let [QueryRun { asked, .. }, ..] = &mut self.wordings[..] else { return Ok(Vec::new()) };
        let (Some(address), None) = (&asked.request.why, self.why) else { return Ok(Vec::new()) };
        match locate(index, address, true)? {
            Located::Need(shards) => return Ok(shards),
            Located::Found(place) => {
                if address.contains('#') && place.section.is_none() {
                    let message = format!(
                        "no section found by `{address}`; the page as a whole is explained"
                    );
                    asked.notices.push(Notice { code: "unknown-anchor".into(), message });
                }
                self.why = Some(place);
            }
        }
        Ok(Vec::new())
    }
}

/// The wordings of a request: its query, and those that say something else.
#[doc(alias = "deferred")]
#[inline(never)]
fn several(index: &Index, mut request: Request, also: Vec<String>) -> Result<Vec<QueryRun>, Error> {
    let mut vectors = std::mem::take(&mut request.also_vectors).into_iter();
    let mut requests = vec![request.clone()];
    for query in also {
        let vector = vectors.next().flatten();
        // Nothing said is no other way to say it.
        if !query.trim().is_empty() {
            requests.push(Request { query, vector, ..request.clone() });
        }
    }
    let mut wordings = Vec::with_capacity(requests.len());
    for request in requests {
        wordings.push(QueryRun::new(index, ResolvedQuery::new(index, request)?)?);
    }
    Ok(wordings)
}

/// The pages that each of these searches finds.
#[doc(alias = "deferred")]
#[inline(never)]
fn pages_without(
    index: &Index,
    searches: &mut [(String, Vec<QueryRun>)],
) -> Result<Vec<(String, Bitset)>, Error> {
    let mut pages = Vec::with_capacity(searches.len());
    for (name, wordings) in searches {
        pages.push((std::mem::take(name), pages_of(index, &take_found(wordings))?));
    }
    Ok(pages)
}

/// For each attribute that is counted, the search without what its filter asks of it.
#[doc(alias = "deferred")]
#[inline(never)]
fn without(index: &Index, wordings: &[QueryRun]) -> Result<Vec<(String, Vec<QueryRun>)>, Error> {
    let mut searches = Vec::new();
    for attribute in wordings.first().map_or(Ok(Vec::new()), |first| first.asked.facets(index))? {
        if let Some(others) = without_attribute(index, wordings, &attribute.name)? {
            searches.push((attribute.name.clone(), others));
        }
    }
    Ok(searches)
}

/// The search without what its filter asks of one attribute; `None` where it asks nothing of it, or
/// not apart from others.
fn without_attribute(
    index: &Index,
    wordings: &[QueryRun],
    attribute: &str,
) -> Result<Option<Vec<QueryRun>>, Error> {
    let mut others = Vec::with_capacity(wordings.len());
    for run in wordings {
        others.extend(run.without_attribute(index, attribute)?);
    }
    Ok((!others.is_empty()).then_some(others))
}

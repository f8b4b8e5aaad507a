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

use findling_bundle::projection::Projection;
use findling_bundle::{Attribute, AttributeKind, Dense, Level, PageId, ShardId, StaticRows, order};
use findling_text::keys::pin_key;

use crate::filter::{self, Bitset, Condition, Misfit};
use crate::lexical::{Dictionary, Scorer};
use crate::locate::{Located, Place, locate};
use crate::query::{self, Query, QueryPlan};
use crate::rank::{Allowed, Found, Ranked, Words, columns_of_order, pages_of};
use crate::similar::{Seed, seed};
use crate::spell::{self, Spelling};
use crate::suggest::{Suggested, Suggesting};
use crate::vector::{Embedded, Probe, QuantisedQuery, StaticQuery};
use crate::{
    Correction, EncoderChoice, Error, Fusion, Index, Mode, Notice, Order, Prefer, QueryVector,
    Request, Response, Sort,
};

/// What the engine's own encoder is called in responses.
const STATIC: &str = "static";

/// What the middle of a page's vectors is called there.
const PAGE: &str = "page";

/// The attribute that pages' scores are multiplied by, a number from 0 to 100: above 1 raised,
/// below buried.
pub const BOOST: &str = "search_boost";

/// The attribute of pages that are copies of each other: a number that they share.
pub const COPY: &str = "search_copy";

/// Most other wordings of a query.
pub const MAX_ALSO: usize = 4;

/// Most pages that a request can have at once.
pub const MAX_LIMIT: u32 = 1_000;

/// A search under way. Step it until it is done.
pub struct Search {
    /// The query, then its other wordings.
    wordings: Vec<Wording>,
    /// The same without one attribute's part of the filter, for counting that attribute's values.
    instead: Vec<(String, Vec<Wording>)>,
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

/// One way to say what is searched for, as far as it has come.
pub(crate) struct Wording {
    pub asked: Asked,
    /// What ranking needs.
    first: Vec<ShardId>,
    allowed: Option<Allowed>,
    /// Whether the query's spelling has been looked at.
    spelt: bool,
    /// Until ranking takes it.
    words: Option<Words>,
    probe: Option<Probe>,
    /// Until it is merged with what the others found.
    found: Option<Found>,
}

/// A request, understood.
pub(crate) struct Asked {
    pub request: Request,
    /// Its text, split, with what was corrected.
    pub query: Query,
    pub corrections: Vec<Correction>,
    pub plan: QueryPlan,
    pub condition: Option<Condition>,
    /// What attributes' types do not allow in the filter, and what looked like conditions in the
    /// query and became words again.
    pub misfits: Vec<Misfit>,
    /// The mode that answers.
    pub mode: Mode,
    /// The request's fusion, with numbers.
    pub fusion: Fusion,
    /// The query's vector, in [`Mode::Hybrid`] and [`Mode::Semantic`].
    pub dense: Option<DenseQuery>,
    /// Who embedded the query, where meaning takes part.
    pub encoder: Option<String>,
    /// The page that others are to be like: it is none of them.
    pub like: Option<Like>,
    /// Whether every match counts although nothing in the request says so: it is a part of a
    /// request that does.
    pub counts_all: bool,
    /// No word of the query is asked for; without a vector either, every page that the filter lets
    /// through is meant.
    no_words: bool,
    /// Whether the shards asked for first are those of this mode.
    planned: bool,
    pub notices: Vec<Notice>,
}

/// A page that others are to be like.
pub(crate) struct Like {
    pub page: PageId,
    /// Those of its vectors that make the query.
    vectors: Vec<u32>,
}

/// The query's vector, checked.
pub(crate) enum DenseQuery {
    /// In the space of the vectors stored.
    Stored(DensePoint),
    /// In the encoder's own space; to be projected.
    Own(Vec<f32>),
    /// In words, to be embedded by the bundle's rows.
    Static(StaticQuery),
}

/// Where a query is in the space of the vectors stored.
#[derive(Clone)]
pub(crate) struct DensePoint {
    pub query: QuantisedQuery,
    /// The similarity of the query with the mean of all vectors.
    pub zero: f32,
}

impl DenseQuery {
    /// Where it is, projected if need be: the projection's shard must then be here.
    pub fn point(&self, index: &Index) -> Result<DensePoint, Error> {
        match (self, &index.manifest().dense, index.projection()) {
            (Self::Stored(point), ..) => Ok(point.clone()),
            (Self::Own(values), Some(dense), Some(projection)) => {
                Self::projected(values, projection, dense)
            }
            _ => Err(Error::inconsistent("the query was not embedded")),
        }
    }

    #[inline(never)]
    fn projected(
        values: &[f32],
        projection: &Projection,
        dense: &Dense,
    ) -> Result<DensePoint, Error> {
        let wrong = |error: findling_bundle::Error| Error::Vector { message: error.to_string() };
        DensePoint::new(&projection.apply(values).map_err(wrong)?, dense)
    }
}

impl DensePoint {
    fn new(values: &[f32], dense: &Dense) -> Result<Self, Error> {
        let query = QuantisedQuery::new(values, dense.encoder.dim)?;
        Ok(Self { query, zero: cosine_with_mean(values, &dense.mean) })
    }
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
        check(&request)?;
        let similar_to = request.similar_to.clone();
        let facets_instead = request.facets_instead && similar_to.is_none();
        let also = std::mem::take(&mut request.also);
        let wordings = if also.is_empty() {
            vec![Wording::new(index, Asked::new(index, request)?)?]
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
                Seed::Need(shards) => return Ok(Step::Need(missing(index, &shards))),
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
        let missing = missing(index, &needed);
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
                let asked: Vec<&Asked> =
                    self.wordings.iter().map(|wording| &wording.asked).collect();
                none.insert(Ranked::new(index, &asked, found, &instead, self.why)?)
            }
        };
        let suggests =
            |wording: &Wording| wording.asked.request.suggest.0 && wording.asked.like.is_none();
        if ranked.total.pages == 0 && self.why.is_none() && self.wordings.iter().all(suggests) {
            // A host that has the engine in parts fetches the one that suggests with spellings.
            let spellings = self::missing(index, &spell::first_shard(index, &self.wordings));
            if !spellings.is_empty() {
                return Ok(Step::Need(spellings));
            }
            let suggesting = self.suggesting.get_or_insert_default();
            match suggesting.step(index, &self.wordings)? {
                Suggested::Need(shards) => return Ok(Step::Need(self::missing(index, &shards))),
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
        let missing = self::missing(index, &shards);
        if !missing.is_empty() {
            return Ok(Step::Need(missing));
        }
        let asked: Vec<&Asked> = self.wordings.iter().map(|wording| &wording.asked).collect();
        Ok(Step::Done(Box::new(crate::present::respond(index, &asked, ranked)?)))
    }

    /// Finds the page asked about; the shards that are missing for it.
    #[inline(never)]
    fn locate(&mut self, index: &Index) -> Result<Vec<ShardId>, Error> {
        let [Wording { asked, .. }, ..] = &mut self.wordings[..] else { return Ok(Vec::new()) };
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

impl Wording {
    pub fn new(index: &Index, asked: Asked) -> Result<Self, Error> {
        let first = asked.shards(index)?;
        let spelt = asked.request.verbatim || asked.mode == Mode::Semantic;
        Ok(Self { asked, first, spelt, allowed: None, words: None, probe: None, found: None })
    }

    /// Goes on with what stands in for a query. It is spelt as the site spells it.
    #[inline(never)]
    fn ask_for(&mut self, index: &Index, seed: Seed) -> Result<(), Error> {
        let mut request = self.asked.request.clone();
        self.asked = match seed {
            Seed::Need(_) => return Ok(()),
            Seed::Vector { page, middle: values, vectors } => {
                request.mode = Mode::Semantic;
                request.vector =
                    Some(QueryVector { values, encoder: PAGE.into(), truncated: false });
                Asked { like: Some(Like { page, vectors }), ..Asked::new(index, request)? }
            }
            Seed::Words { page, query } => {
                let like = Some(Like { page, vectors: Vec::new() });
                Asked { like, ..Asked::of(index, request, query)? }
            }
        };
        self.first = self.asked.shards(index)?;
        self.spelt = true;
        Ok(())
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
        let missing = missing(index, &needed);
        if !missing.is_empty() {
            return Ok(missing);
        }
        // A query that the site has an answer to is no slip.
        self.spelt = self.spelt || !self.asked.pins(index).is_empty();
        if !self.spelt {
            match spell::correct(index, &mut self.asked.query, self.asked.request.prefix) {
                Spelling::Need(shards) => return Ok(self::missing(index, &shards)),
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
                    let missing = self::missing(index, &Allowed::shards(index, &self.asked));
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
        self.found = Some(Found::new(index, &self.asked, allowed, words, self.probe.as_ref())?);
        Ok(Vec::new())
    }
}

/// The wordings of a request: its query, and those that say something else.
#[inline(never)]
fn several(index: &Index, mut request: Request, also: Vec<String>) -> Result<Vec<Wording>, Error> {
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
        wordings.push(Wording::new(index, Asked::new(index, request)?)?);
    }
    Ok(wordings)
}

/// What wordings found, once all of them have.
fn take_found(wordings: &mut [Wording]) -> Vec<Found> {
    wordings.iter_mut().filter_map(Wording::take_found).collect()
}

/// The pages that each of these searches finds.
#[inline(never)]
fn pages_without(
    index: &Index,
    searches: &mut [(String, Vec<Wording>)],
) -> Result<Vec<(String, Bitset)>, Error> {
    let mut pages = Vec::with_capacity(searches.len());
    for (name, wordings) in searches {
        pages.push((std::mem::take(name), pages_of(index, &take_found(wordings))?));
    }
    Ok(pages)
}

/// For each attribute that is counted, the search without what its filter asks of it.
#[inline(never)]
fn without(index: &Index, wordings: &[Wording]) -> Result<Vec<(String, Vec<Wording>)>, Error> {
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
    wordings: &[Wording],
    attribute: &str,
) -> Result<Option<Vec<Wording>>, Error> {
    let mut others = Vec::with_capacity(wordings.len());
    for Wording { asked: before, spelt, .. } in wordings {
        let Some(rest) =
            before.condition.as_ref().and_then(|condition| condition.without(attribute))
        else {
            continue;
        };
        let mut asked = Asked::of(index, before.request.clone(), before.query.clone())?;
        asked.condition = Some(rest).filter(|rest| !rest.is_everything());
        // The search with the whole filter has fetched all that this takes.
        asked.counts_all = true;
        others.push(Wording { spelt: *spelt, ..Wording::new(index, asked)? });
    }
    Ok((!others.is_empty()).then_some(others))
}

/// Chooses the cells to look into, where vectors are streamed, and gives the shards that are
/// missing for it. Cells are added until enough sections pass the filter, or the budget is spent.
fn probe(
    index: &Index,
    asked: &Asked,
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
            let (point, budget) = (dense.point(index)?, params.probe_bytes(&asked.plan));
            // By meaning alone there is nothing else to find pages by.
            let near_alone = asked.mode != Mode::Semantic;
            none.insert(Probe::new(centroids, &point.query, vectors, budget, near_alone))
        }
    };
    let enough = asked.enough(params.probe_enough);
    loop {
        let shards: Vec<ShardId> =
            probe.cells().iter().map(|&cell| index.cell_shard(cell)).collect();
        let missing = missing(index, &shards);
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

/// Those that are not here, each once, ascending.
fn missing(index: &Index, shards: &[ShardId]) -> Vec<ShardId> {
    let mut missing: Vec<_> = shards.iter().copied().filter(|&shard| !index.has(shard)).collect();
    order::sort(&mut missing);
    missing.dedup();
    missing
}

/// Whether the numbers of a request can be meant.
fn check(request: &Request) -> Result<(), Error> {
    let refuse = |message: String| Err(Error::Request { message });
    if request.limit.0 > MAX_LIMIT {
        return refuse(format!(
            "expected a limit of at most {MAX_LIMIT} pages, found {}; use offset for further ones",
            request.limit.0
        ));
    }
    let (valid, expected) = match request.fusion {
        Fusion::Rrf { k, dense_weight } => (
            k.is_finite() && k >= 0.0 && dense_weight.is_finite() && dense_weight >= 0.0,
            "rrf with k and denseWeight of 0 or more",
        ),
        Fusion::Convex { alpha } => (
            alpha.is_none_or(|alpha| (0.0..=1.0).contains(&alpha)),
            "convex with alpha from 0 to 1",
        ),
    };
    if !valid {
        return refuse(format!(
            "expected {expected}, found {:?}; leave fusion out for the default",
            request.fusion
        ));
    }
    if let Some(prefer) = &request.prefer {
        let half = prefer.half.unwrap_or(1.0);
        if !((0.0..=1.0).contains(&prefer.share) && half > 0.0 && half.is_finite()) {
            return refuse(
                "expected prefer with a share from 0 to 1 and a half above 0, found others".into(),
            );
        }
    }
    let n_also = request.also.len();
    if n_also > MAX_ALSO {
        return refuse(format!(
            "expected at most {MAX_ALSO} other wordings, found {n_also}; leave some out"
        ));
    }
    if n_also > 0 && (request.similar_to.is_some() || request.why.is_some()) {
        return refuse("expected no other wordings beside similarTo or why; leave also out".into());
    }
    if request.similar_to.is_some()
        && (!request.query.trim().is_empty() || request.vector.is_some())
    {
        return refuse("expected a query or similarTo, found both; leave one of them out".into());
    }
    Ok(())
}

impl Asked {
    pub fn new(index: &Index, request: Request) -> Result<Self, Error> {
        let query = query::parse(&request.query, |name| index.manifest().attribute(name).is_some());
        Self::of(index, request, query)
    }

    /// A request whose query is another than its text.
    fn of(index: &Index, mut request: Request, mut query: Query) -> Result<Self, Error> {
        let manifest = index.manifest();
        let mut notices = Vec::new();
        if request.order != Order::Relevance && request.sort.is_none() && request.prefer.is_none() {
            notices.extend(by_date(&mut request, &manifest.attributes));
        }
        let mut notice = |code: &str, message: &str| {
            notices.push(Notice { code: code.into(), message: message.into() });
        };

        let mut misfits = Vec::new();
        let condition = match &request.filter {
            None | Some(serde_json::Value::Null) if query.conditions.is_empty() => None,
            _ => filter::asked_for(index, &request, &mut query, &mut misfits)?,
        };
        let plan = QueryPlan::new(&query, &manifest.languages, &manifest.synonyms, request.prefix);
        if plan.truncated {
            notice(
                "query-truncated",
                "the query is longer than the engine looks at; its end was left out",
            );
        }

        let mut mode = request.mode;
        let dense = match (mode, &manifest.dense, &request.vector) {
            (Mode::Lexical, ..) => None,
            (_, None, _) => {
                notice("vectors-missing", "the bundle has no vectors; words alone were searched");
                None
            }
            (_, Some(dense), None) => match (&dense.rows, request.encoder) {
                (Some(rows), EncoderChoice::Auto | EncoderChoice::Static) => {
                    Some(DenseQuery::Static(static_query(&query, rows)))
                }
                _ => {
                    notice(
                        "encoder-missing",
                        "no encoder embedded the query; words alone were searched",
                    );
                    None
                }
            },
            (_, Some(dense), Some(vector)) => Some(supplied(vector, dense, &mut notices)?),
        };
        if dense.is_none() {
            mode = Mode::Lexical;
        }
        let encoder = match (&dense, &request.vector) {
            (None, _) => None,
            (Some(DenseQuery::Static(_)), _) => Some(STATIC.to_owned()),
            (Some(_), vector) => vector.as_ref().map(|vector| vector.encoder.clone()),
        };
        let fusion = match request.fusion {
            Fusion::Convex { alpha: None } => {
                Fusion::Convex { alpha: Some(index.rank_params().alpha(&plan)) }
            }
            told => told,
        };
        let no_words = query.clauses.iter().all(|clause| clause.excluded);
        Ok(Self {
            request,
            query,
            corrections: Vec::new(),
            plan,
            condition,
            misfits,
            mode,
            fusion,
            dense,
            encoder,
            like: None,
            counts_all: false,
            no_words,
            planned: true,
            notices,
        })
    }

    /// Plans anew for the query as it was corrected. A vector that came with the request stays: it
    /// was made of what was typed.
    #[inline(never)]
    fn correct(&mut self, index: &Index, corrections: Vec<Correction>) {
        let manifest = index.manifest();
        self.plan = QueryPlan::new(
            &self.query,
            &manifest.languages,
            &manifest.synonyms,
            self.request.prefix,
        );
        if let (Some(DenseQuery::Static(_)), Some(dense)) = (&self.dense, &manifest.dense)
            && let Some(rows) = &dense.rows
        {
            self.dense = Some(DenseQuery::Static(static_query(&self.query, rows)));
        }
        self.corrections = corrections;
    }

    /// The query's embedding by the bundle's rows as far as they are here; `None` where it is not
    /// embedded by them.
    fn embedding(&self, index: &Index) -> Result<Option<Embedded>, Error> {
        let (Some(DenseQuery::Static(query)), Some(dense)) = (&self.dense, &index.manifest().dense)
        else {
            return Ok(None);
        };
        let rows = dense
            .rows
            .as_ref()
            .ok_or_else(|| Error::inconsistent("the bundle has no encoder rows"))?;
        Ok(Some(query.embed(index, rows, dense.encoder.dim)))
    }

    /// The rows that are missing for embedding the query, as far as can be told.
    fn rows(&self, index: &Index) -> Result<Vec<ShardId>, Error> {
        match self.embedding(index)? {
            Some(Embedded::Need(shards)) => Ok(shards),
            _ => Ok(Vec::new()),
        }
    }

    /// Whether every page that the filter lets through is meant: there are no words and there is no
    /// vector.
    pub fn browse(&self) -> bool {
        self.no_words && self.dense.is_none()
    }

    /// Embeds the query by the bundle's rows, where that is how it is embedded; gives the shards
    /// that this takes. Without a word that has rows, words alone are searched.
    fn embed(&mut self, index: &Index) -> Result<Vec<ShardId>, Error> {
        let truncated = matches!(&self.dense, Some(DenseQuery::Static(query)) if query.truncated);
        match (self.embedding(index)?, &index.manifest().dense) {
            (None, _) | (_, None) => {}
            (Some(Embedded::Need(shards)), _) => return Ok(shards),
            (Some(Embedded::Done(Some(sum))), Some(dense)) => {
                if truncated {
                    let message = "the encoder saw only the beginning of the query".into();
                    self.notices.push(Notice { code: "vector-truncated".into(), message });
                }
                self.dense = Some(DenseQuery::Stored(DensePoint::new(&sum, dense)?));
            }
            (Some(Embedded::Done(None)), _) => {
                if !self.no_words {
                    let message =
                        "the encoder knows no word of the query; words alone were searched".into();
                    self.notices.push(Notice { code: "query-unknown".into(), message });
                }
                (self.dense, self.encoder, self.mode) = (None, None, Mode::Lexical);
                self.planned = false;
            }
        }
        Ok(Vec::new())
    }

    /// What ranking needs.
    fn shards(&self, index: &Index) -> Result<Vec<ShardId>, Error> {
        let manifest = index.manifest();
        let dictionary = Dictionary::new(index);
        let mut shards: Vec<ShardId> = manifest.structure().into_iter().collect();
        if self.mode != Mode::Semantic {
            let (only_stops, is_name) = (self.plan.only_stops(), self.plan.is_name());
            for group in &self.plan.groups {
                if Scorer::group_weight(&index.rank_params().bm25f, group, only_stops) <= 0.0 {
                    continue;
                }
                // Forms lie beside their terms, nearly always in the same shard.
                let forms = group.forms.iter().filter(|_| is_name);
                let asked = group.terms.iter().chain(&group.synonyms).chain(forms);
                shards.extend(asked.filter_map(|term| dictionary.shard_of(term)));
                let completed = group.prefix.iter();
                shards.extend(
                    completed
                        .flat_map(|prefix| dictionary.shards_for_completion(prefix, &group.terms)),
                );
            }
            let names = self.plan.names.iter().chain(&self.plan.questions);
            shards.extend(names.filter_map(|name| dictionary.shard_of(name)));
        }
        shards.extend(self.pin_keys().iter().filter_map(|key| dictionary.shard_of(key)));
        if self.plan.has_phrases() {
            self.shards_of_phrases(&dictionary, &mut shards);
        }
        if self.needs_all_matches(index) || self.request.why.is_some() {
            let ranges = manifest.lexicon.iter().filter(|range| shards.contains(&range.terms));
            let second: Vec<ShardId> = ranges.filter_map(|range| range.second).collect();
            shards.extend(second);
        }
        if let Some(condition) = &self.condition {
            shards.extend(condition.shards(&manifest.attributes)?);
        }
        shards.extend(self.misfits.iter().map(|misfit| misfit.column));
        for attribute in self.facets(index)? {
            shards.push(attribute.column);
        }
        if let Some(sort) = &self.request.sort {
            shards.push(attribute(index, &sort.by)?.column);
        }
        shards.extend(columns_of_order(index, self)?);
        if let (Some(query), Some(dense)) = (&self.dense, &manifest.dense) {
            if matches!(query, DenseQuery::Own(_)) {
                shards.extend(dense.projection);
            }
            match index.streams() {
                Some(centroids) => shards.push(centroids),
                None => {
                    shards.extend(dense.vectors.iter().map(|range| range.shard));
                    shards.extend(dense.graph);
                    shards.extend(manifest.vector_counts());
                }
            }
        }
        Ok(shards)
    }

    /// What phrases and exclusions need.
    #[inline(never)]
    fn shards_of_phrases(&self, dictionary: &Dictionary<'_>, shards: &mut Vec<ShardId>) {
        for phrase in self.plan.phrases.iter().chain(&self.plan.excluded) {
            for term in phrase.slots.iter().flat_map(|slot| &slot.terms) {
                shards.extend(dictionary.shard_of(term));
            }
            if phrase.slots.len() > 1 {
                shards.extend(dictionary.index().manifest().positions());
            }
        }
    }

    /// Whether both tiers of postings are looked into. By the first alone a streamed bundle finds
    /// what is most relevant; where a filter, a phrase or an exclusion decides what may be
    /// found, or an attribute in which order, every match counts.
    pub fn needs_all_matches(&self, index: &Index) -> bool {
        let Self { request, plan, condition, .. } = self;
        let all_may_be_found = condition.is_none() && !self.counts_all && !plan.has_phrases();
        !(index.saves_second_tier() && all_may_be_found && request.sort.is_none())
    }

    /// None for phrases: who puts words in quotation marks wants pages that have them.
    fn pin_keys(&self) -> Vec<String> {
        self.plan
            .names
            .iter()
            .filter(|_| self.plan.phrases.is_empty())
            .map(|name| pin_key(name))
            .collect()
    }

    /// The pages that the site has pinned to the query, ascending.
    pub fn pins(&self, index: &Index) -> Vec<u32> {
        let dictionary = Dictionary::new(index);
        let mut pages: Vec<u32> = Vec::new();
        for found in self.pin_keys().iter().filter_map(|key| dictionary.find(key)) {
            pages.extend(dictionary.postings(&found, Level::Page).map(|posting| posting.id));
        }
        order::sort(&mut pages);
        pages.dedup();
        pages
    }

    /// How many vectors that pass the filter are enough to choose from, where vectors are streamed;
    /// `least` at least.
    fn enough(&self, least: u32) -> usize {
        match self.mode {
            // Nothing but this list answers, so it has to reach as far as the reader pages.
            Mode::Semantic => least.max(self.reach()) as usize,
            _ => least as usize,
        }
    }

    /// Sections that a page of results as far back as asked for may be made of.
    pub fn reach(&self) -> u32 {
        self.request.offset.saturating_add(self.request.limit.0).saturating_mul(4)
    }

    /// The attributes whose values are counted, in the order asked for.
    pub fn facets<'a>(&self, index: &'a Index) -> Result<Vec<&'a Attribute>, Error> {
        let attributes = &index.manifest().attributes;
        let mut wanted: Vec<&Attribute> = Vec::new();
        for name in &self.request.facets {
            if name == "*" {
                wanted.extend(attributes.iter().filter(|attribute| attribute.facet));
            } else {
                wanted.push(attribute(index, name)?);
            }
        }
        let mut seen = Vec::new();
        wanted.retain(|attribute| {
            let new = !seen.contains(&&attribute.name);
            seen.push(&attribute.name);
            new
        });
        Ok(wanted)
    }
}

/// Asks for the newer pages as a request's `order` wants them, by the attribute `date` or else the
/// first that is one; a notice where there is none.
#[inline(never)]
fn by_date(request: &mut Request, attributes: &[Attribute]) -> Option<Notice> {
    let mut dates = attributes.iter().filter(|other| other.kind == AttributeKind::Date);
    let Some(date) = dates.clone().find(|date| date.name == "date").or_else(|| dates.next()) else {
        let message = "no attribute of the pages is a date; the most relevant come first".into();
        return Some(Notice { code: "no-dates".into(), message });
    };
    let by = date.name.clone();
    match request.order {
        Order::Recent => request.sort = Some(Sort { by, descending: true }),
        _ => request.prefer = Some(Prefer::of(by)),
    }
    None
}

/// A vector that came with a request, and what is to be said of it.
#[inline(never)]
fn supplied(
    vector: &QueryVector,
    dense: &Dense,
    notices: &mut Vec<Notice>,
) -> Result<DenseQuery, Error> {
    let mut notice = |code: &str, message: &str| {
        notices.push(Notice { code: code.into(), message: message.into() });
    };
    if vector.truncated {
        notice("vector-truncated", "the encoder saw only the beginning of the query");
    }
    if !dense.encoder.semantic {
        notice(
            "not-semantic",
            "the bundle's vectors compare spellings, not meanings; build it with another encoder",
        );
    }
    if dense.projection.is_some() && vector.values.len() != dense.encoder.dim as usize {
        return Ok(DenseQuery::Own(vector.values.clone()));
    }
    Ok(DenseQuery::Stored(DensePoint::new(&vector.values, dense)?))
}

/// The words that are asked for, to be embedded by a bundle's rows.
fn static_query(query: &Query, rows: &StaticRows) -> StaticQuery {
    let asked: Vec<&str> = query
        .clauses
        .iter()
        .filter(|clause| !clause.excluded)
        .map(|clause| clause.text.as_str())
        .collect();
    StaticQuery::new(&asked.join(" "), rows)
}

/// An attribute by name.
pub(crate) fn attribute<'a>(index: &'a Index, name: &str) -> Result<&'a Attribute, Error> {
    let manifest = index.manifest();
    manifest.attribute(name).ok_or_else(|| Error::UnknownAttribute {
        name: name.into(),
        known: manifest.attributes.iter().map(|attribute| attribute.name.clone()).collect(),
    })
}

/// The cosine of a query with the mean vector, as a document's similarity is one: the mean keeps
/// its own length, which is shorter than 1. In f64 and in order, for hosts to agree, as they do on
/// square roots (IEEE 754, 5.4.1).
fn cosine_with_mean(query: &[f32], mean: &[f32]) -> f32 {
    let norm = query.iter().map(|&value| f64::from(value) * f64::from(value)).sum::<f64>();
    let dot = query.iter().zip(mean).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>();
    (dot / norm.sqrt()) as f32
}

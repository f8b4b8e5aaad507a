//! A request resolved against a bundle: the parsed query, its plan, the filter and the vector, with
//! the shards that ranking needs.
//!
//! [`ParsedRequest`] is the request, parsed. [`ResolvedQuery`] is its plan. An option, a correction
//! or a relaxed phrase changes the query, which gives another [`ResolvedQuery`].

use findling_bundle::{
    Attribute, AttributeKind, AttributeLevel, Dense, Level, PageId, ShardId, StaticRows, order,
};
use findling_text::keys::pin_key;

use crate::api::{
    BOOST, COPY, Correction, EncoderChoice, Error, Fusion, Mode, Notice, Order, Prefer,
    QueryVector, RankParams, Request, Sort,
};
use crate::filter::{self, Condition, ResolvedFilter, TypeMismatch};
use crate::index::Index;
use crate::lexical::{Dictionary, Scorer};
use crate::messages::quote;
use crate::query::{self, ClauseKind, Completion, Query, QueryPlan};
use crate::vector::{DensePoint, DenseQuery, Embedded, StaticQuery};

/// The name of the engine's own encoder in responses.
const STATIC: &str = "static";

/// The notice for a query without a vector.
const UNKNOWN: &str = "the encoder knows no word of the query; words alone were searched";

/// [`RankParams::page_second`] in a search for similar pages. There nearly every section of a near
/// page has a high cosine, so a second section would reward long pages.
const LIKE_SECOND: f32 = 0.1;

/// A request whose query is split and whose filter is compiled. All errors of the request itself
/// have been reported.
#[derive(Clone)]
pub(crate) struct ParsedRequest {
    pub request: Request,
    /// The query's text, split.
    pub query: Query,
    pub condition: Option<Condition>,
    /// The second filter of the request.
    pub post: Option<Condition>,
    /// Tests that the types of attributes do not allow: tests of the filter, and conditions in the
    /// query, which became words.
    pub mismatches: Vec<TypeMismatch>,
    /// The columns that filter, facets and order read.
    columns: Vec<ShardId>,
    notices: Vec<Notice>,
}

impl ParsedRequest {
    /// Parses the query and the filters of a request.
    ///
    /// # Errors
    /// Errors for which [`Error::is_request`] holds.
    pub fn new(index: &Index, mut request: Request) -> Result<Self, Error> {
        let manifest = index.manifest();
        let query = query::parse(&request.query, |name| manifest.attribute(name).is_some());
        let mut notices = Vec::new();
        let is_by_date = matches!(request.order, Order::Recent | Order::Balanced);
        if is_by_date && request.sort.is_none() && request.prefer.is_none() {
            notices.extend(by_date(&mut request, &manifest.attributes));
        }
        let ResolvedFilter { condition, query, mismatches } = match &request.filter {
            None | Some(serde_json::Value::Null) if query.conditions.is_empty() => {
                ResolvedFilter { condition: None, query, mismatches: Vec::new() }
            }
            _ => filter::resolve(index, &request, query)?,
        };
        let mut columns: Vec<ShardId> = mismatches.iter().map(|mismatch| mismatch.column).collect();
        if let Some(condition) = &condition {
            columns.extend(condition.shards(&manifest.attributes)?);
        }
        let post = match &request.post_filter {
            None | Some(serde_json::Value::Null) => None,
            Some(_) => filter::post_filter_of(index, &request)?,
        };
        if let Some(post) = &post {
            columns.extend(post.shards(&manifest.attributes)?);
        }
        columns.extend(facets(index, &request)?.iter().map(|attribute| attribute.column));
        if let Some(sort) = &request.sort {
            columns.push(index.attribute(&sort.by)?.column);
        }
        columns.extend(columns_of_order(index, &request)?);
        Ok(Self { request, query, condition, post, mismatches, columns, notices })
    }
}

/// The purpose of a query.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The only phrasing of a request. Phrases and exclusions that leave no page become words.
    Alone,
    /// One of several phrasings of a request.
    Together,
    /// A query that only counts the values of an attribute, so that every match must be found.
    Count,
}

/// A request with everything needed to run it: the plan, the vector and the shards.
#[derive(Clone)]
pub(crate) struct ResolvedQuery {
    pub request: Request,
    /// The query's text, split and corrected.
    pub query: Query,
    pub corrections: Vec<Correction>,
    pub plan: QueryPlan,
    pub condition: Option<Condition>,
    /// See [`ParsedRequest::post`].
    pub post: Option<Condition>,
    /// See [`ParsedRequest::mismatches`].
    pub mismatches: Vec<TypeMismatch>,
    /// The mode that answers.
    pub mode: Mode,
    /// The request's fusion, with numbers.
    pub fusion: Fusion,
    /// The query's vector, in [`Mode::Hybrid`] and [`Mode::Semantic`].
    pub dense: Option<DenseQuery>,
    /// The name of the encoder that embedded the query, if it has a vector.
    pub encoder: Option<String>,
    /// The page that similar pages are searched for. It is left out of the results.
    pub seed: Option<SeedPage>,
    /// Whether the query has no word to search for. If it has no vector either, it lists every page
    /// that passes the filter.
    pub no_words: bool,
    pub notices: Vec<Notice>,
    /// The shards that ranking needs, except positions and cells.
    pub shards: Vec<ShardId>,
    columns: Vec<ShardId>,
    purpose: Purpose,
}

/// The page that similar pages are searched for.
#[derive(Clone)]
pub(crate) struct SeedPage {
    pub page: PageId,
    /// The numbers of its vectors whose mean is the query.
    pub vectors: Vec<u32>,
}

/// Another reading of a query, and the notice about it.
pub(crate) struct Reading {
    query: Query,
    notice: Notice,
}

impl ResolvedQuery {
    /// Plans a parsed request. `seed` is the page from which the query was made, if any.
    ///
    /// # Errors
    /// [`Error::Vector`] if the vector that came with the request is not in the bundle's space.
    pub fn new(
        index: &Index,
        parsed: ParsedRequest,
        purpose: Purpose,
        seed: Option<SeedPage>,
    ) -> Result<Self, Error> {
        let ParsedRequest { request, query, condition, post, mismatches, columns, mut notices } =
            parsed;
        let plan = plan(index, &query, &request);
        if plan.truncated {
            let message = "the query is longer than the engine looks at; its end was left out";
            notices.push(notice("query-truncated", message));
        }
        let dense = vector(index, &request, &query, &mut notices)?;
        let encoder = match (&dense, &request.vector) {
            (None, _) => None,
            (Some(DenseQuery::Static(_)), _) => Some(STATIC.to_owned()),
            (Some(_), vector) => vector.as_ref().map(|vector| vector.encoder.clone()),
        };
        let fusion = match request.fusion {
            Fusion::Convex { alpha: None } => {
                Fusion::Convex { alpha: Some(index.rank_params().alpha(plan.is_sentence())) }
            }
            told => told,
        };
        let resolved = Self {
            mode: if dense.is_none() { Mode::Lexical } else { request.mode },
            no_words: has_no_words(&query),
            request,
            query,
            corrections: Vec::new(),
            plan,
            condition,
            post,
            mismatches,
            fusion,
            dense,
            encoder,
            seed,
            notices,
            shards: Vec::new(),
            columns,
            purpose,
        };
        Ok(resolved.with_shards(index))
    }

    /// Returns the parameters for ranking its pages.
    pub fn rank_params(&self, index: &Index) -> RankParams {
        let mut params = *index.rank_params();
        if self.seed.is_some() {
            params.page_second = LIKE_SECOND;
        }
        params
    }

    /// Returns the same request with a corrected query. A vector that came with the request is
    /// kept, and so is one that was already embedded.
    #[inline(never)]
    pub fn correct(self, index: &Index, query: Query, corrections: Vec<Correction>) -> Self {
        let manifest = index.manifest();
        let plan = plan(index, &query, &self.request);
        let rows = manifest.dense.as_ref().and_then(|dense| dense.rows.as_ref());
        let dense = match (self.dense, rows) {
            (Some(DenseQuery::Static(_)), Some(rows)) => {
                Some(DenseQuery::Static(static_query(&query, rows)))
            }
            (dense, _) => dense,
        };
        let no_words = has_no_words(&query);
        Self { query, plan, dense, no_words, corrections, ..self }.with_shards(index)
    }

    /// Returns the query with its excluded words read as options (`-xzf`), if the site contains
    /// such options; otherwise `None`. The shards of the terms must be loaded.
    #[inline(never)]
    pub fn options(&self, index: &Index) -> Option<Reading> {
        let dictionary = Dictionary::new(index);
        let mut query = self.query.clone();
        let mut options = Vec::new();
        for (i, term) in &self.plan.options {
            let Some(clause) = query.clauses.get_mut(*i) else { continue };
            if dictionary.find(term).is_some() {
                clause.text.insert(0, '-');
                clause.excluded = false;
                options.push(quote(&clause.text));
            }
        }
        if options.is_empty() {
            return None;
        }
        let (is, was) = match options.len() {
            1 => ("is an option", "was"),
            _ => ("are options", "were"),
        };
        let message = format!(
            "{} {is} on this site and {was} looked up; to leave pages out, put the word behind \
             the minus in quotation marks",
            options.join(" and ")
        );
        Some(Reading { query, notice: notice("options", &message) })
    }

    /// Relaxes a query that found nothing: its exclusions become words, or else its phrases. `None`
    /// if it has neither, is short, or must not be changed.
    #[inline(never)]
    pub fn relaxed(&self, index: &Index) -> Option<Reading> {
        let keeps = index.shared().is_some_and(|shared| !shared.relaxes());
        let mut query = self.query.clone();
        let clauses = &mut query.clauses;
        let plain = clauses.iter().filter(|c| c.kind == ClauseKind::Word && !c.excluded).count();
        let n_words: usize = clauses.iter().map(|c| c.text.split_whitespace().count()).sum();
        let is_exact = self.request.verbatim || self.seed.is_some();
        if self.purpose != Purpose::Alone || is_exact || plain < 2 || n_words < 4 || keeps {
            return None;
        }
        let message = if clauses.iter().any(|clause| clause.excluded) {
            for clause in clauses.iter_mut().filter(|clause| clause.excluded) {
                (clause.excluded, clause.kind) = (false, ClauseKind::Word);
            }
            "the excluded words leave no page; they were searched as words"
        } else if clauses.iter().any(|clause| clause.kind == ClauseKind::Phrase) {
            clauses.iter_mut().for_each(|clause| clause.kind = ClauseKind::Word);
            "no page has the quoted words in a row; they were searched without quotation marks"
        } else {
            return None;
        };
        Some(Reading { query, notice: notice("relaxed", message) })
    }

    /// Returns this request with another reading of the query.
    #[inline(never)]
    pub fn reread(mut self, index: &Index, Reading { query, notice }: Reading) -> Self {
        self.notices.push(notice);
        let corrections = std::mem::take(&mut self.corrections);
        self.correct(index, query, corrections)
    }

    /// Returns this request without the part of its filter that concerns one attribute, for
    /// counting its values. `None` if the filter has no such part, or the part cannot be separated.
    #[doc(alias = "deferred")]
    #[inline(never)]
    pub fn without_attribute(&self, index: &Index, name: &str) -> Option<Self> {
        let rest = self.condition.as_ref()?.without(name)?;
        let condition = Some(rest).filter(|rest| !rest.is_everything());
        let purpose = Purpose::Count;
        Some(Self { condition, purpose, ..self.clone() }.with_shards(index))
    }

    /// Returns the query's embedding by the bundle's rows, as far as they are in memory. `None` if
    /// the query is not embedded by rows, or already was.
    pub fn embedding(&self, index: &Index) -> Result<Option<Embedded>, Error> {
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

    /// Returns this request with its embedding, the sum of its words' rows. If no word has a row,
    /// the search is by words only.
    pub fn embedded(mut self, index: &Index, sum: Option<Vec<f32>>) -> Result<Self, Error> {
        let (Some(sum), Some(dense)) = (sum, &index.manifest().dense) else {
            if !self.no_words {
                self.notices.push(notice("query-unknown", UNKNOWN));
            }
            let (dense, encoder, mode) = (None, None, Mode::Lexical);
            return Ok(Self { dense, encoder, mode, ..self }.with_shards(index));
        };
        if matches!(&self.dense, Some(DenseQuery::Static(query)) if query.truncated) {
            let message = "the encoder saw only the beginning of the query";
            self.notices.push(notice("vector-truncated", message));
        }
        let dense = Some(DenseQuery::Stored(DensePoint::new(&sum, dense)?));
        Ok(Self { dense, ..self })
    }

    /// Returns whether the query lists every page that passes the filter: it has neither words nor
    /// a vector.
    pub fn browse(&self) -> bool {
        self.no_words && self.dense.is_none()
    }

    /// Returns this request with the shards that ranking needs.
    fn with_shards(self, index: &Index) -> Self {
        let manifest = index.manifest();
        let dictionary = Dictionary::new(index);
        let mut shards = self.columns.clone();
        shards.extend(manifest.structure());
        if self.mode != Mode::Semantic {
            self.shards_of_words(&dictionary, &mut shards);
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
        if let (Some(query), Some(dense)) = (&self.dense, &manifest.dense) {
            if matches!(query, DenseQuery::Unprojected(_)) {
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
        Self { shards, ..self }
    }

    /// Adds the shards needed to look up its words.
    fn shards_of_words(&self, dictionary: &Dictionary<'_>, shards: &mut Vec<ShardId>) {
        let params = &dictionary.index().rank_params().bm25f;
        let (only_stops, is_name) = (self.plan.only_stops(), self.plan.is_name());
        for group in &self.plan.groups {
            if Scorer::group_weight(params, group, only_stops) <= 0.0 {
                continue;
            }
            // Forms are next to their terms, nearly always in the same shard.
            let forms = group.forms.iter().filter(|_| is_name);
            let asked = group.terms.iter().chain(&group.synonyms).chain(&group.joined).chain(forms);
            shards.extend(asked.filter_map(|term| dictionary.shard_of(term)));
            let completed = group.prefix.iter();
            shards.extend(
                completed.flat_map(|prefix| dictionary.shards_for_completion(prefix, &group.terms)),
            );
        }
        let names = self.plan.names.iter().chain(&self.plan.questions).chain(&self.plan.symbols);
        shards.extend(names.filter_map(|name| dictionary.shard_of(name)));
    }

    /// Adds the shards for phrases and exclusions.
    #[doc(alias = "deferred")]
    #[inline(never)]
    fn shards_of_phrases(&self, dictionary: &Dictionary<'_>, shards: &mut Vec<ShardId>) {
        let options = self.plan.options.iter();
        shards.extend(options.filter_map(|(_, term)| dictionary.shard_of(term)));
        for phrase in self.plan.phrases.iter().chain(&self.plan.excluded) {
            for term in phrase.slots.iter().flat_map(|slot| &slot.terms) {
                shards.extend(dictionary.shard_of(term));
            }
            if phrase.slots.len() > 1 {
                shards.extend(dictionary.index().manifest().positions());
            }
        }
    }

    /// Returns whether both tiers of postings are read. In a streamed bundle the first tier is
    /// enough for the most relevant results. A filter, a phrase, an exclusion or an order by
    /// attribute needs every match, so both tiers.
    pub fn needs_all_matches(&self, index: &Index) -> bool {
        let Self { request, plan, condition, post, .. } = self;
        let counts = self.purpose == Purpose::Count || post.is_some();
        let all_may_be_found =
            condition.is_none() && !counts && !plan.has_phrases() && !request.every_word;
        !(index.saves_second_tier() && all_may_be_found && request.sort.is_none())
    }

    /// Returns the keys of pins. A query with a phrase has none: its reader wants pages with
    /// exactly these words. An order by match ignores pins.
    fn pin_keys(&self) -> Vec<String> {
        self.plan
            .names
            .iter()
            .filter(|_| self.plan.phrases.is_empty() && self.request.order != Order::Match)
            .map(|name| pin_key(name))
            .collect()
    }

    /// Returns the pages that the site has pinned to the query, ascending.
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

    /// Returns the number of vectors passing the filter that is enough to choose from, at least
    /// `least`, if vectors are streamed.
    pub fn enough(&self, least: u32) -> usize {
        match self.mode {
            // Only the dense leg answers, so its list must reach as far as the reader's pages of
            // results.
            Mode::Semantic => least.max(self.reach()) as usize,
            _ => least as usize,
        }
    }

    /// Returns the number of sections needed to fill the pages of results up to the one requested.
    pub fn reach(&self) -> u32 {
        self.request.offset.saturating_add(self.request.limit.0).saturating_mul(4)
    }

    /// Returns the attributes whose values are counted, in the requested order.
    pub fn facets<'a>(&self, index: &'a Index) -> Result<Vec<&'a Attribute>, Error> {
        facets(index, &self.request)
    }
}

fn notice(code: &str, message: &str) -> Notice {
    Notice { code: code.into(), message: message.into() }
}

/// Returns the terms of a query.
fn plan(index: &Index, query: &Query, request: &Request) -> QueryPlan {
    let manifest = index.manifest();
    let completion = match (request.prefix, request.single_letter) {
        (false, _) => Completion::None,
        (true, false) => Completion::Words,
        (true, true) => Completion::WordsAndLetter,
    };
    QueryPlan::new(query, &manifest.languages, &manifest.synonyms, completion)
}

/// Returns whether a query has no word to search for.
fn has_no_words(query: &Query) -> bool {
    query.clauses.iter().all(|clause| clause.excluded)
}

/// Returns the vector of a request, if it is searched by meaning. A query that consists only of
/// conditions has none.
fn vector(
    index: &Index,
    request: &Request,
    query: &Query,
    notices: &mut Vec<Notice>,
) -> Result<Option<DenseQuery>, Error> {
    Ok(match (request.mode, &index.manifest().dense, &request.vector) {
        (Mode::Lexical, ..) => None,
        (_, None, _) => {
            let message = "the bundle has no vectors; words alone were searched";
            notices.push(notice("vectors-missing", message));
            None
        }
        (_, Some(dense), None) => match (&dense.rows, request.encoder) {
            (Some(rows), EncoderChoice::Auto | EncoderChoice::Static) => {
                Some(DenseQuery::Static(static_query(query, rows)))
            }
            _ => {
                let message = "no encoder embedded the query; words alone were searched";
                notices.push(notice("encoder-missing", message));
                None
            }
        },
        (_, Some(_), Some(_))
            if has_no_words(query)
                && request.similar_to.is_none()
                && !request.query.trim().is_empty() =>
        {
            None
        }
        (_, Some(_), Some(vector)) if vector.values.iter().all(|value| *value == 0.0) => {
            notices.push(notice("query-unknown", UNKNOWN));
            None
        }
        (_, Some(dense), Some(vector)) => Some(supplied(vector, dense, notices)?),
    })
}

/// Returns the attributes whose values a request wants to be counted, in the requested order.
fn facets<'a>(index: &'a Index, request: &Request) -> Result<Vec<&'a Attribute>, Error> {
    let attributes = &index.manifest().attributes;
    let mut wanted: Vec<&Attribute> = Vec::new();
    for name in &request.facets {
        if name == "*" {
            wanted.extend(attributes.iter().filter(|attribute| attribute.facet));
        } else {
            wanted.push(index.attribute(name)?);
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

/// Turns a request's `order` into a sort or a preference by date: the attribute `date`, or else the
/// first date attribute. Returns a notice if there is none.
#[doc(alias = "deferred")]
#[inline(never)]
fn by_date(request: &mut Request, attributes: &[Attribute]) -> Option<Notice> {
    let mut dates = attributes.iter().filter(|other| other.kind == AttributeKind::Date);
    let Some(date) = dates.clone().find(|date| date.name == "date").or_else(|| dates.next()) else {
        let message = "no attribute of the pages is a date; the most relevant come first";
        return Some(notice("no-dates", message));
    };
    let by = date.name.clone();
    match request.order {
        Order::Recent => request.sort = Some(Sort { by, descending: true }),
        _ => request.prefer = Some(Prefer::of(by)),
    }
    None
}

/// Checks a vector that came with a request; adds notices about it.
#[inline(never)]
fn supplied(
    vector: &QueryVector,
    dense: &Dense,
    notices: &mut Vec<Notice>,
) -> Result<DenseQuery, Error> {
    if vector.truncated {
        let message = "the encoder saw only the beginning of the query";
        notices.push(notice("vector-truncated", message));
    }
    if !dense.encoder.semantic {
        let message =
            "the bundle's vectors compare spellings, not meanings; build it with another encoder";
        notices.push(notice("not-semantic", message));
    }
    if dense.projection.is_some() && vector.values.len() != dense.encoder.dim as usize {
        return Ok(DenseQuery::Unprojected(vector.values.clone()));
    }
    Ok(DenseQuery::Stored(DensePoint::new(&vector.values, dense)?))
}

/// Returns the words of the query that a bundle's rows embed.
fn static_query(query: &Query, rows: &StaticRows) -> StaticQuery {
    let asked: Vec<&str> = query
        .clauses
        .iter()
        .filter(|clause| !clause.excluded)
        .map(|clause| clause.text.as_str())
        .collect();
    StaticQuery::new(&asked.join(" "), rows)
}

/// Returns the columns that ordering needs.
fn columns_of_order(index: &Index, request: &Request) -> Result<Vec<ShardId>, Error> {
    let own = boosts(index, request)
        .into_iter()
        .chain(number_attribute(index, COPY).filter(|_| !request.copies));
    let mut shards: Vec<ShardId> = own.map(|attribute| attribute.column).collect();
    if let Some(prefer) = &request.prefer {
        shards.push(column_of_preference(index, prefer)?);
    }
    if let Some(name) = &request.spread {
        shards.push(index.attribute(name)?.column);
    }
    Ok(shards)
}

/// Returns the column of the attribute of a preference.
#[doc(alias = "deferred")]
#[inline(never)]
fn column_of_preference(index: &Index, prefer: &Prefer) -> Result<ShardId, Error> {
    let attribute = index.attribute(&prefer.by)?;
    if !matches!(attribute.kind, AttributeKind::Number | AttributeKind::Date) {
        let name = &prefer.by;
        let message = format!(
            "expected a number or a date to prefer pages by, found `{name}` of another type"
        );
        return Err(Error::Request { message });
    }
    Ok(attribute.column)
}

/// Returns the attribute with the boosts of pages. An order by match ignores boosts.
pub(crate) fn boosts<'a>(index: &'a Index, request: &Request) -> Option<&'a Attribute> {
    number_attribute(index, BOOST).filter(|_| request.order != Order::Match)
}

/// Returns a numeric attribute of pages by name, such as the boost; `None` if it has another type.
pub(crate) fn number_attribute<'a>(index: &'a Index, name: &str) -> Option<&'a Attribute> {
    index.manifest().attribute(name).filter(|attribute| {
        attribute.kind == AttributeKind::Number && attribute.level == AttributeLevel::Page
    })
}

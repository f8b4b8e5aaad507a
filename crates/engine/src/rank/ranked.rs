//! The ranked results of a request: the pages that are shown, totals and facets.

use findling_bundle::{PageId, ShardId, Structure, order};

use super::facets::Counted;
use super::group::Grouped;
use super::lexical_leg::scorer;
use super::merge::{Merged, merge};
use super::order::{PageOrdering, collapse, copies, spread, weigh};
use super::shown_pages::{add_sections, keep_best, rank_sections};
use super::{Candidate, Matches, PageScore, RankedPage, RankedSection, Standing, Trace, group};
use crate::api::{Error, Facet, FacetsOf, Notice, Plan, Total};
use crate::bitset::Bitset;
use crate::filter::Condition;
use crate::index::Index;
use crate::lexical::{ScoredGroup, Scorer};
use crate::locate::Place;
use crate::resolve::ResolvedQuery;

/// The ranked results of a search, without texts.
pub(crate) struct Ranked {
    pub total: Total,
    /// How likely it is that the site answers, 0 to 1.
    pub answerable: Option<f32>,
    pub pages: Vec<RankedPage>,
    pub facets: Vec<Facet>,
    /// Notices of the filter.
    pub notices: Vec<Notice>,
    pub plan: Option<Plan>,
    /// The rank, among these pages, of the page that is explained.
    pub standing: Option<Standing>,
    /// Words of the query that score, with their terms, by phrasing.
    pub groups: Vec<Vec<ScoredGroup>>,
}

impl Ranked {
    /// Merges and ranks the matches of a request's phrasings. `without`: the sections that match
    /// without an attribute's part of the filter. `why`: the page that is explained.
    pub fn new(
        index: &Index,
        phrasings: &[ResolvedQuery],
        found: Vec<Matches>,
        without: &[(String, Bitset)],
        why: Option<Place>,
    ) -> Result<Self, Error> {
        let Some(asked) = phrasings.first() else {
            return Err(Error::inconsistent("nothing was asked"));
        };
        let request = &asked.request;
        let structure =
            index.structure().ok_or_else(|| Error::inconsistent("the structure is missing"))?;
        let Merged { mut candidates, mut pages, top, traces } = merge(found, structure);
        let facets = facets(index, asked, structure, &candidates, without)?;
        if let Some(post) = &asked.post {
            pages = keep_passing(index, asked, structure, (post, top), &mut candidates)?;
        }
        let ordering = PageOrdering { index, asked, structure, candidates: &candidates };
        let pages = in_order(&ordering, &traces, pages, why)?;
        let total = Total {
            pages: pages.len() as u32,
            sections: candidates.len() as u32,
            at_least: traces.iter().any(|trace| trace.is_partial),
        };
        let mut standing =
            why.map(|place| Standing::new(index, asked, place, &pages)).transpose()?;
        let (start, limit) = (request.offset as usize, request.limit.0 as usize);
        let mut shown: Vec<RankedPage> =
            pages.into_iter().skip(start).take(limit).map(RankedPage::new).collect();

        // After the pages shown come the page that is explained and the pages that it is compared
        // with.
        let kept = why.and_then(|why| why.section).map(|section| (shown.len(), section));
        let beside = standing.iter_mut().flat_map(|standing| standing.pages.iter_mut().flatten());
        let mut pages: Vec<&mut RankedPage> = shown.iter_mut().chain(beside).collect();
        add_sections(&mut pages, &candidates, structure);
        let most = request.sections_per_page.0.max(1) as usize;
        keep_best(&mut pages, most, kept, structure);
        rank_sections(index, structure, &mut pages, &traces);

        // The evidence is about all that was found.
        let of_all = traces.iter().filter(|_| asked.post.is_none());
        let chances = of_all.filter_map(|trace| trace.evidence.answerable());
        let answerable = chances.reduce(f32::max);
        let notices = traces.iter().flat_map(|trace| trace.notices.iter().cloned()).collect();
        let mut ranked = Self {
            total,
            answerable,
            pages: shown,
            facets,
            notices,
            plan: None,
            standing,
            groups: Vec::new(),
        };
        if request.explain || ranked.standing.is_some() {
            ranked.explain_all(&scorer(index, asked, structure), phrasings, &traces);
        }
        ranked.groups = traces.into_iter().map(|trace| trace.groups).collect();
        Ok(ranked)
    }

    /// Explains the sections that are shown, and what was planned.
    #[doc(alias = "deferred")]
    #[inline(never)]
    fn explain_all(&mut self, scorer: &Scorer<'_>, phrasings: &[ResolvedQuery], traces: &[Trace]) {
        let mut plans = Vec::with_capacity(traces.len());
        for ((phrasing, asked), trace) in (0..).zip(phrasings).zip(traces) {
            self.explain(scorer, phrasing, &trace.groups);
            plans.push(super::explain::plan(asked, trace));
        }
        self.plan = plans.into_iter().reduce(super::explain::join_plans);
    }

    /// Explains the sections that one phrasing found.
    fn explain(&mut self, scorer: &Scorer<'_>, phrasing: u8, groups: &[ScoredGroup]) {
        let of_phrasing = |section: &&RankedSection| section.candidate.phrasing == phrasing;
        let sections = self.all_pages().flat_map(|page| &page.sections).filter(of_phrasing);
        let mut passages: Vec<u32> =
            sections.filter_map(|section| section.candidate.passage).collect();
        order::sort(&mut passages);
        passages.dedup();
        let contributions = scorer.explain(groups, &passages);
        let beside =
            self.standing.iter_mut().flat_map(|standing| standing.pages.iter_mut().flatten());
        let sections = self.pages.iter_mut().chain(beside).flat_map(|page| &mut page.sections);
        for section in sections.filter(|section| section.candidate.phrasing == phrasing) {
            let place =
                section.candidate.passage.and_then(|passage| passages.binary_search(&passage).ok());
            let contributions = place.and_then(|place| contributions.get(place));
            section.explanation = Some(super::explain::explanation(
                contributions.map_or(&[], Vec::as_slice),
                section.candidate.boosts,
                scorer.params,
            ));
        }
    }

    /// Returns the pages shown, the page that is explained, and the pages that it is compared with.
    fn all_pages(&self) -> impl Iterator<Item = &RankedPage> {
        let beside = self.standing.iter().flat_map(|standing| standing.pages.iter().flatten());
        self.pages.iter().chain(beside)
    }

    /// Returns the shards needed to choose sentences for pages whose best section was found by
    /// meaning only. Further sections of a page need none.
    pub fn sentences(&self, index: &Index) -> Vec<ShardId> {
        let by_meaning =
            |page: &&RankedPage| page.sections.first().is_some_and(RankedSection::only_means);
        let place =
            |page: &RankedPage| Some(index.manifest().sentences_of(PageId(page.score.page))?.0);
        self.all_pages().filter(by_meaning).filter_map(place).collect()
    }

    /// Returns the shards of texts needed to show the pages, and to name the page that is
    /// explained.
    pub fn texts(&self, index: &Index) -> Vec<ShardId> {
        let manifest = index.manifest();
        let Some(structure) = index.structure() else { return Vec::new() };
        let name = self.standing.iter().map(|standing| (standing.place.page, 0));
        self.all_pages()
            .flat_map(|page| {
                let id = PageId(page.score.page);
                page.places(structure).map(move |place| (id, place))
            })
            .chain(name)
            .filter_map(|(page, place)| Some(manifest.text_of(page, place)?.0))
            .collect()
    }
}

/// Returns the pages that several phrasings find.
#[doc(alias = "deferred")]
#[inline(never)]
pub(crate) fn n_pages_of(index: &Index, found: &[Matches]) -> u32 {
    let mut pages = Bitset::none(index.manifest().stats.n_pages);
    for page in found.iter().flat_map(|found| &found.pages) {
        pages.insert(page.page);
    }
    pages.count()
}

/// Returns the sections that several phrasings find.
#[doc(alias = "deferred")]
#[inline(never)]
pub(crate) fn sections_of(index: &Index, found: &[Matches]) -> Bitset {
    matching(index, found.iter().flat_map(|found| &found.candidates))
}

/// Returns the sections as a set over all sections.
fn matching<'a>(index: &Index, candidates: impl Iterator<Item = &'a Candidate>) -> Bitset {
    let mut matching = Bitset::none(index.manifest().stats.n_sections);
    for candidate in candidates {
        matching.insert(candidate.section);
    }
    matching
}

/// Counts the values of the requested attributes.
fn facets(
    index: &Index,
    asked: &ResolvedQuery,
    structure: &Structure,
    candidates: &[Candidate],
    without: &[(String, Bitset)],
) -> Result<Vec<Facet>, Error> {
    let wanted = asked.facets(index)?;
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let matching = matching(index, candidates.iter());
    let copies = match asked.request.facets_of {
        FacetsOf::Pages => copies(index, asked)?,
        FacetsOf::Sections => None,
    };
    let mut facets = Vec::with_capacity(wanted.len());
    for attribute in wanted {
        // Without this attribute's part of the filter, other sections match.
        let otherwise = without.iter().find(|(name, _)| *name == attribute.name);
        let mut sections = otherwise.map_or(&matching, |(_, sections)| sections);
        let passing;
        if let Some(post) = &asked.post {
            let others = post.without(&attribute.name);
            passing = narrowed(index, structure, others.as_ref().unwrap_or(post), sections)?;
            sections = &passing;
        }
        if let Some(column) = index.column(attribute.column) {
            let counted = Counted { sections, structure, of: asked.request.facets_of, copies };
            facets.push(super::facets::count(attribute, column, counted));
        }
    }
    Ok(facets)
}

/// Keeps the candidates that pass the second filter, and returns their pages.
#[doc(alias = "deferred")]
#[inline(never)]
fn keep_passing(
    index: &Index,
    asked: &ResolvedQuery,
    structure: &Structure,
    (post, top): (&Condition, f32),
    candidates: &mut Vec<Candidate>,
) -> Result<Vec<PageScore>, Error> {
    let passing = narrowed(index, structure, post, &matching(index, candidates.iter()))?;
    candidates.retain(|candidate| passing.contains(candidate.section));
    Ok(group(candidates, &asked.rank_params(index), top, structure).pages)
}

/// Returns the sections among these that meet a condition.
#[doc(alias = "deferred")]
#[inline(never)]
fn narrowed(
    index: &Index,
    structure: &Structure,
    condition: &Condition,
    sections: &Bitset,
) -> Result<Bitset, Error> {
    let column = |shard| index.column(shard);
    let mut met = condition.evaluate(&index.manifest().attributes, structure, column)?.sections;
    met.and(sections);
    Ok(met)
}

/// Returns all pages: in the order of the list as far as the request reaches, unordered after that.
fn in_order(
    ordering: &PageOrdering<'_>,
    traces: &[Trace],
    mut pages: Vec<PageScore>,
    why: Option<Place>,
) -> Result<Vec<PageScore>, Error> {
    let PageOrdering { index, asked, .. } = *ordering;
    let request = &asked.request;
    let mut pins: Vec<u32> = traces.iter().flat_map(|trace| trace.pins.iter().copied()).collect();
    order::sort(&mut pins);
    weigh(ordering, &pins, &mut pages)?;
    collapse(index, asked, why.map(|place| place.page.0), &mut pages)?;
    let mut grouped = Grouped { pages };
    // To rank the page that is explained, all pages must be in order.
    let end = match why {
        Some(_) => usize::MAX,
        None => (request.offset as usize).saturating_add(request.limit.0 as usize),
    };
    match &request.sort {
        None if request.spread.is_some() => {
            grouped.rank(usize::MAX);
            spread(ordering, &mut grouped.pages)?;
            grouped.rank(end);
        }
        None => grouped.rank(end),
        Some(sort) => {
            grouped.rank(usize::MAX);
            let values = ordering.values(&sort.by, sort.descending)?;
            let value = |page: &PageScore| values.get(page.page);
            super::sort::by_value(&mut grouped.pages, value, sort.descending);
        }
    }
    Ok(grouped.pages)
}

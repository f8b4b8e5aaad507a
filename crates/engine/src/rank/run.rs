//! A search from the shards at hand to the sections that are shown.

use findling_bundle::cells::part_of;
use findling_bundle::{Centroids, PageId, SectionId, ShardId, Structure, VectorId, order};

use super::group::Grouped;
use super::merge::merge;
use super::order::{add_pinned, collapse, spread, weigh};
use super::why_not::{Standing, keep_section};
use super::{Candidate, Legs, PageScore, Similarity, fuse, group};
use crate::api::{Error, Explanation, Facet, Mode, Notice, Plan, Suggestion, Total};
use crate::bitset::Bitset;
use crate::filter;
use crate::index::Index;
use crate::lexical::{Dictionary, LexicalHit, Phrases, ScoredGroup, Scorer, all_bits};
use crate::locate::Place;
use crate::resolve::ResolvedQuery;
use crate::vector::{DensePoint, Method, Neighbours, Probe, Seen, VectorView, nearest};

/// [`RankParams::page_second`](super::RankParams::page_second) among pages like another. Cosines of
/// a page with another are far above 0 wherever they are near at all, so that a second section
/// would tell more of a page's length than of its likeness.
const LIKE_SECOND: f32 = 0.1;

/// What a search found, in sections and pages that have no texts yet.
pub(crate) struct Ranked {
    pub total: Total,
    pub pages: Vec<RankedPage>,
    pub facets: Vec<Facet>,
    /// What the filter has to say.
    pub notices: Vec<Notice>,
    /// What else to ask, where nothing is found.
    pub suggestions: Vec<Suggestion>,
    pub plan: Option<Plan>,
    /// The page asked about among them.
    pub standing: Option<Standing>,
    /// By wording: the words of the query that score, with their terms.
    pub groups: Vec<Vec<ScoredGroup>>,
}

/// Where each of some ids stands, counted from 0.
struct Places(Vec<(u32, u32)>);

impl Places {
    fn of(ids: impl Iterator<Item = u32>) -> Self {
        let mut places: Vec<(u32, u32)> = ids.zip(0..).collect();
        order::sort(&mut places);
        Self(places)
    }

    fn get(&self, id: u32) -> Option<u32> {
        self.all(id).next()
    }

    /// Of an id that was given several times.
    fn all(&self, id: u32) -> impl Iterator<Item = u32> {
        let from = self.0.partition_point(|(other, _)| *other < id);
        self.0[from..].iter().take_while(move |(other, _)| *other == id).map(|(_, place)| *place)
    }
}

/// A page to show.
pub(crate) struct RankedPage {
    pub score: PageScore,
    /// Best first.
    pub sections: Vec<RankedSection>,
}

impl RankedPage {
    /// The places in the page of the sections that are shown, or 0 where none is: it takes their
    /// texts to show the page.
    pub fn places<'a>(&'a self, structure: &Structure) -> impl Iterator<Item = u32> + use<'a> {
        let start = structure.sections(PageId(self.score.page)).start;
        let none = self.sections.is_empty().then_some(0);
        none.into_iter().chain(
            self.sections.iter().map(move |section| section.candidate.section.wrapping_sub(start)),
        )
    }
}

/// A section to show.
pub(crate) struct RankedSection {
    pub candidate: Candidate,
    pub lexical_rank: Option<u32>,
    pub semantic_rank: Option<u32>,
    pub explanation: Option<Explanation>,
}

impl RankedSection {
    /// Whether only meaning found it.
    pub fn only_means(&self) -> bool {
        self.candidate.passage.is_none() && self.candidate.similarity.is_some()
    }
}

/// The sections that may be found: one set for both legs.
pub(crate) struct Allowed {
    /// `None` for all.
    sections: Option<Bitset>,
    /// The share of all sections that the filter lets through.
    selectivity: f32,
    /// What the filter has to say.
    notices: Vec<Notice>,
}

impl Allowed {
    /// The positions that phrases are found by. Everything in the search's first round must be
    /// here.
    #[doc(alias = "deferred")]
    #[inline(never)]
    pub fn shards(index: &Index, asked: &ResolvedQuery) -> Vec<ShardId> {
        let Some(structure) = index.structure() else { return Vec::new() };
        let phrases = Phrases { dictionary: Dictionary::new(index), structure };
        let asked = asked.plan.phrases.iter().chain(&asked.plan.excluded);
        asked.flat_map(|phrase| phrases.shards(phrase)).collect()
    }

    /// Evaluates filter, phrases and exclusions. Everything in the search's first round must be
    /// here, and [`Allowed::shards`].
    pub fn new(index: &Index, asked: &ResolvedQuery) -> Result<Self, Error> {
        let manifest = index.manifest();
        let structure =
            index.structure().ok_or_else(|| Error::inconsistent("the structure is missing"))?;
        let mut notices = Vec::new();
        let mut allowed: Option<Bitset> = None;
        if let Some(condition) = &asked.condition {
            let column = |shard| index.column(shard);
            let matched =
                condition.evaluate(&manifest.attributes, manifest.stats.n_pages, column)?;
            notices = matched.notices;
            allowed = Some(filter::sections_of(&matched.pages, structure));
        }
        notices.extend(asked.misfits.iter().map(|misfit| filter::not_a_value(index, misfit)));
        let n_sections = structure.n_sections();
        let selectivity = match &allowed {
            Some(allowed) if n_sections > 0 => allowed.count() as f32 / n_sections as f32,
            _ => 1.0,
        };
        if asked.plan.has_phrases() || asked.like.is_some() {
            allowed = Some(Self::narrowed(index, asked, structure, allowed));
        }
        Ok(Self { sections: allowed, selectivity, notices })
    }

    /// What is left by phrases, exclusions, and a page that others are to be like.
    #[doc(alias = "deferred")]
    #[inline(never)]
    fn narrowed(
        index: &Index,
        asked: &ResolvedQuery,
        structure: &Structure,
        allowed: Option<Bitset>,
    ) -> Bitset {
        let n_sections = structure.n_sections();
        let mut allowed = allowed.unwrap_or_else(|| Bitset::all(n_sections));
        let phrases = Phrases { dictionary: Dictionary::new(index), structure };
        for phrase in &asked.plan.phrases {
            if allowed.is_empty() {
                break;
            }
            allowed.and(&phrases.sections(phrase));
        }
        for phrase in &asked.plan.excluded {
            allowed.and_not(&phrases.sections(phrase));
        }
        if let Some(like) = &asked.like {
            let own = structure.sections(like.page);
            let mut itself = Bitset::none(n_sections);
            itself.insert_range(own.start, own.end);
            allowed.and_not(&itself);
        }
        allowed
    }

    /// Whether a section may be found.
    pub fn contains(&self, section: SectionId) -> bool {
        self.sections.as_ref().is_none_or(|sections| sections.contains(section.0))
    }
}

/// The leg of words.
pub(crate) struct Words {
    groups: Vec<ScoredGroup>,
    hits: Vec<LexicalHit>,
    /// What a section would score that says every word of the query.
    ideal: f32,
}

impl Words {
    /// Scores all sections that words find. Everything in the search's first round must be here.
    pub fn new(index: &Index, asked: &ResolvedQuery, allowed: &Allowed) -> Result<Self, Error> {
        let structure =
            index.structure().ok_or_else(|| Error::inconsistent("the structure is missing"))?;
        let scorer = scorer(index, asked, structure);
        let names = scorer.names(&asked.plan);
        // "What is a mutex" asks for the page on mutexes, unless there is one of that very title.
        let leading = if names.is_empty() { asked.plan.leading_stops() } else { 0 };
        let groups = if asked.mode == Mode::Semantic {
            Vec::new()
        } else {
            scorer.resolve(&asked.plan, leading)
        };
        let mut hits = Vec::new();
        if !asked.browse() {
            let bits = all_bits(&asked.plan, &groups);
            let n_tokens = asked.plan.n_tokens - leading;
            hits = index.with_scratch(|scratch| {
                scorer.score(&groups, n_tokens, bits, &names, allowed.sections.as_ref(), scratch)
            });
        }
        let ideal = scorer.ideal(&groups);
        Ok(Self { groups, hits, ideal })
    }

    /// The `n` best sections, best first.
    pub fn best(&self, n: usize) -> Vec<SectionId> {
        let mut hits: Vec<&LexicalHit> = self.hits.iter().collect();
        order::sort_first(&mut hits, n, |a, b| {
            b.score.total_cmp(&a.score).then(a.section.cmp(&b.section)).is_lt()
        });
        hits.into_iter().take(n).map(|hit| SectionId(hit.section)).collect()
    }
}

/// In which part of a section that no word found the nearest of its vectors lies, in 256ths. A
/// section's vectors are of parts of about the same length.
fn part(index: &Index, structure: &Structure, found: &Found, section: SectionId) -> u8 {
    let Some(point) = &found.point else { return 0 };
    let mut best = (f32::NEG_INFINITY, 0);
    let mut look_at = |row: &[i8], scale: f32, part: u8| {
        let cosine = point.query.similarity(row, scale);
        if cosine > best.0 {
            best = (cosine, part);
        }
    };
    if let Some(cells) = &found.cells {
        let vectors =
            cells.iter().filter_map(|&cell| index.cell(cell)).flat_map(|c| c.vectors(structure));
        vectors
            .filter(|vector| vector.section == section)
            .for_each(|v| look_at(v.row, v.scale, v.part));
        return best.1;
    }
    let own = structure.vectors(section);
    let n = own.len() as u32;
    for (place, vector) in (0..n).zip(own).filter(|_| n > 1) {
        let at =
            index.manifest().dense.as_ref().and_then(|dense| dense.vector_of(VectorId(vector)));
        let shard = at.and_then(|(shard, at)| Some((index.vectors(shard)?, at as usize)));
        if let Some((vectors, at)) = shard.filter(|(vectors, at)| *at < vectors.len()) {
            look_at(vectors.row(at), vectors.scale(at), part_of(place, n));
        }
    }
    best.1
}

/// The pages among all.
fn matching(structure: &Structure, pages: &[PageScore]) -> Bitset {
    let mut matching = Bitset::none(structure.n_pages());
    for page in pages {
        matching.insert(page.page);
    }
    matching
}

/// The pages that several wordings find.
#[doc(alias = "deferred")]
#[inline(never)]
pub(crate) fn pages_of(index: &Index, found: &[Found]) -> Result<Bitset, Error> {
    let structure =
        index.structure().ok_or_else(|| Error::inconsistent("the structure is missing"))?;
    let all: Vec<PageScore> = found.iter().flat_map(|found| found.pages.iter().copied()).collect();
    Ok(matching(structure, &all))
}

fn scorer<'a>(index: &'a Index, asked: &ResolvedQuery, structure: &'a Structure) -> Scorer<'a> {
    let params = &index.rank_params().bm25f;
    let dictionary = Dictionary::of_tiers(index, asked.needs_all_matches(index));
    Scorer::new(params, structure, &index.manifest().stats, dictionary)
}

/// What one wording of a query found, in sections and pages.
pub(crate) struct Found {
    /// In no particular order.
    pub candidates: Vec<Candidate>,
    /// By page id.
    pub pages: Vec<PageScore>,
    /// Sections by words, best first, as far as they were ranked.
    lexical: Vec<u32>,
    hits: Vec<LexicalHit>,
    neighbours: Neighbours,
    groups: Vec<ScoredGroup>,
    /// Whether the second tier of some word's postings was left out.
    is_partial: bool,
    selectivity: f32,
    notices: Vec<Notice>,
    /// Pages that the site has pinned to the query, ascending.
    pins: Vec<u32>,
    /// Where the query is, and the cells that were looked into; of no cells where all vectors are
    /// here.
    point: Option<DensePoint>,
    cells: Option<Vec<u32>>,
}

impl Found {
    /// Searches. Everything in the search's first round must be here, and the cells of `probe`
    /// where vectors are streamed.
    pub fn new(
        index: &Index,
        asked: &ResolvedQuery,
        allowed: &Allowed,
        words: Words,
        probe: Option<&Probe>,
    ) -> Result<Self, Error> {
        let Words { groups, hits, ideal } = words;
        let (manifest, params) = (index.manifest(), index.rank_params());
        let structure =
            index.structure().ok_or_else(|| Error::inconsistent("the structure is missing"))?;
        let n_sections = structure.n_sections();
        let (notices, selectivity) = (allowed.notices.clone(), allowed.selectivity);
        let allowed = allowed.sections.as_ref();

        // The legs.
        let mut neighbours = Neighbours { sections: Vec::new(), compared: 0, method: Method::None };
        let point = asked.dense.as_ref().map(|dense| dense.point(index)).transpose()?;
        let view = match &manifest.dense {
            Some(dense) if point.is_some() && probe.is_none() => {
                let shards = dense
                    .vectors
                    .iter()
                    .filter_map(|range| Some((range.first_vector, index.vectors(range.shard)?)));
                Some(VectorView::new(structure, shards)?)
            }
            _ => None,
        };
        let mut k = params.depth;
        if asked.mode == Mode::Semantic {
            // Nothing but this list answers, so it has to reach as far as the reader pages.
            k = k.max(asked.reach());
        }
        let k = k.min(n_sections);
        let seen = match (&point, probe) {
            (Some(dense), Some(probe)) => {
                let cells = probe.cells().iter().filter_map(|&cell| index.cell(cell));
                Some(Seen::new(&dense.query, structure, cells))
            }
            _ => None,
        };
        if let Some(seen) = &seen {
            neighbours = seen.nearest(allowed, k);
        } else if let (Some(view), Some(dense)) = (&view, &point) {
            neighbours = nearest(&dense.query, view, index.graph(), allowed, k, k);
        }

        let fused = index.with_scratch(|scratch| {
            if asked.browse() {
                let all = allowed.cloned().unwrap_or_else(|| Bitset::all(n_sections));
                let candidates = all
                    .iter()
                    .map(|section| Candidate { section, ..Candidate::default() })
                    .collect();
                return super::Fused { candidates, ranked: Vec::new() };
            }
            let zero = point.as_ref().map_or(0.0, |point| point.zero);
            let legs = Legs { lexical: &hits, dense: &neighbours.sections, zero, ideal };
            // What a section is taken for whose cell was not looked into: the less, the fewer there
            // are to judge by.
            let full = neighbours.sections.len() as f32 / k.max(1) as f32;
            let unseen = neighbours
                .sections
                .last()
                .map(|(_, least)| zero + params.unseen * full * (least - zero));
            // Where many vectors are streamed, the bundle does not say which sections have none.
            let tells = index.centroids().is_some_and(Centroids::tells);
            let similarity = |section| {
                let section = SectionId(section);
                if let Some(seen) = &seen {
                    return match seen.similarity(section) {
                        Some(cosine) => Similarity::Known(cosine),
                        None if tells && structure.vectors(section).is_empty() => Similarity::None,
                        None => unseen.map_or(Similarity::None, Similarity::Guessed),
                    };
                }
                let (Some(view), Some(dense)) = (&view, &point) else { return Similarity::None };
                view.similarity(&dense.query, section).map_or(Similarity::None, Similarity::Known)
            };
            fuse(asked.mode, asked.fusion, params, &legs, similarity, &mut scratch.slots)
        });

        // Pages.
        let super::Fused { mut candidates, ranked: lexical } = fused;
        let pins = asked.pins(index);
        add_pinned(&pins, &mut candidates, structure, |section| {
            allowed.is_none_or(|allowed| allowed.contains(section))
        });
        let mut params = *params;
        if asked.like.is_some() {
            params.page_second = LIKE_SECOND;
        }
        let pages = group(&candidates, &params, structure).pages;
        let cells = probe.map(|probe| probe.cells().to_vec());
        let is_partial =
            groups.iter().flat_map(|group| &group.terms).any(|term| term.lookup.is_partial());
        Ok(Self {
            candidates,
            pages,
            lexical,
            hits,
            neighbours,
            groups,
            is_partial,
            selectivity,
            notices,
            pins,
            point,
            cells,
        })
    }
}

/// Leaves the `most` first of a page's sections, which are in order: of the parts of a long one the
/// best stands for all.
fn best_of_each(sections: &mut Vec<RankedSection>, most: usize, structure: &Structure) {
    let mut heads = Vec::new();
    sections.retain(|ranked| {
        let head = structure.head(SectionId(ranked.candidate.section));
        let stays = heads.len() < most && !heads.contains(&head);
        if stays {
            heads.push(head);
        }
        stays
    });
}

impl Ranked {
    /// Merges what the wordings of a request found, and ranks it.
    pub fn new(
        index: &Index,
        wordings: &[&ResolvedQuery],
        mut found: Vec<Found>,
        instead: &[(String, Bitset)],
        why: Option<Place>,
    ) -> Result<Self, Error> {
        let Some(&asked) = wordings.first() else {
            return Err(Error::inconsistent("nothing was asked"));
        };
        let request = &asked.request;
        let structure =
            index.structure().ok_or_else(|| Error::inconsistent("the structure is missing"))?;
        let mut pins: Vec<u32> =
            found.iter().flat_map(|found| found.pins.iter().copied()).collect();
        order::sort(&mut pins);
        let (candidates, mut pages) = merge(&mut found, structure);
        let mut facets = Vec::new();
        let wanted = asked.facets(index)?;
        if !wanted.is_empty() {
            let matching = matching(structure, &pages);
            for attribute in wanted {
                // Where only this attribute's own filter is left out, other pages match.
                let otherwise = instead.iter().find(|(name, _)| *name == attribute.name);
                let matching = otherwise.map_or(&matching, |(_, pages)| pages);
                if let Some(column) = index.column(attribute.column) {
                    facets.push(super::facets::count(&attribute.name, column, matching));
                }
            }
        }
        weigh(index, asked, &pins, &mut pages)?;
        collapse(index, asked, why.map(|place| place.page.0), &mut pages)?;
        let mut pages = Grouped { pages };
        let total = Total {
            pages: pages.pages.len() as u32,
            sections: candidates.len() as u32,
            at_least: found.iter().any(|found| found.is_partial),
        };
        let (start, limit) = (request.offset as usize, request.limit.0 as usize);
        // Where a page stands among all, only the order of all says.
        let end = if why.is_some() { usize::MAX } else { start.saturating_add(limit) };
        match &request.sort {
            None if request.spread.is_some() => {
                pages.rank(usize::MAX);
                spread(index, asked, &mut pages.pages)?;
                pages.rank(end);
            }
            None => pages.rank(end),
            Some(sort) => {
                pages.rank(usize::MAX);
                let attribute = index.attribute(&sort.by)?;
                if let Some(column) = index.column(attribute.column) {
                    let page = |page: &PageScore| PageId(page.page);
                    super::sort::by_attribute(&mut pages.pages, page, column, sort.descending);
                }
            }
        }
        let mut standing =
            why.map(|place| Standing::new(index, asked, place, &pages.pages)).transpose()?;
        let shown = pages.pages.into_iter().skip(start).take(limit);
        let mut shown: Vec<RankedPage> =
            shown.map(|score| RankedPage { score, sections: Vec::new() }).collect();
        // Behind them those that the page asked about is compared with, which comes first among
        // these.
        let n_shown = shown.len();
        let beside = standing.iter_mut().flat_map(|standing| standing.pages.iter_mut().flatten());
        let mut pages: Vec<&mut RankedPage> = shown.iter_mut().chain(beside).collect();

        // Their sections.
        let places = Places::of(pages.iter().map(|page| page.score.page));
        let mut is_shown = Bitset::none(structure.n_pages());
        for page in &pages {
            is_shown.insert(page.score.page);
        }
        for candidate in &candidates {
            let page = structure.page_of(SectionId(candidate.section)).0;
            if !is_shown.contains(page) {
                continue;
            }
            for place in places.all(page) {
                pages[place as usize].sections.push(RankedSection {
                    candidate: *candidate,
                    lexical_rank: None,
                    semantic_rank: None,
                    explanation: None,
                });
            }
        }
        let most = request.sections_per_page.0.max(1) as usize;
        for (place, page) in pages.iter_mut().enumerate() {
            let n = page.sections.len();
            order::sort_first(&mut page.sections, n, |a, b| {
                let (a, b) = (&a.candidate, &b.candidate);
                b.score().total_cmp(&a.score()).then(a.section.cmp(&b.section)).is_lt()
            });
            match why.and_then(|why| why.section).filter(|_| place == n_shown) {
                // Which part of a long section is asked about, its address does not say.
                Some(section) => keep_section(page, section, most),
                None => best_of_each(&mut page.sections, most, structure),
            }
        }
        let ranks: Vec<(Places, Places)> = found
            .iter()
            .map(|found| {
                let semantic = found.neighbours.sections.iter().map(|(section, _)| section.0);
                (Places::of(found.lexical.iter().copied()), Places::of(semantic))
            })
            .collect();
        for section in pages.into_iter().flat_map(|page| &mut page.sections) {
            let Candidate { section: id, lexical, wording, .. } = section.candidate;
            let (found, (lexical_ranks, semantic_ranks)) =
                (&found[usize::from(wording)], &ranks[usize::from(wording)]);
            if section.candidate.passage.is_none() {
                section.candidate.part = part(index, structure, found, SectionId(id));
            }
            section.semantic_rank = semantic_ranks.get(id).map(|place| place + 1);
            section.lexical_rank = lexical.map(|score| {
                lexical_ranks.get(id).map(|place| place + 1).unwrap_or_else(|| {
                    let better = found
                        .hits
                        .iter()
                        .filter(|hit| hit.score > score || hit.score == score && hit.section < id);
                    better.count() as u32 + 1
                })
            });
        }

        let notices = found.iter().flat_map(|found| found.notices.iter().cloned()).collect();
        let mut ranked = Self {
            total,
            pages: shown,
            facets,
            notices,
            suggestions: Vec::new(),
            plan: None,
            standing,
            groups: Vec::new(),
        };
        if request.explain || ranked.standing.is_some() {
            ranked.explain_all(&scorer(index, asked, structure), wordings, &found);
        }
        ranked.groups = found.into_iter().map(|found| found.groups).collect();
        Ok(ranked)
    }

    /// Explains the sections that are shown, and what was planned.
    #[doc(alias = "deferred")]
    #[inline(never)]
    fn explain_all(&mut self, scorer: &Scorer<'_>, wordings: &[&ResolvedQuery], found: &[Found]) {
        let mut plans = Vec::with_capacity(found.len());
        for ((wording, asked), found) in (0..).zip(wordings).zip(found) {
            self.explain(scorer, wording, &found.groups);
            plans.push(super::explain::plan(
                asked,
                &found.groups,
                found.selectivity,
                &found.neighbours,
            ));
        }
        self.plan = plans.into_iter().reduce(super::explain::join_plans);
    }

    /// Explains the sections that one wording found.
    fn explain(&mut self, scorer: &Scorer<'_>, wording: u8, groups: &[ScoredGroup]) {
        let of_wording = |section: &&RankedSection| section.candidate.wording == wording;
        let sections = self.all_pages().flat_map(|page| &page.sections).filter(of_wording);
        let mut passages: Vec<u32> =
            sections.filter_map(|section| section.candidate.passage).collect();
        order::sort(&mut passages);
        passages.dedup();
        let contributions = scorer.explain(groups, &passages);
        let beside =
            self.standing.iter_mut().flat_map(|standing| standing.pages.iter_mut().flatten());
        let sections = self.pages.iter_mut().chain(beside).flat_map(|page| &mut page.sections);
        for section in sections.filter(|section| section.candidate.wording == wording) {
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

    /// Those shown, and those that the page asked about is compared with.
    fn all_pages(&self) -> impl Iterator<Item = &RankedPage> {
        let beside = self.standing.iter().flat_map(|standing| standing.pages.iter().flatten());
        self.pages.iter().chain(beside)
    }

    /// By what the sentences are chosen that pages are shown by whose best section no word found.
    /// Further sections of a page go without.
    pub fn sentences(&self, index: &Index) -> Vec<ShardId> {
        let by_meaning =
            |page: &&RankedPage| page.sections.first().is_some_and(RankedSection::only_means);
        let place =
            |page: &RankedPage| Some(index.manifest().sentences_of(PageId(page.score.page))?.0);
        self.all_pages().filter(by_meaning).filter_map(place).collect()
    }

    /// What showing the pages needs.
    pub fn shards(&self, index: &Index) -> Vec<ShardId> {
        let manifest = index.manifest();
        let Some(structure) = index.structure() else { return Vec::new() };
        self.all_pages()
            .flat_map(|page| {
                let id = PageId(page.score.page);
                page.places(structure).filter_map(move |place| Some(manifest.text_of(id, place)?.0))
            })
            .collect()
    }
}

//! The matches of one phrasing of a query: both legs fused, in sections and pages.

use findling_bundle::{SectionId, ShardId};

use super::order::add_pinned;
use super::{
    AllowedSections, Bests, Candidate, DenseLeg, Fused, Legs, LexicalLeg, PageScore, Similarity,
};
use super::{fuse, group};
use crate::api::{Error, Evidence, Fusion, LegBests, Notice};
use crate::bitset::Bitset;
use crate::index::Index;
use crate::lexical::{LexicalHit, ScoredGroup};
use crate::resolve::ResolvedQuery;
use crate::vector::{DensePoint, Method, Neighbours, Probe};

/// The matches of one phrasing.
pub(crate) struct Matches {
    /// In no particular order.
    pub candidates: Vec<Candidate>,
    /// Pages with their scores, by id.
    pub pages: Vec<PageScore>,
    pub trace: Trace,
    /// See [`Fused::top`].
    pub(super) top: f32,
}

/// The trace of a phrasing's search, for ranks and explanations.
pub(crate) struct Trace {
    /// Sections by words, best first, as far as they were ranked.
    pub(super) lexical: Vec<u32>,
    pub(super) hits: Vec<LexicalHit>,
    pub(super) neighbours: Neighbours,
    pub(super) groups: Vec<ScoredGroup>,
    /// Whether the second tier of some word's postings was not read.
    pub(super) is_partial: bool,
    pub(super) evidence: Evidence,
    pub(super) selectivity: f32,
    pub(super) notices: Vec<Notice>,
    /// Pages that the site has pinned to the query, ascending.
    pub(super) pins: Vec<u32>,
    /// The query's vector, if it has one.
    pub(super) point: Option<DensePoint>,
    /// The shards with the vectors that were compared, if vectors are streamed.
    pub cells: Option<Vec<ShardId>>,
    /// The fusion of the legs.
    pub(super) fusion: Fusion,
}

impl Matches {
    /// Searches by meaning, and fuses the result with the sections that words found. The query's
    /// shards ([`ResolvedQuery::shards`]) must be in memory, and so must the cells of `probe` if
    /// vectors are streamed.
    pub fn new(
        index: &Index,
        asked: &ResolvedQuery,
        allowed: AllowedSections,
        words: LexicalLeg,
        probe: Option<&Probe>,
    ) -> Result<Self, Error> {
        let structure =
            index.structure().ok_or_else(|| Error::inconsistent("the structure is missing"))?;
        let dense = DenseLeg::new(index, structure, asked, &allowed, probe)?;
        let Fused { mut candidates, ranked: lexical, top } = if asked.browse() {
            all_allowed(&allowed, structure.n_sections())
        } else {
            fuse_legs(index, asked, &words, dense.as_ref())
        };
        let pins = asked.pins(index);
        add_pinned(&pins, &mut candidates, structure, |section| {
            allowed.contains(SectionId(section))
        });
        let pages = group(&candidates, &asked.rank_params(index), top, structure).pages;
        // A search for similar pages does not answer a question, so there is no evidence.
        let evidence = match asked.request.similar_to {
            None => Evidence::of(&words, dense.as_ref()),
            Some(_) => Evidence::default(),
        };
        let fusion = words.fusion(asked);
        let LexicalLeg { groups, hits, .. } = words;
        let is_partial =
            groups.iter().flat_map(|group| &group.terms).any(|term| term.lookup.is_partial());
        let (point, neighbours) = match dense {
            Some(leg) => (Some(leg.point), leg.neighbours),
            None => (None, no_neighbours()),
        };
        let AllowedSections { selectivity, notices, .. } = allowed;
        let cells = probe.map(|probe| probe.shards(index));
        let trace = Trace {
            lexical,
            hits,
            neighbours,
            groups,
            is_partial,
            evidence,
            selectivity,
            notices,
            pins,
            point,
            cells,
            fusion,
        };
        Ok(Self { candidates, pages, trace, top })
    }
}

/// Returns every section that passes the filter, for a query without words and without meaning.
fn all_allowed(allowed: &AllowedSections, n_sections: u32) -> Fused {
    let all = allowed.sections.clone().unwrap_or_else(|| Bitset::all(n_sections));
    let candidates =
        all.iter().map(|section| Candidate { section, ..Candidate::default() }).collect();
    Fused { candidates, ranked: Vec::new(), top: 0.0 }
}

fn fuse_legs(
    index: &Index,
    asked: &ResolvedQuery,
    words: &LexicalLeg,
    dense: Option<&DenseLeg<'_>>,
) -> Fused {
    let legs = Legs {
        lexical: &words.hits,
        dense: dense.map_or(&[], |leg| &leg.neighbours.sections),
        zero: dense.map_or(0.0, |leg| leg.point.zero),
        ideal: words.ideal,
        elsewhere: Bests::elsewhere(index, asked),
    };
    let similarity =
        |section| dense.map_or(Similarity::None, |leg| leg.similarity(SectionId(section)));
    let params = index.rank_params();
    index.with_scratch(|scratch| {
        fuse(asked.mode, words.fusion(asked), params, &legs, similarity, &mut scratch.slots)
    })
}

impl Bests {
    /// Returns the best scores of the other bundles that are searched together with this one.
    #[inline]
    pub fn elsewhere(index: &Index, asked: &ResolvedQuery) -> Self {
        match index.shared() {
            Some(shared) => {
                let (lexical, similarity) = shared.bests(&asked.request.query);
                Self { lexical, similarity }
            }
            None => Self::NONE,
        }
    }
}

impl Matches {
    /// Returns the best scores of both legs, before shares.
    pub fn bests(&self, index: &Index, query: &str) -> LegBests {
        let lexical = self.trace.hits.iter().map(|hit| hit.score).fold(0.0, f32::max);
        let similarities = self.candidates.iter().filter_map(|candidate| candidate.similarity);
        let n_vectors = index.manifest().stats.n_vectors;
        LegBests {
            query: query.to_owned(),
            lexical,
            nearest: similarities.reduce(f32::max),
            zero: self.trace.point.as_ref().map(|point| (point.zero, n_vectors)),
        }
    }
}

fn no_neighbours() -> Neighbours {
    Neighbours { sections: Vec::new(), compared: 0, method: Method::None }
}

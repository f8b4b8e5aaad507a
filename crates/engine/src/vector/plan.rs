//! Exact scan or graph: whichever costs less.
//!
//! Both costs are estimated in comparisons of the scan, from numbers measured by `benches/ann.rs`
//! and kept below as constants. Only their ratio matters: it is nearly the same on every machine,
//! while times are not.

use findling_bundle::{Graph, SectionId, order};

use super::exact::Hit;
use super::{QuantisedQuery, VectorView, exact, hnsw};
use crate::bitset::Bitset;

/// The method by which the nearest sections were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Every vector that passes the filter was compared.
    Exact,
    /// The graph was followed.
    Hnsw,
    /// The vectors in the nearest cells were compared.
    Cells,
    /// There was nothing to compare.
    None,
}

impl Method {
    /// Returns the name in the plan of a response: `exact`, `hnsw`, `cells`, `none`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Hnsw => "hnsw",
            Self::Cells => "cells",
            Self::None => "none",
        }
    }
}

/// The nearest sections, and how they were found.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbours {
    /// Sections with the cosine of their best vector, best first; ties by id.
    pub sections: Vec<(SectionId, f32)>,
    /// Vectors compared with the query.
    pub compared: u32,
    /// The method by which they were found.
    pub method: Method,
}

/// The numbers that decide between scan and graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    /// Vectors of the bundle.
    pub n_vectors: u32,
    /// Approximate number of vectors that pass the filter.
    pub n_passing: u32,
    /// Vectors that the search of the graph keeps.
    pub ef: u32,
}

impl Situation {
    /// Returns the method of least estimated cost. The graph must be clearly cheaper, because its
    /// cost is less certain.
    pub fn method(self) -> Method {
        if self.n_passing == 0 {
            return Method::None;
        }
        if self.hnsw_cost() * MARGIN < self.exact_cost() { Method::Hnsw } else { Method::Exact }
    }

    /// Estimates the cost of the scan, in its own comparisons.
    pub fn exact_cost(self) -> f32 {
        let each = if self.n_passing < self.n_vectors { EXACT_FILTERED } else { 1.0 };
        self.n_passing as f32 * each
    }

    /// Estimates the cost of the graph, in comparisons of the scan.
    pub fn hnsw_cost(self) -> f32 {
        // The number of layers is logarithmic, and so is the growth with ef.
        let compared = libm::log2f(self.n_vectors.max(2) as f32)
            * (DESCENT + COMPARED_PER_EF * self.ef as f32);
        let failing = 1.0 - self.n_passing as f32 / self.n_vectors.max(1) as f32;
        // No vector is compared twice, however large ef is.
        compared.min(self.n_passing as f32) * (COMPARISON + failing * DETOUR)
    }
}

/// Cost of a comparison in a filtered scan, relative to an unfiltered one: rows are not contiguous.
const EXACT_FILTERED: f32 = 1.15;
/// Comparisons that do not depend on `ef`, for each doubling of the corpus.
const DESCENT: f32 = 55.0;
/// Comparisons for each vector kept, for each doubling of the corpus.
const COMPARED_PER_EF: f32 = 1.3;
/// A comparison in the graph, with its share of the heaps and of memory's latency.
const COMPARISON: f32 = 1.8;
/// Additional cost of the graph if almost nothing passes the filter: neighbours that are examined
/// in vain.
const DETOUR: f32 = 0.8;
/// Factor by which the graph must be estimated cheaper than the scan.
const MARGIN: f32 = 1.25;

/// Returns the smallest number of vectors that the search of the graph keeps for `k` sections. With
/// it, recall@k stays above .98 whenever the planner uses the graph, filtered or not (see
/// `benches/ann.rs`).
pub fn default_ef(k: u32) -> u32 {
    k.saturating_add(150)
}

/// Decides between scan and graph.
///
/// `filter`: sections that may be found; `None` for all.
pub fn plan(view: &VectorView, graph: Option<&Graph>, filter: Option<&Bitset>, ef: u32) -> Method {
    let n_vectors = view.n_vectors();
    let n_sections = view.structure().n_sections().max(1);
    let n_passing = match filter {
        None => n_vectors,
        // This is approximate: it assumes that sections have about the same number of vectors.
        Some(sections) => (u64::from(sections.count()) * u64::from(n_vectors))
            .div_ceil(u64::from(n_sections)) as u32,
    };
    match (Situation { n_vectors, n_passing, ef }.method(), graph) {
        (Method::Hnsw, Some(graph)) if view.is_complete() && graph.n_vectors() == n_vectors => {
            Method::Hnsw
        }
        (Method::None, _) => Method::None,
        _ => Method::Exact,
    }
}

/// Returns the `k` sections nearest to a query among the sections that pass the filter.
///
/// Uses the exact scan or the graph, as [`plan`] decides. `ef`: how many vectors the search of the
/// graph keeps; more give better recall and take more work. At least [`default_ef`] are kept.
pub fn nearest(
    query: &QuantisedQuery,
    view: &VectorView,
    graph: Option<&Graph>,
    filter: Option<&Bitset>,
    k: u32,
    ef: u32,
) -> Neighbours {
    let ef = ef.max(default_ef(k));
    match (plan(view, graph, filter, ef), graph) {
        (Method::None, _) => Neighbours { sections: Vec::new(), compared: 0, method: Method::None },
        (Method::Hnsw, Some(graph)) => follow(query, view, graph, filter, k, ef),
        _ => scan(query, view, filter, k),
    }
}

/// Returns the nearest sections by exact scan, regardless of the cost.
pub fn scan(
    query: &QuantisedQuery,
    view: &VectorView,
    filter: Option<&Bitset>,
    k: u32,
) -> Neighbours {
    let (hits, compared) = exact::search(query, view, filter, k as usize);
    Neighbours {
        sections: hits.iter().map(|hit| (SectionId(hit.id), hit.score)).collect(),
        compared,
        method: Method::Exact,
    }
}

/// Returns the nearest sections by the graph, regardless of the cost. If it finds fewer than `k`
/// although there may be more, the exact scan is used instead.
#[doc(alias = "deferred")]
#[inline(never)]
pub fn follow(
    query: &QuantisedQuery,
    view: &VectorView,
    graph: &Graph,
    filter: Option<&Bitset>,
    k: u32,
    ef: u32,
) -> Neighbours {
    let passing = filter.map(|sections| (sections, sections.count()));
    let (vectors, compared) = hnsw::search(query, view, graph, passing, ef as usize);
    let structure = view.structure();
    let mut seen = Bitset::none(structure.n_sections());
    let mut hits = Vec::with_capacity(vectors.len());
    for hit in vectors {
        let section = structure.section_of_vector(findling_bundle::VectorId(hit.id));
        if seen.insert(section.0) {
            // The vector that was found need not be the section's best one.
            let several = structure.vectors(section).len() > 1;
            let score = if several {
                view.similarity(query, section).unwrap_or(hit.score)
            } else {
                hit.score
            };
            hits.push(Hit { score, id: section.0 });
        }
    }
    let wanted = passing.map_or(structure.n_sections(), |(_, n)| n).min(k);
    if hits.len() < wanted as usize {
        return scan(query, view, filter, k);
    }
    order::sort_first(&mut hits, k as usize, |a, b| a > b);
    hits.truncate(k as usize);
    Neighbours {
        sections: hits.iter().map(|hit| (SectionId(hit.id), hit.score)).collect(),
        compared,
        method: Method::Hnsw,
    }
}

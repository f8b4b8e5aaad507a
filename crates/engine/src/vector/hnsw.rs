//! The search of the HNSW graph, aware of filters.
//!
//! Layers above the base are descended greedily (Malkov and Yashunin, 2018, algorithm 5) and
//! without the filter: they only lead to the query's neighbourhood. On the base layer (algorithm 2)
//! the `ef` best are kept. Under a filter, only passing vectors are compared and kept. If a
//! neighbour does not pass, its own neighbours replace it: the two-hop expansion of ACORN-1 (Patel
//! et al., SIGMOD 2024, section 5), which walks the subgraph of passing vectors without building
//! it.
//!
//! Deterministic: ids break ties, and nothing is random. Every vector is compared at most once, so
//! the search ends on any graph, however hostile.

#![doc(alias = "deferred")]

use std::collections::BinaryHeap;

use findling_bundle::{Graph, VectorId};

use super::exact::{Hit, Top};
use super::{QuantisedQuery, VectorView};
use crate::bitset::Bitset;

/// Number of neighbours of a node after which failing neighbours are no longer replaced. Smaller
/// values lose recall; larger values compare vectors that ef would not keep. With 52,492 vectors,
/// half of which pass, and ef 160, the value 24 compares 2,551 vectors for a recall@10 of .9885,
/// and 48 compares 4,346 for .9930.
const ENOUGH: usize = 32;

/// Number of sections that pass the filter and from which the search also begins, evenly spread
/// over all. If no section near the query passes, a search from the entry would not reach the
/// passing ones.
const SEEDS: u32 = 16;

/// Returns the `ef` best vectors that the graph leads to, best first, and how many were compared.
pub(super) fn search(
    query: &QuantisedQuery,
    view: &VectorView,
    graph: &Graph,
    filter: Option<(&Bitset, u32)>,
    ef: usize,
) -> (Vec<Hit>, u32) {
    let mut search = Search {
        query,
        view,
        graph,
        filter: filter.map(|(sections, _)| sections),
        visited: Bitset::none(graph.n_vectors()),
        queue: BinaryHeap::new(),
        best: Top::new(ef),
        compared: 0,
    };
    let entry = search.descend();
    search.visit(entry);
    if let Some((sections, n_sections)) = filter {
        let step = (n_sections / SEEDS).max(1) as usize;
        for section in sections.iter().step_by(step) {
            let vector = view.structure().vectors(findling_bundle::SectionId(section)).next();
            vector.into_iter().for_each(|vector| search.visit(vector));
        }
    }
    search.base();
    (search.best.into_sorted(), search.compared)
}

struct Search<'a> {
    query: &'a QuantisedQuery,
    view: &'a VectorView<'a>,
    graph: &'a Graph,
    filter: Option<&'a Bitset>,
    /// Vectors that were compared, or replaced, on the base layer.
    visited: Bitset,
    /// Candidates to go on from, best first.
    queue: BinaryHeap<Hit>,
    /// The best that pass the filter.
    best: Top,
    compared: u32,
}

impl Search<'_> {
    /// Descends to the base layer through the nearest vector of each layer.
    fn descend(&mut self) -> u32 {
        let mut nearest = self.compare(self.graph.entry().0);
        for layer in (1..self.graph.n_layers()).rev() {
            loop {
                let from = nearest.id;
                for &id in self.graph.neighbours(layer, VectorId(from)) {
                    let hit = self.compare(id);
                    if hit > nearest {
                        nearest = hit;
                    }
                }
                if nearest.id == from {
                    break;
                }
            }
        }
        nearest.id
    }

    fn base(&mut self) {
        while let Some(hit) = self.queue.pop() {
            if self.best.threshold().is_some_and(|least| hit < least) {
                break;
            }
            let graph = self.graph;
            let neighbours = graph.base_neighbours(VectorId(hit.id));
            if self.filter.is_none() {
                neighbours.iter().for_each(|&id| self.visit(id));
                continue;
            }
            let mut n_passed = 0;
            for &id in neighbours {
                if self.passes(id) {
                    n_passed += 1;
                    self.visit(id);
                }
            }
            for &id in neighbours {
                if n_passed >= ENOUGH {
                    break;
                }
                if !self.passes(id) && self.visited.insert(id) {
                    for &id in graph.base_neighbours(VectorId(id)) {
                        if self.passes(id) {
                            n_passed += 1;
                            self.visit(id);
                        }
                    }
                }
            }
        }
    }

    /// Compares a vector if it has not been compared yet, and queues it if it is near enough.
    fn visit(&mut self, id: u32) {
        if !self.visited.insert(id) {
            return;
        }
        let hit = self.compare(id);
        let kept = if self.passes(id) { self.best.offer(hit) } else { true };
        if kept {
            self.queue.push(hit);
        }
    }

    fn passes(&self, id: u32) -> bool {
        self.filter.is_none_or(|sections| {
            sections.contains(self.view.structure().section_of_vector(VectorId(id)).0)
        })
    }

    fn compare(&mut self, id: u32) -> Hit {
        self.compared += 1;
        Hit {
            score: self
                .view
                .similarity_of_vector(self.query, VectorId(id))
                .unwrap_or(f32::NEG_INFINITY),
            id,
        }
    }
}

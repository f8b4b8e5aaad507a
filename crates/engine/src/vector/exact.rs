//! The exact scan: every vector that passes the filter is compared.
//!
//! It only reads memory in order. So it is faster than the graph if the filter leaves little or the
//! corpus is small. The graph's recall is measured against it.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use findling_bundle::SectionId;

use super::{QuantisedQuery, VectorView};
use crate::bitset::Bitset;

/// An item and its similarity. Greater is better: by score, then by lower id.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub score: f32,
    pub id: u32,
}

impl Ord for Hit {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.id.cmp(&self.id))
    }
}

impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Hit {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Hit {}

/// The best `k` of all offered items.
pub(super) struct Top {
    k: usize,
    heap: BinaryHeap<Reverse<Hit>>,
}

impl Top {
    pub fn new(k: usize) -> Self {
        Self { k, heap: BinaryHeap::new() }
    }

    /// Returns the worst of the best, once there are `k`: a new item must beat it.
    #[inline]
    pub fn threshold(&self) -> Option<Hit> {
        if self.heap.len() < self.k { None } else { self.heap.peek().map(|hit| hit.0) }
    }

    /// Inserts a hit if it is among the best so far, and returns whether it was inserted.
    #[inline]
    pub fn offer(&mut self, hit: Hit) -> bool {
        if self.heap.len() < self.k {
            self.heap.push(Reverse(hit));
            return true;
        }
        match self.heap.peek_mut() {
            Some(mut least) if hit > least.0 => {
                *least = Reverse(hit);
                true
            }
            _ => false,
        }
    }

    /// Returns the hits, best first.
    pub fn into_sorted(self) -> Vec<Hit> {
        self.heap.into_sorted_vec().into_iter().map(|hit| hit.0).collect()
    }
}

/// Returns the best `k` sections, best first, and how many vectors were compared.
pub(super) fn search(
    query: &QuantisedQuery,
    view: &VectorView,
    filter: Option<&Bitset>,
    k: usize,
) -> (Vec<Hit>, u32) {
    let mut top = Top::new(k);
    let mut compared = 0;
    match filter {
        None => {
            let mut best: Option<Hit> = None;
            for (vector, score) in view.scan(query) {
                compared += 1;
                let id = view.structure().section_of_vector(vector).0;
                match &mut best {
                    Some(best) if best.id == id => {
                        best.score = if score > best.score { score } else { best.score }
                    }
                    _ => {
                        if let Some(best) = best.replace(Hit { score, id }) {
                            top.offer(best);
                        }
                    }
                }
            }
            if let Some(best) = best {
                top.offer(best);
            }
        }
        Some(filter) => {
            for id in filter.iter() {
                let section = SectionId(id);
                if let Some(score) = view.similarity(query, section) {
                    compared += view.structure().vectors(section).len() as u32;
                    top.offer(Hit { score, id });
                }
            }
        }
    }
    (top.into_sorted(), compared)
}

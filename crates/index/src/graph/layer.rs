//! A layer of the graph while it is built.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::points::{Near, Place, Points};

/// The neighbours of each vector on a layer, by place.
pub struct Layer {
    neighbours: Vec<Vec<Place>>,
    /// Maximum number of neighbours of a vector.
    most: usize,
}

/// The places that a search has seen. One value serves many searches, one after the other.
pub struct Seen {
    marks: Vec<u32>,
    search: u32,
}

impl Seen {
    /// Returns empty marks for graphs of `n` vectors.
    pub fn new(n: usize) -> Self {
        Self { marks: vec![0; n], search: 0 }
    }

    fn begin(&mut self) {
        self.search = self.search.wrapping_add(1);
        if self.search == 0 {
            self.marks.fill(0);
            self.search = 1;
        }
    }

    /// Returns whether a place is seen for the first time.
    fn insert(&mut self, place: Place) -> bool {
        std::mem::replace(&mut self.marks[place as usize], self.search) != self.search
    }
}

impl Layer {
    /// Returns a layer of `n` vectors without edges.
    pub fn new(n: usize, most: usize) -> Self {
        Self { neighbours: vec![Vec::new(); n], most }
    }

    /// Returns the number of neighbours that a vector gets when it is inserted. The remaining
    /// places are for vectors that are inserted later.
    pub fn at_first(&self) -> usize {
        self.most / 2
    }

    /// Returns the neighbours of a vector.
    pub fn neighbours(&self, place: Place) -> &[Place] {
        &self.neighbours[place as usize]
    }

    /// Returns the `ef` vectors nearest to `row` that a best-first search from `entries` finds,
    /// nearest first (algorithm 2 of the paper).
    pub fn search(
        &self,
        points: &Points<'_>,
        row: &[f32],
        entries: &[Near],
        ef: usize,
        seen: &mut Seen,
    ) -> Vec<Near> {
        seen.begin();
        let mut open: BinaryHeap<Reverse<Near>> = BinaryHeap::new();
        let mut best: BinaryHeap<Near> = BinaryHeap::new();
        for &entry in entries.iter().take(ef) {
            if seen.insert(entry.place) {
                open.push(Reverse(entry));
                best.push(entry);
            }
        }
        while let Some(Reverse(next)) = open.pop() {
            let is_full = best.len() >= ef;
            if is_full && best.peek().is_some_and(|worst| next.distance > worst.distance) {
                break;
            }
            for &place in self.neighbours(next.place) {
                if !seen.insert(place) {
                    continue;
                }
                let near = points.near(place, row);
                if best.len() < ef {
                    best.push(near);
                    open.push(Reverse(near));
                } else if let Some(mut worst) = best.peek_mut()
                    && near < *worst
                {
                    *worst = near;
                    open.push(Reverse(near));
                }
            }
        }
        best.into_sorted_vec()
    }

    /// Connects vectors of a batch with the neighbours that were chosen for them. The result does
    /// not depend on the number of threads: each vector's edges are computed separately, from its
    /// earlier edges and the new ones in the order of their places.
    pub fn connect(&mut self, points: &Points<'_>, chosen: &[(Place, Vec<Place>)]) {
        let mut back: Vec<(Place, Place)> = chosen
            .iter()
            .flat_map(|(place, neighbours)| neighbours.iter().map(|&to| (to, *place)))
            .collect();
        back.sort_unstable();
        let of_each: Vec<&[(Place, Place)]> = back.chunk_by(|a, b| a.0 == b.0).collect();
        let changed: Vec<(Place, Vec<Place>)> =
            of_each.par_iter().map(|new| (new[0].0, self.joined(points, new))).collect();
        for (place, neighbours) in changed.iter().chain(chosen) {
            self.neighbours[*place as usize].clone_from(neighbours);
        }
    }

    /// Returns the old and new neighbours of a vector, or the best of them if there are too many.
    fn joined(&self, points: &Points<'_>, new: &[(Place, Place)]) -> Vec<Place> {
        let place = new[0].0;
        let mut all = self.neighbours(place).to_vec();
        all.extend(new.iter().map(|&(_, from)| from));
        if all.len() <= self.most {
            return all;
        }
        let row = points.row(place);
        let mut near: Vec<Near> = all.iter().map(|&other| points.near(other, row)).collect();
        near.sort_unstable();
        select(points, &near, self.most)
    }
}

/// Chooses at most `most` neighbours among candidates, nearest first (algorithm 4 of the paper). A
/// candidate may be nearer to a chosen neighbour than to the vector itself. Such a candidate can be
/// reached through this neighbour, so it is only taken if places are left.
pub fn select(points: &Points<'_>, candidates: &[Near], most: usize) -> Vec<Place> {
    let mut chosen: Vec<Place> = Vec::with_capacity(most);
    let mut pruned: Vec<Place> = Vec::new();
    for candidate in candidates {
        if chosen.len() >= most {
            break;
        }
        let row = points.row(candidate.place);
        let is_apart = |&other: &Place| points.near(other, row).distance > candidate.distance;
        let list = if chosen.iter().all(is_apart) { &mut chosen } else { &mut pruned };
        list.push(candidate.place);
    }
    let left = most - chosen.len();
    chosen.extend(pruned.into_iter().take(left));
    chosen
}

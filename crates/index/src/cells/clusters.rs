//! Grouping vectors into clusters of bounded size.

use findling_bundle::Error;
use findling_bundle::cells::{Coder, write_cell};
use findling_encoder::dot;
use rayon::prelude::*;

use super::cell_size::{CellSize, MAX_TIMES, SIZE_SAMPLE};
use super::k_means::{ROUNDS, SAMPLE, assign, evenly, means};

/// Largest number of rounds of [`Clusters::settle`].
const SETTLE_ROUNDS: usize = 4;

/// Vectors, grouped around centroids.
pub struct Clusters<'a> {
    /// All vectors, `dim` numbers each.
    pub values: &'a [f32],
    pub dim: usize,
    /// The centroid of each cluster, `dim` numbers each.
    pub centroids: Vec<f32>,
    /// The ids of each cluster's vectors, ascending.
    pub members: Vec<Vec<u32>>,
}

impl<'a> Clusters<'a> {
    /// Groups the vectors into about `k` clusters, none of them empty.
    pub fn of(values: &'a [f32], dim: usize, k: usize) -> Self {
        let n = values.len() / dim.max(1);
        let sample: Vec<u32> = evenly(n, SAMPLE.max(k));
        let mut centroids: Vec<f32> = evenly(sample.len(), k)
            .into_iter()
            .flat_map(|i| &values[sample[i as usize] as usize * dim..][..dim])
            .copied()
            .collect();
        for _ in 0..ROUNDS {
            let members = assign(values, dim, &sample, &centroids);
            means(values, dim, &members, &mut centroids);
        }
        let all: Vec<u32> = (0..n as u32).collect();
        let members = assign(values, dim, &all, &centroids);
        means(values, dim, &members, &mut centroids);
        let mut clusters = Self { values, dim, centroids, members };
        clusters.drop_empty();
        clusters
    }

    /// Returns the mean number of bytes of a vector, estimated from an even sample of the clusters.
    pub fn bytes(&self, coder: &Coder) -> Result<f64, Error> {
        let looked_at = evenly(self.members.len(), SIZE_SAMPLE.0);
        let sizes: Vec<(f64, usize)> = looked_at
            .into_par_iter()
            .map(|at| Ok((self.bytes_of(at as usize, coder)?, self.members[at as usize].len())))
            .collect::<Result<_, Error>>()?;
        let (bytes, n) = sizes.iter().fold((0.0, 0), |sum, size| (sum.0 + size.0, sum.1 + size.1));
        Ok(bytes / n.max(1) as f64)
    }

    /// Returns the bytes of a cluster stored as a cell, estimated from a sample of its vectors.
    fn bytes_of(&self, at: usize, coder: &Coder) -> Result<f64, Error> {
        let members = &self.members[at];
        let some: Vec<&[f32]> = evenly(members.len(), SIZE_SAMPLE.1)
            .into_iter()
            .map(|i| &self.values[members[i as usize] as usize * self.dim..][..self.dim])
            .collect();
        let raw = write_cell(coder, &self.centroids[at * self.dim..][..self.dim], None, &some)?;
        Ok(raw.len() as f64 * members.len() as f64 / some.len().max(1) as f64)
    }

    /// Returns whether a cluster is more than `times` times as large as its target size.
    fn is_beyond(
        &self,
        at: usize,
        times: usize,
        size: CellSize,
        coder: &Coder,
    ) -> Result<bool, Error> {
        let most = times * size.vectors;
        let n = self.members[at].len();
        Ok(n > MAX_TIMES * size.vectors
            || n > most
                && (size.bytes == 0.0 || self.bytes_of(at, coder)? > most as f64 * size.bytes))
    }

    /// Divides clusters until none is more than `times` times as large as its target size. Equal
    /// vectors are divided by their ids.
    ///
    /// Returns whether different vectors were divided. Then another centroid may be nearer to some
    /// of them than their own.
    pub fn divide(&mut self, times: usize, size: CellSize, coder: &Coder) -> Result<bool, Error> {
        let (mut at, mut moved) = (0, false);
        while at < self.members.len() {
            if !self.is_beyond(at, times, size, coder)? {
                at += 1;
                continue;
            }
            let vectors = std::mem::take(&mut self.members[at]);
            let (one, other) = match self.halves(&vectors) {
                Some(halves) => {
                    moved = true;
                    halves
                }
                None => {
                    let (one, other) = vectors.split_at(vectors.len() / 2);
                    (one.to_vec(), other.to_vec())
                }
            };
            let mut both = vec![0.0; 2 * self.dim];
            let halves = [one, other];
            means(self.values, self.dim, &halves, &mut both);
            self.centroids[at * self.dim..][..self.dim].copy_from_slice(&both[..self.dim]);
            self.centroids.extend_from_slice(&both[self.dim..]);
            let [one, other] = halves;
            self.members[at] = one;
            self.members.push(other);
        }
        Ok(moved)
    }

    /// Repeats two steps until both hold: every vector belongs to the centroid nearest to it, as
    /// centroids are stored; and no cluster is more than `times` times as large as its target size.
    /// A rebuild, which only has the stored centroids, thus arrives at the same clusters.
    pub fn settle(&mut self, times: usize, size: CellSize, coder: &Coder) -> Result<(), Error> {
        for _ in 0..SETTLE_ROUNDS {
            let rows = self.centroids.chunks_exact(self.dim.max(1));
            self.centroids = rows.flat_map(|row| coder.steps().as_stored(row)).collect();
            self.gather();
            if !self.divide(times, size, coder)? {
                break;
            }
        }
        Ok(())
    }

    /// Assigns every vector to its nearest centroid.
    pub fn gather(&mut self) {
        let all: Vec<u32> = (0..(self.values.len() / self.dim.max(1)) as u32).collect();
        self.members = assign(self.values, self.dim, &all, &self.centroids);
        self.drop_empty();
    }

    /// Removes clusters without vectors.
    fn drop_empty(&mut self) {
        let kept = self.centroids.chunks_exact(self.dim.max(1)).zip(&self.members);
        self.centroids = kept
            .filter(|(_, members)| !members.is_empty())
            .flat_map(|(centroid, _)| centroid.iter().copied())
            .collect();
        self.members.retain(|members| !members.is_empty());
    }

    /// Returns the difference of each vector from its centroid, cluster by cluster.
    pub fn residuals(&self) -> impl Iterator<Item = Vec<f32>> {
        let row = |vector: u32| &self.values[vector as usize * self.dim..][..self.dim];
        let clusters = self.members.iter().zip(self.centroids.chunks_exact(self.dim.max(1)));
        clusters.flat_map(move |(members, centroid)| {
            members.iter().map(move |&vector| {
                row(vector).iter().zip(centroid).map(|(value, centre)| value - centre).collect()
            })
        })
    }

    /// Divides vectors into two clusters, neither of them empty. `None` if all vectors are equal.
    fn halves(&self, vectors: &[u32]) -> Option<(Vec<u32>, Vec<u32>)> {
        let row = |vector: u32| &self.values[vector as usize * self.dim..][..self.dim];
        let first = row(vectors[0]);
        let farthest = vectors.iter().copied().fold((vectors[0], f32::INFINITY), |best, vector| {
            let near = dot(first, row(vector));
            if near < best.1 { (vector, near) } else { best }
        });
        let mut centroids = [first, row(farthest.0)].concat();
        let mut members = assign(self.values, self.dim, vectors, &centroids);
        for _ in 0..ROUNDS {
            means(self.values, self.dim, &members, &mut centroids);
            members = assign(self.values, self.dim, vectors, &centroids);
        }
        let other = members.pop().unwrap_or_default();
        let one = members.pop().unwrap_or_default();
        (!one.is_empty() && !other.is_empty()).then_some((one, other))
    }
}

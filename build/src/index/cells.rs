//! Vectors grouped around centroids, so that a reader fetches few of them.
//!
//! Centroids come of Lloyd's algorithm (k-means) over a sample, evenly spread over the site; a cell that becomes twice as
//! large as meant is divided in two, since a query pays for the whole of it. The same vectors give the same cells on any
//! number of cores.

use findling_bundle::cells::{Cell, Coder, write_cell, write_centroids};
use findling_bundle::{Error, ShardKind, encode_shard};
use rayon::prelude::*;

use super::dot::dot;
use super::shards::Stored;

/// Vectors that centroids are learned from, at most.
const SAMPLE: usize = 30_000;
/// Rounds of Lloyd's algorithm. Later ones move little.
const ROUNDS: usize = 8;
/// Half bits for each number of a vector: at least, and at most where all vectors take no more bytes than [`SMALL`].
const HALF_BITS: (usize, usize) = (5, 10);
/// Bytes of a whole site's cells that a query may as well fetch at once.
const SMALL: usize = 64_000;
/// Vectors up to which readers are told which cell each is in, at some ten bits a vector.
const TOLD: usize = 25_000;
/// Bits for each number of a centroid, on average.
const CENTROID_BITS: usize = 1;

/// What goes into a bundle.
#[derive(Clone, Debug)]
pub struct Cells {
    /// The centroids' shard, uncompressed.
    pub centroids: Vec<u8>,
    /// The cells' shards, as stored.
    pub shards: Vec<Stored>,
}

/// Vectors of a cell: the larger, the fewer centroids every reader fetches, and the more that a query fetches in vain.
fn cell_len(n_vectors: usize) -> usize {
    // Centroids for 120,000 vectors then take less than the cells that a query looks into.
    ((n_vectors as f64).sqrt() * 0.375).round().clamp(24.0, 256.0) as usize
}

/// Groups vectors of length 1, `dim` numbers each, one after the other.
///
/// # Errors
/// Where they are beyond the formats' limits.
pub fn build(values: &[f32], dim: usize) -> Result<Cells, Error> {
    let n = values.len() / dim.max(1);
    let most = 2 * cell_len(n);
    let mut clusters = Clusters::of(values, dim, n.div_ceil(cell_len(n)));
    clusters.divide(most);
    let Clusters { centroids, members, .. } = clusters;

    let row = |vector: u32| &values[vector as usize * dim..][..dim];
    let residuals: Vec<Vec<f32>> = members
        .par_iter()
        .zip(centroids.par_chunks_exact(dim.max(1)))
        .flat_map_iter(|(members, centroid)| {
            members.iter().map(move |&vector| {
                row(vector).iter().zip(centroid).map(|(value, centre)| value - centre).collect()
            })
        })
        .collect();
    let affordable = SMALL * 16 / (n * dim).max(1);
    let coder = Coder::of(residuals.iter(), dim, dim * affordable.clamp(HALF_BITS.0, HALF_BITS.1) / 2)?;
    drop(residuals);
    let shards: Vec<Stored> = members
        .par_iter()
        .zip(centroids.par_chunks_exact(dim.max(1)))
        .map(|(members, centroid)| {
            let rows: Vec<&[f32]> = members.iter().map(|&vector| row(vector)).collect();
            encode_shard(ShardKind::Cell, &write_cell(&coder, centroid, members, &rows)?)
        })
        .collect::<Result<_, Error>>()?;
    let cell_of = if n <= TOLD { cell_of(&members, n) } else { Vec::new() };
    let listed: Vec<Cell> = shards
        .iter()
        .zip(&members)
        .map(|((shard, _), members)| Cell { shard: *shard, n_vectors: members.len() as u32 })
        .collect();
    let centroids = write_centroids(&coder, &listed, &centroids, dim * CENTROID_BITS, &cell_of)?;
    Ok(Cells { centroids, shards })
}

/// The cell of each of `n` vectors.
fn cell_of(members: &[Vec<u32>], n: usize) -> Vec<u32> {
    let mut cell_of = vec![0; n];
    for (cell, members) in (0..).zip(members) {
        members.iter().for_each(|&vector| cell_of[vector as usize] = cell);
    }
    cell_of
}

/// Vectors and the centroids they lie around.
struct Clusters<'a> {
    values: &'a [f32],
    dim: usize,
    /// `dim` numbers each.
    centroids: Vec<f32>,
    /// The vectors of each, ascending.
    members: Vec<Vec<u32>>,
}

impl<'a> Clusters<'a> {
    /// About `k` clusters; none is empty.
    fn of(values: &'a [f32], dim: usize, k: usize) -> Self {
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
        let mut members = assign(values, dim, &all, &centroids);
        means(values, dim, &members, &mut centroids);
        let kept: Vec<f32> = centroids
            .chunks_exact(dim.max(1))
            .zip(&members)
            .filter(|(_, members)| !members.is_empty())
            .flat_map(|(centroid, _)| centroid.iter().copied())
            .collect();
        members.retain(|members| !members.is_empty());
        Self { values, dim, centroids: kept, members }
    }

    /// Divides every cluster of more than `most` vectors until there is none; equal vectors are divided by their ids.
    fn divide(&mut self, most: usize) {
        let mut at = 0;
        while at < self.members.len() {
            if self.members[at].len() <= most {
                at += 1;
                continue;
            }
            let vectors = std::mem::take(&mut self.members[at]);
            let (one, other) = self.halves(&vectors);
            let mut both = vec![0.0; 2 * self.dim];
            let halves = [one, other];
            means(self.values, self.dim, &halves, &mut both);
            self.centroids[at * self.dim..][..self.dim].copy_from_slice(&both[..self.dim]);
            self.centroids.extend_from_slice(&both[self.dim..]);
            let [one, other] = halves;
            self.members[at] = one;
            self.members.push(other);
        }
    }

    /// Two clusters, neither of which is empty.
    fn halves(&self, vectors: &[u32]) -> (Vec<u32>, Vec<u32>) {
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
        if one.is_empty() || other.is_empty() {
            let (one, other) = vectors.split_at(vectors.len() / 2);
            return (one.to_vec(), other.to_vec());
        }
        (one, other)
    }
}

/// At most `most` of `n` numbers, evenly spread.
fn evenly(n: usize, most: usize) -> Vec<u32> {
    let most = most.min(n);
    (0..most).map(|i| (i * n / most.max(1)) as u32).collect()
}

/// The vectors of each centroid: those to which none is nearer, the lower of two that are equally near.
fn assign(values: &[f32], dim: usize, vectors: &[u32], centroids: &[f32]) -> Vec<Vec<u32>> {
    // By |x - c|² = |x|² - 2 x·c + |c|², of which the first is the same for all.
    let halves: Vec<f32> =
        centroids.chunks_exact(dim.max(1)).map(|centroid| dot(centroid, centroid) / 2.0).collect();
    let nearest: Vec<u32> = vectors
        .par_iter()
        .map(|&vector| {
            let row = &values[vector as usize * dim..][..dim];
            let mut best = (f32::NEG_INFINITY, 0);
            for (i, (centroid, half)) in centroids.chunks_exact(dim.max(1)).zip(&halves).enumerate() {
                let near = dot(row, centroid) - half;
                if near > best.0 {
                    best = (near, i as u32);
                }
            }
            best.1
        })
        .collect();
    let mut members = vec![Vec::new(); halves.len()];
    for (&vector, cluster) in vectors.iter().zip(nearest) {
        members[cluster as usize].push(vector);
    }
    members
}

/// Moves each centroid to the middle of its vectors; one without any stays.
fn means(values: &[f32], dim: usize, members: &[Vec<u32>], centroids: &mut [f32]) {
    centroids.par_chunks_exact_mut(dim.max(1)).zip(members).for_each(|(centroid, members)| {
        if members.is_empty() {
            return;
        }
        let mut sums = vec![0.0f64; dim];
        for &vector in members {
            let row = &values[vector as usize * dim..][..dim];
            sums.iter_mut().zip(row).for_each(|(sum, &value)| *sum += f64::from(value));
        }
        let n = members.len() as f64;
        centroid.iter_mut().zip(sums).for_each(|(value, sum)| *value = (sum / n) as f32);
    });
}

#[cfg(test)]
mod tests {
    use findling_bundle::{CellShard, Centroids, Stats, decode_shard};

    use super::*;

    const DIM: usize = 16;

    /// Vectors of length 1 around a few centres.
    fn vectors(n: usize) -> Vec<f32> {
        let mut random = crate::distill::train::SplitMix(3);
        let mut uniform = move || random.below(2001) as f32 / 1000.0 - 1.0;
        let centres: Vec<Vec<f32>> = (0..12).map(|_| (0..DIM).map(|_| uniform()).collect()).collect();
        let mut values = Vec::new();
        for i in 0..n {
            let row: Vec<f32> = centres[i % 12].iter().map(|centre| centre + 0.3 * uniform()).collect();
            let norm = row.iter().map(|v| v * v).sum::<f32>().sqrt();
            values.extend(row.iter().map(|v| v / norm));
        }
        values
    }

    fn read(cells: &Cells, n: usize) -> (Centroids, Vec<CellShard>) {
        let stats = Stats { n_vectors: n as u32, ..Stats::default() };
        let centroids = Centroids::from_bytes(&cells.centroids, DIM as u32, &stats).unwrap();
        let shards = cells
            .shards
            .iter()
            .zip(centroids.cells())
            .map(|((entry, stored), cell)| {
                assert_eq!(*entry, cell.shard);
                let raw = decode_shard(entry, stored).unwrap();
                CellShard::from_bytes(&raw, centroids.coder(), cell.n_vectors, &stats).unwrap()
            })
            .collect();
        (centroids, shards)
    }

    #[test]
    fn every_vector_is_in_one_cell_and_near_what_it_was() {
        for n in [1, 23, 700] {
            let values = vectors(n);
            let (_, shards) = read(&build(&values, DIM).unwrap(), n);
            let mut found: Vec<u32> = shards.iter().flat_map(|cell| cell.ids().to_vec()).collect();
            found.sort_unstable();
            assert!(found.into_iter().eq(0..n as u32));
            for (id, row, scale) in shards.iter().flat_map(CellShard::vectors) {
                let vector = &values[id as usize * DIM..][..DIM];
                let cosine: f32 = row.iter().zip(vector).map(|(&q, v)| f32::from(q) * scale * v).sum();
                assert!(cosine > 0.9, "{cosine}");
            }
            assert!(shards.iter().all(|cell| cell.ids().len() <= 2 * cell_len(n)));
        }
    }

    #[test]
    fn equal_vectors_are_divided_too() {
        let values = [1.0f32, 0.0, 0.0, 0.0].repeat(500);
        let cells = build(&values, 4).unwrap();
        assert!(cells.shards.len() >= 500 / (2 * cell_len(500)));
        assert!(build(&[0.0; 400], 4).is_ok());
        assert!(build(&[], 4).unwrap().shards.is_empty());
    }

    #[test]
    fn the_number_of_cores_does_not_show() {
        let values = vectors(900);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| build(&values, DIM)).unwrap()
        };
        let (one, three) = (on(1), on(3));
        assert!(one.centroids == three.centroids && one.shards == three.shards);
    }

    #[test]
    fn vectors_of_a_cell_are_alike() {
        let values = vectors(700);
        let (_, shards) = read(&build(&values, DIM).unwrap(), 700);
        // Vectors were made around twelve centres in turn: a cell should know few of them.
        let mixed =
            shards.iter().filter(|cell| cell.ids().iter().any(|id| id % 12 != cell.ids()[0] % 12)).count();
        assert!(mixed * 5 < shards.len(), "{mixed} of {}", shards.len());
    }
}

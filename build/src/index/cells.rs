//! Vectors grouped around centroids, so that a reader fetches few of them.
//!
//! Centroids come of Lloyd's algorithm (k-means) over a sample, evenly spread over the site; a cell
//! that becomes twice as large as meant is divided in two, since a query pays for the whole of it,
//! and may grow to three times that when vectors then go to what is nearest, four times in a
//! rebuild. The same vectors give the same cells on any number of cores.
//!
//! How large cells are meant to be is told in bytes ([`Meant`]): where many pages are of one mould,
//! their vectors take little beside each other.
//!
//! A rebuild goes on with the centroids of the build before ([`Grouping`]) as long as they serve,
//! so that an edited page changes the cells that its own vectors are in, and no others: learned
//! anew, all centroids move a little.

use findling_bundle::cells::{ALIKE, Cell, Coder, Steps, VectorPlace, write_cell, write_centroids};
use findling_bundle::limits::MAX_TOLD;
use findling_bundle::{Error, PageId, RangeStart, ShardKind, encode_shard};
use rayon::prelude::*;

use super::dot::dot;
use super::shards::{Deployed, Stored};
use crate::chunk::ChunkedPage;

/// Vectors that centroids are learned from, at most.
const SAMPLE: usize = 30_000;
/// Rounds of Lloyd's algorithm. Later ones move little.
const ROUNDS: usize = 8;
/// The steps that numbers of vectors of length 1 are stored in, in 256 dimensions, in the mean:
/// some 1.6 bits each.
const STEP: f32 = 0.044;
/// The same for centroids.
const CENTROID_STEP: f32 = 0.08;
/// Half bits for each number of a vector: with these steps, and at most where all vectors take no
/// more bytes than [`SMALL`].
const HALF_BITS: (usize, usize) = (4, 9);
/// Bytes of a whole site's cells that a query may as well fetch at once.
const SMALL: usize = 64_000;
/// Times as many or as few cells as meant, or times as much difference from the centroids as there
/// was, up to which an earlier grouping still serves.
const STILL_SERVES: (f64, f64) = (1.5, 1.1);
/// Rounds in which what was divided finds its nearest centroids again.
const SETTLING: usize = 4;

/// How an earlier build grouped its vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Grouping {
    /// A vector for each cell, one after the other.
    pub centroids: Vec<f32>,
    /// How vectors were stored.
    pub coder: Coder,
}

/// What goes into a bundle.
#[derive(Clone, Debug)]
pub struct Cells {
    /// The centroids' shard, uncompressed.
    pub centroids: Vec<u8>,
    /// The cells' shards, as stored.
    pub shards: Vec<Stored>,
}

/// Bytes of a vector of 256 dimensions in its cell that are usual.
const USUAL: f64 = 48.0;
/// Cells are looked at whose vectors may take less, so many of so many vectors each.
const LOOKED_AT: (usize, usize) = (64, 256);
/// Most vectors that a cell is meant to have.
const MOST_MEANT: usize = 1024;
/// Times as many vectors as meant with which a cell is divided in any case.
const MOST_TIMES: usize = 8;

/// How large cells are meant to be: the larger, the fewer centroids every reader fetches, and the
/// more that a query fetches in vain.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Meant {
    vectors: usize,
    /// Of a vector, where they take less than usual; 0 where cells are told by their vectors
    /// alone.
    bytes: f64,
}

impl Meant {
    /// For so many vectors that take what is usual.
    fn usual(n_vectors: usize) -> Self {
        Self::new(n_vectors, 256, USUAL)
    }

    /// For so many vectors of so many bytes each. Cells take as many bytes as others of as many
    /// vectors.
    fn new(n_vectors: usize, dim: usize, bytes: f64) -> Self {
        // Centroids for 120,000 vectors then take less than the cells that a query looks into.
        let usual = (n_vectors as f64).sqrt() * 0.375;
        let vectors = |times: f64| (usual * times).round().clamp(24.0, MOST_MEANT as f64) as usize;
        match vectors(USUAL * dim as f64 / 256.0 / bytes) {
            more if more * 4 > vectors(1.0) * 5 => Self { vectors: more, bytes },
            _ => Self { vectors: vectors(1.0), bytes: 0.0 },
        }
    }

    /// Cells of so many vectors.
    fn n_cells(self, n_vectors: usize) -> usize {
        n_vectors.div_ceil(self.vectors)
    }
}

/// Whether the centroids say which of so many vectors is in which cell: some ten bits a vector.
/// Otherwise cells say of which sections theirs are, and who looks into cells need not know how
/// many vectors each section has.
pub fn are_told(n_vectors: usize) -> bool {
    n_vectors <= MAX_TOLD as usize
}

/// Where each vector of some pages is of, in their order.
pub fn places(chunks: &[ChunkedPage]) -> Vec<VectorPlace> {
    let of_page = |(page, chunked): (u32, &ChunkedPage)| -> Vec<VectorPlace> {
        let of_section = |(section, n): (u32, u32)| {
            (0..n).map(move |place| VectorPlace::new(PageId(page), section, place, n))
        };
        let n_units = chunked.sections.iter().map(|section| section.units.len() as u32);
        (0..).zip(n_units).flat_map(of_section).collect()
    };
    (0..).zip(chunks).flat_map(of_page).collect()
}

/// Groups vectors of length 1, `dim` numbers each, one after the other, which are of these
/// `places`; as in an `earlier` build where that still serves.
///
/// # Errors
/// Where they are beyond the formats' limits.
pub fn build(
    values: &[f32],
    dim: usize,
    places: &[VectorPlace],
    earlier: Option<&Grouping>,
    deployed: &Deployed,
) -> Result<Cells, Error> {
    let n = values.len() / dim.max(1);
    let step = step(n, dim);
    let goes_on = earlier.map(|earlier| go_on(values, dim, step, earlier)).transpose()?.flatten();
    let (Clusters { centroids, members, .. }, coder) = match goes_on {
        Some(grouped) => grouped,
        None => made(values, dim, step)?,
    };
    let (centroids, members) = likest_first(centroids, members, dim);
    let row = |vector: u32| &values[vector as usize * dim..][..dim];
    let tells = are_told(n);
    let shards: Vec<Stored> = members
        .par_iter()
        .zip(centroids.par_chunks_exact(dim.max(1)))
        .enumerate()
        .map(|(number, (members, centroid))| {
            let rows: Vec<&[f32]> = members.iter().map(|&vector| row(vector)).collect();
            let places: Option<Vec<VectorPlace>> =
                (!tells).then(|| members.iter().map(|&vector| places[vector as usize]).collect());
            let raw = write_cell(&coder, centroid, places.as_deref(), &rows)?;
            let shard = encode_shard(ShardKind::Cell, &raw)?;
            Ok(deployed.rename(shard, RangeStart::Cell(number as u32)))
        })
        .collect::<Result<_, Error>>()?;
    let cell_of = if tells { cell_of(&members, n) } else { Vec::new() };
    let listed: Vec<Cell> = shards
        .iter()
        .zip(&members)
        .map(|((shard, _), members)| Cell { shard: *shard, n_vectors: members.len() as u32 })
        .collect();
    let centroids =
        write_centroids(&coder, &listed, &centroids, CENTROID_STEP * per_number(dim), &cell_of)?;
    Ok(Cells { centroids, shards })
}

/// The vectors around centroids that are learned, and how they are stored.
fn made(values: &[f32], dim: usize, step: f32) -> Result<(Clusters<'_>, Coder), Error> {
    let n = values.len() / dim.max(1);
    let steps = Steps::of(values.chunks_exact(dim.max(1)), dim, step)?;
    let usual = Meant::usual(n);
    let mut clusters = Clusters::of(values, dim, usual.n_cells(n));
    let mut coder = Coder::of(clusters.residuals(), steps.clone())?;
    let meant = Meant::new(n, dim, clusters.bytes(&coder)?);
    if meant != usual {
        clusters = Clusters::of(values, dim, meant.n_cells(n));
        coder = Coder::of(clusters.residuals(), steps.clone())?;
    }
    clusters.divide(2, meant, &coder)?;
    clusters.settle(3, meant, &coder)?;
    let coder = Coder::of(clusters.residuals(), steps)?;
    Ok((clusters, coder))
}

/// The size of steps for so many vectors.
fn step(n: usize, dim: usize) -> f32 {
    let affordable = SMALL * 16 / (n * dim).max(1);
    let more = affordable.clamp(HALF_BITS.0, HALF_BITS.1) - HALF_BITS.0;
    // Half the size is a bit more. By products of one number, which are the same wherever a site is
    // built.
    (0..more).fold(STEP * per_number(dim), |step, _| step * std::f32::consts::FRAC_1_SQRT_2)
}

/// The size of a number of a vector of length 1, against one in 256 dimensions.
fn per_number(dim: usize) -> f32 {
    (256.0 / dim.max(1) as f32).sqrt()
}

/// The vectors around the centroids of an earlier build, and how they were stored; `None` where the
/// site has outgrown that.
fn go_on<'a>(
    values: &'a [f32],
    dim: usize,
    step: f32,
    earlier: &Grouping,
) -> Result<Option<(Clusters<'a>, Coder)>, Error> {
    let n = values.len() / dim.max(1);
    let Grouping { centroids, coder } = earlier;
    if centroids.is_empty() || coder.dim() != dim || coder.steps().mean() != step {
        return Ok(None);
    }
    let mut clusters = Clusters { values, dim, centroids: centroids.clone(), members: Vec::new() };
    clusters.gather();
    let meant = Meant::new(n, dim, clusters.bytes(coder)?);
    clusters.settle(4, meant, coder)?;
    let so_many = clusters.members.len() as f64 / meant.n_cells(n).max(1) as f64;
    let squares: f64 = clusters.residuals().map(|row| f64::from(coder.steps().square(&row))).sum();
    let serves = so_many <= STILL_SERVES.0
        && so_many >= 1.0 / STILL_SERVES.0
        && squares / n.max(1) as f64 <= STILL_SERVES.1 * f64::from(coder.spread());
    Ok(serves.then(|| (clusters, coder.clone())))
}

/// Clusters in an order in which each is as like as can be to one before it (the minimum spanning
/// tree that grows from the mean: Prim, *Shortest connection networks and some generalizations*,
/// 1957). It is the same in whatever order they come.
fn likest_first(
    centroids: Vec<f32>,
    mut members: Vec<Vec<u32>>,
    dim: usize,
) -> (Vec<f32>, Vec<Vec<u32>>) {
    let rows: Vec<&[f32]> = centroids.chunks_exact(dim.max(1)).collect();
    let mut mean = vec![0.0; dim];
    means(&centroids, dim, &[(0..rows.len() as u32).collect()], &mut mean);
    let far = |a: &[f32], b: &[f32]| (dot(a, a) + dot(b, b)) / 2.0 - dot(a, b);
    // How far each that is left is from what it is expected to be by the best so far.
    let mut left: Vec<(f32, usize)> = rows.iter().map(|row| far(row, &mean)).zip(0..).collect();
    let mut order = Vec::with_capacity(rows.len());
    let nearer = |a: &(f32, usize), b: &(f32, usize)| a.0.total_cmp(&b.0);
    while let Some((best, _)) = left.iter().enumerate().min_by(|a, b| nearer(a.1, b.1)) {
        let (_, next) = left.swap_remove(best);
        order.push(next);
        let expected: Vec<f32> = rows[next]
            .iter()
            .zip(&mean)
            .map(|(value, mean)| mean + (value - mean) * ALIKE)
            .collect();
        left.iter_mut()
            .for_each(|(least, cluster)| *least = least.min(far(rows[*cluster], &expected)));
    }
    let ordered = order.iter().flat_map(|&cluster| rows[cluster].iter().copied()).collect();
    (ordered, order.into_iter().map(|cluster| std::mem::take(&mut members[cluster])).collect())
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
        let members = assign(values, dim, &all, &centroids);
        means(values, dim, &members, &mut centroids);
        let mut clusters = Self { values, dim, centroids, members };
        clusters.drop_empty();
        clusters
    }

    /// Bytes of a vector in some of the clusters, evenly chosen.
    fn bytes(&self, coder: &Coder) -> Result<f64, Error> {
        let looked_at = evenly(self.members.len(), LOOKED_AT.0);
        let sizes: Vec<(f64, usize)> = looked_at
            .into_par_iter()
            .map(|at| Ok((self.bytes_of(at as usize, coder)?, self.members[at as usize].len())))
            .collect::<Result<_, Error>>()?;
        let (bytes, n) = sizes.iter().fold((0.0, 0), |sum, size| (sum.0 + size.0, sum.1 + size.1));
        Ok(bytes / n.max(1) as f64)
    }

    /// Bytes of a cluster as a cell, estimated by some of its vectors.
    fn bytes_of(&self, at: usize, coder: &Coder) -> Result<f64, Error> {
        let members = &self.members[at];
        let some: Vec<&[f32]> = evenly(members.len(), LOOKED_AT.1)
            .into_iter()
            .map(|i| &self.values[members[i as usize] as usize * self.dim..][..self.dim])
            .collect();
        let raw = write_cell(coder, &self.centroids[at * self.dim..][..self.dim], None, &some)?;
        Ok(raw.len() as f64 * members.len() as f64 / some.len().max(1) as f64)
    }

    /// Whether a cluster is more than so many times as large as meant.
    fn is_beyond(
        &self,
        at: usize,
        times: usize,
        meant: Meant,
        coder: &Coder,
    ) -> Result<bool, Error> {
        let most = times * meant.vectors;
        let n = self.members[at].len();
        Ok(n > MOST_TIMES * meant.vectors
            || n > most
                && (meant.bytes == 0.0 || self.bytes_of(at, coder)? > most as f64 * meant.bytes))
    }

    /// Divides every cluster that is more than so many times as large as meant until there is none;
    /// equal vectors are divided by their ids. Says whether vectors that differ were divided,
    /// to which other centroids than theirs may now be nearer.
    fn divide(&mut self, times: usize, meant: Meant, coder: &Coder) -> Result<bool, Error> {
        let (mut at, mut moved) = (0, false);
        while at < self.members.len() {
            if !self.is_beyond(at, times, meant, coder)? {
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

    /// Gives every vector to the centroid that is nearest to it as a cell stores centroids, and
    /// divides what is then more than so many times as large as meant, until both hold: so that
    /// a rebuild, which has only what is stored, arrives at the same clusters.
    fn settle(&mut self, times: usize, meant: Meant, coder: &Coder) -> Result<(), Error> {
        for _ in 0..SETTLING {
            let rows = self.centroids.chunks_exact(self.dim.max(1));
            self.centroids = rows.flat_map(|row| coder.steps().as_stored(row)).collect();
            self.gather();
            if !self.divide(times, meant, coder)? {
                break;
            }
        }
        Ok(())
    }

    /// Gives every vector to the centroid that is nearest to it.
    fn gather(&mut self) {
        let all: Vec<u32> = (0..(self.values.len() / self.dim.max(1)) as u32).collect();
        self.members = assign(self.values, self.dim, &all, &self.centroids);
        self.drop_empty();
    }

    /// Leaves out centroids without vectors.
    fn drop_empty(&mut self) {
        let kept = self.centroids.chunks_exact(self.dim.max(1)).zip(&self.members);
        self.centroids = kept
            .filter(|(_, members)| !members.is_empty())
            .flat_map(|(centroid, _)| centroid.iter().copied())
            .collect();
        self.members.retain(|members| !members.is_empty());
    }

    /// What vectors differ by from their centroids, cluster after cluster.
    fn residuals(&self) -> impl Iterator<Item = Vec<f32>> {
        let row = |vector: u32| &self.values[vector as usize * self.dim..][..self.dim];
        let clusters = self.members.iter().zip(self.centroids.chunks_exact(self.dim.max(1)));
        clusters.flat_map(move |(members, centroid)| {
            members.iter().map(move |&vector| {
                row(vector).iter().zip(centroid).map(|(value, centre)| value - centre).collect()
            })
        })
    }

    /// Two clusters, neither of which is empty; `None` where the vectors are equal.
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

/// At most `most` of `n` numbers, evenly spread.
fn evenly(n: usize, most: usize) -> Vec<u32> {
    let most = most.min(n);
    (0..most).map(|i| (i * n / most.max(1)) as u32).collect()
}

/// The vectors of each centroid: those to which none is nearer, the lower of two that are equally
/// near.
fn assign(values: &[f32], dim: usize, vectors: &[u32], centroids: &[f32]) -> Vec<Vec<u32>> {
    // By |x - c|² = |x|² - 2 x·c + |c|², of which the first is the same for all.
    let halves: Vec<f32> =
        centroids.chunks_exact(dim.max(1)).map(|centroid| dot(centroid, centroid) / 2.0).collect();
    let nearest: Vec<u32> = vectors
        .par_iter()
        .map(|&vector| {
            let row = &values[vector as usize * dim..][..dim];
            let mut best = (f32::NEG_INFINITY, 0);
            for (i, (centroid, half)) in centroids.chunks_exact(dim.max(1)).zip(&halves).enumerate()
            {
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

    fn group(values: &[f32], dim: usize, earlier: Option<&Grouping>) -> Result<Cells, Error> {
        let n = (values.len() / dim) as u32;
        build(values, dim, &places_of(n), earlier, &Deployed::default())
    }

    /// Pages of two sections of one and of two vectors.
    fn places_of(n: u32) -> Vec<VectorPlace> {
        let of = |vector: u32| match (vector / 3, vector % 3) {
            (page, 0) => VectorPlace::new(PageId(page), 0, 0, 1),
            (page, at) => VectorPlace::new(PageId(page), 1, at - 1, 2),
        };
        (0..n).map(of).collect()
    }

    const DIM: usize = 16;

    /// Vectors of length 1 around a few centres.
    fn vectors(n: usize) -> Vec<f32> {
        let mut random = crate::distill::train::SplitMix(3);
        let mut uniform = move || random.below(2001) as f32 / 1000.0 - 1.0;
        let centres: Vec<Vec<f32>> =
            (0..12).map(|_| (0..DIM).map(|_| uniform()).collect()).collect();
        let mut values = Vec::new();
        for i in 0..n {
            let row: Vec<f32> =
                centres[i % 12].iter().map(|centre| centre + 0.3 * uniform()).collect();
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
            .zip(0..)
            .map(|(((entry, stored), cell), number)| {
                assert_eq!(*entry, cell.shard);
                let raw = decode_shard(entry, stored).unwrap();
                let members = centroids.members(number).unwrap();
                CellShard::from_bytes(&raw, centroids.coder(), members, &stats).unwrap()
            })
            .collect();
        (centroids, shards)
    }

    #[test]
    fn every_vector_is_in_one_cell_and_near_what_it_was() {
        for n in [1, 23, 700] {
            let values = vectors(n);
            let (_, shards) = read(&group(&values, DIM, None).unwrap(), n);
            let mut found: Vec<u32> = shards.iter().flat_map(|cell| cell.ids().to_vec()).collect();
            found.sort_unstable();
            assert!(found.into_iter().eq(0..n as u32));
            let rows = |cell: &'_ CellShard| -> Vec<(u32, Vec<i8>, f32)> {
                cell.ids()
                    .iter()
                    .zip(cell.rows())
                    .map(|(&id, (row, scale))| (id, row.to_vec(), scale))
                    .collect()
            };
            for (id, row, scale) in shards.iter().flat_map(rows) {
                let vector = &values[id as usize * DIM..][..DIM];
                let cosine: f32 =
                    row.iter().zip(vector).map(|(&q, v)| f32::from(q) * scale * v).sum();
                assert!(cosine > 0.9, "{cosine}");
            }
            assert!(shards.iter().all(|cell| cell.ids().len() <= 3 * Meant::usual(n).vectors));
        }
    }

    #[test]
    fn cells_of_many_vectors_say_of_which_sections_they_are() {
        let n = MAX_TOLD as usize + 1000;
        let cells = group(&vectors(n), DIM, None).unwrap();
        let stats = Stats {
            n_pages: n as u32 / 3 + 1,
            n_sections: n as u32,
            n_vectors: n as u32,
            ..Stats::default()
        };
        let centroids = Centroids::from_bytes(&cells.centroids, DIM as u32, &stats).unwrap();
        assert!(!centroids.tells());
        let mut found: Vec<VectorPlace> = Vec::new();
        for (number, (entry, stored)) in (0..).zip(&cells.shards) {
            let raw = decode_shard(entry, stored).unwrap();
            let members = centroids.members(number).unwrap();
            let cell = CellShard::from_bytes(&raw, centroids.coder(), members, &stats).unwrap();
            assert!(cell.places().is_sorted());
            found.extend(cell.places());
        }
        found.sort_unstable();
        assert_eq!(found, places_of(n as u32));
    }

    #[test]
    fn equal_vectors_are_divided_too() {
        // They take next to nothing, so that only their number divides them.
        let values = [1.0f32, 0.0, 0.0, 0.0].repeat(20_000);
        let cells = group(&values, 4, None).unwrap();
        assert!(cells.shards.len() > 20_000 / (MOST_TIMES * MOST_MEANT));
        assert!(group(&[0.0; 400], 4, None).is_ok());
        assert!(group(&[], 4, None).unwrap().shards.is_empty());
    }

    #[test]
    fn the_number_of_cores_does_not_show() {
        let values = vectors(900);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| group(&values, DIM, None)).unwrap()
        };
        let (one, three) = (on(1), on(3));
        assert!(one.centroids == three.centroids && one.shards == three.shards);
    }

    /// The grouping as a rebuild reads it.
    fn grouping(cells: &Cells, n: usize) -> Grouping {
        let (centroids, _) = read(cells, n);
        let of = |(entry, stored): &Stored| {
            let raw = decode_shard(entry, stored).unwrap();
            CellShard::centroid(&raw, centroids.coder()).unwrap()
        };
        let all = cells.shards.iter().flat_map(of).collect();
        Grouping { centroids: all, coder: centroids.coder().clone() }
    }

    #[test]
    fn a_rebuild_changes_the_cells_of_what_changed() {
        let values = vectors(2000);
        let first = group(&values, DIM, None).unwrap();
        let again = group(&values, DIM, Some(&grouping(&first, 2000))).unwrap();
        assert!(
            again.centroids == first.centroids && again.shards == first.shards,
            "nothing has changed"
        );
        // Three vectors in the middle move; one comes in before them, which moves the ids behind
        // it.
        let mut edited = values.clone();
        edited[900 * DIM..903 * DIM].copy_from_slice(&values[100 * DIM..103 * DIM]);
        edited.splice(500 * DIM..500 * DIM, values[..DIM].iter().copied());
        let changed = |cells: &Cells| {
            let hashes: Vec<_> = first.shards.iter().map(|(entry, _)| entry.hash).collect();
            cells.shards.iter().filter(|(entry, _)| !hashes.contains(&entry.hash)).count()
        };
        let rebuilt = group(&edited, DIM, Some(&grouping(&first, 2000))).unwrap();
        assert!((1..=7).contains(&changed(&rebuilt)), "{}", changed(&rebuilt));
        let fresh = group(&edited, DIM, None).unwrap();
        assert!(
            2 * changed(&fresh) > fresh.shards.len(),
            "{} of {}",
            changed(&fresh),
            fresh.shards.len()
        );
    }

    #[test]
    fn a_grouping_that_a_site_has_outgrown_is_made_anew() {
        let few = grouping(&group(&vectors(300), DIM, None).unwrap(), 300);
        let values = vectors(4000);
        let fresh = group(&values, DIM, None).unwrap();
        assert!(
            group(&values, DIM, Some(&few)).unwrap().shards == fresh.shards,
            "ten times the size"
        );
        // As many, but elsewhere.
        let far: Vec<f32> = values.iter().map(|value| -value).collect();
        let there = group(&far, DIM, None).unwrap();
        let rebuilt = group(&far, DIM, Some(&grouping(&fresh, 4000))).unwrap();
        assert!(rebuilt.shards == there.shards);
    }

    #[test]
    fn clusters_follow_those_they_are_like_in_whatever_order_they_come() {
        let centroids: Vec<f32> = vectors(60);
        let members: Vec<Vec<u32>> = (0..60).map(|i| vec![i]).collect();
        let (ordered, of) = likest_first(centroids.clone(), members.clone(), DIM);
        for (row, of) in ordered.chunks(DIM).zip(&of) {
            assert_eq!(row, &centroids[of[0] as usize * DIM..][..DIM]);
        }
        // They were made around twelve centres in turn.
        let apart = of.windows(2).filter(|pair| pair[0][0] % 12 != pair[1][0] % 12).count();
        assert!(apart < 30, "{apart}");
        let turned: Vec<f32> = centroids.chunks(DIM).rev().flatten().copied().collect();
        let (again, _) = likest_first(turned, members, DIM);
        assert_eq!(again, ordered);
    }

    #[test]
    fn vectors_of_a_cell_are_alike() {
        let values = vectors(700);
        let (_, shards) = read(&group(&values, DIM, None).unwrap(), 700);
        // Vectors were made around twelve centres in turn: a cell should know few of them.
        let mixed = shards
            .iter()
            .filter(|cell| cell.ids().iter().any(|id| id % 12 != cell.ids()[0] % 12))
            .count();
        assert!(mixed * 5 < shards.len(), "{mixed} of {}", shards.len());
    }
}

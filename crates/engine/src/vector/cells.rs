//! The dense leg of a streamed bundle: cells around centroids instead of all vectors.
//!
//! The query is compared with the cells of the best sections by words, if the bundle lists these
//! cells, and with the cells whose centroids are nearest to it, within a budget of bytes
//! ([`Probe`]). Centroids do not know the filter. So if too few of the fetched vectors pass it,
//! more cells follow, within a second, larger budget. The compared cells depend only on the
//! request, not on what earlier searches fetched.

use findling_bundle::{CellShard, Centroids, SectionId, ShardId, Structure, order};

use super::exact::Hit;
use super::{Method, Neighbours, QuantisedQuery};
use crate::bitset::Bitset;
use crate::index::Index;

/// Loss of cosine that halves the odds of a centroid's vectors: the odds that a vector is among the
/// nearest (docs/design/choosing-cells.md).
const HALVES: f32 = 0.02;
/// Smallest share of all vectors' odds at which a vector is worth fetching, if the search also uses
/// words.
const MIN_SHARE: f32 = 0.0003;

/// The cells that a query reads.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    /// All cells: first the cells of the best sections by words, then the others, nearest first.
    order: Vec<u32>,
    n: usize,
    bytes: u64,
    /// The shards with the vectors of the best sections by words, if the bundle has such shards.
    pub sections: Vec<ShardId>,
}

impl Probe {
    /// Returns the cells to fetch, at most `budget` stored bytes in all, and at least one cell. The
    /// cells of `vectors` come first, in their order, up to half of the budget, if the bundle lists
    /// the cells of vectors. The nearest cells follow: with `near_alone` only cells in which a
    /// vector has a share of at least [`MIN_SHARE`].
    pub fn new(
        centroids: &Centroids,
        query: &QuantisedQuery,
        vectors: impl Iterator<Item = u32>,
        budget: u64,
        near_alone: bool,
    ) -> Self {
        let mut hits: Vec<Hit> = (0..)
            .zip(centroids.directions())
            .map(|(id, (row, scale))| Hit { score: query.similarity(row, scale), id })
            .collect();
        order::sort_by(&mut hits, |a, b| a > b);
        let mut order: Vec<u32> = Vec::with_capacity(hits.len());
        let mut bytes = 0;
        for cell in vectors.map_while(|vector| centroids.cell_of(vector)) {
            if order.contains(&cell) {
                continue;
            }
            bytes += stored_len(centroids, cell);
            if bytes > budget / 2 {
                break;
            }
            order.push(cell);
        }
        let best = hits.first().map_or(0.0, |hit| hit.score);
        let odds = |hit: &Hit| power_of_two((hit.score - best) / HALVES);
        let n_vectors =
            |hit: &Hit| centroids.cells().get(hit.id as usize).map_or(0, |cell| cell.n_vectors);
        let all: f32 = hits.iter().map(|hit| n_vectors(hit) as f32 * odds(hit)).sum();
        hits.retain(|hit| !order.contains(&hit.id));
        let pays = |hit: &&Hit| !near_alone || odds(hit) >= MIN_SHARE * all;
        let most = order.len() + hits.iter().take_while(pays).count().max(1);
        order.extend(hits.iter().map(|hit| hit.id));
        let mut probe = Self { order, n: 0, bytes: 0, sections: Vec::new() };
        probe.take(centroids, budget, most);
        probe
    }

    /// Takes at least one further cell, up to `budget` bytes in all.
    pub fn widen(&mut self, centroids: &Centroids, budget: u64) {
        self.take(centroids, budget, self.order.len());
    }

    fn take(&mut self, centroids: &Centroids, budget: u64, most: usize) {
        let from = self.n;
        for &cell in &self.order[from..most.min(self.order.len())] {
            let bytes = stored_len(centroids, cell);
            if self.n > from && self.bytes + bytes > budget {
                break;
            }
            self.bytes += bytes;
            self.n += 1;
        }
    }

    /// Returns the cells to read.
    fn cells(&self) -> &[u32] {
        &self.order[..self.n]
    }

    /// Returns the shards of all vectors to compare.
    pub fn shards(&self, index: &Index) -> Vec<ShardId> {
        let cells = self.cells().iter().map(|&cell| index.cell_shard(cell));
        cells.chain(self.sections.iter().copied()).collect()
    }

    /// Returns the number of vectors in them.
    pub fn n_vectors(&self, centroids: &Centroids) -> usize {
        let cells = self.cells().iter().filter_map(|&cell| centroids.cells().get(cell as usize));
        cells.map(|cell| cell.n_vectors as usize).sum()
    }

    /// Returns the stored bytes of their shards.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns whether these are all cells.
    pub fn is_all(&self) -> bool {
        self.n == self.order.len()
    }
}

/// Computes 2 to the power of `x`, which is at most 0. Interpolates linearly between whole powers,
/// with only sums and products, so that hosts agree to the bit.
fn power_of_two(x: f32) -> f32 {
    let x = x.clamp(-60.0, 0.0);
    let whole = x.floor();
    (1.0 + (x - whole)) * f32::from_bits(((whole + 127.0) as u32) << 23)
}

fn stored_len(centroids: &Centroids, cell: u32) -> u64 {
    centroids.cells().get(cell as usize).map_or(0, |cell| cell.shard.stored_len.into())
}

/// The sections that were compared with a query.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// Sections, each with the cosine of its best vector, ascending by section.
    sections: Vec<(SectionId, f32)>,
    /// Vectors compared.
    compared: u32,
}

impl Seen {
    /// Compares every vector of some cells.
    pub fn new<'a>(
        query: &QuantisedQuery,
        structure: &Structure,
        cells: impl Iterator<Item = &'a CellShard>,
    ) -> Self {
        let mut hits: Vec<Hit> = Vec::new();
        for vector in cells.flat_map(|cell| cell.vectors(structure)) {
            hits.push(Hit {
                score: query.similarity(vector.row, vector.scale),
                id: vector.section.0,
            });
        }
        let compared = hits.len() as u32;
        // The best of a section's vectors comes first.
        order::sort_by(&mut hits, |a, b| a.id < b.id || a.id == b.id && a.score > b.score);
        hits.dedup_by_key(|hit| hit.id);
        Self {
            sections: hits.into_iter().map(|hit| (SectionId(hit.id), hit.score)).collect(),
            compared,
        }
    }

    /// Returns the cosine of a section; `None` if none of its vectors was in the cells.
    pub fn similarity(&self, section: SectionId) -> Option<f32> {
        let at = self.sections.binary_search_by_key(&section, |(section, _)| *section).ok()?;
        self.sections.get(at).map(|(_, score)| *score)
    }

    /// Returns the `k` nearest sections that pass the filter.
    pub fn nearest(&self, filter: Option<&Bitset>, k: u32) -> Neighbours {
        let passes = |section: u32| filter.is_none_or(|filter| filter.contains(section));
        let mut hits: Vec<Hit> = self
            .sections
            .iter()
            .filter(|(section, _)| passes(section.0))
            .map(|&(section, score)| Hit { score, id: section.0 })
            .collect();
        order::sort_first(&mut hits, k as usize, |a, b| a > b);
        hits.truncate(k as usize);
        let method = if self.compared == 0 { Method::None } else { Method::Cells };
        let sections = hits.into_iter().map(|hit| (SectionId(hit.id), hit.score)).collect();
        Neighbours { sections, compared: self.compared, method }
    }
}

#[cfg(test)]
mod tests {
    use findling_bundle::cells::{Cell, Coder, Steps, write_centroids};
    use findling_bundle::{ShardEntry, ShardKind, Stats};

    use super::*;

    /// Returns cells of 10 vectors and 1,000 bytes around these vectors.
    fn centroids(around: &[[f32; 4]]) -> Centroids {
        let coder = Coder::of(around.iter(), Steps::even(0.01, 4).unwrap()).unwrap();
        let shard = ShardEntry { kind: ShardKind::Cell, hash: [7, 7, 112, 0], stored_len: 1000 };
        let cells = vec![Cell { shard, n_vectors: 10 }; around.len()];
        let raw = write_centroids(&coder, &cells, around.as_flattened(), 0.01, &[]).unwrap();
        let stats = Stats { n_vectors: 10 * around.len() as u32, ..Stats::default() };
        Centroids::from_bytes(&raw, 4, &stats).unwrap()
    }

    fn probe(around: &[[f32; 4]], budget: u64, near_alone: bool) -> Vec<u32> {
        let query = QuantisedQuery::new(&[1.0, 0.0, 0.0, 0.0], 4).unwrap();
        Probe::new(&centroids(around), &query, std::iter::empty(), budget, near_alone)
            .cells()
            .to_vec()
    }

    #[test]
    fn cells_come_by_direction_however_long_their_centroids_are() {
        let around = [[0.6, 0.6, 0.0, 0.0], [0.3, 0.1, 0.0, 0.0], [0.4, 0.0, 0.0, 0.05]];
        assert_eq!(probe(&around, 9000, false), [2, 1, 0]);
        assert_eq!(probe(&around, 2500, false), [2, 1], "as many as the budget pays for");
        assert_eq!(probe(&around, 10, false), [2], "one at least");
    }

    #[test]
    fn cells_in_which_nothing_can_be_expected_stay_where_they_are() {
        // Centroids with cosines of about 1, .98 and .5.
        let around = [[0.5, 0.0, 0.0, 0.0], [0.5, 0.1, 0.0, 0.0], [0.3, 0.5, 0.1, 0.0]];
        assert_eq!(probe(&around, 9000, true), [0, 1]);
        assert_eq!(probe(&around, 9000, false), [0, 1, 2]);
        // If no centroid is near, all cells are equally likely.
        let far = [[0.01, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.0], [0.0, 0.0, 0.0, 0.5]];
        assert_eq!(probe(&far, 9000, true).len(), 3);
    }

    #[test]
    fn powers_of_two_are_exact_where_they_are_whole_and_grow_between() {
        for whole in 0..=60u8 {
            assert_eq!(power_of_two(-f32::from(whole)), 0.5f32.powi(whole.into()));
        }
        let powers: Vec<f32> = (-6400..=0).map(|i| power_of_two(i as f32 / 100.0)).collect();
        assert!(powers.is_sorted());
        assert!(
            powers
                .iter()
                .zip(-6400..)
                .all(|(power, i)| i < -6000 || power / (i as f32 / 100.0).exp2() < 1.07)
        );
        assert_eq!((power_of_two(3.0), power_of_two(f32::NEG_INFINITY)), (1.0, 0.5f32.powi(60)));
    }
}

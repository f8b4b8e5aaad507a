//! The HNSW graph, built by instant-distance from the f32 embeddings.
//!
//! instant-distance inserts in parallel, and the order of its threads changes the graph. Here it
//! runs in a pool of one thread with a fixed seed, so that the same vectors give the same graph. It
//! takes about 1.9 ms of one core for a vector (6,000 vectors, 256 dimensions); other cores cannot
//! help. `examples/graph_cost.rs` measures it.

use std::sync::atomic::{AtomicBool, Ordering};

use findling_bundle::{Error, Graph, VectorId};
use findling_encoder::dot;
use indicatif::ProgressBar;
use instant_distance::{Builder, Heuristic, Point};
use serde::{Deserialize, Serialize, Serializer};

/// A fixed seed, so that the same vectors give the same graph.
const SEED: u64 = 0x000f_19d1_1463;

/// Candidates kept while inserting. More candidates make a better graph and take proportionally
/// longer.
pub const EF_CONSTRUCTION: usize = 100;

/// A row of the embeddings. It serialises to nothing, because only the edges of instant-distance's
/// structure are needed.
#[derive(Clone, Copy)]
struct Row<'a>(&'a [f32], &'a Progress<'a>);

/// Whether a row is in the graph. It is compared with others once it is being inserted, and not
/// before.
struct Progress<'a> {
    is_inserted: AtomicBool,
    bar: &'a ProgressBar,
}

impl Progress<'_> {
    #[inline]
    fn tell(&self) {
        if !self.is_inserted.load(Ordering::Relaxed)
            && !self.is_inserted.swap(true, Ordering::Relaxed)
        {
            self.bar.inc(1);
        }
    }
}

impl Point for Row<'_> {
    /// One less the cosine, for vectors of length 1.
    fn distance(&self, other: &Self) -> f32 {
        self.1.tell();
        other.1.tell();
        1.0 - dot(self.0, other.0)
    }
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

/// The serialised form of instant-distance's `Hnsw` (0.6). Points have its own numbering; point 0
/// is the entry. Each point has up to 64 neighbours on the base layer and up to 32 on each layer
/// above; an upper layer contains the first points only. Unused places are `u32::MAX`.
#[derive(Deserialize)]
struct Hnsw {
    zero: Vec<Vec<u32>>,
    layers: Vec<Vec<Vec<u32>>>,
}

/// Builds the graph of vectors of length 1, `dim` numbers each, one after the other; `None` if
/// there are none. `bar` is over the vectors.
///
/// # Errors
/// If instant-distance returns an inconsistent structure, which would be a bug.
pub fn build(values: &[f32], dim: usize, bar: &ProgressBar) -> Result<Option<Graph>, Error> {
    build_with_threads(values, dim, 1, bar)
}

/// [`build`] with several threads, for measurements: the graph differs from run to run. 0 uses all
/// cores.
///
/// # Errors
/// As [`build`].
pub fn build_with_threads(
    values: &[f32],
    dim: usize,
    n_threads: usize,
    bar: &ProgressBar,
) -> Result<Option<Graph>, Error> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .thread_name(|_| "graph".to_owned())
        .build()
        .map_err(|_| Error::Malformed {
            what: "graph",
            why: "no thread could be started to build the graph",
        })?;
    pool.install(|| insert_all(values, dim, bar))
}

fn insert_all(values: &[f32], dim: usize, bar: &ProgressBar) -> Result<Option<Graph>, Error> {
    let rows = values.chunks_exact(dim.max(1));
    let progress: Vec<Progress<'_>> =
        rows.clone().map(|_| Progress { is_inserted: AtomicBool::new(false), bar }).collect();
    let points: Vec<Row<'_>> =
        rows.zip(&progress).map(|(row, progress)| Row(row, progress)).collect();
    if points.is_empty() {
        return Ok(None);
    }
    let (hnsw, ids) = Builder::default()
        .seed(SEED)
        .ef_construction(EF_CONSTRUCTION)
        .select_heuristic(Some(Heuristic { extend_candidates: false, keep_pruned: true }))
        .build_hnsw(points);
    // The vector of each of its points.
    let mut vector_of = vec![VectorId(0); ids.len()];
    for (vector, id) in ids.iter().enumerate() {
        vector_of[id.into_inner() as usize] = VectorId(vector as u32);
    }
    let unreadable = |_| Error::Malformed {
        what: "graph",
        why: "instant-distance returned an unknown structure",
    };
    let structure: Hnsw = {
        let json = serde_json::to_vec(&hnsw).map_err(unreadable)?;
        drop(hnsw);
        serde_json::from_slice(&json).map_err(unreadable)?
    };
    let mut layers = Vec::with_capacity(1 + structure.layers.len());
    for nodes in std::iter::once(&structure.zero).chain(&structure.layers) {
        let mut layer: Vec<(VectorId, Vec<VectorId>)> = nodes
            .iter()
            .enumerate()
            .map(|(node, neighbours)| {
                let neighbours = neighbours
                    .iter()
                    .filter_map(|&id| vector_of.get(id as usize).copied())
                    .collect();
                (vector_of[node], neighbours)
            })
            .collect();
        layer.sort_unstable_by_key(|(node, _)| *node);
        layers.push(layer);
    }
    Graph::new(vector_of[0], layers).map(Some)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, BinaryHeap};

    use super::*;

    fn built(values: &[f32], dim: usize) -> Result<Option<Graph>, Error> {
        build(values, dim, &ProgressBar::hidden())
    }

    const DIM: usize = 24;

    /// Vectors of length 1 around a few centres.
    fn vectors(n: usize) -> Vec<f32> {
        let mut state = 7u64;
        let mut random = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 40) as f32 / (1u64 << 24) as f32) - 0.5
        };
        let centres: Vec<Vec<f32>> =
            (0..20).map(|_| (0..DIM).map(|_| random()).collect()).collect();
        let mut values = Vec::with_capacity(n * DIM);
        for i in 0..n {
            let row: Vec<f32> = centres[i % 20].iter().map(|c| c + 0.6 * random()).collect();
            let norm = row.iter().map(|v| v * v).sum::<f32>().sqrt();
            values.extend(row.iter().map(|v| v / norm));
        }
        values
    }

    /// A plain best-first search over the graph's base layer from its entry, descending greedily
    /// above.
    fn search(graph: &Graph, values: &[f32], query: &[f32], ef: usize) -> Vec<u32> {
        let distance = |id: u32| {
            let row = &values[id as usize * DIM..][..DIM];
            // Positive floats order like their bits.
            ((1.0 - dot(row, query)).max(0.0)).to_bits()
        };
        let mut at = graph.entry().0;
        for layer in (1..graph.n_layers()).rev() {
            while let Some(&next) = graph
                .neighbours(layer, VectorId(at))
                .iter()
                .min_by_key(|&&id| distance(id))
                .filter(|&&id| distance(id) < distance(at))
            {
                at = next;
            }
        }
        let mut seen = BTreeSet::from([at]);
        let mut open = BinaryHeap::from([std::cmp::Reverse((distance(at), at))]);
        let mut best = BinaryHeap::from([(distance(at), at)]);
        while let Some(std::cmp::Reverse((d, node))) = open.pop() {
            if best.len() >= ef && d > best.peek().unwrap().0 {
                break;
            }
            for &next in graph.base_neighbours(VectorId(node)) {
                if seen.insert(next) {
                    let d = distance(next);
                    open.push(std::cmp::Reverse((d, next)));
                    best.push((d, next));
                    if best.len() > ef {
                        best.pop();
                    }
                }
            }
        }
        let mut found = best.into_sorted_vec();
        found.truncate(10);
        found.into_iter().map(|(_, id)| id).collect()
    }

    #[test]
    fn the_same_vectors_give_the_same_graph_and_it_finds_neighbours() {
        let values = vectors(500);
        let graph = built(&values, DIM).unwrap().unwrap();
        assert_eq!(graph.to_bytes(), built(&values, DIM).unwrap().unwrap().to_bytes());
        assert_eq!(graph.n_vectors(), 500);
        let bar = ProgressBar::hidden();
        build(&values, DIM, &bar).unwrap();
        assert_eq!(bar.position(), 500, "the bar counts each vector once");
        assert!(graph.n_layers() >= 2, "{}", graph.n_layers());
        let mut hits = 0;
        for query in values.chunks_exact(DIM).step_by(25) {
            let mut exact: Vec<(u32, u32)> = values
                .chunks_exact(DIM)
                .enumerate()
                .map(|(id, row)| ((1.0 - dot(row, query)).max(0.0).to_bits(), id as u32))
                .collect();
            exact.sort_unstable();
            let found = search(&graph, &values, query, 60);
            hits += exact[..10].iter().filter(|(_, id)| found.contains(id)).count();
        }
        assert!(hits >= 196, "{hits} of 200 true neighbours found");
    }

    #[test]
    fn few_vectors_or_equal_ones_are_no_trouble() {
        assert_eq!(built(&[], 3).unwrap(), None);
        for n in [1, 2, 40] {
            let graph = built(&[1.0, 0.0, 0.0].repeat(n), 3).unwrap().unwrap();
            assert_eq!(graph.n_vectors() as usize, n);
        }
        assert_eq!(built(&[0.0; 12], 3).unwrap().unwrap().n_vectors(), 4);
    }
}

//! The HNSW graph (Malkov and Yashunin, 2018, arXiv:1603.09320), built from the f32 embeddings.
//!
//! Vectors are inserted in batches that grow with the graph. Each vector of a batch is searched in
//! the graph as it was before the batch, on all cores; then the edges are added, for each vector
//! separately. So the same vectors give the same graph on any number of cores (prefix doubling;
//! Manohar and others, 2024, "ParlayANN", arXiv:2305.04359). A batch is a small share of the graph,
//! because its vectors do not see each other while they are searched.
//!
//! [The graph](../../../docs/design/graph.md) compares it with `instant-distance` and `hnsw_rs`.

mod layer;
mod points;

use std::sync::{Mutex, PoisonError};

use findling_bundle::{Error, Graph, VectorId};
use rayon::prelude::*;

use findling_base::progress::Counter;
use layer::{Layer, Seen, select};
use points::{Place, Points};

/// Maximum number of neighbours of a vector on an upper layer; the base layer has twice as many.
/// Each layer has about one in `MAX_NEIGHBOURS` of the vectors of the layer below it.
const MAX_NEIGHBOURS: usize = 32;
/// Candidates kept while inserting. More candidates make a better graph and take proportionally
/// longer.
pub const EF_CONSTRUCTION: usize = 100;
/// Largest batch, as a share of all vectors.
const MAX_BATCH: f32 = 0.02;

/// Builds the graph of vectors of length 1, `dim` numbers each, one after the other; `None` if
/// there are none. `bar` counts the vectors.
///
/// # Errors
/// If the graph breaks a rule of its format, which would be a bug.
pub fn build(values: &[f32], dim: usize, bar: &Counter) -> Result<Option<Graph>, Error> {
    let points = Points::new(values, dim, MAX_NEIGHBOURS);
    if points.len() == 0 {
        return Ok(None);
    }
    let most = |layer: usize| if layer == 0 { 2 * MAX_NEIGHBOURS } else { MAX_NEIGHBOURS };
    let mut layers: Vec<Layer> = (0..points.n_layers())
        .map(|layer| Layer::new(points.n_of_layer(layer), most(layer)))
        .collect();
    let largest = ((points.len() as f32 * MAX_BATCH) as usize).max(1);
    // The first vector has no other to be connected with.
    let mut inserted = 1;
    bar.add(1);
    let seen = Mutex::default();
    while inserted < points.len() {
        let end = points.len().min(inserted + inserted.min(largest));
        insert(&points, &mut layers, inserted as Place..end as Place, &seen, bar);
        inserted = end;
    }
    let lists = layers.iter().enumerate().map(|(height, layer)| {
        let places = 0..points.n_of_layer(height) as Place;
        let mut lists: Vec<(VectorId, Vec<VectorId>)> = places
            .map(|place| {
                let neighbours = layer.neighbours(place).iter();
                (points.vector(place), neighbours.map(|&other| points.vector(other)).collect())
            })
            .collect();
        lists.sort_unstable_by_key(|(vector, _)| *vector);
        lists
    });
    Graph::new(points.vector(0), lists.collect()).map(Some)
}

/// Inserts the vectors at these places. `seen` holds reusable marks for searches, at most one for
/// each thread.
fn insert(
    points: &Points<'_>,
    layers: &mut [Layer],
    batch: std::ops::Range<Place>,
    seen: &Mutex<Vec<Seen>>,
    bar: &Counter,
) {
    let unused = || seen.lock().unwrap_or_else(PoisonError::into_inner);
    // The neighbours of each vector, base layer first.
    let chosen: Vec<(Place, Vec<Vec<Place>>)> = batch
        .into_par_iter()
        .map(|place| {
            let kept = unused().pop();
            let mut seen = kept.unwrap_or_else(|| Seen::new(points.len()));
            let chosen = neighbours(points, layers, place, &mut seen);
            unused().push(seen);
            bar.add(1);
            (place, chosen)
        })
        .collect();
    for (height, layer) in layers.iter_mut().enumerate() {
        let of_layer: Vec<(Place, Vec<Place>)> = chosen
            .iter()
            .filter_map(|(place, chosen)| Some((*place, chosen.get(height)?.clone())))
            .collect();
        layer.connect(points, &of_layer);
    }
}

/// Returns the neighbours of a vector on each of its layers, base layer first, by a search from the
/// topmost layer down (algorithm 1 of the paper).
fn neighbours(
    points: &Points<'_>,
    layers: &[Layer],
    place: Place,
    seen: &mut Seen,
) -> Vec<Vec<Place>> {
    let row = points.row(place);
    let mut entries = vec![points.near(0, row)];
    let mut chosen = Vec::new();
    for (height, layer) in layers.iter().enumerate().rev() {
        if place as usize >= points.n_of_layer(height) {
            entries = layer.search(points, row, &entries, 1, seen);
            continue;
        }
        entries = layer.search(points, row, &entries, EF_CONSTRUCTION, seen);
        chosen.push(select(points, &entries, layer.at_first()));
    }
    chosen.reverse();
    chosen
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, BinaryHeap};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use findling_encoder::dot;

    use super::*;
    use findling_base::progress::Count;

    fn built(values: &[f32], dim: usize) -> Result<Option<Graph>, Error> {
        build(values, dim, &Counter::default())
    }

    /// The sum of the reported counts.
    #[derive(Default)]
    struct Sum(Arc<AtomicU64>);

    impl Count for Sum {
        fn add(&self, n: u64) {
            self.0.fetch_add(n, Ordering::Relaxed);
        }

        fn set_done(&self, _: u64) {}

        fn set_total(&self, _: u64) {}

        fn restart(&self) {}

        fn finish(&self) {}
    }

    const DIM: usize = 24;

    /// Returns vectors of length 1 around a few centres.
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

    /// Returns a plain best-first search over the graph's base layer from its entry, descending
    /// greedily above.
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
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let again = pool.install(|| built(&values, DIM)).unwrap().unwrap();
            assert_eq!(graph.to_bytes(), again.to_bytes(), "{threads} threads");
        }
        assert_eq!(graph.n_vectors(), 500);
        let sum = Sum::default();
        build(&values, DIM, &Counter::new(Sum(sum.0.clone()))).unwrap();
        assert_eq!(sum.0.load(Ordering::Relaxed), 500, "the bar counts each vector once");
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

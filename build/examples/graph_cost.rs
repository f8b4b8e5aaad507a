//! Benchmark of the graph of neighbours: the cost compared with instant-distance, and the best way
//! to store it.
//!
//! Question: time, edges and recall@10 of the HNSW graph that `findling build` makes, on one core
//! and on all, and of instant-distance's with the same numbers of neighbours and candidates, on one
//! core; the bytes of the graph's two possible encodings, ascending distances as varints against
//! plain u32 offsets and neighbours, each deflated.
//!
//! Corpus: the vectors of any bundle. One vector in a hundred is left out and used as a query.
//!
//! ```sh
//! cargo run --release -p findling --no-default-features --example graph_cost -- \
//!     BUNDLE [MAX_VECTORS]
//! ```

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use findling_base::progress::Counter;
use findling_build::bundle_files::BundleFiles;
use findling_build::index::graph::{self, EF_CONSTRUCTION};
use findling_bundle::{Graph, ShardKind, VectorId, VectorsShard, decode_shard, encode_shard};
use findling_encoder::dot;
use instant_distance::{Builder, Heuristic, Point, Search};

/// Candidates that a search keeps.
const EF: usize = 160;
const K: usize = 10;

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let path = args.next().context("usage: graph_cost BUNDLE [MAX_VECTORS]")?;
    let most: usize = args.next().map_or(Ok(usize::MAX), |n| n.parse())?;
    let (all, dim) = vectors(&BundleFiles::open(Path::new(&path))?, most)?;
    let (mut values, mut queries) = (Vec::new(), Vec::new());
    for (at, row) in all.chunks_exact(dim).enumerate() {
        if at % 100 == 50 { &mut queries } else { &mut values }.extend_from_slice(row);
    }
    let corpus = Corpus { exact: exact(&values, &queries, dim), values, queries, dim };
    let n = corpus.values.len() / dim;

    let mut built = None;
    println!("{n} vectors of {dim} dimensions");
    for threads in [1, std::thread::available_parallelism()?.get()] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let started = Instant::now();
        let graph = pool
            .install(|| graph::build(&corpus.values, dim, &Counter::default()))?
            .context("the bundle has no vectors")?;
        let seconds = started.elapsed().as_secs_f64();
        let recall = corpus.recall(|query| corpus.search(&graph, query));
        println!(
            "ours, {threads} threads    {seconds:8.1} s   {} edges   recall {recall:.4}",
            graph.n_edges()
        );
        built = Some(graph);
    }
    println!("instant-distance  {}", corpus.of_instant_distance()?);
    let graph = built.context("no graph was built")?;

    let plain = plain(&graph);
    let raw = graph.to_bytes();
    for (name, raw) in [("varint distances", &raw), ("u32 neighbours", &plain)] {
        let stored = encode_shard(ShardKind::Graph, raw)?.1.len();
        println!(
            "{name:<18}{:>10} bytes, deflated {stored:>10}, {:.1} a vector",
            raw.len(),
            stored as f64 / n as f64
        );
    }
    let started = Instant::now();
    let stats = findling_bundle::Stats { n_vectors: n as u32, ..Default::default() };
    Graph::from_bytes(&raw, &stats)?;
    println!("read in {:.1} ms", started.elapsed().as_secs_f64() * 1e3);
    Ok(())
}

struct Corpus {
    values: Vec<f32>,
    queries: Vec<f32>,
    dim: usize,
    /// The nearest vectors of each query.
    exact: Vec<Vec<u32>>,
}

/// Returns a distance that orders as its bits do.
fn distance(a: &[f32], b: &[f32]) -> u32 {
    (1.0 - dot(a, b)).max(0.0).to_bits()
}

fn exact(values: &[f32], queries: &[f32], dim: usize) -> Vec<Vec<u32>> {
    let nearest = |query: &[f32]| {
        let rows = (0..).zip(values.chunks_exact(dim));
        let mut all: Vec<(u32, u32)> = rows.map(|(id, row)| (distance(row, query), id)).collect();
        all.sort_unstable();
        all.into_iter().take(K).map(|(_, id)| id).collect()
    };
    queries.chunks_exact(dim).map(nearest).collect()
}

/// A row, for instant-distance.
#[derive(Clone, Copy)]
struct Row<'a>(&'a [f32]);

impl Point for Row<'_> {
    fn distance(&self, other: &Self) -> f32 {
        1.0 - dot(self.0, other.0)
    }
}

impl Corpus {
    /// Returns the share of the nearest vectors that a search finds.
    fn recall(&self, mut search: impl FnMut(&[f32]) -> Vec<u32>) -> f64 {
        let queries = self.queries.chunks_exact(self.dim).zip(&self.exact);
        let hits: usize = queries
            .map(|(query, exact)| {
                let found = search(query);
                exact.iter().filter(|&id| found.contains(id)).count()
            })
            .sum();
        hits as f64 / (K * self.exact.len()) as f64
    }

    fn row(&self, id: u32) -> &[f32] {
        &self.values[id as usize * self.dim..][..self.dim]
    }

    /// Searches the base layer, best first, from the end of a greedy descent.
    fn search(&self, graph: &Graph, query: &[f32]) -> Vec<u32> {
        let near = |id: u32| (distance(self.row(id), query), id);
        let mut at = near(graph.entry().0);
        for layer in (1..graph.n_layers()).rev() {
            loop {
                let neighbours = graph.neighbours(layer, VectorId(at.1)).iter();
                match neighbours.map(|&id| near(id)).min().filter(|next| *next < at) {
                    Some(next) => at = next,
                    None => break,
                }
            }
        }
        let mut seen = BTreeSet::from([at.1]);
        let mut open = BinaryHeap::from([Reverse(at)]);
        let mut best = BinaryHeap::from([at]);
        while let Some(Reverse(next)) = open.pop() {
            if best.len() >= EF && best.peek().is_some_and(|worst| next > *worst) {
                break;
            }
            for &id in graph.base_neighbours(VectorId(next.1)) {
                if seen.insert(id) {
                    let near = near(id);
                    open.push(Reverse(near));
                    best.push(near);
                    if best.len() > EF {
                        best.pop();
                    }
                }
            }
        }
        best.into_sorted_vec().into_iter().take(K).map(|(_, id)| id).collect()
    }

    fn of_instant_distance(&self) -> Result<String> {
        let points: Vec<Row<'_>> = self.values.chunks_exact(self.dim).map(Row).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        let started = Instant::now();
        let (hnsw, ids) = pool.install(|| {
            Builder::default()
                .ef_construction(EF_CONSTRUCTION)
                .ef_search(EF)
                .select_heuristic(Some(Heuristic { extend_candidates: false, keep_pruned: true }))
                .build_hnsw(points)
        });
        let seconds = started.elapsed().as_secs_f64();
        let mut vector_of = vec![0; ids.len()];
        for (vector, id) in (0..).zip(&ids) {
            vector_of[id.into_inner() as usize] = vector;
        }
        let mut search = Search::default();
        let recall = self.recall(|query| {
            let found = hnsw.search(&Row(query), &mut search).take(K);
            found.map(|item| vector_of[item.pid.into_inner() as usize]).collect()
        });
        Ok(format!("{seconds:8.1} s   recall {recall:.4}"))
    }
}
/// Returns all vectors, about as they were before they were quantised.
fn vectors(bundle: &BundleFiles, most: usize) -> Result<(Vec<f32>, usize)> {
    let manifest = bundle.manifest();
    let dense = manifest.dense.as_ref().context("the bundle has no vectors")?;
    let dim = dense.encoder.dim as usize;
    let mut values = Vec::new();
    for range in &dense.vectors {
        let entry = manifest.shard(range.shard).context("a shard is missing")?;
        let shard = VectorsShard::from_bytes(
            decode_shard(entry, &bundle.shard(range.shard)?)?,
            dense.encoder.dim,
        )?;
        for i in 0..shard.len() {
            let row: Vec<f32> = shard.row(i).iter().map(|&q| f32::from(q)).collect();
            let norm = row.iter().map(|v| v * v).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
            values.extend(row.iter().map(|v| v / norm));
        }
    }
    values.truncate(most.saturating_mul(dim));
    Ok((values, dim))
}

/// Writes the graph's layers as u32: offsets, then neighbours.
fn plain(graph: &Graph) -> Vec<u8> {
    let mut out = Vec::new();
    for layer in 0..graph.n_layers() {
        let mut at = 0u32;
        let lists: Vec<&[u32]> =
            (0..graph.n_vectors()).map(|v| graph.neighbours(layer, VectorId(v))).collect();
        for list in &lists {
            at += list.len() as u32;
            out.extend_from_slice(&at.to_le_bytes());
        }
        for id in lists.concat() {
            out.extend_from_slice(&id.to_le_bytes());
        }
    }
    out
}

//! Filtered nearest neighbours: is the planner's choice right, and does the graph find what the
//! exact scan finds?
//!
//! Question: recall@k against the exact scan, and the time of scan, graph and planner, at
//! selectivities 1, 0.5, 0.1, 0.01 and 0.001, for filters that pick pages at random and for filters
//! that pick whole stretches of pages, as a directory or a book does.
//!
//! Corpus: the vectors of a file (little-endian f32, 384 to a vector, of length 1, neighbours in
//! the file being neighbours in the site), or 50,000 synthetic ones: clusters on a subspace of
//! about 24 dimensions with a little noise in all, which is near to what sentence embeddings of a
//! site look like, but is not one. Queries likewise; without a file of them, one vector in a
//! hundred is left out of the corpus and used as a query.
//!
//! ```sh
//! FINDLING_BENCH_VECTORS=vectors.f32 FINDLING_BENCH_QUERIES=queries.f32 \
//!     FINDLING_BENCH_GRAPH=graph.bin cargo bench -p findling-engine --bench ann
//! ```
//!
//! FINDLING_BENCH_GRAPH keeps the graph from one run to the next: building it takes minutes.

use std::sync::OnceLock;
use std::time::Instant;

use findling_bundle::structure::StructureBuilder;
use findling_bundle::vectors::{VectorsBuilder, quantise};
use findling_bundle::{Graph, Stats, Structure, VectorId, VectorsShard};
use findling_engine::Bitset;
use findling_engine::vector::{
    Method, QuantisedQuery, VectorView, default_ef, follow, nearest, scan,
};
use instant_distance::{Builder, Point};

const DIM: usize = 384;
/// Sections of a page.
const SECTIONS: u32 = 8;
/// Vectors of a shard.
const SHARD: usize = 1024;

fn main() {
    let (corpus, queries) = corpus();
    let structure = structure(corpus.len() as u32);
    let shards: Vec<VectorsShard> = corpus.chunks(SHARD).map(shard).collect();
    let graph = graph(&corpus);
    let firsts = (0..).step_by(SHARD).map(VectorId);
    let view = VectorView::new(&structure, firsts.zip(&shards)).expect("a view");
    let queries: Vec<QuantisedQuery> = queries
        .iter()
        .map(|query| QuantisedQuery::new(query, DIM as u32).expect("a query"))
        .collect();
    println!(
        "{} vectors, {} sections, {} edges, {} queries; microseconds are means over queries of the \
         best of 4 runs",
        corpus.len(),
        structure.n_sections(),
        graph.n_edges(),
        queries.len()
    );
    println!(
        "| k | filter | selectivity | scan us | graph us | planner us | planner / scan | graph \
         compared | recall graph | recall planner | planner chose graph |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for k in [10, 100] {
        for kind in ["pages", "stretches"] {
            for selectivity in [1.0, 0.5, 0.25, 0.1, 0.01, 0.001] {
                if selectivity == 1.0 && kind == "stretches" {
                    continue;
                }
                let filters: Vec<Option<Bitset>> =
                    (0..5).map(|seed| filter(&structure, kind, selectivity, seed)).collect();
                row(&view, &graph, &queries, &filters, k, kind, selectivity);
            }
        }
    }
}

fn row(
    view: &VectorView,
    graph: &Graph,
    queries: &[QuantisedQuery],
    filters: &[Option<Bitset>],
    k: u32,
    kind: &str,
    selectivity: f64,
) {
    let ef: u32 = std::env::var("FINDLING_BENCH_EF")
        .ok()
        .and_then(|ef| ef.parse().ok())
        .unwrap_or(default_ef(k));
    let (mut micros, mut found, mut wanted, mut compared, mut by_graph) =
        ([0.0; 3], [0; 2], 0, 0u64, 0);
    for (i, query) in queries.iter().enumerate() {
        let filter = filters[i % filters.len()].as_ref();
        let mut best = [f64::INFINITY; 3];
        let mut answers = [const { None }; 3];
        // There and back, so that each method gets its turn on the caches that it left itself.
        for run in 0..4 {
            for turn in 0..3 {
                let method = if run % 2 == 0 { turn } else { 2 - turn };
                let start = Instant::now();
                let answer = match method {
                    0 => scan(query, view, filter, k),
                    1 => follow(query, view, graph, filter, k, ef),
                    _ => nearest(query, view, Some(graph), filter, k, ef),
                };
                best[method] = start.elapsed().as_secs_f64().min(best[method]);
                answers[method] = Some(answer);
            }
        }
        let [Some(exact), Some(graph), Some(planned)] = answers else {
            unreachable!("each method ran")
        };
        for (sum, seconds) in micros.iter_mut().zip(best) {
            *sum += seconds * 1e6;
        }
        wanted += exact.sections.len();
        for (sum, answer) in found.iter_mut().zip([&graph, &planned]) {
            *sum += answer.sections.iter().filter(|hit| exact.sections.contains(hit)).count();
        }
        compared += u64::from(graph.compared);
        by_graph += u32::from(planned.method == Method::Hnsw);
    }
    let n = queries.len() as f64;
    let recall = found.map(|found| found as f64 / f64::from(wanted.max(1) as u32));
    println!(
        "| {k} | {kind} | {selectivity} | {:.0} | {:.0} | {:.0} | {:.2} | {} | {:.4} | {:.4} | \
         {:.0}% |",
        micros[0] / n,
        micros[1] / n,
        micros[2] / n,
        micros[2] / micros[0],
        compared / queries.len() as u64,
        recall[0],
        recall[1],
        f64::from(by_graph) / n * 100.0
    );
}

/// Returns about this share of the sections. They belong to whole pages, which are chosen one by
/// one or in 16 stretches.
fn filter(structure: &Structure, kind: &str, selectivity: f64, seed: u64) -> Option<Bitset> {
    if selectivity >= 1.0 {
        return None;
    }
    let mut random = Random(seed + 1);
    let mut sections = Bitset::none(structure.n_sections());
    let n = structure.n_sections();
    match kind {
        "pages" => {
            for first in (0..n).step_by(SECTIONS as usize) {
                if random.unit() < selectivity {
                    sections.insert_range(first, first + SECTIONS);
                }
            }
        }
        _ => {
            let slot = n / 16;
            let length = (f64::from(slot) * selectivity).ceil() as u32;
            for i in 0..16 {
                let start = i * slot + (random.unit() * f64::from(slot - length)) as u32;
                sections.insert_range(start, start + length);
            }
        }
    }
    Some(sections)
}

/// Returns pages of eight sections, of which every eighth has two vectors.
fn structure(n_vectors: u32) -> Structure {
    let mut builder = StructureBuilder::default();
    let (mut vectors, mut section) = (0, 0);
    while vectors < n_vectors {
        if section % SECTIONS == 0 {
            builder.page();
        }
        let n = if section % 8 == 3 { 2.min(n_vectors - vectors) } else { 1 };
        builder.section(n);
        builder.passage();
        vectors += n;
        section += 1;
    }
    builder.finish()
}

fn shard(vectors: &[Vec<f32>]) -> VectorsShard {
    let mut builder = VectorsBuilder::new(DIM as u32);
    for vector in vectors {
        let (row, scale) = quantise(vector);
        builder.push(&row, scale).expect("a row");
    }
    VectorsShard::from_bytes(builder.finish(), DIM as u32).expect("a shard")
}

fn corpus() -> (Vec<Vec<f32>>, Vec<Vec<f32>>) {
    let read = |name: &str| -> Option<Vec<Vec<f32>>> {
        let path = std::env::var_os(name)?;
        let bytes = std::fs::read(&path)
            .unwrap_or_else(|error| panic!("{name}: {}: {error}", path.display()));
        let numbers: Vec<f32> =
            bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        Some(numbers.chunks_exact(DIM).map(<[f32]>::to_vec).collect())
    };
    let all = read("FINDLING_BENCH_VECTORS").unwrap_or_else(|| {
        println!("FINDLING_BENCH_VECTORS is not set: synthetic vectors");
        synthetic(50_500)
    });
    if let Some(queries) = read("FINDLING_BENCH_QUERIES") {
        return (all, queries);
    }
    let (queries, corpus): (Vec<_>, Vec<_>) =
        all.into_iter().enumerate().partition(|(i, _)| i % 100 == 50);
    let values =
        |list: Vec<(usize, Vec<f32>)>| list.into_iter().map(|(_, vector)| vector).collect();
    (values(corpus), values(queries))
}

/// Returns stretches of about 40 vectors around a centre each. The centres lie around 200 topics,
/// all on 24 directions, and noise is added.
fn synthetic(n: usize) -> Vec<Vec<f32>> {
    const INTRINSIC: usize = 24;
    let mut random = Random(7);
    let mut gauss = |n: usize| -> Vec<f32> { (0..n).map(|_| random.gauss()).collect() };
    let directions = gauss(INTRINSIC * DIM);
    let topics: Vec<Vec<f32>> = (0..200).map(|_| gauss(INTRINSIC)).collect();
    let add = |a: &[f32], b: &[f32], weight: f32| -> Vec<f32> {
        a.iter().zip(b).map(|(a, b)| a + weight * b).collect()
    };
    let mut centre = topics[0].clone();
    let mut out = Vec::with_capacity(n);
    for i in 0..n {
        if i % 40 == 0 {
            centre = add(&topics[i / 40 * 7 % 200], &gauss(INTRINSIC), 0.7);
        }
        let inner = add(&centre, &gauss(INTRINSIC), 0.5);
        let mut vector = gauss(DIM);
        vector.iter_mut().for_each(|value| *value *= 1.5);
        for (weight, direction) in inner.iter().zip(directions.chunks_exact(DIM)) {
            vector = add(&vector, direction, *weight);
        }
        let norm = vector.iter().map(|v| v * v).sum::<f32>().sqrt();
        out.push(vector.into_iter().map(|v| v / norm).collect());
    }
    out
}

struct Random(u64);

impl Random {
    /// Returns the next number of splitmix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn gauss(&mut self) -> f32 {
        ((0..12).map(|_| self.unit()).sum::<f64>() - 6.0) as f32
    }
}

/// The item that instant-distance builds over: a place in [`ROWS`], so that its own dump holds no
/// vectors.
#[derive(Clone)]
struct Row(u32);

static ROWS: OnceLock<Vec<Vec<f32>>> = OnceLock::new();

impl Point for Row {
    fn distance(&self, other: &Self) -> f32 {
        let Some(rows) = ROWS.get() else { return 0.0 };
        let mut sums = [0.0f32; 16];
        let (a, b) =
            (rows[self.0 as usize].as_chunks::<16>().0, rows[other.0 as usize].as_chunks::<16>().0);
        for (a, b) in a.iter().zip(b) {
            for i in 0..16 {
                sums[i] += a[i] * b[i];
            }
        }
        1.0 - sums.iter().sum::<f32>()
    }
}

impl serde::Serialize for Row {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

fn graph(corpus: &[Vec<f32>]) -> Graph {
    let path = std::env::var_os("FINDLING_BENCH_GRAPH");
    let stats = Stats { n_vectors: corpus.len() as u32, ..Stats::default() };
    if let Some(bytes) = path.as_ref().and_then(|path| std::fs::read(path).ok()) {
        return Graph::from_bytes(&bytes, &stats)
            .expect("the graph of this corpus; remove the file to build another");
    }
    let start = Instant::now();
    let n = ROWS.get_or_init(|| corpus.to_vec()).len() as u32;
    let (hnsw, ids) =
        Builder::default().seed(1).ef_construction(100).build_hnsw((0..n).map(Row).collect());
    let mut vector_of = vec![VectorId(0); ids.len()];
    for (vector, id) in (0..).map(VectorId).zip(&ids) {
        vector_of[id.into_inner() as usize] = vector;
    }
    let dump = serde_json::to_value(&hnsw).expect("a dump");
    let lists = |nodes: &serde_json::Value| {
        let nodes = nodes.as_array().expect("nodes").iter().zip(&vector_of);
        let mut lists: Vec<(VectorId, Vec<VectorId>)> = nodes
            .map(|(node, &vector)| {
                let ids = node
                    .as_array()
                    .expect("neighbours")
                    .iter()
                    .filter_map(serde_json::Value::as_u64);
                (vector, ids.filter_map(|id| vector_of.get(id as usize).copied()).collect())
            })
            .collect();
        lists.sort_unstable();
        lists
    };
    let mut layers = vec![lists(&dump["zero"])];
    layers.extend(dump["layers"].as_array().expect("layers").iter().map(lists));
    let graph = Graph::new(vector_of[0], layers).expect("a graph");
    println!("graph built in {:.0} s", start.elapsed().as_secs_f64());
    if let Some(path) = path {
        std::fs::write(path, graph.to_bytes()).expect("a place to keep the graph");
    }
    graph
}

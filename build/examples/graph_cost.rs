//! What does a deterministic graph cost, and how is it best stored?
//!
//! Question: the time to build the HNSW graph with one thread (as `findling build` does, so that
//! the same site gives the same bytes) and with all cores; the bytes of its two possible encodings,
//! ascending distances as varints against plain u32 offsets and neighbours, each deflated.
//!
//! Corpus: the vectors of any bundle.
//!
//! ```sh
//! cargo run --release -p findling --no-default-features --example graph_cost -- \
//!     BUNDLE [MAX_VECTORS]
//! ```

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use findling_build::bundle_files::BundleFiles;
use findling_build::index::graph;
use findling_bundle::{Graph, ShardKind, VectorId, VectorsShard, decode_shard, encode_shard};
use indicatif::ProgressBar;

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let path = args.next().context("usage: graph_cost BUNDLE [MAX_VECTORS]")?;
    let most: usize = args.next().map_or(Ok(usize::MAX), |n| n.parse())?;
    let (values, dim) = vectors(&BundleFiles::open(Path::new(&path))?, most)?;
    let n = values.len() / dim;

    let started = Instant::now();
    let graph =
        graph::build(&values, dim, &ProgressBar::hidden())?.context("the bundle has no vectors")?;
    let one = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let of_all = graph::build_with_threads(&values, dim, 0, &ProgressBar::hidden())?
        .context("the bundle has no vectors")?;
    let all = started.elapsed().as_secs_f64();
    let threads = std::thread::available_parallelism()?;
    println!("{n} vectors of {dim} dimensions, {} layers", graph.n_layers());
    println!("one thread    {one:8.1} s   {} edges", graph.n_edges());
    println!("{threads} threads     {all:8.1} s   {} edges   {:.2}x", of_all.n_edges(), one / all);

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

/// All vectors as they were before they were quantised, about.
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

/// The graph's layers as u32: offsets, then neighbours.
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

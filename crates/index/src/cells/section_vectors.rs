//! A second copy of a site's vectors, in the order of its sections. There a reader of cells finds
//! the vectors of sections that the search by words has found.

use findling_bundle::Error;
use findling_bundle::cells::{Coder, VectorPlace, write_cell};
use rayon::prelude::*;

use findling_page::shard_cutter::ShardCutter;

/// Constants for the cost of shards: bytes of a shard's line in the manifest, which every reader
/// fetches, and number of shards that a query fetches.
const BYTES_PER_SHARD: usize = 5;
const SHARDS_PER_QUERY: usize = 10;
const MIN_SHARD: usize = 1 << 10;
/// The stored bytes of a vector of 256 numbers.
const VECTOR_BYTES: usize = 55;

/// A shard, uncompressed, with the place of its first vector.
pub type SectionVectors = (VectorPlace, Vec<u8>);

/// Builds the shards of some vectors, `dim` numbers each, with their places in order. The vectors
/// of a section share a shard.
///
/// # Errors
/// If a limit of the bundle format is exceeded.
pub fn build(
    values: &[f32],
    dim: usize,
    places: &[VectorPlace],
    coder: &Coder,
) -> Result<Vec<SectionVectors>, Error> {
    let of = |vector: usize| &values[vector * dim..][..dim];
    let bytes = (VECTOR_BYTES * dim / 256).max(1);
    let total = places.len() * bytes;
    let target = ShardCutter::best_target(total, BYTES_PER_SHARD, SHARDS_PER_QUERY, MIN_SHARD);
    let mut cutter = ShardCutter::new(target);
    let mut ends = Vec::new();
    let mut end = 0;
    for section in places.chunk_by(|a, b| (a.page, a.section) == (b.page, b.section)) {
        let key: Vec<u8> = of(end).iter().flat_map(|value| value.to_le_bytes()).collect();
        if cutter.cut_before(key, section.len() * bytes) {
            ends.push(end);
        }
        end += section.len();
    }
    ends.extend((end > 0).then_some(end));
    let starts = [0].into_iter().chain(ends.iter().copied());
    let ranges: Vec<_> = starts.zip(&ends).map(|(start, &end)| start..end).collect();
    ranges
        .into_par_iter()
        .map(|range| {
            let rows: Vec<&[f32]> = range.clone().map(of).collect();
            let raw = write_cell(coder, &mean(&rows, dim), Some(&places[range.clone()]), &rows)?;
            Ok((places[range.start], raw))
        })
        .collect()
}

/// Returns the mean of some rows.
fn mean(rows: &[&[f32]], dim: usize) -> Vec<f32> {
    let mut mean = vec![0.0; dim];
    for row in rows {
        mean.iter_mut().zip(*row).for_each(|(sum, value)| *sum += value / rows.len() as f32);
    }
    mean
}

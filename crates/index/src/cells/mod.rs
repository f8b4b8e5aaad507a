//! Grouping vectors into cells, so that a browser fetches only the cells near a query.
//!
//! Lloyd's algorithm (k-means) learns centroids from a sample that is spread evenly over the site.
//! A query pays for a whole cell, so a cell that is more than twice its target size is divided.
//! When vectors are then assigned to their nearest centroid, a cell may grow to three times that
//! size, in a rebuild to four times. Equal vectors give equal cells on any number of cores.
//!
//! The target size is in bytes ([`CellSize`]): on a site whose pages follow one template, vectors
//! are similar to each other and take few bytes in their cell.
//!
//! A rebuild keeps the centroids of the previous build ([`Grouping`]) as long as they fit. An
//! edited page then changes only the cells of its own vectors. Newly learned centroids would all
//! differ a little.

mod cell_order;
mod cell_size;
mod clusters;
mod k_means;
mod section_vectors;
#[cfg(test)]
mod tests;

use std::io;

use findling_bundle::cells::{Cell, Coder, Steps, VectorPlace, write_cell, write_centroids};
use findling_bundle::{Error, PageId, RangeStart, ShardKind};
use rayon::prelude::*;

use super::chunks::Chunks;
use super::shards::ReplacedFiles;
use super::stored::Stored;
use cell_order::order_by_similarity;
use cell_size::CellSize;
use clusters::Clusters;
pub use section_vectors::SectionVectors;

/// Mean quantisation step for the numbers of a vector of length 1 in 256 dimensions: about 1.6 bits
/// per number.
const STEP: f32 = 0.044;

/// Mean quantisation step for the numbers of a centroid.
const CENTROID_STEP: f32 = 0.08;

/// Half bits per number of a vector: with [`STEP`], and the most that a small site may use (see
/// [`SMALL_SITE_BYTES`]).
const HALF_BITS: (usize, usize) = (4, 9);

/// A site whose cells take no more bytes than this may use finer steps: a query fetches them all at
/// once.
const SMALL_SITE_BYTES: usize = 64_000;

/// Limits up to which an earlier grouping is kept: the ratio of the number of cells to its target,
/// and the ratio of the mean squared residual to the residual of the earlier build.
const MAX_DRIFT: (f64, f64) = (1.5, 1.1);

/// The grouping of the vectors of a previous build.
#[derive(Clone, Debug, PartialEq)]
pub struct Grouping {
    /// The centroid of each cell, concatenated.
    pub centroids: Vec<f32>,
    /// The quantisation of vectors.
    pub coder: Coder,
}

/// The cells of a bundle.
#[derive(Clone, Debug)]
pub struct Cells {
    /// The centroids' shard, uncompressed.
    pub centroids: Vec<u8>,
    /// The cells' shards, as stored.
    pub shards: Vec<Stored>,
    /// The shards of sections, if the centroids do not list the cell of each vector.
    pub sections: Vec<SectionVectors>,
}

/// Returns the page, section and index of each vector, in page order.
///
/// # Errors
/// If a temporary file cannot be read.
pub fn places(chunks: &Chunks) -> io::Result<Vec<VectorPlace>> {
    let of_page = |page: usize| -> io::Result<Vec<VectorPlace>> {
        let of_section = |(section, n): (u32, u32)| {
            (0..n).map(move |place| VectorPlace::new(PageId(page as u32), section, place, n))
        };
        let chunked = chunks.page(page)?;
        let n_units = chunked.sections.iter().map(|section| section.units.len() as u32);
        Ok((0..).zip(n_units).flat_map(of_section).collect())
    };
    let pages: Vec<Vec<VectorPlace>> =
        (0..chunks.n_pages()).into_par_iter().map(of_page).collect::<io::Result<_>>()?;
    Ok(pages.into_iter().flatten().collect())
}

/// Groups vectors into cells.
///
/// `values` holds vectors of length 1, `dim` numbers each, and `places` the origin of each vector.
/// The grouping of an `earlier` build is kept if it still fits the vectors. `lists_members`: the
/// shard of centroids lists the members of each cell, at about ten bits per vector. Otherwise each
/// cell lists the sections of its vectors, and a reader does not need the number of vectors of each
/// section.
///
/// # Errors
/// If a limit of the bundle format is exceeded.
pub fn build(
    values: &[f32],
    dim: usize,
    places: &[VectorPlace],
    earlier: Option<&Grouping>,
    lists_members: bool,
    replaced: &ReplacedFiles,
) -> anyhow::Result<Cells> {
    let n = values.len() / dim.max(1);
    let step = step(n, dim);
    let reused =
        earlier.map(|earlier| reuse_clusters(values, dim, step, earlier)).transpose()?.flatten();
    let (Clusters { centroids, members, .. }, coder) = match reused {
        Some(grouped) => grouped,
        None => learn_clusters(values, dim, step)?,
    };
    let (centroids, members) = order_by_similarity(centroids, members, dim);
    let row = |vector: u32| &values[vector as usize * dim..][..dim];
    let shards: Vec<Stored> = members
        .par_iter()
        .zip(centroids.par_chunks_exact(dim.max(1)))
        .enumerate()
        .map(|(number, (members, centroid))| {
            let rows: Vec<&[f32]> = members.iter().map(|&vector| row(vector)).collect();
            let places: Option<Vec<VectorPlace>> = (!lists_members)
                .then(|| members.iter().map(|&vector| places[vector as usize]).collect());
            let raw = write_cell(&coder, centroid, places.as_deref(), &rows)?;
            let shard = replaced.encode(ShardKind::Cell, &raw)?;
            Ok(replaced.rename(shard, RangeStart::Cell(number as u32))?)
        })
        .collect::<anyhow::Result<_>>()?;
    let cell_of = if lists_members { cell_of(&members, n) } else { Vec::new() };
    let listed: Vec<Cell> = shards
        .iter()
        .zip(&members)
        .map(|((shard, _), members)| Cell { shard: *shard, n_vectors: members.len() as u32 })
        .collect();
    let centroids = write_centroids(
        &coder,
        &listed,
        &centroids,
        CENTROID_STEP * component_scale(dim),
        &cell_of,
    )?;
    let sections = match lists_members {
        true => Vec::new(),
        false => section_vectors::build(values, dim, places, &coder)?,
    };
    Ok(Cells { centroids, shards, sections })
}

/// Learns clusters from the vectors, and how to quantise the residuals.
fn learn_clusters(values: &[f32], dim: usize, step: f32) -> Result<(Clusters<'_>, Coder), Error> {
    let n = values.len() / dim.max(1);
    let steps = Steps::of(values.chunks_exact(dim.max(1)), dim, step)?;
    let usual = CellSize::usual(n);
    let mut clusters = Clusters::of(values, dim, usual.n_cells(n));
    let mut coder = Coder::of(clusters.residuals(), steps.clone())?;
    let size = CellSize::new(n, dim, clusters.bytes(&coder)?);
    if size != usual {
        clusters = Clusters::of(values, dim, size.n_cells(n));
        coder = Coder::of(clusters.residuals(), steps.clone())?;
    }
    clusters.divide(2, size, &coder)?;
    clusters.settle(3, size, &coder)?;
    let coder = Coder::of(clusters.residuals(), steps)?;
    Ok((clusters, coder))
}

/// Returns the mean quantisation step for `n` vectors.
fn step(n: usize, dim: usize) -> f32 {
    let affordable = SMALL_SITE_BYTES * 16 / (n * dim).max(1);
    let more = affordable.clamp(HALF_BITS.0, HALF_BITS.1) - HALF_BITS.0;
    // Half of the step costs one more bit. Repeated products of one number are the same on every
    // machine.
    (0..more).fold(STEP * component_scale(dim), |step, _| step * std::f32::consts::FRAC_1_SQRT_2)
}

/// Returns the typical size of a component of a unit vector, relative to a vector with 256
/// dimensions.
fn component_scale(dim: usize) -> f32 {
    (256.0 / dim.max(1) as f32).sqrt()
}

/// Assigns the vectors to the centroids of an earlier build. `None` if these no longer fit the
/// site.
fn reuse_clusters<'a>(
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
    let size = CellSize::new(n, dim, clusters.bytes(coder)?);
    clusters.settle(4, size, coder)?;
    let so_many = clusters.members.len() as f64 / size.n_cells(n).max(1) as f64;
    let squares: f64 = clusters.residuals().map(|row| f64::from(coder.steps().square(&row))).sum();
    let serves = so_many <= MAX_DRIFT.0
        && so_many >= 1.0 / MAX_DRIFT.0
        && squares / n.max(1) as f64 <= MAX_DRIFT.1 * f64::from(coder.spread());
    Ok(serves.then(|| (clusters, coder.clone())))
}

/// Returns the cell number of each of `n` vectors.
fn cell_of(members: &[Vec<u32>], n: usize) -> Vec<u32> {
    let mut cell_of = vec![0; n];
    for (cell, members) in (0..).zip(members) {
        members.iter().for_each(|&vector| cell_of[vector as usize] = cell);
    }
    cell_of
}

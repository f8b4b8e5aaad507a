//! Vectors in cells, for readers that fetch only a few of them: "which vectors are near this query,
//! without fetching all?"
//!
//! Vectors are grouped around centroids, as in an inverted file (Jégou, Douze and Schmid, TPAMI
//! 2011). One shard holds all centroids and lists the cells. Each cell is a shard of its own, named
//! by the centroids' shard rather than by the manifest. A query fetches the centroids once, then
//! the cells whose centroids are nearest to it.
//!
//! A vector is stored as its difference from an expected vector, in uniform steps ([`Steps`]). The
//! steps go through the range coder, with one model for dimensions of about the same deviation
//! ([`Coder`]). Uniform quantisation followed by entropy coding comes close to the rate-distortion
//! bound (Gish and Pierce, IEEE Transactions on Information Theory, 1968). Dimensions in which
//! vectors deviate more get smaller steps. Search needs the product of a vector with a query, and
//! queries deviate in the same dimensions, so that an error counts for more there.
//!
//! | file | what |
//! |---|---|
//! | `steps.rs` | the step sizes of dimensions, and numbers in steps |
//! | `coder.rs` | rows of steps through the range coder |
//! | `prediction.rs` | the expected vector, from the mean or centroid and a similar row before |
//! | `centroids.rs` | the centroids' shard |
//! | `cell.rs` | a cell's shard |
//!
//! Centroids:
//!
//! - `dim`, `n_vectors`, `n_cells`: varint each
//! - coder of centroids, coder of vectors: f32 mean step, f32 spread; each
//! - hash of each cell's shard: 5 half bytes each ([`crate::names`])
//! - coded length: varint: bytes of the rest, which is range coded:
//! - step sizes of both coders: `dim` symbols of 32: quarter octaves against the mean step, 16 for
//!   the same
//! - classes of the two coders: twice `dim` symbols of 32
//! - mean of the centroids: `dim` numbers in fine steps
//! - vectors of each cell: `n_cells` numbers
//! - stored bytes of each cell's shard: a number: mean bytes of a vector in sixteenths; then
//!   `n_cells` numbers: the difference from that estimate
//! - centroids: `n_cells` times: a number: how many places back the similar centroid is, 0 for
//!   none; `dim` numbers: the difference from the expected centroid
//! - whether the cell of each vector follows: a number: 0 or 1
//! - cell of each vector: `n_vectors` numbers: its place in a move-to-front list of cells
//!
//! A cell:
//!
//! - `n`: varint
//! - coded length: varint: bytes of the rest, which is range coded:
//! - centroid: `dim` numbers in fine steps
//! - place of each vector, ascending; absent if the centroids list the cell of each vector: `n`
//!   times three numbers: pages further; sections further on the same page, else the section's
//!   place in its page; which 256th of the section
//! - vectors: `n` times: a number: how many places back the similar vector is, 0 for none; if there
//!   is one, a number: quarters of it that are expected, less one; a number: how many classes its
//!   numbers are below the classes of their dimensions; `dim` numbers: the difference from the
//!   expected vector
//!
//! A centroid is expected to be the mean plus, if it has a similar centroid, [`ALIKE`] of the
//! difference between that centroid (as a reader decodes it, in eight bits) and the mean. The
//! writer orders centroids so that each has a similar one before it.
//!
//! A vector is expected to be its cell's centroid plus, if it has a similar vector in the cell, a
//! share of the difference between that vector and the centroid. Pages made from one template say
//! similar things: over the C++ documentation this takes a seventh off all cells.
//!
//! Numbers that can be negative are stored in zigzag. A fine step is a quarter of a step. Squares,
//! such as the spread, are computed on numbers in the steps of their dimensions, and multiplied by
//! the square of the mean step.
//!
//! A cell names a vector by its page, its section's place in the page and the part of the section.
//! So a reader of cells need not know how many vectors earlier sections have, and a cell stays the
//! same file after an edit elsewhere on the site that moves all later ids.

mod cell;
mod centroids;
mod coder;
mod prediction;
mod steps;
#[cfg(test)]
mod tests;

pub use cell::{CellShard, CellVector, Members, VectorPlace, part_of, write_cell};
pub use centroids::{Cell, Centroids, write_centroids};
pub use coder::Coder;
pub use prediction::ALIKE;
pub use steps::Steps;

/// The name of this format in errors.
const WHAT: &str = "cells";

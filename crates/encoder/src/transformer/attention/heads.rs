//! The arithmetic of [`super::Attention`], a head at a time.

use fearless_simd::{Level, Simd, SimdBase, dispatch, f32x16};

use super::super::wide::{LANES, exp, largest, sum};

/// Rows of scores, and vectors of columns, that are computed together: as many sums as fit the
/// registers.
#[cfg(target_arch = "wasm32")]
const TILE: (usize, usize) = (3, 1);
#[cfg(not(target_arch = "wasm32"))]
const TILE: (usize, usize) = (4, 2);
const ROWS: usize = TILE.0;
const VECTORS: usize = TILE.1;
const COLUMNS: usize = VECTORS * LANES;

/// Computes `softmax(query * keyᵀ) * value` for each head, and writes it to `out`. All matrices are
/// `[tokens, hidden]`.
pub fn attend([query, key, value]: [&[f32]; 3], out: &mut [f32], hidden: usize, heads: usize) {
    let mut scratch = Scratch::new(query.len() / hidden, hidden / heads);
    dispatch!(Level::new(), simd => run(simd, &mut scratch, [query, key, value], out, hidden));
}

#[inline(always)]
fn run<S: Simd>(
    simd: S,
    scratch: &mut Scratch,
    [query, key, value]: [&[f32]; 3],
    out: &mut [f32],
    hidden: usize,
) {
    for from in (0..hidden).step_by(scratch.dim) {
        scratch.take(key, value, hidden, from);
        scratch.head(simd, query, out, hidden, from);
    }
}

/// The keys and values of one head, padded with zeros.
struct Scratch {
    tokens: usize,
    /// Numbers of a head.
    dim: usize,
    /// `[dim][columns of tokens]`
    keys: Vec<[f32; COLUMNS]>,
    /// `[token][columns of dim]`
    values: Vec<[f32; COLUMNS]>,
    /// Scores of some queries, `[row][columns of tokens]`.
    scores: Vec<[f32; COLUMNS]>,
}

impl Scratch {
    fn new(tokens: usize, dim: usize) -> Self {
        let (of_tokens, of_dim) = (tokens.div_ceil(COLUMNS), dim.div_ceil(COLUMNS));
        Self {
            tokens,
            dim,
            keys: vec![[0.0; COLUMNS]; dim * of_tokens],
            values: vec![[0.0; COLUMNS]; tokens * of_dim],
            scores: vec![[0.0; COLUMNS]; ROWS * of_tokens],
        }
    }

    /// Copies keys and values of the head whose numbers begin at `from`.
    #[inline(always)]
    fn take(&mut self, key: &[f32], value: &[f32], hidden: usize, from: usize) {
        let stride = self.tokens.next_multiple_of(COLUMNS);
        let keys = self.keys.as_flattened_mut();
        for (token, row) in key.chunks_exact(hidden).enumerate() {
            for (keys, &number) in keys.chunks_exact_mut(stride).zip(&row[from..]) {
                keys[token] = number;
            }
        }
        let stride = self.dim.next_multiple_of(COLUMNS);
        let values = self.values.as_flattened_mut().chunks_exact_mut(stride);
        for (to, row) in values.zip(value.chunks_exact(hidden)) {
            to[..self.dim].copy_from_slice(&row[from..][..self.dim]);
        }
    }

    #[inline(always)]
    fn head<S: Simd>(
        &mut self,
        simd: S,
        query: &[f32],
        out: &mut [f32],
        hidden: usize,
        from: usize,
    ) {
        let (of_tokens, of_dim) = (self.tokens.div_ceil(COLUMNS), self.dim.div_ceil(COLUMNS));
        for first in (0..self.tokens).step_by(ROWS) {
            let rows = ROWS.min(self.tokens - first);
            // Missing rows repeat the first row.
            let mut queries = [&query[first * hidden + from..][..self.dim]; ROWS];
            for (row, queries) in queries.iter_mut().enumerate().take(rows) {
                *queries = &query[(first + row) * hidden + from..][..self.dim];
            }
            for column in 0..of_tokens {
                let sums = products(simd, queries, &self.keys, column, of_tokens);
                for (row, sums) in sums.iter().enumerate() {
                    let to = &mut self.scores[row * of_tokens + column];
                    for (to, sums) in to.as_chunks_mut::<LANES>().0.iter_mut().zip(sums) {
                        sums.store_slice(to);
                    }
                }
            }
            let mut inverse = [0.0f32; ROWS];
            for (row, inverse) in inverse.iter_mut().enumerate().take(rows) {
                let scores = &mut self.scores[row * of_tokens..][..of_tokens];
                let scores = &mut scores.as_flattened_mut()[..self.tokens];
                let max = largest(scores);
                for score in &mut *scores {
                    *score = exp(*score - max);
                }
                *inverse = 1.0 / sum(scores);
            }
            let scores = self.scores.as_flattened();
            let mut shares = [&scores[..self.tokens]; ROWS];
            for (row, shares) in shares.iter_mut().enumerate().take(rows) {
                *shares = &scores[row * of_tokens * COLUMNS..][..self.tokens];
            }
            for column in 0..of_dim {
                let sums = products(simd, shares, &self.values, column, of_dim);
                let width = COLUMNS.min(self.dim - column * COLUMNS);
                for (row, (sums, inverse)) in sums.iter().zip(inverse).enumerate().take(rows) {
                    let out = &mut out[(first + row) * hidden + from + column * COLUMNS..][..width];
                    for (out, sums) in out.chunks_mut(LANES).zip(sums) {
                        let mut mixed = [0.0; LANES];
                        (*sums * inverse).store_slice(&mut mixed);
                        out.copy_from_slice(&mixed[..out.len()]);
                    }
                }
            }
        }
    }
}

/// Returns the products of some rows and one block of columns, summed in order. Never contracted,
/// so that every processor gives the same result.
#[inline(always)]
fn products<S: Simd>(
    simd: S,
    mut factors: [&[f32]; ROWS],
    numbers: &[[f32; COLUMNS]],
    column: usize,
    of: usize,
) -> [[f32x16<S>; VECTORS]; ROWS] {
    let mut sums = [[f32x16::splat(simd, 0.0); VECTORS]; ROWS];
    let n = factors[0].len();
    for factors in &mut factors {
        *factors = &factors[..n];
    }
    for (i, numbers) in numbers.chunks_exact(of).take(n).enumerate() {
        let numbers = &numbers[column];
        for vector in 0..VECTORS {
            let numbers = f32x16::from_slice(simd, &numbers[vector * LANES..][..LANES]);
            for row in 0..ROWS {
                sums[row][vector] += numbers * factors[row][i];
            }
        }
    }
    sums
}

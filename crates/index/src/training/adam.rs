//! The Adam optimiser over rows.

use rayon::prelude::*;

/// The optimiser's state: first and second moments of every number.
pub struct Adam {
    dim: usize,
    /// Steps made so far.
    pub step: usize,
    first: Vec<f32>,
    second: Vec<f32>,
}

impl Adam {
    /// Returns the first state for `n` numbers in rows of `dim` numbers.
    pub fn new(n: usize, dim: usize) -> Self {
        Self { dim, step: 0, first: vec![0.0; n], second: vec![0.0; n] }
    }

    /// Makes one step. `touches` are pairs of a row and the index of a text's gradient, sorted.
    /// Rows that are in no pair do not change.
    pub fn update(
        &mut self,
        rows: &mut [f32],
        touches: &[(u32, u32)],
        gradients: &[f32],
        rate: f32,
    ) {
        const B1: f32 = 0.9;
        const B2: f32 = 0.999;
        const EPSILON: f32 = 1e-8;
        self.step += 1;
        let (c1, c2) = (1.0 - B1.powi(self.step as i32), 1.0 - B2.powi(self.step as i32));
        let mut of_row = vec![0..0; rows.len() / self.dim];
        let mut start = 0;
        for group in touches.chunk_by(|a, b| a.0 == b.0) {
            of_row[group[0].0 as usize] = start..start + group.len();
            start += group.len();
        }
        rows.par_chunks_mut(self.dim)
            .zip(self.first.par_chunks_mut(self.dim))
            .zip(self.second.par_chunks_mut(self.dim))
            .zip(&of_row)
            .filter(|(_, touched)| !touched.is_empty())
            .for_each(|(((row, first), second), touched)| {
                let mut gradient = vec![0.0f32; self.dim];
                for &(_, at) in &touches[touched.clone()] {
                    let of_text = &gradients[at as usize * self.dim..][..self.dim];
                    gradient.iter_mut().zip(of_text).for_each(|(g, v)| *g += v);
                }
                for i in 0..self.dim {
                    let g = gradient[i];
                    first[i] = B1 * first[i] + (1.0 - B1) * g;
                    second[i] = B2 * second[i] + (1.0 - B2) * g * g;
                    row[i] -= rate * (first[i] / c1) / ((second[i] / c2).sqrt() + EPSILON);
                }
            });
    }
}

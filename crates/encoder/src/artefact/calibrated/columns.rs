//! Rounding the columns of a matrix one after the other.

use super::Covariance;
use crate::artefact::Bits;

/// A rounded matrix.
pub struct Rounded {
    /// What 1 stands for, by row.
    pub scales: Vec<f32>,
    /// Row by row.
    pub integers: Vec<i8>,
    /// What each output lost in the mean.
    pub lost: Vec<f32>,
}

/// Rounds `weights`, rows of as many numbers as the layer has inputs, to steps of `bits`.
pub fn round(weights: &[f32], bits: Bits, covariance: &Covariance) -> Rounded {
    let n = covariance.inputs();
    let means = covariance.means();
    let matrix = covariance.matrix();
    // The inputs that vary most come first, so that the others can make up for them. Ties by place.
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| matrix[b * n + b].total_cmp(&matrix[a * n + a]).then(a.cmp(&b)));
    let factor = inverse_factor(&matrix, &order, n);

    let scales: Vec<f32> = weights.chunks_exact(n).map(|row| bits.scale(row)).collect();
    let mut integers = vec![0i8; weights.len()];
    let mut lost = Vec::with_capacity(scales.len());
    let mut rest = vec![0.0f32; n];
    for ((row, scale), integers) in
        weights.chunks_exact(n).zip(&scales).zip(integers.chunks_exact_mut(n))
    {
        for (rest, &input) in rest.iter_mut().zip(&order) {
            *rest = row[input];
        }
        if *scale > 0.0 {
            crate::transformer::wide(
                #[inline(always)]
                || {
                    for (i, &input) in order.iter().enumerate() {
                        let line = &factor[i * n..][..n];
                        let integer = libm::rintf(rest[i] / scale).clamp(-127.0, 127.0);
                        integers[input] = integer as i8;
                        let error = (rest[i] - integer * scale) / line[i];
                        for (rest, share) in rest[i..].iter_mut().zip(&line[i..]) {
                            *rest -= error * share;
                        }
                    }
                },
            );
        }
        let lost_of = |((weight, integer), mean): ((&f32, &i8), &f64)| {
            (f64::from(*weight) - f64::from(*integer) * f64::from(*scale)) * mean
        };
        lost.push(row.iter().zip(&*integers).zip(&means).map(lost_of).sum::<f64>() as f32);
    }
    Rounded { scales, integers, lost }
}

/// The upper triangle `U` for which `UᵀU` is the inverse of `matrix`, rows and columns in `order`.
///
/// With both in reverse order, `matrix` is `L Lᵀ`; read backwards, the inverse of `L` is what is
/// wanted.
fn inverse_factor(matrix: &[f64], order: &[usize], n: usize) -> Vec<f32> {
    let reversed: Vec<usize> = order.iter().rev().copied().collect();
    let mut lower = vec![0.0f64; n * n];
    for i in 0..n {
        for j in 0..=i {
            lower[i * n + j] = matrix[reversed[i] * n + reversed[j]];
        }
    }
    for j in 0..n {
        let (above, below) = lower.split_at_mut((j + 1) * n);
        let row = &mut above[j * n..];
        let square = row[j] - dot(&row[..j], &row[..j]);
        // The diagonal was raised, so that this is for what rounding leaves of it.
        row[j] = square.max(f64::MIN_POSITIVE).sqrt();
        let row = &*row;
        for other in below.chunks_exact_mut(n) {
            other[j] = (other[j] - dot(&other[..j], &row[..j])) / row[j];
        }
    }
    // The inverse of a triangle, row by row: a row of it needs those above.
    let mut inverse = vec![0.0f64; n * n];
    for i in 0..n {
        let (above, row) = inverse.split_at_mut(i * n);
        let row = &mut row[..n];
        for (j, line) in above.chunks_exact(n).enumerate() {
            let factor = lower[i * n + j];
            for (sum, value) in row[..=j].iter_mut().zip(&line[..=j]) {
                *sum -= factor * value;
            }
        }
        row[i] = 1.0;
        let diagonal = lower[i * n + i];
        for value in &mut row[..=i] {
            *value /= diagonal;
        }
    }
    let mut factor = vec![0.0f32; n * n];
    for i in 0..n {
        for j in i..n {
            factor[i * n + j] = inverse[(n - 1 - i) * n + (n - 1 - j)] as f32;
        }
    }
    factor
}

/// Eight sums side by side: the same on every machine, and fast.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0f64; 8];
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}

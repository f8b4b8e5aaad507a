//! The projection that keeps most of a space in fewer dimensions: principal components by
//! orthogonal iteration.

use findling_bundle::projection::Projection;
use rayon::prelude::*;

use crate::random::SplitMix64;

/// The smallest share of the mean in the vectors' length at which the mean is removed.
const MUCH: f64 = 0.25;

/// Returns the `to` leading principal components of vectors of `from` numbers each, uncentred
/// (second moments, because vectors are compared by cosines through the origin), as a projection.
///
/// Some models have all vectors in a narrow cone: unrelated sentences have a cosine of about 0.7 by
/// multilingual-e5-small. Then the projection is orthogonal to the mean, which carries no
/// information about a text and which rows would learn first.
///
/// Orthogonal iteration with Gram-Schmidt (Golub and Van Loan, Matrix Computations, 8.2.4) in f64
/// from a seeded start: O(n from^2) for the moments, O(rounds to from (to + from)) after.
/// Deterministic on any number of cores.
///
/// # Errors
/// If `to` is 0 or above `from`.
pub fn principal_components(
    vectors: &[f32],
    from: usize,
    to: usize,
) -> Result<Projection, findling_bundle::Error> {
    let mut moments = second_moments(vectors, from);
    without_mean(&mut moments, &mean(vectors, from), vectors.len() / from.max(1));
    let mut random = SplitMix64(0x5eed);
    let mut basis: Vec<Vec<f64>> = (0..to)
        .map(|_| {
            (0..from).map(|_| random.below(1 << 20) as f64 / f64::from(1 << 19) - 1.0).collect()
        })
        .collect();
    orthonormalise(&mut basis);
    for _ in 0..100 {
        basis = basis
            .par_iter()
            .map(|row| moments.chunks_exact(from).map(|m| dot(m, row)).collect())
            .collect();
        orthonormalise(&mut basis);
    }
    let rows: Vec<f32> = basis.iter().flatten().map(|&v| v as f32).collect();
    Projection::new(from as u32, &rows)
}

/// Removes the part along the mean from the moments of `n` vectors, if the mean is a large part of
/// them.
fn without_mean(moments: &mut [f64], mean: &[f64], n: usize) {
    let from = mean.len();
    let (length, all) = (dot(mean, mean), (0..from).map(|i| moments[i * from + i]).sum::<f64>());
    if length * n as f64 <= MUCH * all || length == 0.0 {
        return;
    }
    // With the direction m: (1 - m m') M (1 - m m').
    let m: Vec<f64> = mean.iter().map(|v| v / length.sqrt()).collect();
    let along: Vec<f64> = moments.chunks_exact(from).map(|row| dot(row, &m)).collect();
    let twice = dot(&along, &m);
    for (i, row) in moments.chunks_exact_mut(from).enumerate() {
        for (j, value) in row.iter_mut().enumerate() {
            *value += m[i] * m[j] * twice - m[i] * along[j] - along[i] * m[j];
        }
    }
}

/// Returns the mean, summed in blocks like [`second_moments`].
fn mean(vectors: &[f32], from: usize) -> Vec<f64> {
    let blocks: Vec<Vec<f64>> = vectors
        .par_chunks(from * 16_384)
        .map(|block| {
            let mut sum = vec![0.0f64; from];
            for vector in block.chunks_exact(from) {
                sum.iter_mut().zip(vector).for_each(|(s, &v)| *s += f64::from(v));
            }
            sum
        })
        .collect();
    let mut mean = vec![0.0f64; from];
    for block in blocks {
        mean.iter_mut().zip(block).for_each(|(m, s)| *m += s);
    }
    let n = (vectors.len() / from.max(1)).max(1) as f64;
    mean.iter_mut().for_each(|m| *m /= n);
    mean
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns `from * from` sums of products, in f64. Blocks of fixed size are summed in order,
/// regardless of the number of cores.
fn second_moments(vectors: &[f32], from: usize) -> Vec<f64> {
    let blocks: Vec<Vec<f64>> = vectors
        .par_chunks(from * 16_384)
        .map(|block| {
            let mut sums = vec![0.0f64; from * from];
            for vector in block.chunks_exact(from) {
                for (row, &a) in sums.chunks_exact_mut(from).zip(vector) {
                    row.iter_mut().zip(vector).for_each(|(s, &b)| *s += f64::from(a * b));
                }
            }
            sums
        })
        .collect();
    let mut total = vec![0.0f64; from * from];
    for block in blocks {
        total.iter_mut().zip(block).for_each(|(t, s)| *t += s);
    }
    total
}

/// Makes the rows orthonormal by the modified method of Gram and Schmidt, twice for accuracy. Rows
/// that vanish are replaced by unit vectors.
fn orthonormalise(basis: &mut [Vec<f64>]) {
    for i in 0..basis.len() {
        let (before, rest) = basis.split_at_mut(i);
        let row = &mut rest[0];
        let mut axis = i;
        loop {
            for _ in 0..2 {
                for other in before.iter() {
                    let along = dot(other, row);
                    row.iter_mut().zip(other).for_each(|(v, o)| *v -= along * o);
                }
                let norm = dot(row, row).sqrt();
                if norm > 1e-12 {
                    row.iter_mut().for_each(|v| *v /= norm);
                }
            }
            if dot(row, row) > 0.5 {
                break;
            }
            axis = (axis + 1) % row.len();
            row.fill(0.0);
            row[axis] = 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cloud(n: usize, dim: usize, seed: u64) -> Vec<f32> {
        let mut random = SplitMix64(seed);
        (0..n * dim)
            .map(|i| (random.below(2001) as f32 / 1000.0 - 1.0) / (1 + i % dim) as f32)
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn rows_are_orthonormal(
            (from, to) in (1usize..=24).prop_flat_map(|from| (Just(from), 1..=from)),
            n in 0usize..60,
            seed: u64,
        ) {
            // Fewer vectors than dimensions also work, and so do no vectors.
            let projection = principal_components(&cloud(n, from, seed), from, to).unwrap();
            let rows: Vec<f64> = projection.rows().into_iter().map(f64::from).collect();
            for (i, a) in rows.chunks_exact(from).enumerate() {
                for (j, b) in rows.chunks_exact(from).enumerate() {
                    let expect = f64::from(u8::from(i == j));
                    prop_assert!((dot(a, b) - expect).abs() < 1e-3, "{i} {j} {}", dot(a, b));
                }
            }
        }
    }

    #[test]
    fn a_direction_that_all_vectors_share_is_left_out() {
        let (from, to) = (16, 4);
        let mut vectors = cloud(400, from, 5);
        for vector in vectors.chunks_exact_mut(from) {
            vector[9] += 2.0;
        }
        let along = |vectors: &[f32]| {
            let rows = principal_components(vectors, from, to).unwrap().rows();
            rows.chunks_exact(from).map(|row| row[9].abs()).fold(0.0f32, f32::max)
        };
        assert!(along(&vectors) < 0.1, "{}", along(&vectors));
        // Half the vectors point the other way, so that there is no mean.
        for vector in vectors.chunks_exact_mut(2 * from) {
            vector[9] -= 4.0;
        }
        assert!(along(&vectors) > 0.9, "{}", along(&vectors));
    }

    #[test]
    fn the_number_of_cores_does_not_show() {
        let vectors = cloud(40_000, 8, 11);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| principal_components(&vectors, 8, 5)).unwrap()
        };
        assert_eq!(on(1), on(3));
    }

    #[test]
    fn what_lies_in_few_dimensions_loses_nothing() {
        // Vectors of 24 numbers that span only 6 dimensions keep their cosines in 6.
        let (from, to, n) = (24, 6, 200);
        let basis = cloud(to, from, 11);
        let weights = cloud(n, to, 11);
        let mut vectors = Vec::new();
        for w in weights.chunks_exact(to) {
            let mut v = vec![0.0f32; from];
            for (w, b) in w.iter().zip(basis.chunks_exact(from)) {
                v.iter_mut().zip(b).for_each(|(v, b)| *v += w * b);
            }
            vectors.extend(v);
        }
        let projection = principal_components(&vectors, from, to).unwrap();
        let cosine = |a: &[f32], b: &[f32]| {
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
        };
        for pair in vectors.chunks_exact(2 * from) {
            let (a, b) = pair.split_at(from);
            let projected = cosine(&projection.apply(a).unwrap(), &projection.apply(b).unwrap());
            assert!((projected - cosine(a, b)).abs() < 2e-3);
        }
    }
}

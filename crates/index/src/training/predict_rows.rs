//! Predicting the rows of rare tokens from the rows of frequent ones.

/// Predicts rows by a linear map from the teacher's embeddings of single tokens, and mixes them
/// with the trained rows.
///
/// For a token that occurs `n` times, its trained row has weight `n` and the predicted row has
/// weight [`PRIOR`]. The map is fitted by ridge regression on tokens with [`MIN_COUNT`] to
/// [`MAX_COUNT`] occurrences. With too few such tokens, `rows` are returned unchanged.
pub fn predict_rows(
    rows: &[f32],
    token_embeddings: &[f32],
    counts: &[u64],
    dim: usize,
) -> Vec<f32> {
    let is_used = |n: u64| (MIN_COUNT..=MAX_COUNT).contains(&n);
    let used_rows = || {
        let pairs = token_embeddings.chunks_exact(dim).zip(rows.chunks_exact(dim));
        pairs.zip(counts).filter(|(_, n)| is_used(**n)).map(|(pair, _)| pair)
    };
    // A constant feature takes up the mean of the embeddings.
    let features = |embedding: &[f32]| -> Vec<f64> {
        embedding.iter().map(|&v| f64::from(v)).chain(std::iter::once(1.0)).collect()
    };
    let (n, width) = (used_rows().count(), dim + 1);
    if n < width {
        return rows.to_vec();
    }
    let mut moments = vec![0.0f64; width * width];
    let mut products = vec![0.0f64; width * dim];
    for (embedding, row) in used_rows() {
        let x = features(embedding);
        for (i, &xi) in x.iter().enumerate() {
            moments[i * width..][..width].iter_mut().zip(&x).for_each(|(m, xj)| *m += xi * xj);
            products[i * dim..][..dim]
                .iter_mut()
                .zip(row)
                .for_each(|(p, &r)| *p += xi * f64::from(r));
        }
    }
    for i in 0..width {
        moments[i * width + i] += RIDGE * n as f64 / width as f64;
    }
    let map = solve(moments, products, width, dim);
    let mut predicted = Vec::with_capacity(rows.len());
    for ((embedding, row), &n) in
        token_embeddings.chunks_exact(dim).zip(rows.chunks_exact(dim)).zip(counts)
    {
        let mut guess = vec![0.0f64; dim];
        for (xi, weights) in features(embedding).iter().zip(map.chunks_exact(dim)) {
            guess.iter_mut().zip(weights).for_each(|(g, w)| *g += xi * w);
        }
        let n = n as f64;
        predicted.extend(
            row.iter()
                .zip(&guess)
                .map(|(&r, g)| ((n * f64::from(r) + PRIOR * g) / (n + PRIOR)) as f32),
        );
    }
    predicted
}

/// Weight of a predicted row, in occurrences of the token.
const PRIOR: f64 = 4.0;

/// Fewest occurrences of a token that the map is fitted to.
const MIN_COUNT: u64 = 20;

/// Maximum number of occurrences of a token that the map is fitted to. Rows of more frequent tokens
/// are short and unlike the rows of rare words.
const MAX_COUNT: u64 = 2000;

/// Ridge parameter, relative to the mean square of a feature of unit vectors.
const RIDGE: f64 = 0.02;

/// Solves `a x = b` by Cholesky decomposition, for a symmetric positive definite `a` (`n * n`) and
/// `m` right-hand sides.
fn solve(mut a: Vec<f64>, mut b: Vec<f64>, n: usize, m: usize) -> Vec<f64> {
    for j in 0..n {
        for i in j..n {
            let along: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
            let rest = a[i * n + j] - along;
            a[i * n + j] = if i == j { rest.max(1e-12).sqrt() } else { rest / a[j * n + j] };
        }
    }
    for i in 0..n {
        for k in 0..i {
            let l = a[i * n + k];
            let (done, row) = b.split_at_mut(i * m);
            row[..m].iter_mut().zip(&done[k * m..][..m]).for_each(|(v, d)| *v -= l * d);
        }
        b[i * m..][..m].iter_mut().for_each(|v| *v /= a[i * n + i]);
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            let l = a[k * n + i];
            let (row, done) = b.split_at_mut(k * m);
            row[i * m..][..m].iter_mut().zip(&done[..m]).for_each(|(v, d)| *v -= l * d);
        }
        b[i * m..][..m].iter_mut().for_each(|v| *v /= a[i * n + i]);
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn linear_equations_are_solved() {
        let x = solve(vec![4.0, 2.0, 2.0, 3.0], vec![8.0, 1.0, 7.0, 2.0], 2, 2);
        let expect = [1.25, -0.125, 1.5, 0.75];
        assert!(x.iter().zip(expect).all(|(a, b)| (a - b).abs() < 1e-12), "{x:?}");
    }

    #[test]
    fn unseen_tokens_get_the_row_that_the_linear_map_predicts() {
        // Rows are twice the embedding with its halves swapped, plus one; the last token was never
        // seen.
        let (dim, n) = (4, 60);
        let mut random = SplitMix64(3);
        let embeddings: Vec<f32> =
            (0..n * dim).map(|_| random.below(2001) as f32 / 1000.0 - 1.0).collect();
        let mut rows: Vec<f32> =
            embeddings.chunks(dim).flat_map(|e| [2, 3, 0, 1].map(|i| 2.0 * e[i] + 1.0)).collect();
        let expect = rows[(n - 1) * dim..].to_vec();
        rows[(n - 1) * dim..].fill(0.0);
        let counts: Vec<u64> =
            (0..n as u64).map(|i| if i + 1 == n as u64 { 0 } else { 100 }).collect();
        let predicted = predict_rows(&rows, &embeddings, &counts, dim);
        for (a, b) in predicted[(n - 1) * dim..].iter().zip(&expect) {
            assert!((a - b).abs() < 0.1, "{a} {b}");
        }
        assert!(predicted.iter().zip(&rows).take(dim).all(|(a, b)| (a - b).abs() < 0.01));
        assert_eq!(
            predict_rows(&rows[..8], &embeddings[..8], &counts[..2], dim),
            rows[..8],
            "too few to learn from"
        );
    }
}

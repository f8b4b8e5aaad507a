//! The rows with which training starts.

/// Returns the rows to start from: the teacher's embedding of each token alone (`dim` numbers
/// each), centred, times `a / (a + p)`, where `p` is the token's share of all tokens and `a` =
/// 0.001.
///
/// The mean for centring is taken over the tokens whose count is above 0.
pub fn initial_rows(token_embeddings: &[f32], counts: &[u64], dim: usize) -> Vec<f32> {
    const A: f64 = 1e-3;
    let total: u64 = counts.iter().sum::<u64>().max(1);
    let seen = || token_embeddings.chunks_exact(dim).zip(counts).filter(|(_, n)| **n > 0);
    let n_seen = seen().count().max(1) as f32;
    let mut mean = vec![0.0f32; dim];
    for (row, _) in seen() {
        mean.iter_mut().zip(row).for_each(|(m, v)| *m += v / n_seen);
    }
    let mut rows = Vec::with_capacity(token_embeddings.len());
    for (row, &n) in token_embeddings.chunks_exact(dim).zip(counts) {
        let weight = (A / (A + n as f64 / total as f64)) as f32;
        rows.extend(row.iter().zip(&mean).map(|(v, m)| (v - m) * weight));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_centred_and_rare_tokens_weigh_more() {
        let rows = initial_rows(&[1.0, 0.0, 0.0, 1.0, 9.0, 9.0], &[999, 1, 0], 2);
        assert_eq!(rows[2], -0.5 * (1e-3f64 / (1e-3 + 1e-3)) as f32);
        assert!(rows[0].abs() < rows[2].abs());
    }
}

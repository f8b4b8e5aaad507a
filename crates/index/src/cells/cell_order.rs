//! The order in which cells are stored.

use findling_bundle::cells::ALIKE;
use findling_encoder::dot;

use super::k_means::means;

/// Orders clusters so that each is as similar as possible to one before it. A centroid is stored as
/// the difference from an earlier one, so similar neighbours take fewer bytes.
///
/// The cells are in the order of a minimum spanning tree grown from the mean (Prim, *Shortest
/// connection networks and some generalizations*, 1957). It does not depend on the order of the
/// input.
pub fn order_by_similarity(
    centroids: Vec<f32>,
    mut members: Vec<Vec<u32>>,
    dim: usize,
) -> (Vec<f32>, Vec<Vec<u32>>) {
    let rows: Vec<&[f32]> = centroids.chunks_exact(dim.max(1)).collect();
    let mut mean = vec![0.0; dim];
    means(&centroids, dim, &[(0..rows.len() as u32).collect()], &mut mean);
    let far = |a: &[f32], b: &[f32]| (dot(a, a) + dot(b, b)) / 2.0 - dot(a, b);
    // For each remaining cluster, the distance to its best prediction so far.
    let mut left: Vec<(f32, usize)> = rows.iter().map(|row| far(row, &mean)).zip(0..).collect();
    let mut order = Vec::with_capacity(rows.len());
    let nearer = |a: &(f32, usize), b: &(f32, usize)| a.0.total_cmp(&b.0);
    while let Some((best, _)) = left.iter().enumerate().min_by(|a, b| nearer(a.1, b.1)) {
        let (_, next) = left.swap_remove(best);
        order.push(next);
        let expected: Vec<f32> = rows[next]
            .iter()
            .zip(&mean)
            .map(|(value, mean)| mean + (value - mean) * ALIKE)
            .collect();
        left.iter_mut()
            .for_each(|(least, cluster)| *least = least.min(far(rows[*cluster], &expected)));
    }
    let ordered = order.iter().flat_map(|&cluster| rows[cluster].iter().copied()).collect();
    (ordered, order.into_iter().map(|cluster| std::mem::take(&mut members[cluster])).collect())
}

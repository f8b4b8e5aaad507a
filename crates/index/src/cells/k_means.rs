//! Lloyd's algorithm (k-means).

use findling_encoder::dot;
use rayon::prelude::*;

/// Largest number of vectors that centroids are learned from.
pub const SAMPLE: usize = 30_000;

/// Rounds of Lloyd's algorithm. Further rounds change little.
pub const ROUNDS: usize = 8;

/// Returns at most `most` of the numbers below `n`, evenly spread.
pub fn evenly(n: usize, most: usize) -> Vec<u32> {
    let most = most.min(n);
    (0..most).map(|i| (i * n / most.max(1)) as u32).collect()
}

/// Assigns vectors to their nearest centroid. Of two equally near centroids, the lower number wins.
pub fn assign(values: &[f32], dim: usize, vectors: &[u32], centroids: &[f32]) -> Vec<Vec<u32>> {
    // |x - c|² = |x|² - 2 x·c + |c|². The first term is the same for all centroids.
    let halves: Vec<f32> =
        centroids.chunks_exact(dim.max(1)).map(|centroid| dot(centroid, centroid) / 2.0).collect();
    let nearest: Vec<u32> = vectors
        .par_iter()
        .map(|&vector| {
            let row = &values[vector as usize * dim..][..dim];
            let mut best = (f32::NEG_INFINITY, 0);
            for (i, (centroid, half)) in centroids.chunks_exact(dim.max(1)).zip(&halves).enumerate()
            {
                let near = dot(row, centroid) - half;
                if near > best.0 {
                    best = (near, i as u32);
                }
            }
            best.1
        })
        .collect();
    let mut members = vec![Vec::new(); halves.len()];
    for (&vector, cluster) in vectors.iter().zip(nearest) {
        members[cluster as usize].push(vector);
    }
    members
}

/// Moves each centroid to the mean of its vectors. A centroid without vectors stays.
pub fn means(values: &[f32], dim: usize, members: &[Vec<u32>], centroids: &mut [f32]) {
    centroids.par_chunks_exact_mut(dim.max(1)).zip(members).for_each(|(centroid, members)| {
        if members.is_empty() {
            return;
        }
        let mut sums = vec![0.0f64; dim];
        for &vector in members {
            let row = &values[vector as usize * dim..][..dim];
            sums.iter_mut().zip(row).for_each(|(sum, &value)| *sum += f64::from(value));
        }
        let n = members.len() as f64;
        centroid.iter_mut().zip(sums).for_each(|(value, sum)| *value = (sum / n) as f32);
    });
}

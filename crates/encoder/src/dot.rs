//! The dot product of two embeddings.

/// Returns the dot product of two vectors of the same length.
///
/// Sums in eight lanes and in a fixed order, so that the result is the same on every machine.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, rest_a), (b, rest_b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut lanes = [0.0f32; 8];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..8 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum::<f32>() + rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum::<f32>()
}

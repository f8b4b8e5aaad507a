//! Similarity of the sentences of a section that only meaning found.

#![doc(alias = "deferred")]

use findling_text::sentences::stretches;

use crate::vector::DensePoint;

/// Returns the end of each stretch of a section's text, with the cosine of its code and the query,
/// -1 to 1. Empty if the codes belong to another text. If there are several phrasings, the nearest
/// counts.
#[inline(never)]
pub(super) fn alike(points: &[DensePoint], codes: &[u64], text: &str) -> Vec<(usize, f32)> {
    if codes.is_empty() || points.is_empty() {
        return Vec::new();
    }
    let stretches = stretches(text);
    if codes.len() != stretches.len() {
        return Vec::new();
    }
    let likeness =
        |code| points.iter().map(|point| point.query.likeness(code)).fold(-1.0, f32::max);
    stretches.into_iter().zip(codes).map(|(stretch, &code)| (stretch.end, likeness(code))).collect()
}

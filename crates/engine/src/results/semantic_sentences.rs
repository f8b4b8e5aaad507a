//! Which sentences of a section that no word found are like the query.

#![doc(alias = "deferred")]

use findling_text::sentences::stretches;

use crate::vector::DensePoint;

/// Where each stretch of a section's text ends, with how like the query it is by its code, -1 to 1;
/// nothing where the codes are not those of the text. A query of several wordings is as like as the
/// likest of them.
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

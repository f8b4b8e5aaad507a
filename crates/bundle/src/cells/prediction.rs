//! The prediction of a row. A row is stored as its difference from the expected row.

use super::WHAT;
use super::coder::{Count, Models};
use super::steps::{Steps, steps};
use crate::Error;
use crate::range_coder::Decoder;
use crate::vectors::quantise;

/// The share of a similar centroid's difference from the mean that is expected for a centroid. A
/// share of 1 would pass on the errors of each centroid.
pub const ALIKE: f32 = 0.7;
/// A vector can be expected to have 1 to this many such parts of a similar vector's difference from
/// the centroid.
pub(super) const PARTS: u32 = 4;
/// A similar vector must bring the squared distance below this share, because the reference to it
/// takes bits.
const NEARER: f32 = 0.98;

/// Returns the expected row: `middle`, plus `share` of the difference between a similar row and
/// `middle`.
pub(super) fn expected_of(middle: &[f32], like: Option<(&[i8], f32)>, share: f32) -> Vec<f32> {
    let mut expected = middle.to_vec();
    if let Some((row, scale)) = like {
        for (number, &like) in expected.iter_mut().zip(row) {
            *number += (f32::from(like) * scale - *number) * share;
        }
    }
    expected
}

/// Returns the difference of two rows.
pub(super) fn less(row: &[f32], expected: &[f32]) -> Vec<f32> {
    row.iter().zip(expected).map(|(value, expected)| value - expected).collect()
}

/// Returns a row as a reader decodes it, in eight bits, from `expected` and the stored `rest`.
pub(super) fn read_back(expected: &[f32], rest: &[f32], sizes: &Steps) -> (Vec<i8>, f32) {
    let rest = rest.iter().zip(&sizes.of).map(|(&rest, &step)| steps(rest, step) as f32 * step);
    quantise(
        &expected.iter().zip(rest).map(|(expected, rest)| expected + rest).collect::<Vec<f32>>(),
    )
}

/// Returns the most similar of `others`: its distance backwards, and how many of [`PARTS`] of it to
/// expect; 0 and 0 if none is similar. All rows are differences from the same middle, in steps.
pub(super) fn likest(rest: &[f32], others: &[Vec<f32>]) -> (usize, u32) {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let whole = dot(rest, rest);
    let (mut best, mut least) = ((0, 0), whole * NEARER);
    for (back, other) in (1..).zip(others.iter().rev()) {
        let (common, square) = (dot(rest, other), dot(other, other));
        for part in 1..=PARTS {
            let share = part as f32 / PARTS as f32;
            let far = whole - 2.0 * share * common + share * share * square;
            if far < least {
                (best, least) = ((back, part), far);
            }
        }
    }
    best
}

/// Reads the reference from the row at `place` to a similar earlier row, and returns that row in
/// eight bits; `None` if there is no reference.
pub(super) fn like<'a>(
    decoder: &mut Decoder<'_>,
    models: &mut Models,
    place: usize,
    rows: &'a [i8],
    scales: &[f32],
    dim: usize,
) -> Result<Option<(&'a [i8], f32)>, Error> {
    let back = decoder.number(models.count(Count::Back))? as usize;
    if back == 0 {
        return Ok(None);
    }
    let at = place
        .checked_sub(back)
        .ok_or(Error::malformed(WHAT, "a row refers to a row before the first"))?;
    Ok(rows.get(at * dim..(at + 1) * dim).zip(scales.get(at).copied()))
}

//! The step sizes of dimensions, and numbers in steps.

use super::WHAT;
use crate::Error;

/// Added before a number of steps is rounded down. Less than a half, since zeros are cheapest to
/// code: at equal bytes, .5 loses a twentieth more.
pub(super) const ROUNDING: f32 = 0.4;
/// Fine steps in a step. A cell's centroid is stored in fine steps: it costs little if a cell has
/// many vectors, and the error of each of them depends on it.
pub(super) const FINE: f32 = 4.0;
/// The size that encodes the mean step.
pub(super) const SAME: u8 = 16;
/// The ratio of a size to the one below: a quarter of an octave.
const LARGER: f32 = 1.189_207_1;
/// Maximum number of sizes above or below the mean step.
const MAX_SIZES: f64 = 8.0;

/// The step size of each dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps {
    /// The geometric mean of all steps.
    pub(super) mean: f32,
    /// Each dimension's step in quarter octaves against the mean, [`SAME`] for the mean itself.
    pub(super) sizes: Vec<u8>,
    /// Each dimension's step.
    pub(super) of: Vec<f32>,
}

impl Steps {
    /// Steps from their stored form.
    ///
    /// # Errors
    /// If a step is not positive and finite.
    pub(super) fn new(mean: f32, sizes: Vec<u8>) -> Result<Self, Error> {
        // Only products are used, because they are the same on all hosts.
        let of = |&size: &u8| {
            let smaller = (size..SAME).fold(mean, |step, _| step / LARGER);
            (SAME..size).fold(smaller, |step, _| step * LARGER)
        };
        let of: Vec<f32> = sizes.iter().map(of).collect();
        if !of.iter().chain([&mean]).all(|step| step.is_finite() && *step > 0.0) {
            return Err(Error::malformed(WHAT, "a step is not positive and finite"));
        }
        Ok(Self { mean, sizes, of })
    }

    /// Returns the same step for all dimensions.
    ///
    /// # Errors
    /// If the step is not positive and finite.
    pub fn even(size: f32, dim: usize) -> Result<Self, Error> {
        Self::new(size, vec![SAME; dim])
    }

    /// Steps for `rows` of `dim` numbers each: the step of a dimension is inversely proportional to
    /// its standard deviation, within a factor of four of `mean`.
    ///
    /// # Errors
    /// The errors of [`even`](Self::even).
    pub fn of(
        rows: impl Iterator<Item = impl AsRef<[f32]>>,
        dim: usize,
        mean: f32,
    ) -> Result<Self, Error> {
        let (mut sums, mut squares, mut n) = (vec![0.0f64; dim], vec![0.0f64; dim], 0.0);
        for row in rows {
            n += 1.0;
            for ((sum, square), &value) in sums.iter_mut().zip(&mut squares).zip(row.as_ref()) {
                *sum += f64::from(value);
                *square += f64::from(value) * f64::from(value);
            }
        }
        let variances = sums.iter().zip(&squares).map(|(sum, square)| (square - sum * sum / n) / n);
        let octaves: Vec<f64> =
            variances.map(|variance| variance.max(1e-12).log2() / 2.0).collect();
        let middle = octaves.iter().sum::<f64>() / dim.max(1) as f64;
        let size = |octaves: &f64| {
            f64::from(SAME) - (4.0 * (octaves - middle)).round().clamp(-MAX_SIZES, MAX_SIZES)
        };
        Self::new(mean, octaves.iter().map(|octaves| size(octaves) as u8).collect())
    }

    /// Returns the same sizes for another mean step.
    pub(super) fn with_mean(&self, mean: f32) -> Result<Self, Error> {
        Self::new(mean, self.sizes.clone())
    }

    /// Returns the geometric mean of all steps.
    pub fn mean(&self) -> f32 {
        self.mean
    }

    /// Returns a row as a reader decodes it if it is stored in fine steps, like a cell's centroid.
    pub fn as_stored(&self, row: &[f32]) -> Vec<f32> {
        row.iter()
            .zip(&self.of)
            .map(|(&value, step)| fine(value, *step) as f32 * (step / FINE))
            .collect()
    }

    /// Returns a row with each number divided by the step of its dimension.
    pub(super) fn counted(&self, row: &[f32]) -> Vec<f32> {
        row.iter().zip(&self.of).map(|(value, step)| value / step).collect()
    }

    /// Returns the squared length of a row, in steps, times the square of the mean step.
    pub fn square(&self, row: &[f32]) -> f32 {
        self.counted(row).iter().map(|value| value * value).sum::<f32>() * self.mean * self.mean
    }
}

/// Returns a number in steps, rounded towards 0.
pub(super) fn steps(value: f32, step: f32) -> i32 {
    let steps = (value.abs() / step + ROUNDING) as i32;
    if value < 0.0 { -steps } else { steps }
}

/// Returns a number in fine steps. Numbers beyond the range saturate; NaN becomes 0.
pub(super) fn fine(value: f32, step: f32) -> i32 {
    (value / (step / FINE)).round() as i32
}

/// Returns the size of a fine step.
pub(super) fn fine_step(step: f32) -> f32 {
    step / FINE
}

//! A row of numbers in few bits.

use super::WHAT;
use crate::Error;

/// The step of [`Bits::Steps`], in standard deviations of a row's numbers.
const STEP: f32 = 0.42;
/// Added before a number of steps is rounded down. Less than a half, since zeros are cheapest to
/// code.
const ROUNDING: f32 = 0.45;
/// Scales of [`Bits::Steps`] are multiples of this in their upper half of an f32: four an octave.
const SCALE_STEP: u16 = 1 << 5;

/// Bits for each number of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub enum Bits {
    /// Four levels.
    Two = 0,
    /// Sixteen levels.
    Four = 1,
    /// 256 levels.
    Eight = 2,
    /// Sixteen levels in uniform steps, including 0. The form in a bundle, where rows are packed.
    Steps = 3,
}

impl Bits {
    /// The forms that a table can have, fewest bits first.
    pub const ALL: [Self; 3] = [Self::Two, Self::Four, Self::Eight];
    /// The forms that a bundle can have, by their numbers.
    pub(crate) const KNOWN: [Self; 4] = [Self::Two, Self::Four, Self::Eight, Self::Steps];

    /// Returns the number of bits.
    pub fn count(self) -> u32 {
        match self {
            Self::Two => 2,
            Self::Four | Self::Steps => 4,
            Self::Eight => 8,
        }
    }

    /// Returns the form in a bundle for rows with this form in a table.
    pub fn packed(self) -> Self {
        if self == Self::Four { Self::Steps } else { self }
    }

    /// Returns the form of a table with `count` bits.
    ///
    /// # Errors
    /// If `count` is not 2, 4 or 8.
    pub fn from_count(count: u32) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|bits| bits.count() == count).ok_or(Error::Malformed {
            what: WHAT,
            why: "expected rows of 2, 4 or 8 bits, found another number",
        })
    }

    /// Returns the bytes of a row of `dim` numbers.
    pub fn row_len(self, dim: usize) -> usize {
        (dim * self.count() as usize).div_ceil(8)
    }

    /// Returns the stored number that represents 0: half the number of levels, minus one half if 0
    /// is not a level.
    pub(super) fn offset(self) -> f32 {
        let half = (1u32 << self.count()) as f32 / 2.0;
        if self == Self::Steps { half } else { half - 0.5 }
    }
}

/// Returns the upper half of the nearest f32 whose lower half is zero. `scale` is at least 0.
pub(super) fn short(scale: f32) -> u16 {
    let bits = scale.to_bits();
    // Round to nearest; a carry into the exponent is right too.
    (bits.wrapping_add(0x8000) >> 16) as u16
}

/// Returns the f32 with this upper half and a lower half of zero.
pub(super) fn long(scale: u16) -> f32 {
    f32::from_bits(u32::from(scale) << 16)
}

/// Returns the stored number of a value.
pub(super) fn level(value: f32, scale: f32, bits: Bits) -> u8 {
    let top = ((1u32 << bits.count()) - 1) as f32;
    if bits == Bits::Steps {
        let steps = (value.abs() / scale + ROUNDING).floor();
        return (steps.copysign(value) + bits.offset()).clamp(0.0, top) as u8;
    }
    round_half_up(value / scale + bits.offset()).clamp(0.0, top) as u8
}

/// Rounds half up: an addition and a floor, exact in every implementation.
fn round_half_up(value: f32) -> f32 {
    (value + 0.5).floor()
}

/// Returns the scale of a row in uniform steps: a share of its numbers' standard deviation.
fn even(row: &[f32], max: f32) -> u16 {
    // Numbers are first divided by the largest, so that no square overflows.
    let square: f32 = row.iter().map(|v| (v / max) * (v / max)).sum();
    // Finer scales would gain no precision and cost bits.
    let scale = short((square / row.len().max(1) as f32).sqrt() * STEP * max);
    (scale + SCALE_STEP / 2) / SCALE_STEP * SCALE_STEP
}

/// Quantises a row: its scale, and its packed levels. The scale of [`Bits::Steps`] is a share of
/// the row's deviation; other scales minimise the squared error over a grid. Numbers that are not
/// finite count as 0.
pub fn quantise(row: &[f32], bits: Bits) -> (u16, Vec<u8>) {
    let row: Vec<f32> = row.iter().map(|&v| if v.is_finite() { v } else { 0.0 }).collect();
    let max = row.iter().fold(0.0f32, |max, v| max.max(v.abs()));
    let mut best = (f32::INFINITY, 0u16);
    if max > f32::MIN_POSITIVE * 1e6 && bits == Bits::Steps {
        best.1 = even(&row, max);
    } else if max > f32::MIN_POSITIVE * 1e6 {
        let full = max / bits.offset();
        // From a quarter of the scale that clips nothing to a little above it, in 60ths. The scale
        // that clips nothing is on the grid.
        for step in 15..=63 {
            let stored = short(full * (step as f32 / 60.0));
            let scale = long(stored);
            let error: f32 = row
                .iter()
                .map(|&v| {
                    let lost = v - (f32::from(level(v, scale, bits)) - bits.offset()) * scale;
                    lost * lost
                })
                .sum();
            if error < best.0 {
                best = (error, stored);
            }
        }
    }
    let scale = long(best.1);
    let mut packed = vec![0u8; bits.row_len(row.len())];
    if best.1 != 0 {
        let width = bits.count() as usize;
        for (i, &value) in row.iter().enumerate() {
            packed[i * width / 8] |= level(value, scale, bits) << (i * width % 8);
        }
    }
    (best.1, packed)
}

/// Adds `weight` times a quantised row to `sum`, up to the end of the shorter of the two.
pub fn add_row(scale: u16, packed: &[u8], bits: Bits, weight: f32, sum: &mut [f32]) {
    let scale = long(scale) * weight;
    if scale == 0.0 {
        return;
    }
    let width = bits.count();
    let mask = ((1u32 << width) - 1) as u8;
    let per_byte = 8 / width as usize;
    let offset = bits.offset();
    for (numbers, &byte) in sum.chunks_mut(per_byte).zip(packed) {
        for (i, number) in numbers.iter_mut().enumerate() {
            *number += (f32::from(byte >> (i as u32 * width) & mask) - offset) * scale;
        }
    }
}

/// Refuses a scale that is negative or not finite.
pub(super) fn check_scale(scale: u16) -> Result<(), Error> {
    let scale = long(scale);
    if scale.is_finite() && scale.is_sign_positive() {
        Ok(())
    } else {
        Err(Error::malformed(WHAT, "a scale is negative or not finite"))
    }
}

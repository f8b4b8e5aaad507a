//! Several predictions as one: their sum, stretched, by weights that learn from every bit. (Matthew
//! Mahoney, "Adaptive weighing of context models for lossless data compression", Florida Tech.,
//! CS-2005-16)
//!
//! In whole numbers that saturate alike on all hosts; with the instructions of WebAssembly, and in
//! words.

/// Predictions that are mixed: as many as a register has lanes.
pub(crate) const INPUTS: usize = 8;

/// One number for each prediction.
pub(crate) type Lanes = [i16; INPUTS];

/// A weight of one.
pub(crate) const WHOLE: i16 = 1 << 13;

/// What `weights` make of stretched `inputs`, within the limit of [`crate::logistic`].
#[inline(always)]
pub(crate) fn mix(weights: &Lanes, inputs: &Lanes) -> i32 {
    (dot(weights, inputs) >> 13).clamp(1 - crate::logistic::LIMIT, crate::logistic::LIMIT - 1)
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod host {
    use super::Lanes;

    pub(super) fn dot(a: &Lanes, b: &Lanes) -> i32 {
        a.iter().zip(b).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum()
    }

    /// Moves `weights` by `inputs` times `error`, in parts of 2^15.
    pub(crate) fn learn(weights: &mut Lanes, inputs: &Lanes, error: i16) {
        for (weight, &input) in weights.iter_mut().zip(inputs) {
            let step = (i32::from(input) * i32::from(error) + (1 << 14)) >> 15;
            *weight = weight.saturating_add(step as i16);
        }
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod host {
    use core::arch::wasm32::{
        i16x8, i16x8_add_sat, i16x8_extract_lane, i16x8_q15mulr_sat, i16x8_splat, i32x4_add,
        i32x4_dot_i16x8, i32x4_extract_lane, i64x2_shuffle, v128,
    };

    use super::Lanes;

    #[inline(always)]
    fn register(l: &Lanes) -> v128 {
        i16x8(l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7])
    }

    #[inline(always)]
    pub(super) fn dot(a: &Lanes, b: &Lanes) -> i32 {
        let four = i32x4_dot_i16x8(register(a), register(b));
        let two = i32x4_add(four, i64x2_shuffle::<1, 0>(four, four));
        i32x4_extract_lane::<0>(two) + i32x4_extract_lane::<1>(two)
    }

    #[inline(always)]
    pub(crate) fn learn(weights: &mut Lanes, inputs: &Lanes, error: i16) {
        let step = i16x8_q15mulr_sat(register(inputs), i16x8_splat(error));
        let next = i16x8_add_sat(register(weights), step);
        *weights = [
            i16x8_extract_lane::<0>(next),
            i16x8_extract_lane::<1>(next),
            i16x8_extract_lane::<2>(next),
            i16x8_extract_lane::<3>(next),
            i16x8_extract_lane::<4>(next),
            i16x8_extract_lane::<5>(next),
            i16x8_extract_lane::<6>(next),
            i16x8_extract_lane::<7>(next),
        ];
    }
}

use host::dot;
pub(crate) use host::learn;

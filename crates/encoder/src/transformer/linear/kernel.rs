//! Whole numbers times whole numbers: the inner loop of [`super::Linear`].
//!
//! Eight outputs at a time (a panel of weights) by up to [`MAX_TILE`] tokens (a block of activations), two inputs a
//! step: the 16 weights of a step are widened once and serve every token of the block, and no sum has to be added up
//! across lanes at the end. On wasm a step is one `i32x4.dot_i16x8_s` for each four outputs of each token, which LLVM
//! does not find by itself. Sums of integers are exact, so both forms below come to the same, and natively the plain
//! one is vectorised well enough (`pmaddwd`).

/// Outputs of a panel.
pub const PANEL: usize = 8;

/// Most tokens of a block: five are ten sums, which leaves room in 16 registers for what is multiplied.
pub const MAX_TILE: usize = 5;

/// The weights of [`PANEL`] outputs and two inputs.
pub type Step = lanes::Step;

/// Two inputs of one token, the first in the lower half.
pub fn pair(first: i16, second: i16) -> i32 {
    i32::from(first as u16) | i32::from(second) << 16
}

/// Packs the weights of a step, `[output][input]`.
pub fn step(weights: [[i8; 2]; PANEL]) -> Step {
    lanes::step(weights)
}

/// The sums of a panel for each token of a block.
#[inline]
pub fn tile<const TOKENS: usize>(panel: &[Step], block: &[[i32; TOKENS]]) -> [[i32; PANEL]; TOKENS] {
    lanes::tile(panel, block)
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod lanes {
    use super::PANEL;

    pub type Step = [[i8; 2]; PANEL];

    pub fn step(weights: [[i8; 2]; PANEL]) -> Step {
        weights
    }

    #[inline]
    pub fn tile<const TOKENS: usize>(panel: &[Step], block: &[[i32; TOKENS]]) -> [[i32; PANEL]; TOKENS] {
        let mut sums = [[0i32; PANEL]; TOKENS];
        for (weights, inputs) in panel.iter().zip(block) {
            for (sums, &pair) in sums.iter_mut().zip(inputs) {
                let (first, second) = (i32::from(pair as i16), pair >> 16);
                for (sum, [a, b]) in sums.iter_mut().zip(weights) {
                    *sum += i32::from(*a) * first + i32::from(*b) * second;
                }
            }
        }
        sums
    }
}

/// The same in wasm's own instructions.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod lanes {
    use core::arch::wasm32::{
        i16x8_extend_high_i8x16, i16x8_extend_low_i8x16, i32x4_add, i32x4_dot_i16x8, i32x4_extract_lane,
        i32x4_splat, u64x2, v128,
    };

    use super::PANEL;

    pub type Step = v128;

    pub fn step(weights: [[i8; 2]; PANEL]) -> Step {
        let half = |at: usize| u64::from_le_bytes(core::array::from_fn(|i| weights[at + i / 2][i % 2] as u8));
        u64x2(half(0), half(PANEL / 2))
    }

    #[inline]
    pub fn tile<const TOKENS: usize>(panel: &[Step], block: &[[i32; TOKENS]]) -> [[i32; PANEL]; TOKENS] {
        let mut sums = [[i32x4_splat(0); 2]; TOKENS];
        for (weights, inputs) in panel.iter().zip(block) {
            let (low, high) = (i16x8_extend_low_i8x16(*weights), i16x8_extend_high_i8x16(*weights));
            for (sums, &pair) in sums.iter_mut().zip(inputs) {
                let pair = i32x4_splat(pair);
                sums[0] = i32x4_add(sums[0], i32x4_dot_i16x8(low, pair));
                sums[1] = i32x4_add(sums[1], i32x4_dot_i16x8(high, pair));
            }
        }
        sums.map(|[low, high]| {
            let [a, b, c, d] = spread(low);
            let [e, f, g, h] = spread(high);
            [a, b, c, d, e, f, g, h]
        })
    }

    fn spread(lanes: v128) -> [i32; 4] {
        [
            i32x4_extract_lane::<0>(lanes),
            i32x4_extract_lane::<1>(lanes),
            i32x4_extract_lane::<2>(lanes),
            i32x4_extract_lane::<3>(lanes),
        ]
    }
}

//! The kernel in instructions of wasm.

use core::arch::wasm32::{
    i16x8_extend_high_i8x16, i16x8_extend_low_i8x16, i32x4_add, i32x4_dot_i16x8,
    i32x4_extract_lane, i32x4_splat, u64x2, v128,
};

/// Outputs of a panel.
pub const PANEL: usize = 8;

/// Maximum number of tokens of a block: five need ten registers for sums, which leaves six of 16
/// for the factors.
pub const MAX_TILE: usize = 5;

/// One weight.
pub type Weight = i8;

/// The weights of [`PANEL`] outputs and two inputs.
pub type Step = v128;

/// Packs the weights of a step, `[output][input]`.
pub fn step(weights: [[Weight; 2]; PANEL]) -> Step {
    let half =
        |at: usize| u64::from_le_bytes(core::array::from_fn(|i| weights[at + i / 2][i % 2] as u8));
    u64x2(half(0), half(PANEL / 2))
}

/// Computes the sums of a panel for each token of a block, of `sums.len()` tokens.
pub fn tile(panel: &[Step], block: &[i32], sums: &mut [[i32; PANEL]]) {
    match sums.len() {
        1 => of::<1>(panel, block, sums),
        2 => of::<2>(panel, block, sums),
        3 => of::<3>(panel, block, sums),
        4 => of::<4>(panel, block, sums),
        _ => of::<MAX_TILE>(panel, block, sums),
    }
}

#[inline]
fn of<const TOKENS: usize>(panel: &[Step], block: &[i32], out: &mut [[i32; PANEL]]) {
    let mut sums = [[i32x4_splat(0); 2]; TOKENS];
    for (weights, inputs) in panel.iter().zip(block.as_chunks::<TOKENS>().0) {
        let (low, high) = (i16x8_extend_low_i8x16(*weights), i16x8_extend_high_i8x16(*weights));
        for (sums, &pair) in sums.iter_mut().zip(inputs) {
            let pair = i32x4_splat(pair);
            sums[0] = i32x4_add(sums[0], i32x4_dot_i16x8(low, pair));
            sums[1] = i32x4_add(sums[1], i32x4_dot_i16x8(high, pair));
        }
    }
    for (out, [low, high]) in out.iter_mut().zip(sums) {
        let [a, b, c, d] = spread(low);
        let [e, f, g, h] = spread(high);
        *out = [a, b, c, d, e, f, g, h];
    }
}

fn spread(lanes: v128) -> [i32; 4] {
    [
        i32x4_extract_lane::<0>(lanes),
        i32x4_extract_lane::<1>(lanes),
        i32x4_extract_lane::<2>(lanes),
        i32x4_extract_lane::<3>(lanes),
    ]
}

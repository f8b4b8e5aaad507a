//! The integer matrix product: the inner loop of [`super::Linear`].
//!
//! It multiplies a panel of weights, for [`PANEL`] outputs, with a block of activations, for up to
//! [`MAX_TILE`] tokens. A step is two inputs: its weights are read once for all tokens of the
//! block, and no sum has to be added across lanes at the end. Sums of integers are exact, so all
//! forms give the same result:
//!
//! - on wasm a step is one `i32x4.dot_i16x8_s` for each four outputs of each token, which LLVM does
//!   not generate by itself; weights have 8 bits and are widened once for all tokens of a block;
//! - on x86 with AVX-512 it is one `vpdpwssd` for 16 outputs, with AVX2 `vpmaddwd` and `vpaddd` for
//!   8;
//! - elsewhere it is a plain loop, which LLVM vectorises well enough.
//!
//! Natively, weights have 16 bits, since memory suffices.

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod native;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use native as lanes;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use wasm as lanes;

pub use lanes::{MAX_TILE, PANEL, Step, Weight, step, tile};

/// Packs two inputs of one token, the first in the lower half.
pub fn pair(first: i16, second: i16) -> i32 {
    i32::from(first as u16) | i32::from(second) << 16
}

//! Whole numbers times whole numbers: the inner loop of [`super::Linear`].
//!
//! So many outputs at a time (a panel of weights) by up to [`MAX_TILE`] tokens (a block of
//! activations), two inputs a step: the weights of a step are read once and serve every token of
//! the block, and no sum has to be added up across lanes at the end. Sums of integers are exact, so
//! all forms below come to the same:
//!
//! - on wasm a step is one `i32x4.dot_i16x8_s` for each four outputs of each token, which LLVM does
//!   not find by itself; weights are 8 bits and widened once for all tokens of a block;
//! - on x86 with AVX-512 it is one `vpdpwssd` for 16 outputs, with AVX2 `vpmaddwd` and `vpaddd` for
//!   8;
//! - elsewhere a plain loop, which LLVM vectorises well enough.
//!
//! Natively weights are 16 bits, which memory has room for.

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod native;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use native as lanes;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use wasm as lanes;

pub use lanes::{MAX_TILE, PANEL, Step, Weight, step, tile};

/// Two inputs of one token, the first in the lower half.
pub fn pair(first: i16, second: i16) -> i32 {
    i32::from(first as u16) | i32::from(second) << 16
}

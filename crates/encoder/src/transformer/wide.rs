//! Plain loops in the widest vectors of the processor.

use fearless_simd::{Level, Simd, dispatch};

/// Runs `work`, compiled for the features of the processor. `work` and its callees must be inlined
/// here, so mark them `#[inline(always)]`. Products and sums are never contracted, so the result is
/// the same on every processor.
#[inline]
pub fn wide<R>(work: impl FnOnce() -> R) -> R {
    dispatch!(Level::new(), simd => simd.vectorize(work))
}

/// Lanes of a sum. With a fixed number, vectors of any width add in the same order.
pub const LANES: usize = 16;

/// Returns the sum, the same on every processor.
#[inline(always)]
pub fn sum(values: &[f32]) -> f32 {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut lanes = [0.0f32; LANES];
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane += value;
        }
    }
    for (lane, &value) in lanes.iter_mut().zip(rest) {
        *lane += value;
    }
    // Add the upper half of the lanes to the lower half, and so on.
    let mut width = LANES / 2;
    while width > 0 {
        for i in 0..width {
            lanes[i] += lanes[i + width];
        }
        width /= 2;
    }
    lanes[0]
}

/// Returns the largest value. `f32::max` is a function call on wasm, because of its handling of
/// NaN.
#[inline(always)]
pub fn largest(values: &[f32]) -> f32 {
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut lanes = [f32::NEG_INFINITY; LANES];
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane = larger(*lane, value);
        }
    }
    lanes.into_iter().chain(rest.iter().copied()).fold(f32::NEG_INFINITY, larger)
}

/// Computes `e` to the power of `x`, for `x` up to 0, within two units in the last place. The
/// polynomial comes from Cephes' `expf`. It has no branches and gives the same result on every
/// processor.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // Added to a number from which on f32 has no fractions, and taken away again, it is the nearest
    // integer, whose bits stay at the end.
    const NO_FRACTIONS: f32 = 12_582_912.0;
    // ln 2 in two parts, the first of which times an integer is exact.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let x = if x > -87.0 { x } else { -87.0 };
    let shifted = x * std::f32::consts::LOG2_E + NO_FRACTIONS;
    let n = shifted - NO_FRACTIONS;
    let r = x - n * LN_2[0] - n * LN_2[1];
    let mut y = 1.987_569_1e-4;
    for c in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 5e-1] {
        y = y * r + c;
    }
    let y = y * (r * r) + r + 1.0;
    y * f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_equals_the_library_s() {
        for i in 0..=87_000 {
            let x = -(i as f32) / 1000.0;
            let (found, expected) = (f64::from(exp(x)), f64::from(x).exp());
            assert!(
                (found / expected - 1.0).abs() < 2.5e-7,
                "exp({x}) is {expected}, found {found}"
            );
        }
        assert!(exp(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn sums_and_largest_take_every_number() {
        for n in [0usize, 1, 15, 16, 17, 32, 100] {
            let values: Vec<f32> = (0..n).map(|i| i as f32 + 1.0).collect();
            assert_eq!(sum(&values), (n * (n + 1) / 2) as f32);
            assert_eq!(wide(|| sum(&values)), (n * (n + 1) / 2) as f32);
            let most = if n == 0 { f32::NEG_INFINITY } else { n as f32 };
            assert_eq!(largest(&values), most);
        }
    }
}

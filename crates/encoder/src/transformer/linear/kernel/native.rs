//! The native kernel, chosen by the features of the processor.

/// Outputs of a panel.
pub const PANEL: usize = 32;

/// Maximum number of tokens of a block. Twelve tokens need 24 sums of 16 lanes; there are 32
/// registers.
pub const MAX_TILE: usize = 12;

/// One weight.
pub type Weight = i16;

/// The weights of [`PANEL`] outputs and two inputs: two cache lines.
#[derive(Clone)]
#[repr(align(64))]
pub struct Step([[Weight; 2]; PANEL]);

/// Packs the weights of a step, `[output][input]`.
pub fn step(weights: [[Weight; 2]; PANEL]) -> Step {
    Step(weights)
}

/// Computes the sums of a panel for each token of a block, of `sums.len()` tokens.
pub fn tile(panel: &[Step], block: &[i32], sums: &mut [[i32; PANEL]]) {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        let level = fearless_simd::Level::new();
        if let Some(avx512) = level.as_avx512() {
            return x86::tile_avx512(avx512, panel, block, sums);
        }
        if let Some(avx2) = level.as_avx2() {
            return x86::tile_avx2(avx2, panel, block, sums);
        }
    }
    plain(panel, block, sums);
}

/// Computes the plain form. All other forms give the same results.
fn plain(panel: &[Step], block: &[i32], sums: &mut [[i32; PANEL]]) {
    sums.fill([0; PANEL]);
    for (weights, inputs) in panel.iter().zip(block.chunks_exact(sums.len())) {
        for (sums, &pair) in sums.iter_mut().zip(inputs) {
            let (first, second) = (i32::from(pair as i16), pair >> 16);
            for (sum, [a, b]) in sums.iter_mut().zip(&weights.0) {
                *sum += i32::from(*a) * first + i32::from(*b) * second;
            }
        }
    }
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86 {
    #[cfg(target_arch = "x86")]
    use core::arch::x86::*;
    #[cfg(target_arch = "x86_64")]
    use core::arch::x86_64::*;

    use fearless_simd::{Avx2, Avx512, SimdBase, SimdInto, i16x16, i16x32, i32x8, i32x16};

    use super::{MAX_TILE, PANEL, Step};

    /// Tokens whose sums fit the 16 registers of AVX2.
    const FEW: usize = MAX_TILE / 2;

    fearless_simd::kernel!(
        /// Computes any number of tokens, `sums.len()`, up to [`MAX_TILE`].
        #[inline(never)]
        pub fn tile_avx512(simd: Avx512, panel: &[Step], block: &[i32], sums: &mut [[i32; PANEL]]) {
            match sums.len() {
                1 => avx512::<1>(simd, panel, block, sums),
                2 => avx512::<2>(simd, panel, block, sums),
                3 => avx512::<3>(simd, panel, block, sums),
                4 => avx512::<4>(simd, panel, block, sums),
                5 => avx512::<5>(simd, panel, block, sums),
                6 => avx512::<6>(simd, panel, block, sums),
                7 => avx512::<7>(simd, panel, block, sums),
                8 => avx512::<8>(simd, panel, block, sums),
                9 => avx512::<9>(simd, panel, block, sums),
                10 => avx512::<10>(simd, panel, block, sums),
                11 => avx512::<11>(simd, panel, block, sums),
                _ => avx512::<MAX_TILE>(simd, panel, block, sums),
            }
        }
    );

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    fn avx512<const TOKENS: usize>(
        simd: Avx512,
        panel: &[Step],
        block: &[i32],
        out: &mut [[i32; PANEL]],
    ) {
        let mut sums = [[_mm512_setzero_si512(); 2]; TOKENS];
        for (weights, inputs) in panel.iter().zip(block.as_chunks::<TOKENS>().0) {
            let weights = weights.0.as_flattened();
            let low: __m512i = i16x32::from_slice(simd, &weights[..PANEL]).into();
            let high: __m512i = i16x32::from_slice(simd, &weights[PANEL..]).into();
            for (sums, &pair) in sums.iter_mut().zip(inputs) {
                let pair = _mm512_set1_epi32(pair);
                sums[0] = _mm512_dpwssd_epi32(sums[0], low, pair);
                sums[1] = _mm512_dpwssd_epi32(sums[1], high, pair);
            }
        }
        for (out, [low, high]) in out.iter_mut().zip(sums) {
            let (low, high): (i32x16<Avx512>, i32x16<Avx512>) =
                (low.simd_into(simd), high.simd_into(simd));
            low.store_slice(&mut out[..PANEL / 2]);
            high.store_slice(&mut out[PANEL / 2..]);
        }
    }

    fearless_simd::kernel!(
        /// Computes the same, a half of the outputs by [`FEW`] tokens at a time.
        #[inline(never)]
        pub fn tile_avx2(simd: Avx2, panel: &[Step], block: &[i32], sums: &mut [[i32; PANEL]]) {
            let tokens = sums.len();
            for (i, sums) in sums.chunks_mut(FEW).enumerate() {
                for half in 0..2 {
                    let at = (tokens, i * FEW, half);
                    match sums.len() {
                        1 => avx2::<1>(simd, panel, block, at, sums),
                        2 => avx2::<2>(simd, panel, block, at, sums),
                        3 => avx2::<3>(simd, panel, block, at, sums),
                        4 => avx2::<4>(simd, panel, block, at, sums),
                        5 => avx2::<5>(simd, panel, block, at, sums),
                        _ => avx2::<FEW>(simd, panel, block, at, sums),
                    }
                }
            }
        }
    );

    #[inline]
    #[target_feature(enable = "avx2")]
    fn avx2<const TOKENS: usize>(
        simd: Avx2,
        panel: &[Step],
        block: &[i32],
        (tokens, from, half): (usize, usize, usize),
        out: &mut [[i32; PANEL]],
    ) {
        let mut sums = [[_mm256_setzero_si256(); 2]; TOKENS];
        for (weights, inputs) in panel.iter().zip(block.chunks_exact(tokens)) {
            let weights = &weights.0.as_flattened()[half * PANEL..][..PANEL];
            let Some(inputs) = inputs[from..].first_chunk::<TOKENS>() else { return };
            let low: __m256i = i16x16::from_slice(simd, &weights[..PANEL / 2]).into();
            let high: __m256i = i16x16::from_slice(simd, &weights[PANEL / 2..]).into();
            for (sums, &pair) in sums.iter_mut().zip(inputs) {
                let pair = _mm256_set1_epi32(pair);
                sums[0] = _mm256_add_epi32(sums[0], _mm256_madd_epi16(low, pair));
                sums[1] = _mm256_add_epi32(sums[1], _mm256_madd_epi16(high, pair));
            }
        }
        for (out, [low, high]) in out.iter_mut().zip(sums) {
            let (low, high): (i32x8<Avx2>, i32x8<Avx2>) =
                (low.simd_into(simd), high.simd_into(simd));
            let out = &mut out[half * PANEL / 2..][..PANEL / 2];
            low.store_slice(&mut out[..PANEL / 4]);
            high.store_slice(&mut out[PANEL / 4..]);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::{plain, step};
        use super::*;

        /// Compares both forms with the plain one, for each number of tokens.
        #[test]
        fn every_form_comes_to_the_same() {
            const INPUTS: usize = 74;
            let level = fearless_simd::Level::new();
            let number = |i: usize| ((i * 7919 + 12_345) % 65_536) as u16 as i16;
            let weight = |i: usize| number(i) >> 6;
            let panel: Vec<Step> = (0..INPUTS / 2)
                .map(|at| {
                    step(std::array::from_fn(|i| [weight(at * 64 + i), weight(at * 64 + i + 32)]))
                })
                .collect();
            for tokens in 1..=MAX_TILE {
                let block: Vec<i32> = (0..INPUTS / 2 * tokens)
                    .map(|i| super::super::super::pair(number(i * 31), number(i * 17 + 5)))
                    .collect();
                let mut expected = vec![[7; PANEL]; tokens];
                plain(&panel, &block, &mut expected);
                let mut forms = 0;
                if let Some(avx512) = level.as_avx512() {
                    let mut found = vec![[1; PANEL]; tokens];
                    tile_avx512(avx512, &panel, &block, &mut found);
                    assert_eq!(found, expected, "AVX-512, {tokens} tokens");
                    forms += 1;
                }
                if let Some(avx2) = level.as_avx2() {
                    let mut found = vec![[1; PANEL]; tokens];
                    tile_avx2(avx2, &panel, &block, &mut found);
                    assert_eq!(found, expected, "AVX2, {tokens} tokens");
                    forms += 1;
                }
                if forms < 2 && tokens == 1 {
                    println!("skipped: {} of 2 forms are not for this processor", 2 - forms);
                }
            }
        }
    }
}

//! The inner loop of the dense leg: an i8 row times an i16 query.
//!
//! Integer sums are exact and independent of the order, so every machine may add in any order and
//! all compute the same score. Sums of floats have neither property. On x86-64 and AArch64 LLVM
//! vectorises the plain loop (`pmaddwd`, `smlal`). On wasm it does not find `i32x4.dot_i16x8_s`,
//! and at the optimisation level for size, used for browsers, it does not vectorise at all. So
//! [`lanes`] has a second form with intrinsics, all of which are safe.

use findling_bundle::sentences::BITS;

use crate::api::Error;

/// A query, normalised to length 1 and quantised.
///
/// Numbers are i16. This costs no time, because i8 must be widened before a multiplication anyway.
/// So the rounding error of the query is negligible beside the error of the rows.
#[derive(Clone, Debug)]
pub struct QuantisedQuery {
    values: Vec<lanes::Block>,
    dim: usize,
    /// The scale: the number that 1 in `values` represents.
    scale: f32,
    /// The sum of its first numbers' magnitudes.
    most: i32,
}

impl QuantisedQuery {
    /// Normalises and quantises an embedding.
    ///
    /// # Errors
    /// [`Error::Vector`] if its length is not `dim`, a number is not finite, or all are 0.
    pub fn new(values: &[f32], dim: u32) -> Result<Self, Error> {
        if values.len() != dim as usize {
            return Err(Error::Vector {
                message: format!(
                    "expected a query vector of {dim} numbers, found {}; embed the query by the \
                     encoder that the bundle names",
                    values.len()
                ),
            });
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::Vector {
                message: format!(
                    "expected finite numbers, found {} at place {at} of the query vector; see what \
                     the encoder did",
                    values[at]
                ),
            });
        }
        // Computed in f64, in which the square of an f32 neither overflows nor vanishes, and in
        // order, so that hosts agree.
        let norm =
            values.iter().map(|&value| f64::from(value) * f64::from(value)).sum::<f64>().sqrt();
        let largest = values.iter().fold(0.0f64, |max, &value| max.max(f64::from(value).abs()));
        if norm == 0.0 {
            return Err(Error::Vector {
                message: "expected a query vector other than 0; an empty query has no meaning to \
                     search by, ask for lexical mode"
                    .into(),
            });
        }
        let qmax = f64::from(qmax(values.len()));
        let quantised: Vec<i16> = values
            .iter()
            .map(|&value| (f64::from(value) / largest * qmax).round() as i16)
            .collect();
        Ok(Self {
            values: lanes::blocks(&quantised),
            dim: values.len(),
            scale: (largest / norm / qmax) as f32,
            most: quantised.iter().take(BITS).map(|&value| i32::from(value).abs()).sum(),
        })
    }

    /// Returns the length of the vector.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Returns the cosine with a row that represents a vector of length 1. If the lengths of row
    /// and query differ, only their common part counts.
    #[inline]
    pub fn similarity(&self, row: &[i8], scale: f32) -> f32 {
        lanes::dot(row, &self.values) as f32 * (scale * self.scale)
    }

    /// Returns the quantised numbers. O(dim²): each one is read by a product with a unit vector,
    /// since the order in memory depends on the machine.
    pub fn values(&self) -> Vec<f32> {
        let mut row = vec![0; self.dim];
        let mut value = |i: usize| {
            row[i] = 1;
            let value = self.similarity(&row, 1.0);
            row[i] = 0;
            value
        };
        (0..self.dim).map(&mut value).collect()
    }
}

impl QuantisedQuery {
    /// Returns the similarity of a vector, given only the signs of its first numbers: -1 if all
    /// signs differ from the query's, 1 if none differs.
    pub fn likeness(&self, code: u64) -> f32 {
        let row: [i8; BITS] = std::array::from_fn(|i| if code >> i & 1 == 1 { 1 } else { -1 });
        lanes::dot(&row, &self.values) as f32 / self.most.max(1) as f32
    }
}

/// Returns the largest magnitude of a query's numbers at which the sum of `dim` products with int8
/// cannot overflow an i32: 32,767 up to dimension 512, 4,095 at 4,096.
fn qmax(dim: usize) -> i16 {
    let most = i32::MAX as u64 / (128 * dim.max(1) as u64);
    most.min(i16::MAX as u64) as i16
}

/// Blocks of eight numbers of a query, the last one padded with zeros, and the exact sum of their
/// products with a row, over the common length.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod lanes {
    pub type Block = [i16; 8];

    pub fn blocks(values: &[i16]) -> Vec<Block> {
        let block = |chunk: &[i16]| std::array::from_fn(|i| chunk.get(i).copied().unwrap_or(0));
        values.chunks(8).map(block).collect()
    }

    #[inline]
    pub fn dot(row: &[i8], query: &[Block]) -> i32 {
        row.iter().zip(query.as_flattened()).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum()
    }
}

/// The same blocks and sum, with SIMD instructions of wasm.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod lanes {
    use core::arch::wasm32::{
        i16x8, i16x8_extend_low_i8x16, i32x4_add, i32x4_dot_i16x8, i32x4_extract_lane, i32x4_splat,
        u64x2, v128,
    };

    pub type Block = v128;

    pub fn blocks(values: &[i16]) -> Vec<Block> {
        let block = |chunk: &[i16]| {
            let at = |i: usize| chunk.get(i).copied().unwrap_or(0);
            i16x8(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7))
        };
        values.chunks(8).map(block).collect()
    }

    #[inline]
    pub fn dot(row: &[i8], query: &[Block]) -> i32 {
        let (chunks, rest) = row.as_chunks::<8>();
        let mut sum = i32x4_splat(0);
        for (chunk, block) in chunks.iter().zip(query) {
            sum = i32x4_add(sum, product(*chunk, *block));
        }
        if let (false, Some(block)) = (rest.is_empty(), query.get(chunks.len())) {
            let mut chunk = [0; 8];
            chunk[..rest.len()].copy_from_slice(rest);
            sum = i32x4_add(sum, product(chunk, *block));
        }
        i32x4_extract_lane::<0>(sum)
            + i32x4_extract_lane::<1>(sum)
            + i32x4_extract_lane::<2>(sum)
            + i32x4_extract_lane::<3>(sum)
    }

    #[inline]
    fn product(chunk: [i8; 8], block: Block) -> v128 {
        i32x4_dot_i16x8(
            i16x8_extend_low_i8x16(u64x2(u64::from_le_bytes(chunk.map(|q| q as u8)), 0)),
            block,
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_sum_is_the_one_of_wide_integers(
            row in prop::collection::vec(any::<i8>(), 0..1100),
            query in prop::collection::vec(-32767i16..=32767, 0..1100),
        ) {
            let dim = row.len().min(query.len());
            let most = qmax(dim);
            let query: Vec<i16> = query.into_iter().map(|value| value.clamp(-most, most)).collect();
            let products = row.iter().zip(&query).map(|(&a, &b)| i64::from(a) * i64::from(b));
            let expect: i64 = products.sum();
            prop_assert_eq!(i64::from(lanes::dot(&row, &lanes::blocks(&query))), expect);
        }

        #[test]
        fn a_quantised_query_keeps_its_direction(
            values in prop::collection::vec(-1.0f32..1.0, 1..600),
            row: [i8; 600],
        ) {
            prop_assume!(values.iter().any(|&v| v.abs() > 1e-3));
            let query = QuantisedQuery::new(&values, values.len() as u32).unwrap();
            let norm = values.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt();
            let row = &row[..values.len()];
            let products = row.iter().zip(&values).map(|(&a, &b)| f64::from(a) * f64::from(b));
            let exact = products.map(|product| product / norm).sum::<f64>();
            let length = row.iter().map(|&a| f64::from(a).powi(2)).sum::<f64>().sqrt();
            let error = (f64::from(query.similarity(row, 1.0)) - exact).abs();
            prop_assert!(error <= 1e-3 * length.max(1.0));
            for (read, value) in query.values().into_iter().zip(&values) {
                prop_assert!((f64::from(read) - f64::from(*value) / norm).abs() <= 1e-3);
            }
            prop_assert_eq!(query.values().len(), values.len());
        }
    }

    #[test]
    fn the_largest_sums_do_not_overflow() {
        for dim in [1usize, 384, 512, 513, 768, 1024, 4096] {
            let most = qmax(dim);
            let expect = -128 * i64::from(most) * dim as i64;
            assert_eq!(
                i64::from(lanes::dot(&vec![-128; dim], &lanes::blocks(&vec![most; dim]))),
                expect
            );
            assert!(most >= 4095);
        }
    }

    #[test]
    fn likeness_is_of_signs() {
        let values = [0.5, -0.25, 0.25, -1.0];
        let query = QuantisedQuery::new(&values, 4).unwrap();
        let code = findling_bundle::sentences::code;
        assert_eq!(query.likeness(code(&values)), 1.0);
        assert_eq!(query.likeness(code(&values.map(|value| -value))), -1.0);
        assert!((query.likeness(code(&[1.0, 1.0, 1.0, -1.0])) - 0.75).abs() < 1e-3);
    }

    #[test]
    fn a_vector_that_is_no_query_is_refused() {
        fn check(values: &[f32], part: &str) {
            let error = QuantisedQuery::new(values, 3).expect_err(part);
            assert!(error.to_string().contains(part), "{error}");
        }
        check(&[1.0, 2.0], "3 numbers, found 2");
        check(&[1.0, f32::NAN, 0.0], "NaN at place 1");
        check(&[1.0, 2.0, f32::INFINITY], "inf at place 2");
        check(&[0.0; 3], "other than 0");
        for tiny in [[1e-45, 0.0, 0.0], [3e38, -3e38, 3e38]] {
            let query = QuantisedQuery::new(&tiny, 3).unwrap();
            assert!(query.similarity(&[127, 0, 0], 1.0 / 127.0) <= 1.001);
        }
    }
}

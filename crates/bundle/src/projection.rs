//! The projection from the transformer's space to the fewer dimensions that a bundle stores: "how
//! does a 384-dimensional vector become a 256-dimensional one?"
//!
//! Its rows are orthonormal: the leading principal components of the transformer's space,
//! uncentred, so that cosines are preserved as well as possible with this number of dimensions.
//! Documents and the rows of the static encoder are projected when the bundle is built. A reader
//! needs the matrix only for a vector in the transformer's dimensions.
//!
//! | field | encoding |
//! |---|---|
//! | `from` | u32: dimensions of the transformer's space |
//! | `to` | u32: dimensions kept, at most `from` |
//! | matrix | `to * from` i16, row by row: 32,767ths |

use crate::Error;
use crate::codec::Reader;
use crate::limits::MAX_DIM;

const WHAT: &str = "projection";
const UNIT: f32 = 32_767.0;

/// A linear map with (nearly) orthonormal rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    from: u32,
    /// `to` rows of `from` numbers, as stored: multiples of 1/32,767.
    matrix: Vec<i16>,
}

impl Projection {
    /// Makes a projection from rows of `from` numbers each, all within -1 and 1. Rounds them to the
    /// stored form.
    ///
    /// # Errors
    /// If the shape is not `to` rows of `from` numbers with `to <= from`.
    pub fn new(from: u32, rows: &[f32]) -> Result<Self, Error> {
        if from == 0 || from > MAX_DIM || !rows.len().is_multiple_of(from as usize) {
            return Err(Error::malformed(
                WHAT,
                "expected whole rows of 1 to 4,096 numbers, found another shape",
            ));
        }
        if rows.is_empty() || rows.len() / from as usize > from as usize {
            return Err(Error::malformed(WHAT, "expected 1 to `from` rows, found another number"));
        }
        // Numbers outside -1..1 saturate, NaN becomes 0.
        Ok(Self { from, matrix: rows.iter().map(|v| (v * UNIT + 0.5).floor() as i16).collect() })
    }

    /// Returns the number of dimensions of the transformer's vectors.
    pub fn from_dim(&self) -> u32 {
        self.from
    }

    /// Returns the number of dimensions that are kept.
    pub fn to_dim(&self) -> u32 {
        (self.matrix.len() / self.from as usize) as u32
    }

    /// Returns the stored matrix, row by row: [`Self::to_dim`] rows of [`Self::from_dim`] numbers.
    pub fn rows(&self) -> Vec<f32> {
        self.matrix.iter().map(|&v| f32::from(v) / UNIT).collect()
    }

    /// Projects a vector and scales the result to length 1; zeros stay zeros. Sums are in a fixed
    /// order, so that the result is the same on all hosts.
    ///
    /// # Errors
    /// If the vector does not have [`Self::from_dim`] numbers.
    pub fn apply(&self, vector: &[f32]) -> Result<Vec<f32>, Error> {
        if vector.len() != self.from as usize {
            return Err(Error::Length {
                what: "dimensions of a vector to project",
                expected: self.from.into(),
                got: vector.len() as u64,
            });
        }
        let dot = |row: &[i16]| {
            row.iter().zip(vector).fold(0.0f32, |sum, (&m, &v)| sum + f32::from(m) * v)
        };
        let mut out: Vec<f32> = self.matrix.chunks_exact(self.from as usize).map(dot).collect();
        let norm = out.iter().fold(0.0f32, |sum, v| sum + v * v).sqrt();
        if norm > 0.0 {
            out.iter_mut().for_each(|v| *v /= norm);
        }
        Ok(out)
    }

    /// Returns the shard's raw bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(8 + 2 * self.matrix.len());
        out.extend_from_slice(&self.from.to_le_bytes());
        out.extend_from_slice(&self.to_dim().to_le_bytes());
        out.extend(self.matrix.iter().flat_map(|v| v.to_le_bytes()));
        out
    }

    /// Reads and checks the output of [`Self::to_bytes`].
    ///
    /// # Errors
    /// If the bytes break the format.
    pub fn from_bytes(raw: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(raw, WHAT);
        let from = reader.u32()?;
        let to = reader.u32()?;
        if from == 0 || from > MAX_DIM || to == 0 || to > from {
            return Err(reader.malformed("expected 1 to `from` rows, found another number"));
        }
        let n = from as usize * to as usize;
        let numbers = reader.take(2 * n)?;
        reader.finish()?;
        let matrix = numbers.chunks_exact(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect();
        Ok(Self { from, matrix })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn projection_keeps_the_dimensions_of_its_rows() {
        let projection = Projection::new(3, &[0.0, 1.0, 0.0, 0.0, 0.0, 1.0]).unwrap();
        assert_eq!((projection.from_dim(), projection.to_dim()), (3, 2));
        let out = projection.apply(&[9.0, 3.0, 4.0]).unwrap();
        assert!((out[0] - 0.6).abs() < 1e-6 && (out[1] - 0.8).abs() < 1e-6);
        assert_eq!(projection.apply(&[1.0, 0.0, 0.0]).unwrap(), [0.0, 0.0]);
        assert!(projection.apply(&[1.0]).is_err());
    }

    #[test]
    fn other_shapes_are_refused() {
        assert!(Projection::new(0, &[]).is_err());
        assert!(Projection::new(2, &[]).is_err());
        assert!(Projection::new(2, &[1.0; 3]).is_err());
        assert!(Projection::new(2, &[1.0; 6]).is_err());
    }

    proptest! {
        #[test]
        fn written_projections_are_read_back(rows in prop::collection::vec(-1.0f32..1.0, 6)) {
            let projection = Projection::new(3, &rows).unwrap();
            prop_assert!(
                projection.rows().iter().zip(&rows).all(|(a, b)| (a - b).abs() <= 0.51 / UNIT)
            );
            prop_assert_eq!(Projection::from_bytes(&projection.to_bytes()).unwrap(), projection);
        }

        #[test]
        fn accepted_bytes_are_written_again(from in 0u32..9, to in 0u32..9, rest: Vec<u8>) {
            let raw = [&from.to_le_bytes()[..], &to.to_le_bytes(), &rest].concat();
            let fits = (1..=from).contains(&to) && rest.len() as u32 == 2 * from * to;
            prop_assert_eq!(Projection::from_bytes(&raw).is_ok(), fits);
            if let Ok(projection) = Projection::from_bytes(&raw) {
                prop_assert_eq!(projection.to_bytes(), raw);
            }
        }
    }

    #[test]
    fn every_truncation_is_refused() {
        let good = Projection::new(3, &[0.5; 6]).unwrap().to_bytes();
        assert!((0..good.len()).all(|end| Projection::from_bytes(&good[..end]).is_err()));
        assert!(Projection::from_bytes(&[&good[..], &[0]].concat()).is_err());
    }
}

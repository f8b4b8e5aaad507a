//! How a tensor's values are stored, and how they are read back.

use bincode::{Decode, Encode};
use half::f16;

use super::TensorSpec;

/// How the values of a tensor are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Storage {
    /// IEEE single precision, 4 bytes a value.
    F32,
    /// IEEE half precision, 2 bytes a value.
    F16,
    /// Symmetric 8-bit integers, one byte a value, and an f32 scale for each row in front of them all:
    /// value = scale * integer, scale = largest magnitude of the row / 127.
    Int8,
}

impl Storage {
    /// Bytes of a tensor stored so, padded to a multiple of 4; `None` beyond the address space.
    pub fn bytes(self, spec: &TensorSpec) -> Option<usize> {
        let values = spec.rows.checked_mul(spec.cols)?;
        let bytes = match self {
            Self::F32 => values.checked_mul(4)?,
            Self::F16 => values.checked_mul(2)?,
            Self::Int8 => spec.rows.checked_mul(4)?.checked_add(values)?,
        };
        bytes.checked_next_multiple_of(4)
    }
}

/// A tensor as it is stored.
#[derive(Clone, Copy, Debug)]
pub struct Tensor<'a> {
    rows: usize,
    cols: usize,
    storage: Storage,
    bytes: &'a [u8],
}

impl<'a> Tensor<'a> {
    /// `bytes` must be as long as `storage.bytes(spec)`.
    pub(super) fn new(spec: &TensorSpec, storage: Storage, bytes: &'a [u8]) -> Self {
        Self { rows: spec.rows, cols: spec.cols, storage, bytes }
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    /// How it is stored.
    pub fn storage(&self) -> Storage {
        self.storage
    }

    /// Adds row `row` to `sum`, which has as many values as there are columns.
    ///
    /// # Panics
    ///
    /// When there is no such row.
    pub fn add_row(&self, row: usize, sum: &mut [f32]) {
        assert!(row < self.rows, "row {row} of a tensor of {} rows", self.rows);
        let cols = self.cols;
        match self.storage {
            Storage::F32 => {
                let values = &self.bytes[row * cols * 4..][..cols * 4];
                for (sum, value) in sum.iter_mut().zip(values.chunks_exact(4)) {
                    *sum += f32_of(value);
                }
            }
            Storage::F16 => {
                let values = &self.bytes[row * cols * 2..][..cols * 2];
                for (sum, value) in sum.iter_mut().zip(values.chunks_exact(2)) {
                    *sum += f16::from_le_bytes([value[0], value[1]]).to_f32();
                }
            }
            Storage::Int8 => {
                let scale = f32_of(&self.bytes[row * 4..][..4]);
                let values = &self.bytes[self.rows * 4 + row * cols..][..cols];
                for (sum, &value) in sum.iter_mut().zip(values) {
                    *sum += scale * f32::from(value as i8);
                }
            }
        }
    }

    /// The scale of each row, and the integers row by row; `None` of other storages than [`Storage::Int8`].
    pub fn int8(&self) -> Option<(impl Iterator<Item = f32> + use<'a>, Vec<i8>)> {
        if self.storage != Storage::Int8 {
            return None;
        }
        let (scales, values) = self.bytes.split_at(self.rows * 4);
        let values = values[..self.rows * self.cols].iter().map(|&value| value as i8).collect();
        Some((scales.chunks_exact(4).map(f32_of), values))
    }

    /// All values, row by row.
    pub fn to_f32(&self) -> Vec<f32> {
        let mut values = vec![0.0; self.rows * self.cols];
        for (row, out) in values.chunks_exact_mut(self.cols).enumerate() {
            self.add_row(row, out);
        }
        values
    }
}

fn f32_of(bytes: &[u8]) -> f32 {
    f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// Appends `values` to `out` as `storage`, padded to a multiple of 4 bytes.
pub(super) fn store(values: &[f32], spec: &TensorSpec, storage: Storage, out: &mut Vec<u8>) {
    match storage {
        Storage::F32 => {
            for value in values {
                out.extend_from_slice(&value.to_le_bytes());
            }
        }
        Storage::F16 => {
            for &value in values {
                out.extend_from_slice(&f16::from_f32(value).to_le_bytes());
            }
        }
        Storage::Int8 => {
            let scales: Vec<f32> = values
                .chunks_exact(spec.cols)
                .map(|row| row.iter().fold(0.0f32, |max, value| max.max(value.abs())) / 127.0)
                .collect();
            for scale in &scales {
                out.extend_from_slice(&scale.to_le_bytes());
            }
            for (row, scale) in values.chunks_exact(spec.cols).zip(&scales) {
                for value in row {
                    let quantised =
                        if *scale > 0.0 { libm::rintf(value / scale).clamp(-127.0, 127.0) } else { 0.0 };
                    out.push(quantised as i8 as u8);
                }
            }
        }
    }
    while !out.len().is_multiple_of(4) {
        out.push(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn through(values: &[f32], cols: usize, storage: Storage) -> Vec<f32> {
        let spec = TensorSpec { name: "t".into(), rows: values.len() / cols, cols };
        let mut bytes = Vec::new();
        store(values, &spec, storage, &mut bytes);
        assert_eq!(Some(bytes.len()), storage.bytes(&spec));
        Tensor::new(&spec, storage, &bytes).to_f32()
    }

    proptest! {
        #[test]
        fn values_come_back_within_their_storage_s_error(
            cols in 1usize..20,
            rows in 1usize..6,
            seed in proptest::collection::vec(-8.0f32..8.0, 120),
        ) {
            let values = &seed[..rows * cols];
            prop_assert_eq!(&through(values, cols, Storage::F32), values);
            for (a, b) in through(values, cols, Storage::F16).iter().zip(values) {
                prop_assert!((a - b).abs() <= b.abs() / 2048.0 + 1e-7);
            }
            for (out, row) in through(values, cols, Storage::Int8).chunks(cols).zip(values.chunks(cols)) {
                let half_a_step = row.iter().fold(0.0f32, |m, v| m.max(v.abs())) / 254.0;
                for (a, b) in out.iter().zip(row) {
                    prop_assert!((a - b).abs() <= half_a_step * 1.001);
                }
            }
        }
    }
}

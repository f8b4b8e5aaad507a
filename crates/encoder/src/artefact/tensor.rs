//! The storage of a tensor's values.

use bincode::{Decode, Encode};
use half::f16;

use super::TensorSpec;

/// Storage of the values of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Storage {
    /// IEEE single precision, 4 bytes a value.
    F32,
    /// IEEE half precision, 2 bytes a value.
    F16,
    /// Symmetric 8-bit integers: value = scale * integer. The f32 scales of all rows come first,
    /// then one byte for each value. A scale is at least the largest magnitude of the row / 127,
    /// and larger if the integers are to take fewer bits once compressed ([`Bits`]).
    Int8,
}

impl Storage {
    /// Returns the bytes of a stored tensor, padded to a multiple of 4; `None` beyond the address
    /// space.
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

/// The approximate number of bits that a value of [`Storage::Int8`] takes in the compressed file.
/// Fewer bits are coarser and smaller.
///
/// The weights of a row are about normally distributed. Rounded to steps of `s` and entropy coded,
/// a value takes `log2(sqrt(2 pi e) * deviation / s)` bits (Cover and Thomas, Elements of
/// Information Theory, section 8.3). So the number of bits determines the step. At high rates,
/// uniform steps with entropy coding are within a quarter of a bit of the best quantiser (Gish and
/// Pierce, 1968); packed integers with the same number of bits are not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bits(f32);

impl Bits {
    /// The finest steps that fit a byte.
    pub const MAX: Self = Self(8.0);

    /// The default for the table of words of a model for queries.
    pub const WORDS: Self = Self(4.25);

    /// The default for its matrices. With [`Bits::WORDS`], all-MiniLM-L6-v2 is a download of 14.9
    /// MB, and its vectors have a cosine of .998 to the vectors of the unrounded model.
    pub const MATRICES: Self = Self(6.0);

    /// Returns a number of bits from 2 to 8; `None` for another number.
    pub fn new(bits: f32) -> Option<Self> {
        (2.0..=8.0).contains(&bits).then_some(Self(bits))
    }

    /// Returns the number of bits.
    pub fn bits(self) -> f32 {
        self.0
    }

    /// Returns the scale of a row.
    pub(super) fn scale(self, row: &[f32]) -> f32 {
        let largest = row.iter().fold(0.0f32, |max, value| max.max(value.abs()));
        let square =
            row.iter().fold(0.0f32, |sum, value| sum + value * value) / row.len().max(1) as f32;
        // sqrt(2 pi e)
        let step = libm::sqrtf(square) * 4.132_731 / libm::exp2f(self.0);
        if self == Self::MAX { largest / 127.0 } else { step.max(largest / 127.0) }
    }
}

/// A stored tensor.
#[derive(Clone, Copy, Debug)]
pub struct Tensor<'a> {
    rows: usize,
    cols: usize,
    storage: Storage,
    bytes: &'a [u8],
}

impl<'a> Tensor<'a> {
    /// Creates a tensor of stored bytes, which must have the length `storage.bytes(spec)`.
    pub(super) fn new(spec: &TensorSpec, storage: Storage, bytes: &'a [u8]) -> Self {
        Self { rows: spec.rows, cols: spec.cols, storage, bytes }
    }

    /// Returns rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    /// Returns the storage.
    pub fn storage(&self) -> Storage {
        self.storage
    }

    /// Returns the bytes, as in the model file.
    pub(super) fn stored(&self) -> &'a [u8] {
        self.bytes
    }

    /// Adds row `row` to `sum`, which has as many values as there are columns.
    ///
    /// # Panics
    ///
    /// If there is no such row.
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

    /// Returns the scale of each row, and the integers row by row; `None` for storages other than
    /// [`Storage::Int8`].
    pub fn int8(&self) -> Option<(impl Iterator<Item = f32> + use<'a>, Vec<i8>)> {
        if self.storage != Storage::Int8 {
            return None;
        }
        let (scales, values) = self.bytes.split_at(self.rows * 4);
        let values = values[..self.rows * self.cols].iter().map(|&value| value as i8).collect();
        Some((scales.chunks_exact(4).map(f32_of), values))
    }

    /// Returns all values, row by row.
    pub fn to_f32(&self) -> Vec<f32> {
        if self.storage == Storage::F32 {
            let values = &self.bytes[..self.rows * self.cols * 4];
            return values.as_chunks().0.iter().map(|&value| f32::from_le_bytes(value)).collect();
        }
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
        Storage::Int8 => store_int8(values, spec, Bits::MAX, out),
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
    }
    pad(out);
}

/// Appends `values` to `out` as [`Storage::Int8`].
pub(super) fn store_int8(values: &[f32], spec: &TensorSpec, bits: Bits, out: &mut Vec<u8>) {
    let scales: Vec<f32> = values.chunks_exact(spec.cols).map(|row| bits.scale(row)).collect();
    let mut integers = Vec::with_capacity(values.len());
    for (row, scale) in values.chunks_exact(spec.cols).zip(&scales) {
        integers.extend(row.iter().map(|value| match *scale > 0.0 {
            true => libm::rintf(value / scale).clamp(-127.0, 127.0) as i8,
            false => 0,
        }));
    }
    for scale in &scales {
        out.extend_from_slice(&scale.to_le_bytes());
    }
    out.extend(integers.iter().map(|&integer| integer as u8));
    pad(out);
}

fn pad(out: &mut Vec<u8>) {
    while !out.len().is_multiple_of(4) {
        out.push(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fewer_bits_are_coarser_steps_and_never_cut_values_off() {
        // Normally distributed, near enough: the sum of twelve numbers of a fixed sequence.
        let mut state = 1u32;
        let mut uniform = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32
        };
        let row: Vec<f32> =
            (0..4096).map(|_| (0..12).map(|_| uniform()).sum::<f32>() - 6.0).collect();
        let spec = TensorSpec { name: "t".into(), rows: 1, cols: row.len() };
        for bits in [3.0f32, 4.0, 5.0, 6.0] {
            let mut bytes = Vec::new();
            store_int8(&row, &spec, Bits::new(bits).unwrap(), &mut bytes);
            let mut counts = [0u32; 256];
            bytes[4..][..row.len()].iter().for_each(|&byte| counts[usize::from(byte)] += 1);
            let entropy: f64 = counts
                .iter()
                .filter(|&&n| n > 0)
                .map(|&n| f64::from(n) / 4096.0)
                .map(|p| -p * p.log2())
                .sum();
            assert!(
                (entropy - f64::from(bits)).abs() < 0.1,
                "{bits} bits asked for, {entropy} taken"
            );
            let back = Tensor::new(&spec, Storage::Int8, &bytes).to_f32();
            let step = f32_of(&bytes[..4]);
            assert!(back.iter().zip(&row).all(|(a, b)| (a - b).abs() <= step * 0.501));
        }
        assert_eq!((Bits::new(1.9), Bits::new(8.1), Bits::new(f32::NAN)), (None, None, None));
    }

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
            let stored = through(values, cols, Storage::Int8);
            for (out, row) in stored.chunks(cols).zip(values.chunks(cols)) {
                let half_a_step = row.iter().fold(0.0f32, |m, v| m.max(v.abs())) / 254.0;
                for (a, b) in out.iter().zip(row) {
                    prop_assert!((a - b).abs() <= half_a_step * 1.001);
                }
            }
        }
    }
}

//! Coding of rows of numbers in steps, with the range coder.

use super::WHAT;
use super::steps::{Steps, fine, fine_step, steps};
use crate::codec::{Reader, put_varint, unzigzag, zigzag};
use crate::limits::max_raw_len;
use crate::range_coder::{Bit, Decoder, Encoder, NUMBER};
use crate::{Error, ShardKind};

/// Classes of dimensions, by their deviation in steps: two an octave. The first class holds
/// everything up to [`MIN_RATIO`].
const CLASSES: usize = 18;
/// The upper bound of the first class, in steps.
const MIN_RATIO: f32 = 0.125;
/// Number of the format's symbols for a class or a step size; more than are in use.
const CLASS_SYMBOLS: usize = 32;
/// Models: one for each class; then one for each two classes, for numbers in fine steps; then one
/// for each [`Count`].
const MODELS: usize = CLASSES + CLASSES / 2 + N_COUNTS;
const N_COUNTS: usize = 11;
/// Maximum number of classes by which the numbers of a row can be below the classes of their
/// dimensions.
const MAX_BELOW: f32 = 6.0;
/// Maximum number of numbers for each coded byte. A shard also has at most as many numbers as its
/// contents may have bytes.
const MAX_PER_BYTE: usize = 1000;

/// The numbers that are not steps. Each has a model of its own.
#[derive(Clone, Copy, Debug)]
pub(super) enum Count {
    /// Vectors of a cell.
    Vectors = 0,
    /// Bytes of a cell.
    Bytes = 1,
    /// Whether the centroids list the cell of each vector.
    Tells = 2,
    /// A cell's place in a move-to-front list.
    Places = 3,
    /// Number of places back to a similar row.
    Back = 4,
    /// Quarters of a similar vector that are expected, less one.
    Share = 5,
    /// Number of classes by which a row's numbers are below the classes of their dimensions.
    Below = 6,
    /// Distance in pages.
    Pages = 7,
    /// The section's place in another page.
    Section = 8,
    /// Distance in sections on the same page.
    SectionsOn = 9,
    /// The place in a section, in 256ths.
    Part = 10,
}

/// The coding of rows: the steps of their numbers, and each dimension's class.
#[derive(Clone, Debug, PartialEq)]
pub struct Coder {
    pub(super) steps: Steps,
    /// The mean square of the rows that the coder was made for ([`Steps::square`]).
    pub(super) spread: f32,
    pub(super) classes: Vec<u8>,
}

/// The adaptive models of one shard's numbers.
pub(super) struct Models(Vec<Bit>);

impl Models {
    pub(super) fn new() -> Self {
        Self(vec![Bit::default(); MODELS * NUMBER])
    }

    fn at(&mut self, model: usize) -> &mut [Bit] {
        &mut self.0[model * NUMBER..][..NUMBER]
    }

    pub(super) fn count(&mut self, count: Count) -> &mut [Bit] {
        self.at(CLASSES + CLASSES / 2 + count as usize)
    }
}

impl Coder {
    /// Returns a coder from its stored form.
    ///
    /// # Errors
    /// If the spread is negative or not finite, or a class does not exist.
    pub(super) fn new(steps: Steps, spread: f32, classes: Vec<u8>) -> Result<Self, Error> {
        if !(spread.is_finite() && spread >= 0.0) {
            return Err(Error::malformed(WHAT, "a spread is negative or not finite"));
        }
        if classes.iter().any(|&class| usize::from(class) >= CLASSES) {
            return Err(Error::malformed(WHAT, "a dimension's class is 18 or more"));
        }
        Ok(Self { steps, spread, classes })
    }

    /// Returns the coder for `rows` in these steps.
    ///
    /// # Errors
    /// If a row is not finite.
    pub fn of(rows: impl Iterator<Item = impl AsRef<[f32]>>, steps: Steps) -> Result<Self, Error> {
        let (mut squares, mut n) = (vec![0.0f64; steps.of.len()], 0usize);
        for row in rows {
            n += 1;
            for (sum, value) in squares.iter_mut().zip(steps.counted(row.as_ref())) {
                *sum += f64::from(value) * f64::from(value);
            }
        }
        squares.iter_mut().for_each(|sum| *sum /= n.max(1) as f64);
        let classes = squares.iter().map(|square| class(square.sqrt() as f32)).collect();
        let spread = squares.iter().sum::<f64>() as f32 * steps.mean * steps.mean;
        Self::new(steps, spread, classes)
    }

    /// Returns the number of dimensions of a row.
    pub fn dim(&self) -> usize {
        self.classes.len()
    }

    /// Returns the step sizes.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }

    /// Returns the mean square of the rows that the coder was made for ([`Steps::square`]).
    pub fn spread(&self) -> f32 {
        self.spread
    }

    /// Returns each dimension's class and step.
    fn dimensions(&self) -> impl Iterator<Item = (usize, f32)> {
        self.classes.iter().map(|&class| class.into()).zip(self.steps.of.iter().copied())
    }

    /// Writes a row in steps. Its numbers are `below` classes smaller than usual.
    pub(super) fn put(&self, below: u8, encoder: &mut Encoder, models: &mut Models, row: &[f32]) {
        for ((class, step), &value) in self.dimensions().zip(row) {
            let model = models.at(class.saturating_sub(below.into()));
            encoder.number(model, zigzag(steps(value, step)));
        }
    }

    /// Reads the output of [`put`](Self::put) and adds it to `sum`.
    pub(super) fn add(
        &self,
        below: u8,
        decoder: &mut Decoder<'_>,
        models: &mut Models,
        sum: &mut [f32],
    ) -> Result<(), Error> {
        for ((class, step), number) in self.dimensions().zip(sum) {
            let model = models.at(class.saturating_sub(below.into()));
            *number += unzigzag(decoder.number(model)?) as f32 * step;
        }
        within(decoder)
    }

    /// Returns how many classes smaller the numbers of a row of this square are.
    pub(super) fn below(&self, square: f32) -> u8 {
        // The square doubles with each class.
        (self.spread / square.max(f32::MIN_POSITIVE)).log2().round().clamp(0.0, MAX_BELOW) as u8
    }

    /// Writes a row in fine steps.
    pub(super) fn put_fine(&self, encoder: &mut Encoder, models: &mut Models, row: &[f32]) {
        for ((class, step), &value) in self.dimensions().zip(row) {
            encoder.number(models.at(CLASSES + class / 2), zigzag(fine(value, step)));
        }
    }

    /// Reads the output of [`put_fine`](Self::put_fine).
    pub(super) fn fine(
        &self,
        decoder: &mut Decoder<'_>,
        models: &mut Models,
    ) -> Result<Vec<f32>, Error> {
        let mut row = Vec::with_capacity(self.dim());
        for (class, step) in self.dimensions() {
            let steps = unzigzag(decoder.number(models.at(CLASSES + class / 2))?);
            row.push(steps as f32 * fine_step(step));
        }
        within(decoder)?;
        Ok(row)
    }
}

/// Reads how many classes smaller the numbers of a row are.
pub(super) fn take_below(decoder: &mut Decoder<'_>, models: &mut Models) -> Result<u8, Error> {
    Ok(decoder.number(models.count(Count::Below))?.min(CLASSES as u32) as u8)
}

/// Returns the class of a dimension that deviates by `ratio` steps.
pub(super) fn class(ratio: f32) -> u8 {
    let mut bound = MIN_RATIO;
    let mut class = 0;
    while usize::from(class) < CLASSES - 1 && ratio > bound {
        bound *= core::f32::consts::SQRT_2;
        class += 1;
    }
    class
}

/// Refuses numbers that were read beyond the end of the input.
pub(super) fn within(decoder: &Decoder<'_>) -> Result<(), Error> {
    if decoder.is_beyond() {
        Err(Error::malformed(WHAT, "the coded numbers end too early"))
    } else {
        Ok(())
    }
}

/// Writes the output of an encoder, preceded by its length. `n` is the number of coded numbers.
pub(super) fn put_coded(out: &mut Vec<u8>, encoder: Encoder, n: usize) {
    let mut coded = encoder.finish();
    // Zeros at the end change nothing, but satisfy the reader's bound.
    coded.resize(coded.len().max(n.div_ceil(MAX_PER_BYTE)), 0);
    put_varint(out, coded.len() as u32);
    out.extend_from_slice(&coded);
}

/// Returns the coded bytes of `n` rows of `dim` numbers, which must be everything that is left. The
/// bound on `n * dim` is checked here, so that no later size overflows.
pub(super) fn take_coded<'a>(
    reader: &mut Reader<'a>,
    n: usize,
    dim: usize,
) -> Result<Decoder<'a>, Error> {
    let len = reader.count(1)?;
    let coded = reader.take(len)?;
    let limit = (len as u64 * MAX_PER_BYTE as u64).min(max_raw_len(ShardKind::Cell).into());
    if reader.remaining() > 0 || n as u64 * dim as u64 > limit {
        return Err(reader.malformed("the coded bytes are too few or too many for the numbers"));
    }
    Ok(Decoder::new(coded))
}

/// Writes a symbol for each dimension.
pub(super) fn put_symbols(encoder: &mut Encoder, symbols: &[u8]) {
    let mut model = [Bit::default(); CLASS_SYMBOLS];
    symbols.iter().for_each(|&symbol| encoder.symbol(&mut model, symbol.into()));
}

/// Reads a symbol for each dimension.
pub(super) fn take_symbols(decoder: &mut Decoder<'_>, dim: usize) -> Vec<u8> {
    let mut model = [Bit::default(); CLASS_SYMBOLS];
    (0..dim).map(|_| decoder.symbol(&mut model) as u8).collect()
}

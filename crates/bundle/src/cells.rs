//! Vectors in cells, for readers who fetch few of them: "which vectors are near this query, without
//! fetching all?"
//!
//! Vectors are grouped around centroids, as in an inverted file (Jégou, Douze and Schmid, TPAMI
//! 2011). The centroids are one shard, which lists the cells as well; each cell is a shard of its
//! own, named there rather than in the manifest. A query fetches the centroids once, then the cells
//! whose centroids are nearest to it.
//!
//! What a vector differs by from its centroid is stored in even steps ([`Steps`]), and coded by how
//! often each number of steps occurs in dimensions that differ about as much ([`Coder`]): that
//! comes near to what so many bits can tell (Gish and Pierce, IEEE Transactions on Information
//! Theory, 1968). The more vectors deviate in a dimension, the smaller its steps: what is wanted of
//! a vector is its product with a query, whose numbers are larger there as well, so that an error
//! counts for more.
//!
//! Centroids:
//!
//! | what | encoding |
//! |---|---|
//! | `dim`, `n_vectors`, `n_cells` | varint each |
//! | the coder of centroids less their mean, the coder of vectors less their centroid | f32: size of steps in the mean; f32: spread; each |
//! | hash of each cell's shard | half bytes ([`crate::names`]) |
//! | numbers | varint: bytes; by the range coder: |
//! | sizes of steps, of both coders | `dim` symbols of 32: quarter octaves of those in the mean, 16 for the same |
//! | classes of the two coders | twice `dim` symbols of 32 |
//! | mean of the centroids | `dim` numbers, in fine steps |
//! | vectors of each cell | `n_cells` numbers |
//! | bytes of each cell's shard, stored | number: sixteenths of a byte a vector; `n_cells` numbers, each what is more than that |
//! | the centroids | `n_cells` times: number: how many places before it the one is that it is like, 0 for the mean alone; `dim` numbers, what is more than expected by that |
//! | whether it is said which vector is in which cell | number: 0 or 1 |
//! | each vector's cell | `n_vectors` numbers: its place among the cells, that of the vector before first, then that of the one before that |
//!
//! A cell:
//!
//! | what | encoding |
//! |---|---|
//! | `n` | varint |
//! | numbers | varint: bytes; by the range coder: |
//! | the centroid | `dim` numbers, in fine steps |
//! | where each vector is of, ascending; left out where the centroids say which vector is in which cell | `n` times, numbers: pages on; the section's place in the page, on the same page sections on; 256ths of the section before it |
//! | the vectors | `n` times: number: how many places before it the one is that it is like, 0 for none; number where there is one: how many quarters of that are expected, less one; number: classes that its numbers are below their dimensions'; `dim` numbers, what is more than expected |
//!
//! A centroid is expected to be the mean, and where it is like another, as read and in eight bits,
//! [`ALIKE`] of what that is more than the mean besides. Who writes them orders them so that each
//! has one like it before it.
//!
//! A vector is expected to be the centroid, and where it is like another one of its cell, a share
//! of what that is more besides; of what is then left a row says how small it is. Pages of one
//! mould say much alike: over the C++ documentation that takes a seventh off all cells.
//!
//! Numbers that can be negative are stored in zigzag. Fine steps are a quarter of a coder's.
//! Squares, as spreads are of, are of numbers in the steps of their dimensions, times the square of
//! a step in the mean.
//!
//! A vector is named by its page, the place of its section there and what of the section is before
//! it, so that nobody who looks into cells has to know how many vectors the sections before it
//! have, and a cell is the same file after an edit elsewhere on the site, which moves the ids of
//! all that follows.

use crate::codec::{Reader, put_varint, unzigzag, zigzag};
use crate::limits::{MAX_TOLD, check_dim, max_raw_len};
use crate::names::{LEAST_HASH, ShardHash, put_hashes, take_hashes};
use crate::range_coder::{Bit, Decoder, Encoder, NUMBER};
use crate::vectors::quantise;
use crate::{Error, PageId, SectionId, ShardEntry, ShardKind, Stats, Structure, VectorId};

const WHAT: &str = "cells";

/// Classes of dimensions, by how many steps they deviate: two an octave, the first up to an eighth
/// of a step.
const CLASSES: usize = 18;
/// The most that the first class deviates, in steps.
const LEAST_RATIO: f32 = 0.125;
/// Room for a class in the format.
const CLASS_SYMBOLS: usize = 32;
/// Models: one a class, then one an octave of classes for numbers in fine steps, then one for each
/// kind of count.
const MODELS: usize = CLASSES + CLASSES / 2 + N_COUNTS;
const N_COUNTS: usize = 11;
const N_VECTORS: usize = 0;
const BYTES: usize = 1;
const TELLS: usize = 2;
const PLACES: usize = 3;
const LIKES: usize = 4;
const SHARE: usize = 5;
const BELOW: usize = 6;
const PAGES: usize = 7;
/// On another page, on the same.
const SECTIONS: [usize; 2] = [8, 9];
const PART: usize = 10;
/// How much a centroid is expected to have of what one like it is more than the mean. With all of
/// it the errors of each would be passed on.
pub const ALIKE: f32 = 0.7;
/// A vector is expected to have so many parts in all of what one like it in its cell is more than
/// the centroid.
const PARTS: u32 = 4;
/// It is like none that brings it no nearer than this, as squares: to say which takes bits.
const NEARER: f32 = 0.98;
/// Classes that a row's numbers may be below those of its dimensions.
const MOST_BELOW: f32 = 6.0;
/// What is added before numbers of steps are rounded down: less than half, since zeros cost least.
/// At equal bytes .5 loses a twentieth more.
const ROUNDING: f32 = 0.4;
/// Fine steps to a step: the centroid of a cell costs little where it has many vectors, and all of
/// them stand on it.
const FINE: f32 = 4.0;
/// The size of steps that is the mean, of [`CLASS_SYMBOLS`].
const SAME: u8 = 16;
/// A size against the one below: a quarter of an octave.
const LARGER: f32 = 1.189_207_1;
/// How many sizes above or below the mean steps may be.
const MOST_SIZES: f64 = 8.0;
/// Numbers that a byte may stand for. All of a shard's are as many besides as it may have bytes.
const MOST_PER_BYTE: usize = 1000;

/// The sizes of steps that numbers are stored in.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps {
    /// In the geometric mean.
    mean: f32,
    /// Of each dimension, in quarter octaves of the mean, [`SAME`] for the same.
    sizes: Vec<u8>,
    of: Vec<f32>,
}

impl Steps {
    fn new(mean: f32, sizes: Vec<u8>) -> Result<Self, Error> {
        // By products alone, which are the same on all hosts.
        let of = |&size: &u8| {
            let smaller = (size..SAME).fold(mean, |step, _| step / LARGER);
            (SAME..size).fold(smaller, |step, _| step * LARGER)
        };
        let of: Vec<f32> = sizes.iter().map(of).collect();
        if !of.iter().chain([&mean]).all(|step| step.is_finite() && *step > 0.0) {
            return Err(Error::malformed(WHAT, "a step is not positive and finite"));
        }
        Ok(Self { mean, sizes, of })
    }

    /// Those of one size for all dimensions.
    ///
    /// # Errors
    /// Where the size is not finite and above 0.
    pub fn even(size: f32, dim: usize) -> Result<Self, Error> {
        Self::new(size, vec![SAME; dim])
    }

    /// Those for `rows`, `dim` numbers each: the more a dimension deviates, the smaller they are,
    /// by as much, up to a factor of four.
    ///
    /// # Errors
    /// As [`even`](Self::even).
    pub fn of(
        rows: impl Iterator<Item = impl AsRef<[f32]>>,
        dim: usize,
        mean: f32,
    ) -> Result<Self, Error> {
        let (mut sums, mut squares, mut n) = (vec![0.0f64; dim], vec![0.0f64; dim], 0.0);
        for row in rows {
            n += 1.0;
            for ((sum, square), &value) in sums.iter_mut().zip(&mut squares).zip(row.as_ref()) {
                *sum += f64::from(value);
                *square += f64::from(value) * f64::from(value);
            }
        }
        let variances = sums.iter().zip(&squares).map(|(sum, square)| (square - sum * sum / n) / n);
        let octaves: Vec<f64> =
            variances.map(|variance| variance.max(1e-12).log2() / 2.0).collect();
        let middle = octaves.iter().sum::<f64>() / dim.max(1) as f64;
        let size = |octaves: &f64| {
            f64::from(SAME) - (4.0 * (octaves - middle)).round().clamp(-MOST_SIZES, MOST_SIZES)
        };
        Self::new(mean, octaves.iter().map(|octaves| size(octaves) as u8).collect())
    }

    /// The same but for the size in the mean.
    fn with_mean(&self, mean: f32) -> Result<Self, Error> {
        Self::new(mean, self.sizes.clone())
    }

    /// The size in the geometric mean.
    pub fn mean(&self) -> f32 {
        self.mean
    }

    /// A row as a cell makes its centroid, whose numbers are stored in fine steps.
    pub fn as_stored(&self, row: &[f32]) -> Vec<f32> {
        row.iter()
            .zip(&self.of)
            .map(|(&value, step)| fine(value, *step) as f32 * (step / FINE))
            .collect()
    }

    /// A row, each number in the steps of its dimension.
    fn counted(&self, row: &[f32]) -> Vec<f32> {
        row.iter().zip(&self.of).map(|(value, step)| value / step).collect()
    }

    /// The squared length of a row: see the module.
    pub fn square(&self, row: &[f32]) -> f32 {
        self.counted(row).iter().map(|value| value * value).sum::<f32>() * self.mean * self.mean
    }
}

/// How rows are brought into few bits: the steps of their numbers, and for each dimension how many
/// steps it deviates by.
#[derive(Clone, Debug, PartialEq)]
pub struct Coder {
    steps: Steps,
    /// The mean square of the rows that it was made for.
    spread: f32,
    classes: Vec<u8>,
}

fn steps(value: f32, step: f32) -> i32 {
    let steps = (value.abs() / step + ROUNDING) as i32;
    if value < 0.0 { -steps } else { steps }
}

fn fine(value: f32, step: f32) -> i32 {
    // What is not finite or beyond the range saturates, NaN becomes 0.
    (value / (step / FINE)).round() as i32
}

/// What is learned of numbers while they are coded.
struct Models(Vec<Bit>);

impl Models {
    fn new() -> Self {
        Self(vec![Bit::default(); MODELS * NUMBER])
    }

    fn at(&mut self, model: usize) -> &mut [Bit] {
        &mut self.0[model * NUMBER..][..NUMBER]
    }

    fn count(&mut self, kind: usize) -> &mut [Bit] {
        self.at(CLASSES + CLASSES / 2 + kind)
    }
}

impl Coder {
    fn new(steps: Steps, spread: f32, classes: Vec<u8>) -> Result<Self, Error> {
        if !(spread.is_finite() && spread >= 0.0) {
            return Err(Error::malformed(WHAT, "a spread is not finite"));
        }
        if classes.iter().any(|&class| usize::from(class) >= CLASSES) {
            return Err(Error::malformed(WHAT, "a dimension is in a class that is not known"));
        }
        Ok(Self { steps, spread, classes })
    }

    /// The coder of `rows` in these steps.
    ///
    /// # Errors
    /// Where a row is not finite.
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

    /// Numbers of a row.
    pub fn dim(&self) -> usize {
        self.classes.len()
    }

    /// The sizes of steps.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }

    /// The mean square of the rows that it was made for.
    pub fn spread(&self) -> f32 {
        self.spread
    }

    /// The classes of dimensions, with the sizes of their steps.
    fn dimensions(&self) -> impl Iterator<Item = (usize, f32)> {
        self.classes.iter().map(|&class| class.into()).zip(self.steps.of.iter().copied())
    }

    /// Writes a row whose numbers deviate less than others, by so many classes.
    fn put(&self, below: u8, encoder: &mut Encoder, models: &mut Models, row: &[f32]) {
        for ((class, step), &value) in self.dimensions().zip(row) {
            let model = models.at(class.saturating_sub(below.into()));
            encoder.number(model, zigzag(steps(value, step)));
        }
    }

    /// Adds such a row to `sum`.
    fn add(
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

    /// By how many classes a row of such a square deviates less than those that the coder was made
    /// for.
    fn below(&self, square: f32) -> u8 {
        // Each class is twice the square of the one below.
        (self.spread / square.max(f32::MIN_POSITIVE)).log2().round().clamp(0.0, MOST_BELOW) as u8
    }

    fn put_fine(&self, encoder: &mut Encoder, models: &mut Models, row: &[f32]) {
        for ((class, step), &value) in self.dimensions().zip(row) {
            encoder.number(models.at(CLASSES + class / 2), zigzag(fine(value, step)));
        }
    }

    fn fine(&self, decoder: &mut Decoder<'_>, models: &mut Models) -> Result<Vec<f32>, Error> {
        let mut row = Vec::with_capacity(self.dim());
        for (class, step) in self.dimensions() {
            let steps = unzigzag(decoder.number(models.at(CLASSES + class / 2))?);
            row.push(steps as f32 * (step / FINE));
        }
        within(decoder)?;
        Ok(row)
    }
}

/// The class of a dimension that deviates by so many steps.
fn class(ratio: f32) -> u8 {
    let mut most = LEAST_RATIO;
    let mut class = 0;
    while usize::from(class) < CLASSES - 1 && ratio > most {
        most *= core::f32::consts::SQRT_2;
        class += 1;
    }
    class
}

/// What was decoded was there.
fn within(decoder: &Decoder<'_>) -> Result<(), Error> {
    if decoder.is_beyond() {
        Err(Error::malformed(WHAT, "there are fewer numbers than announced"))
    } else {
        Ok(())
    }
}

/// Writes what an encoder has: `n` numbers, behind their length.
fn put_coded(out: &mut Vec<u8>, encoder: Encoder, n: usize) {
    let mut coded = encoder.finish();
    // Zeros at the end stand for nothing.
    coded.resize(coded.len().max(n.div_ceil(MOST_PER_BYTE)), 0);
    put_varint(out, coded.len() as u32);
    out.extend_from_slice(&coded);
}

/// The bytes of `n` rows of `dim` numbers, which must be all that is left. Nothing that the rows
/// take overflows afterwards.
fn take_coded<'a>(reader: &mut Reader<'a>, n: usize, dim: usize) -> Result<Decoder<'a>, Error> {
    let len = reader.count(1)?;
    let coded = reader.take(len)?;
    let most = (len as u64 * MOST_PER_BYTE as u64).min(max_raw_len(ShardKind::Cell).into());
    if reader.remaining() > 0 || n as u64 * dim as u64 > most {
        return Err(reader.malformed("there are more or fewer numbers than announced"));
    }
    Ok(Decoder::new(coded))
}

/// A cell's shard and the vector that it lies around.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The shard.
    pub shard: ShardEntry,
    /// Vectors in it.
    pub n_vectors: u32,
}

/// The centroids, and the cells that lie around them.
#[derive(Clone, Debug, PartialEq)]
pub struct Centroids {
    dim: usize,
    vectors: Coder,
    cells: Vec<Cell>,
    rows: Vec<i8>,
    /// By what each of `rows` becomes a vector of length 1.
    units: Vec<f32>,
    cell_of: Vec<u32>,
}

/// Where a vector is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VectorPlace {
    /// The page.
    pub page: PageId,
    /// The place of the section in it.
    pub section: u32,
    /// In which part of the section, in 256ths: a section's vectors are of parts of about the same
    /// length.
    pub part: u8,
}

impl VectorPlace {
    const FIRST: Self = Self { page: PageId(0), section: 0, part: 0 };

    /// That of the vector at a place among the `n` of a section.
    pub fn new(page: PageId, section: u32, place: u32, n: u32) -> Self {
        Self { page, section, part: part_of(place, n) }
    }
}

/// Where in its section a vector at a place among `n` begins, in 256ths.
pub fn part_of(place: u32, n: u32) -> u8 {
    (u64::from(place) * 256 / u64::from(n.max(1))).min(255) as u8
}

/// What the centroids say of the vectors in a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Members {
    /// How many they are; the cell says of which sections.
    Counted(u32),
    /// Their ids, ascending.
    Told(Vec<u32>),
}

/// Writes the centroids. `cells` and `centroids` go together; `centroids` are `dim` numbers each,
/// stored in steps of `step`. `cell_of`: the cell of each vector, so that readers find those of
/// sections they know otherwise; empty where that would be too much for them to fetch.
///
/// # Errors
/// Where there are not as many of the ones as of the others, a number is not finite, or `cell_of`
/// names a cell that does not exist or is longer than [`MAX_TOLD`].
pub fn write_centroids(
    vectors: &Coder,
    cells: &[Cell],
    centroids: &[f32],
    step: f32,
    cell_of: &[u32],
) -> Result<Vec<u8>, Error> {
    let dim = vectors.dim();
    if centroids.len() != cells.len() * dim {
        return Err(Error::Length {
            what: "numbers of centroids",
            expected: (cells.len() * dim) as u64,
            got: centroids.len() as u64,
        });
    }
    if cell_of.len() > MAX_TOLD as usize {
        let (limit, got) = (MAX_TOLD.into(), cell_of.len() as u64);
        return Err(Error::Limit { what: "vectors whose cells are told", limit, got });
    }
    if cell_of.iter().any(|&cell| cell as usize >= cells.len()) {
        return Err(Error::malformed(WHAT, "a vector is in a cell that does not exist"));
    }
    let n = cells.len().max(1) as f64;
    let mut mean = vec![0.0f64; dim];
    for row in centroids.chunks_exact(dim.max(1)) {
        mean.iter_mut().zip(row).for_each(|(sum, &value)| *sum += f64::from(value) / n);
    }
    let steps = vectors.steps.with_mean(step)?;
    let mean = steps.as_stored(&mean.into_iter().map(|value| value as f32).collect::<Vec<f32>>());
    let (mut likes, mut rests) = (Vec::with_capacity(cells.len()), Vec::with_capacity(cells.len()));
    // By the mean alone, then by each centroid before.
    let mut expectations: Vec<Vec<f32>> = vec![mean.clone()];
    for row in centroids.chunks_exact(dim.max(1)) {
        let distances =
            expectations.iter().map(|expected| steps.square(&less(row, expected))).zip(0..);
        let (_, best) = distances.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
        likes.push(if best == 0 { 0 } else { (expectations.len() - best) as u32 });
        let expected = &expectations[best];
        let rest = less(row, expected);
        let (read, scale) = read_back(expected, &rest, &steps);
        expectations.push(expected_of(&mean, Some((&read, scale)), ALIKE));
        rests.push(rest);
    }
    let coder = Coder::of(rests.iter(), steps)?;
    let n_vectors: u32 = cells.iter().map(|cell| cell.n_vectors).sum();
    let mut out = Vec::new();
    put_varint(&mut out, dim as u32);
    put_varint(&mut out, n_vectors);
    put_varint(&mut out, cells.len() as u32);
    for coder in [&coder, vectors] {
        out.extend_from_slice(&coder.steps.mean.to_le_bytes());
        out.extend_from_slice(&coder.spread.to_le_bytes());
    }
    put_hashes(&mut out, cells.iter().map(|cell| &cell.shard));

    let (mut encoder, mut models) = (Encoder::new(), Models::new());
    for symbols in [&vectors.steps.sizes, &coder.classes, &vectors.classes] {
        put_symbols(&mut encoder, symbols);
    }
    coder.put_fine(&mut encoder, &mut models, &mean);
    cells.iter().for_each(|cell| encoder.number(models.count(N_VECTORS), cell.n_vectors));
    let stored: u64 = cells.iter().map(|cell| u64::from(cell.shard.stored_len)).sum();
    let sixteenths = (stored * 16 / u64::from(n_vectors.max(1))).min(u32::MAX.into()) as u32;
    encoder.number(models.count(BYTES), sixteenths);
    for cell in cells {
        let more = cell.shard.stored_len.wrapping_sub(expected_len(cell.n_vectors, sixteenths));
        encoder.number(models.count(BYTES), zigzag(more as i32));
    }
    for (like, rest) in likes.into_iter().zip(&rests) {
        encoder.number(models.count(LIKES), like);
        coder.put(0, &mut encoder, &mut models, rest);
    }
    encoder.number(models.count(TELLS), u32::from(!cell_of.is_empty()));
    let mut recent = Recent::new(cells.len());
    cell_of.iter().for_each(|&cell| encoder.number(models.count(PLACES), recent.place(cell)));
    put_coded(&mut out, encoder, cells.len() * dim + cell_of.len());
    Ok(out)
}

/// Writes a symbol for each dimension.
fn put_symbols(encoder: &mut Encoder, symbols: &[u8]) {
    let mut model = [Bit::default(); CLASS_SYMBOLS];
    symbols.iter().for_each(|&symbol| encoder.symbol(&mut model, symbol.into()));
}

fn take_symbols(decoder: &mut Decoder<'_>, dim: usize) -> Vec<u8> {
    let mut model = [Bit::default(); CLASS_SYMBOLS];
    (0..dim).map(|_| decoder.symbol(&mut model) as u8).collect()
}

/// What a row is expected to be: `middle`, and where it is like another one, which is in eight
/// bits, a share of what that is more.
fn expected_of(middle: &[f32], like: Option<(&[i8], f32)>, share: f32) -> Vec<f32> {
    let mut expected = middle.to_vec();
    if let Some((row, scale)) = like {
        for (number, &like) in expected.iter_mut().zip(row) {
            *number += (f32::from(like) * scale - *number) * share;
        }
    }
    expected
}

/// What a row is more than what is expected of it.
fn less(row: &[f32], expected: &[f32]) -> Vec<f32> {
    row.iter().zip(expected).map(|(value, expected)| value - expected).collect()
}

/// A row as a reader has it, in eight bits, of which `rest` is written beside what is expected.
fn read_back(expected: &[f32], rest: &[f32], sizes: &Steps) -> (Vec<i8>, f32) {
    let rest = rest.iter().zip(&sizes.of).map(|(&rest, &step)| steps(rest, step) as f32 * step);
    quantise(
        &expected.iter().zip(rest).map(|(expected, rest)| expected + rest).collect::<Vec<f32>>(),
    )
}

/// How many places before the end of `others` that one is which `rest` is nearest to, and how many
/// of [`PARTS`] of it; 0 where none is near. All are differences from the same middle, in steps.
fn likest(rest: &[f32], others: &[Vec<f32>]) -> (usize, u32) {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let whole = dot(rest, rest);
    let (mut best, mut least) = ((0, 0), whole * NEARER);
    for (back, other) in (1..).zip(others.iter().rev()) {
        let (common, square) = (dot(rest, other), dot(other, other));
        for part in 1..=PARTS {
            let share = part as f32 / PARTS as f32;
            let far = whole - 2.0 * share * common + share * share * square;
            if far < least {
                (best, least) = ((back, part), far);
            }
        }
    }
    best
}

/// Reads which of the rows before it, in eight bits, the next row is like; `None` for none.
fn like<'a>(
    decoder: &mut Decoder<'_>,
    models: &mut Models,
    place: usize,
    rows: &'a [i8],
    scales: &[f32],
    dim: usize,
) -> Result<Option<(&'a [i8], f32)>, Error> {
    let back = decoder.number(models.count(LIKES))? as usize;
    if back == 0 {
        return Ok(None);
    }
    let at = place
        .checked_sub(back)
        .ok_or(Error::malformed(WHAT, "a row is like one before the first"))?;
    Ok(rows.get(at * dim..(at + 1) * dim).zip(scales.get(at).copied()))
}

/// The length of a row in eight bits, at least 1.
fn length(row: &[i8]) -> f32 {
    let square: u32 = row.iter().map(|&value| (i32::from(value) * i32::from(value)) as u32).sum();
    (square.max(1) as f32).sqrt()
}

/// Bytes of a cell of so many vectors, by what a vector takes in the mean.
fn expected_len(n_vectors: u32, sixteenths: u32) -> u32 {
    (u64::from(n_vectors) * u64::from(sixteenths) / 16) as u32
}

/// Cells, those last named first: vectors that follow one another are often in the same few.
struct Recent(Vec<u32>);

impl Recent {
    fn new(n_cells: usize) -> Self {
        Self((0..n_cells as u32).collect())
    }

    /// The place of a cell, which comes to the first.
    fn place(&mut self, cell: u32) -> u32 {
        let place = self.0.iter().position(|&other| other == cell).unwrap_or_default();
        self.0[..=place].rotate_right(1);
        place as u32
    }

    /// The cell at a place, which comes to the first; `None` where there is none.
    fn cell(&mut self, place: u32) -> Option<u32> {
        let cells = self.0.get_mut(..=place as usize)?;
        cells.rotate_right(1);
        cells.first().copied()
    }
}

impl Centroids {
    /// Checks and takes what [`write_centroids`] wrote.
    ///
    /// # Errors
    /// Where the bytes break the format, or dimension or number of vectors are not those expected.
    pub fn from_bytes(raw: &[u8], dim: u32, stats: &Stats) -> Result<Self, Error> {
        let mut reader = Reader::new(raw, WHAT);
        check_dim("dimensions of a centroid", reader.varint()?, dim)?;
        let dim = dim as usize;
        let n_vectors = reader.varint()?;
        if n_vectors != stats.n_vectors {
            let (expected, got) = (stats.n_vectors.into(), n_vectors.into());
            return Err(Error::Length { what: "vectors of all cells", expected, got });
        }
        let n_cells = reader.count(LEAST_HASH)?;
        let coders = [[reader.f32()?, reader.f32()?], [reader.f32()?, reader.f32()?]];
        let blank = ShardEntry { kind: ShardKind::Cell, hash: ShardHash::default(), stored_len: 0 };
        let mut cells = vec![Cell { shard: blank, n_vectors: 0 }; n_cells];
        take_hashes(&mut reader, cells.iter_mut().map(|cell| &mut cell.shard))?;
        let decoder = &mut take_coded(&mut reader, n_cells, dim)?;
        let models = &mut Models::new();
        let sizes = take_symbols(decoder, dim);
        let [coder, vectors] = coders.map(|[mean, spread]| {
            Coder::new(Steps::new(mean, sizes.clone())?, spread, take_symbols(decoder, dim))
        });
        let (coder, vectors) = (coder?, vectors?);
        let mean = coder.fine(decoder, models)?;

        let mut left: Vec<u32> = Vec::with_capacity(n_cells);
        let mut sum = 0;
        for _ in 0..n_cells {
            let n = decoder.number(models.count(N_VECTORS))?;
            if n == 0 {
                return Err(Error::malformed(WHAT, "a cell has no vectors"));
            }
            sum += u64::from(n);
            left.push(n);
        }
        if sum != u64::from(n_vectors) {
            return Err(Error::malformed(WHAT, "the cells do not add up to the vectors"));
        }
        let sixteenths = decoder.number(models.count(BYTES))?;
        for (&n_vectors, cell) in left.iter().zip(&mut cells) {
            let more = unzigzag(decoder.number(models.count(BYTES))?);
            cell.shard.stored_len = expected_len(n_vectors, sixteenths).wrapping_add(more as u32);
            cell.n_vectors = n_vectors;
        }
        let (mut rows, mut scales) =
            (Vec::with_capacity(n_cells * dim), Vec::with_capacity(n_cells));
        for place in 0..n_cells {
            let like = like(decoder, models, place, &rows, &scales, dim)?;
            let mut centroid = expected_of(&mean, like, ALIKE);
            coder.add(0, decoder, models, &mut centroid)?;
            let (row, scale) = quantise(&centroid);
            rows.extend_from_slice(&row);
            scales.push(scale);
        }
        let units = rows.chunks_exact(dim).map(|row| 1.0 / length(row)).collect();
        let mut cell_of = Vec::new();
        if decoder.number(models.count(TELLS))? != 0 {
            if n_vectors > MAX_TOLD {
                let (limit, got) = (MAX_TOLD.into(), n_vectors.into());
                return Err(Error::Limit { what: "vectors whose cells are told", limit, got });
            }
            let mut recent = Recent::new(n_cells);
            for _ in 0..n_vectors {
                let place = decoder.number(models.count(PLACES))?;
                within(decoder)?;
                let cell = recent.cell(place);
                let free = cell.and_then(|cell| {
                    Some((cell, left.get_mut(cell as usize).filter(|n| **n > 0)?))
                });
                let Some((cell, n)) = free else {
                    return Err(Error::malformed(
                        WHAT,
                        "the cells have other numbers of vectors than are said to be in them",
                    ));
                };
                *n -= 1;
                cell_of.push(cell);
            }
        }
        Ok(Self { dim, vectors, cells, rows, units, cell_of })
    }

    /// Whether it is said which vector is in which cell: then the structure says which vectors are
    /// of which section.
    pub fn tells(&self) -> bool {
        !self.cell_of.is_empty()
    }

    /// The cell of a vector; `None` where the bundle does not say, or there is no such vector.
    pub fn cell_of(&self, vector: u32) -> Option<u32> {
        self.cell_of.get(vector as usize).copied()
    }

    /// What is known of the vectors in a cell before its shard is here; `None` where there is no
    /// such cell. O(vectors).
    pub fn members(&self, cell: u32) -> Option<Members> {
        let n_vectors = self.cells.get(cell as usize)?.n_vectors;
        if !self.tells() {
            return Some(Members::Counted(n_vectors));
        }
        let of = (0..).zip(&self.cell_of).filter(|(_, of)| **of == cell);
        Some(Members::Told(of.map(|(vector, _)| vector).collect()))
    }

    /// The cells, in the order of their numbers.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// How the vectors in the cells are stored.
    pub fn coder(&self) -> &Coder {
        &self.vectors
    }

    /// The direction of each centroid: eight bits a number, and the scale that makes them a vector
    /// of length 1.
    pub fn directions(&self) -> impl Iterator<Item = (&[i8], f32)> {
        self.rows.chunks_exact(self.dim).zip(self.units.iter().copied())
    }

    /// Bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        self.rows.len()
            + self.cells.len() * (4 + size_of::<Cell>())
            + 6 * self.dim
            + 4 * self.cell_of.len()
    }
}

/// Writes a cell: vectors in the order of their ids, `dim` numbers each. `places`: where they are
/// of, ascending; `None` where the centroids say which vector is in which cell.
///
/// # Errors
/// Where places do not ascend or are not as many as the vectors.
pub fn write_cell(
    coder: &Coder,
    centroid: &[f32],
    places: Option<&[VectorPlace]>,
    vectors: &[&[f32]],
) -> Result<Vec<u8>, Error> {
    if let Some(places) = places.filter(|places| places.len() != vectors.len()) {
        let (expected, got) = (places.len() as u64, vectors.len() as u64);
        return Err(Error::Length { what: "vectors of a cell", expected, got });
    }
    let mut out = Vec::new();
    put_varint(&mut out, vectors.len() as u32);
    let (mut encoder, mut models) = (Encoder::new(), Models::new());
    coder.put_fine(&mut encoder, &mut models, centroid);
    let mut before = VectorPlace::FIRST;
    for &place in places.unwrap_or_default() {
        if place < before {
            return Err(Error::malformed(WHAT, "places of vectors do not ascend"));
        }
        let pages = place.page.0 - before.page.0;
        let sections = if pages == 0 { place.section - before.section } else { place.section };
        encoder.number(models.count(PAGES), pages);
        encoder.number(models.count(SECTIONS[usize::from(pages == 0)]), sections);
        encoder.number(models.count(PART), place.part.into());
        before = place;
    }
    // What a reader makes of the centroid is what its vectors are stored beside.
    let centroid = coder.steps.as_stored(centroid);
    let (mut read, mut others) = (Vec::<(Vec<i8>, f32)>::new(), Vec::new());
    for vector in vectors {
        let (back, part) = likest(&coder.steps.counted(&less(vector, &centroid)), &others);
        let like = read
            .len()
            .checked_sub(back)
            .and_then(|at| read.get(at))
            .map(|(row, scale)| (&row[..], *scale));
        let expected = expected_of(&centroid, like, part as f32 / PARTS as f32);
        let rest = less(vector, &expected);
        let below = coder.below(coder.steps.square(&rest));
        encoder.number(models.count(LIKES), back as u32);
        if back > 0 {
            encoder.number(models.count(SHARE), part - 1);
        }
        encoder.number(models.count(BELOW), below.into());
        coder.put(below, &mut encoder, &mut models, &rest);
        let (row, scale) = read_back(&expected, &rest, &coder.steps);
        let whole: Vec<f32> = row.iter().map(|&value| f32::from(value) * scale).collect();
        others.push(coder.steps.counted(&less(&whole, &centroid)));
        read.push((row, scale));
    }
    put_coded(&mut out, encoder, vectors.len() * coder.dim());
    Ok(out)
}

/// The vectors of a cell, in eight bits.
#[derive(Clone, Debug, PartialEq)]
pub struct CellShard {
    dim: usize,
    names: Names,
    rows: Vec<i8>,
    scales: Vec<f32>,
}

/// Which vectors they are, ascending.
#[derive(Clone, Debug, PartialEq)]
enum Names {
    Ids(Vec<u32>),
    Places(Vec<VectorPlace>),
}

/// A vector of a cell, where the structure is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellVector<'a> {
    /// The section that it is of.
    pub section: SectionId,
    /// In which part of it ([`VectorPlace::part`]).
    pub part: u8,
    /// Its numbers in eight bits.
    pub row: &'a [i8],
    /// Their scale.
    pub scale: f32,
}

impl CellShard {
    /// Checks and takes what [`write_cell`] wrote.
    ///
    /// # Errors
    /// Where the bytes break the format, or vectors are not as many as the centroids' shard says,
    /// or are none of the bundle's.
    pub fn from_bytes(
        raw: &[u8],
        coder: &Coder,
        members: Members,
        stats: &Stats,
    ) -> Result<Self, Error> {
        let mut reader = Reader::new(raw, WHAT);
        let dim = coder.dim();
        let n = reader.varint()? as usize;
        let expected = match &members {
            Members::Counted(n_vectors) => u64::from(*n_vectors),
            Members::Told(ids) => ids.len() as u64,
        };
        if n as u64 != expected {
            return Err(Error::Length { what: "vectors of a cell", expected, got: n as u64 });
        }
        let decoder = &mut take_coded(&mut reader, n, dim)?;
        let models = &mut Models::new();
        let centroid = coder.fine(decoder, models)?;
        let names = match members {
            Members::Counted(_) => Names::Places(read_places(decoder, models, n, stats)?),
            Members::Told(ids) => Names::Ids(ids),
        };
        let (mut rows, mut scales) = (Vec::with_capacity(n * dim), Vec::with_capacity(n));
        for place in 0..n {
            let like = like(decoder, models, place, &rows, &scales, dim)?;
            let part = if like.is_some() {
                decoder.number(models.count(SHARE))?.min(PARTS - 1) + 1
            } else {
                0
            };
            let below = decoder.number(models.count(BELOW))?.min(CLASSES as u32) as u8;
            let mut vector = expected_of(&centroid, like, part as f32 / PARTS as f32);
            coder.add(below, decoder, models, &mut vector)?;
            let (row, scale) = quantise(&vector);
            rows.extend_from_slice(&row);
            scales.push(scale);
        }
        Ok(Self { dim, names, rows, scales })
    }

    /// The centroid that a cell's shard was written around, as it is stored: nearer to it than what
    /// [`Centroids::directions`] is of.
    ///
    /// # Errors
    /// As of [`from_bytes`](Self::from_bytes).
    pub fn centroid(raw: &[u8], coder: &Coder) -> Result<Vec<f32>, Error> {
        let mut reader = Reader::new(raw, WHAT);
        let n = reader.varint()? as usize;
        coder.fine(&mut take_coded(&mut reader, n, coder.dim())?, &mut Models::new())
    }

    /// Vectors.
    pub fn n_vectors(&self) -> usize {
        self.scales.len()
    }

    /// Each vector's numbers in eight bits with their scale.
    pub fn rows(&self) -> impl Iterator<Item = (&[i8], f32)> {
        self.rows.chunks_exact(self.dim).zip(self.scales.iter().copied())
    }

    /// The vectors in the order of their sections, in the structure of the same bundle. Those of
    /// sections that it does not have are left out.
    pub fn vectors<'a>(&'a self, structure: &'a Structure) -> impl Iterator<Item = CellVector<'a>> {
        self.rows().enumerate().filter_map(|(at, (row, scale))| {
            let (section, part) = self.place(at, structure)?;
            Some(CellVector { section, part, row, scale })
        })
    }

    /// Section and part of the vector at a place here.
    fn place(&self, at: usize, structure: &Structure) -> Option<(SectionId, u8)> {
        match &self.names {
            Names::Places(places) => {
                let place = places.get(at)?;
                Some((structure.section_at(place.page, place.section)?, place.part))
            }
            Names::Ids(ids) => {
                let id = *ids.get(at)?;
                let section = structure.section_of_vector(VectorId(id));
                let own = structure.vectors(section);
                Some((section, part_of(id.saturating_sub(own.start), own.len() as u32)))
            }
        }
    }

    /// The vectors' ids, ascending, where the centroids say which vector is in which cell; else
    /// none.
    pub fn ids(&self) -> &[u32] {
        match &self.names {
            Names::Ids(ids) => ids,
            Names::Places(_) => &[],
        }
    }

    /// Where the vectors are of, ascending, where the centroids do not say which vector is in which
    /// cell; else none.
    pub fn places(&self) -> &[VectorPlace] {
        match &self.names {
            Names::Ids(_) => &[],
            Names::Places(places) => places,
        }
    }

    /// Bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        self.rows.len() + 4 * (self.scales.len() + self.ids().len() + 3 * self.places().len())
    }
}

/// Where `n` vectors are of.
fn read_places(
    decoder: &mut Decoder<'_>,
    models: &mut Models,
    n: usize,
    stats: &Stats,
) -> Result<Vec<VectorPlace>, Error> {
    let mut places = Vec::with_capacity(n);
    let mut last = VectorPlace::FIRST;
    for _ in 0..n {
        let pages = decoder.number(models.count(PAGES))?;
        let sections = decoder.number(models.count(SECTIONS[usize::from(pages == 0)]))?;
        let part = decoder.number(models.count(PART))?;
        within(decoder)?;
        let from = if pages == 0 { last.section } else { 0 };
        let (page, section) = (last.page.0.saturating_add(pages), from.saturating_add(sections));
        // Of the places in pages the structure knows better, which may not be here yet.
        if page >= stats.n_pages || section >= stats.n_sections {
            return Err(Error::malformed(WHAT, "a vector is of no section of the bundle's"));
        }
        last = VectorPlace { page: PageId(page), section, part: part.min(255) as u8 };
        places.push(last);
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::structure::StructureBuilder;

    /// Numbers of about a normal distribution with the deviations of a few dimensions.
    fn rows(n: usize, deviations: &[f32], seed: u64) -> Vec<Vec<f32>> {
        let mut state = seed;
        let mut uniform = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
        };
        // Twelve uniform numbers have a variance of 1.
        let mut normal = move || (0..12).map(|_| uniform()).sum::<f32>();
        (0..n).map(|_| deviations.iter().map(|deviation| deviation * normal()).collect()).collect()
    }

    /// The coder of rows in steps of one size.
    fn even(rows: &[Vec<f32>], step: f32) -> Coder {
        Coder::of(rows.iter(), Steps::even(step, rows[0].len()).unwrap()).unwrap()
    }

    /// What is lost of rows, in parts of what they are, and the bits that a number of them takes.
    fn lost(coder: &Coder, rows: &[Vec<f32>]) -> (f64, f64) {
        let (mut encoder, mut models) = (Encoder::new(), Models::new());
        rows.iter().for_each(|row| coder.put(0, &mut encoder, &mut models, row));
        let coded = encoder.finish();
        let (mut decoder, mut models) = (Decoder::new(&coded), Models::new());
        let (mut error, mut energy) = (0.0, 0.0);
        for row in rows {
            let mut back = vec![0.0; row.len()];
            coder.add(0, &mut decoder, &mut models, &mut back).unwrap();
            for (a, b) in row.iter().zip(&back) {
                error += f64::from((a - b) * (a - b));
                energy += f64::from(a * a);
            }
        }
        (error / energy, coded.len() as f64 * 8.0 / (rows.len() * coder.dim()) as f64)
    }

    #[test]
    fn what_is_lost_takes_few_bits_more_than_it_must() {
        let deviations: Vec<f32> = (0..64).map(|i| 1.0 / (1.0 + i as f32 / 4.0)).collect();
        let rows = rows(500, &deviations, 1);
        for (step, above) in [(0.05f32, 0.4), (0.1, 0.35), (0.2, 0.33), (0.4, 0.3)] {
            let (lost, bits) = lost(&even(&rows, step), &rows);
            // The least for normal distributions: all dimensions lose as much as the water level,
            // or all they have.
            let variances = || deviations.iter().map(|deviation| f64::from(deviation * deviation));
            let most: f64 = lost * variances().sum::<f64>();
            let mut level = 1.0;
            while variances().map(|variance| variance.min(level)).sum::<f64>() > most {
                level *= 0.999;
            }
            let least: f64 =
                variances().map(|variance| (variance / level).log2().max(0.0) / 2.0).sum::<f64>()
                    / 64.0;
            assert!(
                bits < least + above && bits > least,
                "{step}: {bits} where {least} is the least"
            );
        }
    }

    proptest! {
        #[test]
        fn places_come_back(
            places in prop::collection::btree_set((0u32..300, 0u32..9, 0u8..=255), 1..60),
        ) {
            let places: Vec<VectorPlace> = places
                .into_iter()
                .map(|(page, section, part)| VectorPlace { page: PageId(page), section, part })
                .collect();
            let coder = even(&[vec![0.5, 0.25]], 0.1);
            let vectors = vec![&[0.5f32, 0.25][..]; places.len()];
            let raw = write_cell(&coder, &[0.5, 0.25], Some(&places), &vectors).unwrap();
            let n = places.len() as u32;
            let stats = Stats { n_pages: 300, n_sections: 2700, n_vectors: n, ..Stats::default() };
            let cell = CellShard::from_bytes(&raw, &coder, Members::Counted(n), &stats).unwrap();
            prop_assert_eq!(cell.places(), &places[..]);
        }

        #[test]
        fn a_number_is_off_by_little_more_than_half_a_step(
            dimensions in prop::collection::vec((0f32..4.0, 0u8..32), 1..40), step in 0.01f32..3.0, seed: u64,
        ) {
            let (deviations, sizes): (Vec<f32>, Vec<u8>) = dimensions.into_iter().unzip();
            let row = &rows(1, &deviations, seed)[0];
            let coder = Coder::of([row].into_iter(), Steps::new(step, sizes).unwrap()).unwrap();
            let steps = coder.steps().clone();
            let (mut encoder, mut models) = (Encoder::new(), Models::new());
            coder.put(0, &mut encoder, &mut models, row);
            coder.put_fine(&mut encoder, &mut models, row);
            let coded = encoder.finish();
            let (mut decoder, mut models) = (Decoder::new(&coded), Models::new());
            let mut back = vec![0.0; row.len()];
            coder.add(0, &mut decoder, &mut models, &mut back).unwrap();
            let fine = coder.fine(&mut decoder, &mut models).unwrap();
            prop_assert_eq!(&fine, &steps.as_stored(row));
            for (((&value, back), fine), step) in row.iter().zip(back).zip(fine).zip(steps.of) {
                prop_assert!((value - back).abs() <= step * (1.0 - ROUNDING) * 1.001 + 1e-6);
                prop_assert!((value - fine).abs() <= step / FINE * 0.501 + 1e-6);
            }
        }

        #[test]
        fn cells_are_told_by_how_recently_they_were_named(cells in prop::collection::vec(0u32..9, 0..60)) {
            let (mut writer, mut reader) = (Recent::new(9), Recent::new(9));
            for cell in cells {
                prop_assert_eq!(reader.cell(writer.place(cell)), Some(cell));
            }
            prop_assert_eq!(reader.cell(9), None);
        }
    }

    #[test]
    fn dimensions_that_deviate_alike_are_of_a_class() {
        let classes = [0.0, 0.125, 0.126, 0.176, 0.18, 0.24, 0.99, 1.01, 45.0, 1e9, f32::INFINITY];
        assert_eq!(classes.map(class), [0, 0, 1, 1, 2, 2, 6, 7, 17, 17, 17]);
        assert_eq!(class(f32::NAN), 0);
        let one = || Steps::even(1.0, 1).unwrap();
        for (spread, class, fits) in
            [(1.0, 1, true), (f32::INFINITY, 1, false), (-1.0, 1, false), (1.0, 18, false)]
        {
            assert_eq!(Coder::new(one(), spread, vec![class]).is_ok(), fits);
        }
        for (mean, size, fits) in [
            (1.0, 31, true),
            (0.0, 16, false),
            (-1.0, 16, false),
            (f32::NAN, 16, false),
            (3e38, 31, false),
        ] {
            assert_eq!(Steps::new(mean, vec![size]).is_ok(), fits, "{mean} {size}");
        }
    }

    #[test]
    fn the_more_a_dimension_deviates_the_smaller_are_its_steps() {
        // Twice as much each, about other middles than 0.
        let mut twice = rows(4000, &[0.1, 0.2, 0.4, 0.8], 2);
        twice.iter_mut().for_each(|row| row[1] += 5.0);
        let steps = Steps::of(twice.iter(), 4, 0.1).unwrap();
        assert!(
            steps.of.windows(2).all(|pair| (pair[0] / pair[1] - 2.0).abs() < 0.02),
            "{steps:?}"
        );
        let beyond = Steps::of(rows(40, &[1e-3, 1e3], 2).iter(), 2, 0.1).unwrap();
        assert!((beyond.of[0] / 0.1 - 4.0).abs() < 0.01 && (0.1 / beyond.of[1] - 4.0).abs() < 0.01);
        assert_eq!(steps.with_mean(0.2).unwrap().of[2], 2.0 * steps.of[2]);
        assert_eq!(
            Steps::of([[0.5f32, 0.5]].iter(), 2, 0.1).unwrap(),
            Steps::even(0.1, 2).unwrap()
        );
    }

    /// What is wanted of a vector is its product with queries, which are as large in each dimension
    /// as vectors are.
    #[test]
    fn products_are_told_better_in_such_steps_at_as_many_bits() {
        let deviations: Vec<f32> = (0..64).map(|i| 0.3 / (1.0 + i as f32 / 8.0)).collect();
        let (rows, queries) = (rows(600, &deviations, 3), rows(50, &deviations, 4));
        let of = |steps: Steps| {
            let coder = Coder::of(rows.iter(), steps).unwrap();
            let (mut encoder, mut models) = (Encoder::new(), Models::new());
            rows.iter().for_each(|row| coder.put(0, &mut encoder, &mut models, row));
            let coded = encoder.finish();
            let (mut decoder, mut models) = (Decoder::new(&coded), Models::new());
            let mut error = 0.0;
            for row in &rows {
                let mut off: Vec<f32> = row.iter().map(|value| -value).collect();
                coder.add(0, &mut decoder, &mut models, &mut off).unwrap();
                for query in &queries {
                    error += query.iter().zip(&off).map(|(a, b)| a * b).sum::<f32>().powi(2);
                }
            }
            (error, coded.len())
        };
        let (even, even_len) = of(Steps::even(0.09, 64).unwrap());
        let (error, len) = of(Steps::of(rows.iter(), 64, 0.1).unwrap());
        assert!(
            error < 0.9 * even && len <= even_len * 101 / 100,
            "{error} {even} {len} {even_len}"
        );
    }

    #[test]
    fn equal_vectors_take_no_more_room_than_a_reader_believes() {
        let centroid = [0.5f32; 64];
        let coder = even(&[centroid.to_vec()], 0.05);
        let vectors = vec![&centroid[..]; 5000];
        let raw = write_cell(&coder, &centroid, None, &vectors).unwrap();
        let stats = Stats { n_vectors: 5000, ..Stats::default() };
        let read = |raw: &[u8]| {
            CellShard::from_bytes(raw, &coder, Members::Told((0..5000).collect()), &stats)
        };
        assert_eq!(read(&raw).unwrap().rows().count(), 5000);
        let few = [&raw[..2], &[100], &raw[4..104]].concat();
        assert!(read(&few).is_err(), "fewer bytes than 5,000 vectors can take");
    }

    #[test]
    fn cells_and_centroids_come_back() {
        let dim = 16;
        let rows = rows(40, &vec![0.3; dim], 3);
        let centroid = vec![0.25f32; dim];
        let coder = even(&rows, 0.1);
        let vectors: Vec<Vec<f32>> =
            rows.iter().map(|row| row.iter().map(|value| value + 0.25).collect()).collect();
        // Twenty pages of two sections of three vectors, of which every third is in the cell.
        let ids: Vec<u32> = (0..40).map(|i| i * 3 + 1).collect();
        let mut structure = StructureBuilder::default();
        for section in 0..40 {
            if section % 2 == 0 {
                structure.page();
            }
            structure.section(3);
            structure.passage();
        }
        let structure = structure.finish();
        let places: Vec<VectorPlace> =
            (0..40).map(|i| VectorPlace::new(PageId(i / 2), i % 2, 1, 3)).collect();
        let slices: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
        let raw = write_cell(&coder, &centroid, Some(&places), &slices).unwrap();
        let stats = Stats {
            n_pages: 20,
            n_sections: 40,
            n_passages: 40,
            n_vectors: 120,
            ..Stats::default()
        };
        let read = |raw: &[u8], members, stats| CellShard::from_bytes(raw, &coder, members, stats);
        let cell = read(&raw, Members::Counted(40), &stats).unwrap();
        assert_eq!((cell.places(), cell.ids()), (&places[..], &[][..]));
        let told = write_cell(&coder, &centroid, None, &slices).unwrap();
        assert!(told.len() + 10 <= raw.len());
        let by_ids = read(&told, Members::Told(ids.clone()), &stats).unwrap();
        assert_eq!((by_ids.ids(), by_ids.places()), (&ids[..], &[][..]));
        assert!(
            by_ids.vectors(&structure).eq(cell.vectors(&structure)),
            "whichever way they are named"
        );
        assert!(cell.vectors(&structure.without_vectors()).eq(cell.vectors(&structure)));
        let all = cell.vectors(&structure).map(|vector| (vector.section, vector.part));
        assert!(all.eq((0..40).map(|section| (SectionId(section), 85))));
        assert!(read(&told, Members::Told(ids[1..].to_vec()), &stats).is_err());
        for raw in [&raw, &told] {
            let read = CellShard::centroid(raw, &coder).unwrap();
            assert!(read.iter().zip(&centroid).all(|(a, b)| (a - b).abs() < 0.013));
        }
        for ((row, scale), vector) in cell.rows().zip(&vectors) {
            let error: f32 =
                row.iter().zip(vector).map(|(&q, v)| (f32::from(q) * scale - v).powi(2)).sum();
            assert!(error < 0.03 * vector.iter().map(|v| v * v).sum::<f32>(), "{error}");
        }
        assert!(read(&raw, Members::Counted(39), &stats).is_err());
        let few = Stats { n_pages: 19, ..stats };
        assert!(read(&raw, Members::Counted(40), &few).is_err(), "a page beyond the bundle's");
        let descending = [places[2], places[1]];
        assert!(write_cell(&coder, &centroid, Some(&descending), &slices[..2]).is_err());
        let few = Stats { n_vectors: 118, ..stats };

        let shard = ShardEntry { kind: ShardKind::Cell, hash: [7, 7, 112, 0], stored_len: 99 };
        let cells = vec![Cell { shard, n_vectors: 40 }, Cell { shard, n_vectors: 80 }];
        let centroids = [centroid, vec![-0.5; dim]].concat();
        let raw = write_centroids(
            &coder,
            &cells,
            &centroids,
            0.1,
            &(0..120).map(|i| u32::from(i % 3 > 0)).collect::<Vec<_>>(),
        )
        .unwrap();
        let read = Centroids::from_bytes(&raw, dim as u32, &stats).unwrap();
        assert_eq!((read.cells(), read.coder()), (&cells[..], &coder));
        for ((row, scale), centroid) in read.directions().zip(centroids.chunks(dim)) {
            let length = centroid.iter().map(|value| value * value).sum::<f32>().sqrt();
            assert!(
                row.iter()
                    .zip(centroid)
                    .all(|(&q, c)| (f32::from(q) * scale - c / length).abs() < 0.07 / length)
            );
        }
        assert!(Centroids::from_bytes(&raw, 15, &stats).is_err());
        assert!(Centroids::from_bytes(&raw, dim as u32, &few).is_err());
        assert!((0..120).all(|vector| read.cell_of(vector) == Some(u32::from(vector % 3 > 0))));
        assert_eq!(read.cell_of(120), None);
        assert_eq!(read.members(0), Some(Members::Told((0..40).map(|i| i * 3).collect())));
        assert_eq!(read.members(2), None);
        let others: Vec<u32> = (0..120).map(|i| i % 2).collect();
        let raw_others = write_centroids(&coder, &cells, &centroids, 0.1, &others).unwrap();
        assert!(
            Centroids::from_bytes(&raw_others, dim as u32, &stats).is_err(),
            "60 in each, not 40 and 80"
        );
        let without = write_centroids(&coder, &cells, &centroids, 0.1, &[]).unwrap();
        assert!(without.len() + 10 < raw.len(), "{} {}", without.len(), raw.len());
        let without = Centroids::from_bytes(&without, dim as u32, &stats).unwrap();
        assert_eq!((without.cell_of(0), without.members(1)), (None, Some(Members::Counted(80))));
        assert!(
            write_centroids(&coder, &cells, &centroids, 0.1, &[2]).is_err(),
            "there are two cells"
        );
        assert!(write_centroids(&coder, &cells, &centroids[1..], 0.1, &[]).is_err());
    }

    #[test]
    fn centroids_are_told_by_those_before_that_they_are_like() {
        let dim = 64;
        let groups = rows(8, &vec![0.3; dim], 5);
        let own = rows(80, &vec![0.1; dim], 6);
        let of = |i: usize, group: usize| -> Vec<f32> {
            groups[group].iter().zip(&own[i]).map(|(group, own)| group + own).collect()
        };
        let coder = even(&own, 0.05);
        let shard = ShardEntry { kind: ShardKind::Cell, hash: [7, 7, 112, 0], stored_len: 99 };
        let cells = vec![Cell { shard, n_vectors: 1 }; 80];
        let write = |centroids: &[Vec<f32>]| {
            write_centroids(&coder, &cells, &centroids.concat(), 0.08, &[]).unwrap()
        };
        let alike: Vec<Vec<f32>> = (0..80).map(|i| of(i, i / 10)).collect();
        let raw = write(&alike);
        let stats = Stats { n_vectors: 80, ..Stats::default() };
        let read = Centroids::from_bytes(&raw, dim as u32, &stats).unwrap();
        for ((row, scale), centroid) in read.directions().zip(&alike) {
            // As long as the centroid is in this direction.
            let length: f32 =
                row.iter().zip(centroid).map(|(&q, c)| f32::from(q) * scale * c).sum();
            let off =
                row.iter().zip(centroid).map(|(&q, c)| (f32::from(q) * scale * length - c).abs());
            assert!(off.fold(0.0, f32::max) < 0.08 * 0.6 + 0.01);
            let square: f32 = row.iter().map(|&q| (f32::from(q) * scale).powi(2)).sum();
            assert!((square - 1.0).abs() < 1e-5, "{square}");
        }
        // The same deviations without anything in common.
        let apart = rows(80, &vec![0.316; dim], 7);
        assert!(raw.len() * 10 < write(&apart).len() * 8, "{} {}", raw.len(), write(&apart).len());
    }

    #[test]
    fn vectors_that_are_alike_take_less() {
        let dim = 32;
        let moulds = rows(4, &vec![0.3; dim], 5);
        let noise = rows(80, &vec![0.05; dim], 6);
        let near = |i: usize| -> Vec<f32> {
            noise[i].iter().zip(&moulds[i % 4]).map(|(a, b)| a + b).collect()
        };
        let alike: Vec<Vec<f32>> = (0..80).map(near).collect();
        let apart = rows(80, &vec![0.304; dim], 8);
        let centroid = vec![0.0; dim];
        let write = |vectors: &[Vec<f32>]| {
            let coder = even(vectors, 0.05);
            let vectors: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
            (write_cell(&coder, &centroid, None, &vectors).unwrap(), coder)
        };
        let ((alike_raw, coder), (apart_raw, _)) = (write(&alike), write(&apart));
        assert!(
            alike_raw.len() * 10 < apart_raw.len() * 7,
            "{} {}",
            alike_raw.len(),
            apart_raw.len()
        );
        let stats = Stats { n_vectors: 80, ..Stats::default() };
        let read = |raw: &[u8]| {
            CellShard::from_bytes(raw, &coder, Members::Told((0..80).collect()), &stats)
        };
        let cell = read(&alike_raw).unwrap();
        for ((row, scale), vector) in cell.rows().zip(&alike) {
            assert!(row.iter().zip(vector).all(|(&q, v)| (f32::from(q) * scale - v).abs() < 0.04));
        }

        // The first vector is like one before it.
        let (mut encoder, mut models) = (Encoder::new(), Models::new());
        coder.put_fine(&mut encoder, &mut models, &centroid);
        encoder.number(models.count(LIKES), 1);
        let mut wrong = vec![80];
        put_coded(&mut wrong, encoder, 80 * dim);
        assert!(read(&wrong).is_err());
    }

    #[test]
    fn a_centroid_like_one_before_the_first_is_refused() {
        let mean = [0.25f32, -0.5];
        assert_eq!(expected_of(&mean, None, 1.0), mean);
        assert_eq!(expected_of(&mean, Some((&[125, -50], 0.01)), ALIKE), [0.25 + 0.7, -0.5]);
        let classes = vec![0u8; 2];
        let mut raw = Vec::new();
        [2, 1, 1].into_iter().for_each(|n| put_varint(&mut raw, n));
        (0..4).for_each(|_| raw.extend_from_slice(&0.1f32.to_le_bytes()));
        raw.extend_from_slice(&[0; 3]);
        let mut refused = Vec::new();
        for like in [0, 1] {
            let (mut encoder, mut models) = (Encoder::new(), Models::new());
            for symbols in [&[SAME; 2][..], &classes, &classes] {
                put_symbols(&mut encoder, symbols);
            }
            let coder = Coder::new(Steps::even(0.1, 2).unwrap(), 0.1, classes.clone()).unwrap();
            coder.put_fine(&mut encoder, &mut models, &mean);
            encoder.number(models.count(N_VECTORS), 1);
            (0..2).for_each(|_| encoder.number(models.count(BYTES), 16));
            encoder.number(models.count(LIKES), like);
            coder.put(0, &mut encoder, &mut models, &[0.1, 0.2]);
            encoder.number(models.count(TELLS), 0);
            let mut raw = raw.clone();
            put_coded(&mut raw, encoder, 2);
            let stats = Stats { n_vectors: 1, ..Stats::default() };
            refused.push(Centroids::from_bytes(&raw, 2, &stats).is_err());
        }
        assert_eq!(refused, [false, true]);
    }

    #[test]
    fn rows_are_bounded_by_their_bytes_and_by_what_a_shard_may_have() {
        let mut raw = Vec::new();
        put_varint(&mut raw, 200_000);
        raw.resize(raw.len() + 200_000, 0);
        for (n, dim, fits) in [
            (30_000, 4096, true),
            (50_000, 4096, false),
            (200_001, 1000, false),
            (usize::MAX >> 12, 4096, false),
        ] {
            assert_eq!(
                take_coded(&mut Reader::new(&raw, WHAT), n, dim).is_ok(),
                fits,
                "{n} rows of {dim}"
            );
        }
    }

    #[test]
    fn cells_without_vectors_and_places_of_too_many_are_refused() {
        let coder = even(&[vec![0.5f32, -0.5], vec![0.1, 0.2]], 0.1);
        let shard = ShardEntry { kind: ShardKind::Cell, hash: ShardHash::default(), stored_len: 9 };
        let stats = |n_vectors| Stats { n_vectors, ..Stats::default() };
        for (n_vectors, fits) in [([1, 2], true), ([3, 0], false)] {
            let cells = n_vectors.map(|n_vectors| Cell { shard, n_vectors });
            let raw = write_centroids(&coder, &cells, &[0.5, 0.1, -0.2, 0.3], 0.1, &[]).unwrap();
            assert_eq!(Centroids::from_bytes(&raw, 2, &stats(3)).is_ok(), fits, "{n_vectors:?}");
        }
        let cells = [Cell { shard, n_vectors: MAX_TOLD + 1 }];
        let told = vec![0; MAX_TOLD as usize + 1];
        assert!(write_centroids(&coder, &cells, &[0.5, 0.1], 0.1, &told).is_err());
    }
}

//! Vectors in cells, for readers who fetch few of them: "which vectors are near this query, without fetching all?"
//!
//! Vectors are grouped around centroids, as in an inverted file (Jégou, Douze and Schmid, TPAMI 2011). The centroids are
//! one shard, which lists the cells as well; each cell is a shard of its own, named there rather than in the manifest.
//! A query fetches the centroids once, then the cells whose centroids are nearest to it.
//!
//! What a vector differs by from its centroid is stored in few bits, more of them where vectors differ more ([`Coder`]):
//! bits go to the dimension where one more saves most error ([`allocate`], reverse water-filling: Cover and Thomas,
//! *Elements of Information Theory*, 2006, section 10.3.3).
//!
//! Centroids:
//!
//! | what | encoding |
//! |---|---|
//! | `dim`, `n_vectors`, `n_cells` | varint each |
//! | mean of the centroids | `dim` f32 |
//! | the coder of centroids less their mean, the coder of vectors less their centroid | `dim` u8: bits, then `dim` f32: deviations; each |
//! | vectors of each cell | `n_cells` varints |
//! | bytes of each cell's shard, stored | `n_cells` varints |
//! | hash of each cell's shard | `n_cells` times 6 |
//! | scales | `n_cells` u8 |
//! | codes | `n_cells` times the coder's bits, rounded up to bytes |
//! | `width` | u8: bits for the number of a cell; 0 where the bundle does not say which vector is in which cell |
//! | each vector's cell | `n_vectors` times `width` bits, the first lowest, rounded up to bytes |
//!
//! A cell:
//!
//! | what | encoding |
//! |---|---|
//! | `n` | varint |
//! | vectors' ids, ascending; left out where the centroids say which vector is in which cell | `n` varints, each less the one before it, less one |
//! | the centroid | f32 scale, `dim` i8 |
//! | scales | `n` u8 |
//! | codes | `n` times the coder's bits, rounded up to bytes |
//!
//! A cell without ids is the same file after an edit elsewhere on the site, which moves the ids of all that follows.

use crate::codec::{BitWriter, Reader, ShardHash, put_varint};
use crate::limits::check_dim;
use crate::vectors::quantise;
use crate::{Error, ShardEntry, ShardKind, Stats};

const WHAT: &str = "cells";

/// Most bits of a number.
pub const MAX_BITS: u8 = 6;
/// Between the levels of each number of bits, for numbers with a deviation of 1 (Max, "Quantizing for minimum distortion",
/// IRE Transactions 1960, table II).
const STEPS: [f32; MAX_BITS as usize + 1] = [0.0, 1.596, 0.9957, 0.586, 0.3352, 0.1881, 0.1041];
/// The share of a number's variance that is lost with each number of bits (the same table).
const LOST: [f32; MAX_BITS as usize + 1] = [1.0, 0.3634, 0.1188, 0.0374, 0.0115, 0.0035, 0.001];
/// A row's scale is stored in this many parts of 1.
const SCALES: f32 = 64.0;

/// Bits for each dimension, `total` in all, each given where it saves most of what is lost.
///
/// `variances`: of each dimension. Ties go to the lower dimension. O(dim + total log dim).
pub fn allocate(variances: &[f32], total: usize) -> Vec<u8> {
    let mut bits = vec![0u8; variances.len()];
    // What one more than so many bits, fewer than the most, saves in a dimension.
    let saves = |i: usize, bits: u8| variances[i].max(0.0) * (LOST[bits as usize] - LOST[bits as usize + 1]);
    // Ordered by that, then by dimension; non-negative floats order like their bits.
    let key = |i: usize, bits: u8| (saves(i, bits).to_bits(), std::cmp::Reverse(i));
    let mut heap: std::collections::BinaryHeap<_> = (0..variances.len()).map(|i| key(i, 0)).collect();
    for _ in 0..total.min(variances.len() * MAX_BITS as usize) {
        let Some((_, std::cmp::Reverse(i))) = heap.pop() else { break };
        bits[i] += 1;
        if bits[i] < MAX_BITS {
            heap.push(key(i, bits[i]));
        }
    }
    bits
}

/// How rows are brought into few bits: for each dimension how many, and the deviation that they are meant for.
///
/// A row has a scale besides, by which its own deviations differ from these. Levels are even and symmetric around 0
/// (a mid-rise quantiser); a dimension without bits is 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Coder {
    bits: Vec<u8>,
    deviations: Vec<f32>,
    row_len: usize,
}

impl Coder {
    /// A coder of rows of so many dimensions.
    ///
    /// # Errors
    /// Where the two are of different lengths, more than [`MAX_BITS`] are asked for, or a deviation is negative or not
    /// finite.
    pub fn new(bits: Vec<u8>, deviations: Vec<f32>) -> Result<Self, Error> {
        if bits.len() != deviations.len() {
            return Err(Error::Length {
                what: "deviations of a coder",
                expected: bits.len() as u64,
                got: deviations.len() as u64,
            });
        }
        if bits.iter().any(|&bits| bits > MAX_BITS) {
            return Err(Error::malformed(WHAT, "a number has more bits than are known"));
        }
        if !deviations.iter().all(|deviation| deviation.is_finite() && *deviation >= 0.0) {
            return Err(Error::malformed(WHAT, "a deviation is negative or not finite"));
        }
        let total: usize = bits.iter().map(|&bits| usize::from(bits)).sum();
        Ok(Self { bits, deviations, row_len: total.div_ceil(8) })
    }

    /// The coder that loses least of `rows`, `dim` numbers each, with `bits_per_row` bits for each of them.
    ///
    /// # Errors
    /// Where a row is not finite.
    pub fn of(
        rows: impl Iterator<Item = impl AsRef<[f32]>>,
        dim: usize,
        bits_per_row: usize,
    ) -> Result<Self, Error> {
        let (mut squares, mut n) = (vec![0.0f64; dim], 0usize);
        for row in rows {
            n += 1;
            for (sum, &value) in squares.iter_mut().zip(row.as_ref()) {
                *sum += f64::from(value) * f64::from(value);
            }
        }
        let variances: Vec<f32> = squares.iter().map(|sum| (sum / n.max(1) as f64) as f32).collect();
        let bits = allocate(&variances, bits_per_row);
        Self::new(bits, variances.iter().map(|variance| variance.sqrt()).collect())
    }

    /// Numbers of a row.
    pub fn dim(&self) -> usize {
        self.bits.len()
    }

    /// The deviation of each number that the coder is meant for.
    pub fn deviations(&self) -> &[f32] {
        &self.deviations
    }

    /// Bytes of a row.
    pub fn row_len(&self) -> usize {
        self.row_len
    }

    /// Scale and code of a row. What is not finite counts as 0.
    pub fn encode(&self, row: &[f32]) -> (u8, Vec<u8>) {
        let (mut sum, mut n) = (0.0f64, 0u32);
        for ((&value, &deviation), &bits) in row.iter().zip(&self.deviations).zip(&self.bits) {
            if bits > 0 && deviation > 0.0 && value.is_finite() {
                sum += f64::from(value / deviation) * f64::from(value / deviation);
                n += 1;
            }
        }
        let rms = (sum / f64::from(n.max(1))).sqrt() as f32;
        let scale = (rms * SCALES).round().clamp(1.0, 255.0) as u8;
        let mut code = BitWriter::default();
        for ((&value, &deviation), &bits) in row.iter().zip(&self.deviations).zip(&self.bits) {
            let step = STEPS[usize::from(bits)] * deviation * (f32::from(scale) / SCALES);
            let half = (1u32 << bits) as f32 / 2.0;
            let level = match step > 0.0 && value.is_finite() {
                true => (value / step).floor().clamp(-half, half - 1.0) + half,
                // The level just above the middle.
                false => half.floor(),
            };
            code.put(level as u32, bits);
        }
        (scale, code.finish())
    }

    /// Adds what a code stands for to `sum`. Numbers beyond the shorter of the two are left out.
    pub fn add(&self, scale: u8, code: &[u8], sum: &mut [f32]) {
        let scale = f32::from(scale) / SCALES;
        let mut bytes = code.iter();
        let (mut buffer, mut filled) = (0u32, 0u32);
        for ((number, &deviation), &bits) in sum.iter_mut().zip(&self.deviations).zip(&self.bits) {
            if bits == 0 {
                continue;
            }
            while filled < u32::from(bits) {
                buffer |= u32::from(bytes.next().copied().unwrap_or(0)) << filled;
                filled += 8;
            }
            let level = (buffer & ((1 << bits) - 1)) as f32 - ((1u32 << bits) - 1) as f32 / 2.0;
            *number += level * (STEPS[usize::from(bits)] * deviation * scale);
            buffer >>= bits;
            filled -= u32::from(bits);
        }
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bits);
        self.deviations.iter().for_each(|deviation| out.extend_from_slice(&deviation.to_le_bytes()));
    }

    fn read(reader: &mut Reader<'_>, dim: usize) -> Result<Self, Error> {
        reader.fits(dim, 5)?;
        let bits = reader.take(dim)?.to_vec();
        let deviations = (0..dim).map(|_| reader.f32()).collect::<Result<_, _>>()?;
        Self::new(bits, deviations)
    }
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
    scales: Vec<f32>,
    cell_of: Vec<u32>,
}

/// What the centroids say of the vectors in a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Members {
    /// How many they are; the cell says which.
    Counted(u32),
    /// Their ids, ascending.
    Told(Vec<u32>),
}

/// Writes the centroids. `cells` and `centroids` go together; `centroids` are `dim` numbers each; `bits` is how many each
/// centroid may take. `cell_of`: the cell of each vector, so that readers find those of sections they know otherwise; empty
/// where that would be too much for them to fetch.
///
/// # Errors
/// Where there are not as many of the ones as of the others, or a number is not finite.
pub fn write_centroids(
    vectors: &Coder,
    cells: &[Cell],
    centroids: &[f32],
    bits: usize,
    cell_of: &[u32],
) -> Result<Vec<u8>, Error> {
    let dim = vectors.bits.len();
    if centroids.len() != cells.len() * dim {
        return Err(Error::Length {
            what: "numbers of centroids",
            expected: (cells.len() * dim) as u64,
            got: centroids.len() as u64,
        });
    }
    let n = cells.len().max(1) as f64;
    let mut mean = vec![0.0f64; dim];
    for row in centroids.chunks_exact(dim.max(1)) {
        mean.iter_mut().zip(row).for_each(|(sum, &value)| *sum += f64::from(value) / n);
    }
    let mean: Vec<f32> = mean.into_iter().map(|value| value as f32).collect();
    let rows: Vec<Vec<f32>> = centroids
        .chunks_exact(dim.max(1))
        .map(|row| row.iter().zip(&mean).map(|(value, mean)| value - mean).collect())
        .collect();
    let coder = Coder::of(rows.iter(), dim, bits)?;
    let mut out = Vec::new();
    put_varint(&mut out, dim as u32);
    put_varint(&mut out, cells.iter().map(|cell| cell.n_vectors).sum());
    put_varint(&mut out, cells.len() as u32);
    mean.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
    coder.put(&mut out);
    vectors.put(&mut out);
    cells.iter().for_each(|cell| put_varint(&mut out, cell.n_vectors));
    cells.iter().for_each(|cell| put_varint(&mut out, cell.shard.stored_len));
    cells.iter().for_each(|cell| out.extend_from_slice(&cell.shard.hash));
    let (scales, codes): (Vec<u8>, Vec<Vec<u8>>) = rows.iter().map(|row| coder.encode(row)).unzip();
    out.extend_from_slice(&scales);
    codes.iter().for_each(|code| out.extend_from_slice(code));
    let width = if cell_of.is_empty() { 0 } else { width_of(cells.len()) };
    out.push(width);
    let mut numbers = BitWriter::default();
    cell_of.iter().for_each(|&cell| numbers.put(cell, width));
    out.extend(numbers.finish());
    Ok(out)
}

/// The number of `width` bits at an index; bits beyond the end are 0.
fn bits_at(bytes: &[u8], index: usize, width: u8) -> u32 {
    let at = index * usize::from(width);
    let (start, end) = (at / 8, (at + usize::from(width)).div_ceil(8));
    let number = bytes[start.min(bytes.len())..end.min(bytes.len())]
        .iter()
        .rev()
        .fold(0u64, |number, &byte| number << 8 | u64::from(byte));
    ((number >> (at % 8)) & ((1 << width) - 1)) as u32
}

/// Bits for the number of one of so many cells; 1 at least.
fn width_of(n_cells: usize) -> u8 {
    (usize::BITS - n_cells.saturating_sub(1).leading_zeros()).max(1) as u8
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
        // Two numbers, a hash and a scale.
        let least = 2 + size_of::<ShardHash>() + 1;
        let n_cells = reader.count(least)?;
        reader.fits(dim, 4 + 2 * 5)?;
        let mean: Vec<f32> = (0..dim).map(|_| reader.f32()).collect::<Result<_, _>>()?;
        let coder = Coder::read(&mut reader, dim)?;
        let vectors = Coder::read(&mut reader, dim)?;
        reader.fits(n_cells, least + coder.row_len)?;
        // Centroids take more memory than their codes where these are short.
        if n_cells.saturating_mul(dim + 40) > raw.len().saturating_mul(200) {
            return Err(reader.malformed("centroids have too few bits for their dimensions"));
        }
        let mut numbers = || -> Result<Vec<u32>, Error> { (0..n_cells).map(|_| reader.varint()).collect() };
        let (counts, stored) = (numbers()?, numbers()?);
        let sum: u64 = counts.iter().map(|&n| u64::from(n)).sum();
        if sum != u64::from(n_vectors) {
            return Err(reader.malformed("the cells do not add up to the vectors"));
        }
        let mut cells = Vec::with_capacity(n_cells);
        for (&n_vectors, &stored_len) in counts.iter().zip(&stored) {
            let shard = ShardEntry { kind: ShardKind::Cell, hash: reader.array()?, stored_len };
            cells.push(Cell { shard, n_vectors });
        }
        let code_scales = reader.take(n_cells)?;
        let (mut rows, mut scales) = (Vec::with_capacity(n_cells * dim), Vec::with_capacity(n_cells));
        let mut centroid = vec![0.0; dim];
        for &scale in code_scales {
            centroid.copy_from_slice(&mean);
            coder.add(scale, reader.take(coder.row_len)?, &mut centroid);
            let (row, scale) = quantise(&centroid);
            rows.extend_from_slice(&row);
            scales.push(scale);
        }
        let width = reader.u8()?;
        if width != 0 && width != width_of(n_cells) {
            return Err(reader.malformed("the numbers of cells have another width than their count"));
        }
        let len = (u64::from(n_vectors) * u64::from(width)).div_ceil(8);
        let numbers = reader.take(usize::try_from(len).unwrap_or(usize::MAX))?;
        let cell_of = match width {
            0 => Vec::new(),
            width => (0..n_vectors as usize).map(|vector| bits_at(numbers, vector, width)).collect(),
        };
        reader.finish()?;
        let mut left = counts;
        for &cell in &cell_of {
            let Some(n) = left.get_mut(cell as usize).filter(|n| **n > 0) else {
                return Err(Error::malformed(
                    WHAT,
                    "the cells have other numbers of vectors than are said to be in them",
                ));
            };
            *n -= 1;
        }
        Ok(Self { dim, vectors, cells, rows, scales, cell_of })
    }

    /// The cell of a vector; `None` where the bundle does not say, or there is no such vector.
    pub fn cell_of(&self, vector: u32) -> Option<u32> {
        self.cell_of.get(vector as usize).copied()
    }

    /// What is known of the vectors in a cell before its shard is here; `None` where there is no such cell. O(vectors).
    pub fn members(&self, cell: u32) -> Option<Members> {
        let n_vectors = self.cells.get(cell as usize)?.n_vectors;
        if self.cell_of.is_empty() {
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

    /// Each centroid in eight bits, with its scale.
    pub fn rows(&self) -> impl Iterator<Item = (&[i8], f32)> {
        self.rows.chunks_exact(self.dim).zip(self.scales.iter().copied())
    }

    /// Bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        self.rows.len() + self.cells.len() * (4 + size_of::<Cell>()) + 5 * self.dim + 4 * self.cell_of.len()
    }
}

/// Writes a cell: vectors in the order of their ids, `dim` numbers each. `ids`: ascending; `None` where the centroids say which
/// vector is in which cell.
///
/// # Errors
/// Where ids do not ascend or are not as many as the vectors.
pub fn write_cell(
    coder: &Coder,
    centroid: &[f32],
    ids: Option<&[u32]>,
    vectors: &[&[f32]],
) -> Result<Vec<u8>, Error> {
    if let Some(ids) = ids.filter(|ids| ids.len() != vectors.len()) {
        let (expected, got) = (ids.len() as u64, vectors.len() as u64);
        return Err(Error::Length { what: "vectors of a cell", expected, got });
    }
    let mut out = Vec::new();
    put_varint(&mut out, vectors.len() as u32);
    let mut next = 0;
    for &id in ids.unwrap_or_default() {
        let gap = id.checked_sub(next).ok_or(Error::malformed(WHAT, "ids of vectors do not ascend"))?;
        put_varint(&mut out, gap);
        next = id.saturating_add(1);
    }
    let (row, scale) = quantise(centroid);
    out.extend_from_slice(&scale.to_le_bytes());
    out.extend(row.iter().map(|&q| q as u8));
    // What a reader makes of the centroid is what its vectors are stored beside.
    let centroid: Vec<f32> = row.iter().map(|&q| f32::from(q) * scale).collect();
    let coded: Vec<(u8, Vec<u8>)> = vectors
        .iter()
        .map(|vector| {
            let rest: Vec<f32> = vector.iter().zip(&centroid).map(|(value, centre)| value - centre).collect();
            coder.encode(&rest)
        })
        .collect();
    out.extend(coded.iter().map(|(scale, _)| *scale));
    coded.iter().for_each(|(_, code)| out.extend_from_slice(code));
    Ok(out)
}

/// The vectors of a cell, in eight bits.
#[derive(Clone, Debug, PartialEq)]
pub struct CellShard {
    dim: usize,
    ids: Vec<u32>,
    rows: Vec<i8>,
    scales: Vec<f32>,
}

impl CellShard {
    /// Checks and takes what [`write_cell`] wrote.
    ///
    /// # Errors
    /// Where the bytes break the format, or vectors are not as many as the centroids' shard says, or are none of the
    /// bundle's.
    pub fn from_bytes(raw: &[u8], coder: &Coder, members: Members, stats: &Stats) -> Result<Self, Error> {
        let mut reader = Reader::new(raw, WHAT);
        let dim = coder.bits.len();
        let n = reader.count(1 + coder.row_len)?;
        let expected = match &members {
            Members::Counted(n_vectors) => u64::from(*n_vectors),
            Members::Told(ids) => ids.len() as u64,
        };
        if n as u64 != expected {
            return Err(Error::Length { what: "vectors of a cell", expected, got: n as u64 });
        }
        // Eight bits are more than are stored; this bounds them by the input's length.
        if n.saturating_mul(dim + 8) > raw.len().saturating_mul(200) {
            return Err(reader.malformed("vectors have too few bits for their dimensions"));
        }
        let ids = match members {
            Members::Counted(_) => read_ids(&mut reader, n, stats.n_vectors)?,
            Members::Told(ids) => ids,
        };
        let centroid = read_centroid(&mut reader, dim)?;
        let code_scales = reader.take(n)?;
        let (mut rows, mut scales) = (Vec::with_capacity(n * dim), Vec::with_capacity(n));
        let mut vector = vec![0.0; dim];
        for &scale in code_scales {
            vector.copy_from_slice(&centroid);
            coder.add(scale, reader.take(coder.row_len)?, &mut vector);
            let (row, scale) = quantise(&vector);
            rows.extend_from_slice(&row);
            scales.push(scale);
        }
        reader.finish()?;
        Ok(Self { dim, ids, rows, scales })
    }

    /// The centroid that a cell's shard was written around, in eight bits: nearer to it than [`Centroids::rows`] has it.
    ///
    /// # Errors
    /// As of [`from_bytes`](Self::from_bytes).
    pub fn centroid(raw: &[u8], coder: &Coder, members: &Members, stats: &Stats) -> Result<Vec<f32>, Error> {
        let mut reader = Reader::new(raw, WHAT);
        let n = reader.count(1 + coder.row_len)?;
        if let Members::Counted(_) = members {
            read_ids(&mut reader, n, stats.n_vectors)?;
        }
        read_centroid(&mut reader, coder.bits.len())
    }

    /// Each vector's id, ascending, with its numbers in eight bits and their scale.
    pub fn vectors(&self) -> impl Iterator<Item = (u32, &[i8], f32)> {
        let rows = self.rows.chunks_exact(self.dim);
        self.ids.iter().zip(rows).zip(&self.scales).map(|((&id, row), &scale)| (id, row, scale))
    }

    /// The vectors' ids, ascending.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        self.rows.len() + 8 * self.ids.len()
    }
}

/// The ids of `n` of the bundle's vectors.
fn read_ids(reader: &mut Reader<'_>, n: usize, n_vectors: u32) -> Result<Vec<u32>, Error> {
    let mut ids = Vec::with_capacity(n);
    let mut next = 0u64;
    for _ in 0..n {
        let id = next + u64::from(reader.varint()?);
        if id >= u64::from(n_vectors) {
            return Err(reader.malformed("a vector is none of the bundle's"));
        }
        ids.push(id as u32);
        next = id + 1;
    }
    Ok(ids)
}

/// The vector that those of a cell lie around.
fn read_centroid(reader: &mut Reader<'_>, dim: usize) -> Result<Vec<f32>, Error> {
    let scale = reader.f32()?;
    if !scale.is_finite() {
        return Err(reader.malformed("a scale is not finite"));
    }
    Ok(reader.take(dim)?.iter().map(|&q| f32::from(q as i8) * scale).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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

    fn lost(coder: &Coder, rows: &[Vec<f32>]) -> f64 {
        let (mut error, mut energy) = (0.0, 0.0);
        for row in rows {
            let (scale, code) = coder.encode(row);
            assert_eq!(code.len(), coder.row_len());
            let mut back = vec![0.0; row.len()];
            coder.add(scale, &code, &mut back);
            for (a, b) in row.iter().zip(&back) {
                error += f64::from((a - b) * (a - b));
                energy += f64::from(a * a);
            }
        }
        error / energy
    }

    #[test]
    fn bits_go_where_they_save_most() {
        assert_eq!(allocate(&[1.0, 1.0, 1.0, 1.0], 4), [1, 1, 1, 1]);
        assert_eq!(allocate(&[1.0, 0.01], 2), [2, 0]);
        assert_eq!(allocate(&[0.0, 1.0], 100), [6, 6], "no more than there are");
        assert_eq!(allocate(&[], 3), [0u8; 0]);
    }

    #[test]
    fn less_is_lost_with_more_bits_and_less_than_with_even_ones() {
        let deviations: Vec<f32> = (0..64).map(|i| 1.0 / (1.0 + i as f32 / 4.0)).collect();
        let rows = rows(500, &deviations, 1);
        let of = |bits: usize| lost(&Coder::of(rows.iter(), 64, 64 * bits).unwrap(), &rows);
        assert!(of(1) > of(2) && of(2) > of(3) && of(3) > of(4));
        let even = Coder::new(vec![2; 64], deviations).unwrap();
        assert!(of(2) < 0.6 * lost(&even, &rows), "{} {}", of(2), lost(&even, &rows));
        assert!(of(2) < 0.06, "{}", of(2));
    }

    proptest! {
        #[test]
        fn a_number_within_the_levels_is_off_by_half_a_step_at_most(
            bits in prop::collection::vec(0u8..=MAX_BITS, 1..40), seed: u64,
        ) {
            let deviations = vec![0.5f32; bits.len()];
            let row = &rows(1, &deviations, seed)[0];
            let coder = Coder::new(bits.clone(), deviations).unwrap();
            let (scale, code) = coder.encode(row);
            let mut back = vec![0.0; row.len()];
            coder.add(scale, &code, &mut back);
            for ((&value, &back), &bits) in row.iter().zip(&back).zip(&bits) {
                let step = STEPS[usize::from(bits)] * 0.5 * f32::from(scale) / SCALES;
                let most = step * (1u32 << bits) as f32 / 2.0;
                if bits > 0 && value.abs() < most {
                    prop_assert!((value - back).abs() <= step / 2.0 + 1e-6);
                } else if bits == 0 {
                    prop_assert_eq!(back, 0.0);
                }
            }
        }
    }

    #[test]
    fn cells_and_centroids_come_back() {
        let dim = 16;
        let rows = rows(40, &vec![0.3; dim], 3);
        let centroid = vec![0.25f32; dim];
        let coder = Coder::of(rows.iter(), dim, dim * 5).unwrap();
        let vectors: Vec<Vec<f32>> =
            rows.iter().map(|row| row.iter().map(|value| value + 0.25).collect()).collect();
        let ids: Vec<u32> = (0..40).map(|i| i * 3 + 1).collect();
        let slices: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
        let raw = write_cell(&coder, &centroid, Some(&ids), &slices).unwrap();
        let stats = Stats { n_vectors: 120, ..Stats::default() };
        let read = |raw: &[u8], members, stats| CellShard::from_bytes(raw, &coder, members, stats);
        let cell = read(&raw, Members::Counted(40), &stats).unwrap();
        assert_eq!(cell.ids(), ids);
        let told = write_cell(&coder, &centroid, None, &slices).unwrap();
        assert!(told.len() + 40 <= raw.len());
        assert_eq!(read(&told, Members::Told(ids.clone()), &stats), Ok(cell.clone()));
        assert!(read(&told, Members::Told(ids[1..].to_vec()), &stats).is_err());
        let near = |raw: &[u8], members| {
            let read = CellShard::centroid(raw, &coder, &members, &stats).unwrap();
            read.iter().zip(&centroid).all(|(a, b)| (a - b).abs() < 0.002)
        };
        assert!(near(&raw, Members::Counted(40)) && near(&told, Members::Told(ids)));
        for ((_, row, scale), vector) in cell.vectors().zip(&vectors) {
            let error: f32 = row.iter().zip(vector).map(|(&q, v)| (f32::from(q) * scale - v).powi(2)).sum();
            assert!(error < 0.03 * vector.iter().map(|v| v * v).sum::<f32>(), "{error}");
        }
        assert!(read(&raw, Members::Counted(39), &stats).is_err());
        let few = Stats { n_vectors: 118, ..Stats::default() };
        assert!(read(&raw, Members::Counted(40), &few).is_err(), "an id beyond the bundle's");
        assert!(write_cell(&coder, &centroid, Some(&[2, 2]), &slices[..2]).is_err());

        let shard = ShardEntry { kind: ShardKind::Cell, hash: [7; 6], stored_len: 99 };
        let cells = vec![Cell { shard, n_vectors: 40 }, Cell { shard, n_vectors: 80 }];
        let centroids = [centroid, vec![-0.5; dim]].concat();
        let raw = write_centroids(
            &coder,
            &cells,
            &centroids,
            dim * 4,
            &(0..120).map(|i| u32::from(i % 3 > 0)).collect::<Vec<_>>(),
        )
        .unwrap();
        let read = Centroids::from_bytes(&raw, dim as u32, &stats).unwrap();
        assert_eq!((read.cells(), read.coder()), (&cells[..], &coder));
        for ((row, scale), centroid) in read.rows().zip(centroids.chunks(dim)) {
            assert!(row.iter().zip(centroid).all(|(&q, c)| (f32::from(q) * scale - c).abs() < 0.07));
        }
        assert!(Centroids::from_bytes(&raw, 15, &stats).is_err());
        assert!(Centroids::from_bytes(&raw, dim as u32, &few).is_err());
        assert!((0..120).all(|vector| read.cell_of(vector) == Some(u32::from(vector % 3 > 0))));
        assert_eq!(read.cell_of(120), None);
        assert_eq!(read.members(0), Some(Members::Told((0..40).map(|i| i * 3).collect())));
        assert_eq!(read.members(2), None);
        let others: Vec<u32> = (0..120).map(|i| i % 2).collect();
        let raw_others = write_centroids(&coder, &cells, &centroids, dim * 4, &others).unwrap();
        assert!(Centroids::from_bytes(&raw_others, dim as u32, &stats).is_err(), "60 in each, not 40 and 80");
        let without = write_centroids(&coder, &cells, &centroids, dim * 4, &[]).unwrap();
        assert_eq!(without.len() + 15, raw.len());
        let without = Centroids::from_bytes(&without, dim as u32, &stats).unwrap();
        assert_eq!((without.cell_of(0), without.members(1)), (None, Some(Members::Counted(80))));
        assert_eq!([1, 2, 3, 4, 5, 256, 257].map(width_of), [1, 1, 2, 2, 3, 8, 9]);
        assert!(write_centroids(&coder, &cells, &centroids[1..], 8, &[]).is_err());
    }
}

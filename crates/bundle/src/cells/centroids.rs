//! The centroids' shard: the centroids, and the list of cells.

use super::WHAT;
use super::cell::Members;
use super::coder::{
    Coder, Count, Models, put_coded, put_symbols, take_coded, take_symbols, within,
};
use super::prediction::{ALIKE, expected_of, less, like, read_back};
use super::steps::Steps;
use crate::codec::{Reader, put_varint, unzigzag, zigzag};
use crate::limits::{MAX_TOLD, check_dim};
use crate::names::{MIN_HASH_LEN, put_hashes, take_hashes};
use crate::range_coder::{Decoder, Encoder};
use crate::vectors::quantise;
use crate::{Error, ShardEntry, ShardHash, ShardKind, Stats};

/// A cell's line in the centroids' shard.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The shard.
    pub shard: ShardEntry,
    /// Number of vectors in the cell.
    pub n_vectors: u32,
}

/// The centroids, and the cells around them.
#[derive(Clone, Debug, PartialEq)]
pub struct Centroids {
    dim: usize,
    vectors: Coder,
    cells: Vec<Cell>,
    rows: Vec<i8>,
    /// The scale that makes each of `rows` a vector of length 1.
    units: Vec<f32>,
    cell_of: Vec<u32>,
}

/// Writes the centroids' shard.
///
/// `centroids` has `dim` numbers for each of `cells`, and is stored in steps of mean size `step`.
/// `cell_of` is the cell of each vector, so that a reader can find the vectors of a given section;
/// empty if the list would be too long to fetch.
///
/// # Errors
/// If `centroids` does not match `cells`, a number is not finite, or `cell_of` names a cell that
/// does not exist or is longer than [`MAX_TOLD`].
pub fn write_centroids(
    vectors: &Coder,
    cells: &[Cell],
    centroids: &[f32],
    step: f32,
    cell_of: &[u32],
) -> Result<Vec<u8>, Error> {
    let dim = vectors.dim();
    check(cells, centroids, dim, cell_of)?;
    let steps = vectors.steps.with_mean(step)?;
    let mean = steps.as_stored(&mean(centroids, cells.len(), dim));
    let Differences { likes, rests } = Differences::of(centroids, &mean, &steps, dim);
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
    cells.iter().for_each(|cell| encoder.number(models.count(Count::Vectors), cell.n_vectors));
    let stored: u64 = cells.iter().map(|cell| u64::from(cell.shard.stored_len)).sum();
    let sixteenths = (stored * 16 / u64::from(n_vectors.max(1))).min(u32::MAX.into()) as u32;
    encoder.number(models.count(Count::Bytes), sixteenths);
    for cell in cells {
        let more = cell.shard.stored_len.wrapping_sub(expected_len(cell.n_vectors, sixteenths));
        encoder.number(models.count(Count::Bytes), zigzag(more as i32));
    }
    for (like, rest) in likes.into_iter().zip(&rests) {
        encoder.number(models.count(Count::Back), like);
        coder.put(0, &mut encoder, &mut models, rest);
    }
    encoder.number(models.count(Count::Tells), u32::from(!cell_of.is_empty()));
    let mut recent = Recent::new(cells.len());
    for &cell in cell_of {
        encoder.number(models.count(Count::Places), recent.place(cell));
    }
    put_coded(&mut out, encoder, cells.len() * dim + cell_of.len());
    Ok(out)
}

/// Returns the errors of [`write_centroids`].
fn check(cells: &[Cell], centroids: &[f32], dim: usize, cell_of: &[u32]) -> Result<(), Error> {
    if centroids.len() != cells.len() * dim {
        return Err(Error::Length {
            what: "numbers of centroids",
            expected: (cells.len() * dim) as u64,
            got: centroids.len() as u64,
        });
    }
    if cell_of.len() > MAX_TOLD as usize {
        let (limit, got) = (MAX_TOLD.into(), cell_of.len() as u64);
        return Err(Error::Limit { what: "vectors with a listed cell", limit, got });
    }
    if cell_of.iter().any(|&cell| cell as usize >= cells.len()) {
        return Err(Error::malformed(WHAT, "a vector is in a cell that does not exist"));
    }
    Ok(())
}

/// Returns the mean of `n` centroids.
fn mean(centroids: &[f32], n: usize, dim: usize) -> Vec<f32> {
    let n = n.max(1) as f64;
    let mut mean = vec![0.0f64; dim];
    for row in centroids.chunks_exact(dim.max(1)) {
        mean.iter_mut().zip(row).for_each(|(sum, &value)| *sum += f64::from(value) / n);
    }
    mean.into_iter().map(|value| value as f32).collect()
}

/// The centroids as they are stored.
struct Differences {
    /// Number of places back to the similar centroid, 0 for none.
    likes: Vec<u32>,
    /// The difference of each from its expected centroid.
    rests: Vec<Vec<f32>>,
}

impl Differences {
    fn of(centroids: &[f32], mean: &[f32], steps: &Steps, dim: usize) -> Self {
        let n = centroids.len() / dim.max(1);
        let (mut likes, mut rests) = (Vec::with_capacity(n), Vec::with_capacity(n));
        // Predictions: from the mean alone, then from each earlier centroid.
        let mut expectations: Vec<Vec<f32>> = vec![mean.to_vec()];
        for row in centroids.chunks_exact(dim.max(1)) {
            let distances =
                expectations.iter().map(|expected| steps.square(&less(row, expected))).zip(0..);
            let (_, best) = distances.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
            likes.push(if best == 0 { 0 } else { (expectations.len() - best) as u32 });
            let expected = &expectations[best];
            let rest = less(row, expected);
            let (read, scale) = read_back(expected, &rest, steps);
            expectations.push(expected_of(mean, Some((&read, scale)), ALIKE));
            rests.push(rest);
        }
        Self { likes, rests }
    }
}

/// Returns the length of a row in eight bits, at least 1.
fn length(row: &[i8]) -> f32 {
    let square: u32 = row.iter().map(|&value| (i32::from(value) * i32::from(value)) as u32).sum();
    (square.max(1) as f32).sqrt()
}

/// Returns the estimated bytes of a cell, given the sixteenths of a byte for each vector.
fn expected_len(n_vectors: u32, sixteenths: u32) -> u32 {
    (u64::from(n_vectors) * u64::from(sixteenths) / 16) as u32
}

/// A move-to-front list of cells: consecutive vectors are often in the same few cells.
pub(super) struct Recent(Vec<u32>);

impl Recent {
    pub(super) fn new(n_cells: usize) -> Self {
        Self((0..n_cells as u32).collect())
    }

    /// Returns the position of a cell in the list, and moves the cell to the front.
    pub(super) fn place(&mut self, cell: u32) -> u32 {
        let place = self.0.iter().position(|&other| other == cell).unwrap_or_default();
        self.0[..=place].rotate_right(1);
        place as u32
    }

    /// Returns the cell at a position, and moves it to the front; `None` if there is none.
    pub(super) fn cell(&mut self, place: u32) -> Option<u32> {
        let cells = self.0.get_mut(..=place as usize)?;
        cells.rotate_right(1);
        cells.first().copied()
    }
}

impl Centroids {
    /// Reads and checks the output of [`write_centroids`].
    ///
    /// # Errors
    /// If the bytes break the format, or dimension or number of vectors are not the expected ones.
    pub fn from_bytes(raw: &[u8], dim: u32, stats: &Stats) -> Result<Self, Error> {
        let mut reader = Reader::new(raw, WHAT);
        check_dim("dimensions of a centroid", reader.varint()?, dim)?;
        let dim = dim as usize;
        let n_vectors = reader.varint()?;
        if n_vectors != stats.n_vectors {
            let (expected, got) = (stats.n_vectors.into(), n_vectors.into());
            return Err(Error::Length { what: "vectors of all cells", expected, got });
        }
        let n_cells = reader.count(MIN_HASH_LEN)?;
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
        read_sizes(decoder, models, n_vectors, &mut cells)?;
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
        let cell_of = match decoder.number(models.count(Count::Tells))? {
            0 => Vec::new(),
            _ => read_cell_of(decoder, models, n_vectors, &cells)?,
        };
        Ok(Self { dim, vectors, cells, rows, units, cell_of })
    }

    /// Returns whether the cell of each vector is listed. If so, the structure knows the vectors of
    /// each section.
    pub fn tells(&self) -> bool {
        !self.cell_of.is_empty()
    }

    /// Returns the cell of a vector; `None` if the bundle does not list it, or there is no such
    /// vector.
    pub fn cell_of(&self, vector: u32) -> Option<u32> {
        self.cell_of.get(vector as usize).copied()
    }

    /// Returns the facts about a cell's vectors that are known before its shard is loaded; `None`
    /// if there is no such cell. O(vectors).
    pub fn members(&self, cell: u32) -> Option<Members> {
        let n_vectors = self.cells.get(cell as usize)?.n_vectors;
        if !self.tells() {
            return Some(Members::Counted(n_vectors));
        }
        let of = (0..).zip(&self.cell_of).filter(|(_, of)| **of == cell);
        Some(Members::Told(of.map(|(vector, _)| vector).collect()))
    }

    /// Returns the cells, in the order of their numbers.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Returns the coder of the vectors in the cells.
    pub fn coder(&self) -> &Coder {
        &self.vectors
    }

    /// Returns the direction of each centroid: its numbers in eight bits, and the scale that makes
    /// them a vector of length 1.
    pub fn directions(&self) -> impl Iterator<Item = (&[i8], f32)> {
        self.rows.chunks_exact(self.dim).zip(self.units.iter().copied())
    }

    /// Returns the bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        self.rows.len()
            + self.cells.len() * (4 + size_of::<Cell>())
            + 6 * self.dim
            + 4 * self.cell_of.len()
    }
}

/// Reads the number of vectors of each cell, and the stored length of its shard.
fn read_sizes(
    decoder: &mut Decoder<'_>,
    models: &mut Models,
    n_vectors: u32,
    cells: &mut [Cell],
) -> Result<(), Error> {
    let mut sum = 0;
    for cell in &mut *cells {
        cell.n_vectors = decoder.number(models.count(Count::Vectors))?;
        if cell.n_vectors == 0 {
            return Err(Error::malformed(WHAT, "a cell has no vectors"));
        }
        sum += u64::from(cell.n_vectors);
    }
    if sum != u64::from(n_vectors) {
        return Err(Error::malformed(
            WHAT,
            "the vectors of the cells do not add up to all vectors",
        ));
    }
    let sixteenths = decoder.number(models.count(Count::Bytes))?;
    for cell in cells {
        let more = unzigzag(decoder.number(models.count(Count::Bytes))?);
        cell.shard.stored_len = expected_len(cell.n_vectors, sixteenths).wrapping_add(more as u32);
    }
    Ok(())
}

/// Reads the cell of each vector.
fn read_cell_of(
    decoder: &mut Decoder<'_>,
    models: &mut Models,
    n_vectors: u32,
    cells: &[Cell],
) -> Result<Vec<u32>, Error> {
    if n_vectors > MAX_TOLD {
        let (limit, got) = (MAX_TOLD.into(), n_vectors.into());
        return Err(Error::Limit { what: "vectors with a listed cell", limit, got });
    }
    let mut left: Vec<u32> = cells.iter().map(|cell| cell.n_vectors).collect();
    let mut recent = Recent::new(cells.len());
    let mut cell_of = Vec::new();
    for _ in 0..n_vectors {
        let place = decoder.number(models.count(Count::Places))?;
        within(decoder)?;
        let cell = recent.cell(place);
        let free =
            cell.and_then(|cell| Some((cell, left.get_mut(cell as usize).filter(|n| **n > 0)?)));
        let Some((cell, n)) = free else {
            return Err(Error::malformed(WHAT, "a cell lists more vectors than it has"));
        };
        *n -= 1;
        cell_of.push(cell);
    }
    Ok(cell_of)
}

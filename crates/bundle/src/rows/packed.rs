//! Packing of a shard of rows with the range coder, for storage.
//!
//! Everything is in the order of the unpacked shard:
//!
//! - `n`, `dim`, `bits`: numbers, one model for all three
//! - keys: number of shared bytes and number of own bytes; the own bytes, as symbols with one model
//! - scales: two symbols each: the upper byte, the lower byte
//! - numbers of rows: symbols, one model for each of [`GROUPS`] runs of dimensions, since later
//!   dimensions deviate less

use super::WHAT;
use super::quantise::Bits;
use crate::Error;
use crate::codec::{Reader, put_varint};
use crate::limits::check_dim;
use crate::range_coder::{Bit, Decoder, Encoder, NUMBER};

/// Number of runs of dimensions, each with its own model.
const GROUPS: usize = 8;
/// The initial probabilities of a number of [`Bits::Steps`], in 256ths, in the order of the model's
/// bits. Shards are too short to learn them.
const EXPECTED: [u8; 16] = [0, 164, 232, 29, 221, 178, 79, 49, 179, 174, 163, 135, 79, 95, 100, 83];
/// Indices of the models: numbers, then symbols of keys, of scales, of rows.
const HEAD: usize = 0;
const SHARED: usize = 1;
const OWN: usize = 2;
const KEYS: usize = 3 * NUMBER;
const SCALES: usize = KEYS + 256;
const ROWS: usize = SCALES + 2 * 256;

/// The adaptive models of a shard.
struct Models {
    bits: Vec<Bit>,
    width: u32,
}

impl Models {
    fn new() -> Self {
        Self { bits: vec![Bit::default(); ROWS], width: 0 }
    }

    fn number(&mut self, place: usize) -> &mut [Bit] {
        &mut self.bits[place * NUMBER..][..NUMBER]
    }

    fn symbol(&mut self, place: usize) -> &mut [Bit] {
        &mut self.bits[place..][..256]
    }

    /// Adds the models of rows of `width` bits.
    fn rows_of(&mut self, width: u32) {
        self.width = width;
        for _ in 0..GROUPS {
            match width {
                4 => self.bits.extend(EXPECTED.map(Bit::expected)),
                _ => self.bits.resize(self.bits.len() + (1 << width), Bit::default()),
            }
        }
    }

    /// Returns the model of the number at an index of a row of `dim`.
    fn at(&mut self, place: usize, dim: usize) -> &mut [Bit] {
        let group = place * GROUPS / dim;
        &mut self.bits[ROWS + (group << self.width)..][..1 << self.width]
    }
}

/// Packs the output of [`RowsBuilder`](super::RowsBuilder). `None` for other bytes.
pub(crate) fn pack(raw: &[u8]) -> Option<Vec<u8>> {
    try_pack(raw).ok()
}

fn try_pack(raw: &[u8]) -> Result<Vec<u8>, Error> {
    let mut reader = Reader::new(raw, WHAT);
    let (mut encoder, mut models) = (Encoder::new(), Models::new());
    let (n, dim, width) = (reader.count(3)?, reader.varint()? as usize, u32::from(reader.u8()?));
    check_dim("dimensions of an encoder row", dim as u32, dim as u32)?;
    let row_len = Bits::from_count(width)?.row_len(dim);
    for head in [n as u32, dim as u32, width] {
        encoder.number(models.number(HEAD), head);
    }
    models.rows_of(width);
    for _ in 0..n {
        encoder.number(models.number(SHARED), reader.varint()?);
        let own = reader.str()?;
        encoder.number(models.number(OWN), own.len() as u32);
        own.bytes().for_each(|byte| encoder.symbol(models.symbol(KEYS), byte.into()));
    }
    for _ in 0..n {
        let scale = reader.u16()?;
        encoder.symbol(models.symbol(SCALES), (scale >> 8).into());
        encoder.symbol(models.symbol(SCALES + 256), (scale & 255).into());
    }
    let per_byte = 8 / width as usize;
    for _ in 0..n {
        let packed = reader.take(row_len)?;
        for at in 0..dim {
            let number = packed[at / per_byte] >> (at % per_byte * width as usize);
            encoder.symbol(models.at(at, dim), usize::from(number) & ((1 << width) - 1));
        }
    }
    reader.finish()?;
    Ok(encoder.finish())
}

/// Reverses [`pack`], to `raw_len` bytes. The allocation is bounded by `raw_len`.
///
/// # Errors
/// If no contents pack to these bytes. [`RowsShard::from_bytes`](super::RowsShard::from_bytes)
/// checks the contents.
pub(crate) fn unpack(packed: &[u8], raw_len: usize) -> Result<Vec<u8>, Error> {
    let (mut decoder, mut models) = (Decoder::new(packed), Models::new());
    let mut head = || decoder.number(models.number(HEAD));
    let (n, dim, width) = (head()?, head()?, head()?);
    check_dim("dimensions of an encoder row", dim, dim)?;
    let (per_row, row_len) = (dim as usize, Bits::from_count(width)?.row_len(dim as usize));
    let more = |decoder: &Decoder<'_>, raw: &[u8], len: usize| {
        if decoder.is_beyond() || raw.len().saturating_add(len) > raw_len {
            return Err(Error::malformed(
                WHAT,
                "the contents are shorter or longer than the header states",
            ));
        }
        Ok(())
    };
    models.rows_of(width);
    let mut raw = Vec::new();
    put_varint(&mut raw, n);
    put_varint(&mut raw, dim);
    raw.push(width as u8);
    for _ in 0..n {
        put_varint(&mut raw, decoder.number(models.number(SHARED))?);
        let own = decoder.number(models.number(OWN))?;
        put_varint(&mut raw, own);
        more(&decoder, &raw, own as usize)?;
        raw.extend((0..own).map(|_| decoder.symbol(models.symbol(KEYS)) as u8));
    }
    for _ in 0..n {
        more(&decoder, &raw, 2)?;
        let upper = decoder.symbol(models.symbol(SCALES)) as u8;
        raw.extend([decoder.symbol(models.symbol(SCALES + 256)) as u8, upper]);
    }
    for _ in 0..n {
        more(&decoder, &raw, row_len)?;
        let start = raw.len();
        raw.resize(start + row_len, 0);
        for at in 0..per_row {
            let number = decoder.symbol(models.at(at, per_row)) as u8;
            let bit = at * width as usize;
            raw[start + bit / 8] |= number << (bit % 8);
        }
    }
    more(&decoder, &raw, 0)?;
    Ok(raw)
}

//! The rows of the static query encoder: "what does this word add to a query's vector?"
//!
//! A query's vector is the sum of its words' rows, normalised. Rows are quantised to 2, 4 or 8 bits
//! with a scale each, sorted by their key and cut into small shards, so that a query fetches only
//! those its words fall into. A key is a word or a WordPiece token that begins one. A word counts
//! by its own row, else by that of the longest key that begins it ([`standing_for`]): what
//! continues it would lie in another shard, which a query would learn of only then, and no bundle
//! has it.
//!
//! | what | encoding |
//! |---|---|
//! | `n` | varint |
//! | `dim` | varint |
//! | `bits` | u8: 2, 4 or 8 |
//! | keys | `n` times: varint bytes shared with the key before, string: the rest |
//! | scales | `n` times u16: the upper half of an f32, finite, not negative |
//! | rows | `n` times `dim * bits / 8` bytes, rounded up; the first number in the lowest bits |
//!
//! A stored number `q` stands for `(q - (2^bits - 1) / 2) * scale`: levels are symmetric around 0
//! and 0 is none of them (a mid-rise quantiser), which at 2 bits is what a row of about Gaussian
//! numbers wants (Max, "Quantizing for minimum distortion", IRE Transactions 1960, table I). Where
//! shards are packed, the steps are even and wide and 0 is a level ([`Bits::Steps`]): `q` stands
//! for `(q - 8) * scale`, of which most are near 0 and take few bits.
//!
//! Packed ([`pack`]), everything is in the same order, through the range coder:
//!
//! | what | model |
//! |---|---|
//! | `n`, `dim`, `bits` | numbers |
//! | keys: bytes shared, bytes of its own, these | a number each; a symbol |
//! | scales | two symbols each: the upper byte, the lower byte |
//! | numbers of rows | symbols, by their place: dimensions are told apart in [`GROUPS`] runs, since they spread less and less |
//!
//! All keys that begin some word of a shard's range sort into that range, or begin the range's
//! first key: a writer repeats those few at the front of the shard ([`prefixes`]), so that one
//! shard answers for any word in its range.

use crate::Error;
use crate::codec::{Reader, put_str, put_varint, shared_prefix};
use crate::limits::{MAX_TERM_LEN, check_dim};
use crate::range_coder::{Bit, Decoder, Encoder, NUMBER};

const WHAT: &str = "encoder rows";

/// Runs of dimensions that have a model of their own.
const GROUPS: usize = 8;
/// What is expected of a number of [`Bits::Steps`], in the order of the models' bits: shards are
/// too short to learn it in.
const EXPECTED: [u8; 16] = [0, 164, 232, 29, 221, 178, 79, 49, 179, 174, 163, 135, 79, 95, 100, 83];
/// The models of numbers, then those of symbols: of keys, of scales, of rows.
const HEAD: usize = 0;
const SHARED: usize = 1;
const OWN: usize = 2;
const KEYS: usize = 3 * NUMBER;
const SCALES: usize = KEYS + 256;
const ROWS: usize = SCALES + 2 * 256;

/// Steps of [`Bits::Steps`], in deviations of a row's numbers.
const STEP: f32 = 0.42;
/// What is added before numbers of steps are rounded down: less than half, since zeros cost least.
const ROUNDING: f32 = 0.45;
/// Scales of [`Bits::Steps`] are multiples of this: four an octave.
const SCALE_STEP: u16 = 1 << 5;

/// Characters that a key has at least which a longer word counts by: a letter says nothing of what
/// it begins, and all shards would repeat it.
pub const LEAST_BEGINNING: usize = 2;

/// What stands in front of the key of a token that continues a word.
pub const CONTINUATION: &str = "##";

/// Bits for each number of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub enum Bits {
    /// Four levels.
    Two = 0,
    /// Sixteen levels.
    Four = 1,
    /// 256 levels.
    Eight = 2,
    /// Sixteen levels, 0 among them, in even steps: what a bundle has, where rows are packed.
    Steps = 3,
}

impl Bits {
    /// Those that a table can have, fewest first.
    pub const ALL: [Self; 3] = [Self::Two, Self::Four, Self::Eight];
    /// Those that a bundle can have, by their numbers.
    pub(crate) const KNOWN: [Self; 4] = [Self::Two, Self::Four, Self::Eight, Self::Steps];

    /// How many.
    pub fn count(self) -> u32 {
        match self {
            Self::Two => 2,
            Self::Four | Self::Steps => 4,
            Self::Eight => 8,
        }
    }

    /// How rows of so many bits come into a bundle.
    pub fn packed(self) -> Self {
        if self == Self::Four { Self::Steps } else { self }
    }

    /// That many bits.
    ///
    /// # Errors
    /// Where `count` is not 2, 4 or 8.
    pub fn from_count(count: u32) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|bits| bits.count() == count)
            .ok_or(Error::Malformed { what: WHAT, why: "rows have 2, 4 or 8 bits" })
    }

    /// Bytes of a row of `dim` numbers.
    pub fn row_len(self, dim: usize) -> usize {
        (dim * self.count() as usize).div_ceil(8)
    }

    /// What lies between a stored number and the one it stands for: half the number of levels, less
    /// one half where 0 is none.
    fn offset(self) -> f32 {
        let half = (1u32 << self.count()) as f32 / 2.0;
        if self == Self::Steps { half } else { half - 0.5 }
    }
}

/// The nearest f32 whose lower half is zero, at least 0.
fn short(scale: f32) -> u16 {
    let bits = scale.to_bits();
    // Round to nearest; a carry into the exponent is right as well.
    (bits.wrapping_add(0x8000) >> 16) as u16
}

fn long(scale: u16) -> f32 {
    f32::from_bits(u32::from(scale) << 16)
}

fn level(value: f32, scale: f32, bits: Bits) -> u8 {
    let top = ((1u32 << bits.count()) - 1) as f32;
    if bits == Bits::Steps {
        let steps = (value.abs() / scale + ROUNDING).floor();
        return (steps.copysign(value) + bits.offset()).clamp(0.0, top) as u8;
    }
    round_half_up(value / scale + bits.offset()).clamp(0.0, top) as u8
}

/// Rounds half up: an addition and a floor, exact in every implementation.
fn round_half_up(value: f32) -> f32 {
    (value + 0.5).floor()
}

/// The scale of a row in even steps: a part of its numbers' deviation.
fn even(row: &[f32], max: f32) -> u16 {
    // By the largest first, so that no square overflows.
    let square: f32 = row.iter().map(|v| (v / max) * (v / max)).sum();
    // Finer scales would gain nothing and cost bits.
    let scale = short((square / row.len().max(1) as f32).sqrt() * STEP * max);
    (scale + SCALE_STEP / 2) / SCALE_STEP * SCALE_STEP
}

/// A row in few bits: its scale, which for [`Bits::Steps`] is a part of its deviation and otherwise
/// what loses least of it (least squared error over a grid), and the packed levels. What is not
/// finite counts as 0.
pub fn quantise(row: &[f32], bits: Bits) -> (u16, Vec<u8>) {
    let row: Vec<f32> = row.iter().map(|&v| if v.is_finite() { v } else { 0.0 }).collect();
    let max = row.iter().fold(0.0f32, |max, v| max.max(v.abs()));
    let mut best = (f32::INFINITY, 0u16);
    if max > f32::MIN_POSITIVE * 1e6 && bits == Bits::Steps {
        best.1 = even(&row, max);
    } else if max > f32::MIN_POSITIVE * 1e6 {
        let full = max / bits.offset();
        // From a quarter of what clips nothing to a little above it, by 60ths; what clips nothing
        // is one of them.
        for step in 15..=63 {
            let stored = short(full * (step as f32 / 60.0));
            let scale = long(stored);
            let error: f32 = row
                .iter()
                .map(|&v| {
                    let lost = v - (f32::from(level(v, scale, bits)) - bits.offset()) * scale;
                    lost * lost
                })
                .sum();
            if error < best.0 {
                best = (error, stored);
            }
        }
    }
    let scale = long(best.1);
    let mut packed = vec![0u8; bits.row_len(row.len())];
    if best.1 != 0 {
        let width = bits.count() as usize;
        for (i, &value) in row.iter().enumerate() {
            packed[i * width / 8] |= level(value, scale, bits) << (i * width % 8);
        }
    }
    (best.1, packed)
}

/// Adds `weight` times a quantised row to `sum`. Numbers beyond the shorter of the two are left
/// out.
pub fn add_row(scale: u16, packed: &[u8], bits: Bits, weight: f32, sum: &mut [f32]) {
    let scale = long(scale) * weight;
    if scale == 0.0 {
        return;
    }
    let width = bits.count();
    let mask = ((1u32 << width) - 1) as u8;
    let per_byte = 8 / width as usize;
    let offset = bits.offset();
    for (numbers, &byte) in sum.chunks_mut(per_byte).zip(packed) {
        for (i, number) in numbers.iter_mut().enumerate() {
            *number += (f32::from(byte >> (i as u32 * width) & mask) - offset) * scale;
        }
    }
}

/// The longest beginning of `key`, of more than `least` bytes, that `get` knows: what it gives, and
/// the length in bytes.
pub fn longest_prefix<T>(
    key: &str,
    least: usize,
    mut get: impl FnMut(&str) -> Option<T>,
) -> Option<(T, usize)> {
    let ends = (least + 1..=key.len()).rev().filter(|&end| key.is_char_boundary(end));
    ends.into_iter().find_map(|end| Some((get(&key[..end])?, end)))
}

/// The key that a word counts by: its own, else the longest of [`LEAST_BEGINNING`] characters or
/// more that begins it, as `get` knows them; what that gives, and the length in bytes.
pub fn standing_for<T>(word: &str, get: impl FnMut(&str) -> Option<T>) -> Option<(T, usize)> {
    let least = word.char_indices().nth(LEAST_BEGINNING).map_or(word.len(), |(end, _)| end);
    longest_prefix(word, least.saturating_sub(1), get)
}

/// A word in pieces, as WordPiece takes it apart: the longest key that begins it, then the longest
/// [`CONTINUATION`] key that goes on, and so forth; none where that cannot be done.
///
/// `longest(key, least)` finds the longest known beginning of `key`, of more than `least` bytes, as
/// [`longest_prefix`] does; its error ends the walk.
///
/// # Errors
/// Those of `longest`.
pub fn pieces<T, E>(
    word: &str,
    mut longest: impl FnMut(&str, usize) -> Result<Option<(T, usize)>, E>,
) -> Result<Vec<T>, E> {
    let mut pieces = Vec::new();
    let mut key = word.to_owned();
    // What of the key is not the word's: the mark of a piece that goes on.
    let mut mark = 0;
    while key.len() > mark {
        let Some((piece, end)) = longest(&key, mark)? else { return Ok(Vec::new()) };
        pieces.push(piece);
        key.replace_range(..end, CONTINUATION);
        mark = CONTINUATION.len();
    }
    Ok(pieces)
}

/// The keys that a shard beginning with `first` repeats in front: those of `keys` (sorted) that
/// `first` begins with and words may count by, itself left out.
pub fn prefixes<'k>(keys: &'k [String], first: &str) -> Vec<&'k str> {
    let mut found = Vec::new();
    for (end, _) in first.char_indices().skip(LEAST_BEGINNING) {
        if let Ok(at) = keys.binary_search_by(|key| key.as_str().cmp(&first[..end])) {
            found.push(keys[at].as_str());
        }
    }
    found
}

/// Writes a range of rows.
#[derive(Clone, Debug)]
pub struct RowsBuilder {
    dim: u32,
    bits: Bits,
    last: String,
    n: u32,
    keys: Vec<u8>,
    scales: Vec<u8>,
    rows: Vec<u8>,
}

impl RowsBuilder {
    /// Nothing yet. `dim` is at most [`crate::limits::MAX_DIM`].
    pub fn new(dim: u32, bits: Bits) -> Self {
        Self {
            dim,
            bits,
            last: String::new(),
            n: 0,
            keys: Vec::new(),
            scales: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Bytes so far.
    pub fn len(&self) -> usize {
        self.keys.len() + self.scales.len() + self.rows.len()
    }

    /// Whether no row has been added.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Adds a row as [`quantise`] gives it.
    ///
    /// # Errors
    /// Where keys do not ascend, a key is empty or too long, the row has another length, or the
    /// scale is negative or not finite.
    pub fn push(&mut self, key: &str, scale: u16, packed: &[u8]) -> Result<(), Error> {
        if key.len() > MAX_TERM_LEN {
            return Err(Error::Limit {
                what: "bytes of a key",
                limit: MAX_TERM_LEN as u64,
                got: key.len() as u64,
            });
        }
        if key <= self.last.as_str() {
            return Err(Error::malformed(WHAT, "keys must ascend and not be empty"));
        }
        let expected = self.bits.row_len(self.dim as usize);
        if packed.len() != expected {
            return Err(Error::Length {
                what: "bytes of an encoder row",
                expected: expected as u64,
                got: packed.len() as u64,
            });
        }
        check_scale(scale)?;
        let shared = shared_prefix(&self.last, key);
        put_varint(&mut self.keys, shared as u32);
        put_str(&mut self.keys, &key[shared..]);
        self.scales.extend_from_slice(&scale.to_le_bytes());
        self.rows.extend_from_slice(packed);
        key.clone_into(&mut self.last);
        self.n += 1;
        Ok(())
    }

    /// The shard's raw bytes.
    pub fn finish(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(16 + self.len());
        put_varint(&mut out, self.n);
        put_varint(&mut out, self.dim);
        out.push(self.bits.count() as u8);
        out.extend_from_slice(&self.keys);
        out.extend_from_slice(&self.scales);
        out.extend_from_slice(&self.rows);
        out
    }
}

fn check_scale(scale: u16) -> Result<(), Error> {
    let scale = long(scale);
    if scale.is_finite() && scale.is_sign_positive() {
        Ok(())
    } else {
        Err(Error::malformed(WHAT, "a scale is negative or not finite"))
    }
}

/// A range of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct RowsShard {
    bits: Bits,
    row_len: usize,
    keys: Vec<Box<str>>,
    scales: Vec<u16>,
    rows: Vec<u8>,
}

impl RowsShard {
    /// Checks and takes what [`RowsBuilder`] wrote.
    ///
    /// # Errors
    /// Where the bytes break the format, or dimension or bits are not those expected.
    pub fn from_bytes(raw: &[u8], dim: u32, bits: Bits) -> Result<Self, Error> {
        let mut reader = Reader::new(raw, WHAT);
        // A key takes at least three bytes: what it shares, its length, one of its own.
        let n = reader.count(3)?;
        check_dim("dimensions of an encoder row", reader.varint()?, dim)?;
        if u32::from(reader.u8()?) != bits.count() {
            return Err(Error::malformed(WHAT, "rows have other bits than the manifest says"));
        }
        let row_len = bits.row_len(dim as usize);
        reader.fits(n, 3 + 2 + row_len)?;
        let mut keys: Vec<Box<str>> = Vec::with_capacity(n);
        let mut key = String::new();
        for _ in 0..n {
            let shared = reader.varint()? as usize;
            let suffix = reader.str()?;
            if shared > key.len() || !key.is_char_boundary(shared) {
                return Err(reader.malformed("a key shares more than the key before has"));
            }
            if shared + suffix.len() > MAX_TERM_LEN {
                return Err(reader.malformed("a key is too long"));
            }
            let next = [&key[..shared], suffix].concat();
            if next <= key {
                return Err(reader.malformed("keys must ascend and not be empty"));
            }
            keys.push(next.as_str().into());
            key = next;
        }
        let mut scales = Vec::with_capacity(n);
        for _ in 0..n {
            let scale = reader.u16()?;
            check_scale(scale)?;
            scales.push(scale);
        }
        let rows = reader.take(n * row_len)?.to_vec();
        reader.finish()?;
        Ok(Self { bits, row_len, keys, scales, rows })
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(AsRef::as_ref)
    }

    /// Each key with its row as stored: scale and packed numbers.
    pub fn stored(&self) -> impl Iterator<Item = (&str, u16, &[u8])> {
        let rows = self.rows.chunks_exact(self.row_len.max(1));
        self.keys().zip(&self.scales).zip(rows).map(|((key, &scale), packed)| (key, scale, packed))
    }

    /// The row of `key`.
    pub fn get(&self, key: &str) -> Option<usize> {
        self.keys.binary_search_by(|probe| probe.as_ref().cmp(key)).ok()
    }

    /// The row that a word counts by ([`standing_for`]), and the length in bytes of its key.
    pub fn standing_for(&self, word: &str) -> Option<(usize, usize)> {
        standing_for(word, |key| self.get(key))
    }

    /// Adds a row to `sum`; an index that does not exist adds nothing.
    pub fn add(&self, row: usize, sum: &mut [f32]) {
        let start = row.saturating_mul(self.row_len);
        if let (Some(&scale), Some(packed)) =
            (self.scales.get(row), self.rows.get(start..start.saturating_add(self.row_len)))
        {
            add_row(scale, packed, self.bits, 1.0, sum);
        }
    }

    /// Bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        let keys: usize = self.keys.iter().map(|key| key.len() + 16).sum();
        keys + 2 * self.scales.len() + self.rows.len()
    }
}

/// What is known of a shard's numbers.
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

    /// Room for rows of so many bits.
    fn rows_of(&mut self, width: u32) {
        self.width = width;
        for _ in 0..GROUPS {
            match width {
                4 => self.bits.extend(EXPECTED.map(Bit::expected)),
                _ => self.bits.resize(self.bits.len() + (1 << width), Bit::default()),
            }
        }
    }

    /// The number at a place of a row of `dim`.
    fn at(&mut self, place: usize, dim: usize) -> &mut [Bit] {
        let group = place * GROUPS / dim;
        &mut self.bits[ROWS + (group << self.width)..][..1 << self.width]
    }
}

/// Packs what [`RowsBuilder`] wrote; `None` where it did not write it.
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

/// Unpacks to what [`RowsBuilder`] wrote: `raw_len` bytes. What is allocated is bounded by that.
///
/// # Errors
/// Where nothing packs to these bytes. What they say is for [`RowsShard::from_bytes`] to check.
pub(crate) fn unpack(packed: &[u8], raw_len: usize) -> Result<Vec<u8>, Error> {
    let (mut decoder, mut models) = (Decoder::new(packed), Models::new());
    let mut head = || decoder.number(models.number(HEAD));
    let (n, dim, width) = (head()?, head()?, head()?);
    check_dim("dimensions of an encoder row", dim, dim)?;
    let (per_row, row_len) = (dim as usize, Bits::from_count(width)?.row_len(dim as usize));
    let more = |decoder: &Decoder<'_>, raw: &[u8], len: usize| {
        if decoder.is_beyond() || raw.len().saturating_add(len) > raw_len {
            return Err(Error::malformed(WHAT, "there is less or more than was announced"));
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unpack_row(scale: u16, packed: &[u8], bits: Bits, dim: usize) -> Vec<f32> {
        let mut sum = vec![0.0; dim];
        add_row(scale, packed, bits, 1.0, &mut sum);
        sum
    }

    fn shard(keys: &[&str], dim: u32, bits: Bits) -> Vec<u8> {
        let mut builder = RowsBuilder::new(dim, bits);
        for (i, key) in keys.iter().enumerate() {
            let row: Vec<f32> = (0..dim).map(|d| (d as f32 - 3.0) * (i + 1) as f32).collect();
            let (scale, packed) = quantise(&row, bits);
            builder.push(key, scale, &packed).unwrap();
        }
        builder.finish()
    }

    /// Whether a key is the word, or begins it and is not too short to say anything of it. For
    /// ASCII.
    fn stands_for(key: &str, word: &str) -> bool {
        word == key || word.starts_with(key) && key.len() >= LEAST_BEGINNING
    }

    proptest! {
        #[test]
        fn more_bits_lose_less(row in prop::collection::vec(-1.0f32..1.0, 64)) {
            let norm: f32 = row.iter().map(|v| v * v).sum();
            prop_assume!(norm > 0.01);
            let lost: Vec<f32> = Bits::ALL.iter().map(|&bits| {
                let (scale, packed) = quantise(&row, bits);
                let back = unpack_row(scale, &packed, bits, row.len());
                row.iter().zip(&back).map(|(a, b)| (a - b) * (a - b)).sum::<f32>() / norm
            }).collect();
            prop_assert!(lost[2] <= lost[1] && lost[1] <= lost[0], "{lost:?}");
            // Uniform numbers are the worst case of these three: error of a mid-rise quantiser, with some room.
            prop_assert!(lost[0] < 0.15 && lost[1] < 0.012 && lost[2] < 0.0002, "{lost:?}");
        }

        #[test]
        fn any_row_is_safe(row: Vec<f32>) {
            for bits in Bits::KNOWN {
                let (scale, packed) = quantise(&row, bits);
                prop_assert!(check_scale(scale).is_ok());
                prop_assert!(unpack_row(scale, &packed, bits, row.len()).iter().all(|v| !v.is_nan()));
            }
        }

        #[test]
        fn what_is_packed_is_unpacked(keys in prop::collection::btree_set("[a-zß#]{1,9}", 0..30), dim in 1u32..40, seed: u64) {
            for bits in Bits::KNOWN {
                let mut builder = RowsBuilder::new(dim, bits);
                for (i, key) in keys.iter().enumerate() {
                    let row: Vec<f32> = (0..u64::from(dim))
                        .map(|d| (seed.wrapping_mul(d + 1).wrapping_add(i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f32 - 8e6)
                        .collect();
                    let (scale, packed) = quantise(&row, bits);
                    builder.push(key, scale, &packed).unwrap();
                }
                let raw = builder.finish();
                let packed = pack(&raw).unwrap();
                prop_assert_eq!(&unpack(&packed, raw.len()).unwrap(), &raw);
                prop_assert!(unpack(&packed, raw.len() - 1).is_err());
            }
        }

        #[test]
        fn any_packed_bytes_are_safe(packed: Vec<u8>, raw_len in 0usize..5000) {
            if let Ok(raw) = unpack(&packed, raw_len) {
                prop_assert!(raw.len() <= raw_len);
                let _ = RowsShard::from_bytes(&raw, 8, Bits::Steps);
            }
        }

        #[test]
        fn any_bytes_are_safe(raw: Vec<u8>) {
            let _ = pack(&raw);
            if let Ok(shard) = RowsShard::from_bytes(&raw, 8, Bits::Four) {
                let _ = shard.standing_for("borrow");
            }
        }

        #[test]
        fn a_word_counts_by_the_key_of_a_slow_twin(keys in prop::collection::btree_set("[ab]{1,5}", 0..12), word in "[ab]{0,8}") {
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            let shard = RowsShard::from_bytes(&shard(&keys, 8, Bits::Two), 8, Bits::Two).unwrap();
            let slow = keys.iter().filter(|key| stands_for(key, &word)).max_by_key(|key| key.len());
            let found = shard.standing_for(&word).map(|(row, len)| { assert_eq!(keys[row].len(), len); keys[row] });
            prop_assert_eq!(found, slow.copied());
        }

        #[test]
        fn a_shard_answers_for_every_word_of_its_range(keys in prop::collection::btree_set("[ab]{1,5}", 2..12), cut: prop::sample::Index, word in "[ab]{0,8}") {
            let keys: Vec<String> = keys.into_iter().collect();
            let cut = cut.index(keys.len());
            prop_assume!(word.as_str() >= keys[cut].as_str());
            let mut own: Vec<&str> = prefixes(&keys, &keys[cut]);
            own.extend(keys[cut..].iter().map(String::as_str));
            let shard = RowsShard::from_bytes(&shard(&own, 8, Bits::Two), 8, Bits::Two).unwrap();
            let slow = keys.iter().filter(|key| stands_for(key, &word)).map(String::len).max();
            prop_assert_eq!(shard.standing_for(&word).map(|(_, len)| len), slow);
        }
    }

    proptest! {
        /// A mid-rise quantiser is off by half a step at most, where it does not clip: the outermost levels stand half a
        /// step inside the range they cover, and the scale may be up to 256th off for its rounding.
        #[test]
        fn an_error_is_within_half_a_step_or_clipped(row in prop::collection::vec(-8.0f32..8.0, 1..80)) {
            for bits in Bits::ALL {
                let (scale, packed) = quantise(&row, bits);
                let step = long(scale);
                let top = bits.offset() * step;
                for (value, back) in row.iter().zip(unpack_row(scale, &packed, bits, row.len())) {
                    prop_assert!(back.abs() <= top * (1.0 + 1e-6));
                    let clipped = value.abs() > top + step / 2.0;
                    // Value and level are rounded to f32 themselves, which shows where the value is many steps.
                    let within = step / 2.0 * (1.0 + 1e-5) + 4.0 * f32::EPSILON * value.abs();
                    prop_assert!(clipped || (value - back).abs() <= within, "{bits:?} {value} {back}");
                    prop_assert!(!clipped || back.signum() == value.signum());
                }
            }
        }

        /// The scale chosen loses no more than the one that clips nothing.
        #[test]
        fn the_scale_loses_least(row in prop::collection::vec(-1.0f32..1.0, 8..64)) {
            let max = row.iter().fold(0.0f32, |max, v| max.max(v.abs()));
            prop_assume!(max > 1e-3);
            for bits in Bits::ALL {
                let lost = |scale: u16| -> f32 {
                    let scale = long(scale);
                    row.iter().map(|&v| v - (f32::from(level(v, scale, bits)) - bits.offset()) * scale).map(|e| e * e).sum()
                };
                prop_assert!(lost(quantise(&row, bits).0) <= lost(short(max / bits.offset())), "{bits:?}");
            }
        }

        #[test]
        fn pieces_make_the_word(keys in prop::collection::btree_set("(##)?[ab]{1,3}", 0..12), word in "[ab]{0,8}") {
            let found = pieces(&word, |key, least| -> Result<_, ()> {
                Ok(longest_prefix(key, least, |key| keys.get(key)))
            }).unwrap();
            if !found.is_empty() {
                let again: String = found.iter().map(|key| key.trim_start_matches(CONTINUATION)).collect();
                prop_assert_eq!(&again, &word);
                prop_assert!(!found[0].starts_with(CONTINUATION));
                prop_assert!(found[1..].iter().all(|key| key.starts_with(CONTINUATION)));
            }
        }
    }

    #[test]
    fn every_truncation_and_flip_is_refused_or_safe() {
        let good = shard(&["##s", "borrow", "borrower", "mutex", "ß"], 8, Bits::Four);
        assert_eq!(RowsShard::from_bytes(&good, 8, Bits::Four).unwrap().get("mutex"), Some(3));
        for end in 0..good.len() {
            assert!(RowsShard::from_bytes(&good[..end], 8, Bits::Four).is_err(), "cut at {end}");
        }
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                if let Ok(shard) = RowsShard::from_bytes(&bad, 8, Bits::Four) {
                    let mut sum = [0.0; 8];
                    (0..=shard.len()).for_each(|row| shard.add(row, &mut sum));
                }
            }
        }
    }

    /// About normal numbers, as rows are.
    #[test]
    fn even_steps_take_a_sixth_less_and_lose_little() {
        let mut state = 1u64;
        let mut uniform = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
        };
        let mut builder = RowsBuilder::new(256, Bits::Steps);
        for i in 0..20 {
            let row: Vec<f32> =
                (0..256).map(|_| (0..12).map(|_| uniform()).sum::<f32>() * 0.07).collect();
            let (scale, packed) = quantise(&row, Bits::Steps);
            let back = unpack_row(scale, &packed, Bits::Steps, 256);
            let lost: f32 = row.iter().zip(&back).map(|(a, b)| (a - b) * (a - b)).sum();
            let norm: f32 = row.iter().map(|v| v * v).sum();
            assert!(lost < 0.04 * norm, "{}", lost / norm);
            assert_eq!(quantise(&[0.0; 256], Bits::Steps).0, 0);
            builder.push(&format!("word{i:02}"), scale, &packed).unwrap();
        }
        let raw = builder.finish();
        let packed = pack(&raw).unwrap();
        assert!(packed.len() * 100 < raw.len() * 83, "{} of {}", packed.len(), raw.len());
    }

    #[test]
    fn rows_of_another_shape_are_refused() {
        let good = shard(&["a", "b"], 8, Bits::Four);
        assert!(RowsShard::from_bytes(&good, 16, Bits::Four).is_err());
        assert!(RowsShard::from_bytes(&good, 8, Bits::Two).is_err());
        let mut builder = RowsBuilder::new(8, Bits::Four);
        builder.push("b", 0, &[0; 4]).unwrap();
        assert!(builder.push("a", 0, &[0; 4]).is_err());
        assert!(builder.push("c", 0, &[0; 5]).is_err());
        assert!(builder.push("c", 0xffff, &[0; 4]).is_err());
    }
}

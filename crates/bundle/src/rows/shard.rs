//! A shard of rows: its writer and its reader.

use super::WHAT;
use super::keys::standing_for;
use super::quantise::{Bits, add_row, check_scale};
use crate::Error;
use crate::codec::{Reader, put_str, put_varint, shared_prefix};
use crate::limits::{MAX_TERM_LEN, check_dim};

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
    /// Returns an empty shard. `dim` is at most [`crate::limits::MAX_DIM`].
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

    /// Returns the bytes so far.
    pub fn len(&self) -> usize {
        self.keys.len() + self.scales.len() + self.rows.len()
    }

    /// Returns whether no row has been added.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Adds a row that [`quantise`](super::quantise()) made.
    ///
    /// # Errors
    /// If keys do not ascend, a key is empty or too long, the row has another length, or the scale
    /// is negative or not finite.
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

    /// Returns the shard's raw bytes.
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

/// A range of rows, read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct RowsShard {
    bits: Bits,
    row_len: usize,
    keys: Vec<Box<str>>,
    scales: Vec<u16>,
    rows: Vec<u8>,
}

impl RowsShard {
    /// Reads and checks the output of [`RowsBuilder`].
    ///
    /// # Errors
    /// If the bytes break the format, or dimension or bits are not the expected ones.
    pub fn from_bytes(raw: &[u8], dim: u32, bits: Bits) -> Result<Self, Error> {
        let mut reader = Reader::new(raw, WHAT);
        // A key takes at least three bytes: the shared length, its own length, one byte.
        let n = reader.count(3)?;
        check_dim("dimensions of an encoder row", reader.varint()?, dim)?;
        if u32::from(reader.u8()?) != bits.count() {
            return Err(Error::malformed(
                WHAT,
                "the number of bits is not the one in the manifest",
            ));
        }
        let row_len = bits.row_len(dim as usize);
        reader.fits(n, 3 + 2 + row_len)?;
        let mut keys: Vec<Box<str>> = Vec::with_capacity(n);
        let mut key = String::new();
        for _ in 0..n {
            let shared = reader.varint()? as usize;
            let suffix = reader.str()?;
            if shared > key.len() || !key.is_char_boundary(shared) {
                return Err(reader.malformed("a key shares more bytes than the key before has"));
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

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(AsRef::as_ref)
    }

    /// Returns each key with its row as stored: scale and packed numbers.
    pub fn stored(&self) -> impl Iterator<Item = (&str, u16, &[u8])> {
        let rows = self.rows.chunks_exact(self.row_len.max(1));
        self.keys().zip(&self.scales).zip(rows).map(|((key, &scale), packed)| (key, scale, packed))
    }

    /// Returns the row of `key`.
    pub fn get(&self, key: &str) -> Option<usize> {
        self.keys.binary_search_by(|probe| probe.as_ref().cmp(key)).ok()
    }

    /// Returns the row that represents a word ([`standing_for`]), and the length in bytes of its
    /// key.
    pub fn standing_for(&self, word: &str) -> Option<(usize, usize)> {
        standing_for(word, |key| self.get(key))
    }

    /// Adds a row to `sum`. An index that does not exist adds nothing.
    pub fn add(&self, row: usize, sum: &mut [f32]) {
        let start = row.saturating_mul(self.row_len);
        if let (Some(&scale), Some(packed)) =
            (self.scales.get(row), self.rows.get(start..start.saturating_add(self.row_len)))
        {
            add_row(scale, packed, self.bits, 1.0, sum);
        }
    }

    /// Returns the bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        let keys: usize = self.keys.iter().map(|key| key.len() + 16).sum();
        keys + 2 * self.scales.len() + self.rows.len()
    }
}

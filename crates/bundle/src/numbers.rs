//! Packing of columns of small numbers with the range coder, for storage. The contents are 32-bit
//! varints. The model of each number depends on the two numbers before it, so that repetition costs
//! almost nothing.

use crate::Error;
use crate::codec::{Reader, put_varint};
use crate::range_coder::{Bit, Decoder, Encoder, NUMBER, WHAT};

/// Contexts of the number before. Numbers from `BEFORE - 1` on share one.
const BEFORE: usize = 8;
/// Contexts of the number before the previous one. Numbers from `FIRST - 1` on share one.
const FIRST: usize = 4;

struct Models {
    bits: Vec<Bit>,
    /// The two numbers before, the earlier one first.
    last: [usize; 2],
}

impl Models {
    fn new() -> Self {
        Self { bits: vec![Bit::default(); BEFORE * FIRST * NUMBER], last: [0; 2] }
    }

    /// Returns the model of the next number.
    fn next(&mut self) -> &mut [Bit] {
        let [first, before] = self.last;
        let place = before.min(BEFORE - 1) * FIRST + first.min(FIRST - 1);
        &mut self.bits[place * NUMBER..][..NUMBER]
    }

    fn saw(&mut self, number: u32) {
        self.last = [self.last[1], number as usize];
    }
}

/// Packs 32-bit varints. `None` for other bytes.
pub(crate) fn pack(raw: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader::new(raw, WHAT);
    let (mut models, mut encoder) = (Models::new(), Encoder::new());
    while reader.remaining() > 0 {
        let number = reader.varint().ok()?;
        encoder.number(models.next(), number);
        models.saw(number);
    }
    Some(encoder.finish())
}

/// Reverses [`pack`], to `raw_len` bytes.
///
/// # Errors
/// If no contents pack to these bytes.
pub(crate) fn unpack(packed: &[u8], raw_len: usize) -> Result<Vec<u8>, Error> {
    let (mut models, mut decoder) = (Models::new(), Decoder::new(packed));
    let mut raw = Vec::new();
    while raw.len() < raw_len {
        let number = decoder.number(models.next())?;
        models.saw(number);
        put_varint(&mut raw, number);
        if decoder.is_beyond() || raw.len() > raw_len {
            return Err(Error::malformed(
                WHAT,
                "the contents are shorter or longer than the header states",
            ));
        }
    }
    Ok(raw)
}

//! Columns of small numbers as they are stored: varints through a range coder, each by the two
//! before it. What repeats costs next to nothing, and what does not costs what it surprises.

use crate::Error;
use crate::codec::{Reader, put_varint};
use crate::range_coder::{Bit, Decoder, Encoder, NUMBER, WHAT};

/// The number before is told apart up to this, and the one before that.
const BEFORE: usize = 8;
const FIRST: usize = 4;

struct Models {
    bits: Vec<Bit>,
    /// The two numbers before.
    last: [usize; 2],
}

impl Models {
    fn new() -> Self {
        Self { bits: vec![Bit::default(); BEFORE * FIRST * NUMBER], last: [0; 2] }
    }

    /// The model of the next number.
    fn next(&mut self) -> &mut [Bit] {
        let [first, before] = self.last;
        let place = before.min(BEFORE - 1) * FIRST + first.min(FIRST - 1);
        &mut self.bits[place * NUMBER..][..NUMBER]
    }

    fn saw(&mut self, number: u32) {
        self.last = [self.last[1], number as usize];
    }
}

/// Packs varints of 32 bits; `None` where the bytes are others.
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

/// Unpacks to `raw_len` bytes.
///
/// # Errors
/// Where nothing packs to these bytes.
pub(crate) fn unpack(packed: &[u8], raw_len: usize) -> Result<Vec<u8>, Error> {
    let (mut models, mut decoder) = (Models::new(), Decoder::new(packed));
    let mut raw = Vec::new();
    while raw.len() < raw_len {
        let number = decoder.number(models.next())?;
        models.saw(number);
        put_varint(&mut raw, number);
        if decoder.is_beyond() || raw.len() > raw_len {
            return Err(Error::malformed(WHAT, "there is less or more than was announced"));
        }
    }
    Ok(raw)
}

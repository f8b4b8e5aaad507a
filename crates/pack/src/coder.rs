//! Binary range coder: yes or no, each with its probability.
//!
//! The carry is handled as in LZMA (Igor Pavlov's specification, "Range coder"): 32 bits of range,
//! of which a byte is sent whenever the first one is settled.

/// Probabilities are parts of this.
pub(crate) const ONE: u32 = 1 << 12;

/// Below this, a byte is sent or read.
const LEAST: u32 = 1 << 24;

/// Either side: to the encoder `bit` is what happened, which it gives back; the decoder knows
/// better.
pub(crate) trait Coder {
    /// `probability` of yes, more than 0 and less than [`ONE`].
    fn code(&mut self, bit: bool, probability: u32) -> bool;
}

/// The writing side.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) struct Encoder {
    low: u64,
    range: u32,
    /// The last byte that a carry may still change, and how many 255 follow it.
    held: u8,
    full: usize,
    out: Vec<u8>,
}

#[cfg(not(target_arch = "wasm32"))]
impl Encoder {
    /// Appends to `out`.
    pub(crate) fn new(out: Vec<u8>) -> Self {
        Self { low: 0, range: u32::MAX, held: 0, full: 0, out }
    }

    /// All that was coded. The first byte is the held one of the beginning, which says nothing and
    /// which the decoder passes over.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        (0..5).for_each(|_| self.shift());
        self.out
    }

    fn shift(&mut self) {
        let carry = (self.low >> 32) as u8;
        if carry == 1 || (self.low as u32) < 0xff00_0000 {
            self.out.push(self.held.wrapping_add(carry));
            self.out.extend((0..self.full).map(|_| 255u8.wrapping_add(carry)));
            self.full = 0;
            self.held = (self.low >> 24) as u8;
        } else {
            self.full += 1;
        }
        self.low = (self.low & 0x00ff_ffff) << 8;
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Coder for Encoder {
    fn code(&mut self, bit: bool, probability: u32) -> bool {
        let bound = (self.range >> 12) * probability;
        if bit {
            self.range = bound;
        } else {
            self.low += u64::from(bound);
            self.range -= bound;
        }
        while self.range < LEAST {
            self.range <<= 8;
            self.shift();
        }
        bit
    }
}

/// The reading side. It takes its bytes from whoever asks it, so that they may come piece by piece;
/// behind the end there are zeros.
pub(crate) struct Decoder<'a> {
    pub(crate) state: Reading,
    pub(crate) bytes: &'a [u8],
}

/// How far a decoder is.
#[derive(Clone, Copy, Default)]
pub(crate) struct Reading {
    range: u32,
    code: u32,
    /// Bytes read.
    pub(crate) at: usize,
}

impl Reading {
    /// Begins at `at`, behind which there are five bytes at least.
    pub(crate) fn begin(at: usize, bytes: &[u8]) -> Self {
        let code = (1..5)
            .fold(0, |code, i| code << 8 | u32::from(bytes.get(at + i).copied().unwrap_or(0)));
        Self { range: u32::MAX, code, at: at + 5 }
    }
}

impl Coder for Decoder<'_> {
    #[inline(always)]
    fn code(&mut self, _: bool, probability: u32) -> bool {
        let state = &mut self.state;
        let bound = (state.range >> 12) * probability;
        let bit = state.code < bound;
        if bit {
            state.range = bound;
        } else {
            state.code -= bound;
            state.range -= bound;
        }
        while state.range < LEAST {
            state.range <<= 8;
            state.code =
                state.code << 8 | u32::from(self.bytes.get(state.at).copied().unwrap_or(0));
            state.at += 1;
        }
        bit
    }
}

//! Unpacking, as the bytes come.

use crate::coder::{Decoder, Reading};
use crate::model::Model;
use crate::trees::TREES;
use crate::{HEADER, MAGIC, MOST_BYTES, MOST_PACKED, hash};

/// More bytes than the coder reads for one byte of the module: 15 decisions of 12 bits each at
/// most, and what it holds.
const AHEAD: usize = 32;
/// And for its trees: 7 of 256 lengths in 4 decisions, of 8 bits at most.
const LONGEST_TREES: usize = 8192;

/// What came is no packed module, or another than its header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damaged;

impl core::fmt::Display for Damaged {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(
            "no packed module, or a damaged one; fetch it again, or build it anew (`cargo xtask wasm`)",
        )
    }
}

impl core::error::Error for Damaged {}

/// A module that is being unpacked.
pub struct Unpacker {
    packed: [u8; MOST_PACKED],
    received: usize,
    /// Once the header is there.
    reading: Option<Reading>,
    length: usize,
    model: Model,
}

impl Unpacker {
    /// With nothing received.
    #[expect(clippy::new_without_default, reason = "too large for the stack: it is a static")]
    pub const fn new() -> Self {
        Self {
            packed: [0; MOST_PACKED],
            received: 0,
            reading: None,
            length: 0,
            model: Model::new(),
        }
    }

    /// Forgets what there was.
    pub fn begin(&mut self) {
        (self.received, self.reading) = (0, None);
    }

    /// Where the next `bytes` go; nothing where they are too many.
    pub fn room(&mut self, bytes: usize) -> Option<&mut [u8]> {
        let from = self.received;
        let room = self.packed.get_mut(from..from.checked_add(bytes)?)?;
        self.received = from + bytes;
        Some(room)
    }

    /// What there is of it.
    pub fn module(&self) -> &[u8] {
        self.model.coded()
    }

    /// Unpacks what can be unpacked of what is there, or all where that was all, and gives what
    /// there is of the module from its beginning.
    pub fn go_on(&mut self, all: bool) -> Result<&[u8], Damaged> {
        let packed = self.packed.get(..self.received).unwrap_or_default();
        if self.reading.is_none() && (all || packed.len() >= HEADER + LONGEST_TREES) {
            let length =
                packed.get(4..8).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
            self.length = length.map_or(0, |length| length as usize);
            if !packed.starts_with(&MAGIC) || self.length > MOST_BYTES {
                return Err(Damaged);
            }
            self.model.begin();
            let mut coder = Decoder { state: Reading::begin(HEADER, packed), bytes: packed };
            self.model.trees(&mut coder, &[[0; 256]; TREES]);
            self.reading = Some(coder.state);
        }
        let Some(reading) = &mut self.reading else { return Ok(&[]) };
        let mut coder = Decoder { state: *reading, bytes: packed };
        while self.model.length() < self.length && (all || coder.state.at + AHEAD <= packed.len()) {
            self.model.code(&mut coder, 0);
        }
        *reading = coder.state;
        let module = self.model.coded();
        // A shorter one than was packed reads zeros behind its end.
        if module.len() == self.length && packed.get(8..HEADER) != Some(&hash(module).to_le_bytes())
        {
            return Err(Damaged);
        }
        Ok(module)
    }
}

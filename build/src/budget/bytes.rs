//! Counting the bytes of files as hosts send them.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::Serialize;

use crate::serve::{BROTLI_QUALITY, COMPRESSED_FROM};

/// Bytes sent over the network, by kind of host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bytes {
    /// Bytes if the host sends files as they are.
    pub stored: u64,
    /// Bytes if the host compresses files with brotli.
    pub brotli: u64,
}

impl Bytes {
    /// Returns the bytes of a file.
    pub fn of(contents: &[u8]) -> Bytes {
        let stored = contents.len() as u64;
        Bytes {
            stored,
            brotli: if stored > COMPRESSED_FROM { brotli_len(contents) } else { stored },
        }
    }

    /// Returns the bytes of a range of a file, which hosts do not compress.
    pub(super) fn of_range(len: u64) -> Bytes {
        Bytes { stored: len, brotli: len }
    }
}

impl Add for Bytes {
    type Output = Bytes;

    fn add(self, other: Bytes) -> Bytes {
        Bytes { stored: self.stored + other.stored, brotli: self.brotli + other.brotli }
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Bytes) {
        *self = *self + other;
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Bytes>>(all: I) -> Bytes {
        all.fold(Bytes::default(), Add::add)
    }
}

fn brotli_len(contents: &[u8]) -> u64 {
    let params = brotli::enc::BrotliEncoderParams {
        quality: BROTLI_QUALITY,
        ..brotli::enc::BrotliEncoderParams::default()
    };
    let mut compressed = Vec::new();
    match brotli::BrotliCompress(&mut &contents[..], &mut compressed, &params) {
        Ok(_) => compressed.len() as u64,
        // Writing to memory does not fail; a host that cannot compress sends the file.
        Err(_) => contents.len() as u64,
    }
}

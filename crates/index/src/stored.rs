//! Shards as they are stored.

use std::borrow::Cow;
use std::io;

use findling_bundle::ShardEntry;

use findling_base::scratch::{Record, Scratch};

/// A shard's entry in a directory, and the shard.
pub type Stored = (ShardEntry, ShardBytes);

/// The bytes of a stored shard: in memory or, if there is no room, in a temporary file.
#[derive(Clone, Debug)]
pub struct ShardBytes(Place);

#[derive(Clone, Debug)]
enum Place {
    Held(Vec<u8>),
    Away(Record),
}

impl ShardBytes {
    /// Stores bytes in memory if there is room, otherwise in the temporary file.
    pub fn new(stored: Vec<u8>, scratch: &Scratch) -> Self {
        match scratch.place(&stored) {
            Some(record) => Self(Place::Away(record)),
            None => stored.into(),
        }
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        match &self.0 {
            Place::Held(stored) => stored.len(),
            Place::Away(record) => record.n_bytes(),
        }
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub fn read(&self) -> io::Result<Cow<'_, [u8]>> {
        match &self.0 {
            Place::Held(stored) => Ok(Cow::Borrowed(stored)),
            Place::Away(record) => record.bytes().map(Cow::Owned),
        }
    }
}

impl From<Vec<u8>> for ShardBytes {
    fn from(stored: Vec<u8>) -> Self {
        Self(Place::Held(stored))
    }
}

/// Compares contents. Bytes that cannot be read do not equal any bytes.
impl PartialEq for ShardBytes {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.read().is_ok_and(|own| other.read().is_ok_and(|other| own == other))
    }
}

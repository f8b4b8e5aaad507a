//! The entry file, `findling.idx`. It names the current manifest, and is the only file of a bundle
//! that changes. All others are named by their contents and can be cached for ever.
//!
//! | offset | bytes | field |
//! |---|---|---|
//! | 0 | 8 | magic, `FINDLING` |
//! | 8 | 2 | format version, u16 |
//! | 10 | 2 | 0 |
//! | 12 | 4 | length of the stored manifest, u32 |
//! | 16 | 16 | hash of the stored manifest: first 16 bytes of BLAKE3 |
//! | 32 | 16 | checksum: first 16 bytes of BLAKE3 over the 32 bytes before it |

use crate::Error;
use crate::codec::{Reader, hash128};
use crate::header::check_stored;
use crate::limits::MAX_MANIFEST_LEN;

pub use crate::names::{SHARDS, shard_path};

const WHAT: &str = "findling.idx";
const MAGIC: [u8; 8] = *b"FINDLING";
const VERSION: u16 = 1;

/// The name of the entry file.
pub const FILE_NAME: &str = "findling.idx";

/// The contents of the entry file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// First 16 bytes of BLAKE3 over the stored manifest. In hex, the name of its file.
    pub manifest_hash: [u8; 16],
    /// Bytes of the stored manifest.
    pub manifest_len: u32,
}

impl Entry {
    /// Bytes of the entry file.
    pub const LEN: usize = 48;

    /// Writes the entry file.
    pub fn to_bytes(&self) -> [u8; Self::LEN] {
        let mut out = [0; Self::LEN];
        out[..8].copy_from_slice(&MAGIC);
        out[8..10].copy_from_slice(&VERSION.to_le_bytes());
        out[12..16].copy_from_slice(&self.manifest_len.to_le_bytes());
        out[16..32].copy_from_slice(&self.manifest_hash);
        let checksum = hash128(&out[..32]);
        out[32..].copy_from_slice(&checksum);
        out
    }

    /// Reads the entry file.
    ///
    /// # Errors
    /// If the bytes are not an entry file, are of another version or damaged, or the manifest is
    /// larger than allowed.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(bytes, WHAT);
        let magic = reader.array::<8>()?;
        if magic != MAGIC {
            return Err(Error::Magic { what: WHAT, got: [magic[0], magic[1], magic[2], magic[3]] });
        }
        let version = reader.u16()?;
        if version != VERSION {
            return Err(Error::Version {
                what: WHAT,
                expected: VERSION.into(),
                got: version.into(),
            });
        }
        let zero = reader.u16()?;
        let manifest_len = reader.u32()?;
        let manifest_hash = reader.array()?;
        let checksum = reader.array::<16>()?;
        reader.finish()?;
        if zero != 0 || hash128(&bytes[..32]) != checksum {
            return Err(Error::Checksum { what: WHAT });
        }
        if manifest_len as usize > MAX_MANIFEST_LEN {
            return Err(Error::Limit {
                what: "bytes of the manifest",
                limit: MAX_MANIFEST_LEN as u64,
                got: manifest_len.into(),
            });
        }
        Ok(Self { manifest_hash, manifest_len })
    }

    /// The path of the manifest, relative to the bundle and with `/`.
    pub fn manifest_path(&self) -> String {
        shard_path(&self.manifest_hash)
    }

    /// Checks that these bytes are the manifest that this entry names.
    ///
    /// # Errors
    /// If length or hash differ.
    pub fn check_manifest(&self, stored: &[u8]) -> Result<(), Error> {
        check_stored(
            "manifest",
            Some(self.manifest_len),
            hash128(stored) == self.manifest_hash,
            stored,
        )
    }
}

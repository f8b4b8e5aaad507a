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
//!
//! If the bundle is in packs ([`crate::packs`]), the file continues. The file with the manifest is
//! then named by the hash of all of its bytes, because the directory of packs is in it.
//!
//! | offset | bytes | field |
//! |---|---|---|
//! | 48 | 4 | length of the file with the manifest, u32 |
//! | 52 | 16 | its hash: first 16 bytes of BLAKE3 |
//! | 68 | 4 | checksum: first 4 bytes of BLAKE3 over the 68 bytes before it |

use crate::Error;
use crate::codec::{Reader, hash128};
use crate::header::check_stored;
use crate::limits::MAX_MANIFEST_LEN;

pub use crate::names::{SHARDS, shard_path};

const WHAT: &str = "findling.idx";
const MAGIC: [u8; 8] = *b"FINDLING";
const VERSION: u16 = 1;

/// Maximum number of bytes after the manifest in its file.
pub const MAX_BEHIND: u64 = 64 << 20;
/// Maximum number of bytes of the file with the manifest.
const MAX_OPENING_LEN: u64 = MAX_MANIFEST_LEN as u64 + MAX_BEHIND;

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

    /// Returns the path of the manifest, relative to the bundle and with `/`.
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

/// The file with the manifest, of a bundle in packs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpeningFile {
    /// First 16 bytes of BLAKE3 over it. In hex, its name.
    pub hash: [u8; 16],
    /// The length in bytes.
    pub len: u32,
}

impl OpeningFile {
    /// Returns the entry of these bytes.
    ///
    /// # Errors
    /// If there are too many.
    pub fn of(file: &[u8]) -> Result<Self, Error> {
        let got = file.len() as u64;
        if got > MAX_OPENING_LEN {
            let what = "bytes of the file of the manifest";
            return Err(Error::Limit { what, limit: MAX_OPENING_LEN, got });
        }
        Ok(Self { hash: hash128(file), len: file.len() as u32 })
    }

    /// Checks that these bytes are the file.
    ///
    /// # Errors
    /// If length or hash differ.
    pub fn check(&self, file: &[u8]) -> Result<(), Error> {
        check_stored("file of the manifest", Some(self.len), hash128(file) == self.hash, file)
    }
}

/// The contents of the entry file, including the additional part for a bundle in packs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryFile {
    /// The entry.
    pub entry: Entry,
    /// The file with the manifest, if the bundle is in packs.
    pub opening: Option<OpeningFile>,
}

impl EntryFile {
    /// Maximum number of bytes of an entry file.
    pub const MAX_LEN: usize = 72;

    /// Writes the entry file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.entry.to_bytes().to_vec();
        if let Some(OpeningFile { hash, len }) = &self.opening {
            out.extend_from_slice(&len.to_le_bytes());
            out.extend_from_slice(hash);
            let checksum = hash128(&out);
            out.extend_from_slice(&checksum[..4]);
        }
        out
    }

    /// Reads the entry file.
    ///
    /// # Errors
    /// The errors of [`Entry::from_bytes`]; also if the part after the entry is damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (own, rest) = bytes.split_at(bytes.len().min(Entry::LEN));
        let entry = Entry::from_bytes(own)?;
        if rest.is_empty() {
            return Ok(Self { entry, opening: None });
        }
        let mut reader = Reader::new(rest, WHAT);
        let (len, hash) = (reader.u32()?, reader.array()?);
        let checksum = reader.array::<4>()?;
        reader.finish()?;
        if !hash128(&bytes[..Self::MAX_LEN - 4]).starts_with(&checksum) {
            return Err(Error::Checksum { what: WHAT });
        }
        let (what, got) = ("bytes of the file of the manifest", u64::from(len));
        if got > MAX_OPENING_LEN {
            return Err(Error::Limit { what, limit: MAX_OPENING_LEN, got });
        }
        Ok(Self { entry, opening: Some(OpeningFile { hash, len }) })
    }

    /// Returns the path of the file with the manifest, relative to the bundle and with `/`.
    pub fn opening_path(&self) -> String {
        self.opening.map_or_else(|| self.entry.manifest_path(), |file| shard_path(&file.hash))
    }

    /// Returns the largest length of the file with the manifest.
    pub fn max_opening_len(&self) -> u64 {
        let behind = u64::from(self.entry.manifest_len) + MAX_BEHIND;
        self.opening.map_or(behind, |file| u64::from(file.len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_file_comes_back_and_every_damage_is_refused() {
        let entry = Entry { manifest_hash: hash128(b"manifest"), manifest_len: 8 };
        let opening = OpeningFile::of(b"manifest and more").unwrap();
        for file in
            [EntryFile { entry, opening: None }, EntryFile { entry, opening: Some(opening) }]
        {
            let bytes = file.to_bytes();
            assert_eq!(EntryFile::from_bytes(&bytes), Ok(file));
            for len in (0..bytes.len()).filter(|&len| len != Entry::LEN) {
                assert!(EntryFile::from_bytes(&bytes[..len]).is_err(), "{len} bytes");
            }
            for at in 0..bytes.len() {
                let mut changed = bytes.clone();
                changed[at] ^= 1;
                assert!(EntryFile::from_bytes(&changed).is_err(), "byte {at}");
            }
            assert!(EntryFile::from_bytes(&[bytes, vec![0]].concat()).is_err());
        }
        assert!(opening.check(b"manifest and more").is_ok());
        assert!(opening.check(b"manifest and mor").is_err());
        assert!(opening.check(b"manifest and morE").is_err());
    }
}

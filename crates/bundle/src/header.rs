//! The header that begins every shard and the manifest, and the check of a fetched file against
//! its announced length and hash.
//!
//! | offset | bytes | field |
//! |---|---|---|
//! | 0 | 4 | magic, `FNDS` |
//! | 4 | 1 | kind: a [`crate::ShardKind`], or 255 for the manifest |
//! | 5 | 1 | format version |
//! | 6 | 1 | codec: 0 stored, 1 deflate, 2 packed, 3 packed in order |
//! | 7 | 1 | salt: 0, or another number if the file's name was already taken |
//! | 8 | 4 | length of the contents after decompression, u32 |

use crate::Error;
use crate::codec::Reader;

const MAGIC: [u8; 4] = *b"FNDS";

/// Bytes of a header.
pub(crate) const LEN: usize = 12;

/// The kind byte of the manifest.
pub(crate) const MANIFEST_KIND: u8 = 255;

/// The position of the byte in a stored shard that is changed to give the shard another name.
pub(crate) const SALT: usize = 7;

/// The format version of every shard kind and of the manifest.
const VERSION: u8 = 16;

/// Compression of contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Codec {
    /// Not compressed.
    Stored = 0,
    /// Raw deflate (RFC 1951), without the zlib header.
    Deflate = 1,
    /// The range coder, with the models of the shard's kind.
    Packed = 2,
    /// The range coder, for a structure whose neighbouring pages have about the same number of
    /// sections.
    Ordered = 3,
}

/// A header, without its magic, its version and its salt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    /// A [`crate::ShardKind`], or [`MANIFEST_KIND`].
    pub kind: u8,
    /// The compression of the contents.
    pub codec: Codec,
    /// Bytes of the contents after decompression.
    pub raw_len: u32,
}

impl Header {
    /// Appends the header with salt 0.
    pub fn put(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&[self.kind, VERSION, self.codec as u8, 0]);
        out.extend_from_slice(&self.raw_len.to_le_bytes());
    }

    /// Reads a header.
    ///
    /// # Errors
    /// If magic, version or codec are unknown, or the manifest has a salt.
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let what = reader.what();
        let magic = reader.array::<4>()?;
        if magic != MAGIC {
            return Err(Error::Magic { what, got: magic });
        }
        let [kind, version, codec, salt] = reader.array::<4>()?;
        if version != VERSION {
            return Err(Error::Version { what, expected: VERSION.into(), got: version.into() });
        }
        let codec = match codec {
            0 => Codec::Stored,
            1 => Codec::Deflate,
            2 => Codec::Packed,
            3 => Codec::Ordered,
            _ => return Err(reader.malformed("expected compression 0 to 3, found another")),
        };
        if kind == MANIFEST_KIND && salt != 0 {
            return Err(reader.malformed("expected salt 0 in the manifest, found another"));
        }
        Ok(Self { kind, codec, raw_len: reader.u32()? })
    }
}

/// Checks a fetched file: `len` is the announced length, if one was announced; `hash_agrees` says
/// whether its hash is the announced one.
///
/// # Errors
/// [`Error::Magic`] if length or hash differ and the file is not a Findling file at all, usually a
/// server's error page; else [`Error::Length`] or [`Error::Checksum`].
pub(crate) fn check_stored(
    what: &'static str,
    len: Option<u32>,
    hash_agrees: bool,
    stored: &[u8],
) -> Result<(), Error> {
    let wrong_len = len.filter(|&len| stored.len() as u64 != u64::from(len));
    if (wrong_len.is_some() || !hash_agrees) && !stored.starts_with(&MAGIC) {
        Header::read(&mut Reader::new(stored, what))?;
    }
    match wrong_len {
        Some(len) => Err(Error::Length { what, expected: len.into(), got: stored.len() as u64 }),
        None if !hash_agrees => Err(Error::Checksum { what }),
        None => Ok(()),
    }
}

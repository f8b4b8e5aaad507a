//! How shards and the manifest are stored: a header, then the contents, packed or deflated where
//! that saves bytes.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 4 | magic, `FNDS` |
//! | 4 | 1 | kind: a [`ShardKind`], or 255 for the manifest |
//! | 5 | 1 | format version of the kind |
//! | 6 | 1 | codec: 0 stored, 1 deflate (RFC 1951, without zlib's header), 2 packed: terms and their second tier (`lexicon/packed.rs`), structure (`structure/packed.rs`), positions, columns and vectors of sections (`numbers.rs`), encoder rows (`rows.rs`) |
//! | 7 | 1 | 0; another number where other contents had or have the name that it would have |
//! | 8 | 4 | length of the contents after decompression, u32; at most [`max_raw_len`] |
//! | 12 | | of the manifest the first 16 bytes of BLAKE3 over what follows, of texts and encoder rows the first 4; of others none |
//! | | | contents |
//!
//! A file is named by a hash over all its bytes ([`crate::names`]). The one who refers to it (a
//! [`ShardEntry`], the [`crate::Entry`]) says this hash, and mostly the length as stored, so that a
//! file of another build, cut short or rewritten on the way, is refused before it is decoded. Texts
//! and rows are not held against it, since a group shares one: of these a file that was damaged is
//! refused by its checksum, and what a sound one is of is believed as its name says.
//! The manifest has a checksum inside as well, since the engine is handed it without the entry;
//! texts and rows have one since some of them share a hash.

use std::borrow::Cow;

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use crate::codec::{Reader, hash128};
use crate::lexicon::packed;
use crate::limits::{MAX_INFLATION, MAX_MANIFEST_LEN, max_raw_len};
use crate::names::shard_hash;
use crate::{Entry, Error, Manifest, ShardEntry, ShardKind};
use crate::{numbers, rows, structure};

const MAGIC: [u8; 4] = *b"FNDS";
const HEADER_LEN: usize = 12;
/// Where a shard says that it has another name than it would have.
const RENAMED: usize = 7;
const MANIFEST_KIND: u8 = 255;
const MANIFEST_CHECKSUM: usize = 16;
/// Of every kind until one changes.
const VERSION: u8 = 14;
const STORED: u8 = 0;
const DEFLATE: u8 = 1;
const PACKED: u8 = 2;
/// Level 9 is within half a percent of the best, at a fifth of the time.
const LEVEL: u8 = 9;

/// A shard as it is stored, and its line in the directory. The same contents always give the same
/// bytes.
///
/// # Errors
/// Where the contents are longer than a shard of the kind may be.
pub fn encode_shard(kind: ShardKind, raw: &[u8]) -> Result<(ShardEntry, Vec<u8>), Error> {
    let limit = max_raw_len(kind);
    if raw.len() as u64 > u64::from(limit) {
        return Err(Error::Limit {
            what: "bytes of a shard",
            limit: limit.into(),
            got: raw.len() as u64,
        });
    }
    let stored = encode(kind as u8, raw, checksum_len(kind));
    let entry =
        ShardEntry { kind, hash: shard_hash(kind, &stored), stored_len: stored.len() as u32 };
    Ok((entry, stored))
}

/// The same shard under another name, where other contents have its own.
pub fn rename_shard(entry: &ShardEntry, mut stored: Vec<u8>) -> (ShardEntry, Vec<u8>) {
    if let Some(byte) = stored.get_mut(RENAMED) {
        *byte = byte.wrapping_add(1);
    }
    (ShardEntry { hash: shard_hash(entry.kind, &stored), ..*entry }, stored)
}

/// The contents of a shard, checked against its line in the directory.
///
/// # Errors
/// Where length, checksum, kind or version are not the announced ones, or the contents do not
/// inflate to the length that the header announces.
pub fn decode_shard(entry: &ShardEntry, stored: &[u8]) -> Result<Vec<u8>, Error> {
    let len = Some(entry.stored_len).filter(|&len| len > 0);
    let hash_agrees = entry.kind.is_grouped() || shard_hash(entry.kind, stored) == entry.hash;
    check_stored("shard", len, hash_agrees, stored)?;
    let mut reader = Reader::new(stored, "shard");
    let header = Header::read(&mut reader)?;
    if header.kind != entry.kind as u8 {
        return Err(Error::Kind { expected: entry.kind, got: header.kind });
    }
    check_contents(&mut reader, stored, checksum_len(entry.kind))?;
    header.contents("shard", max_raw_len(entry.kind), reader)
}

/// Takes a checksum of so many bytes, which what follows must have; most files have none, and are
/// not hashed for it.
fn check_contents(reader: &mut Reader<'_>, stored: &[u8], len: usize) -> Result<(), Error> {
    let checksum = reader.take(len)?;
    match len == 0 || hash128(&stored[reader.at()..]).starts_with(checksum) {
        true => Ok(()),
        false => Err(Error::Checksum { what: reader.what() }),
    }
}

/// Bytes of the checksum inside a shard.
fn checksum_len(kind: ShardKind) -> usize {
    if kind.is_grouped() { 4 } else { 0 }
}

/// Bytes of a shard's contents after decompression, as its header announces them.
///
/// # Errors
/// Where there is no header.
pub fn announced_len(stored: &[u8]) -> Result<u32, Error> {
    Ok(Header::read(&mut Reader::new(stored, "shard"))?.raw_len)
}

/// The manifest as it is stored, and the entry that names it.
///
/// # Errors
/// Where the manifest is not valid or too large.
pub fn encode_manifest(manifest: &Manifest) -> Result<(Entry, Vec<u8>), Error> {
    manifest.validate()?;
    let raw = manifest.to_bytes()?;
    let stored = encode(MANIFEST_KIND, &raw, MANIFEST_CHECKSUM);
    let entry = Entry { manifest_hash: hash128(&stored), manifest_len: stored.len() as u32 };
    Ok((entry, stored))
}

/// The manifest, decoded and validated. Hosts that have the entry check the bytes against it first
/// ([`Entry::check_manifest`]).
///
/// # Errors
/// Where the bytes are not a manifest of this version, or what it says does not hold together.
pub fn decode_manifest(stored: &[u8]) -> Result<Manifest, Error> {
    let mut reader = Reader::new(stored, "manifest");
    let header = Header::read(&mut reader)?;
    if header.kind != MANIFEST_KIND {
        return Err(Error::malformed("manifest", "this is a shard, not the manifest"));
    }
    check_contents(&mut reader, stored, MANIFEST_CHECKSUM)?;
    let raw = header.contents("manifest", MAX_MANIFEST_LEN as u32, reader)?;
    let manifest = Manifest::from_bytes(&raw)?;
    manifest.validate()?;
    Ok(manifest)
}

/// Length, where it is announced, and hash of a file are those announced.
pub(crate) fn check_stored(
    what: &'static str,
    len: Option<u32>,
    hash_agrees: bool,
    stored: &[u8],
) -> Result<(), Error> {
    let wrong_len = len.filter(|&len| stored.len() as u64 != u64::from(len));
    // A page that says "not found" is the usual stranger: say so rather than talk of lengths and
    // hashes.
    if (wrong_len.is_some() || !hash_agrees) && !stored.starts_with(&MAGIC) {
        Header::read(&mut Reader::new(stored, what))?;
    }
    match wrong_len {
        Some(len) => Err(Error::Length { what, expected: len.into(), got: stored.len() as u64 }),
        None if !hash_agrees => Err(Error::Checksum { what }),
        None => Ok(()),
    }
}

fn encode(kind: u8, raw: &[u8], checksum_len: usize) -> Vec<u8> {
    let (codec, contents) = compress(kind, raw);
    let mut stored = Vec::with_capacity(HEADER_LEN + checksum_len + contents.len());
    stored.extend_from_slice(&MAGIC);
    stored.extend_from_slice(&[kind, VERSION, codec, 0]);
    stored.extend_from_slice(&(raw.len() as u32).to_le_bytes());
    if checksum_len > 0 {
        stored.extend_from_slice(&hash128(&contents)[..checksum_len]);
    }
    stored.extend_from_slice(&contents);
    stored
}

/// Packs the contents of a kind that is packed; `None` for others, and for contents that are not of
/// the kind.
fn pack(kind: u8, raw: &[u8]) -> Option<Vec<u8>> {
    match ShardKind::of(kind)? {
        ShardKind::Terms | ShardKind::SecondTier => packed::pack(raw),
        ShardKind::Structure => structure::packed::pack(raw),
        ShardKind::Positions | ShardKind::Column | ShardKind::VectorCounts => numbers::pack(raw),
        ShardKind::Rows => rows::pack(raw),
        _ => None,
    }
}

/// Unpacks to `raw_len` bytes what [`pack`] made.
fn unpack(kind: u8, packed: &[u8], raw_len: usize) -> Result<Vec<u8>, Error> {
    match ShardKind::of(kind) {
        Some(ShardKind::Terms | ShardKind::SecondTier) => packed::unpack(packed, raw_len),
        Some(ShardKind::Structure) => structure::packed::unpack(packed, raw_len),
        Some(ShardKind::Positions | ShardKind::Column | ShardKind::VectorCounts) => {
            numbers::unpack(packed, raw_len)
        }
        Some(ShardKind::Rows) => rows::unpack(packed, raw_len),
        _ => Err(Error::malformed("shard", "shards of its kind are not packed")),
    }
}

/// The contents as small as they come, and how they were made so.
fn compress(kind: u8, raw: &[u8]) -> (u8, Cow<'_, [u8]>) {
    let deflated = compress_to_vec(raw, LEVEL);
    // Deflate is better where lists repeat each other, as those of words do that stand on every
    // page.
    if let Some(packed) = pack(kind, raw)
        && packed.len() < raw.len().min(deflated.len())
        && raw.len() as u64 <= packed.len() as u64 * MAX_INFLATION
        // What has not the form that its writer gives it would come back in that form.
        && unpack(kind, &packed, raw.len()).is_ok_and(|unpacked| unpacked == raw)
    {
        return (PACKED, packed.into());
    }
    // Where deflate saves less than a thirtieth (int8 vectors), inflating would cost more time than
    // it saves.
    if deflated.len() + raw.len() / 30 < raw.len() {
        (DEFLATE, deflated.into())
    } else {
        (STORED, raw.into())
    }
}

struct Header {
    kind: u8,
    codec: u8,
    raw_len: u32,
}

impl Header {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let what = reader.what();
        let magic = reader.array::<4>()?;
        if magic != MAGIC {
            return Err(Error::Magic { what, got: magic });
        }
        let [kind, version, codec, renamed] = reader.array::<4>()?;
        if version != VERSION {
            return Err(Error::Version { what, expected: VERSION.into(), got: version.into() });
        }
        if codec > PACKED {
            return Err(reader.malformed("the compression is not one this version knows"));
        }
        if kind == MANIFEST_KIND && renamed != 0 {
            return Err(reader.malformed("the manifest has no other name"));
        }
        Ok(Self { kind, codec, raw_len: reader.u32()? })
    }

    /// Takes the rest. What is allocated is bounded by the limit, and by what deflate can make of
    /// the input.
    fn contents(
        &self,
        what: &'static str,
        limit: u32,
        mut reader: Reader<'_>,
    ) -> Result<Vec<u8>, Error> {
        let contents = reader.take(reader.remaining())?;
        if self.raw_len > limit {
            return Err(Error::Limit { what, limit: limit.into(), got: self.raw_len.into() });
        }
        let wrong =
            |got: usize| Error::Length { what, expected: self.raw_len.into(), got: got as u64 };
        if self.codec == STORED {
            if contents.len() != self.raw_len as usize {
                return Err(wrong(contents.len()));
            }
            return Ok(contents.to_vec());
        }
        if u64::from(self.raw_len) > contents.len() as u64 * MAX_INFLATION {
            return Err(Error::malformed(what, "no compression makes it as small as announced"));
        }
        let raw = match self.codec {
            PACKED => unpack(self.kind, contents, self.raw_len as usize)?,
            _ => decompress_to_vec_with_limit(contents, self.raw_len as usize).map_err(|_| {
                Error::malformed(what, "the contents do not inflate to the length announced")
            })?,
        };
        if raw.len() != self.raw_len as usize {
            return Err(wrong(raw.len()));
        }
        Ok(raw)
    }
}

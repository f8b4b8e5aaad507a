//! Encodes and decodes whole files: a [header](crate::header), a checksum if the kind has one, and
//! the contents in the smallest of three codecs.
//!
//! | offset | bytes | field |
//! |---|---|---|
//! | 0 | 12 | header |
//! | 12 | 16, 4 or 0 | checksum: the first bytes of BLAKE3 over everything that follows |
//! | | | contents |
//!
//! The checksum has 16 bytes in the manifest, 4 in texts and encoder rows, none in other shards.
//!
//! A file's name is a hash over all its bytes ([`crate::names`]). Each reference to a file (a
//! [`ShardEntry`], the [`Entry`]) states this hash and usually the stored length. A reader compares
//! both before it decodes, so it refuses a file of another build, a truncated file and a file that
//! a server rewrote. Three kinds of file carry a checksum inside as well: the manifest, because the
//! engine receives it without the entry file, and texts and encoder rows, because several of these
//! shards share one hash.

use std::borrow::Cow;

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress as deflate,
    create_comp_flags_from_zip_params,
};
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use crate::codec::{Reader, hash128};
use crate::header::{self, Codec, Header, MANIFEST_KIND, check_stored};
use crate::lexicon::packed;
use crate::limits::{MAX_INFLATION, MAX_MANIFEST_LEN, max_raw_len, max_raw_len_of};
use crate::names::shard_hash;
use crate::structure::MIN_ORDERED_PAGES;
use crate::{Entry, Error, Manifest, ShardEntry, ShardKind, Stats};
use crate::{numbers, rows, structure};

const MANIFEST_CHECKSUM: usize = 16;
/// Deflate's level. Level 9 is within half a percent of the best, at a fifth of the time.
const LEVEL: u8 = 9;

/// Encodes a shard: its line in the shard directory, and its file. The same contents always give
/// the same bytes.
///
/// # Errors
/// If the contents are longer than [`max_raw_len`] of the kind.
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

/// Changes the salt of a shard, and with it the shard's name. Used if other contents have or had
/// the same name.
pub fn rename_shard(entry: &ShardEntry, mut stored: Vec<u8>) -> (ShardEntry, Vec<u8>) {
    if let Some(byte) = stored.get_mut(header::SALT) {
        *byte = byte.wrapping_add(1);
    }
    (ShardEntry { hash: shard_hash(entry.kind, &stored), ..*entry }, stored)
}

/// Returns whether a shard has the salt that [`encode_shard`] gives it.
pub fn has_first_name(stored: &[u8]) -> bool {
    stored.get(header::SALT) == Some(&0)
}

/// Decodes a shard's file, after checking it against its line in the shard directory.
///
/// # Errors
/// If length, hash, checksum, kind or version differ from the expected ones, or the contents do
/// not decompress to the length in the header.
pub fn decode_shard(entry: &ShardEntry, stored: &[u8]) -> Result<Vec<u8>, Error> {
    decode_within(entry, stored, max_raw_len(entry.kind))
}

/// Decodes a shard's file as [`decode_shard`] does, and refuses it before it is decompressed if it
/// is longer than a bundle with these counts can need.
///
/// # Errors
/// The errors of [`decode_shard`], and [`Error::Limit`].
pub fn decode_shard_of(stats: &Stats, entry: &ShardEntry, stored: &[u8]) -> Result<Vec<u8>, Error> {
    decode_within(entry, stored, max_raw_len_of(entry.kind, stats))
}

fn decode_within(entry: &ShardEntry, stored: &[u8], most: u32) -> Result<Vec<u8>, Error> {
    let len = Some(entry.stored_len).filter(|&len| len > 0);
    let hash_agrees = entry.kind.is_grouped() || shard_hash(entry.kind, stored) == entry.hash;
    check_stored("shard", len, hash_agrees, stored)?;
    let mut reader = Reader::new(stored, "shard");
    let header = Header::read(&mut reader)?;
    if header.kind != entry.kind as u8 {
        return Err(Error::Kind { expected: entry.kind, got: header.kind });
    }
    check_contents(&mut reader, stored, checksum_len(entry.kind))?;
    contents(header, "shard", most, reader)
}

/// Reads a checksum of `len` bytes and compares it with the hash of everything after it. If `len`
/// is 0, nothing is hashed.
fn check_contents(reader: &mut Reader<'_>, stored: &[u8], len: usize) -> Result<(), Error> {
    let checksum = reader.take(len)?;
    match len == 0 || hash128(&stored[reader.at()..]).starts_with(checksum) {
        true => Ok(()),
        false => Err(Error::Checksum { what: reader.what() }),
    }
}

/// Returns the bytes of the checksum inside a shard of a kind.
fn checksum_len(kind: ShardKind) -> usize {
    if kind.is_grouped() { 4 } else { 0 }
}

/// Returns the length of a shard's contents after decompression, as its header states it.
///
/// # Errors
/// If the bytes do not begin with a header.
pub fn announced_len(stored: &[u8]) -> Result<u32, Error> {
    Ok(Header::read(&mut Reader::new(stored, "shard"))?.raw_len)
}

/// Encodes the manifest: the entry that names it, and its file.
///
/// # Errors
/// If the manifest is invalid or too large.
pub fn encode_manifest(manifest: &Manifest) -> Result<(Entry, Vec<u8>), Error> {
    manifest.validate()?;
    let raw = manifest.to_bytes()?;
    let stored = encode(MANIFEST_KIND, &raw, MANIFEST_CHECKSUM);
    let entry = Entry { manifest_hash: hash128(&stored), manifest_len: stored.len() as u32 };
    Ok((entry, stored))
}

/// Decodes and validates the manifest. A host that has the entry file compares the bytes with it
/// first ([`Entry::check_manifest`]).
///
/// # Errors
/// If the bytes are not a manifest of this version, or the manifest is invalid.
pub fn decode_manifest(stored: &[u8]) -> Result<Manifest, Error> {
    let mut reader = Reader::new(stored, "manifest");
    let header = Header::read(&mut reader)?;
    if header.kind != MANIFEST_KIND {
        return Err(Error::malformed("manifest", "expected the manifest, found a shard"));
    }
    check_contents(&mut reader, stored, MANIFEST_CHECKSUM)?;
    let raw = contents(header, "manifest", MAX_MANIFEST_LEN as u32, reader)?;
    let manifest = Manifest::from_bytes(&raw)?;
    manifest.validate()?;
    Ok(manifest)
}

fn encode(kind: u8, raw: &[u8], checksum_len: usize) -> Vec<u8> {
    let (codec, contents) = compress(kind, raw);
    let mut stored = Vec::with_capacity(header::LEN + checksum_len + contents.len());
    Header { kind, codec, raw_len: raw.len() as u32 }.put(&mut stored);
    if checksum_len > 0 {
        stored.extend_from_slice(&hash128(&contents)[..checksum_len]);
    }
    stored.extend_from_slice(&contents);
    stored
}

/// Packs the contents of a kind that has a packed form. `None` for other kinds, and for contents
/// that are not of the kind.
fn pack(kind: u8, raw: &[u8]) -> Option<Vec<u8>> {
    match ShardKind::of(kind)? {
        ShardKind::Terms | ShardKind::SecondTier => packed::pack(raw),
        ShardKind::Structure => structure::packed::pack(raw, false),
        ShardKind::Positions | ShardKind::Column | ShardKind::VectorCounts => numbers::pack(raw),
        ShardKind::Rows => rows::packed::pack(raw),
        _ => None,
    }
}

/// Packs a structure with the models for ordered pages, if it has enough pages for the build to
/// have ordered them.
fn pack_in_order(kind: u8, raw: &[u8]) -> Option<Vec<u8>> {
    let n_pages = Reader::new(raw, "structure").varint().ok()?;
    let may_be = kind == ShardKind::Structure as u8 && n_pages >= MIN_ORDERED_PAGES;
    if may_be { structure::packed::pack(raw, true) } else { None }
}

/// Reverses [`pack`] or [`pack_in_order`], to `raw_len` bytes.
fn unpack(kind: u8, packed: &[u8], raw_len: usize, is_ordered: bool) -> Result<Vec<u8>, Error> {
    // Only structures use the codec for ordered pages.
    match ShardKind::of(kind).filter(|&kind| !is_ordered || kind == ShardKind::Structure) {
        Some(ShardKind::Terms | ShardKind::SecondTier) => packed::unpack(packed, raw_len),
        Some(ShardKind::Structure) => structure::packed::unpack(packed, raw_len, is_ordered),
        Some(ShardKind::Positions | ShardKind::Column | ShardKind::VectorCounts) => {
            numbers::unpack(packed, raw_len)
        }
        Some(ShardKind::Rows) => rows::packed::unpack(packed, raw_len),
        _ => Err(Error::malformed("shard", "its kind has no packed form, but it is packed")),
    }
}

/// Compresses contents, and names the codec that was chosen.
fn compress(kind: u8, raw: &[u8]) -> (Codec, Cow<'_, [u8]>) {
    let packed = pack(kind, raw).map(|packed| (Codec::Packed, packed));
    let ordered = pack_in_order(kind, raw).map(|packed| (Codec::Ordered, packed));
    let shortest = packed.into_iter().chain(ordered).min_by_key(|(_, packed)| packed.len());
    let packed = shortest.filter(|(_, packed)| {
        packed.len() < raw.len() && raw.len() as u64 <= packed.len() as u64 * MAX_INFLATION
    });
    // Deflate wins if lists repeat each other, such as the lists of words that are on every page.
    let within = packed.as_ref().and_then(|(_, packed)| deflated_within(raw, packed.len()));
    let deflated = match (packed, within) {
        (_, Some(deflated)) => deflated,
        // If another writer chose another form for the contents, unpacking would return this
        // writer's form.
        (Some((codec, packed)), None)
            if unpack(kind, &packed, raw.len(), codec == Codec::Ordered)
                .is_ok_and(|unpacked| unpacked == raw) =>
        {
            return (codec, packed.into());
        }
        _ => compress_to_vec(raw, LEVEL),
    };
    // If deflate saves less than a thirtieth (int8 vectors), inflating costs more time than it
    // saves.
    if deflated.len() + raw.len() / 30 < raw.len() {
        (Codec::Deflate, deflated.into())
    } else {
        (Codec::Stored, raw.into())
    }
}

/// Compresses as [`compress_to_vec`] does; `None` if the result would exceed `limit` bytes. Deflate
/// is slow, so it stops as soon as the limit is exceeded.
fn deflated_within(raw: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut compressor =
        CompressorOxide::new(create_comp_flags_from_zip_params(LEVEL.into(), 0, 0));
    let mut out = vec![0; limit + 1];
    let (status, _, len) = deflate(&mut compressor, raw, &mut out, TDEFLFlush::Finish);
    if status != TDEFLStatus::Done || len > limit {
        return None;
    }
    out.truncate(len);
    Some(out)
}

/// Decompresses all remaining bytes of `reader`. The allocation is bounded by `limit`, and by the
/// largest expansion of the codec.
fn contents(
    header: Header,
    what: &'static str,
    limit: u32,
    mut reader: Reader<'_>,
) -> Result<Vec<u8>, Error> {
    let Header { kind, codec, raw_len } = header;
    let contents = reader.take(reader.remaining())?;
    if raw_len > limit {
        return Err(Error::Limit { what, limit: limit.into(), got: raw_len.into() });
    }
    let wrong = |got: usize| Error::Length { what, expected: raw_len.into(), got: got as u64 };
    if codec == Codec::Stored {
        if contents.len() != raw_len as usize {
            return Err(wrong(contents.len()));
        }
        return Ok(contents.to_vec());
    }
    if u64::from(raw_len) > contents.len() as u64 * MAX_INFLATION {
        return Err(Error::malformed(what, "its header claims more than any compression gives"));
    }
    let raw = match codec {
        Codec::Packed | Codec::Ordered => {
            unpack(kind, contents, raw_len as usize, codec == Codec::Ordered)?
        }
        _ => decompress_to_vec_with_limit(contents, raw_len as usize).map_err(|_| {
            Error::malformed(what, "the contents do not inflate to the length in the header")
        })?,
    };
    if raw.len() != raw_len as usize {
        return Err(wrong(raw.len()));
    }
    Ok(raw)
}

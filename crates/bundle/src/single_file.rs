//! A whole bundle in one file, `*.findling`, for Workers, command lines and small sites.
//!
//! | offset | bytes | field |
//! |---|---|---|
//! | 0 | 8 | magic, `FNDLFILE` |
//! | 8 | 48 | the entry file ([`Entry`]) |
//! | 56 | `entry.manifest_len` | the stored manifest |
//! | | | the stored shards, in the order of the shard directory |
//! | | | the stored shards of positions, in the order of the directory of positions |
//!
//! The place of each shard is computed from the lengths in the shard directory. So a host with byte
//! ranges needs only the entry and the manifest to fetch any shard, and the directory of positions
//! to fetch positions.

use core::ops::Range;

use crate::codec::Reader;
use crate::{Entry, Error, Manifest, PositionsDirectory, ShardId, frame};

const WHAT: &str = "single-file bundle";
const MAGIC: [u8; 8] = *b"FNDLFILE";

/// Bytes before the manifest.
pub const HEADER_LEN: usize = MAGIC.len() + Entry::LEN;

/// Writes the beginning of a single-file bundle. The stored shards follow in the order of the shard
/// directory, then the shards of positions.
pub fn head(entry: &Entry, stored_manifest: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER_LEN + stored_manifest.len());
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&entry.to_bytes());
    out.extend_from_slice(stored_manifest);
    out
}

/// Returns whether a file begins with the magic of a single-file bundle.
pub fn is_single_file(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Reads the entry from the first [`HEADER_LEN`] bytes. The manifest is in the `manifest_len` bytes
/// after them.
///
/// # Errors
/// If the bytes do not begin a single-file bundle.
pub fn read_header(bytes: &[u8]) -> Result<Entry, Error> {
    let mut reader = Reader::new(bytes, WHAT);
    let magic = reader.array::<8>()?;
    if magic != MAGIC {
        return Err(Error::Magic { what: WHAT, got: [magic[0], magic[1], magic[2], magic[3]] });
    }
    Entry::from_bytes(reader.take(Entry::LEN)?)
}

/// Returns the byte range of each shard in the file, in the order of the shard directory.
pub fn shard_ranges(entry: &Entry, manifest: &Manifest) -> Vec<Range<u64>> {
    let mut at = HEADER_LEN as u64 + u64::from(entry.manifest_len);
    manifest
        .shards
        .iter()
        .map(|shard| {
            let start = at;
            at += u64::from(shard.stored_len);
            start..at
        })
        .collect()
}

/// Returns the byte range of one shard in the file; `None` if it does not exist. `listed` are the
/// [`shard_ranges`], and `positions` is the directory of positions, without which only shards that
/// the manifest lists have a place.
pub fn shard_range(
    id: ShardId,
    entry: &Entry,
    listed: &[Range<u64>],
    positions: Option<&PositionsDirectory>,
) -> Option<Range<u64>> {
    if id.place_of_positions().is_none() {
        return listed.get(id.index()).cloned();
    }
    let positions = positions?;
    let start = behind_listed(entry, listed) + positions.offset(id);
    Some(start..start + u64::from(positions.shard(id)?.stored_len))
}

/// Returns the end of the shards that the manifest lists.
fn behind_listed(entry: &Entry, listed: &[Range<u64>]) -> u64 {
    let head = HEADER_LEN as u64 + u64::from(entry.manifest_len);
    listed.last().map_or(head, |last| last.end)
}

/// A single-file bundle in memory, or memory-mapped.
#[derive(Clone, Debug)]
pub struct SingleFile<B> {
    bytes: B,
    entry: Entry,
    manifest: Manifest,
    ranges: Vec<Range<u64>>,
    positions: Option<PositionsDirectory>,
}

impl<B: AsRef<[u8]>> SingleFile<B> {
    /// Opens a file. Its shards are checked when they are decoded ([`frame::decode_shard`]).
    ///
    /// # Errors
    /// If entry or manifest are invalid, or the file is shorter or longer than they say.
    pub fn open(bytes: B) -> Result<Self, Error> {
        let file = bytes.as_ref();
        let entry = read_header(file)?;
        let mut rest = Reader::new(&file[HEADER_LEN..], WHAT);
        let stored = rest.take(entry.manifest_len as usize)?;
        entry.check_manifest(stored)?;
        let manifest = frame::decode_manifest(stored)?;
        let ranges = shard_ranges(&entry, &manifest);
        let mut opened = Self { bytes, entry, manifest, ranges, positions: None };
        let got = opened.bytes.as_ref().len() as u64;
        let listed = behind_listed(&opened.entry, &opened.ranges);
        if got < listed {
            return Err(Error::Length { what: WHAT, expected: listed, got });
        }
        let directory = opened.manifest.positions();
        if let Some((entry, stored)) =
            directory.and_then(|id| opened.manifest.shard(id).zip(opened.shard(id)))
        {
            let raw = frame::decode_shard(entry, stored)?;
            let Manifest { stats, lexicon, .. } = &opened.manifest;
            opened.positions =
                Some(PositionsDirectory::from_bytes(&raw, stats.n_pages, lexicon.len())?);
        }
        let expected = listed + opened.positions.as_ref().map_or(0, PositionsDirectory::stored_len);
        if got != expected {
            return Err(Error::Length { what: WHAT, expected, got });
        }
        Ok(opened)
    }

    /// Returns the entry.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Returns the decoded manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the stored manifest.
    pub fn stored_manifest(&self) -> &[u8] {
        let end = HEADER_LEN + self.entry.manifest_len as usize;
        self.bytes.as_ref().get(HEADER_LEN..end).unwrap_or_default()
    }

    /// Returns a stored shard; `None` if it does not exist.
    pub fn shard(&self, id: ShardId) -> Option<&[u8]> {
        let range = shard_range(id, &self.entry, &self.ranges, self.positions.as_ref())?;
        self.bytes
            .as_ref()
            .get(usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?)
    }
}

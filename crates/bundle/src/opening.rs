//! The file of the manifest in a directory of files: the manifest, followed by the shards that
//! nearly every first search reads. A reader gets them with the manifest instead of with separate
//! requests. Each of them also exists as a separate file.
//!
//! | bytes | field |
//! |---|---|
//! | `entry.manifest_len` | the stored manifest |
//! | | until the end of the file, for each shard: |
//! | 1 | bytes of its name, 4 or 8; 0 before the directory of packs |
//! | 4 or 8 | its name: in hex, the stem of its own file ([`crate::names`]) |
//! | 4 | stored bytes, u32 |
//! | | the stored shard |
//!
//! The file is named by the hash of the manifest, which has a hash of each of these shards. A
//! reader checks them like separate files, and fetches the separate file if a check fails.
//!
//! In a bundle in packs the shards are also in packs instead of separate files. There an item with
//! a name of 0 bytes holds the directory of packs ([`crate::packs`]), and the file is named by the
//! hash of all of its bytes ([`crate::EntryFile`]).

use crate::codec::Reader;
use crate::names::shard_path;
use crate::{Entry, Error};

pub use crate::entry::MAX_BEHIND;

const WHAT: &str = "file of the manifest";
const NAME_LENS: [usize; 2] = [4, 8];

/// Maximum number of stored bytes of a column that comes with the manifest. Readers who do not
/// filter have no use for long columns.
pub const MAX_COLUMN_LEN: u32 = 4 << 10;

/// Writes the file: the stored manifest, the directory of packs if there is one, and shards by
/// their paths.
///
/// # Errors
/// If a path does not name a shard.
pub fn write<'a>(
    stored_manifest: &[u8],
    packs: Option<&[u8]>,
    shards: impl IntoIterator<Item = (&'a str, &'a [u8])>,
) -> Result<Vec<u8>, Error> {
    let mut out = stored_manifest.to_vec();
    let mut put = |name: &[u8], stored: &[u8]| {
        out.push(name.len() as u8);
        out.extend_from_slice(name);
        out.extend_from_slice(&(stored.len() as u32).to_le_bytes());
        out.extend_from_slice(stored);
    };
    if let Some(packs) = packs {
        put(&[], packs);
    }
    for (path, stored) in shards {
        let name = name(path).ok_or_else(|| Error::malformed(WHAT, "a path is not a shard's"))?;
        put(&name, stored);
    }
    Ok(out)
}

/// A file of the manifest, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening<'a> {
    /// The stored manifest. It is the one that the entry names.
    pub stored_manifest: &'a [u8],
    /// The directory of packs, unchecked.
    pub packs: Option<&'a [u8]>,
    /// Shards by their paths, unchecked.
    pub shards: Vec<(String, &'a [u8])>,
}

/// Reads the file that an entry names.
///
/// # Errors
/// If the manifest is not the one that the entry names, or the shards do not fill the rest.
pub fn read<'a>(entry: &Entry, file: &'a [u8]) -> Result<Opening<'a>, Error> {
    let mut reader = Reader::new(file, WHAT);
    let stored_manifest = reader.take((entry.manifest_len as usize).min(file.len()))?;
    entry.check_manifest(stored_manifest)?;
    if reader.remaining() as u64 > MAX_BEHIND {
        return Err(Error::Limit {
            what: "bytes behind the manifest",
            limit: MAX_BEHIND,
            got: reader.remaining() as u64,
        });
    }
    let (mut packs, mut shards) = (None, Vec::new());
    while reader.remaining() > 0 {
        let len = usize::from(reader.u8()?);
        if len == 0 {
            let len = reader.u32()? as usize;
            if packs.replace(reader.take(len)?).is_some() {
                return Err(reader.malformed("there are two directories of packs"));
            }
            continue;
        }
        if !NAME_LENS.contains(&len) {
            return Err(reader.malformed("a name has neither 4 nor 8 bytes"));
        }
        let path = shard_path(reader.take(len)?);
        let len = reader.u32()? as usize;
        shards.push((path, reader.take(len)?));
    }
    Ok(Opening { stored_manifest, packs, shards })
}

/// Returns the bytes of a shard's name.
fn name(path: &str) -> Option<Vec<u8>> {
    let digits = path.rsplit('/').next()?.strip_suffix(".bin")?.as_bytes();
    let byte = |pair: &[u8]| {
        let pair = core::str::from_utf8(pair).ok()?;
        u8::from_str_radix(pair, 16).ok()
    };
    let name: Vec<u8> = digits.chunks(2).map(byte).collect::<Option<_>>()?;
    (shard_path(&name) == path && NAME_LENS.contains(&name.len())).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::hash128;

    const SHARDS: [(&str, &[u8]); 2] =
        [("shards/0a1b2c3d.bin", b"four"), ("shards/0011223344556677.bin", b"")];

    fn sample() -> (Entry, Vec<u8>) {
        let manifest = b"a manifest";
        let entry = Entry { manifest_hash: hash128(manifest), manifest_len: manifest.len() as u32 };
        (entry, write(manifest, Some(b"packs"), SHARDS).unwrap())
    }

    #[test]
    fn shards_come_back_by_their_paths() {
        let (entry, file) = sample();
        let opening = read(&entry, &file).unwrap();
        assert_eq!(opening.stored_manifest, b"a manifest");
        let read: Vec<(&str, &[u8])> =
            opening.shards.iter().map(|(path, stored)| (path.as_str(), *stored)).collect();
        assert_eq!(read, SHARDS);
        assert_eq!(opening.packs, Some(&b"packs"[..]));
        let twice = [&file[..], &[0, 0, 0, 0, 0]].concat();
        assert!(super::read(&entry, &twice).is_err(), "two directories of packs");
        let without = write(b"a manifest", None, SHARDS).unwrap();
        assert_eq!(super::read(&entry, &without).unwrap().packs, None);
        assert!(super::read(&entry, b"a manifest").unwrap().shards.is_empty());
    }

    #[test]
    fn other_paths_are_not_written() {
        for path in ["shards/0a1b2c3d", "0a1b2c3d.bin", "shards/0A1B2C3D.bin", "shards/0a1b.bin"] {
            assert!(write(b"", None, [(path, &b""[..])]).is_err(), "{path}");
        }
    }

    #[test]
    fn a_truncated_or_changed_file_is_refused_or_read_within_bounds() {
        let (entry, file) = sample();
        let ends: Vec<usize> = [0, 1 + 4 + 5, 1 + 4 + 4 + 4, 1 + 8 + 4]
            .iter()
            .scan(10, |at, len| {
                *at += len;
                Some(*at)
            })
            .collect();
        for len in 0..file.len() {
            assert_eq!(read(&entry, &file[..len]).is_ok(), ends.contains(&len), "{len} bytes");
        }
        for at in 0..file.len() {
            for byte in [0, 1, 4, 8, 0x7f, 0xff] {
                let mut changed = file.clone();
                changed[at] = byte;
                match read(&entry, &changed) {
                    Ok(opening) => {
                        assert_eq!(opening.stored_manifest, b"a manifest");
                        let bytes: usize =
                            opening.shards.iter().map(|(_, stored)| stored.len()).sum();
                        assert!(bytes <= file.len());
                    }
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
            }
        }
    }
}

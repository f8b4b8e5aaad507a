//! Reads single-file bundles on disk, and no more bytes than the bundle lists.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use findling_bundle::single_file::{self, HEADER_LEN};
use findling_bundle::{Error, SingleFile, decode_manifest};

use super::NoBundle;
use crate::regular_file;

/// Maximum number of bytes of a single-file bundle: all of it is in memory.
const MAX_LEN: u64 = 4 << 30;

/// Reads a single-file bundle. Files of other kinds are refused because of their first bytes. At
/// most one byte after the last shard is read, which is enough to refuse the file.
///
/// # Errors
/// If the file cannot be read, is not a bundle, or its entry or manifest is damaged.
pub(super) fn read_single(path: &Path) -> Result<Vec<u8>> {
    let unreadable = || format!("{} cannot be read", path.display());
    let mut file = regular_file::open(path).with_context(unreadable)?;
    let mut bytes = Vec::new();
    let mut read_to = |bytes: &mut Vec<u8>, len: u64| {
        let more = len.min(MAX_LEN).saturating_sub(bytes.len() as u64);
        (&mut file).take(more).read_to_end(bytes).with_context(unreadable)
    };
    read_to(&mut bytes, HEADER_LEN as u64)?;
    if !single_file::is_single_file(&bytes) {
        bail!(NoBundle::found(&path.display().to_string(), "another kind of file"));
    }
    let damaged = || path.display().to_string();
    let entry = single_file::read_header(&bytes).with_context(damaged)?;
    read_to(&mut bytes, HEADER_LEN as u64 + u64::from(entry.manifest_len))?;
    let stored = &bytes[HEADER_LEN..];
    entry.check_manifest(stored).with_context(damaged)?;
    let manifest = decode_manifest(stored).with_context(damaged)?;
    let listed = single_file::shard_ranges(&entry, &manifest);
    if let Some(last) = listed.last() {
        read_to(&mut bytes, last.end)?;
    }
    // The manifest lists the directory of positions, which says how many more bytes there are.
    let needed = match SingleFile::open(&bytes) {
        Err(Error::Length { expected, .. }) => expected,
        _ => 0,
    };
    read_to(&mut bytes, needed)?;
    let len = bytes.len() as u64;
    read_to(&mut bytes, len + 1)?;
    Ok(bytes)
}

//! The files of an encoder that is deployed with a bundle.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use findling_bundle::{FilePart, hash128};

use super::web;
use super::{BundleFiles, Place};
use crate::regular_file;

/// Maximum number of bytes of all files of an encoder together. A transformer that is deployed has
/// 15 to 90 MB.
pub const MAX_ENCODER_LEN: u64 = 256 << 20;

/// Maximum number of bytes of the beginning of a file.
const MAX_BEGINNING: u64 = 1 << 20;

impl BundleFiles {
    /// Returns the files of all encoders that the manifest lists.
    pub(super) fn encoder_parts(&self) -> impl Iterator<Item = &FilePart> {
        let encoders = self.manifest.dense.iter().flat_map(|dense| &dense.query_encoders);
        encoders.flat_map(|encoder| &encoder.files)
    }

    /// Returns a file that the manifest lists in parts: each part is checked, then joined.
    ///
    /// # Errors
    /// If the parts have more than [`MAX_ENCODER_LEN`] bytes according to the manifest (checked
    /// before the first byte is read), or if a part is missing or has other contents.
    pub fn parts(&self, files: &[FilePart]) -> Result<Vec<u8>> {
        self.check_len(files)?;
        let mut whole = Vec::new();
        for part in files {
            whole.extend(self.file_part(part)?);
        }
        Ok(whole)
    }

    fn check_len(&self, files: &[FilePart]) -> Result<()> {
        let len = files.iter().fold(0, |len: u64, part| len.saturating_add(part.len));
        if len > MAX_ENCODER_LEN {
            bail!(
                "{}: expected an encoder of at most {MAX_ENCODER_LEN} bytes, the manifest lists \
                 {len}; build the bundle with a smaller model",
                self.path.display()
            );
        }
        Ok(())
    }

    /// Returns at most `len` of the first bytes of an encoder's file, so that its head can be
    /// checked before the rest is fetched. These bytes are not compared with the part's hash.
    ///
    /// # Errors
    /// The errors of [`Self::parts`].
    pub fn beginning_of_parts(&self, files: &[FilePart], len: u64) -> Result<Vec<u8>> {
        self.check_len(files)?;
        let Some(first) = files.first() else { return Ok(Vec::new()) };
        let len = len.min(first.len).min(MAX_BEGINNING);
        if let Place::Copy(site) = &self.place {
            let kept = first_bytes(&site.copied.layout.part(first), len).ok();
            if let Some(bytes) = kept.filter(|bytes| bytes.len() as u64 == len) {
                return Ok(bytes);
            }
            return Ok(site.origin.beginning(&first.path, len, first.len)?);
        }
        let path = self.directory().join(&first.path);
        first_bytes(&path, len).with_context(|| format!("{} cannot be read", path.display()))
    }

    /// Returns one part. For a site's bundle, the part comes from the copy, or is fetched and
    /// copied.
    fn file_part(&self, part: &FilePart) -> Result<Vec<u8>> {
        let is_whole = |bytes: &[u8]| bytes.len() as u64 == part.len && hash128(bytes) == part.hash;
        let check = |path: &Path, bytes: Vec<u8>| match is_whole(&bytes) {
            true => Ok(bytes),
            false => bail!(
                "{}: expected the file that the manifest lists, found other contents; deploy or \
                 build the bundle again",
                path.display()
            ),
        };
        let Place::Copy(site) = &self.place else {
            let path = self.directory().join(&part.path);
            let bytes = regular_file::read(&path, part.len);
            return check(
                &path,
                bytes.with_context(|| format!("{} cannot be read", path.display()))?,
            );
        };
        // The path comes from the site, which may only name files of its bundle.
        site.origin.url().beside(&part.path)?;
        let path = site.copied.layout.part(part);
        if let Some(bytes) =
            regular_file::read(&path, part.len).ok().filter(|bytes| is_whole(bytes))
        {
            return Ok(bytes);
        }
        let bytes = check(Path::new(&part.path), site.origin.file(&part.path, None, part.len)?)?;
        web::write(&path, &bytes)?;
        Ok(bytes)
    }
}

/// Returns the first bytes of a file, at most `most`.
fn first_bytes(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    regular_file::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

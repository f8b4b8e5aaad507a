//! Zip archives, the format of word processor files and books.
//!
//! **Invariant.** No more is unpacked than the limits allow, whatever the archive declares.
//! **Why.** A file of a few kilobytes can unpack to gigabytes. **Kept by:** the test
//! `bad_documents_are_named_and_the_rest_is_indexed`.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

/// Largest number of entries of an archive.
const MAX_ENTRIES: usize = 50_000;

/// Largest number of bytes of one entry, unpacked.
pub(super) const MAX_ENTRY_BYTES: u64 = 64 << 20;

/// Largest number of bytes of all entries that are read, unpacked.
const MAX_BYTES: u64 = 64 << 20;

/// An open archive.
pub(super) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// Number of bytes that may still be unpacked.
    left: u64,
}

impl<'a> Archive<'a> {
    /// Opens an archive.
    ///
    /// # Errors
    /// The reason, if it is damaged.
    pub fn open(bytes: &'a [u8]) -> Result<Self, String> {
        let zip = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| format!("is damaged: its zip archive cannot be opened: {error}"))?;
        if zip.len() > MAX_ENTRIES {
            return Err(format!(
                "expected a zip archive of at most {MAX_ENTRIES} entries, found {}",
                zip.len()
            ));
        }
        Ok(Self { zip, left: MAX_BYTES })
    }

    /// Returns the content of an entry; `None` if there is no such entry.
    ///
    /// # Errors
    /// The reason, if it is damaged, encrypted or larger than the limits.
    pub fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, String> {
        let entry = match self.zip.by_name(name) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(format!("is damaged: `{name}` cannot be read: {error}")),
        };
        let most = MAX_ENTRY_BYTES.min(self.left);
        let too_large = |size: u64| {
            format!("`{name}` unpacks to {size} bytes or more, over the limit of {most}")
        };
        if entry.size() > most {
            return Err(too_large(entry.size()));
        }
        let mut bytes = Vec::new();
        entry
            .take(most + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| format!("is damaged: `{name}` cannot be unpacked: {error}"))?;
        let size = bytes.len() as u64;
        if size > most {
            return Err(too_large(size));
        }
        self.left -= size;
        Ok(Some(bytes))
    }

    /// Returns the content of a required entry.
    ///
    /// # Errors
    /// Returns the errors of [`Archive::read`], and an error if there is no such entry.
    pub fn need(&mut self, name: &str) -> Result<Vec<u8>, String> {
        self.read(name)?.ok_or_else(|| format!("is damaged: expected `{name}` in it, found none"))
    }
}

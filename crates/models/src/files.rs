//! Hashing and atomic writing of files.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use findling_bundle::hex;
use sha2::{Digest, Sha256};

use super::Error;
use super::error::at;

/// Bytes read and hashed at a time.
const CHUNK: usize = 1 << 16;

/// A running SHA-256 and length.
#[derive(Default)]
pub(super) struct Hasher {
    sha: Sha256,
    pub bytes: u64,
}

impl Hasher {
    pub fn update(&mut self, bytes: &[u8]) {
        self.sha.update(bytes);
        self.bytes += bytes.len() as u64;
    }

    pub fn finish(self) -> String {
        hex(&self.sha.finalize())
    }
}

/// Returns the length and the SHA-256 hash of a file.
pub(super) fn digest(path: &Path) -> Result<(u64, String), Error> {
    let mut hasher = Hasher::default();
    let mut file = File::open(path).map_err(at(path))?;
    let mut chunk = vec![0; CHUNK];
    loop {
        match file.read(&mut chunk).map_err(at(path))? {
            0 => return Ok((hasher.bytes, hasher.finish())),
            n => hasher.update(&chunk[..n]),
        }
    }
}

/// Copies `from` into a new file and returns length and SHA-256; stops past `limit` bytes.
pub(super) fn copy_hashed(
    from: &mut impl Read,
    to: &Path,
    limit: u64,
) -> Result<(u64, String), Error> {
    let mut hasher = Hasher::default();
    let mut file = File::create(to).map_err(at(to))?;
    let mut chunk = vec![0; CHUNK];
    loop {
        let n = from.read(&mut chunk).map_err(at(to))?;
        if n == 0 {
            break;
        }
        hasher.update(&chunk[..n]);
        if hasher.bytes > limit {
            return Err(Error::Pin {
                what: to.display().to_string(),
                expected: format!("at most {limit} bytes"),
                found: "more".to_owned(),
            });
        }
        file.write_all(&chunk[..n]).map_err(at(to))?;
    }
    file.sync_all().map_err(at(to))?;
    Ok((hasher.bytes, hasher.finish()))
}

/// Removes a directory, if it exists.
pub(super) fn remove_dir(path: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(at(path)(error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_sha256sum() {
        let mut hasher = Hasher::default();
        hasher.update(b"abc");
        assert_eq!(hasher.bytes, 3);
        assert_eq!(
            hasher.finish(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}

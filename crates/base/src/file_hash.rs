//! The hash of a file's contents.

use std::io::{self, Read};
use std::path::Path;

use crate::regular_file;

/// Returns the BLAKE3 hash of a file's contents, in hex digits. The file is read in pieces.
///
/// # Errors
/// If it cannot be read.
pub fn file_hash(path: &Path) -> io::Result<String> {
    let (mut file, mut hasher) = (regular_file::open(path)?, blake3::Hasher::new());
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hasher.finalize().to_hex().to_string()),
            Ok(n) => hasher.update(&buffer[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
    }
}

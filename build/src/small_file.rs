//! Reading files of settings and of state, which are small.

use std::path::Path;

/// Largest file that is read.
pub const MAX_LEN: u64 = 1 << 20;

/// The text of a file; `None` if it cannot be read, is no UTF-8, or has more than [`MAX_LEN`]
/// bytes.
pub fn text(path: &Path) -> Option<String> {
    let is_small = std::fs::metadata(path).ok()?.len() <= MAX_LEN;
    is_small.then(|| std::fs::read_to_string(path).ok()).flatten()
}

//! Reading files of settings and of state, which are small.

use std::path::Path;

use crate::regular_file;

/// Largest file that is read.
pub const MAX_LEN: u64 = 1 << 20;

/// Returns the text of a file; `None` if it cannot be read, is no UTF-8, or has more than
/// [`MAX_LEN`] bytes.
pub fn text(path: &Path) -> Option<String> {
    String::from_utf8(regular_file::read(path, MAX_LEN).ok()?).ok()
}

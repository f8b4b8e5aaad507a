//! Files of the registry and of collections: replaced as a whole, swept, put on disk.

use std::fs;
use std::path::Path;

use super::error::Error;
use crate::replace_file::replace_privately;
pub(super) use crate::replace_file::sync_tree;

/// Replaces a file, which only the user may read, by these bytes; see [`replace_privately`].
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace_privately(path, bytes).map_err(Error::io("written", path))
}

/// Removes what processes that were killed left of [`replace`] in a directory.
pub(super) fn sweep_replaced(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') && name.contains(".new-") {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_behind_a_link_is_replaced_and_the_link_stays() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        replace(&file, b"one").unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&file, &link).unwrap();
            replace(&link, b"two").unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(fs::read(&file).unwrap(), b"two");
        }
        fs::write(dir.path().join(".file.new-1"), "half").unwrap();
        sweep_replaced(dir.path());
        assert!(!dir.path().join(".file.new-1").exists());
        assert!(replace(&dir.path().join("absent/file"), b"x").is_err());
    }
}

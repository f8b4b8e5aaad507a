//! Files of the registry and of collections: replaced as a whole, swept, put on disk.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::error::Error;
use crate::replace_file::replace_by;

/// Replaces a file by these bytes; see [`replace_by`].
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace_by(path, |file| file.write_all(bytes)).map_err(Error::io("written", path))
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

/// Puts everything below a directory on disk.
pub(super) fn sync_tree(directory: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        rustix::fs::syncfs(File::open(directory)?)?;
        Ok(())
    }
    #[cfg(not(target_os = "linux"))]
    {
        for entry in walkdir::WalkDir::new(directory).contents_first(true) {
            let entry = entry?;
            if entry.file_type().is_dir() {
                crate::replace_file::sync_directory(entry.path())?;
            } else {
                File::open(entry.path())?.sync_all()?;
            }
        }
        Ok(())
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

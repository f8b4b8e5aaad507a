//! Writing files so that a reader sees either the old or the new one, and never a part.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::error::Error;

/// Replaces a file by these bytes; see [`replace_by`].
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace_by(path, |file| file.write_all(bytes)).map_err(Error::io("written", path))
}

/// Replaces a file by a rename: what `write` writes is on disk before the name leads to it. Behind
/// a symbolic link it is the file itself that is replaced. If something fails, the old file stays.
///
/// # Errors
/// If the system refuses, and those of `write`.
pub fn replace_by<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    let path = path.canonicalize().or_else(|_| std::path::absolute(path))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let staged = path.with_file_name(format!(".{name}.new-{}", std::process::id()));
    let replace = || {
        let mut file = File::create(&staged)?;
        let written = write(&mut file)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&staged, &path)?;
        path.parent().map_or(Ok(()), sync_directory)?;
        Ok(written)
    };
    replace().inspect_err(|_| {
        let _ = fs::remove_file(&staged);
    })
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

/// Puts the names in a directory on disk. Windows has no such call and needs none.
fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
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
                sync_directory(entry.path())?;
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

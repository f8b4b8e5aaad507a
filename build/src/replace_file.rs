//! Writing files so that a reader sees either the old or the new one, and never a part.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

/// The next number in the name of a file that is being written. Threads may write one file at once.
static NEXT: AtomicU64 = AtomicU64::new(0);

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
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let staged = path.with_file_name(format!(".{name}.new-{}-{number}", std::process::id()));
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

/// Replaces a file by these bytes. Makes its directory where there is none. What is no file, such
/// as `/dev/stdout` or a pipe, is written to.
///
/// # Errors
/// If the system refuses.
pub fn keep(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return fs::write(path, bytes);
    }
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    replace_by(path, |file| file.write_all(bytes))
}

/// As [`keep`], with a value as JSON.
///
/// # Errors
/// If the system refuses.
pub fn keep_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let json = serde_json::to_vec(value).map_err(|error| io::Error::other(error.to_string()))?;
    keep(path, &json)
}

/// Puts the names in a directory on disk. Windows has no such call and needs none.
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_replace_one_file_at_once_all_succeed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let contents = [b'a', b'b', b'c', b'd'].map(|byte| vec![byte; 1 << 16]);
        std::thread::scope(|scope| {
            for bytes in &contents {
                let path = &path;
                scope.spawn(move || (0..20).for_each(|_| keep(path, bytes).unwrap()));
            }
        });
        assert!(contents.contains(&fs::read(&path).unwrap()), "the file is mixed");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}

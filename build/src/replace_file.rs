//! Writing files so that a reader sees either the old or the new one, and never a part.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

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

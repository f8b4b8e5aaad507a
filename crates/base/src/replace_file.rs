//! Writing files so that a reader sees either the old or the new one, and never a part.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

use crate::file_mode::{make_directory, private_file};

/// The next number in the name of a file that is being written. Threads may write one file at once.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Replaces a file by a rename. The bytes that `write` writes are on disk before the file gets its
/// name. If the path is a symbolic link, the file that it points to is replaced. If something
/// fails, the old file stays.
///
/// # Errors
/// If the system refuses, and the errors of `write`.
pub fn replace_by<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    replace_as(path, false, write)
}

/// Replaces a file like [`replace_by`]. If `is_private`, only the user may read the new file.
/// Otherwise the new file gets the permissions of the old one, if there is an old one.
fn replace_as<T, E: From<io::Error>>(
    path: &Path,
    is_private: bool,
    write: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    let path = path.canonicalize().or_else(|_| std::path::absolute(path))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let staged = path.with_file_name(format!(".{name}.new-{}-{number}", std::process::id()));
    let replace = || {
        let mut options = if is_private { private_file() } else { File::options() };
        let mut file = options.write(true).create(true).truncate(true).open(&staged)?;
        if let (false, Ok(old)) = (is_private, fs::metadata(&path)) {
            // A file system without owners has no permissions to keep.
            let _ = file.set_permissions(old.permissions());
        }
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

/// Replaces a file by these bytes. Makes the file's directory if it is missing. If the path is not
/// a regular file, such as `/dev/stdout` or a pipe, the bytes are written to it.
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

/// Replaces a file like [`keep`], but only the user may read the new file. If the directory does
/// not exist, it is made for the user alone.
///
/// # Errors
/// If the system refuses.
pub fn keep_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    make_directory(path.parent().unwrap_or(Path::new(".")))?;
    replace_as(path, true, |file| file.write_all(bytes))
}

/// Replaces a file like [`keep_private`], but the directory must exist, and it does not change.
///
/// # Errors
/// If the system refuses.
pub fn replace_privately(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_as(path, true, |file| file.write_all(bytes))
}

/// Writes a value as JSON, like [`keep_private`].
///
/// # Errors
/// If the system refuses.
pub fn keep_private_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let json = serde_json::to_vec(value).map_err(|error| io::Error::other(error.to_string()))?;
    keep_private(path, &json)
}

/// Removes the temporary files beside a file that were left by killed processes while they replaced
/// it.
pub fn sweep(path: &Path) {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return };
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let start = format!(".{}.new-", name.to_string_lossy());
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let rest = name.to_str().and_then(|name| name.strip_prefix(&start));
        let process = rest.and_then(|rest| rest.split('-').next()?.parse().ok());
        if process.is_some_and(|process| !is_running(process)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns whether a process is running; true if the system cannot tell.
pub fn is_running(process: u32) -> bool {
    !Path::new("/proc/self").exists() || Path::new("/proc").join(process.to_string()).exists()
}

/// Writes everything below a directory to disk.
///
/// # Errors
/// If the system refuses.
pub fn sync_tree(directory: &Path) -> io::Result<()> {
    // One call for all files is much faster. Not every file system has it.
    #[cfg(target_os = "linux")]
    if rustix::fs::syncfs(File::open(directory)?).is_ok() {
        return Ok(());
    }
    for entry in walkdir::WalkDir::new(directory).contents_first(true) {
        let entry = entry?;
        if entry.file_type().is_dir() {
            sync_directory(entry.path())?;
        } else if entry.file_type().is_file() {
            File::open(entry.path())?.sync_all()?;
        }
    }
    Ok(())
}

/// Writes a value as JSON, like [`keep`].
///
/// # Errors
/// If the system refuses.
pub fn keep_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let json = serde_json::to_vec(value).map_err(|error| io::Error::other(error.to_string()))?;
    keep(path, &json)
}

/// Writes the names in a directory to disk. Windows has no such call and needs none.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}

/// Returns whether a file exists with these contents.
///
/// # Errors
/// If the file is there and cannot be read.
pub fn same(path: &Path, contents: &[u8]) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && metadata.len() == contents.len() as u64 => {
            Ok(fs::read(path)? == contents)
        }
        _ => Ok(false),
    }
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

    #[test]
    fn what_killed_processes_left_is_removed_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let own = format!(".x.findling.new-{}-0", std::process::id());
        // No process has this number.
        let names = [".x.findling.new-4294967295-3", own.as_str(), ".y.new-4294967295-0", "x.new"];
        for name in names {
            fs::write(dir.path().join(name), "part").unwrap();
        }
        sweep(&dir.path().join("x.findling"));
        let left = names.map(|name| dir.path().join(name).exists());
        assert_eq!(left, [!Path::new("/proc/self").exists(), true, true, true]);
    }

    #[test]
    #[cfg(unix)]
    fn a_replaced_file_keeps_its_readers_and_a_private_one_has_none() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state/file");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        keep_private(&path, b"one").unwrap();
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        keep(&path, b"two").unwrap();
        assert_eq!(mode(&path), 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        keep_private(&path, b"three").unwrap();
        assert_eq!(mode(&path), 0o600);
    }
}

//! Opens files that other users may have made. It never waits for a pipe, never reads a device, and
//! reads no more than requested.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Opens a regular file. Anything else is refused before a byte of it is read. The function does
/// not wait for a pipe that nobody writes to.
///
/// # Errors
/// If it cannot be opened, or is a directory, a pipe, a socket or a device.
pub fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    let reason = "expected a file, found a directory, a pipe or a device";
    Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
}

/// Returns the contents of a regular file of at most `most` bytes.
///
/// # Errors
/// The errors of [`open`], and [`io::ErrorKind::FileTooLarge`] if it has more; this is known before
/// the file is read.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let len = file.metadata()?.len();
    let mut bytes = Vec::new();
    if len <= most {
        bytes.reserve_exact(usize::try_from(len).unwrap_or(0));
        // The file may grow while it is read.
        file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    if len > most || bytes.len() as u64 > most {
        let reason =
            format!("expected at most {most} bytes, found {}", len.max(bytes.len() as u64));
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    Ok(bytes)
}

/// Returns the path of an open file without links, even if its path leads to another file by now.
///
/// # Errors
/// If this is not known, for example after the file was replaced.
pub fn real_path(file: &File, path: &Path) -> io::Result<PathBuf> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        let link = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
        if let Some(real) = link.ok().filter(|real| real.is_absolute()) {
            return Ok(real);
        }
    }
    let real = path.canonicalize()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let (opened, found) = (file.metadata()?, std::fs::metadata(&real)?);
        if (opened.dev(), opened.ino()) != (found.dev(), found.ino()) {
            return Err(io::Error::other("the file was replaced while it was opened"));
        }
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_stated_size_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, "four").unwrap();
        assert_eq!(read(&path, 4).unwrap(), b"four");
        assert_eq!(read(&path, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(open(dir.path()).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        assert_eq!(real_path(&open(&path).unwrap(), &path).unwrap(), path.canonicalize().unwrap());
        // A sparse file takes no space on the disk, but many bytes can be read from it.
        File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(read(&path, 1 << 20).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    #[cfg(unix)]
    fn pipes_and_devices_are_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        if made.is_ok_and(|status| status.success()) {
            assert_eq!(open(&pipe).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        }
        let link = dir.path().join("zero");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for path in [&link, Path::new("/dev/zero"), Path::new("/dev/tty")] {
            assert!(open(path).is_err(), "{}", path.display());
        }
        let _ = std::os::unix::net::UnixListener::bind(dir.path().join("socket"));
        assert!(open(&dir.path().join("socket")).is_err());
    }
}

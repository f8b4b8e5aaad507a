//! Opens files below a directory, but never through a symbolic link.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};

/// A file or a directory that was opened, with the system's description of it.
#[derive(Debug)]
pub struct Opened {
    /// The file. A directory has none on systems that cannot open one.
    pub file: Option<File>,
    /// The system's description of the file.
    pub metadata: Metadata,
}

fn not_found() -> io::Error {
    io::ErrorKind::NotFound.into()
}

/// Opens a file or a directory by its path from `root`. No part of the path may be a symbolic link;
/// `root` may be one. Anything other than a file or a directory is not opened.
///
/// # Errors
/// If there is none, or the path has parts that are not plain names.
pub fn open(root: &Path, path: &Path) -> io::Result<Opened> {
    let names: Vec<&Path> = path
        .components()
        .map(|part| match part {
            Component::Normal(name) => Ok(Path::new(name)),
            _ => Err(not_found()),
        })
        .collect::<io::Result<_>>()?;
    let opened = open_names(root, &names)?;
    if opened.metadata.is_file() || opened.metadata.is_dir() {
        return Ok(opened);
    }
    Err(not_found())
}

/// Opens each name in the directory before it, so that nothing can be put in its place between a
/// check and the opening.
#[cfg(unix)]
fn open_names(root: &Path, names: &[&Path]) -> io::Result<Opened> {
    use rustix::fs::{Mode, OFlags, open, openat};
    use rustix::io::Errno;

    let of = |error: Errno| match error {
        // A link, or a file in place of a directory.
        Errno::LOOP | Errno::NOTDIR | Errno::MLINK => not_found(),
        other => other.into(),
    };
    let directory = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    // Opening a pipe without a writer would block.
    let last = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut at = open(root, directory, Mode::empty()).map_err(of)?;
    for (i, name) in names.iter().enumerate() {
        let flags = match i + 1 == names.len() {
            true => last,
            false => directory | OFlags::NOFOLLOW,
        };
        at = openat(&at, *name, flags, Mode::empty()).map_err(of)?;
    }
    let file = File::from(at);
    let metadata = file.metadata()?;
    Ok(Opened { file: Some(file), metadata })
}

#[cfg(not(unix))]
fn open_names(root: &Path, names: &[&Path]) -> io::Result<Opened> {
    let mut path = root.to_owned();
    for name in names {
        path.push(name);
        if path.symlink_metadata()?.file_type().is_symlink() {
            return Err(not_found());
        }
    }
    let metadata = path.metadata()?;
    let file = if metadata.is_file() { Some(File::open(&path)?) } else { None };
    Ok(Opened { file, metadata })
}

/// Returns the path below `root` that a path below it leads to by links.
///
/// # Errors
/// If there is nothing, or it is not below `root`.
pub fn resolve(root: &Path, path: &Path) -> io::Result<PathBuf> {
    let root = root.canonicalize()?;
    // For a circle of links, each platform reports another error.
    let resolved = root.join(path).canonicalize().map_err(|_| not_found())?;
    resolved.strip_prefix(&root).map(Path::to_owned).map_err(|_| not_found())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;

    use super::*;

    fn text(opened: Opened) -> String {
        let mut text = String::new();
        opened.file.unwrap().read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_path_of_plain_names_is_opened_and_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/b/c.txt"), "here").unwrap();
        fs::write(dir.path().join("out.txt"), "out").unwrap();
        assert_eq!(text(open(&root, Path::new("a/b/c.txt")).unwrap()), "here");
        assert!(open(&root, Path::new("a")).unwrap().metadata.is_dir());
        assert!(open(&root, Path::new("")).unwrap().metadata.is_dir());
        for path in ["../out.txt", "a/../../out.txt", "/etc/passwd", "a/b/c.txt/d", "nothing"] {
            assert!(open(&root, Path::new(path)).is_err(), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_are_not_opened() {
        use std::os::unix::fs::symlink;

        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("real")).unwrap();
        fs::write(root.join("real/a.txt"), "a").unwrap();
        fs::write(dir.path().join("out.txt"), "out").unwrap();
        symlink("../out.txt", root.join("out")).unwrap();
        symlink("real/a.txt", root.join("inside")).unwrap();
        symlink("real", root.join("folder")).unwrap();
        symlink("/dev/zero", root.join("device")).unwrap();
        let pipe = std::process::Command::new("mkfifo").arg(root.join("pipe")).status().unwrap();
        assert!(pipe.success());
        for path in ["out", "inside", "folder/a.txt", "folder", "device", "pipe"] {
            let kind = open(&root, Path::new(path)).unwrap_err().kind();
            assert_eq!(kind, io::ErrorKind::NotFound, "{path}");
        }
        // A link of the root itself is the user's.
        symlink(&root, dir.path().join("link")).unwrap();
        assert_eq!(text(open(&dir.path().join("link"), Path::new("real/a.txt")).unwrap()), "a");
        assert_eq!(resolve(&root, Path::new("inside")).unwrap(), Path::new("real/a.txt"));
        assert_eq!(resolve(&root, Path::new("folder/a.txt")).unwrap(), Path::new("real/a.txt"));
        assert!(resolve(&root, Path::new("out")).is_err());
    }
}

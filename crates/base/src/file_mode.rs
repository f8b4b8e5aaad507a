//! Permissions of files. A file made from private files is as private as they are. Records of
//! searches can be read by the user alone.
//!
//! Systems without the modes of POSIX have other rules, which directories pass on; nothing is
//! changed there.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Makes a directory for the user alone, and also the directories above it that are missing. An
/// existing directory becomes private if it belongs to the user.
///
/// # Errors
/// If the system refuses to make it.
pub fn make_private_directory(path: &Path) -> io::Result<()> {
    make_directory(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // A directory of another user, or on a file system without owners, stays unchanged.
        if fs::metadata(path)?.permissions().mode() & 0o077 != 0 {
            let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o700));
        }
    }
    Ok(())
}

/// Makes a directory for the user alone, and also the directories above it that are missing. An
/// existing directory does not change.
///
/// # Errors
/// If the system refuses.
pub fn make_directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// Returns options by which files are made that only the user may read.
pub fn private_file() -> OpenOptions {
    let options = &mut File::options();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.clone()
}

/// The permissions of group and others that all of some files have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared(u32);

impl Default for Shared {
    /// Returns all of them.
    fn default() -> Self {
        Self(0o066)
    }
}

impl Shared {
    /// Returns the permissions that these files also have. For a directory, only the permission to
    /// enter it counts. Missing files are ignored.
    pub fn and<'a>(self, paths: impl IntoIterator<Item = &'a Path>) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mut shared = self.0;
            for metadata in paths.into_iter().filter_map(|path| fs::metadata(path).ok()) {
                let mode = metadata.permissions().mode();
                shared &= match metadata.is_dir() {
                    true => (mode & 0o011) * 6,
                    false if metadata.is_file() => mode,
                    false => continue,
                };
            }
            Self(shared)
        }
        #[cfg(not(unix))]
        {
            let _ = paths;
            self
        }
    }

    /// Gives a file, or a directory and all below it, the permissions of this mode that `new` also
    /// has. `new` is a file that was just made. A file from an earlier build may have fewer
    /// permissions.
    ///
    /// # Errors
    /// If the system refuses to take permissions.
    pub fn apply(self, path: &Path, new: &Path) -> io::Result<()> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let given = fs::metadata(new)?.permissions().mode() & 0o666;
            for entry in walkdir::WalkDir::new(path) {
                let entry = entry?;
                if entry.path_is_symlink() {
                    continue;
                }
                let is_dir = entry.file_type().is_dir();
                let mode = entry.metadata()?.permissions().mode() & 0o7777;
                // A user who may read the files in a directory may also enter it.
                let shared = self.0 | if is_dir { self.0 >> 2 } else { 0 };
                let narrow = mode & (0o7700 | shared);
                let wanted = if is_dir { narrow } else { narrow | (given & shared) };
                if wanted == mode {
                    continue;
                }
                let permissions = fs::Permissions::from_mode(wanted);
                let set = fs::set_permissions(entry.path(), permissions.clone());
                if narrow == mode || set.is_ok() {
                    continue;
                }
                if is_dir {
                    set?;
                }
                // Only its owner may change a file that another user's build made. A copy of it
                // takes its place.
                let copy = entry.path().with_extension("private");
                let mut private = private_file().write(true).create_new(true).open(&copy)?;
                io::copy(&mut File::open(entry.path())?, &mut private)?;
                private.set_permissions(permissions)?;
                fs::rename(&copy, entry.path())?;
            }
        }
        #[cfg(not(unix))]
        let _ = (path, new);
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn set(path: &Path, mode: u32) -> &Path {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn the_narrowest_source_decides() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, mode: u32| -> PathBuf {
            let path = dir.path().join(name);
            fs::write(&path, name).unwrap();
            set(&path, mode).to_owned()
        };
        let (open, group, private) = (file("a", 0o644), file("b", 0o640), file("c", 0o600));
        let shared = |paths: &[&PathBuf]| Shared::default().and(paths.iter().map(|path| &***path));
        assert_eq!(shared(&[&open]), Shared(0o044));
        assert_eq!(shared(&[&open, &group]), Shared(0o040));
        assert_eq!(shared(&[&group, &private, &open]), Shared(0));
        set(dir.path(), 0o750);
        assert_eq!(Shared::default().and([dir.path()]), Shared(0o060));
        let out = dir.path().join("out");
        fs::create_dir(&out).unwrap();
        let made = out.join("shard");
        fs::write(&made, "x").unwrap();
        set(&made, 0o644);
        set(&out, 0o755);
        shared(&[&group]).apply(&out, &open).unwrap();
        assert_eq!((mode(&out), mode(&made)), (0o750, 0o640));
        shared(&[&private]).apply(&out, &open).unwrap();
        assert_eq!((mode(&out), mode(&made)), (0o700, 0o600));
        shared(&[&open]).apply(&out, &open).unwrap();
        assert_eq!(mode(&made), 0o644, "the sources are public again");
        set(dir.path(), 0o700);
    }

    #[test]
    fn private_directories_and_files_are_the_users_alone() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b");
        make_directory(&deep).unwrap();
        assert_eq!((mode(&dir.path().join("a")), mode(&deep)), (0o700, 0o700));
        set(&deep, 0o755);
        make_directory(&deep).unwrap();
        assert_eq!(mode(&deep), 0o755);
        make_private_directory(&deep).unwrap();
        assert_eq!(mode(&deep), 0o700);
        let path = deep.join("file");
        private_file().write(true).create(true).truncate(true).open(&path).unwrap();
        assert_eq!(mode(&path), 0o600);
    }
}

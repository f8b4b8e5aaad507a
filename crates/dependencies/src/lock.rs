//! Lock files: their names, and the packages that they pin.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use findling_base::regular_file;

use crate::error::Error;
use crate::formats::{Content, cargo, go, npm, pnpm, python, requirements, yarn};
use crate::package::{Ecosystem, Package};

/// Largest lock file that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Most packages of a lock file.
const MAX_PACKAGES: usize = 20_000;

/// The kind of a lock file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `Cargo.lock`.
    Cargo,
    /// `package-lock.json` and `npm-shrinkwrap.json`.
    Npm,
    /// `pnpm-lock.yaml`.
    Pnpm,
    /// `yarn.lock`.
    Yarn,
    /// `poetry.lock`.
    Poetry,
    /// `uv.lock`.
    Uv,
    /// `requirements.txt`, and other names that begin and end like it.
    Requirements,
    /// `go.sum`.
    Go,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Cargo,
        Self::Npm,
        Self::Pnpm,
        Self::Yarn,
        Self::Poetry,
        Self::Uv,
        Self::Requirements,
        Self::Go,
    ];

    /// Returns the usual name of the file.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Cargo => "Cargo.lock",
            Self::Npm => "package-lock.json",
            Self::Pnpm => "pnpm-lock.yaml",
            Self::Yarn => "yarn.lock",
            Self::Poetry => "poetry.lock",
            Self::Uv => "uv.lock",
            Self::Requirements => "requirements.txt",
            Self::Go => "go.sum",
        }
    }

    /// Returns the kind of a file by its name.
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        if name == "npm-shrinkwrap.json" {
            return Some(Self::Npm);
        }
        if name.starts_with("requirements") && name.ends_with(".txt") {
            return Some(Self::Requirements);
        }
        Self::ALL.into_iter().find(|kind| kind.file_name() == name)
    }

    /// Returns the registry of its packages.
    pub fn ecosystem(self) -> Ecosystem {
        match self {
            Self::Cargo => Ecosystem::Cargo,
            Self::Npm | Self::Pnpm | Self::Yarn => Ecosystem::Npm,
            Self::Poetry | Self::Uv | Self::Requirements => Ecosystem::Pypi,
            Self::Go => Ecosystem::Go,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.file_name())
    }
}

/// A lock file that was read.
#[derive(Clone, Debug)]
pub struct Lock {
    /// The file.
    pub path: PathBuf,
    /// The kind.
    pub kind: Kind,
    /// The packages, in order, each once. Packages of the project itself are left out.
    pub packages: Vec<Package>,
    /// Entries without a name and a version that a registry could have.
    pub refused: Vec<String>,
}

impl Lock {
    /// Reads a lock file, whose kind is known by its name.
    ///
    /// # Errors
    /// [`Error`] if the name is not known, or the file cannot be read or is of another form.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let unknown = || Error::UnknownName {
            path: path.to_owned(),
            names: Kind::ALL.map(Kind::file_name).join(", "),
        };
        let kind = Kind::of_path(path).ok_or_else(unknown)?;
        let bytes = regular_file::read(path, MAX_BYTES)
            .map_err(|source| Error::Unreadable { path: path.to_owned(), source })?;
        let malformed = |found: String| Error::Malformed {
            path: path.to_owned(),
            expected: kind.file_name(),
            found,
        };
        let text = String::from_utf8(bytes).map_err(|_| malformed("no UTF-8".to_owned()))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let directory = path.parent().unwrap_or(Path::new(""));
        let parsed = match kind {
            Kind::Cargo => cargo::parse(text),
            Kind::Npm => npm::parse(text),
            Kind::Pnpm => pnpm::parse(text),
            Kind::Yarn => yarn::parse(text),
            Kind::Poetry | Kind::Uv => python::parse(text),
            Kind::Requirements => requirements::parse(text, directory),
            Kind::Go => {
                let go_mod = regular_file::read(&directory.join("go.mod"), MAX_BYTES).ok();
                let go_mod = go_mod.and_then(|bytes| String::from_utf8(bytes).ok());
                go::parse(text, go_mod.as_deref())
            }
        };
        let Content { mut packages, refused } = parsed.map_err(malformed)?;
        packages.sort();
        packages.dedup_by(|a, b| a.label() == b.label());
        if packages.len() > MAX_PACKAGES {
            let (path, found) = (path.to_owned(), packages.len());
            return Err(Error::TooMany { path, most: MAX_PACKAGES, found });
        }
        Ok(Self { path: path.to_owned(), kind, packages, refused })
    }

    /// Returns the directory of the project.
    pub fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }
}

/// Returns the lock files in a directory, by their usual names.
pub fn lock_files(directory: &Path) -> Vec<PathBuf> {
    let paths = Kind::ALL.into_iter().map(|kind| directory.join(kind.file_name()));
    paths.filter(|path| fs::symlink_metadata(path).is_ok_and(|data| data.is_file())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_known_by_their_names() {
        for kind in Kind::ALL {
            assert_eq!(Kind::of_path(Path::new("a").join(kind.file_name()).as_path()), Some(kind));
        }
        assert_eq!(Kind::of_path(Path::new("requirements-dev.txt")), Some(Kind::Requirements));
        assert_eq!(Kind::of_path(Path::new("npm-shrinkwrap.json")), Some(Kind::Npm));
        assert_eq!(Kind::of_path(Path::new("Gemfile.lock")), None);
    }

    #[test]
    fn the_lock_of_this_repository_is_read() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
        let lock = Lock::read(&path).unwrap();
        assert!(lock.packages.len() > 300, "{}", lock.packages.len());
        assert!(lock.packages.iter().any(|package| package.name == "serde"));
        assert!(!lock.packages.iter().any(|package| package.name == "findling"));
        assert!(lock.refused.is_empty(), "{:?}", lock.refused);
    }

    #[test]
    fn damaged_files_say_what_is_wrong() {
        let directory = tempfile::tempdir().unwrap();
        for kind in Kind::ALL {
            let path = directory.path().join(kind.file_name());
            assert!(matches!(Lock::read(&path), Err(Error::Unreadable { .. })), "{kind}");
            for bytes in [&b"\xff\xfe"[..], b"{{{ ]]]\n\x01 \x02"] {
                fs::write(&path, bytes).unwrap();
                let read = Lock::read(&path);
                // Every line of text is a requirement, or is refused.
                let is_refused = read.as_ref().is_ok_and(|lock| lock.packages.is_empty());
                assert!(is_refused || matches!(read, Err(Error::Malformed { .. })), "{kind}");
            }
        }
        assert_eq!(lock_files(directory.path()).len(), Kind::ALL.len());
        let other = directory.path().join("notes.txt");
        assert!(matches!(Lock::read(&other), Err(Error::UnknownName { .. })));
    }
}

//! Errors of lock files.

use std::io;
use std::path::PathBuf;

/// The reason why a lock file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that is no lock file, by its name.
    #[error(
        "{}: expected a lock file ({names}), found another name", path.display()
    )]
    UnknownName {
        /// The file.
        path: PathBuf,
        /// The names that are known.
        names: String,
    },
    /// A file that cannot be read.
    #[error("{}: the lock file cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file of another form.
    #[error("{}: expected {expected}, found {found}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The form.
        expected: &'static str,
        /// The finding, in one line.
        found: String,
    },
    /// More packages than a project has.
    #[error("{}: expected at most {most} packages, found {found}", path.display())]
    TooMany {
        /// The file.
        path: PathBuf,
        /// The limit.
        most: usize,
        /// The number of packages.
        found: usize,
    },
}

impl Error {
    /// Returns the stable code of the error, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownName { .. } => "unknown-lock",
            Self::Unreadable { .. } => "unreadable-lock",
            Self::Malformed { .. } | Self::TooMany { .. } => "bad-lock",
        }
    }
}

//! Errors of collections, with remedies.

use std::io;
use std::path::{Path, PathBuf};

use super::lock::Owner;

/// An error that keeps a collection from being found, changed or built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Not a name that can be a directory on every system.
    #[error(
        "expected a collection's name of lower-case letters, digits, `-`, `_` and `.`, beginning \
         with a letter or digit and at most {} long, found `{}`",
        super::name::MAX_LEN,
        name.escape_debug()
    )]
    BadName {
        /// The name that was given.
        name: String,
    },
    /// Not a kind of source.
    #[error(
        "expected a kind of source, one of {}, found `{}`",
        super::kind::names(),
        kind.escape_debug()
    )]
    BadKind {
        /// The kind that was given.
        kind: String,
    },
    /// The new name is taken.
    #[error(
        "expected a new name, found that a collection `{name}` exists: bring it up to date with \
         `findling sync {name}`, choose another name, or remove it with `findling collection \
         remove {name}`"
    )]
    Exists {
        /// The name.
        name: String,
    },
    /// No collection of this name.
    #[error(
        "expected the name of a collection, found `{}`{}",
        name.escape_debug(),
        suggestion(near)
    )]
    Unknown {
        /// The name asked for.
        name: String,
        /// Names like it.
        near: Vec<String>,
    },
    /// A typed name that several collections fit.
    #[error(
        "expected the name of one collection, found `{}`, which fits {}: write the exact name",
        name.escape_debug(),
        candidates.join(" or ")
    )]
    Ambiguous {
        /// The typed name.
        name: String,
        /// The collections.
        candidates: Vec<String>,
    },
    /// Registered, but without a bundle.
    #[error(
        "expected a bundle of the collection `{name}`, found none yet: run `findling sync {name}`"
    )]
    NotBuilt {
        /// The collection.
        name: String,
    },
    /// Vectors that the bundle does not have.
    #[error(
        "{given}: expected the name of vectors that it has, one of {}, found `{name}`: a \
         collection gets further vectors by `vectors` in the registry and `findling sync`",
        known.join(", ")
    )]
    UnknownVectors {
        /// The target.
        given: String,
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A name for vectors that is taken, or not `NAME=ENCODER`.
    #[error(
        "expected further vectors as NAME=ENCODER, such as more=all-minilm-l6-v2, with a name \
         other than `{}`, found `{}`",
        super::vectors::DEFAULT_VECTORS,
        found.escape_debug()
    )]
    BadVectors {
        /// The text that was given.
        found: String,
    },
    /// A bundle that its collection's directory names is not there.
    #[error(
        "{}: expected the bundle of the collection `{name}`, found none: run `findling sync \
         {name}`",
        path.display()
    )]
    BundleGone {
        /// The collection.
        name: String,
        /// The expected path of the bundle.
        path: PathBuf,
    },
    /// A collection without sources.
    #[error(
        "the collection `{name}` was imported and has no sources to read: add `paths` to it in \
         {}, or import a newer file",
        registry.display()
    )]
    NoSources {
        /// The collection.
        name: String,
        /// The registry.
        registry: PathBuf,
    },
    /// The registry is not valid.
    #[error(
        "{}:{line}: the registry of collections is damaged: {reason}; correct the file",
        path.display()
    )]
    Registry {
        /// The registry.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The value that was expected, and the one found.
        reason: String,
    },
    /// Another process is at work on it.
    #[error("{what} is in use by {owner}: wait until it ends and try again")]
    Busy {
        /// The collection or the registry.
        what: String,
        /// The process that holds the lock.
        owner: Owner,
    },
    /// A source that is not there: a drive that is not mounted, a directory that was moved.
    #[error(
        "found no source {} of the collection `{name}` ({reason}): mount or restore it, or change \
         `paths` in {}; the last bundle stays in use",
        path.display(),
        registry.display()
    )]
    MissingSource {
        /// The collection.
        name: String,
        /// The source.
        path: PathBuf,
        /// The system's reason.
        reason: String,
        /// The registry.
        registry: PathBuf,
    },
    /// A source that had files and has none.
    #[error(
        "expected files in {}, of which the collection `{name}` has {n_before}, found none: is a \
         drive not mounted? `findling sync {name} --allow-empty` removes them from the collection; \
         the last bundle stays in use",
        path.display()
    )]
    Emptied {
        /// The collection.
        name: String,
        /// The source.
        path: PathBuf,
        /// Files of the source in the last bundle.
        n_before: usize,
    },
    /// A lock file that cannot be used.
    #[error(transparent)]
    Lock(#[from] findling_dependencies::Error),
    /// Lock files, none of whose packages is on this disk.
    #[error(
        "expected packages of {} on this disk, found none of {n_missing}: install or fetch them \
         with the project's package manager; the last bundle stays in use",
        listed(locks)
    )]
    NoPackages {
        /// The lock files.
        locks: Vec<PathBuf>,
        /// The number of packages in them.
        n_missing: usize,
    },
    /// A path that TOML cannot hold.
    #[error("expected a path in UTF-8, found {}: rename it", path.display())]
    NotUtf8 {
        /// The path.
        path: PathBuf,
    },
    /// No directory for data.
    #[error(
        "expected a home directory for collections, found none: set FINDLING_HOME to a directory"
    )]
    NoHome,
    /// The file system refused.
    #[error("{} cannot be {action}: {source}", path.display())]
    Io {
        /// `read`, `written`, `locked`, `removed`.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl Error {
    /// Returns a stable word for the kind of error, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::BadName { .. } => "bad-name",
            Error::BadKind { .. } => "bad-kind",
            Error::Exists { .. } => "exists",
            Error::Unknown { .. } => "unknown",
            Error::Ambiguous { .. } => "ambiguous",
            Error::NotBuilt { .. } => "not-built",
            Error::UnknownVectors { .. } => "unknown-vectors",
            Error::BadVectors { .. } => "bad-vectors",
            Error::BundleGone { .. } => "bundle-gone",
            Error::NoSources { .. } => "no-sources",
            Error::Registry { .. } => "registry",
            Error::Busy { .. } => "busy",
            Error::MissingSource { .. } => "missing-source",
            Error::Emptied { .. } => "emptied",
            Error::Lock(error) => error.code(),
            Error::NoPackages { .. } => "no-packages",
            Error::NotUtf8 { .. } => "not-utf8",
            Error::NoHome => "no-home",
            Error::Io { .. } => "io",
        }
    }

    /// Returns a function for `map_err`, where `path` could not be read, written, locked or
    /// removed.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}

fn listed(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn suggestion(near: &[String]) -> String {
    match near {
        [] => "; `findling collection list` lists all".to_owned(),
        near => format!("; similar ones are {}", near.join(", ")),
    }
}

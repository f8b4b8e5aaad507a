//! Errors of parts, with remedies.

use std::io;
use std::path::PathBuf;

/// An error of reading or joining parts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be read.
    #[error("{}: the part cannot be read", path.display())]
    Read {
        /// The part.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is not a part.
    #[error(
        "{}: expected a part of a build, found another file",
        path.display()
    )]
    NotAPart {
        /// The file.
        path: PathBuf,
    },
    /// The part is incomplete or changed.
    #[error(
        "{}: the part is damaged ({what}): copy it again, or build the part again",
        path.display()
    )]
    Damaged {
        /// The part.
        path: PathBuf,
        /// The damaged place.
        what: &'static str,
    },
    /// Written by another version.
    #[error(
        "{}: expected a part of findling {expected}, found one of {found}: build all parts and \
         merge them with the same version",
        path.display()
    )]
    Version {
        /// The part.
        path: PathBuf,
        /// The version of this program.
        expected: String,
        /// The version that wrote it.
        found: String,
    },
    /// Built from other files.
    #[error(
        "expected parts of the same inputs, found that {} has files of other names or sizes than \
         {}: build both parts from the same files",
        path.display(),
        first.display()
    )]
    Inputs {
        /// The part.
        path: PathBuf,
        /// The part that it is compared with.
        first: PathBuf,
    },
    /// Built with other options.
    #[error(
        "expected parts with the same options, found {name} {found} in {} and {expected} in {}: \
         build both parts with the same options",
        path.display(),
        first.display()
    )]
    Settings {
        /// The part.
        path: PathBuf,
        /// The part that it is compared with.
        first: PathBuf,
        /// The option that differs.
        name: String,
        /// The value in the first part.
        expected: String,
        /// The value in this part.
        found: String,
    },
    /// Not all parts.
    #[error("expected all {of} parts, found none for {}: add them", missing(numbers, *of))]
    Missing {
        /// The numbers of parts that are missing.
        numbers: Vec<u32>,
        /// Number of parts.
        of: u32,
    },
    /// The same part twice.
    #[error(
        "expected each part once, found part {number}/{of} in {} and in {}: leave one out",
        first.display(),
        path.display()
    )]
    Twice {
        /// The part.
        path: PathBuf,
        /// The part that it is compared with.
        first: PathBuf,
        /// The number.
        number: u32,
        /// Number of parts.
        of: u32,
    },
    /// The vectors cannot be kept while the bundle is built.
    #[error("the vectors of the parts cannot be kept in a temporary file")]
    Keep(#[source] io::Error),
    /// Vectors of another model.
    #[error(
        "{}: expected vectors of the model that is installed here, found those of another version \
         of it: install the same model on every machine",
        path.display()
    )]
    Model {
        /// The part.
        path: PathBuf,
    },
}

/// Maximum number of numbers that a message names.
const MAX_NAMED: usize = 8;

fn missing(numbers: &[u32], of: u32) -> String {
    let named: Vec<String> =
        numbers.iter().take(MAX_NAMED).map(|number| format!("{number}/{of}")).collect();
    match numbers.len().saturating_sub(MAX_NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

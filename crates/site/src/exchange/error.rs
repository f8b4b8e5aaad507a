//! Errors of tables, with remedies.

use std::io;
use std::path::PathBuf;

use findling_read::rows::RowError;

/// An error of reading or writing a table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Tables and sources together.
    #[error(
        "expected only tables beside tables, found {}: build from sources or from tables",
        path.display()
    )]
    Sources {
        /// An input that is no table.
        path: PathBuf,
    },
    /// The vectors cannot be kept while the bundle is built.
    #[error("the vectors cannot be kept")]
    Keep(#[source] io::Error),
    /// The file cannot be read.
    #[error("{}: the table cannot be read", path.display())]
    Read {
        /// The table.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Not Parquet, cut off or changed.
    #[error(
        "{}: expected a Parquet file that is whole, found a damaged one: {reason}",
        path.display()
    )]
    Damaged {
        /// The table.
        path: PathBuf,
        /// The reader's message.
        reason: String,
    },
    /// A table of something else.
    #[error(
        "{}: expected a table of sections (columns `page` and `text`) or of vectors (columns \
         `vector` and `model`), found the columns {found}",
        path.display()
    )]
    Kind {
        /// The table.
        path: PathBuf,
        /// Names of its columns.
        found: String,
    },
    /// A column is missing.
    #[error("{}: expected a column {expected}, found none: add it", path.display())]
    Missing {
        /// The table.
        path: PathBuf,
        /// The name.
        expected: &'static str,
    },
    /// A column has another type.
    #[error(
        "{}: expected {expected} in the column `{column}`, found {found}: cast it",
        path.display()
    )]
    Type {
        /// The table.
        path: PathBuf,
        /// The name.
        column: &'static str,
        /// The type it should have.
        expected: &'static str,
        /// The type it has.
        found: String,
    },
    /// An impossible value.
    #[error("{}, row {row}: expected {expected} in `{column}`, found {found}", path.display())]
    Value {
        /// The table.
        path: PathBuf,
        /// From 0.
        row: u64,
        /// The column.
        column: &'static str,
        /// The values that are allowed.
        expected: String,
        /// The value of the row.
        found: String,
    },
    /// Rows that are not pages.
    #[error("{}", path.display())]
    Rows {
        /// The table, or the first of several.
        path: PathBuf,
        /// The rows' error.
        source: RowError,
    },
    /// Vectors of another model.
    #[error(
        "{}, row {row}: expected vectors of the model {name} ({expected}), found those of another \
         one ({found}): build with the encoder that made them, or embed the texts again",
        path.display()
    )]
    Model {
        /// The table.
        path: PathBuf,
        /// From 0.
        row: u64,
        /// The name of this model.
        name: String,
        /// The fingerprint.
        expected: String,
        /// The fingerprint in the table.
        found: String,
    },
    /// Sections that were read in different ways.
    #[error(
        "{}: expected sections that were read with the options {expected}, found {found}: split \
         all files with the same options",
        path.display()
    )]
    Options {
        /// The table.
        path: PathBuf,
        /// The options of the rows before.
        expected: String,
        /// The options of this row.
        found: String,
    },
    /// The program was built without Parquet.
    #[error(
        "{}: tables need Parquet, which this program was compiled without: install one with the \
         feature `parquet`",
        path.display()
    )]
    #[cfg(not(feature = "parquet"))]
    NoParquet {
        /// The table.
        path: PathBuf,
    },
}

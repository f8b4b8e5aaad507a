//! Stubs for a program without Parquet: errors if there are tables.

use std::io;
use std::path::{Path, PathBuf};

use findling_bundle::EncoderCard;
use findling_index::embedding::Cache;
use findling_index::embedding::cache::Key;
use findling_read::rows::Row;

use super::error::Error;

/// Tables by their contents.
#[derive(Debug, Default)]
pub struct Tables {
    /// Tables of sections.
    pub sections: Vec<PathBuf>,
    /// Tables of vectors.
    pub vectors: Vectors,
}

impl Tables {
    /// Refuses tables.
    ///
    /// # Errors
    /// Always.
    pub fn open(paths: Vec<PathBuf>) -> Result<Self, Error> {
        Err(Error::NoParquet { path: paths.into_iter().next().unwrap_or_default() })
    }
}

/// Tables of vectors.
#[derive(Debug, Default)]
pub struct Vectors;

impl Vectors {
    /// Returns whether there are no tables.
    pub fn is_empty(&self) -> bool {
        true
    }

    /// Returns the tables.
    pub fn paths(&self) -> &[PathBuf] {
        &[]
    }

    /// Opens a cache without vectors.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn cache(self, directory: &Path, card: &EncoderCard) -> Result<Cache, Error> {
        Cache::open(directory, card).map_err(Error::Keep)
    }
}

/// Refuses tables.
///
/// # Errors
/// If there is a table.
pub fn read_sections(
    paths: &[PathBuf],
    _: impl FnMut(&Path, Row) -> Result<bool, Error>,
) -> Result<(), Error> {
    match paths.first() {
        Some(path) => Err(Error::NoParquet { path: path.clone() }),
        None => Ok(()),
    }
}

fn refused(path: &Path) -> io::Error {
    io::Error::other(Error::NoParquet { path: path.to_owned() })
}

/// Refuses to write.
///
/// # Errors
/// Always.
pub fn write_sections(path: &Path, _: &[Row]) -> io::Result<u64> {
    Err(refused(path))
}

/// Refuses to write.
///
/// # Errors
/// Always.
pub fn write_vectors(path: &Path, _: &EncoderCard, _: &[Key], _: &mut Cache) -> io::Result<u64> {
    Err(refused(path))
}

//! Targets: what commands that read a bundle are given. A path, or the name of a collection.

use std::path::{Path, PathBuf};

use anyhow::Result;
use findling_bundle::entry;

use super::error::Error;
use super::generation::{Generations, Held};
use super::name::Name;
use super::registry::{Home, Registry};
use crate::bundle_files::SINGLE_FILE;

/// Whether a directory is a bundle.
fn is_bundle(path: &Path) -> bool {
    path.join(entry::FILE_NAME).is_file() || path.join(SINGLE_FILE).is_file()
}

/// A bundle that a command was given.
#[derive(Debug)]
pub struct Target {
    path: PathBuf,
    /// Keeps a sync from removing the bundle while it is read.
    _held: Option<Held>,
}

impl Target {
    /// Finds the bundle: the one at this path, otherwise that of the collection of this name. A
    /// directory that is no bundle does not hide a collection: it is often the collection's source.
    ///
    /// # Errors
    /// If there is neither; the error names collections that are spelled alike. If the collection
    /// has no bundle yet.
    pub fn find(given: &Path) -> Result<Self> {
        let exists = given.symlink_metadata().is_ok();
        let at_path = || Ok(Self { path: given.to_owned(), _held: None });
        if given.is_file() || is_bundle(given) {
            return at_path();
        }
        let name: Option<Name> = given.to_str().and_then(|text| text.parse().ok());
        let Some(name) = name else {
            // Opening it tells what is missing.
            return at_path();
        };
        match Self::of_collection(&Home::default_location()?, &name) {
            Err(Error::Unknown { .. }) if exists => at_path(),
            Err(error @ Error::Unknown { .. }) => Err(anyhow::Error::new(error).context(format!(
                "expected a bundle or the name of a collection, found neither a file nor a \
                 collection `{name}`"
            ))),
            outcome => Ok(outcome?),
        }
    }

    /// The bundle of a collection.
    ///
    /// # Errors
    /// [`Error::Unknown`], [`Error::NotBuilt`], [`Error::BundleGone`].
    pub fn of_collection(home: &Home, name: &Name) -> Result<Self, Error> {
        let registry = Registry::read(home)?;
        let settings = registry.get(name)?;
        let generations = Generations::new(home.directory(name, settings));
        let held = generations.hold()?.ok_or_else(|| Error::NotBuilt { name: name.to_string() })?;
        let path = held.generation().bundle();
        if !path.is_dir() {
            return Err(Error::BundleGone { name: name.to_string(), path });
        }
        Ok(Self { path, _held: Some(held) })
    }

    /// The bundle's path. It stays there as long as this value lives.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

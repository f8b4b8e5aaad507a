//! Locations from which bundles are opened.

use std::path::{Path, PathBuf};

use super::address::Address;
use super::copy_layout::CopyLayout;

/// The location of a bundle: a path, or a copy from a site.
///
/// A path never leads to a network, whatever files are there. Only [`super::copy`] makes the
/// location of a copy, from the address that a person gave.
#[derive(Clone, Debug)]
pub struct Location {
    pub(super) path: PathBuf,
    pub(super) copy: Option<Copied>,
}

/// The copy of a site's bundle.
#[derive(Clone, Debug)]
pub(super) struct Copied {
    /// The address, as the user gave it.
    pub given: Address,
    /// The entry file, or the single file.
    pub url: Address,
    pub layout: CopyLayout,
}

impl Location {
    /// Returns the bundle's path on this machine.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl<P: AsRef<Path> + ?Sized> From<&P> for Location {
    fn from(path: &P) -> Self {
        Self { path: path.as_ref().to_owned(), copy: None }
    }
}

impl From<PathBuf> for Location {
    fn from(path: PathBuf) -> Self {
        Self { path, copy: None }
    }
}

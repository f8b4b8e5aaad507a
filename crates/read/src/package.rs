//! Packages that a project depends on, whose files are read.

use std::path::PathBuf;
use std::sync::Arc;

/// A package of a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The registry: `cargo`, `npm`, `pypi` or `go`.
    pub ecosystem: String,
    /// The name.
    pub name: String,
    /// The version.
    pub version: String,
}

/// A file of a package.
#[derive(Clone, Debug)]
pub struct PackageFile {
    /// The package.
    pub package: Arc<Package>,
    /// The id of its page, which begins with the name and the version of the package.
    pub id: String,
    /// The file.
    pub path: PathBuf,
}

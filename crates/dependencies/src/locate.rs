//! Where the packages of lock files are on this disk.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::cargo_sources::CargoSources;
use crate::contents::{Contents, of_directory, of_list};
use crate::lock::Lock;
use crate::module_cache;
use crate::node_modules::NodeModules;
use crate::package::{Ecosystem, Package};
use crate::places::Places;
use crate::site_packages::SitePackages;

/// A package that is on this disk.
#[derive(Clone, Debug)]
pub struct Found {
    /// The package. One without a pinned version has the version that is installed.
    pub package: Package,
    /// The directory that the files are relative to. Distributions of Python share one.
    pub root: PathBuf,
    /// The files, if they are listed.
    listed: Option<Vec<PathBuf>>,
}

impl Found {
    /// Returns the files to read: sources, declarations and documents, without tests, examples and
    /// copies of other packages.
    pub fn contents(&self) -> Contents {
        match &self.listed {
            Some(files) => of_list(self.package.ecosystem, files),
            None => of_directory(self.package.ecosystem, &self.root),
        }
    }

    /// Returns whether other packages have files in the same directory.
    pub fn shares_root(&self) -> bool {
        self.listed.is_some()
    }

    /// Returns the path of one of its files as a part of the package: `serde@1.0.219/src/lib.rs`.
    pub fn id(&self, file: &Path) -> String {
        let file = file.iter().map(|name| name.to_string_lossy()).collect::<Vec<_>>().join("/");
        format!("{}/{file}", self.package.label())
    }
}

/// A package that is not on this disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The package.
    pub package: Package,
}

impl Missing {
    /// Returns why it is missing and what to do.
    pub fn reason(&self) -> &'static str {
        if self.package.is_optional {
            return "is optional, and not installed";
        }
        match self.package.ecosystem {
            Ecosystem::Cargo => "is not on this disk; `cargo fetch` fetches it",
            Ecosystem::Npm => "is not in node_modules beside the lock file; install the packages",
            Ecosystem::Pypi => {
                "is in no environment that is known; create .venv beside the lock file, or name \
                 the environment with --environment"
            }
            Ecosystem::Go => "is not in the module cache; `go mod download` fetches it",
        }
    }
}

/// The packages of lock files.
#[derive(Clone, Debug, Default)]
pub struct Located {
    /// The packages on this disk, in the order of the lock files, each once.
    pub found: Vec<Found>,
    /// The packages that are not on this disk.
    pub missing: Vec<Missing>,
}

/// Looks for the packages of lock files. Nothing is fetched, and no package manager runs.
pub fn locate(locks: &[Lock], places: &Places) -> Located {
    let mut located = Located::default();
    let mut seen = BTreeSet::new();
    for lock in locks {
        let directory = lock.directory();
        let mut finder = Finder::new(lock.kind.ecosystem(), directory, places);
        for package in &lock.packages {
            if !seen.insert((package.ecosystem, package.label())) {
                continue;
            }
            match finder.find(package) {
                // An installed version may be pinned by another lock file.
                Some(found) if found.package.label() != package.label() => {
                    if seen.insert((package.ecosystem, found.package.label())) {
                        located.found.push(found);
                    }
                }
                Some(found) => located.found.push(found),
                None => located.missing.push(Missing { package: package.clone() }),
            }
        }
    }
    located
}

/// The directories of one ecosystem.
enum Finder<'a> {
    Cargo(CargoSources),
    Npm(NodeModules),
    Pypi(SitePackages<'a>),
    Go(&'a Places),
}

impl<'a> Finder<'a> {
    fn new(ecosystem: Ecosystem, directory: &Path, places: &'a Places) -> Self {
        match ecosystem {
            Ecosystem::Cargo => Self::Cargo(CargoSources::new(directory, places)),
            Ecosystem::Npm => Self::Npm(NodeModules::new(directory)),
            Ecosystem::Pypi => Self::Pypi(SitePackages::new(directory, places)),
            Ecosystem::Go => Self::Go(places),
        }
    }

    fn find(&mut self, package: &Package) -> Option<Found> {
        let found = |root| Found { package: package.clone(), root, listed: None };
        match self {
            Self::Cargo(sources) => sources.find(package).map(found),
            Self::Npm(modules) => modules.find(package).map(found),
            Self::Go(places) => module_cache::find(package, places).map(found),
            Self::Pypi(sites) => {
                let (package, root, files) = sites.find(package)?;
                Some(Found { package, root, listed: Some(files) })
            }
        }
    }
}

#[cfg(test)]
mod tests;

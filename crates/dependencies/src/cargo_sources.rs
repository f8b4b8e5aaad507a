//! Crates on this disk: the sources that Cargo unpacked, its checkouts, and a `vendor` directory.

use std::path::{Path, PathBuf};

use findling_base::small_file;
use walkdir::WalkDir;

use crate::package::Package;
use crate::places::{Places, directories, is_directory};

/// Deepest place of a crate in a repository.
const MAX_DEPTH: usize = 4;

/// Most entries of a repository that are looked at.
const MAX_ENTRIES: usize = 20_000;

/// Length of the short form of a commit, which Cargo's checkouts are called by.
const SHORT_COMMIT: usize = 7;

/// The directories where crates may be.
pub(crate) struct CargoSources {
    /// `registry/src/index.crates.io-…`.
    registries: Vec<PathBuf>,
    /// `git/checkouts/name-hash`.
    checkouts: Vec<PathBuf>,
    vendor: PathBuf,
}

impl CargoSources {
    /// Looks for the directories for the project in `directory`.
    pub fn new(directory: &Path, places: &Places) -> Self {
        let below = |path: &str| {
            places.cargo_homes.iter().flat_map(|home| directories(&home.join(path))).collect()
        };
        Self {
            registries: below("registry/src"),
            checkouts: below("git/checkouts"),
            vendor: directory.join("vendor"),
        }
    }

    /// Returns the directory of a crate.
    pub fn find(&self, package: &Package) -> Option<PathBuf> {
        let versioned = format!("{}-{}", package.name, package.version);
        let vendored = || {
            let paths = is_directory(&self.vendor).then_some([&versioned, &package.name]);
            let mut paths = paths.into_iter().flatten().map(|name| self.vendor.join(name));
            paths.find(|path| is_directory(path) && is_of(path, &package.name, &package.version))
        };
        match &package.commit {
            Some(commit) => self.checkout(&package.name, commit).or_else(vendored),
            None => {
                let mut paths = self.registries.iter().map(|registry| registry.join(&versioned));
                paths.find(|path| is_directory(path)).or_else(vendored)
            }
        }
    }

    /// Returns the directory of a crate in the checkout of a commit.
    fn checkout(&self, name: &str, commit: &str) -> Option<PathBuf> {
        let short = commit.get(..SHORT_COMMIT)?;
        if !short.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let trees = self.checkouts.iter().map(|repository| repository.join(short));
        trees.filter(|tree| is_directory(tree)).find_map(|tree| {
            let entries = WalkDir::new(tree).max_depth(MAX_DEPTH).sort_by_file_name();
            let mut entries = entries.into_iter().flatten().take(MAX_ENTRIES);
            let manifest = entries.find(|entry| {
                let directory = entry.path().parent();
                entry.file_type().is_file()
                    && entry.file_name() == "Cargo.toml"
                    && directory.is_some_and(|directory| is_of(directory, name, ""))
            })?;
            manifest.path().parent().map(Path::to_owned)
        })
    }
}

/// Returns whether a directory is the one of a crate, by its manifest. An empty version is any.
fn is_of(directory: &Path, name: &str, version: &str) -> bool {
    let manifest = small_file::text(&directory.join("Cargo.toml"));
    let manifest = manifest.and_then(|text| text.parse::<toml::Table>().ok());
    let Some(package) = manifest.as_ref().and_then(|manifest| manifest.get("package")) else {
        return false;
    };
    let is = |key: &str, value: &str| package.get(key).and_then(|it| it.as_str()) == Some(value);
    is("name", name) && (version.is_empty() || is("version", version))
}

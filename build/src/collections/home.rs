//! Directories of Findling on this machine: all in `$FINDLING_HOME` if that is set, otherwise each
//! in the platform's directory for its purpose.

use std::path::{Path, PathBuf};

use directories::ProjectDirs;

use super::error::Error;
use super::name::Name;
use super::settings::Settings;

/// The directory of all collections.
#[derive(Clone, Debug)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// Collections in `root`, which need not exist yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Returns `$FINDLING_HOME`, or `findling` in the platform's directory for data.
    ///
    /// # Errors
    /// [`Error::NoHome`] where there is neither.
    pub fn default_location() -> Result<Self, Error> {
        match chosen()? {
            Some(home) => Ok(home),
            None => Ok(Self::new(platform()?.data_dir())),
        }
    }

    /// Returns the directory of the copies of sites' bundles: `sites` in `$FINDLING_HOME`, or in
    /// the platform's directory for caches.
    ///
    /// # Errors
    /// [`Error::NoHome`] where there is neither.
    pub fn copies_of_sites() -> Result<PathBuf, Error> {
        beside("sites", |platform| Some(platform.cache_dir().join("sites")))
    }

    /// Returns the directory of the indexes of directories that are no collections: `directories`
    /// in `$FINDLING_HOME`, or in the platform's directory for caches.
    ///
    /// # Errors
    /// [`Error::NoHome`] where there is neither.
    pub fn directories() -> Result<PathBuf, Error> {
        beside("directories", |platform| Some(platform.cache_dir().join("directories")))
    }

    /// Returns the directory of the state that programs at the terminal keep between runs: `state`
    /// in `$FINDLING_HOME`, or the platform's directory for state. A platform without one keeps it
    /// beside the collections.
    ///
    /// # Errors
    /// [`Error::NoHome`] where there is neither.
    pub fn state() -> Result<PathBuf, Error> {
        beside("state", |platform| platform.state_dir().map(Path::to_owned))
    }

    /// Returns whether collections are found here by their names.
    pub fn is_default(&self) -> bool {
        Self::default_location().is_ok_and(|home| home.root == self.root)
    }

    /// Returns the directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the registry's file.
    pub fn registry(&self) -> PathBuf {
        self.root.join("collections.toml")
    }

    /// Returns the file of the lock of changes of the registry.
    pub(super) fn registry_lock(&self) -> PathBuf {
        self.root.join("collections.lock")
    }

    /// Returns the directory of what collections of dependencies share: packages that were parsed.
    pub fn packages(&self) -> PathBuf {
        self.root.join("packages")
    }

    /// Returns the directory that holds one directory for each collection.
    pub fn collections(&self) -> PathBuf {
        self.root.join("collections")
    }

    /// Returns the directory of one collection.
    pub fn directory(&self, name: &Name, settings: &Settings) -> PathBuf {
        self.collections().join(settings.directory.as_ref().unwrap_or(name).as_str())
    }

    /// Returns whether something lies where collections are kept: changes there come from here.
    pub fn holds(&self, path: &Path) -> bool {
        path.starts_with(self.collections()) || path.parent() == Some(&self.root)
    }
}

/// Reads `$FINDLING_HOME`; `None` where it is not set.
fn chosen() -> Result<Option<Home>, Error> {
    let home = std::env::var_os("FINDLING_HOME").filter(|home| !home.is_empty());
    let absolute = home.map(std::path::absolute).transpose().map_err(|_| Error::NoHome)?;
    Ok(absolute.map(Home::new))
}

fn platform() -> Result<ProjectDirs, Error> {
    ProjectDirs::from("", "", "findling").ok_or(Error::NoHome)
}

/// Returns a directory of the platform. If the platform has none, or everything is in
/// `$FINDLING_HOME`, it is `name` next to the collections.
fn beside(
    name: &str,
    of_platform: impl FnOnce(&ProjectDirs) -> Option<PathBuf>,
) -> Result<PathBuf, Error> {
    if let Some(home) = chosen()? {
        return Ok(home.root.join(name));
    }
    let platform = platform()?;
    Ok(of_platform(&platform).unwrap_or_else(|| platform.data_dir().join(name)))
}

//! Targets: the arguments of commands that read a bundle. A path, the name of a collection, or the
//! address of a site's bundle.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use findling_bundle::entry;

use super::error::Error;
use super::freshness::{Freshness, freshness};
use super::generation::{Generations, Held};
use super::home::Home;
use super::kind::Kind;
use super::lock::Lock;
use super::name::Name;
use super::package_root::PackageRoot;
use super::registry::Registry;
use super::settings::Settings;
use super::state::State;
use super::vectors::DEFAULT_VECTORS;
use crate::bundle_files::{Location, SINGLE_FILE, WebCopy, copy, is_address};

/// Returns whether a text is a path rather than a name.
fn is_path(text: &str) -> bool {
    text.contains(['/', '\\']) || text.starts_with('.')
}

/// Returns whether a directory is a bundle.
fn is_bundle(path: &Path) -> bool {
    path.join(entry::FILE_NAME).is_file() || path.join(SINGLE_FILE).is_file()
}

/// A bundle that a command was given.
#[derive(Debug)]
pub struct Target {
    given: String,
    path: PathBuf,
    collection: Option<Collection>,
    /// The name of the vectors, if they are not the first ones.
    vectors: Option<Name>,
    /// The copy of a site's bundle. No file of it is removed while it is read.
    copy: Option<WebCopy>,
}

/// A collection that a target names.
#[derive(Debug)]
struct Collection {
    home: Home,
    name: Name,
    settings: Settings,
    /// Keeps a sync from removing the bundle while it is read.
    held: Held,
}

impl Target {
    /// Finds the bundle at this address or path, or else the bundle of the collection with this
    /// name ([`Registry::find`]). A directory that is not a bundle does not hide a collection: it
    /// is often the collection's source.
    ///
    /// # Errors
    /// If there is none; the error names collections that are spelled alike. If several
    /// collections fit. If the collection has no bundle yet. [`crate::bundle_files::WebError`] of a
    /// site's bundle.
    pub fn find(given: &Path) -> Result<Self> {
        if let Some(address) = given.to_str().filter(|text| is_address(text)) {
            return Self::of_site(address);
        }
        let exists = given.symlink_metadata().is_ok();
        let at_path = || {
            let text = given.to_string_lossy().into_owned();
            Ok(Self { path: given.to_owned(), ..Self::named(text) })
        };
        if given.is_file() || is_bundle(given) {
            return at_path();
        }
        let Some(text) = given.to_str().filter(|text| !is_path(text)) else {
            // Opening it reports what is missing.
            return at_path();
        };
        let home = Home::default_location()?;
        match Registry::read(&home)?.find(text) {
            Ok(name) => Ok(Self::of_collection(&home, name)?),
            Err(Error::Unknown { .. }) if exists => at_path(),
            Err(error @ Error::Unknown { .. }) => Err(anyhow::Error::new(error).context(format!(
                "expected a bundle or the name of a collection, found neither a file nor a \
                 collection `{}`",
                text.escape_debug()
            ))),
            Err(error) => Err(error.into()),
        }
    }

    fn named(given: String) -> Self {
        Self { given, path: PathBuf::new(), collection: None, vectors: None, copy: None }
    }

    /// Returns the copy of a site's bundle.
    fn of_site(address: &str) -> Result<Self> {
        let copy = copy(address, &Home::copies_of_sites()?)?;
        let path = copy.directory.clone();
        Ok(Self { path, copy: Some(copy), ..Self::named(address.to_owned()) })
    }

    /// Returns the bundle of a collection.
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
        let (home, settings) = (home.clone(), settings.clone());
        let collection = Collection { home, name: name.clone(), settings, held };
        Ok(Self { path, collection: Some(collection), ..Self::named(name.to_string()) })
    }

    /// Returns the same target with other vectors.
    ///
    /// # Errors
    /// [`Error::UnknownVectors`] with the existing ones.
    pub fn with_vectors(self, name: &Name) -> Result<Self, Error> {
        if name.as_str() == DEFAULT_VECTORS {
            return Ok(self);
        }
        let path = self.collection.as_ref().map(|of| of.held.generation().vectors(name));
        if let Some(path) = path.filter(|path| path.is_dir()) {
            return Ok(Self { path, vectors: Some(name.clone()), ..self });
        }
        let known = [DEFAULT_VECTORS.to_owned()].into_iter().chain(self.further_vectors());
        let (known, name) = (known.collect(), name.to_string());
        Err(Error::UnknownVectors { given: self.given, name, known })
    }

    /// Returns the names of the vectors that the collection's bundle has besides the first.
    fn further_vectors(&self) -> Vec<String> {
        let state =
            self.collection.as_ref().and_then(|of| State::read(&of.held.generation().state()));
        state.iter().flat_map(|state| state.built.vectors.keys().map(Name::to_string)).collect()
    }

    /// Returns the name of the vectors, if they are not the first ones.
    pub fn vectors(&self) -> Option<&Name> {
        self.vectors.as_ref()
    }

    /// Returns the bundle's path. The bundle stays there until this value is dropped.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the place from which the bundle is opened.
    pub fn location(&self) -> Location {
        self.copy.as_ref().map_or_else(|| Location::from(&self.path), WebCopy::location)
    }

    /// Returns when the bundle's site was last checked for changes.
    pub fn asked(&self) -> Option<SystemTime> {
        self.copy.as_ref()?.asked()
    }

    /// Returns whether files of the bundle may have to be fetched from a site.
    pub fn is_copy(&self) -> bool {
        self.copy.is_some()
    }

    /// Returns a notice for the reader of answers, such as that a site could not be reached.
    pub fn notice(&self) -> Option<String> {
        let reason = self.copy.as_ref()?.stale.as_ref()?;
        Some(format!("the copy on this machine is searched: {reason}"))
    }

    /// Returns the target as it was given.
    pub fn given(&self) -> &str {
        &self.given
    }

    /// Returns a name that finds the bundle again from any directory: the name of a collection, the
    /// address of a site, or an absolute path.
    pub fn lasting_name(&self) -> String {
        match &self.collection {
            Some(Collection { home, name, .. }) if home.is_default() => name.to_string(),
            _ if self.is_copy() => self.given.clone(),
            _ => {
                let path = std::path::absolute(&self.path);
                path.as_deref().unwrap_or(&self.path).to_string_lossy().into_owned()
            }
        }
    }

    /// Returns the collection's name; `None` for a bundle at a path.
    pub fn collection(&self) -> Option<&Name> {
        self.collection.as_ref().map(|collection| &collection.name)
    }

    /// Returns the files and directories that the collection is made from; none for a bundle at a
    /// path.
    pub fn sources(&self) -> &[PathBuf] {
        self.collection.as_ref().map_or(&[], |collection| &collection.settings.paths)
    }

    /// Returns the places of the packages of a collection of dependencies, by the beginning of the
    /// ids of their pages.
    pub fn packages(&self) -> BTreeMap<String, PackageRoot> {
        let Some(collection) = &self.collection else { return BTreeMap::new() };
        if collection.settings.kind != Kind::Dependencies {
            return BTreeMap::new();
        }
        let state = State::read(&collection.held.generation().state());
        state.map(|state| state.packages).unwrap_or_default()
    }

    /// Returns whether a sync is making the collection's next bundle, as far as that is known.
    pub fn is_syncing(&self) -> bool {
        self.generations().is_some_and(|of| Lock::holder(&of.lock()).is_some())
    }

    /// Returns whether a sync has replaced the collection's bundle since this target was found.
    pub fn is_replaced(&self) -> bool {
        let held = self.collection.as_ref().map(|collection| collection.held.generation().number());
        let current = self.generations().and_then(|of| of.current().ok().flatten());
        current.is_some_and(|current| Some(current.number()) != held)
    }

    fn generations(&self) -> Option<Generations> {
        let Collection { home, name, settings, .. } = self.collection.as_ref()?;
        Some(Generations::new(home.directory(name, settings)))
    }

    /// Returns the time at which a sync last looked at the sources of the collection, as far as
    /// that is known.
    pub fn synced(&self) -> Option<SystemTime> {
        let state = State::read(&self.collection.as_ref()?.held.generation().state())?;
        Some(UNIX_EPOCH + Duration::from_nanos(state.scanned))
    }

    /// Returns whether the sources have changed since the bundle was made; `None` where that cannot
    /// be known. Looks at every file of the sources.
    ///
    /// # Errors
    /// [`Error::MissingSource`].
    pub fn freshness(&self) -> Result<Option<Freshness>, Error> {
        let Some(Collection { home, name, settings, held }) = &self.collection else {
            return Ok(None);
        };
        freshness(home, name, settings, held.generation())
    }
}

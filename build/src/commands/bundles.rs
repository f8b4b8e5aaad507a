//! The bundles that a server answers from, opened when they are first asked.

#![cfg_attr(not(feature = "mcp"), allow(dead_code, reason = "only assistants name bundles"))]

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Result;

use crate::collections::{Home, Registry, Target};
use crate::commands::ask::Encoders;
use crate::commands::open_bundle::OpenBundle;
use crate::commands::require_fresh::RequireFresh;
use crate::commands::vector_name::VectorName;
use crate::forgiving_names::{NameKind, NameMatch, find_name, listed};
use crate::host::EncoderChoice;
use crate::output::UsageError;

/// The bundles: those that were given, or all collections.
pub struct Bundles {
    given: Vec<PathBuf>,
    open: Mutex<HashMap<String, Arc<Mutex<OpenBundle>>>>,
    encoders: Mutex<Encoders>,
    /// Those that have answered a question, and whether one by meaning.
    answered: Mutex<HashSet<(String, bool)>>,
    vectors: VectorName,
    fresh: RequireFresh,
}

impl Bundles {
    /// Bundles that are not open yet.
    pub fn new(
        given: Vec<PathBuf>,
        encoder: EncoderChoice,
        vectors: VectorName,
        fresh: RequireFresh,
    ) -> Self {
        let encoders = Mutex::new(Encoders::new(encoder));
        Self { given, open: Mutex::default(), encoders, answered: Mutex::default(), vectors, fresh }
    }

    /// Their names: as they were given, or the collections there are now.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub fn names(&self) -> Result<Vec<String>> {
        if !self.given.is_empty() {
            let names = self.given.iter().map(|path| path.to_string_lossy().into_owned());
            return Ok(names.collect());
        }
        let registry = Registry::read(&Home::default_location()?)?;
        Ok(registry.collections().keys().map(ToString::to_string).collect())
    }

    /// The names to ask: the one that is wanted, or all of them.
    ///
    /// # Errors
    /// If the server was not given the wanted one: a caller cannot open other bundles.
    pub fn wanted(&self, name: Option<&str>) -> Result<Vec<String>> {
        let names = self.names()?;
        let Some(name) = name else { return Ok(names) };
        let all = names.iter().map(String::as_str);
        let (code, message) = match find_name(name, NameKind::Plain, all) {
            NameMatch::One(one) => return Ok(vec![one.to_owned()]),
            NameMatch::Several(all) => {
                let all = listed(&all);
                ("ambiguous", format!("expected one collection, found `{name}`, which fits {all}"))
            }
            NameMatch::None => {
                let all = names.join(", ");
                ("unknown", format!("expected a collection, one of {all}; found `{name}`"))
            }
        };
        Err(UsageError { code, message }.into())
    }

    /// An open bundle. One that was built or synced since, or a site's that changed, is opened
    /// again.
    ///
    /// # Errors
    /// If it cannot be opened, or is older than it may be.
    pub fn get(&self, name: &str) -> Result<Arc<Mutex<OpenBundle>>> {
        let target = match self.given.is_empty() {
            // A file of the same name does not hide a collection.
            true => Target::of_collection(&Home::default_location()?, &name.parse()?)?,
            false => Target::find(Path::new(name))?,
        };
        let target = self.vectors.of(target)?;
        self.fresh.check(&target)?;
        let mut open = lock(&self.open);
        if let Some(asked) = open.get(name) {
            let known = lock(asked);
            let is_same = known.target.as_ref().is_some_and(|known| known.path() == target.path());
            if is_same && known.host.files().is_current() {
                drop(known);
                return Ok(asked.clone());
            }
        }
        let asked = Arc::new(Mutex::new(OpenBundle::open(target)?));
        open.insert(name.to_owned(), asked.clone());
        Ok(asked)
    }

    /// Whether a bundle has been opened.
    pub fn is_open(&self, name: &str) -> bool {
        lock(&self.open).contains_key(name)
    }

    /// Whether this is the first question of its kind to a bundle, which takes longer.
    pub fn is_first_question(&self, name: &str, by_meaning: bool) -> bool {
        lock(&self.answered).insert((name.to_owned(), by_meaning))
    }

    /// The encoders of queries.
    pub fn encoders(&self) -> MutexGuard<'_, Encoders> {
        lock(&self.encoders)
    }
}

/// Locks. What another request left when it panicked is read-only, so it is as good as before.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

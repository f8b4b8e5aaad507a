//! The bundles that a server answers from, opened when they are first asked.

#![cfg_attr(not(feature = "mcp"), allow(dead_code, reason = "only assistants name bundles"))]

use std::collections::{HashMap, HashSet};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Result;

use crate::collections::{Home, Registry, Target};
use crate::commands::ask::Encoders;
use crate::commands::open_bundle::OpenBundle;
use crate::commands::require_fresh::RequireFresh;
use crate::commands::vector_name::VectorName;
use crate::forgiving_names::{NameKind, NameMatch, find_name, listed};
use crate::host::EncoderChoice;
use crate::output::UsageError;

/// Time that a question waits for a bundle of this machine that another question uses. A question
/// takes longer than this only if it also searches a site.
const PATIENCE: Duration = Duration::from_secs(1);

/// The message of a panic that cannot occur: [`Asked`] always has its bundle.
const IS_OPEN: &str = "a bundle that is asked is open";

/// A bundle, in use by a question or waiting for one.
#[derive(Default)]
struct Uses {
    /// The open bundle, while no question has it.
    idle: Option<OpenBundle>,
    /// Number of questions that use this bundle, or another open copy of it.
    n_asked: usize,
    was_open: bool,
}

/// The bundles that were given, or all collections.
pub struct Bundles {
    given: Vec<PathBuf>,
    uses: Mutex<HashMap<String, Uses>>,
    /// Is notified when a question has ended.
    returned: Condvar,
    encoders: Encoders,
    /// Names of bundles that have answered a question, each with whether the question was by
    /// meaning.
    answered: Mutex<HashSet<(String, bool)>>,
    vectors: VectorName,
    fresh: RequireFresh,
}

impl Bundles {
    /// Creates a set of bundles, none of which is open yet.
    pub fn new(
        given: Vec<PathBuf>,
        encoder: EncoderChoice,
        vectors: VectorName,
        fresh: RequireFresh,
    ) -> Self {
        let encoders = Encoders::new(encoder);
        let (uses, returned, answered) = (Mutex::default(), Condvar::new(), Mutex::default());
        Self { given, uses, returned, encoders, answered, vectors, fresh }
    }

    /// Returns the given names, or the names of the present collections.
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

    /// Returns the names of the bundles to search: the requested one, or all.
    ///
    /// # Errors
    /// If the requested bundle is not among the server's bundles: a caller cannot open others.
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

    /// Returns an open bundle, for one question. A bundle that was rebuilt or synced since, or
    /// whose site has changed, is opened again.
    ///
    /// No lock is held while waiting for a site. A question that finds the bundle in use waits a
    /// moment, and then opens a second copy.
    ///
    /// # Errors
    /// If it cannot be opened, or is older than allowed.
    pub(crate) fn get(&self, name: &str) -> Result<Asked<'_>> {
        let target = match self.given.is_empty() {
            // A file of the same name must not hide a collection.
            true => Target::of_collection(&Home::default_location()?, &name.parse()?)?,
            false => Target::find(Path::new(name))?,
        };
        let target = self.vectors.of(target)?;
        self.fresh.check(&target)?;
        let known = self.take(name, if target.is_copy() { Duration::ZERO } else { PATIENCE });
        let is_same = |known: &OpenBundle| {
            let path = known.target.as_ref().map(Target::path);
            path == Some(target.path()) && known.host.files().is_current()
        };
        let open = match known.filter(is_same) {
            Some(known) => Ok(known),
            None => OpenBundle::open(target),
        };
        let open = open.inspect_err(|_| self.put(name, None))?;
        Ok(Asked { bundles: self, name: name.to_owned(), open: Some(open) })
    }

    /// Takes a bundle that is not in use; waits up to `patience` for one that is.
    fn take(&self, name: &str, patience: Duration) -> Option<OpenBundle> {
        let uses = lock(&self.uses);
        let is_used = |uses: &mut HashMap<String, Uses>| {
            uses.get(name).is_some_and(|of| of.idle.is_none() && of.n_asked > 0)
        };
        let waited = self.returned.wait_timeout_while(uses, patience, is_used);
        let (mut uses, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let of = uses.entry(name.to_owned()).or_default();
        of.n_asked += 1;
        of.was_open = true;
        of.idle.take()
    }

    /// Ends a question. Its bundle is kept for the next question, unless a copy is already kept.
    fn put(&self, name: &str, open: Option<OpenBundle>) {
        let mut uses = lock(&self.uses);
        let of = uses.entry(name.to_owned()).or_default();
        of.n_asked = of.n_asked.saturating_sub(1);
        // A bundle that is not kept is dropped after the lock is released.
        let _further = match (&of.idle, open) {
            (None, Some(open)) => of.idle.replace(open),
            (_, open) => open,
        };
        drop(uses);
        self.returned.notify_all();
    }

    /// Returns whether a bundle has been opened.
    pub fn is_open(&self, name: &str) -> bool {
        lock(&self.uses).get(name).is_some_and(|of| of.was_open)
    }

    /// Returns whether this is the first question of its kind to a bundle, which takes longer.
    pub fn is_first_question(&self, name: &str, by_meaning: bool) -> bool {
        lock(&self.answered).insert((name.to_owned(), by_meaning))
    }

    /// Returns the encoders of queries.
    pub fn encoders(&self) -> &Encoders {
        &self.encoders
    }
}

/// A bundle that one question uses exclusively, until this is dropped.
pub(crate) struct Asked<'a> {
    bundles: &'a Bundles,
    name: String,
    /// `None` only while this is dropped.
    open: Option<OpenBundle>,
}

impl Deref for Asked<'_> {
    type Target = OpenBundle;

    fn deref(&self) -> &OpenBundle {
        self.open.as_ref().expect(IS_OPEN)
    }
}

impl DerefMut for Asked<'_> {
    fn deref_mut(&mut self) -> &mut OpenBundle {
        self.open.as_mut().expect(IS_OPEN)
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.bundles.put(&self.name, self.open.take());
    }
}

/// Locks. The data is read-only, so it is still valid if another request panicked.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

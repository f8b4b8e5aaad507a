//! Waiting for changes of sources, which the system reports.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::home::Home;
use super::name::Name;
use super::registry::Registry;
use super::settings::Settings;

/// Sources are at rest after no change was reported for this long: a program that writes many files
/// takes a while.
const QUIET: Duration = Duration::from_millis(300);
/// A source that never rests is synced all the same after this time.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// Interval between checks for missing sources.
const LOOK: Duration = Duration::from_secs(5);

/// The sources of collections, watched.
pub struct Watch {
    home: Home,
    /// The names of the collections to watch; empty for all.
    wanted: Vec<Name>,
    watcher: RecommendedWatcher,
    events: Receiver<notify::Result<Event>>,
    sources: BTreeMap<PathBuf, BTreeSet<Name>>,
    /// Sources that could not be watched.
    missing: BTreeSet<PathBuf>,
}

impl Watch {
    /// Begins to watch the sources of the collections that are named, or of all, and the registry.
    ///
    /// # Errors
    /// If the registry cannot be read, or the system cannot watch.
    pub fn new(home: &Home, wanted: &[Name]) -> Result<Self> {
        let (sender, events) = channel();
        let watcher = notify::recommended_watcher(move |event| {
            // The receiver is gone: the program is about to end.
            let _ = sender.send(event);
        })
        .context("the system cannot watch files")?;
        let mut watch = Self {
            home: home.clone(),
            wanted: wanted.to_vec(),
            watcher,
            events,
            sources: BTreeMap::new(),
            missing: BTreeSet::new(),
        };
        if let Some(directory) = home.registry().parent() {
            watch
                .watcher
                .watch(directory, RecursiveMode::NonRecursive)
                .with_context(|| format!("{} cannot be watched", directory.display()))?;
        }
        watch.read_registry()?;
        Ok(watch)
    }

    /// Returns how many sources there are.
    pub fn n_sources(&self) -> u64 {
        self.sources.len() as u64
    }

    /// Returns the sources that cannot be watched now.
    pub fn missing(&self) -> impl Iterator<Item = &Path> {
        self.missing.iter().map(PathBuf::as_path)
    }

    /// Waits until sources have changed and come to rest. Returns the collections they belong to.
    ///
    /// # Errors
    /// If the registry changed and cannot be read.
    pub fn wait(&mut self) -> Result<BTreeSet<Name>> {
        let mut changed = BTreeSet::new();
        let mut first = None;
        loop {
            let patience = match first {
                None => LOOK,
                Some(first) if Instant::now().duration_since(first) > MAX_WAIT => {
                    return Ok(changed);
                }
                Some(_) => QUIET,
            };
            match self.events.recv_timeout(patience) {
                Ok(event) => changed.extend(self.changed_by(event)?),
                Err(RecvTimeoutError::Timeout) if changed.is_empty() => {
                    changed.extend(self.look_for_missing());
                }
                Err(_) => return Ok(changed),
            }
            if !changed.is_empty() {
                first.get_or_insert_with(Instant::now);
            }
        }
    }

    /// Returns the collections that an event concerns.
    fn changed_by(&mut self, event: notify::Result<Event>) -> Result<BTreeSet<Name>> {
        let all = |sources: &BTreeMap<PathBuf, BTreeSet<Name>>| {
            sources.values().flatten().cloned().collect()
        };
        // After an error events may be missing.
        let Ok(event) = event else { return Ok(all(&self.sources)) };
        if event.need_rescan() {
            return Ok(all(&self.sources));
        }
        // Reading is not a change: a sync itself reads.
        if let EventKind::Access(kind) = event.kind
            && kind != AccessKind::Close(AccessMode::Write)
        {
            return Ok(BTreeSet::new());
        }
        let mut changed = BTreeSet::new();
        for path in &event.paths {
            if *path == self.home.registry() {
                changed.extend(self.read_registry()?);
            }
            if self.home.holds(path) {
                continue;
            }
            for (source, names) in &self.sources {
                if path.starts_with(source) {
                    changed.extend(names.iter().cloned());
                    if !source.exists() {
                        // The system stops watching paths that are gone.
                        self.missing.insert(source.clone());
                    }
                }
            }
        }
        Ok(changed)
    }

    /// Watches the sources that the registry lists now. Returns the collections with new sources.
    fn read_registry(&mut self) -> Result<BTreeSet<Name>> {
        let registry = Registry::read(&self.home)?;
        let is_wanted = |name: &Name| self.wanted.is_empty() || self.wanted.contains(name);
        let mut sources: BTreeMap<PathBuf, BTreeSet<Name>> = BTreeMap::new();
        for (name, Settings { paths, .. }) in registry.collections() {
            for path in paths.iter().filter(|_| is_wanted(name)) {
                sources.entry(path.clone()).or_default().insert(name.clone());
            }
        }
        let before = std::mem::replace(&mut self.sources, sources);
        for source in before.keys().filter(|source| !self.sources.contains_key(*source)) {
            // A source that was not watched cannot be unwatched.
            let _ = self.watcher.unwatch(source);
            self.missing.remove(source);
        }
        let new: Vec<PathBuf> =
            self.sources.keys().filter(|source| !before.contains_key(*source)).cloned().collect();
        for source in &new {
            if !self.watch(source) {
                self.missing.insert(source.clone());
            }
        }
        // Changed settings count as a change as well, so all collections are checked.
        Ok(self.sources.values().flatten().cloned().collect())
    }

    fn look_for_missing(&mut self) -> BTreeSet<Name> {
        let mut found = BTreeSet::new();
        for source in std::mem::take(&mut self.missing) {
            if self.watch(&source) {
                found.extend(self.sources.get(&source).into_iter().flatten().cloned());
            } else {
                self.missing.insert(source);
            }
        }
        found
    }

    fn watch(&mut self, source: &Path) -> bool {
        // A file is watched from its directory: editors replace files.
        let (place, mode) = match source.parent() {
            Some(parent) if source.is_file() => (parent, RecursiveMode::NonRecursive),
            _ => (source, RecursiveMode::Recursive),
        };
        source.exists() && self.watcher.watch(place, mode).is_ok()
    }
}

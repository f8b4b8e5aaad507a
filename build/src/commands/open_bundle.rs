//! The bundles that a command searches: the named ones, or the current repository and all
//! collections, or the current directory.

use std::path::Path;

use anyhow::{Context, Result};
use rayon::prelude::*;

use super::build::build_collection;
use super::dependencies::{self, Searched};
use super::here;
use super::learned;
use super::require_fresh::RequireFresh;
use super::vector_name::VectorName;
use crate::collections::{Error, Home, Place, Registry, Settings, Target};
use crate::host::Host;
use crate::output::{Failure, Sources, UsageError};
use crate::sources;
use crate::ui::{Ui, bytes, count};

/// Maximum number of files of a directory that is indexed for one search.
const MAX_FILES: usize = 2_000;
/// Maximum number of bytes of these files together.
const MAX_BYTES: u64 = 20 << 20;

/// A bundle that is open.
pub(crate) struct OpenBundle {
    /// The name of a collection, or the path as given.
    pub name: String,
    pub host: Host,
    pub sources: Sources,
    /// `None` for a directory that was indexed for this search.
    pub target: Option<Target>,
    /// Whether the working directory is in its sources. Its answers come first.
    pub is_here: bool,
    /// The holder of the bundle of a directory, which keeps it in place while it is open.
    _held: Held,
}

/// The holder of the bundle of a directory.
enum Held {
    Nothing,
    /// Removed when dropped.
    Staged(#[allow(dead_code, reason = "is held")] tempfile::TempDir),
    Kept(#[allow(dead_code, reason = "is held")] Box<Target>),
}

/// Finds a target, and prints its notices for the reader of the answers.
///
/// # Errors
/// The errors of [`Target::find`] and [`VectorName::of`].
pub(crate) fn find_target(given: &Path, vectors: &VectorName, ui: &Ui) -> Result<Target> {
    let target = vectors.of(Target::find(given)?)?;
    if let Some(notice) = target.notice() {
        ui.warn(notice);
    }
    Ok(target)
}

/// Maximum number of pages of a collection whose files are compared with its index at each search.
const MAX_COMPARED: u32 = 5_000;

/// Prints a notice that files of a collection have changed since its last sync.
pub(crate) fn tell_if_stale(target: &Target, host: &Host, ui: &Ui) {
    if host.manifest().stats.n_pages > MAX_COMPARED {
        return;
    }
    let Some(name) = target.collection() else { return };
    // A source that cannot be read does not affect the answer.
    let Ok(Some(freshness)) = target.freshness() else { return };
    if freshness.stale {
        let files = count(freshness.changed_files as u64, "files");
        let verb = if freshness.changed_files == 1 { "has" } else { "have" };
        ui.warn(format!("{name}: {files} {verb} changed since the last `findling sync {name}`"));
    }
}

/// The bundles that could be opened, and the errors of the others.
pub(crate) struct Opened {
    pub asked: Vec<OpenBundle>,
    pub failed: Failures,
}

/// Names of the collections that cannot answer, with the reasons.
pub(crate) type Failures = Vec<(String, Failure)>;

/// Opens the requested bundles, on all cores. Some bundles may fail.
///
/// # Errors
/// If none of several named bundles can be opened or is fresh, or there is nothing to search.
pub(crate) fn open(
    wanted: Searched<'_>,
    vectors: &VectorName,
    fresh: RequireFresh,
    ui: &Ui,
) -> Result<Opened> {
    let open = |target: Result<Target>| -> Result<OpenBundle> {
        let target = vectors.of(target?)?;
        fresh.check(&target)?;
        OpenBundle::open(target)
    };
    let targets = match wanted {
        Searched::Named(targets) => targets,
        Searched::Dependencies => {
            let targets = dependencies::targets(ui)?;
            let found = targets.into_iter().map(|(name, target)| {
                let asked =
                    open(Ok(target)).map(|asked| OpenBundle { name: name.clone(), ..asked });
                (name, asked)
            });
            return first_error(found.collect()).map(|found| sorted(found, "", ui));
        }
    };
    if !targets.is_empty() {
        let found: Vec<(String, Result<OpenBundle>)> = targets
            .par_iter()
            .map(|path| (path.display().to_string(), open(Target::find(path))))
            .collect();
        return first_error(found).map(|found| sorted(found, "", ui));
    }
    let home = Home::default_location()?;
    let registry = Registry::read(&home)?;
    let names: Vec<_> = registry.collections().keys().collect();
    if names.is_empty() {
        let asked = vec![directory(Path::new("."), ui)?];
        return Ok(Opened { asked, failed: Vec::new() });
    }
    let found: Vec<(String, Result<OpenBundle>)> = names
        .par_iter()
        .map(|name| {
            let target = Target::of_collection(&home, name).map_err(anyhow::Error::from);
            (name.to_string(), open(target))
        })
        .collect();
    let (unbuilt, found): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(_, asked)| asked.as_ref().is_err_and(is_unbuilt));
    for (name, _) in &unbuilt {
        ui.warn(format!(
            "the collection {name} has no bundle yet; `findling sync {name}` makes it"
        ));
    }
    let mut opened = sorted(found, "the collection ", ui);
    if !opened.asked.iter().any(|asked| asked.is_here)
        && let Some(repository) = here::repository()
    {
        match directory(&repository, ui) {
            Ok(here) => opened.asked.insert(0, OpenBundle { is_here: true, ..here }),
            Err(error) => ui.detail(format!("{}: {error:#}", repository.display())),
        }
    }
    if opened.asked.is_empty()
        && opened.failed.is_empty()
        && let Some((_, Err(error))) = unbuilt.into_iter().next()
    {
        return Err(error);
    }
    Ok(opened)
}

/// Returns bundles, of which at least one could be opened.
///
/// # Errors
/// The first error if none could.
fn first_error(
    found: Vec<(String, Result<OpenBundle>)>,
) -> Result<Vec<(String, Result<OpenBundle>)>> {
    if found.iter().any(|(_, asked)| asked.is_ok()) {
        return Ok(found);
    }
    let first = found.into_iter().find_map(|(_, asked)| asked.err());
    Err(first.unwrap_or_else(|| anyhow::anyhow!("nothing was opened")))
}

/// Returns whether an error is that a collection has no bundle yet: its first sync failed, or was
/// put off.
fn is_unbuilt(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::NotBuilt { .. }))
}

/// Separates the opened bundles from the others, and prints a warning for each of the others.
fn sorted(found: Vec<(String, Result<OpenBundle>)>, what: &str, ui: &Ui) -> Opened {
    let mut opened = Opened { asked: Vec::new(), failed: Vec::new() };
    for (name, asked) in found {
        match asked {
            Ok(asked) => {
                if let Some(notice) = asked.target.as_ref().and_then(Target::notice) {
                    ui.warn(notice);
                }
                opened.asked.push(asked);
            }
            Err(error) => {
                ui.warn(format!("{what}{name} cannot be searched: {error:#}"));
                opened.failed.push((name, Failure::of(&error)));
            }
        }
    }
    opened
}

/// Indexes a directory that is small enough, by words.
fn directory(path: &Path, ui: &Ui) -> Result<OpenBundle> {
    let path = std::path::absolute(path)?;
    let files =
        sources::list(std::slice::from_ref(&path), &sources::Options::default(), &mut |_| {});
    let sizes = files.iter().filter_map(|file| Some(std::fs::metadata(file).ok()?.len()));
    let (n_files, size) = (files.len(), sizes.sum::<u64>());
    if n_files == 0 || n_files > MAX_FILES || size > MAX_BYTES {
        let found = match n_files {
            0 => "no files that can be indexed".to_owned(),
            _ => format!("{} with {}", count(n_files as u64, "files"), bytes(size)),
        };
        let message = format!(
            "expected a collection, or a directory with at most {} files and {}; found no \
             collection, and {found} in {}: add a collection with `findling collection add`",
            MAX_FILES,
            bytes(MAX_BYTES),
            path.display()
        );
        return Err(UsageError { code: "nothing-to-search", message }.into());
    }
    let status = || {
        let files = count(n_files as u64, "files");
        ui.status("Indexing", format!("{files} in {}", path.display()));
    };
    let settings =
        Settings { paths: vec![path.clone()], encoder: "none".to_owned(), ..Settings::default() };
    let (bundle, held) = match here::kept(&settings, &status, ui) {
        Ok(target) => (target.path().to_owned(), Held::Kept(Box::new(target))),
        Err(error) => {
            ui.detail(format!("the index is made anew: {error:#}"));
            status();
            let staged = tempfile::tempdir().context("a directory for the index cannot be made")?;
            let bundle = staged.path().join("bundle");
            let place = Place { bundle: bundle.clone(), kept: None };
            build_collection(&settings, &place, true, &ui.quiet())?;
            (bundle, Held::Staged(staged))
        }
    };
    Ok(OpenBundle {
        name: path.display().to_string(),
        host: Host::open(&bundle)?,
        sources: Sources::new(&[path]),
        target: None,
        is_here: true,
        _held: held,
    })
}

impl OpenBundle {
    /// Opens a bundle.
    ///
    /// # Errors
    /// The errors of [`Host::open`].
    pub fn open(target: Target) -> Result<Self> {
        let (name, sources) = (target.given().to_owned(), Sources::of(&target));
        let host = learned::open(&target)?;
        let is_here = here::is_below(target.sources());
        Ok(Self { name, host, sources, target: Some(target), is_here, _held: Held::Nothing })
    }
}

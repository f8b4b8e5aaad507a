//! Bringing a collection's bundle up to date with its sources.
//!
//! The sources are compared with the state of the current generation. If they differ, a new
//! generation is built beside it from the current bundle: files that are equal in both are links.
//! It becomes current by one rename at the end. If anything fails or is killed before that, the
//! current generation stays as it is.
//!
//! Comparing the sources gives the hash of each file. With these hashes the build finds the results
//! for a file without reading it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use serde::Serialize;

use super::dependencies::{self, Dependencies};
use super::error::Error;
use super::generation::{Generation, Generations};
use super::home::Home;
use super::kind::Kind;
use super::lock::Lock;
use super::name::Name;
use super::registry::Registry;
use super::settings::Settings;
use super::state::{Built, Changes, Scan, State};
use super::vectors;
use crate::bundle_files::BundleFiles;
use crate::kept::Kept;
use crate::progress::Progress;
use crate::sources::{self, Listing};

/// Options of a sync.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Ignore the earlier bundle, as if the directory were empty.
    pub fresh: bool,
    /// Compare the contents of all files instead of trusting lengths and dates.
    pub rehash: bool,
    /// Remove the pages of a source that has no files any more.
    pub allow_empty: bool,
}

/// The outcome of a sync for a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// A new generation was built.
    Built,
    /// Nothing had changed.
    Unchanged,
}

/// The reason for which a generation was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// There was no generation.
    First,
    /// Files of the sources changed.
    Sources,
    /// The settings in the registry changed.
    Settings,
    /// Another version of the program built the last generation.
    Program,
    /// The last generation cannot be opened.
    Damaged,
    /// The user asked for a fresh build.
    Fresh,
}

/// The report of a sync.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The collection.
    pub name: Name,
    /// The outcome.
    pub status: Status,
    /// The reason for which it was built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Numbers of files.
    pub new: usize,
    /// See [`Changes`].
    pub changed: usize,
    /// See [`Changes`].
    pub moved: usize,
    /// See [`Changes`].
    pub deleted: usize,
    /// The bundle in use.
    #[serde(flatten)]
    pub built: Built,
    /// The generation.
    pub generation: u64,
    /// The duration in seconds.
    pub seconds: f64,
}

/// The directory and the logs of a build.
#[derive(Clone, Debug)]
pub struct Place {
    /// The directory of the bundle.
    pub bundle: PathBuf,
    /// The logs of earlier builds, if there are any.
    pub kept: Option<Kept>,
}

/// Builds a bundle from settings.
pub type Build<'a> = dyn FnMut(&Settings, &Place) -> Result<Built> + 'a;

/// Brings a collection up to date.
///
/// # Errors
/// [`Error`] for problems of the collection, and the errors of the build. The current generation
/// stays current.
pub fn sync(
    home: &Home,
    name: &Name,
    options: Options,
    build: &mut Build<'_>,
    progress: &dyn Progress,
) -> Result<Report> {
    let started = Instant::now();
    let settings = Registry::read(home)?.get(name)?.clone();
    if settings.paths.is_empty() {
        let (name, registry) = (name.to_string(), home.registry());
        return Err(Error::NoSources { name, registry }.into());
    }
    let generations = Generations::new(home.directory(name, &settings));
    let lock = take_lock(&generations, name, progress)?;
    let current = generations.current()?;
    generations.sweep(current.as_ref().map_or(0, Generation::number))?;
    let earlier = current.as_ref().and_then(|generation| State::read(&generation.state()));
    let Sources { listing, packages } = list(home, name, &settings)?;
    if let Some(packages) = &packages {
        packages.tell(&settings, progress);
    }
    let paths = paths(&listing, &settings);
    let bar = progress.count("Comparing", Some(paths.len() as u64), "files");
    let scan = Scan::with_bar(&paths, earlier.as_ref(), options.rehash, &bar);
    if let Some(earlier) = &earlier
        && !options.allow_empty
    {
        check_emptied(name, &settings, earlier, &scan)?;
    }
    let included = earlier.as_ref().map(|earlier| earlier.look_at_included(options.rehash));
    let changes = match (&earlier, &included) {
        (Some(earlier), Some(included)) => earlier.changes_to(&scan, included),
        _ => scan.changes_since(&Default::default()),
    };
    tell(&changes, progress);
    let reason = reason(&settings, current.as_ref(), earlier.as_ref(), &changes, options);
    let report = |status, built: Built, generation: &Generation| Report {
        name: name.clone(),
        status,
        reason,
        new: changes.new.len(),
        changed: changes.changed.len(),
        moved: changes.moved.len(),
        deleted: changes.deleted.len(),
        built,
        generation: generation.number(),
        seconds: started.elapsed().as_secs_f64(),
    };
    if let (None, Some(generation), Some(earlier)) = (reason, &current, earlier) {
        // The new state records dates that changed or were too recent to be trusted, so the next
        // sync need not read these files.
        let state = earlier.seen_again(scan, included.unwrap_or_else(Scan::nothing));
        // The collection is up to date even if its state cannot be written.
        let _ = state.write(&generation.state());
        return Ok(report(Status::Unchanged, state.built, generation));
    }
    let staged = generations.begin(&lock)?;
    let bundle = staged.generation().bundle();
    let goes_on = !matches!(reason, Some(Reason::Fresh | Reason::Damaged));
    let earlier = current.filter(|_| goes_on);
    let mut kept = generations.kept();
    kept.bundle = earlier.as_ref().map(Generation::bundle);
    kept.hashes = scan.hashes(paths);
    kept.listing = Some(listing);
    let shared =
        packages.as_ref().filter(|_| !options.fresh).and_then(|_| share_pages(home, &mut kept));
    if options.fresh {
        for log in kept.logs() {
            let _ = fs::remove_file(log);
        }
    }
    vectors::sweep_logs(&generations, &settings, options.fresh);
    let failed = || format!("the collection `{name}` cannot be built");
    let first = kept.clone();
    let mut built = build(&settings, &Place { bundle, kept: Some(kept) }).with_context(failed)?;
    let further = vectors::Further { generations: &generations, earlier: earlier.as_ref(), first };
    built.vectors =
        further.build_all(&settings, staged.generation(), build).with_context(failed)?;
    drop(shared);
    let mut state = State::new(settings, scan, built.clone());
    if let Some(packages) = packages {
        packages.note(&mut built);
        (state.packages, state.built) = (packages.roots, built.clone());
    }
    state.write(&staged.generation().state())?;
    let generation = staged.switch()?;
    Ok(report(Status::Built, built, &generation))
}

/// Makes a build read and write the log of packages that all collections share. Returns the lock of
/// that log; without it, another sync has it, and the build uses a log of its own.
fn share_pages(home: &Home, kept: &mut Kept) -> Option<Lock> {
    let directory = home.packages();
    fs::create_dir_all(&directory).ok()?;
    let lock = Lock::take(&directory.join("lock"), "the log of packages").ok()?;
    kept.pages = directory.join("pages");
    kept.shares_pages = true;
    Some(lock)
}

fn take_lock(
    generations: &Generations,
    name: &Name,
    progress: &dyn Progress,
) -> Result<Lock, Error> {
    let lock = Lock::take(&generations.lock(), &format!("the collection `{name}`"))?;
    if let Some(owner) = lock.abandoned() {
        progress.detail(format!("the last sync of {name}, by {owner}, was interrupted; going on"));
    }
    Ok(lock)
}

/// The files of the sources, as a build reads them.
pub(super) struct Sources {
    /// The files.
    pub listing: Listing,
    /// The packages that they belong to, if the sources are lock files.
    packages: Option<Dependencies>,
}

/// Returns all files of the sources.
pub(super) fn list(home: &Home, name: &Name, settings: &Settings) -> Result<Sources, Error> {
    for path in &settings.paths {
        let readable = match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => fs::read_dir(path).map(drop),
            Ok(_) => fs::File::open(path).map(drop),
            Err(error) => Err(error),
        };
        readable.map_err(|error| Error::MissingSource {
            name: name.to_string(),
            path: path.clone(),
            reason: error.to_string(),
            registry: home.registry(),
        })?;
    }
    if settings.kind == Kind::Dependencies {
        let (listing, packages) = dependencies::find(settings)?;
        return Ok(Sources { listing, packages: Some(packages) });
    }
    let options = sources::Options {
        format: settings.kind.format(),
        exclude: settings.exclude.clone(),
        follow_links: settings.follow_links,
        ..sources::Options::default()
    };
    Ok(Sources { listing: Listing::of(&settings.paths, &options), packages: None })
}

/// Returns the files that a bundle depends on.
pub(super) fn paths(listing: &Listing, settings: &Settings) -> Vec<PathBuf> {
    listing.paths().chain(&settings.chat_fields).cloned().collect()
}

/// Returns a source that had files and now has none: it is more likely an unmounted drive than an
/// edit.
fn check_emptied(
    name: &Name,
    settings: &Settings,
    earlier: &State,
    scan: &Scan,
) -> Result<(), Error> {
    for path in settings.paths.iter().filter(|path| earlier.settings.paths.contains(path)) {
        let is_left = scan.files.keys().any(|file| Path::new(file).starts_with(path));
        let n_before = earlier.n_below(path);
        if n_before > 0 && !is_left {
            return Err(Error::Emptied { name: name.to_string(), path: path.clone(), n_before });
        }
    }
    Ok(())
}

/// Returns the reason for which a new generation has to be built, if there is one.
fn reason(
    settings: &Settings,
    current: Option<&Generation>,
    earlier: Option<&State>,
    changes: &Changes,
    options: Options,
) -> Option<Reason> {
    let Some(current) = current else { return Some(Reason::First) };
    if options.fresh {
        return Some(Reason::Fresh);
    }
    let Some(earlier) = earlier else { return Some(Reason::Damaged) };
    let content = |settings: &Settings| Settings { directory: None, ..settings.clone() };
    if !earlier.is_of_this_program() {
        Some(Reason::Program)
    } else if !is_whole(current, &earlier.settings) {
        Some(Reason::Damaged)
    } else if content(&earlier.settings) != content(settings) {
        Some(Reason::Settings)
    } else if !changes.is_empty() {
        Some(Reason::Sources)
    } else {
        None
    }
}

/// Returns whether every bundle of a generation can be opened.
fn is_whole(generation: &Generation, settings: &Settings) -> bool {
    let further = settings.vectors.keys().map(|name| generation.vectors(name));
    [generation.bundle()].into_iter().chain(further).all(|path| BundleFiles::open(&path).is_ok())
}

fn tell(changes: &Changes, progress: &dyn Progress) {
    let lists =
        [("new", &changes.new), ("changed", &changes.changed), ("deleted", &changes.deleted)];
    for (what, paths) in lists {
        for path in paths {
            progress.detail(format!("{what}: {}", path.escape_debug()));
        }
    }
    for (from, to) in &changes.moved {
        progress.detail(format!("moved: {} to {}", from.escape_debug(), to.escape_debug()));
    }
}

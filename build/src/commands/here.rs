//! The working directory: the repository around it, and its index, which is kept in the cache.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::build::build_collection;
use crate::collections::{self, Error, Home, Name, Options, Place, Registry, Settings, Target};
use crate::ui::Ui;

/// Returns the root of the git repository around the working directory.
pub(super) fn repository() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.ancestors().find(|directory| directory.join(".git").exists()).map(Path::to_owned)
}

/// Returns whether the working directory is one of these directories, or below one.
pub(super) fn is_below(directories: &[PathBuf]) -> bool {
    let Some(here) = std::env::current_dir().and_then(|here| here.canonicalize()).ok() else {
        return false;
    };
    let mut real = directories.iter().filter_map(|directory| directory.canonicalize().ok());
    real.any(|directory| here.starts_with(directory))
}

/// Returns the index of a directory that is no collection. The index is kept in the cache and
/// brought up to date first. `status` is called before an index is made for the first time.
///
/// # Errors
/// If there is no place for it, or the directory cannot be indexed.
pub(super) fn kept(settings: &Settings, status: &dyn Fn(), ui: &Ui) -> Result<Target> {
    let home = Home::new(Home::directories()?);
    let name = name_of(settings)?;
    let is_new = !Registry::read(&home)?.collections().contains_key(&name);
    if is_new {
        match Registry::change(&home, |registry| registry.add(&name, settings.clone())) {
            Ok(()) | Err(Error::Exists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if matches!(Target::of_collection(&home, &name), Err(Error::NotBuilt { .. })) {
        status();
    }
    let quiet = ui.quiet();
    let mut build =
        |settings: &Settings, place: &Place| build_collection(settings, place, true, &quiet);
    let synced = collections::sync(&home, &name, Options::default(), &mut build, &quiet);
    tidy(&home, &name, is_new, ui);
    match (synced, Target::of_collection(&home, &name)) {
        (Ok(_), Ok(target)) => Ok(target),
        // Another process is making the same index. The previous index answers meanwhile.
        (Err(error), Ok(target)) if is_busy(&error) => Ok(target),
        (Err(error), _) => Err(error),
        (_, Err(error)) => Err(error.into()),
    }
}

/// Keeps the cache from growing: records the use of an index, and removes unused indexes when a new
/// one is made. Failures do not affect the search.
fn tidy(home: &Home, name: &Name, is_new: bool, ui: &Ui) {
    let removed = collections::note_use(home, name)
        .and_then(|()| if is_new { collections::remove_unused(home) } else { Ok(Vec::new()) });
    match removed {
        Ok(removed) if removed.is_empty() => {}
        Ok(removed) => ui.detail(format!("unused indexes removed: {}", removed.len())),
        Err(error) => ui.detail(format!("unused indexes are not removed: {error:#}")),
    }
}

fn is_busy(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::Busy { .. }))
}

/// Returns the name under which the index of a directory is kept.
fn name_of(settings: &Settings) -> Result<Name> {
    let paths: Vec<_> = settings.paths.iter().map(|path| path.to_string_lossy()).collect();
    let hash = blake3::hash(paths.join("\0").as_bytes()).to_hex();
    Ok(format!("d-{}", &hash[..32]).parse::<Name>()?)
}

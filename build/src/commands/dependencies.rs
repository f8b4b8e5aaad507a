//! The option `--deps`: the packages that the project one stands in depends on.

use std::path::PathBuf;

use anyhow::Result;
use findling_dependencies::{Kind as LockKind, lock_files};

use super::here;
use crate::collections::{Home, Kind, Registry, Settings, Target};
use crate::output::UsageError;
use crate::ui::Ui;

/// The bundles that a command is asked to search.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Searched<'a> {
    /// The named ones; without any, the current repository and all collections.
    Named(&'a [PathBuf]),
    /// The packages that the current project depends on.
    Dependencies,
}

/// Whether the packages that a project depends on are searched.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct OfDependencies {
    /// Search the packages that this project depends on, in the versions of its lock file: the
    /// collection with that lock file, or an index that is kept in the cache
    #[arg(long, conflicts_with = "targets")]
    pub deps: bool,
}

impl OfDependencies {
    /// Returns what is searched.
    pub(crate) fn asked<'a>(&self, targets: &'a [PathBuf]) -> Searched<'a> {
        if self.deps { Searched::Dependencies } else { Searched::Named(targets) }
    }
}

/// Returns the collections with the lock files of the current project, or an index of these files
/// that is kept in the cache and brought up to date first.
///
/// # Errors
/// If there is no lock file, or none of its packages is on this disk.
pub(super) fn targets(ui: &Ui) -> Result<Vec<(String, Target)>> {
    let locks = locks()?;
    let home = Home::default_location()?;
    let registry = Registry::read(&home)?;
    let collections = registry.collections().iter().filter(|(_, settings)| {
        settings.kind == Kind::Dependencies
            && settings.paths.iter().any(|path| locks.contains(path))
    });
    // A collection whose first sync failed has no bundle.
    let targets: Vec<(String, Target)> = collections
        .flat_map(|(name, _)| Some((name.to_string(), Target::of_collection(&home, name).ok()?)))
        .collect();
    if !targets.is_empty() {
        return Ok(targets);
    }
    let names = locks.iter().map(|lock| lock.display().to_string()).collect::<Vec<_>>().join(", ");
    let status = || {
        ui.status("Indexing", format!("the packages of {names}; the next search takes a moment"));
    };
    let settings = Settings { kind: Kind::Dependencies, paths: locks, ..Settings::default() };
    let name = format!("dependencies of {names}");
    Ok(vec![(name, here::kept(&settings, &status, ui)?)])
}

/// Returns the lock files of the current project: those of the nearest directory that has any, up
/// to the root of the repository.
///
/// # Errors
/// If there are none.
fn locks() -> Result<Vec<PathBuf>> {
    let here = std::env::current_dir()?;
    for directory in here.ancestors() {
        let found = lock_files(directory);
        if !found.is_empty() {
            return Ok(found);
        }
        if directory.join(".git").exists() {
            break;
        }
    }
    let names = LockKind::ALL.map(LockKind::file_name).join(", ");
    let message = format!(
        "--deps: expected a lock file in {} or above it, found none of {names}",
        here.display()
    );
    Err(UsageError { code: "unknown-lock", message }.into())
}

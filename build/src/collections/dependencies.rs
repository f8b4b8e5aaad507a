//! Collections of the packages that lock files pin: documentation and source of exactly the
//! versions that a project uses, from the package managers' directories on this disk.
//!
//! Packages are parsed once for all collections: the log of parsed files finds them by their names,
//! versions and contents, wherever they lie.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use findling_dependencies::{Found, Located, Lock, Places, locate};

use super::error::Error;
use super::package_root::PackageRoot;
use super::settings::Settings;
use super::state::Built;
use crate::progress::{Progress, count};
use crate::safe_text;
use crate::sources::{Listing, Package, PackageFile, Problem, Severity};

/// Most packages that are named of those that are not on this disk.
const MAX_NAMED: usize = 5;

/// The packages of a collection's lock files.
#[derive(Debug)]
pub(super) struct Dependencies {
    /// The places of those on this disk, by their names and versions.
    pub roots: BTreeMap<String, PackageRoot>,
    /// The others, with the reasons.
    missing: Vec<(String, &'static str)>,
    /// Entries of lock files that name no package of a registry.
    refused: Vec<String>,
}

/// Finds the packages of lock files and their files.
///
/// # Errors
/// If a lock file cannot be read, or none of its packages is on this disk.
pub(super) fn find(settings: &Settings) -> Result<(Listing, Dependencies), Error> {
    let locks = settings.paths.iter().map(|path| Lock::read(path));
    let locks = locks.collect::<Result<Vec<_>, _>>()?;
    let mut places = Places::of_user();
    places.environments.splice(..0, settings.environments.iter().cloned());
    let Located { found, missing } = locate(&locks, &places);
    if found.is_empty() {
        return Err(Error::NoPackages { locks: settings.paths.clone(), n_missing: missing.len() });
    }
    let missing = missing.iter().map(|missing| (missing.package.label(), missing.reason()));
    let mut packages = Dependencies {
        roots: BTreeMap::new(),
        missing: missing.collect(),
        refused: locks.into_iter().flat_map(|lock| lock.refused).collect(),
    };
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for found in &found {
        let root = add(found, &mut files, &mut problems);
        packages.roots.insert(found.package.label(), root);
    }
    let roots: BTreeSet<PathBuf> = packages.roots.values().map(|root| root.path.clone()).collect();
    Ok((Listing::of_packages(files, roots.into_iter().collect(), problems), packages))
}

/// Adds the files of a package. Returns its place.
fn add(found: &Found, files: &mut Vec<PackageFile>, problems: &mut Vec<Problem>) -> PackageRoot {
    let package = Arc::new(Package {
        ecosystem: found.package.ecosystem.name().to_owned(),
        name: found.package.name.clone(),
        version: found.package.version.clone(),
    });
    let contents = found.contents();
    let mut root = PackageRoot { path: found.root.clone(), names: BTreeSet::new() };
    if found.shares_root() {
        let first = |path: &PathBuf| Some(path.iter().next()?.to_string_lossy().into_owned());
        root.names = contents.files.iter().filter_map(first).collect();
    }
    files.extend(contents.files.iter().map(|path| PackageFile {
        package: package.clone(),
        id: found.id(path),
        path: found.root.join(path),
    }));
    problems.extend(contents.left_out.into_iter().map(|(path, reason)| Problem {
        severity: Severity::Skipped,
        path: found.root.join(path),
        line: None,
        reason: reason.to_owned(),
    }));
    root
}

impl Dependencies {
    /// Says how many packages there are, and names those that are missing.
    pub fn tell(&self, settings: &Settings, progress: &dyn Progress) {
        let locks = settings.paths.iter().map(|path| path.display().to_string());
        let locks = safe_text::line(&locks.collect::<Vec<_>>().join(", ")).into_owned();
        let n_found = self.roots.len();
        progress.status("Packages", format!("{n_found} of {locks} are on this disk"));
        if !self.missing.is_empty() {
            let names = self.missing.iter().map(|(name, _)| name.as_str());
            let named = names.take(MAX_NAMED).collect::<Vec<_>>().join(", ");
            let more = match self.missing.len().saturating_sub(MAX_NAMED) {
                0 => String::new(),
                n => format!(" and {n} more; --verbose names them"),
            };
            let n = count(self.missing.len() as u64, "packages");
            let optional = self.missing.iter().filter(|(_, reason)| reason.contains("optional"));
            let optional = match optional.count() {
                0 => String::new(),
                n => format!(" ({n} of them optional)"),
            };
            progress.status("Missing", format!("{n} not on this disk{optional}: {named}{more}"));
        }
        for (name, reason) in &self.missing {
            progress.detail(format!("{name}: {reason}"));
        }
        if !self.refused.is_empty() {
            let n = count(self.refused.len() as u64, "names");
            progress.status(
                "Left out",
                format!("{n} of {locks} that belong to no package of a registry"),
            );
        }
        for entry in &self.refused {
            progress.detail(format!(
                "no package of a registry: {}",
                safe_text::line(&safe_text::excerpt(entry))
            ));
        }
    }

    /// Notes the numbers of packages in the result of a build.
    pub fn note(&self, built: &mut Built) {
        built.packages = self.roots.len();
        built.missing_packages = self.missing.len();
    }
}

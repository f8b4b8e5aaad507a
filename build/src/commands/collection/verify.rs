//! `findling collection verify`.

use std::collections::BTreeSet;
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

use crate::bundle_files::BundleFiles;
use crate::collections::generation::Generations;
use crate::collections::{Home, Name, Registry, Settings, State};
use crate::commands::inspect;
use crate::ui::{Ui, print_json};

/// Check collections: their states and their bundles
///
/// Opens each bundle and looks for its files. With --deep, reads, decodes and checks every file.
/// Directories that belong to no collection are named. The exit status is 1 if something is wrong.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Collections [default: all]
    names: Vec<Name>,
    /// Read and check every file
    #[arg(long)]
    deep: bool,
    /// Print a report as JSON
    #[arg(long)]
    json: bool,
}

/// The output of `--json`.
#[derive(Serialize)]
struct Report {
    collections: Vec<Line>,
    /// Directories that belong to no collection.
    orphans: Vec<String>,
}

#[derive(Serialize)]
struct Line {
    name: Name,
    status: Status,
    /// The damage, in words.
    damage: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Status {
    Whole,
    Damaged,
    NotBuilt,
}

/// Runs the command.
pub fn run(home: &Home, args: &Args, ui: &Ui) -> Result<ExitCode> {
    let registry = Registry::read(home)?;
    for name in &args.names {
        registry.get(name)?;
    }
    let wanted = |name: &Name| args.names.is_empty() || args.names.contains(name);
    let collections: Vec<Line> = registry
        .collections()
        .iter()
        .filter(|(name, _)| wanted(name))
        .map(|(name, settings)| check(home, name, settings, args.deep, ui))
        .collect();
    let orphans = if args.names.is_empty() { orphans(home, &registry) } else { Vec::new() };
    let report = Report { collections, orphans };
    for line in &report.collections {
        match line.status {
            Status::Whole => ui.status("Whole", &line.name),
            Status::NotBuilt => ui.status("Not built", &line.name),
            Status::Damaged => {
                for damage in &line.damage {
                    ui.warn(format!("{}: {damage}", line.name));
                }
            }
        }
    }
    for orphan in &report.orphans {
        let path = home.collections().join(orphan);
        ui.warn(format!(
            "{}: belongs to no collection, and can be removed",
            path.display().to_string().escape_debug()
        ));
    }
    let wrong = report.collections.iter().any(|line| line.status == Status::Damaged);
    if args.json {
        print_json(&report)?;
    }
    Ok(if wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn check(home: &Home, name: &Name, settings: &Settings, deep: bool, ui: &Ui) -> Line {
    let line = |status, damage| Line { name: name.clone(), status, damage };
    let held = match Generations::new(home.directory(name, settings)).hold() {
        Ok(Some(held)) => held,
        Ok(None) => return line(Status::NotBuilt, Vec::new()),
        Err(error) => return line(Status::Damaged, vec![error.to_string()]),
    };
    let generation = held.generation();
    let mut damage = Vec::new();
    let state = State::read(&generation.state());
    if state.is_none() {
        damage.push(format!(
            "{} cannot be read; run `findling sync {name}`",
            generation.state().display()
        ));
    }
    let further = state.iter().flat_map(|state| state.built.vectors.keys());
    let further = further.map(|vectors| generation.vectors(vectors));
    for bundle in [generation.bundle()].into_iter().chain(further) {
        match BundleFiles::open(&bundle) {
            Err(error) => damage.push(format!("{error:#}; run `findling sync {name}`")),
            Ok(files) if deep => damage.extend(inspect::damage(&files, ui)),
            Ok(files) => damage.extend(missing(&files)),
        }
    }
    line(if damage.is_empty() { Status::Whole } else { Status::Damaged }, damage)
}

/// Returns files of a bundle that its manifest lists and that are not there.
fn missing(files: &BundleFiles) -> Vec<String> {
    let manifest = files.manifest();
    if files.is_single_file() {
        return Vec::new();
    }
    (0..)
        .map(findling_bundle::ShardId)
        .zip(&manifest.shards)
        .map(|(id, shard)| files.path().join(manifest.path(id, shard)))
        .filter(|path| !path.is_file())
        .map(|path| format!("{} is missing; run `findling sync --fresh`", path.display()))
        .collect()
}

/// Returns names of directories beside the collections' own.
fn orphans(home: &Home, registry: &Registry) -> Vec<String> {
    let known: BTreeSet<&str> = registry
        .collections()
        .iter()
        .map(|(name, settings)| settings.directory.as_ref().unwrap_or(name).as_str())
        .collect();
    let mut orphans: Vec<String> = std::fs::read_dir(home.collections())
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !known.contains(name.as_str()))
        .collect();
    orphans.sort();
    orphans
}

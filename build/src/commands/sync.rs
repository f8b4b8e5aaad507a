//! `findling sync`: brings collections up to date with their sources.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use serde::Serialize;

use super::build::{SOME_UNREADABLE, build_collection};
use crate::collections::{self, Error, Home, Name, Reason, Registry, Report, Status, Watch};
use crate::output::is_full_disk;
use crate::ui::{Ui, bytes, count, print_json};

/// Time to wait for another sync of the same collection, while watching.
const AGAIN: Duration = Duration::from_secs(1);

/// Bring collections up to date with their sources
///
/// Compares the files of each collection's sources with those of its last bundle, by length and
/// date, then by contents. If they differ, builds a new bundle beside the last one and switches to
/// it at the end. Until then, and if anything fails, searches use the last bundle.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Collections [default: all that have sources]
    pub names: Vec<Name>,
    /// How they are brought up to date.
    #[command(flatten)]
    pub how: How,
    /// Sync again whenever a source changes, until interrupted
    #[arg(long, conflicts_with_all = ["json", "fresh"])]
    pub watch: bool,
    /// Print a report as JSON
    #[arg(long)]
    pub json: bool,
}

/// How collections are brought up to date.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct How {
    /// Build as if there were no last bundle
    #[arg(long)]
    pub fresh: bool,
    /// Compare the contents of all files instead of trusting lengths and dates
    #[arg(long)]
    pub rehash: bool,
    /// Remove the pages of a source that has no files any more. Without this option such a source
    /// counts as missing, since a drive may not be mounted
    #[arg(long)]
    pub allow_empty: bool,
    /// Install a missing model without asking
    #[arg(short, long)]
    pub yes: bool,
}

/// The output of `--json`.
#[derive(Serialize)]
struct Output<'a> {
    collections: &'a [Line],
}

/// One collection of the report.
#[derive(Serialize)]
#[serde(untagged)]
enum Line {
    Done(Report),
    Failed(Failure),
}

/// A collection that could not be brought up to date.
#[derive(Serialize)]
struct Failure {
    name: Name,
    status: &'static str,
    /// A stable word for the kind of error.
    code: &'static str,
    error: String,
}

/// Runs the command.
///
/// # Errors
/// If the registry cannot be read or a name is unknown. A collection that fails is reported; the
/// others go on.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    let home = Home::default_location()?;
    let registry = Registry::read(&home)?;
    let names = chosen(&registry, &args.names)?;
    if args.watch {
        return watch(&home, &args, names, ui);
    }
    if names.is_empty() {
        ui.status("Synced", "nothing: no collection has sources; `findling collection add`");
    }
    let mut lines = Vec::new();
    for name in names {
        lines.push(sync_one(&home, &name, &args.how, ui));
    }
    if args.json {
        print_json(&Output { collections: &lines })?;
    }
    Ok(exit_code(&lines))
}

/// Syncs now, and again whenever a source or the registry changes. A failure is reported, and the
/// collection is tried again after the next change.
fn watch(home: &Home, args: &Args, names: Vec<Name>, ui: &Ui) -> Result<ExitCode> {
    // Changes made during the first sync are noticed after it.
    let mut watch = Watch::new(home, &args.names)?;
    let mut due: BTreeSet<Name> = names.into_iter().collect();
    loop {
        for name in std::mem::take(&mut due) {
            let line = sync_one(home, &name, &args.how, ui);
            // Another sync may have begun before the change.
            if matches!(&line, Line::Failed(failure) if failure.code == "busy") {
                due.insert(name);
            }
        }
        if !due.is_empty() {
            std::thread::sleep(AGAIN);
            continue;
        }
        for source in watch.missing() {
            ui.detail(format!("waiting for {}", source.display()));
        }
        ui.status("Watching", format!("{}; Ctrl-C stops", count(watch.n_sources(), "sources")));
        match watch.wait() {
            Ok(changed) => due.extend(changed),
            Err(error) => ui.error(&error),
        }
    }
}

/// Returns the collections that are named, or all that have sources.
fn chosen(registry: &Registry, names: &[Name]) -> Result<Vec<Name>, Error> {
    if names.is_empty() {
        let all = registry.collections().iter();
        return Ok(all
            .filter(|(_, settings)| !settings.paths.is_empty())
            .map(|(name, _)| name.clone())
            .collect());
    }
    let mut chosen: Vec<Name> = Vec::new();
    for name in names {
        registry.get(name)?;
        if !chosen.contains(name) {
            chosen.push(name.clone());
        }
    }
    Ok(chosen)
}

/// Brings one collection up to date and says so.
fn sync_one(home: &Home, name: &Name, how: &How, ui: &Ui) -> Line {
    match sync(home, name, how, ui) {
        Ok(report) => Line::Done(report),
        Err(mut error) => {
            let disk_is_full = is_full_disk(&error);
            if disk_is_full {
                error = error.context(format!(
                    "the disk is full: make room and run `findling sync {name}` again; until then \
                     the last bundle stays in use"
                ));
            }
            ui.error(&error);
            let code = error.chain().find_map(|cause| cause.downcast_ref::<Error>());
            Line::Failed(Failure {
                name: name.clone(),
                status: "failed",
                code: match disk_is_full {
                    true => "disk-full",
                    false => code.map_or("build", Error::code),
                },
                error: format!("{error:#}"),
            })
        }
    }
}

/// Brings one collection up to date.
///
/// # Errors
/// The errors of [`collections::sync`].
pub fn sync(home: &Home, name: &Name, how: &How, ui: &Ui) -> Result<Report> {
    let How { fresh, rehash, allow_empty, yes } = *how;
    let options = collections::Options { fresh, rehash, allow_empty };
    let mut build = |settings: &collections::Settings, place: &collections::Place| {
        build_collection(settings, place, yes, ui)
    };
    let report = collections::sync(home, name, options, &mut build, ui)?;
    tell(&report, ui);
    Ok(report)
}

/// Returns the exit status: 1 if a collection failed, 3 if files could not be read.
fn exit_code(lines: &[Line]) -> ExitCode {
    let failed = lines.iter().any(|line| matches!(line, Line::Failed(_)));
    let partial = |line: &Line| matches!(line, Line::Done(report) if report.built.unreadable > 0);
    status(failed, lines.iter().any(partial))
}

/// Returns the exit status of one sync that did not fail.
pub fn exit_code_of(report: &Report) -> ExitCode {
    status(false, report.built.unreadable > 0)
}

fn status(failed: bool, partial: bool) -> ExitCode {
    match (failed, partial) {
        (true, _) => ExitCode::FAILURE,
        (false, true) => ExitCode::from(SOME_UNREADABLE),
        (false, false) => ExitCode::SUCCESS,
    }
}

/// Says what a sync did.
pub fn tell(report: &Report, ui: &Ui) {
    let Report { name, new, changed, moved, deleted, built, seconds, .. } = report;
    match report.status {
        Status::Unchanged => ui.status("Up to date", name),
        Status::Built => {
            let files =
                [(new, "new"), (changed, "changed"), (moved, "moved"), (deleted, "deleted")]
                    .into_iter()
                    .filter(|(n, _)| **n > 0)
                    .map(|(n, what)| format!("{n} {what}"))
                    .collect::<Vec<_>>();
            let why = match report.reason {
                Some(Reason::Settings) => "other settings",
                Some(Reason::Program) => "another version of findling",
                Some(Reason::Damaged) => "the last bundle could not be used",
                Some(Reason::Fresh) => "built anew",
                _ => "",
            };
            let what = files.into_iter().chain((!why.is_empty()).then(|| why.to_owned()));
            ui.status(
                "Synced",
                format!(
                    "{name}: {}; {}, {}, {} in {seconds:.1} s",
                    what.collect::<Vec<_>>().join(", "),
                    count(built.pages.into(), "pages"),
                    count(built.sections.into(), "sections"),
                    bytes(built.bundle_bytes),
                ),
            );
        }
    }
    if built.unreadable > 0 {
        ui.warn(format!(
            "{name}: left out {} that could not be read; `findling sync {name} --fresh` names them",
            count(built.unreadable as u64, "files")
        ));
    }
}

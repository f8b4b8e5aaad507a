//! `findling build`: builds a bundle from a site, Markdown or records.

mod args;
mod collection;
mod embed;
mod pipe;
mod report;
mod sections;
#[cfg(test)]
mod tests;
mod watch;

use std::process::ExitCode;

use anyhow::Result;

use crate::exchange;
use crate::option_names::with_flags;
use crate::output::{Failure, UsageError};
use crate::site::{self, Options};
use crate::sources::share::Share;
use crate::ui::{Ui, count};
pub use args::Args;
pub(super) use args::client;
pub(super) use collection::build_collection;
pub use embed::{EmbedArgs, run_embed};
pub(super) use report::report;
use report::warn_unreadable;
pub use sections::{SectionsArgs, run_sections};
use watch::Watch;

/// Exit status of a build that left out files it could not read.
pub(super) const SOME_UNREADABLE: u8 = 3;

/// Runs the command.
///
/// # Errors
/// If no page can be read, a model is missing, or the output cannot be written.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    let (share, json, watches) = (args.part, args.json, args.watch);
    let options = Options::from(args);
    if exchange::find(&options.inputs)?.is_some() {
        check_tables(&options, share, watches)?;
    }
    match share {
        Some(share) => build_part(&options, share, ui),
        None if watches => build_and_watch(&options, ui),
        None => report(&site::build(&options, ui)?, json, ui),
    }
}

/// Refuses options that need the files of a site, if the inputs are tables.
fn check_tables(options: &Options, share: Option<Share>, watches: bool) -> Result<()> {
    let refused = [
        (share.is_some(), "--part"),
        (watches, "--watch"),
        (options.pagefind.is_some(), "--pagefind"),
        (options.form == site::Form::SinglePage, "--single-page"),
    ];
    let Some((_, option)) = refused.iter().find(|(is_given, _)| *is_given) else { return Ok(()) };
    let message =
        format!("expected sources with {option}, found tables: build the site itself with it");
    Err(UsageError::new("inputs", message).into())
}

fn build_part(options: &Options, share: Share, ui: &Ui) -> Result<ExitCode> {
    let n_unreadable = site::in_threads(options, || site::build_part(options, share, ui))?;
    warn_unreadable(n_unreadable, ui);
    Ok(exit_status(n_unreadable))
}

/// Builds, and builds again whenever an input changes. An error in an input is printed; the next
/// change starts another build.
fn build_and_watch(options: &Options, ui: &Ui) -> Result<ExitCode> {
    let site::Reading { synonyms, pins, ranking, .. } = &options.reading;
    let inputs =
        options.inputs.iter().chain(synonyms).chain(pins).chain(ranking).cloned().collect();
    // Changes made during a build are noticed after it.
    let mut watch = Watch::new(inputs, options.reading.follow_links, &options.output);
    build_once(options, ui)?;
    loop {
        ui.status(
            "Watching",
            format!("{}; Ctrl-C stops", count(options.inputs.len() as u64, "inputs")),
        );
        let changed = watch.wait();
        ui.status("Changed", changed.display());
        if let Err(error) = build_once(options, ui) {
            Failure::tell(&error, ui);
        }
    }
}

fn build_once(options: &Options, ui: &Ui) -> Result<()> {
    let built = site::build(options, ui).map_err(|error| with_flags(error.into()))?;
    report(&built, false, ui).map(drop)
}

/// Returns the exit status of a build, given the number of files it left out.
fn exit_status(n_unreadable: usize) -> ExitCode {
    if n_unreadable > 0 { ExitCode::from(SOME_UNREADABLE) } else { ExitCode::SUCCESS }
}

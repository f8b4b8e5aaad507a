//! `findling history`, `findling feedback` and `findling learn`: earlier searches, the user's
//! judgements, and the ranking learned from them. All of it stays on this machine.

mod database;
mod feedback;
mod learn;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use super::config::file::SettingsFile;
use super::config::trust::is_of_another_user;
use super::confirmed;
use super::search::{Output, finish};
use crate::collections::Home;
use crate::output::{Exit, Last};
use crate::safe_text::{json_pretty, line};
use crate::standard_streams::stdout;
use crate::ui::{Paint, Ui, count};
use database::History;

pub use feedback::{Args as FeedbackArgs, run as feedback};
pub use learn::{Args as LearnArgs, run as learn};

/// The switch in `findling.toml`.
const SWITCH: &str = "history";

/// List the queries of earlier searches, the newest first
///
/// Searches are remembered only where `history = true` stands in findling.toml, in the directory or
/// above it, or else in the directory of findling's data. Nothing is sent anywhere.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Number of searches to list
    #[arg(short = 'k', long = "limit", value_name = "N", default_value_t = 20)]
    limit: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    Clear(Clear),
}

/// Remove everything that is remembered: searches and feedback
#[derive(Debug, clap::Args)]
struct Clear {
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
}

/// Runs `findling history`.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    let output = Output { json: args.json, ..Output::default() };
    finish(&output, ui, || match args.action {
        Some(Action::Clear(clear)) => remove(&clear, ui),
        None => list(&args, ui),
    })
}

fn list(args: &Args, ui: &Ui) -> Result<Exit> {
    let searches = match History::open(&Home::default_location()?)? {
        Some(history) => history.searches(args.limit)?,
        None => Vec::new(),
    };
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", json_pretty(&searches)?)?;
    } else {
        for search in &searches {
            let when = ui.paint(Paint::Dim, &search.at);
            let hits = count(search.hits.into(), "hits");
            writeln!(out, "{when}  {}  {}", line(&search.query), ui.paint(Paint::Dim, &hits))?;
        }
    }
    if searches.is_empty() && !is_on(&Home::default_location()?)? {
        ui.status("Off", "`history = true` in findling.toml remembers searches");
    }
    Ok(if searches.is_empty() { Exit::Nothing } else { Exit::Found })
}

fn remove(args: &Clear, ui: &Ui) -> Result<Exit> {
    let question = "Remove all searches and feedback that are remembered?";
    confirmed(args.yes, question, "nothing was removed", ui)?;
    database::remove(&Home::default_location()?)?;
    ui.status(
        "Removed",
        "all searches and feedback; `findling learn BUNDLE --forget` undoes what was learned",
    );
    Ok(Exit::Found)
}

/// Returns whether searches are to be remembered, according to the nearest `findling.toml`, or else
/// the one in the data directory.
///
/// # Errors
/// If a file cannot be read.
fn is_on(home: &Home) -> Result<bool> {
    let switch = |file: Option<SettingsFile>| -> Result<Option<bool>> {
        Ok(file.map(|file| file.switch(SWITCH)).transpose()?.flatten())
    };
    let nearest = SettingsFile::nearest(&std::env::current_dir()?);
    let nearest = nearest.filter(|path| !is_of_another_user(path));
    if let Some(truth) = switch(nearest.map(SettingsFile::read).transpose()?)? {
        return Ok(truth);
    }
    Ok(switch(SettingsFile::in_directory(home.root())?)?.unwrap_or(false))
}

/// Remembers a search that has a query, if the settings say so. If it cannot be remembered, the
/// search still succeeds.
pub(crate) fn remember(last: &Last, ui: &Ui) {
    if last.query.trim().is_empty() {
        return;
    }
    let remember = || -> Result<()> {
        let home = Home::default_location()?;
        if is_on(&home)? {
            History::create(&home)?.add_search(last)?;
        }
        Ok(())
    };
    if let Err(error) = remember() {
        ui.warn(format!("the search is not remembered: {error:#}"));
    }
}

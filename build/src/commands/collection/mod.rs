//! `findling collection`: adds, lists, shows, renames, removes, verifies, exports and imports
//! collections.

mod add;
mod agent_logs;
mod show;
mod transfer;
mod verify;

use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

use super::confirmed;
use crate::collections::{Home, Name, Registry, remove};
use crate::ui::{Ui, print_json};
pub(super) use show::Row;

/// Add, list, rename and remove collections: bundles that Findling keeps for you
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Add a collection and build its bundle
    Add(Box<add::Args>),
    /// List all collections
    List(Json),
    /// Show one collection: its settings and its bundle
    Show(Named),
    /// Remove a collection and its bundle. Its sources stay
    Remove(Remove),
    /// Give a collection another name
    Rename(Rename),
    /// Check collections: their states and their bundles
    Verify(verify::Args),
    /// Write a collection's bundle as one file
    Export(transfer::Export),
    /// Make a single-file bundle a collection
    Import(transfer::Import),
}

#[derive(Debug, clap::Args)]
struct Json {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct Named {
    /// Collection
    name: Name,
    #[command(flatten)]
    output: Json,
}

#[derive(Debug, clap::Args)]
struct Remove {
    /// Collection
    name: Name,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    output: Json,
}

#[derive(Debug, clap::Args)]
struct Rename {
    /// Collection
    from: Name,
    /// The new name
    to: Name,
    #[command(flatten)]
    output: Json,
}

/// The JSON output of `remove` and `rename`.
#[derive(Serialize)]
struct Done<'a> {
    name: &'a Name,
    status: &'static str,
}

/// Runs the command.
///
/// # Errors
/// The errors of [`crate::collections::Error`]; for `add`, also those of the first sync.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    let home = Home::default_location()?;
    match args.action {
        Action::Add(args) => add::run(&home, &args, ui),
        Action::List(output) => show::list(&home, output.json, ui),
        Action::Show(args) => show::show(&home, &args.name, args.output.json, ui),
        Action::Remove(args) => run_remove(&home, &args, ui),
        Action::Rename(args) => {
            Registry::change(&home, |registry| registry.rename(&args.from, &args.to))?;
            ui.status("Renamed", format!("{} to {}", args.from, args.to));
            done(&args.to, "renamed", args.output.json)
        }
        Action::Verify(args) => verify::run(&home, &args, ui),
        Action::Export(args) => transfer::run_export(&home, &args, ui),
        Action::Import(args) => transfer::run_import(&home, &args, ui),
    }
}

fn run_remove(home: &Home, args: &Remove, ui: &Ui) -> Result<ExitCode> {
    let name = &args.name;
    Registry::read(home)?.get(name)?;
    let question = format!("Remove the collection `{name}` and its bundle?");
    confirmed(args.yes, &question, &format!("the collection `{name}` stays as it is"), ui)?;
    remove(home, name)?;
    ui.status("Removed", name);
    done(name, "removed", args.output.json)
}

fn done(name: &Name, status: &'static str, json: bool) -> Result<ExitCode> {
    if json {
        print_json(&Done { name, status })?;
    }
    Ok(ExitCode::SUCCESS)
}

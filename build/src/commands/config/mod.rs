//! `findling config`: where the options of a command come from.

pub(super) mod file;
mod layer;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Command, Subcommand};
use serde::Serialize;

use super::search::{Output, finish};
use crate::collections::Home;
use crate::output::{Exit, UsageError};
use crate::safe_text::{json_pretty, line};
use crate::standard_streams::stdout;
use crate::ui::{Paint, Ui};
use file::SettingsFile;
pub use layer::{is_own, with_settings};

/// Show where settings come from
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Show(Show),
}

/// Show the options of a command with their values and where each comes from: findling.toml with
/// the line, or the default
#[derive(Debug, clap::Args)]
struct Show {
    /// The command
    #[arg(default_value = "build")]
    command: String,
    /// Also show options that have no value
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// An option or a variable.
#[derive(Debug, Serialize)]
struct Shown {
    name: String,
    /// `null` where it has none.
    value: Option<String>,
    /// `default`, `environment`, or the file and the line.
    source: String,
}

/// Runs the command; `whole` is the whole command line.
pub fn run(args: Args, whole: Command, ui: &Ui) -> Result<ExitCode> {
    let Action::Show(show) = args.action;
    let output = Output { json: show.json, ..Output::default() };
    finish(&output, ui, || {
        let shown = shown(&show, whole)?;
        let mut out = stdout();
        if show.json {
            writeln!(out, "{}", json_pretty(&shown)?)?;
            return Ok(Exit::Found);
        }
        let name = |one: &Shown| one.name.len();
        let (names, values) = (
            shown.iter().map(name).max().unwrap_or(0),
            shown.iter().map(|one| value(one).chars().count()).max().unwrap_or(0).min(48),
        );
        for one in &shown {
            let name = ui.paint(Paint::Bold, &format!("{:names$}", line(&one.name)));
            let source = ui.paint(Paint::Dim, &line(&one.source));
            writeln!(out, "{name}  {:values$}  {source}", line(value(one)))?;
        }
        Ok(Exit::Found)
    })
}

fn value(shown: &Shown) -> &str {
    shown.value.as_deref().unwrap_or("-")
}

fn shown(show: &Show, mut whole: Command) -> Result<Vec<Shown>> {
    whole.build();
    let name = &show.command;
    let command = whole.find_subcommand(name).ok_or_else(|| UsageError {
        code: "usage",
        message: format!("expected a command such as build or search, found `{name}`"),
    })?;
    let here = std::env::current_dir()?;
    let file = SettingsFile::find(&here)?;
    let settings = match &file {
        Some(file) => file.settings(name)?,
        None => Vec::new(),
    };
    if let Some(file) = &file {
        for setting in &settings {
            layer::argument(command, file, setting)?;
        }
    }
    let mut all = Vec::new();
    for arg in command.get_arguments().filter(|arg| is_own(arg)) {
        let name = layer::name(arg).to_owned();
        let setting = settings.iter().find(|setting| setting.key == name);
        if let (Some(setting), Some(file)) = (setting, &file) {
            let value = match &setting.values {
                Some(values) => values.join(", "),
                None => (!setting.is_off).to_string(),
            };
            let path = &file.path;
            let path = path.strip_prefix(&here).unwrap_or(path).display();
            let source = format!("{path}:{}", setting.line);
            all.push(Shown { name, value: Some(value), source });
            continue;
        }
        let defaults = arg.get_default_values().iter();
        let defaults: Vec<_> = defaults.map(|value| value.to_string_lossy()).collect();
        let value = match arg.get_action().takes_values() {
            true => (!defaults.is_empty()).then(|| defaults.join(", ")),
            false => Some("false".to_owned()),
        };
        let value = value.filter(|value| !value.is_empty());
        if value.is_some() || show.all {
            all.push(Shown { name, value, source: "default".to_owned() });
        }
    }
    all.extend(variables());
    Ok(all)
}

/// Variables that say where data are and how the terminal is used.
fn variables() -> Vec<Shown> {
    let home = Home::default_location().ok().map(|home| home.root().display().to_string());
    [("FINDLING_HOME", home), ("FINDLING_CACHE", None), ("NO_COLOR", None), ("VISUAL", None)]
        .into_iter()
        .chain([("EDITOR", Some("vi".to_owned())), ("BROWSER", None)])
        .map(|(name, default)| {
            let set = std::env::var(name).ok().filter(|value| !value.is_empty());
            let source = if set.is_some() { "environment" } else { "default" };
            Shown { name: name.to_owned(), value: set.or(default), source: source.to_owned() }
        })
        .filter(|shown| shown.value.is_some())
        .collect()
}

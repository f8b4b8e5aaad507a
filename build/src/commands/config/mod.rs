//! `findling config`: which files of settings apply, how far each is trusted, and where the options
//! of a command come from.

pub(super) mod classes;
pub(super) mod file;
mod layer;
pub(super) mod trust;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Arg, Command, Subcommand};
use serde::Serialize;

use super::search::{Output, finish};
use crate::collections::Home;
use crate::output::{Exit, UsageError};
use crate::safe_text::{json_pretty, line};
use crate::standard_streams::stdout;
use crate::ui::{Paint, Ui};
use file::SettingsFile;
pub use layer::{Settled, is_own, with_settings};
use trust::Trust;

/// Show which settings hold, and where they come from
///
/// Without a command, lists the files that hold here and what each may not set. A project's file
/// may set what is harmless: how the project is read, ranked and shown, and paths inside of it. The
/// rest holds only once you trust the file.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    Show(Show),
    Trust(TrustArgs),
}

/// Trust a project's findling.toml as it is now: all of its settings hold
///
/// A file that changes must be trusted again.
#[derive(Debug, clap::Args)]
struct TrustArgs {
    /// The file [default: the nearest one]
    file: Option<PathBuf>,
    /// Trust it no longer
    #[arg(long)]
    remove: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
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
    /// `null` if it has none.
    value: Option<String>,
    /// `default`, `environment`, or the file and the line.
    source: String,
}

/// Runs the command; `whole` is the whole command line.
pub fn run(args: Args, whole: Command, ui: &Ui) -> Result<ExitCode> {
    match args.action {
        None => list(args.json, whole, ui),
        Some(Action::Show(show)) => run_show(&show, whole, ui),
        Some(Action::Trust(trust)) => run_trust(&trust, whole, ui),
    }
}

/// A file of settings.
#[derive(Debug, Serialize)]
struct Listed {
    file: PathBuf,
    /// `trusted`, `harmless`, `changed`, `other-user`.
    trust: &'static str,
    /// The settings that do not hold.
    ignored: Vec<Ignored>,
}

/// A setting that does not hold.
#[derive(Debug, Serialize)]
struct Ignored {
    command: String,
    key: String,
    line: usize,
    why: &'static str,
}

impl Listed {
    fn new(file: &SettingsFile, whole: &Command, here: &Path) -> Result<Self> {
        let trust = trust::of(file);
        let mut ignored = Vec::new();
        for command in whole.get_subcommands() {
            for setting in file.settings(command.get_name())? {
                // Another user's file may contain anything.
                let arg = match layer::argument(command, file, &setting) {
                    Err(_) if trust == Trust::None => &Arg::new("unknown"),
                    arg => arg?,
                };
                let why = layer::objection(command, arg, file, trust, &setting, here);
                ignored.extend(why.map(|why| Ignored {
                    command: command.get_name().to_owned(),
                    key: setting.key.to_owned(),
                    line: setting.line,
                    why,
                }));
            }
        }
        let trust = match trust {
            Trust::Whole => "trusted",
            Trust::Harmless => "harmless",
            Trust::Changed => "changed",
            Trust::None => "other-user",
        };
        Ok(Self { file: file.path.clone(), trust, ignored })
    }

    fn print(&self, ui: &Ui) -> Result<()> {
        let mut out = stdout();
        let state = match (self.trust, self.ignored.is_empty()) {
            ("trusted", _) => "all of its settings hold",
            ("other-user", _) => "another user owns it; none of its settings hold",
            (_, true) => "all of its settings are harmless and hold",
            ("changed", _) => "it has changed since it was trusted; only harmless settings hold",
            _ => "not trusted; only harmless settings hold",
        };
        let path = self.file.to_string_lossy();
        writeln!(out, "{}: {state}", ui.paint(Paint::Bold, &line(&path)))?;
        for Ignored { command, key, line: number, why } in &self.ignored {
            let key = line(key);
            writeln!(out, "  line {number}: [{command}] {key} is ignored: {why}")?;
        }
        if !self.ignored.is_empty() {
            writeln!(out, "  `findling config trust {}` lets them hold", line(&path))?;
        }
        Ok(())
    }
}

fn list(json: bool, mut whole: Command, ui: &Ui) -> Result<ExitCode> {
    whole.build();
    finish(&Output { json, ..Output::default() }, ui, || {
        let here = std::env::current_dir()?;
        let files = layer::files(&here).into_iter().map(SettingsFile::read);
        let listed: Vec<Listed> =
            files.map(|file| Listed::new(&file?, &whole, &here)).collect::<Result<_>>()?;
        if json {
            writeln!(stdout(), "{}", json_pretty(&listed)?)?;
            return Ok(Exit::Found);
        }
        if listed.is_empty() {
            ui.status("Found", format!("no {} here or above", file::NAME));
        }
        listed.iter().try_for_each(|listed| listed.print(ui))?;
        Ok(Exit::Found)
    })
}

fn run_trust(args: &TrustArgs, mut whole: Command, ui: &Ui) -> Result<ExitCode> {
    whole.build();
    finish(&Output { json: args.json, ..Output::default() }, ui, || {
        let here = std::env::current_dir()?;
        let path = match &args.file {
            Some(path) if path.is_dir() => Some(path.join(file::NAME)),
            Some(path) => Some(path.clone()),
            None => SettingsFile::nearest(&here),
        };
        let path = path.ok_or_else(|| UsageError {
            code: "settings",
            message: format!(
                "expected a {} in this directory or above it, found none: name the file",
                file::NAME
            ),
        })?;
        let file = SettingsFile::read(std::path::absolute(path)?)?;
        // `before` lists the settings that only take effect with trust, so the file is untrusted
        // first.
        trust::set(&file, false)?;
        let before = Listed::new(&file, &whole, &here)?;
        if !args.remove {
            trust::set(&file, true)?;
        }
        if args.json {
            writeln!(stdout(), "{}", json_pretty(&Listed::new(&file, &whole, &here)?)?)?;
            return Ok(Exit::Found);
        }
        let path = file.path.to_string_lossy();
        let keys: Vec<String> =
            before.ignored.iter().map(|one| format!("[{}] {}", one.command, one.key)).collect();
        let (verb, keys) = (if args.remove { "Distrusted" } else { "Trusted" }, keys.join(", "));
        let keys = if keys.is_empty() { "all of its settings are harmless" } else { &keys };
        ui.status(verb, format!("{}: {}", line(&path), line(keys)));
        Ok(Exit::Found)
    })
}

fn run_show(show: &Show, whole: Command, ui: &Ui) -> Result<ExitCode> {
    let output = Output { json: show.json, ..Output::default() };
    finish(&output, ui, || {
        let shown = shown(show, whole)?;
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
    let files = layer::files(&here).into_iter().map(SettingsFile::read);
    let files: Vec<SettingsFile> = files.collect::<Result<_>>()?;
    for file in files.iter().filter(|file| trust::of(file) != Trust::None) {
        for setting in &file.settings(name)? {
            layer::argument(command, file, setting)?;
        }
    }
    let mut all = Vec::new();
    for arg in command.get_arguments().filter(|arg| is_own(arg)) {
        let name = layer::name(arg).to_owned();
        let mut is_set = false;
        for file in &files {
            let (shown, holds) = match set(command, arg, file, &here)? {
                Some(set) if !is_set => set,
                _ => continue,
            };
            all.push(shown);
            is_set = holds;
        }
        if is_set {
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

/// Returns the value that a file sets for an argument, and whether it takes effect.
fn set(
    command: &Command,
    arg: &Arg,
    file: &SettingsFile,
    here: &Path,
) -> Result<Option<(Shown, bool)>> {
    let name = layer::name(arg);
    let settings = file.settings(command.get_name()).unwrap_or_default();
    let Some(setting) = settings.iter().find(|setting| setting.key == name) else {
        return Ok(None);
    };
    let value = match &setting.values {
        Some(values) => values.join(", "),
        None => (!setting.is_off).to_string(),
    };
    let path = file.path.strip_prefix(here).unwrap_or(&file.path).display();
    let objection = layer::objection(command, arg, file, trust::of(file), setting, here);
    let ignored = objection.map(|why| format!(", ignored: {why}")).unwrap_or_default();
    let source = format!("{path}:{}{ignored}", setting.line);
    let shown = Shown { name: name.to_owned(), value: Some(value), source };
    Ok(Some((shown, objection.is_none())))
}

/// Returns the options that [`classes`] does not list, as `command option`.
pub fn unlisted(whole: &mut Command) -> Vec<String> {
    whole.build();
    let options = whole.get_subcommands().flat_map(|command| {
        command.get_arguments().filter(|arg| is_own(arg)).map(move |arg| (command, arg))
    });
    let options = options.map(|(command, arg)| (command.get_name(), layer::name(arg)));
    options
        .filter(|(command, key)| classes::listed(command, key).is_none())
        .map(|(command, key)| format!("{command} {key}"))
        .collect()
}

/// Returns the environment variables that say where data are and how the terminal is used.
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

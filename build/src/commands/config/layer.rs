//! Puts the settings of files into a command line, below what was typed.

use std::any::TypeId;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use super::classes::{Class, Project, class};
use super::file::{NAME, Setting, SettingsFile};
use super::trust::{self, Trust};
use crate::collections::Home;
use crate::safe_text::line;

/// Arguments that are a path or the name of a collection.
const TARGETS: &[&str] = &["bundle", "bundles", "target", "targets"];

/// Commands that work regardless of the file's contents.
const WITHOUT: &[&str] = &["init", "config", "history", "completions", "man", "help"];

/// A command line with the settings of files.
#[derive(Debug)]
pub struct Settled {
    /// The arguments.
    pub arguments: Vec<OsString>,
    /// Settings of a file that have no effect, and the remedy.
    pub warning: Option<String>,
    /// The arguments that files have set.
    set: Vec<Set>,
}

/// An argument that a file has set.
#[derive(Debug)]
struct Set {
    id: String,
    /// The argument as errors name it, and the values of one that has no option.
    names: Vec<OsString>,
    /// The file and the line.
    place: String,
}

impl Settled {
    /// Returns the command line as it was typed.
    fn typed(arguments: Vec<OsString>) -> Self {
        Self { arguments, warning: None, set: Vec::new() }
    }

    /// Returns the file and the line of the setting that an error is about, if it is about one.
    pub fn place_of(&self, error: &clap::Error) -> Option<&str> {
        let kinds = [ContextKind::InvalidArg, ContextKind::PriorArg];
        let is_about = |set: &&Set| {
            let is_named = |name: &String| set.names.iter().any(|one| one == name.as_str());
            kinds.into_iter().filter_map(|kind| error.get(kind)).any(|value| match value {
                ContextValue::String(name) => is_named(name),
                ContextValue::Strings(names) => names.iter().any(is_named),
                _ => false,
            })
        };
        self.set.iter().find(is_about).map(|set| set.place.as_str())
    }
}

/// Returns the arguments of a command line, completed with settings from the nearest
/// `findling.toml` and the user's own one. `command` describes the command line; it is only needed
/// if there is such a file.
///
/// # Errors
/// If a file cannot be read, or has options that the command does not have.
pub fn with_settings(
    command: impl FnOnce() -> Command,
    arguments: Vec<OsString>,
) -> Result<Settled> {
    let here = std::env::current_dir()?;
    let files = files(&here);
    if files.is_empty() {
        return Ok(Settled::typed(arguments));
    }
    let mut command = command();
    command.build();
    let typed = command.clone().ignore_errors(true).try_get_matches_from(&arguments);
    let subcommand = typed.as_ref().ok().and_then(ArgMatches::subcommand);
    // A command line without a command is a request for help, or an error that is reported later.
    let found = subcommand.and_then(|(name, matches)| {
        let command = command.find_subcommand(name).filter(|_| !WITHOUT.contains(&name));
        Some((command?, matches))
    });
    let Some((command, matches)) = found else {
        return Ok(Settled::typed(arguments));
    };
    let mut added = Added::default();
    for path in files {
        added.add(path, command, matches, &here)?;
    }
    let Added { options, positional, warning, set } = added;
    let arguments = inserted(arguments, command.get_name(), options, positional);
    Ok(Settled { arguments, warning, set })
}

/// Returns the files that apply in a directory: the project's, then the user's own.
pub fn files(here: &Path) -> Vec<PathBuf> {
    let nearest = SettingsFile::nearest(here);
    let own = Home::default_location().ok().map(|home| home.root().join(NAME));
    let is_other = |own: &PathBuf| {
        let nearest = nearest.as_ref().and_then(|path| path.canonicalize().ok());
        own.is_file() && own.canonicalize().ok() != nearest
    };
    let own = own.filter(is_other);
    nearest.into_iter().chain(own).collect()
}

/// The settings that are added to a command line.
#[derive(Default)]
struct Added {
    options: Vec<OsString>,
    positional: Vec<OsString>,
    set: Vec<Set>,
    warning: Option<String>,
}

impl Added {
    /// Adds those settings of a file that are neither on the command line nor in an earlier file.
    fn add(
        &mut self,
        path: PathBuf,
        command: &Command,
        matches: &ArgMatches,
        here: &Path,
    ) -> Result<()> {
        let file = match SettingsFile::read(path.clone()) {
            // Mistakes in another user's file must not cause an error.
            Err(_) if trust::is_of_another_user(&path) => return Ok(()),
            read => read?,
        };
        let (trust, name) = (trust::of(&file), command.get_name());
        if trust == Trust::None {
            let keys: Vec<&str> = match file.settings(name) {
                Ok(settings) => settings.iter().map(|setting| setting.key).collect(),
                Err(_) => Vec::new(),
            };
            self.warn(&file, trust, name, &keys);
            return Ok(());
        }
        let mut ignored = Vec::new();
        for setting in file.settings(name)? {
            let arg = argument(command, &file, &setting)?;
            if is_given(command, matches, arg) || self.has(command, arg) {
                continue;
            }
            if objection(command, arg, &file, trust, &setting, here).is_some() {
                ignored.push(setting.key);
                continue;
            }
            let below = file.path.parent().filter(|directory| *directory != here);
            let mut names = vec![arg.to_string().into()];
            match arg.get_long() {
                Some(long) => self.options.extend(spelled(long, arg, &setting, below)),
                None => {
                    let values = values(arg, &setting, below);
                    names.extend(values.iter().cloned());
                    self.positional.extend(values);
                }
            }
            let place = format!("{}:{}", file.path.display(), setting.line);
            self.set.push(Set { id: arg.get_id().to_string(), names, place });
        }
        self.warn(&file, trust, name, &ignored);
        Ok(())
    }

    /// Returns whether an earlier file set this argument, or a conflicting one.
    fn has(&self, command: &Command, arg: &Arg) -> bool {
        let is_set = |arg: &Arg| self.set.iter().any(|set| set.id == arg.get_id().as_str());
        is_set(arg) || command.get_arg_conflicts_with(arg).into_iter().any(is_set)
    }

    fn warn(&mut self, file: &SettingsFile, trust: Trust, command: &str, keys: &[&str]) {
        if keys.is_empty() {
            return;
        }
        let path = file.path.to_string_lossy();
        let (path, keys) = (line(&path), keys.join(", "));
        let why = why(trust);
        self.warning = Some(format!(
            "{path}: {} of [{command}] ignored, because {why}; `findling config` says more, \
             `findling config trust` trusts the file",
            line(&keys)
        ));
    }
}

/// Says why some settings of a file have no effect.
pub fn why(trust: Trust) -> &'static str {
    match trust {
        Trust::Whole => "no file may set them",
        Trust::Harmless => "the file is not trusted",
        Trust::Changed => "the file has changed since it was trusted",
        Trust::None => "the file is another user's",
    }
}

/// Says why a setting of a file has no effect; `None` if it has one.
pub fn objection(
    command: &Command,
    arg: &Arg,
    file: &SettingsFile,
    trust: Trust,
    setting: &Setting<'_>,
    here: &Path,
) -> Option<&'static str> {
    match trust {
        Trust::Whole => return None,
        Trust::None => return Some(why(trust)),
        Trust::Harmless | Trust::Changed => {}
    }
    // A switch that is off counts as absent.
    if setting.is_off {
        return None;
    }
    let root = file.path.parent()?;
    let base = if is_path(arg) { root } else { here };
    let values = setting.values.as_deref().unwrap_or_default();
    class(command.get_name(), name(arg)).objection(values, Project { root, base })
}

/// Returns the argument that a setting is for.
///
/// # Errors
/// If the command has no argument of that name, or a file may not set it, or the value is of
/// another kind: an option without its value would take the next argument as its value.
pub fn argument<'a>(
    command: &'a Command,
    file: &SettingsFile,
    setting: &Setting<'_>,
) -> Result<&'a Arg> {
    let is_listed =
        |arg: &&Arg| !arg.is_hide_set() && class(command.get_name(), name(arg)) != Class::Never;
    let listed = || command.get_arguments().filter(is_listed);
    let found = listed().find(|arg| name(arg) == setting.key);
    if let Some(arg) = found {
        let takes_values = arg.get_action().takes_values();
        let needs_values = arg.get_num_args().is_none_or(|n| n.min_values() > 0);
        let key = setting.key;
        let wrong = match (&setting.values, setting.is_off) {
            (None, false) if takes_values && needs_values => Some(("a value", "true")),
            (Some(_), _) if !takes_values => Some(("true or false", "another value")),
            _ => None,
        };
        if let Some((expected, found)) = wrong {
            let expected = format!("{expected} of `{key}`");
            return Err(file.wrong(setting.line, &expected, found).into());
        }
    }
    found.ok_or_else(|| {
        let alike = |arg: &&Arg| strsim::jaro_winkler(name(arg), setting.key);
        let near =
            listed().max_by(|a, b| alike(a).total_cmp(&alike(b))).map_or("", |arg| name(arg));
        let expected = format!("an option of `findling {}` such as {near}", command.get_name());
        file.wrong(setting.line, &expected, &format!("`{}`", setting.key)).into()
    })
}

/// Returns whether an argument belongs to the command itself and is documented. Arguments that
/// every command has do not count.
pub fn is_own(arg: &Arg) -> bool {
    let is_of_clap = matches!(arg.get_id().as_str(), "help" | "version");
    !arg.is_hide_set() && !arg.is_global_set() && !is_of_clap
}

/// Returns the name by which a file sets an argument.
pub fn name(arg: &Arg) -> &str {
    arg.get_long().unwrap_or(arg.get_id().as_str())
}

/// Returns whether this argument, or a conflicting one, was typed.
fn is_given(command: &Command, matches: &ArgMatches, arg: &Arg) -> bool {
    let typed =
        |arg: &Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    typed(arg) || command.get_arg_conflicts_with(arg).into_iter().any(typed)
}

/// Returns an option as it would be typed, once for each value.
fn spelled(long: &str, arg: &Arg, setting: &Setting<'_>, below: Option<&Path>) -> Vec<OsString> {
    if setting.values.is_none() {
        return if setting.is_off { Vec::new() } else { vec![format!("--{long}").into()] };
    }
    let spell = |value: OsString| {
        let mut option = OsString::from(format!("--{long}="));
        option.push(value);
        option
    };
    values(arg, setting, below).into_iter().map(spell).collect()
}

/// Returns whether the values of an argument are paths, which start from the file's directory.
fn is_path(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == TypeId::of::<PathBuf>()
}

/// Returns the values of a setting. Paths are relative to the file's directory.
fn values(arg: &Arg, setting: &Setting<'_>, below: Option<&Path>) -> Vec<OsString> {
    let value = |value: &String| {
        let Some(directory) = below.filter(|_| is_path(arg)) else { return value.into() };
        let path = directory.join(value);
        let may_be_name = TARGETS.contains(&arg.get_id().as_str());
        if may_be_name && !path.exists() { value.into() } else { path.into_os_string() }
    };
    setting.values.iter().flatten().map(value).collect()
}

/// Returns the arguments with options after the command's name and positional ones at the end.
fn inserted(
    arguments: Vec<OsString>,
    command: &str,
    options: Vec<OsString>,
    positional: Vec<OsString>,
) -> Vec<OsString> {
    let at = arguments.iter().skip(1).position(|one| one == command).map_or(1, |at| at + 2);
    let mut all: Vec<OsString> = arguments[..at.min(arguments.len())].to_vec();
    all.extend(options);
    all.extend_from_slice(&arguments[at.min(arguments.len())..]);
    if !positional.is_empty() {
        if !all.iter().any(|one| one == "--") {
            all.push("--".into());
        }
        all.extend(positional);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_before_and_positional_arguments_after_what_was_typed() {
        let os = |words: &[&str]| -> Vec<OsString> { words.iter().map(Into::into).collect() };
        let all = inserted(
            os(&["findling", "-q", "build", "-o", "out"]),
            "build",
            os(&["--exclude=a"]),
            os(&["public"]),
        );
        assert_eq!(
            all,
            os(&["findling", "-q", "build", "--exclude=a", "-o", "out", "--", "public"])
        );
    }
}

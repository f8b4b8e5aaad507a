//! Puts the settings of a file into a command line, below what was typed.

use std::any::TypeId;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use super::file::{Setting, SettingsFile};

/// Arguments that are a path or the name of a collection.
const TARGETS: &[&str] = &["bundle", "bundles", "target", "targets"];

/// Commands that work whatever the file has.
const WITHOUT: &[&str] = &["init", "config", "history", "completions", "man", "help"];

/// Whether a file may set an option. One that came with a directory from elsewhere must not
/// overwrite a file because somebody searched there, nor agree to a download.
fn may_be_set(command: &str, key: &str) -> bool {
    !matches!(key, "yes" | "save") && (key != "output" || command == "build")
}

/// The arguments of a command line with those of the nearest `findling.toml` that were not given.
/// `command` describes the command line; it is not needed where there is no such file.
///
/// # Errors
/// If the file cannot be read, or has options that the command does not have.
pub fn with_settings(
    command: impl FnOnce() -> Command,
    arguments: Vec<OsString>,
) -> Result<Vec<OsString>> {
    let here = std::env::current_dir()?;
    let Some(path) = SettingsFile::nearest(&here) else { return Ok(arguments) };
    let mut command = command();
    command.build();
    let typed = command.clone().ignore_errors(true).try_get_matches_from(&arguments);
    // Help, or an error that the command line reports itself.
    let Ok(typed) = typed else { return Ok(arguments) };
    let Some((name, matches)) = typed.subcommand() else { return Ok(arguments) };
    let Some(command) = command.find_subcommand(name) else { return Ok(arguments) };
    if WITHOUT.contains(&name) {
        return Ok(arguments);
    }
    let file = SettingsFile::read(path)?;
    let below = file.path.parent().filter(|directory| *directory != here);
    let (mut options, mut positional) = (Vec::new(), Vec::new());
    for setting in file.settings(name)? {
        let arg = argument(command, &file, &setting)?;
        if is_given(command, matches, arg) {
            continue;
        }
        match arg.get_long() {
            Some(long) => options.extend(spelled(long, arg, &setting, below)),
            None => positional.extend(values(arg, &setting, below)),
        }
    }
    Ok(inserted(arguments, name, options, positional))
}

/// The argument that a setting is for.
///
/// # Errors
/// If the command has none of that name, or a file may not set it.
pub fn argument<'a>(
    command: &'a Command,
    file: &SettingsFile,
    setting: &Setting<'_>,
) -> Result<&'a Arg> {
    let is_listed = |arg: &&Arg| !arg.is_hide_set() && may_be_set(command.get_name(), name(arg));
    let listed = || command.get_arguments().filter(is_listed);
    listed().find(|arg| name(arg) == setting.key).ok_or_else(|| {
        let alike = |arg: &&Arg| strsim::jaro_winkler(name(arg), setting.key);
        let near =
            listed().max_by(|a, b| alike(a).total_cmp(&alike(b))).map_or("", |arg| name(arg));
        let expected = format!("an option of `findling {}` such as {near}", command.get_name());
        file.wrong(setting.line, &expected, &format!("`{}`", setting.key)).into()
    })
}

/// Whether an argument is a command's own, and people are told of it: not one that every command
/// has.
pub fn is_own(arg: &Arg) -> bool {
    let is_of_clap = matches!(arg.get_id().as_str(), "help" | "version");
    !arg.is_hide_set() && !arg.is_global_set() && !is_of_clap
}

/// The name by which a file sets an argument.
pub fn name(arg: &Arg) -> &str {
    arg.get_long().unwrap_or(arg.get_id().as_str())
}

/// Whether an argument was typed, or one that it does not go together with.
fn is_given(command: &Command, matches: &ArgMatches, arg: &Arg) -> bool {
    let typed =
        |arg: &Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    typed(arg) || command.get_arg_conflicts_with(arg).into_iter().any(typed)
}

/// An option as it would be typed, once for each value.
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

/// The values of a setting. Paths are relative to the file's directory.
fn values(arg: &Arg, setting: &Setting<'_>, below: Option<&Path>) -> Vec<OsString> {
    let is_path = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
    let value = |value: &String| {
        let Some(directory) = below.filter(|_| is_path) else { return value.into() };
        let path = directory.join(value);
        let may_be_name = TARGETS.contains(&arg.get_id().as_str());
        if may_be_name && !path.exists() { value.into() } else { path.into_os_string() }
    };
    setting.values.iter().flatten().map(value).collect()
}

/// The arguments with options after the command's name and positional ones at the end.
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

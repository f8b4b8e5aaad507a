//! The reference of all commands and options as one Markdown document, `docs/cli.md`.

use std::fmt::Write;

use clap::{Arg, Command};

use super::config::is_own;

/// Returns the document of a command line.
pub fn markdown(mut command: Command) -> String {
    command.build();
    let mut out = String::from(
        "# All commands and options\n\n\
         `findling man --markdown docs/cli.md` writes this page from the program; a test compares \
         both.\n[The command line](command-line.md) is the tour.\n\n\
         Every command has these options:\n\n",
    );
    let shared: Vec<&Arg> = command.get_arguments().filter(|arg| !arg.is_hide_set()).collect();
    table(&mut out, shared.iter().copied());
    for one in subcommands(&command) {
        describe(&mut out, one, &format!("findling {}", one.get_name()), &shared);
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn subcommands(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help")
}

/// Describes a command. `shared`: the options of every command, which are not repeated. The options
/// that all commands of a group have are described with the group.
fn describe(out: &mut String, command: &Command, name: &str, shared: &[&Arg]) {
    let about = command.get_long_about().or(command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim();
    // Writing to a string cannot fail.
    let about = about.trim();
    // The first line of help has no full stop.
    let stop = if about.ends_with(|c: char| c.is_alphanumeric() || c == ')') { "." } else { "" };
    let _ = write!(out, "## {name}\n\n{about}{stop}\n\n```text\n");
    let _ = write!(out, "{usage}\n```\n\n");
    let is_of_group = |arg: &Arg| {
        command.has_subcommands()
            && arg.is_global_set()
            && shared.iter().all(|other| other.get_id() != arg.get_id())
    };
    table(out, command.get_arguments().filter(|arg| is_own(arg) || is_of_group(arg)));
    for one in subcommands(command) {
        describe(out, one, &format!("{name} {}", one.get_name()), shared);
    }
}

fn table<'a>(out: &mut String, arguments: impl Iterator<Item = &'a Arg>) {
    let mut arguments = arguments.peekable();
    if arguments.peek().is_none() {
        return;
    }
    out.push_str("| argument or option | meaning |\n|---|---|\n");
    for arg in arguments {
        let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string);
        let mut meaning = help.unwrap_or_default();
        let defaults: Vec<_> =
            arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        // Switches are off by default.
        if defaults.iter().any(|value| !value.is_empty()) && arg.get_action().takes_values() {
            let _ = write!(meaning, " [default: {}]", defaults.join(" "));
        }
        let values =
            if arg.get_action().takes_values() { arg.get_possible_values() } else { vec![] };
        let values: Vec<String> = values
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| match value.get_help() {
                Some(help) => format!("`{}`: {help}", value.get_name()),
                None => format!("`{}`", value.get_name()),
            })
            .collect();
        if !values.is_empty() {
            let _ = write!(meaning, " ({})", values.join("; "));
        }
        let _ = writeln!(out, "| `{}` | {} |", cell(&spelling(arg)), cell(&meaning));
    }
    out.push('\n');
}

/// Spells an argument: `-o, --output <DIR>`, `<INPUT>...`.
fn spelling(arg: &Arg) -> String {
    let mut names = Vec::new();
    names.extend(arg.get_short().map(|short| format!("-{short}")));
    names.extend(arg.get_long().map(|long| format!("--{long}")));
    let mut spelled = names.join(", ");
    if arg.get_action().takes_values() {
        let id = arg.get_id().as_str().to_uppercase();
        let value = arg.get_value_names().and_then(|names| names.first()).map(|name| &**name);
        let value = format!("<{}>", value.unwrap_or(&id));
        spelled += if spelled.is_empty() { "" } else { " " };
        spelled += &value;
        let most = arg.get_num_args().map_or(1, |range| range.max_values());
        spelled += if most > 1 { "..." } else { "" };
    }
    spelled
}

/// Returns a text for a cell of a table.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

//! `findling resume`: prints the command with which an agent continues a session.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::json;

use super::{Wanted, find};
use crate::commands::search::{Output, finish};
use crate::output::byline::{is_conversation, known};
use crate::output::{Exit, UsageError};
use crate::safe_text::json_pretty;
use crate::standard_streams::stdout;
use crate::ui::Ui;

/// Print the command with which an agent continues the session of a conversation
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    wanted: Wanted,
    /// Print JSON: `directory` and `command`, a list of arguments
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn run(args: &Args, ui: &Ui) -> Result<ExitCode> {
    let output = Output { json: args.json, ..Output::default() };
    finish(&output, ui, || {
        let attributes = find(&args.wanted, ui)?.document.attributes;
        if !is_conversation(&attributes) {
            let message = format!("`{}` is no conversation", args.wanted.page);
            return Err(UsageError { code: "no-conversation", message }.into());
        }
        let text = |name: &str| known(&attributes, name);
        let command = command(&text("agent"), &text("session"))?;
        let directory = text("project");
        let mut out = stdout();
        if args.json {
            let printed = json!({ "directory": directory, "command": command });
            writeln!(out, "{}", json_pretty(&printed)?)?;
        } else {
            writeln!(out, "{}", line(&directory, &command))?;
        }
        Ok(Exit::Found)
    })
}

/// Returns the program and the arguments that continue a session.
///
/// # Errors
/// If the agent has no such command, or the session has no id of the form that agents give.
fn command(agent: &str, session: &str) -> Result<Vec<String>> {
    let begins: &[&str] = match agent {
        "Claude Code" => &["claude", "--resume"],
        "Codex" => &["codex", "resume"],
        "Gemini CLI" => &["gemini", "--resume"],
        "Copilot CLI" => &["copilot", "--resume"],
        "OpenCode" => &["opencode", "--session"],
        _ => {
            let agent = if agent.is_empty() { "its agent" } else { agent };
            let message = format!(
                "{agent} has no command that continues a session; those of Claude Code, Codex, \
                 Gemini CLI, Copilot CLI and OpenCode are known"
            );
            return Err(UsageError { code: "no-resume", message }.into());
        }
    };
    // The id comes from a log, and becomes an argument of a program.
    let is_id = session.starts_with(|c: char| c.is_ascii_alphanumeric())
        && session.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    if !is_id {
        let message = "expected a session id of letters, digits, `-`, `_` and `.` in the log, \
                       found none"
            .to_owned();
        return Err(UsageError { code: "no-session", message }.into());
    }
    Ok(begins.iter().copied().chain([session]).map(str::to_owned).collect())
}

/// Returns a line for a shell. A directory that no shell can be given safely is left out.
fn line(directory: &str, command: &[String]) -> String {
    let command = command.join(" ");
    let is_path = directory.starts_with(['/', '~'])
        || directory.get(1..3).is_some_and(|root| root == ":\\" || root == ":/");
    if !is_path || directory.contains(char::is_control) {
        return command;
    }
    format!("cd {} && {command}", quoted(directory))
}

/// Returns a word of a shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-:\\~".contains(c);
    if text.chars().all(is_plain) && !text.contains('\\') {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(agent: &str, session: &str, directory: &str) -> String {
        line(directory, &command(agent, session).unwrap())
    }

    #[test]
    fn each_agent_has_its_command() {
        let id = "5f1c-aa";
        assert_eq!(of("Claude Code", id, "/src/pool"), "cd /src/pool && claude --resume 5f1c-aa");
        assert_eq!(of("Codex", id, ""), "codex resume 5f1c-aa");
        assert_eq!(of("OpenCode", "ses_1", "/a b"), "cd '/a b' && opencode --session ses_1");
        assert_eq!(of("Gemini CLI", id, "D:\\src"), "cd 'D:\\src' && gemini --resume 5f1c-aa");
        assert_eq!(of("Copilot CLI", id, "/it's"), "cd '/it'\\''s' && copilot --resume 5f1c-aa");
    }

    #[test]
    fn nothing_of_a_log_becomes_a_command() {
        for session in ["", "-h", "--dangerously-skip-permissions", "a b", "a;b", "$(x)", "a\nb"] {
            assert!(command("Claude Code", session).is_err(), "{session:?}");
        }
        for directory in ["$(touch x)", "-P", "/a\nrm -r b", "pool"] {
            assert_eq!(of("Codex", "1", directory), "codex resume 1", "{directory:?}");
        }
        assert_eq!(of("Codex", "1", "/$(x)"), "cd '/$(x)' && codex resume 1");
        assert!(command("ChatGPT", "1").is_err());
    }
}

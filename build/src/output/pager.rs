//! Shows an answer that is longer than the screen in a pager.
//!
//! The pager is `$PAGER`, or `less` if `$PAGER` is not set and `less` is installed. An empty
//! `$PAGER` and `cat` mean no pager. Only answers on a terminal are paged.

use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use unicode_width::UnicodeWidthStr;

use crate::standard_streams::stdout;
use crate::ui::{Screen, Ui};

/// The pager if `$PAGER` is not set: it ends at once if the text fits the screen, passes colours
/// on, and leaves the text on the screen.
const DEFAULT: &str = "less -FRX";
/// The same options for a `less` that `$PAGER` names, unless `$LESS` has others.
const LESS: &str = "FRX";

/// Prints an answer to standard output, through a pager if it does not fit the screen.
///
/// # Errors
/// If standard output cannot be written, or the pager cannot be waited for.
pub fn print(answer: &[u8], ui: &Ui) -> Result<()> {
    let text = String::from_utf8_lossy(answer);
    let is_long = |screen: Screen| rows(&text, screen.columns) >= screen.rows;
    if ui.screen_to_page().is_some_and(is_long) && page(&text, ui)? {
        return Ok(());
    }
    let mut out = stdout();
    out.write_all(answer)?;
    Ok(out.flush()?)
}

/// Shows a text in the pager. Returns `false` if there is no pager.
fn page(text: &str, ui: &Ui) -> Result<bool> {
    let wanted = std::env::var("PAGER").ok();
    let Some(mut command) = command(wanted.as_deref()) else { return Ok(false) };
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", LESS);
    }
    let mut pager = match command.stdin(Stdio::piped()).spawn() {
        Ok(pager) => pager,
        Err(error) => {
            if let Some(wanted) = wanted {
                ui.warn(format!(
                    "expected a program in $PAGER, found `{wanted}`, which cannot be started \
                     ({error}); set PAGER to another one, or to nothing"
                ));
            }
            return Ok(false);
        }
    };
    leave_interrupts_to_the_pager();
    if let Some(mut input) = pager.stdin.take() {
        match input.write_all(without_links(text).as_bytes()) {
            // The pager ended before it had read everything.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
            written => written.context("the pager cannot be written to")?,
        }
    }
    pager.wait().context("the pager cannot be waited for")?;
    Ok(true)
}

/// Returns the command of the pager, given the value of `$PAGER`. `None` means no pager.
fn command(wanted: Option<&str>) -> Option<Command> {
    let mut words = wanted.unwrap_or(DEFAULT).split_whitespace();
    let program = words.next().filter(|program| *program != "cat")?;
    let mut command = Command::new(program);
    command.args(words);
    Some(command)
}

/// Ignores Ctrl+C in this program. The pager gets it too and handles it. This program must not end
/// before the pager, or the shell and the pager would both read the terminal.
fn leave_interrupts_to_the_pager() {
    #[cfg(all(unix, feature = "tui"))]
    {
        // If this fails, Ctrl+C ends this program as before.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, std::sync::Arc::default());
    }
}

/// Returns the rows that a text takes on a screen.
fn rows(text: &str, columns: usize) -> usize {
    let text = without_links(text);
    text.lines().map(|line| without_colours(line).width().div_ceil(columns.max(1)).max(1)).sum()
}

/// Removes the addresses of links (OSC 8), since not every pager passes them on.
fn without_links(text: &str) -> String {
    without(text, "\x1b]8;;", "\x1b\\")
}

/// Removes the codes of colours.
fn without_colours(text: &str) -> String {
    without(text, "\x1b[", "m")
}

/// Removes the stretches between these codes.
fn without(text: &str, begin: &str, end: &str) -> String {
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    while let Some((before, after)) = rest.split_once(begin) {
        kept.push_str(before);
        rest = after.split_once(end).map_or("", |(_, rest)| rest);
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_count_wrapped_lines_without_colours_and_links() {
        for (text, columns, expect) in [
            ("", 80, 0),
            ("a\n\nb\n", 80, 3),
            ("abcdef\n", 3, 2),
            ("abcdefg\n", 3, 3),
            ("\u{1b}[1mabc\u{1b}[0m\n", 3, 1),
            ("\u{1b}]8;;https://example.org/\u{1b}\\abc\u{1b}]8;;\u{1b}\\\n", 3, 1),
            ("漢字\n", 3, 2),
        ] {
            assert_eq!(rows(text, columns), expect, "{text:?}");
        }
    }

    #[test]
    fn the_pager_is_a_program_with_arguments_or_none() {
        let words = |wanted: Option<&str>| {
            let command = command(wanted)?;
            let args = command.get_args().map(|arg| arg.to_string_lossy().into_owned());
            let program = command.get_program().to_string_lossy().into_owned();
            Some(std::iter::once(program).chain(args).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(words(None).as_deref(), Some("less -FRX"));
        assert_eq!(words(Some("  more -s ")).as_deref(), Some("more -s"));
        for none in ["", " ", "cat", "cat -v"] {
            assert_eq!(words(Some(none)), None, "{none:?}");
        }
    }
}

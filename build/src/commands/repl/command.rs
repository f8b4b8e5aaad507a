//! Parses a line: a query, or a command that begins with a colon.

use clap::ValueEnum;

use crate::commands::search::FormatArg;
use crate::commands::tui::modes::Mode;
use crate::output::UsageError;

/// A line that was typed.
#[derive(Clone, Debug, PartialEq)]
pub enum Command<'a> {
    Query(&'a str),
    /// Adds a filter; without one, lists them.
    Filter(Option<&'a str>),
    /// Removes a filter by its number, or all.
    Unfilter(Option<usize>),
    Mode(Option<Mode>),
    Format(Option<FormatArg>),
    Limit(Option<u32>),
    More,
    Facets(Option<&'a str>),
    Explain(usize),
    Open {
        number: usize,
        in_browser: bool,
    },
    Save(&'a str),
    Help,
    Quit,
}

/// A command, for `:help`, the completion and the documentation.
pub struct Known {
    pub name: &'static str,
    pub argument: &'static str,
    pub does: &'static str,
}

const fn known(name: &'static str, argument: &'static str, does: &'static str) -> Known {
    Known { name, argument, does }
}

/// Every command.
pub const COMMANDS: &[Known] = &[
    known(":filter", "[EXPR]", "keep a filter for the queries that follow; without one, list them"),
    known(":unfilter", "[N]", "remove the filter with this number; without one, all of them"),
    known(":mode", "[MODE]", "search by words, static, transformer or hybrid"),
    known(
        ":format",
        "[FORMAT]",
        "print text, brief, markdown, json, jsonl, csv, paths or citations",
    ),
    known(":limit", "[N]", "show so many pages"),
    known(":more", "", "show the next pages"),
    known(
        ":facets",
        "[NAME]",
        "count the values of an attribute over what was found; of all facets",
    ),
    known(":explain", "[N]", "explain the score of a hit"),
    known(":open", "[N] [browser]", "open a hit in the editor, or in the browser"),
    known(
        ":save",
        "FILE",
        "write the answer to a file; .md, .json, .jsonl, .csv decide the format",
    ),
    known(":help", "", "list these commands"),
    known(":quit", "", "end; so do `quit`, Ctrl+C twice and Ctrl+D"),
];

/// Returns the words for the values of an argument.
pub fn words<T: ValueEnum + 'static>() -> impl Iterator<Item = String> {
    T::value_variants().iter().filter_map(word)
}

/// Returns the word that names a value.
pub fn word<T: ValueEnum>(value: &T) -> Option<String> {
    Some(value.to_possible_value()?.get_name().to_owned())
}

/// Returns the formats of a single answer.
pub fn formats() -> impl Iterator<Item = String> {
    words::<FormatArg>().filter(|name| word(&FormatArg::Trec).as_ref() != Some(name))
}

/// Reads a line that is not empty. A command may be shortened to any unambiguous beginning.
///
/// # Errors
/// If there is no such command, or its argument is not valid.
pub fn parse(line: &str) -> Result<Command<'_>, UsageError> {
    let line = line.trim();
    // These words leave other prompts; in quotation marks they are searched for.
    if matches!(line, "quit" | "exit") {
        return Ok(Command::Quit);
    }
    if !line.starts_with(':') {
        return Ok(Command::Query(line));
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let argument = (!rest.is_empty()).then_some(rest);
    Ok(match name(word)? {
        ":filter" => Command::Filter(argument),
        ":unfilter" => Command::Unfilter(argument.map(number).transpose()?),
        ":mode" => Command::Mode(argument.map(|text| value(text, words::<Mode>())).transpose()?),
        ":format" => Command::Format(argument.map(|text| value(text, formats())).transpose()?),
        ":limit" => Command::Limit(argument.map(number).transpose()?.map(|n| n.min(200) as u32)),
        ":more" => Command::More,
        ":facets" => Command::Facets(argument),
        ":explain" => Command::Explain(argument.map_or(Ok(1), number)?),
        ":open" => {
            let (first, second) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let (first, second) = if first == "browser" { ("1", first) } else { (first, second) };
            let number = if first.is_empty() { 1 } else { number(first)? };
            let in_browser = match second.trim() {
                "" => false,
                "browser" => true,
                other => return Err(wrong("`browser` or nothing", other)),
            };
            Command::Open { number, in_browser }
        }
        ":save" => Command::Save(argument.ok_or_else(|| wrong("a file", "none"))?),
        ":help" => Command::Help,
        _ => Command::Quit,
    })
}

/// Returns the command that a word names, in full or by its beginning.
fn name(word: &str) -> Result<&'static str, UsageError> {
    let names = || COMMANDS.iter().map(|known| known.name);
    if let Some(name) = names().find(|name| *name == word) {
        return Ok(name);
    }
    let begun: Vec<&str> = names().filter(|name| name.starts_with(word)).collect();
    match begun[..] {
        [name] => Ok(name),
        [] => {
            let near = names().max_by(|a, b| {
                strsim::jaro_winkler(a, word).total_cmp(&strsim::jaro_winkler(b, word))
            });
            let near = near.unwrap_or(":help");
            Err(wrong(&format!("a command such as {near} (:help lists them)"), word))
        }
        _ => Err(wrong(&format!("one of {}", begun.join(", ")), word)),
    }
}

fn number(text: &str) -> Result<usize, UsageError> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| wrong("a number from 1", text))
}

/// Returns the value that a word names. It must be one of the expected values.
fn value<T: ValueEnum>(
    text: &str,
    expected: impl Iterator<Item = String>,
) -> Result<T, UsageError> {
    let expected: Vec<String> = expected.collect();
    let known = expected.iter().any(|name| name == text);
    let value = known.then(|| T::from_str(text, false).ok()).flatten();
    value.ok_or_else(|| wrong(&expected.join(", "), text))
}

fn wrong(expected: &str, found: &str) -> UsageError {
    UsageError { code: "usage", message: format!("expected {expected}, found `{found}`") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_and_may_be_shortened() {
        for (line, expect) in [
            ("share data", Command::Query("share data")),
            (" attribute:value ", Command::Query("attribute:value")),
            (":filter year>=2020 and kind=a", Command::Filter(Some("year>=2020 and kind=a"))),
            (":filter", Command::Filter(None)),
            (":unf 2", Command::Unfilter(Some(2))),
            (":mode words", Command::Mode(Some(Mode::Words))),
            (":format json", Command::Format(Some(FormatArg::Json))),
            (":explain 3", Command::Explain(3)),
            (":e", Command::Explain(1)),
            (":open 2", Command::Open { number: 2, in_browser: false }),
            (":open browser", Command::Open { number: 1, in_browser: true }),
            (":o 2 browser", Command::Open { number: 2, in_browser: true }),
            (":save a b.md", Command::Save("a b.md")),
            (":q", Command::Quit),
            ("quit", Command::Quit),
            ("\"quit\"", Command::Query("\"quit\"")),
        ] {
            assert_eq!(parse(line).unwrap(), expect, "{line}");
        }
    }

    #[test]
    fn the_document_lists_every_command() {
        let document = include_str!("../../../../docs/command-line.md");
        let row = |known: &Known| {
            let name = format!("{} {}", known.name, known.argument);
            format!("| `{}` | {} |", name.trim(), known.does)
        };
        let rows: Vec<String> = COMMANDS.iter().map(row).collect();
        let table = format!("| command | does |\n|---|---|\n{}\n\n", rows.join("\n"));
        assert!(document.contains(&table), "docs/command-line.md has not:\n{table}");
    }

    #[test]
    fn what_is_none_is_refused() {
        for line in [
            ":",
            ":nosuch",
            ":mode fast",
            ":format trec",
            ":explain x",
            ":open 0",
            ":open 1 tab",
            ":save",
            ":limit -1",
        ] {
            assert_eq!(parse(line).unwrap_err().code, "usage", "{line}");
        }
    }
}

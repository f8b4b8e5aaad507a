//! Completes commands, their arguments, and names and values of attributes.

use std::cell::RefCell;
use std::rc::Rc;

use rustyline::completion::{Completer, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

use super::command::{COMMANDS, formats, words};
use super::session::Session;
use crate::commands::tui::modes::Mode;
use crate::safe_text::is_safe;

/// Maximum number of candidates that are listed.
const MOST: usize = 60;

/// Completes a line.
pub struct Completion {
    pub session: Rc<RefCell<Session>>,
}

/// The text before the cursor, classified.
#[derive(Debug, PartialEq, Eq)]
enum Place<'a> {
    /// A command's name.
    Command(&'a str),
    /// The argument of a command that takes one of several words.
    Word {
        command: &'a str,
        begun: &'a str,
    },
    /// The name of an attribute; in a query it is followed by a colon.
    Name {
        begun: &'a str,
        in_query: bool,
    },
    Value {
        name: &'a str,
        begun: &'a str,
        in_query: bool,
    },
}

impl Completer for Completion {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        cursor: usize,
        _context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let place = place(&line[..cursor]);
        let (begun, found) = match place {
            Place::Command(begun) => {
                (begun, COMMANDS.iter().map(|known| known.name.to_owned()).collect())
            }
            Place::Word { command, begun } => {
                let words: Vec<String> = match command {
                    ":mode" => words::<Mode>().collect(),
                    ":format" => formats().collect(),
                    ":facets" => self.session.borrow().attributes(),
                    _ => Vec::new(),
                };
                (begun, words)
            }
            Place::Name { begun, in_query } => {
                let mark = if in_query && !begun.is_empty() { ":" } else { "" };
                let names = self.session.borrow().attributes();
                // In a query most words are not attributes.
                let names = names.into_iter().filter(|_| !in_query || !begun.is_empty());
                (begun, names.map(|name| format!("{name}{mark}")).collect())
            }
            Place::Value { name, begun, in_query } => {
                let values = self.session.borrow_mut().values(name);
                let values = values.into_iter().map(|value| quoted(&value, in_query));
                (begun, values.collect())
            }
        };
        let mut pairs: Vec<Pair> = Vec::new();
        // Text of a site that could control the terminal is not offered.
        for one in found.into_iter().filter(|one| starts(one, begun) && is_safe(one)).take(MOST) {
            pairs.push(Pair { display: one.clone(), replacement: one });
        }
        Ok((cursor - begun.len(), pairs))
    }
}

impl Hinter for Completion {
    type Hint = String;
}
impl Highlighter for Completion {}
impl Validator for Completion {}
impl Helper for Completion {}

/// Returns whether a candidate begins with the typed text, regardless of case and of an opening
/// quote.
fn starts(candidate: &str, begun: &str) -> bool {
    let begins = |text: &str, with: &str| text.to_lowercase().starts_with(&with.to_lowercase());
    begins(candidate, begun)
        || candidate.strip_prefix('"').is_some_and(|inside| begins(inside, begun))
}

/// Returns a value as a filter or a query takes it: quoted if it would otherwise end early.
fn quoted(value: &str, in_query: bool) -> String {
    let plain = |c: char| {
        c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/') || (in_query && c == ',')
    };
    if !value.is_empty() && value.chars().all(plain) {
        return value.to_owned();
    }
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Classifies the end of the text before the cursor.
fn place(text: &str) -> Place<'_> {
    let trimmed = text.trim_start();
    if !trimmed.starts_with(':') {
        return term(text, true);
    }
    match trimmed.split_once(char::is_whitespace) {
        None => Place::Command(trimmed),
        Some((":filter", rest)) => term(rest, false),
        Some((command, rest)) => {
            let begun = rest.rsplit(char::is_whitespace).next().unwrap_or_default();
            Place::Word { command, begun }
        }
    }
}

/// Returns the last term of a query or a filter.
fn term(text: &str, in_query: bool) -> Place<'_> {
    let operators: &[&str] =
        if in_query { &[":"] } else { &["!=", ">=", "<=", "=", ">", "<", "~"] };
    let start = start_of_term(text);
    let term = text[start..].trim_start_matches(['(', '-']);
    // Take the longer of two that begin at the same place.
    let found = operators.iter().filter_map(|one| Some((term.find(one)?, one.len())));
    let first = found.min_by_key(|(at, len)| (*at, usize::MAX - len));
    if let Some((at, len)) = first {
        let begun = &term[at + len..];
        return Place::Value { name: term[..at].trim(), begun, in_query };
    }
    // `key in a, b`
    if !in_query
        && let Some((before, begun)) = text.rsplit_once(" in ")
        && let Some(name) = before.split_whitespace().next_back()
        && !begun.contains(" and ")
    {
        let begun = begun.rsplit(',').next().unwrap_or_default().trim_start();
        return Place::Value { name: name.trim_start_matches('('), begun, in_query };
    }
    Place::Name { begun: term, in_query }
}

/// Returns the beginning of the last term: after the last space or comma outside of quotes.
fn start_of_term(text: &str) -> usize {
    let (mut start, mut open) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => open = !open,
            ' ' | ',' if !open => start = at + c.len_utf8(),
            _ => {}
        }
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_the_cursor_is_known() {
        let name = |begun, in_query| Place::Name { begun, in_query };
        let value = |name, begun, in_query| Place::Value { name, begun, in_query };
        for (text, expect) in [
            (":f", Place::Command(":f")),
            (":mode w", Place::Word { command: ":mode", begun: "w" }),
            (":filter ye", name("ye", false)),
            (":filter year>=20", value("year", "20", false)),
            (":filter a=b and (ki", name("ki", false)),
            (":filter a=b, kind!=m", value("kind", "m", false)),
            (":filter kind=\"two wo", value("kind", "\"two wo", false)),
            (":filter kind in a, b", value("kind", "b", false)),
            ("share da", name("da", true)),
            ("share kind:me", value("kind", "me", true)),
            ("share -kind:", value("kind", "", true)),
        ] {
            assert_eq!(place(text), expect, "{text}");
        }
    }

    #[test]
    fn values_are_quoted_where_they_must_be() {
        assert_eq!(quoted("method", false), "method");
        assert_eq!(quoted("a, b", false), "\"a, b\"");
        assert_eq!(quoted("say \"x\\", true), r#""say \"x\\""#);
        assert!(starts("\"two words\"", "two") && starts("\"two words\"", "\"Two"));
        assert!(!starts("one", "two"));
    }
}

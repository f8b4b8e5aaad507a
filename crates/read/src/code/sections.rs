//! The sections of a file of code.

use super::blocks::{code, with_heading};
use super::languages::{Grammar, Language};
use super::lines::Lines;
#[cfg(feature = "code")]
use super::symbol_sections;
use findling_page::page::Section;

/// Smallest and largest number of lines of a section, in a file that is cut at blank lines.
const PLAIN_LINES: (usize, usize) = (12, 40);

/// Returns the sections of a text.
pub(super) fn of(text: &str, language: Option<&Language>) -> Vec<Section> {
    let grammar = language.and_then(|language| language.grammar);
    grammar.and_then(|grammar| of_symbols(text, grammar)).unwrap_or_else(|| of_paragraphs(text))
}

#[cfg(feature = "code")]
fn of_symbols(text: &str, grammar: &Grammar) -> Option<Vec<Section>> {
    symbol_sections::of(text, grammar)
}

#[cfg(not(feature = "code"))]
fn of_symbols(_: &str, grammar: &Grammar) -> Option<Vec<Section>> {
    match *grammar {}
}

fn of_paragraphs(text: &str) -> Vec<Section> {
    let lines = Lines::plain(text);
    let mut sections = Vec::new();
    for part in lines.cut(0..lines.len(), PLAIN_LINES.0, PLAIN_LINES.1) {
        let part = lines.trim(part);
        if part.is_empty() {
            continue;
        }
        let heading = if sections.is_empty() { String::new() } else { lines.heading(part.clone()) };
        let blocks = code(&lines, part.clone()).into_iter().collect();
        sections.push(with_heading(heading, &part, blocks));
    }
    sections
}

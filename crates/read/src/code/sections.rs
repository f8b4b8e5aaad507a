//! The sections of a file of code.

use super::blocks::{code, with_heading};
use super::languages::{Grammar, Language};
use super::lines::Lines;
#[cfg(feature = "code")]
use super::symbol_sections;
use findling_page::page::Section;

/// Smallest and largest number of lines of a section, in a file that is cut at blank lines.
const PLAIN_LINES: (usize, usize) = (12, 40);

/// Returns the sections of a text. With `visibility`, sections of symbols say whether other
/// programs can use them.
pub(super) fn of(text: &str, language: Option<&Language>, visibility: bool) -> Vec<Section> {
    let visible_in = language.filter(|_| visibility).map(|language| language.name);
    let grammar = language.and_then(|language| language.grammar);
    let of_symbols = |grammar| of_symbols(text, grammar, visible_in);
    grammar.and_then(of_symbols).unwrap_or_else(|| of_paragraphs(text))
}

#[cfg(feature = "code")]
fn of_symbols(text: &str, grammar: &Grammar, visible_in: Option<&str>) -> Option<Vec<Section>> {
    symbol_sections::of(text, grammar, visible_in)
}

#[cfg(not(feature = "code"))]
fn of_symbols(_: &str, grammar: &Grammar, _: Option<&str>) -> Option<Vec<Section>> {
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

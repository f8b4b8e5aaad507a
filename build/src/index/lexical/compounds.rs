//! Parts of compounds: in languages that write a compound as one word, a title with
//! `Tabellendokument` is found by `Dokument` too.
//!
//! The page itself says which parts are words: those that it has elsewhere as words of their own.
//! So no dictionary is needed, and an edit changes the analysis of its own page alone. Terms are
//! compared, which are stems: the last part of a compound is inflected as it is alone.

use std::collections::HashSet;

use findling_text::{Analyzer, COMPOUNDING, TokenKind};

use crate::chunk::ChunkedPage;
use crate::page::Page;

/// The fewest characters of a part, and of what stands in front of it or behind it.
const MIN_PART: usize = 4;

/// What joins two parts, longest first.
const LINKS: [&str; 6] = ["en", "es", "er", "s", "n", "e"];

/// The words of a page that can be parts of compounds; none in languages that do not join words.
#[derive(Debug, Default)]
pub struct Parts(HashSet<Box<str>>);

impl Parts {
    /// The words of a page in its language.
    pub fn of(page: &Page, chunked: &ChunkedPage, analyzer: &mut Analyzer) -> Self {
        let mut words = HashSet::new();
        if COMPOUNDING.contains(&analyzer.language()) {
            let headings = chunked.sections.iter().flat_map(|s| [&s.heading, &s.text]);
            for text in headings.chain([&page.title]) {
                analyzer.analyze(text, |token| {
                    let is_part = token.kind == TokenKind::Word
                        && is_long_enough(token.term)
                        && token.term.chars().all(char::is_alphabetic);
                    if is_part && !words.contains(token.term) {
                        words.insert(token.term.into());
                    }
                });
            }
        }
        Self(words)
    }

    /// The longest last part of a compound, and the longest first part.
    pub fn of_compound<'t>(&self, term: &'t str) -> impl Iterator<Item = &'t str> {
        let (mut last, mut first) = (None, None);
        if !self.0.is_empty() {
            last = cuts(term).map(|(_, last)| last).find(|last| self.has(last));
            first = cuts(term).filter_map(|(first, _)| self.without_link(first)).last();
        }
        last.into_iter().chain(first)
    }

    fn has(&self, part: &str) -> bool {
        self.0.contains(part)
    }

    /// What stands in front of a last part, as the word that it is alone.
    fn without_link<'t>(&self, first: &'t str) -> Option<&'t str> {
        let cut = LINKS.iter().filter_map(|link| first.strip_suffix(*link));
        [first].into_iter().chain(cut).find(|part| is_long_enough(part) && self.has(part))
    }
}

/// A term cut into two in all places that leave enough on both sides.
fn cuts(term: &str) -> impl Iterator<Item = (&str, &str)> {
    let all = term.char_indices().map(move |(at, _)| term.split_at(at));
    all.filter(|(first, last)| is_long_enough(first) && is_long_enough(last))
}

fn is_long_enough(part: &str) -> bool {
    part.chars().nth(MIN_PART - 1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::ChunkedSection;

    fn parts(language: &str, text: &str, compound: &str) -> Vec<String> {
        let section = ChunkedSection { text: text.to_owned(), ..ChunkedSection::default() };
        let chunked = ChunkedPage { sections: vec![section] };
        let mut analyzer = Analyzer::for_language(language);
        let parts = Parts::of(&Page::default(), &chunked, &mut analyzer);
        let mut found = Vec::new();
        analyzer.analyze(compound, |token| {
            found.extend(parts.of_compound(token.term).map(str::to_owned));
        });
        found
    }

    #[test]
    fn parts_are_words_that_the_page_has() {
        let text = "Ein Dokument mit Tabellen. Der Rand des Linkers.";
        assert_eq!(parts("de", text, "Tabellendokumente"), ["dokument", "tabell"]);
        assert_eq!(parts("de", text, "Seitenrand"), ["rand"]);
        assert_eq!(parts("de", text, "Seitenzahl"), [""; 0]);
        assert_eq!(parts("de", text, "Dokument"), [""; 0]);
        assert_eq!(parts("en", "A table. Cloth.", "tablecloth"), [""; 0]);
    }
}

//! The words of a query in a text, by the same analysis as a search.

use std::collections::HashSet;
use std::ops::Range;

use findling_text::{Analyzer, TokenKind};

/// Maximum number of words of a query that are marked.
const MAX_WORDS: usize = 64;

/// The terms of a query in the language of a page.
pub struct Marks {
    analyzer: Analyzer,
    terms: HashSet<String>,
}

impl Marks {
    /// Returns the words of a query. Excluded words and words that occur in any text are left out.
    pub fn new(query: &str, language: &str) -> Self {
        let mut analyzer = Analyzer::for_language(language);
        let (mut terms, mut common) = (HashSet::new(), HashSet::new());
        let words = query.split_whitespace().filter(|word| !word.starts_with('-'));
        for word in words.take(MAX_WORDS) {
            if is_condition(word) {
                continue;
            }
            let mut whole = false;
            analyzer.analyze(word, |token| match token.kind {
                TokenKind::Stop => {
                    common.insert(token.term.to_owned());
                }
                // Parts of identifiers are not marked: they occur everywhere.
                TokenKind::Part if whole => {}
                kind => {
                    whole = kind == TokenKind::Whole;
                    terms.insert(token.term.to_owned());
                }
            });
        }
        if terms.is_empty() {
            terms = common;
        }
        Self { analyzer, terms }
    }

    /// Returns the byte ranges of a text that have the words, in order, without overlaps.
    pub fn of(&mut self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        if self.terms.is_empty() {
            return found;
        }
        let terms = &self.terms;
        self.analyzer.analyze(text, |token| {
            if terms.contains(token.term) {
                found.push(token.start as usize..token.end as usize);
            }
        });
        found.sort_unstable_by_key(|range| range.start);
        let mut joined: Vec<Range<usize>> = Vec::with_capacity(found.len());
        for range in found {
            match joined.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        joined
    }
}

/// Returns whether a word is `attribute:value`, which does not occur in the text. `std::sync` is a
/// word of the text.
fn is_condition(word: &str) -> bool {
    word.split_once(':').is_some_and(|(name, value)| {
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        is_name && !value.is_empty() && !value.starts_with([':', '/'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(query: &str, text: &str) -> Vec<String> {
        let ranges = Marks::new(query, "en").of(text);
        ranges.into_iter().map(|range| text[range].to_owned()).collect()
    }

    #[test]
    fn words_are_found_in_their_other_forms_and_common_words_are_not() {
        let text = "The thread shares a mutex with other threads.";
        assert_eq!(marked("how do the threads share", text), ["thread", "shares", "threads"]);
        assert_eq!(marked("mutex -thread", text), ["mutex"]);
        assert_eq!(marked("role:user mutex", text), ["mutex"]);
        assert!(!is_condition("std::mutex") && !is_condition("https://x.org"));
        assert_eq!(marked("the", text), ["The"]);
        assert_eq!(marked("", text), [""; 0]);
    }

    #[test]
    fn a_name_is_found_as_a_whole() {
        assert_eq!(marked("HashMap", "a map, a HashMap, hash"), ["HashMap"]);
        assert_eq!(marked("map", "a HashMap"), ["Map"]);
    }
}

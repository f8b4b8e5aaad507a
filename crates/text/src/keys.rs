//! Keys of the lexicon that are no terms: the form a word has in a title, and a title as a whole.
//!
//! Terms are stems without diacritics, so they cannot tell "universe" from "university", or "Café"
//! from "cafe". For words of titles and headings the lexicon has the form besides, behind the term:
//! it lies beside the term in the order of the lexicon, so that looking it up fetches nothing more.
//! Titles whose stop words matter ("what's new") have a key for all of their words in their order,
//! behind the first word that is none.
//!
//! Terms have no control characters, so no key is a term.

use crate::normalise::lower_case;
use crate::{Analyzer, Token, TokenKind};

/// Between a term and a form of it.
const FORM: char = '\u{1}';
/// Between a title's first word and the hash of all.
const NAME: char = '\u{2}';
/// Between the first word of a query that pages are pinned to and the hash of all.
const PIN: char = '\u{3}';
/// Longest form, in bytes.
const MAX_FORM_BYTES: usize = 48;

/// The key of a word's form; `None` for one that is too long.
pub fn form_key(term: &str, spelt: &str) -> Option<String> {
    let form = lower_case(spelt);
    (form.len() <= MAX_FORM_BYTES).then(|| format!("{term}{FORM}{form}"))
}

/// The term and the form of which a key is made; `None` for other keys and for terms.
pub fn split_form(key: &str) -> Option<(&str, &str)> {
    key.split_once(FORM)
}

/// Adds the keys that forms may have in their other number, `closures` for `closure`; most of them
/// are none.
pub fn add_other_numbers(keys: &mut Vec<String>) {
    for i in 0..keys.len() {
        for end in ["s", "es"] {
            // An ending that does not fit makes a form that no title has.
            let more = [&keys[i], end].concat();
            let less = keys[i].strip_suffix(end).map(str::to_owned);
            keys.push(more);
            keys.extend(less);
        }
    }
}

/// The first word and the hash of which a name's key is made; `None` for other keys and for terms.
pub fn split_name(key: &str) -> Option<(&str, &str)> {
    key.split_once(NAME)
}

/// The key of the pages that a site has pinned to the query of which `name` is the key as a title.
pub fn pin_key(name: &str) -> String {
    name.replace(NAME, &PIN.to_string())
}

/// Whether this is a key rather than a term.
pub fn is_key(term: &str) -> bool {
    term.contains([FORM, NAME, PIN])
}

/// The words of a title, or of a query that may be one, on the way to their key.
#[derive(Clone, Debug, Default)]
pub struct Name {
    /// FNV-1a.
    hash: u64,
    /// The first word that is no stop word, or else the first.
    first: String,
    first_is_stop: bool,
    n_words: u32,
    has_stop: bool,
}

impl Name {
    /// The words of a text.
    pub fn of(analyzer: &mut Analyzer, text: &str) -> Self {
        let mut name = Self::default();
        analyzer.analyze(text, |token| name.push(&token));
        name
    }

    /// Adds the next token. Parts of identifiers say nothing that the whole does not.
    pub fn push(&mut self, token: &Token<'_>) {
        if token.kind == TokenKind::Part {
            return;
        }
        let is_stop = token.kind == TokenKind::Stop;
        if self.n_words == 0 || self.first_is_stop && !is_stop {
            self.first.clear();
            self.first.push_str(token.term);
            self.first_is_stop = is_stop;
        }
        self.has_stop |= is_stop;
        self.n_words += 1;
        for &byte in token.term.as_bytes().iter().chain(b" ") {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Adds the next token, unless it is a stop word in front of all others: `change my password`
    /// of "How do I change my password?".
    pub fn push_behind_stops(&mut self, token: &Token<'_>) {
        if self.n_words > 0 || token.kind != TokenKind::Stop {
            self.push(token);
        }
    }

    /// Whether there is a word that scoring leaves out.
    pub fn has_stop(&self) -> bool {
        self.has_stop
    }

    /// Words, parts of identifiers left out.
    pub fn n_words(&self) -> u32 {
        self.n_words
    }

    /// The key; `None` without a word. 40 bits tell titles with one first word apart.
    pub fn key(&self) -> Option<String> {
        const DIGITS: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";
        if self.n_words == 0 {
            return None;
        }
        let mut key = self.first.clone();
        key.push(NAME);
        let hash = self.hash ^ self.hash >> 40;
        key.extend((0..8).map(|i| char::from(DIGITS[(hash >> (5 * i)) as usize & 31])));
        Some(key)
    }
}

/// A synonym as a language analyses it: what build and query have to agree on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording {
    /// The terms that stand in a row, parts of identifiers left out; at least one.
    pub terms: Vec<String>,
    /// What it is indexed and looked up under: its term, or the key of its row of terms.
    pub key: String,
}

impl Wording {
    /// Analyses a text; `None` without a word.
    pub fn of(analyzer: &mut Analyzer, text: &str) -> Option<Self> {
        let (mut name, mut terms) = (Name::default(), Vec::new());
        analyzer.analyze(text, |token| {
            name.push(&token);
            if token.kind != TokenKind::Part {
                terms.push(token.term.to_string());
            }
        });
        let key = match terms.as_slice() {
            [term] => term.clone(),
            _ => name.key()?,
        };
        Some(Self { terms, key })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::of(&mut Analyzer::for_language("en"), text)
    }

    #[test]
    fn a_synonym_is_its_term_or_its_row_of_terms() {
        let wording = |text| Wording::of(&mut Analyzer::for_language("en"), text);
        let one = wording("Applications").unwrap();
        assert_eq!((one.terms, one.key.as_str()), (vec!["applic".to_string()], "applic"));
        let row = wording("single-page application").unwrap();
        assert_eq!(row.terms, ["singlepag", "applic"]);
        assert_eq!(Some(row.key), name("single-page application").key());
        assert_eq!(wording("..."), None);
    }

    #[test]
    fn a_title_is_its_words_in_their_order() {
        assert_eq!(name("What's New").key(), name("what’s new?").key());
        assert_ne!(name("what's new").key(), name("new projects").key());
        assert_ne!(name("new what's").key(), name("what's new").key());
        assert_ne!(name("vitamin a").key(), name("vitamin c").key());
        assert!(name("vitamin a").key().unwrap().starts_with("vitamin\u{2}"));
        assert!(name("to be").key().unwrap().starts_with("to\u{2}"));
        assert!(name("vitamin a").has_stop() && !name("vitamin c").has_stop());
        assert_eq!(name("...").key(), None);
    }

    #[test]
    fn forms_lie_beside_their_term() {
        let key = form_key("univers", "Universe").unwrap();
        assert!(*"univers" < *key && *key < *"universa");
        assert_eq!(split_form(&key), Some(("univers", "universe")));
        assert!(is_key(&key) && !is_key("univers"));
        assert_eq!(form_key("a", &"x".repeat(60)), None);
        for (form, other) in [("closure", "closures"), ("closures", "closure")] {
            let mut keys = vec![form_key("closur", form).unwrap()];
            add_other_numbers(&mut keys);
            assert!(keys[1..].contains(&form_key("closur", other).unwrap()), "{keys:?}");
        }
    }
}

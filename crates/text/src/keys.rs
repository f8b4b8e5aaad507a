//! Keys of the lexicon beside terms: the form that a word has in a title, and a title as a whole.
//!
//! Terms are stems without diacritics. They cannot tell "universe" from "university", or "Café"
//! from "cafe". So the lexicon also has the form of each word of a title or heading. The key of a
//! form begins with its term: it is the term's neighbour in the lexicon, and no other shard is
//! fetched for it. A title whose stop words matter ("what's new") has a key for all of its words in
//! their order. That key begins with the first word that is not a stop word.
//!
//! Terms have no control characters, and every key has one, so no key equals a term.

use crate::normalise::lower_case;
use crate::{Analyzer, Token, TokenKind};

/// Separates a term from a form of it.
const FORM: char = '\u{1}';
/// Separates the first word of a title from the hash of all its words.
const NAME: char = '\u{2}';
/// Separates the first word of a query that has pins from the hash of all its words.
const PIN: char = '\u{3}';
/// Separates the first word of a symbol's name from the hash of the name as written.
const SYMBOL: char = '\u{4}';
/// The most bytes of a form.
const MAX_FORM_BYTES: usize = 48;

/// Returns the key of a word's form; `None` if the form is too long.
pub fn form_key(term: &str, spelt: &str) -> Option<String> {
    let form = lower_case(spelt);
    (form.len() <= MAX_FORM_BYTES).then(|| format!("{term}{FORM}{form}"))
}

/// Returns the term and the form of a form's key; `None` for other keys and for terms.
pub fn split_form(key: &str) -> Option<(&str, &str)> {
    key.split_once(FORM)
}

/// Adds the keys of the singular or plural of each form, `closures` for `closure`. Most of these
/// forms do not exist and are not in the lexicon.
pub fn add_other_numbers(keys: &mut Vec<String>) {
    for i in 0..keys.len() {
        for end in ["s", "es"] {
            let more = [&keys[i], end].concat();
            let less = keys[i].strip_suffix(end).map(str::to_owned);
            keys.push(more);
            keys.extend(less);
        }
    }
}

/// Returns the first word and the hash of a title's key; `None` for other keys and for terms.
pub fn split_name(key: &str) -> Option<(&str, &str)> {
    key.split_once(NAME)
}

/// Returns the key of the pages pinned to a query. `name`: the query's key as a title.
pub fn pin_key(name: &str) -> String {
    name.replace(NAME, &PIN.to_string())
}

/// Returns whether this is a key rather than a term.
pub fn is_key(term: &str) -> bool {
    term.contains([FORM, NAME, PIN, SYMBOL])
}

/// Returns the key of a symbol of a program, by its name as written: `_split` and `split` differ,
/// and `Request` and `request`, whose terms are the same. The brackets of a call are no part of it.
/// `None` for a text of several words, or without any.
pub fn symbol_key(analyzer: &mut Analyzer, name: &str) -> Option<String> {
    let name = name.strip_suffix("()").unwrap_or(name);
    if name.contains(char::is_whitespace) {
        return None;
    }
    let Name { first, n_words: 1.., .. } = Name::of(analyzer, name) else { return None };
    Some(hashed(first, SYMBOL, fnv(0, name.as_bytes())))
}

/// Continues an FNV-1a hash with the bytes of `text`.
fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Returns a key with 40 bits of a hash, enough to distinguish keys with the same first word.
fn hashed(mut key: String, separator: char, hash: u64) -> String {
    const DIGITS: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";
    key.push(separator);
    let hash = hash ^ hash >> 40;
    key.extend((0..8).map(|i| char::from(DIGITS[(hash >> (5 * i)) as usize & 31])));
    key
}

/// Collects the words of a title, or of a query that may be a title, and makes their key.
#[derive(Clone, Debug, Default)]
pub struct Name {
    /// FNV-1a.
    hash: u64,
    /// The first word that is not a stop word; the first word if all are stop words.
    first: String,
    first_is_stop: bool,
    n_words: u32,
    has_stop: bool,
}

impl Name {
    /// Returns the words of a text.
    pub fn of(analyzer: &mut Analyzer, text: &str) -> Self {
        let mut name = Self::default();
        analyzer.analyze(text, |token| name.push(&token));
        name
    }

    /// Adds the next token. Parts of identifiers are skipped, since the whole is added; so are
    /// marks.
    pub fn push(&mut self, token: &Token<'_>) {
        if matches!(token.kind, TokenKind::Part | TokenKind::Mark) {
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
        self.hash = fnv(fnv(self.hash, token.term.as_bytes()), b" ");
    }

    /// Adds the next token, but no stop words at the beginning: of "How do I change my password?"
    /// it adds `change my password`.
    pub fn push_behind_stops(&mut self, token: &Token<'_>) {
        if self.n_words > 0 || token.kind != TokenKind::Stop {
            self.push(token);
        }
    }

    /// Returns whether there is a stop word.
    pub fn has_stop(&self) -> bool {
        self.has_stop
    }

    /// Returns the number of words; an identifier is one word.
    pub fn n_words(&self) -> u32 {
        self.n_words
    }

    /// Returns the key; `None` without a word.
    pub fn key(&self) -> Option<String> {
        (self.n_words > 0).then(|| hashed(self.first.clone(), NAME, self.hash))
    }
}

/// A synonym as terms of one language. Build and query make it in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SynonymTerms {
    /// The terms of its words in their order, without the parts of identifiers; at least one.
    pub terms: Vec<String>,
    /// The key that it is indexed and looked up under: its only term, or a title's key for several
    /// terms.
    pub key: String,
}

impl SynonymTerms {
    /// Analyses a text; `None` without a word.
    pub fn of(analyzer: &mut Analyzer, text: &str) -> Option<Self> {
        let (mut name, mut terms) = (Name::default(), Vec::new());
        analyzer.analyze(text, |token| {
            name.push(&token);
            if !matches!(token.kind, TokenKind::Part | TokenKind::Mark) {
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
    fn the_key_of_a_synonym_is_its_only_term_or_the_hash_of_its_terms() {
        let wording = |text| SynonymTerms::of(&mut Analyzer::for_language("en"), text);
        let one = wording("Applications").unwrap();
        assert_eq!((one.terms, one.key.as_str()), (vec!["applic".to_string()], "applic"));
        let row = wording("single-page application").unwrap();
        assert_eq!(row.terms, ["singlepag", "applic"]);
        assert_eq!(Some(row.key), name("single-page application").key());
        assert_eq!(wording("... 🚀"), None);
        assert_eq!(wording("single-page 🚀 application"), wording("single-page application"));
    }

    #[test]
    fn the_key_of_a_title_depends_on_its_words_and_their_order() {
        assert_eq!(name("What's New").key(), name("what’s new?").key());
        assert_ne!(name("what's new").key(), name("new projects").key());
        assert_ne!(name("new what's").key(), name("what's new").key());
        assert_ne!(name("vitamin a").key(), name("vitamin c").key());
        assert!(name("vitamin a").key().unwrap().starts_with("vitamin\u{2}"));
        assert!(name("to be").key().unwrap().starts_with("to\u{2}"));
        assert!(name("vitamin a").has_stop() && !name("vitamin c").has_stop());
        assert_eq!(name("...").key(), None);
        assert_eq!(name("🚀 What's new").key(), name("what's new").key());
    }

    #[test]
    fn the_key_of_a_symbol_tells_apart_what_terms_do_not() {
        let mut analyzer = Analyzer::for_language("en");
        let mut key = |name| symbol_key(&mut analyzer, name);
        let split = key("split_cells").unwrap();
        for other in ["_split_cells", "splitCells", "SplitCells", "Segment.split_cells"] {
            assert_ne!(key(other).unwrap(), split, "{other}");
        }
        assert_eq!(key("split_cells()").unwrap(), split);
        assert!(split.starts_with("splitcel") && is_key(&split), "{split:?}");
        assert_eq!(key("Request").unwrap().split('\u{4}').next(), Some("request"));
        assert_eq!((key("split cells"), key("=="), key("")), (None, None, None));
    }

    #[test]
    fn the_key_of_a_form_is_the_neighbour_of_its_term() {
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

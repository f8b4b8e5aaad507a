//! The plan of a query: the terms to look up.

use findling_text::TokenKind;

/// Maximum number of words of a query whose relatives are looked up.
const MAX_RELATED_WORDS: usize = 32;
/// Maximum number of tokens of a query for which the typed forms of words are preferred.
const MAX_NAME_TOKENS: u32 = 4;
/// The weight of a word and a stop word written as one: one for each word, and one for their
/// adjacency. So the joined word outweighs a title that consists of one of the words, but not a
/// title that has both.
const JOINED_COUNT: u32 = 3;

/// The plan of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct QueryPlan {
    /// The words that score, including those of phrases, in the order of the query.
    pub groups: Vec<Group>,
    /// Phrases that a hit must have.
    pub phrases: Vec<Phrase>,
    /// Words and phrases that a hit must not have. A word is a phrase of one slot.
    pub excluded: Vec<Phrase>,
    /// Excluded words that are read as options if the site has their term: the clause and the term.
    pub options: Vec<(usize, String)>,
    /// Number of tokens of the words and phrases that score, counted like the length of a field:
    /// identifiers by their parts.
    pub n_tokens: u32,
    /// The keys of titles that equal the whole query, at most one for each language.
    pub names: Vec<String>,
    /// The same without the leading stop words, if other words are left.
    pub questions: Vec<String>,
    /// The keys of the symbol that equals a query of one word, at most one for each language.
    pub symbols: Vec<String>,
    /// Whether terms beyond the limit were left out.
    pub truncated: bool,
}

/// One word of the query, as each language of the bundle analyses it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    /// The terms, distinct, in the order of the languages.
    pub terms: Vec<String>,
    /// Whether it is an identifier as a whole, one of its parts, or a word.
    pub kind: TokenKind,
    /// Share of the languages in which it is a stop word, 0 to 1.
    pub stop: f32,
    /// Number of occurrences in the query.
    pub count: u32,
    /// The beginning to complete, unstemmed, if the word may be unfinished.
    pub prefix: Option<String>,
    /// The keys of the form it was typed in, for its terms; none for stop words and whole
    /// identifiers. After them come the keys of the form in the other grammatical number.
    pub forms: Vec<String>,
    /// Number of keys for the typed form.
    pub typed: usize,
    /// Terms and keys of the site's synonyms.
    pub synonyms: Vec<String>,
    /// Terms of the word and its neighbour written as one. A page that has one has the word.
    pub joined: Vec<String>,
    /// Whether the word was added and not typed by the reader. Such a word is not reported as
    /// missing, and is not searched in titles.
    pub extra: bool,
    /// Whether it is spelt like a name in code, a code, an option, a version or a file.
    pub named: bool,
}

impl Group {
    /// Returns whether a title that equals the query must have this word. Parts of an identifier
    /// are implied by the whole, stop words by the length.
    pub fn carries(&self, only_stops: bool) -> bool {
        let is_word = !matches!(self.kind, TokenKind::Part | TokenKind::Mark);
        is_word && !self.extra && (self.stop < 1.0 || only_stops)
    }

    /// Returns the group for a word and a stop word written as one. A page that has the joined word
    /// has both words, next to each other.
    pub(super) fn joined(terms: Vec<String>) -> Self {
        Self { terms, count: JOINED_COUNT, ..Self::extra(Vec::new()) }
    }

    /// Returns a synonym of several words.
    pub(super) fn extra(synonyms: Vec<String>) -> Self {
        let kind = TokenKind::Whole;
        Self {
            terms: vec![],
            kind,
            stop: 0.0,
            count: 1,
            prefix: None,
            forms: vec![],
            typed: 0,
            synonyms,
            joined: vec![],
            extra: true,
            named: false,
        }
    }
}

/// A sequence of words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Phrase {
    /// The text as written.
    pub text: String,
    /// The terms, by position.
    pub slots: Vec<Slot>,
}

/// One position of a phrase.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slot {
    /// Number of positions after the first slot.
    pub offset: u32,
    /// Any of these terms matches.
    pub terms: Vec<String>,
}

impl QueryPlan {
    /// Returns whether it has phrases or exclusions.
    pub fn has_phrases(&self) -> bool {
        !(self.phrases.is_empty() && self.excluded.is_empty())
    }

    /// Returns whether every word is a stop word in every language. Only then are stop words
    /// scored.
    pub fn only_stops(&self) -> bool {
        self.groups.iter().filter(|group| !group.extra).all(|group| group.stop == 1.0)
    }

    /// Returns whether it is as short as a name. A reader who types a name means exactly this form.
    /// In a sentence the grammar decides the form, so forms are not looked up.
    pub fn is_name(&self) -> bool {
        self.n_tokens <= MAX_NAME_TOKENS
    }

    /// Returns how many stop words it begins with, if other words follow.
    pub fn leading_stops(&self) -> u32 {
        let leading =
            self.groups.iter().take_while(|group| group.stop == 1.0 && group.count == 1).count();
        if leading < self.groups.len() { leading as u32 } else { 0 }
    }

    /// Returns whether the relatives of each group are also looked up. They are not looked up for a
    /// single word or a phrase (the reader means these as typed), for an unfinished word (it has
    /// completions), or in a very long query.
    pub fn related(&self) -> Vec<bool> {
        let n_words = self.groups.iter().filter(|group| group.carries(false)).count();
        let are_several = (2..=MAX_RELATED_WORDS).contains(&n_words);
        let wants = |group: &Group| {
            let is_plain = group.kind == TokenKind::Word
                && group.stop == 0.0
                && group.prefix.is_none()
                && !group.extra;
            let mut quoted = self.phrases.iter().flat_map(|phrase| &phrase.slots);
            are_several && is_plain && !quoted.any(|slot| slot.terms == group.terms)
        };
        self.groups.iter().map(wants).collect()
    }

    /// Returns whether it reads like a sentence rather than a list of keywords: a stop word, and
    /// three other words at least.
    pub fn is_sentence(&self) -> bool {
        let count = |is: fn(&Group) -> bool| {
            let groups = self
                .groups
                .iter()
                .filter(|group| group.kind != TokenKind::Part && !group.extra && is(group));
            groups.map(|group| group.count).sum::<u32>()
        };
        count(|group| group.stop > 0.0) > 0 && count(|group| group.stop == 0.0) >= 3
    }
}

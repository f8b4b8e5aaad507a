//! The rules of analysis that differ from language to language.

use std::borrow::Cow;

use crate::word_list::WordList;

/// The rules of a language. The default is a language without rules: no stemmer, no stop words.
#[derive(Default)]
pub(crate) struct Rules {
    /// The stem of a word in lower case.
    pub stem: Option<fn(&str) -> Cow<'_, str>>,
    /// Function words.
    pub stop_words: WordList,
    /// Returns the spelling that the stemmer expects, if a word has two spellings.
    pub respell: Option<fn(&str) -> Option<String>>,
}

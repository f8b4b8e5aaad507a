//! The rules of analysis that differ from language to language.

use rust_stemmers::Stemmer;

use crate::word_list::WordList;

/// The rules of a language. The default is a language without rules: no stemmer, no stop words.
#[derive(Default)]
pub(crate) struct Rules {
    /// The Snowball stemmer.
    pub stemmer: Option<Stemmer>,
    /// Function words.
    pub stop_words: WordList,
    /// Gives the spelling of a word that the stemmer expects, where a word has two spellings.
    pub respell: Option<fn(&str) -> Option<String>>,
}

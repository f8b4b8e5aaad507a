//! Text to tokens.

/// The most bytes a term can have. What is longer (hashes, encoded blobs) is cut at a character boundary.
pub const MAX_TERM_BYTES: usize = 64;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenKind {
    /// A word, or two neighbouring characters of a script written without spaces.
    Word,
    /// A word that hardly distinguishes texts of the analyzer's language: indexed like any other, but a query may do without it.
    Stop,
    /// An identifier as a whole, at the position of its first part. The parts follow.
    Whole,
    /// A part of an identifier.
    Part,
}

/// One occurrence of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// What to index or to look up.
    pub term: &'a str,
    /// First byte in the text.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
    /// Number of the word in the text, from 0. An identifier's whole shares that of its first part.
    pub position: u32,
    /// What it is.
    pub kind: TokenKind,
}

/// Turns text into tokens, by the rules of one language. Holds reused buffers, therefore `&mut`; cheap to make.
pub struct Analyzer {
    language: String,
    term: String,
}

impl Analyzer {
    /// The analyzer for a language, BCP 47 (`en`, `pt-BR`). A language without a stemmer gets none.
    pub fn for_language(bcp47: &str) -> Analyzer {
        Analyzer { language: bcp47.to_string(), term: String::new() }
    }

    /// The language's primary subtag, lower case: `pt` for `pt-BR`.
    pub fn language(&self) -> &str {
        &self.language
    }

    /// Calls `sink` with each token, in order of position; returns how many positions there are.
    pub fn analyze(&mut self, text: &str, mut sink: impl FnMut(Token<'_>)) -> u32 {
        let mut position = 0;
        let mut at = 0;
        for word in text.split(|c: char| !c.is_alphanumeric()) {
            if !word.is_empty() {
                self.term.clear();
                self.term.push_str(&word.to_lowercase());
                let (start, end) = (at as u32, (at + word.len()) as u32);
                sink(Token { term: &self.term, start, end, position, kind: TokenKind::Word });
                position += 1;
            }
            at += word.len();
            at += text[at..].chars().next().map_or(0, char::len_utf8);
        }
        position
    }
}

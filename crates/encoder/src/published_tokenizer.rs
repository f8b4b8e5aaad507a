//! The tokenizer of any published model, by its `tokenizer.json`.
//!
//! BERT's WordPiece is this project's own, as in the browser. All others (Unigram, BPE, WordLevel,
//! and WordPiece with another normalisation) are read by the crate `tokenizers`.

use std::path::Path;

use findling_text::wordpiece::WordPiece;
use tokenizers::{PostProcessor, Tokenizer, TruncationDirection};

use crate::Error;
use crate::import::{file_error, tokenizer};

/// A tokenizer.
pub enum PublishedTokenizer {
    /// BERT's.
    WordPiece(WordPiece),
    /// Another.
    Other(Box<Tokenizer>),
}

/// The tokens of a text, special tokens included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// The ids.
    pub ids: Vec<u32>,
    /// The type of each.
    pub types: Vec<u32>,
    /// Whether the text had more.
    pub truncated: bool,
}

impl PublishedTokenizer {
    /// Reads the tokenizer of the model in `dir`, and a text that differs for tokenizers that
    /// differ.
    ///
    /// # Errors
    ///
    /// [`Error::File`] for a file that cannot be read, [`Error::Import`] for a tokenizer of a kind
    /// that is not supported.
    pub fn read(dir: &Path) -> Result<(Self, String), Error> {
        let refused = match tokenizer::read(dir) {
            Ok((normaliser, vocabulary)) => {
                let identity = format!("{normaliser:?}{vocabulary:?}");
                let wordpiece = WordPiece::new(&vocabulary, normaliser)
                    .map_err(|error| Error::Import(error.to_string()))?;
                return Ok((Self::WordPiece(wordpiece), identity));
            }
            Err(refused) => refused,
        };
        let path = dir.join("tokenizer.json");
        if !path.is_file() {
            return Err(refused);
        }
        let bytes = std::fs::read(&path).map_err(|error| file_error(&path, &error))?;
        let mut other = Tokenizer::from_bytes(&bytes).map_err(|error| {
            Error::Import(format!(
                "{}: expected a tokenizer of the type WordPiece, Unigram, BPE or WordLevel, as \
                 `tokenizers` writes it, found another: {error}; save the model's tokenizer again \
                 (`tokenizer.save_pretrained`)",
                path.display()
            ))
        })?;
        // The limit of tokens is the model's, and each text is run by itself.
        other
            .with_padding(None)
            .with_truncation(None)
            .map_err(|error| Error::Import(format!("{}: {error}", path.display())))?;
        Ok((Self::Other(Box::new(other)), blake3::hash(&bytes).to_hex().to_string()))
    }

    /// Returns all tokens, in the order of their ids.
    pub fn vocabulary(&self) -> Vec<String> {
        let (n_tokens, token): (usize, Box<dyn Fn(u32) -> Option<String> + '_>) = match self {
            Self::WordPiece(own) => (own.len(), Box::new(|id| own.token(id).map(str::to_owned))),
            Self::Other(other) => {
                (other.get_vocab_size(true), Box::new(|id| other.id_to_token(id)))
            }
        };
        (0..n_tokens as u32).map(|id| token(id).unwrap_or_default()).collect()
    }

    /// Returns the tokens of a text, at most so many.
    ///
    /// # Errors
    ///
    /// [`Error::Run`] if the tokenizer has no token for a part of the text.
    pub fn encode(&self, text: &str, max_tokens: usize) -> Result<Tokens, Error> {
        match self {
            Self::WordPiece(wordpiece) => {
                let encoding = wordpiece.encode(text, max_tokens);
                let types = vec![0; encoding.ids.len()];
                Ok(Tokens { ids: encoding.ids, types, truncated: encoding.truncated })
            }
            Self::Other(other) => encode(other, text, max_tokens)
                .map_err(|error| Error::Run(format!("the tokenizer: {error}"))),
        }
    }
}

fn encode(tokenizer: &Tokenizer, text: &str, max_tokens: usize) -> tokenizers::Result<Tokens> {
    let mut encoding = tokenizer.encode_fast(text, false)?;
    let n_added = tokenizer.get_post_processor().map_or(0, |added| added.added_tokens(false));
    let room = max_tokens.saturating_sub(n_added);
    let truncated = encoding.len() > room;
    encoding.truncate(room, 0, TruncationDirection::Right);
    let encoding = tokenizer.post_process(encoding, None, true)?;
    let (ids, types) = (encoding.get_ids().to_vec(), encoding.get_type_ids().to_vec());
    Ok(Tokens { ids, types, truncated })
}

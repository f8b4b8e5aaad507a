//! Division of texts into a model's tokens: by BERT's WordPiece, or by its `tokenizer.json`.

#[cfg(feature = "import")]
use std::path::Path;

use findling_text::wordpiece::{Encoding, WordPiece};

use crate::Error;
use crate::artefact::Artefact;
#[cfg(feature = "tokenizers")]
use crate::published_tokenizer::PublishedTokenizer;

/// A tokenizer.
pub(super) enum Tokenizer {
    /// BERT's, which is also in the browser.
    WordPiece(WordPiece),
    /// Another, such as XLM-R's Unigram of multilingual models.
    #[cfg(feature = "tokenizers")]
    Published(PublishedTokenizer),
}

impl Tokenizer {
    /// Creates a WordPiece tokenizer with the vocabulary of an artefact.
    ///
    /// # Errors
    ///
    /// [`Error::Artefact`] if it is not one of WordPiece.
    pub fn of(artefact: &Artefact) -> Result<Self, Error> {
        WordPiece::new(artefact.vocabulary(), artefact.normaliser())
            .map(Self::WordPiece)
            .map_err(|e| Error::Artefact(e.to_string()))
    }

    /// Returns the ids of a text, special tokens included, at most so many.
    ///
    /// # Errors
    ///
    /// [`Error::Run`] if the tokenizer has no token for a part of the text.
    pub fn encode(&self, text: &str, max_tokens: usize) -> Result<Encoding, Error> {
        match self {
            Self::WordPiece(own) => Ok(own.encode(text, max_tokens)),
            #[cfg(feature = "tokenizers")]
            Self::Published(other) => other
                .encode(text, max_tokens)
                .map(|tokens| Encoding { ids: tokens.ids, truncated: tokens.truncated }),
        }
    }
}

/// The tokenizer of a model in a directory, if it is not WordPiece.
#[cfg(feature = "import")]
#[derive(Default)]
pub(super) struct Other {
    /// Different for different tokenizers.
    read: Option<(Tokenizer, String)>,
}

#[cfg(feature = "import")]
impl Other {
    /// Reads it and returns its tokens; `refused` says why it is not WordPiece.
    ///
    /// # Errors
    ///
    /// `refused` if only WordPiece is supported; otherwise the errors of
    /// [`PublishedTokenizer::read`].
    #[cfg(feature = "tokenizers")]
    pub fn read(&mut self, dir: &Path, _refused: Error) -> Result<Vec<String>, Error> {
        let (tokenizer, identity) = PublishedTokenizer::read(dir)?;
        let tokens = tokenizer.vocabulary();
        self.read = Some((Tokenizer::Published(tokenizer), identity));
        Ok(tokens)
    }

    /// Returns `refused`: only WordPiece is read.
    ///
    /// # Errors
    ///
    /// Always.
    #[cfg(not(feature = "tokenizers"))]
    pub fn read(&mut self, _dir: &Path, refused: Error) -> Result<Vec<String>, Error> {
        Err(refused)
    }

    /// Returns the tokenizer that was read and its identity, or the artefact's tokenizer.
    ///
    /// # Errors
    ///
    /// The errors of [`Tokenizer::of`].
    pub fn or_of(self, artefact: &Artefact) -> Result<(Tokenizer, Option<String>), Error> {
        match self.read {
            Some((tokenizer, identity)) => Ok((tokenizer, Some(identity))),
            None => Ok((Tokenizer::of(artefact)?, None)),
        }
    }
}

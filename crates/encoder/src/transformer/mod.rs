//! A BERT-family sentence transformer, run by tract.
//!
//! Each text is one run, at exactly its length: there is no padding and no attention mask. The
//! vector of a text does not depend on other texts. See [`Transformer`].

mod attention;
mod graph;
mod linear;
mod norm;
#[cfg(feature = "import")]
pub mod reference;
mod tokens;
mod wide;

use std::sync::Arc;

use findling_text::wordpiece::Encoding;
use tract_core::internal::*;

use crate::artefact::{Artefact, Pooling, names};
use crate::encoder::{each, normalise};
#[cfg(feature = "import")]
use crate::import::weights::WordRows;
use crate::{Embedding, Encoder, EncoderCard, Error, Side};
use tokens::Tokenizer;

/// A sentence transformer, ready to run.
///
/// # Memory
///
/// The weights of the layers as integers, packed once for all lengths (21 MB for all-MiniLM-L6-v2,
/// 11 in wasm), and the embedding tables as the artefact stores them (12 MB at 8 bits). While
/// loading, the weights of one layer are in memory twice.
pub struct Transformer {
    card: EncoderCard,
    tokenizer: Tokenizer,
    pooling: Pooling,
    /// The artefact without its layers: the embedding tables.
    tables: Artefact,
    /// The table of words, if it was left in the model's file.
    #[cfg(feature = "import")]
    word_rows: Option<WordRows>,
    plan: Arc<TypedSimplePlan>,
}

impl Transformer {
    /// Prepares a model to run.
    ///
    /// # Errors
    ///
    /// [`Error::Artefact`] if its vocabulary is not one of WordPiece, [`Error::Run`] if tract
    /// cannot build the model.
    pub fn new(artefact: Artefact) -> Result<Self, Error> {
        let tokenizer = Tokenizer::of(&artefact)?;
        Self::with(artefact, tokenizer)
    }

    fn with(mut artefact: Artefact, tokenizer: Tokenizer) -> Result<Self, Error> {
        let plan = graph::build(&mut artefact)
            .and_then(|model| model.into_optimized())
            .and_then(SimplePlan::new)
            .map_err(run_error)?;
        Ok(Self {
            card: artefact.card().clone(),
            tokenizer,
            pooling: artefact.architecture().pooling,
            tables: artefact.into_tables(),
            #[cfg(feature = "import")]
            word_rows: None,
            plan,
        })
    }

    /// Reads a published model: `model.safetensors`, `tokenizer.json`, `config.json` (see
    /// [`crate::import`]). With feature `tokenizers`, the model may have a tokenizer other than
    /// WordPiece.
    ///
    /// # Errors
    ///
    /// The errors of [`crate::import::import_dir`] and [`Transformer::new`].
    #[cfg(feature = "import")]
    pub fn load_dir(dir: &std::path::Path) -> Result<Self, Error> {
        Self::load_dir_with(dir, &crate::import::Options::default())
    }

    /// Loads as [`Transformer::load_dir`] does, with settings that override the model's files.
    ///
    /// # Errors
    ///
    /// The errors of [`Transformer::load_dir`].
    #[cfg(feature = "import")]
    pub fn load_dir_with(
        dir: &std::path::Path,
        options: &crate::import::Options,
    ) -> Result<Self, Error> {
        let mut other = tokens::Other::default();
        let artefact =
            crate::import::import_dir_or(dir, options, &mut |refused| other.read(dir, refused))?;
        let (tokenizer, identity) = other.or_of(&artefact)?;
        let mut this = Self::with(artefact, tokenizer)?;
        if let Some(identity) = identity {
            // Tokens alone do not tell how a text is divided.
            let whole = [this.card.fingerprint.as_bytes(), identity.as_bytes()].concat();
            this.card.fingerprint = blake3::hash(&whole).to_hex()[..32].to_string();
        }
        Ok(this)
    }

    /// Reads a published model for a few queries, in a third of the time: without the table of
    /// words, whose rows are read when they are needed, and without hashing the weights.
    /// `fingerprint` is the model's, as [`Transformer::load_dir_with`] computed it. `None` if the
    /// weights are not in single precision.
    ///
    /// # Errors
    ///
    /// The errors of [`Transformer::load_dir`].
    #[cfg(feature = "import")]
    pub fn load_for_queries(
        dir: &std::path::Path,
        options: &crate::import::Options,
        fingerprint: &str,
    ) -> Result<Option<Self>, Error> {
        let mut other = tokens::Other::default();
        let otherwise = &mut |refused| other.read(dir, refused);
        let layers = crate::import::import_layers(dir, options, fingerprint, otherwise)?;
        let Some((layers, rows)) = layers else { return Ok(None) };
        let (tokenizer, _) = other.or_of(&layers)?;
        Ok(Some(Self { word_rows: Some(rows), ..Self::with(layers, tokenizer)? }))
    }

    /// Returns the hash of everything that determines the vectors.
    pub fn fingerprint(&self) -> &str {
        &self.card.fingerprint
    }

    fn tokens(&self, text: &str, side: Side, max_tokens: usize) -> Result<Encoding, Error> {
        let prefix = match side {
            Side::Query => &self.card.query_prefix,
            Side::Document => &self.card.document_prefix,
        };
        if prefix.is_empty() {
            self.tokenizer.encode(text, max_tokens)
        } else {
            self.tokenizer.encode(&format!("{prefix}{text}"), max_tokens)
        }
    }

    /// Embeds one text.
    ///
    /// # Errors
    ///
    /// [`Error::Run`] if tract fails, which is not expected.
    pub fn encode_one(&self, text: &str, side: Side) -> Result<Embedding, Error> {
        let tokens = self.tokens(text, side, self.card.max_tokens as usize)?;
        let values = self.forward(&tokens.ids)?;
        Ok(Embedding { values, n_tokens: tokens.ids.len() as u32, truncated: tokens.truncated })
    }

    fn forward(&self, ids: &[u32]) -> Result<Vec<f32>, Error> {
        let input = self.gather(ids)?;
        let input =
            Tensor::from_shape(&[ids.len(), self.card.dim as usize], &input).map_err(run_error)?;
        let output = self.plan.run(tvec![input.into()]).map_err(run_error)?;
        let hidden = self.card.dim as usize;
        let view = output[0].try_as_plain_ram().map_err(run_error)?;
        let rows = view.as_slice::<f32>().map_err(run_error)?;
        let mut values = vec![0.0f32; hidden];
        match self.pooling {
            Pooling::Mean => {
                for row in rows.chunks_exact(hidden) {
                    for (sum, value) in values.iter_mut().zip(row) {
                        *sum += value;
                    }
                }
            }
            Pooling::Cls => values.copy_from_slice(&rows[..hidden]),
        }
        // The mean and the sum have the same direction.
        normalise(&mut values);
        Ok(values)
    }

    /// Adds up the rows of words and of positions: `[tokens, hidden]`.
    fn gather(&self, ids: &[u32]) -> Result<Vec<f32>, Error> {
        let positions = self.table(names::POSITIONS)?;
        let mut input = vec![0.0f32; ids.len() * self.card.dim as usize];
        let hidden = self.card.dim as usize;
        self.add_words(ids, input.chunks_exact_mut(hidden))?;
        for (position, row) in input.chunks_exact_mut(hidden).enumerate() {
            positions.add_row(position, row);
        }
        Ok(input)
    }

    /// Adds the row of each word.
    fn add_words<'a>(
        &self,
        ids: &[u32],
        rows: impl Iterator<Item = &'a mut [f32]>,
    ) -> Result<(), Error> {
        #[cfg(feature = "import")]
        if let Some(words) = &self.word_rows {
            let mut each = rows.zip(ids);
            return each.try_for_each(|(row, &id)| words.add_row(id as usize, row));
        }
        let words = self.table(names::WORDS)?;
        rows.zip(ids).for_each(|(row, &id)| words.add_row(id as usize, row));
        Ok(())
    }

    fn table(&self, name: &str) -> Result<crate::artefact::Tensor<'_>, Error> {
        self.tables.tensor(name).ok_or_else(|| Error::Artefact(format!("it has no `{name}`")))
    }
}

impl Encoder for Transformer {
    fn card(&self) -> &EncoderCard {
        &self.card
    }

    /// Encodes texts, with the feature `parallel` on all cores. The longest texts come first, so
    /// that no core works alone at the end.
    fn encode(&self, texts: &[&str], side: Side) -> Result<Vec<Embedding>, Error> {
        each(texts, |text| self.encode_one(text, side))
    }

    fn count_tokens(&self, text: &str, side: Side) -> u32 {
        self.tokens(text, side, usize::MAX).map_or(0, |tokens| tokens.ids.len() as u32)
    }
}

fn run_error(error: TractError) -> Error {
    Error::Run(format!("{error:#}"))
}

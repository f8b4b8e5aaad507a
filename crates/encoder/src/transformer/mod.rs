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
mod wide;

use std::sync::Arc;

use findling_text::wordpiece::WordPiece;
use tract_core::internal::*;

use crate::artefact::{Artefact, Pooling, names};
use crate::encoder::{each, normalise};
use crate::{Embedding, Encoder, EncoderCard, Error, Side};

/// A sentence transformer, ready to run.
///
/// # Memory
///
/// The weights of the layers as integers, packed once for all lengths (21 MB for all-MiniLM-L6-v2,
/// 11 in wasm), and the embedding tables as the artefact stores them (12 MB at 8 bits). While
/// loading, the weights of one layer are in memory twice.
pub struct Transformer {
    card: EncoderCard,
    tokenizer: WordPiece,
    pooling: Pooling,
    /// The artefact without its layers: the embedding tables.
    tables: Artefact,
    plan: Arc<TypedSimplePlan>,
}

impl Transformer {
    /// Prepares a model to run.
    ///
    /// # Errors
    ///
    /// [`Error::Artefact`] if its vocabulary is not one of WordPiece, [`Error::Run`] if tract
    /// cannot build the model.
    pub fn new(mut artefact: Artefact) -> Result<Self, Error> {
        let tokenizer = WordPiece::new(artefact.vocabulary(), artefact.normaliser())
            .map_err(|e| Error::Artefact(e.to_string()))?;
        let plan = graph::build(&mut artefact)
            .and_then(|model| model.into_optimized())
            .and_then(SimplePlan::new)
            .map_err(run_error)?;
        Ok(Self {
            card: artefact.card().clone(),
            tokenizer,
            pooling: artefact.architecture().pooling,
            tables: artefact.into_tables(),
            plan,
        })
    }

    /// Reads a published model: `model.safetensors`, `tokenizer.json`, `config.json` (see
    /// [`crate::import`]).
    ///
    /// # Errors
    ///
    /// The errors of [`crate::import::import_dir`] and [`Transformer::new`].
    #[cfg(feature = "import")]
    pub fn load_dir(dir: &std::path::Path) -> Result<Self, Error> {
        Self::load_dir_with(dir, &crate::import::Options::default())
    }

    /// [`Transformer::load_dir`] with settings that override the model's files.
    ///
    /// # Errors
    ///
    /// As [`Transformer::load_dir`].
    #[cfg(feature = "import")]
    pub fn load_dir_with(
        dir: &std::path::Path,
        options: &crate::import::Options,
    ) -> Result<Self, Error> {
        Self::new(crate::import::import_dir(dir, options)?)
    }

    /// Hash of everything that determines the vectors.
    pub fn fingerprint(&self) -> &str {
        &self.card.fingerprint
    }

    fn tokens(
        &self,
        text: &str,
        side: Side,
        max_tokens: usize,
    ) -> findling_text::wordpiece::Encoding {
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
        let tokens = self.tokens(text, side, self.card.max_tokens as usize);
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

    /// Sums of word and position rows, `[tokens, hidden]`.
    fn gather(&self, ids: &[u32]) -> Result<Vec<f32>, Error> {
        let table = |name| {
            self.tables.tensor(name).ok_or_else(|| Error::Artefact(format!("it has no `{name}`")))
        };
        let (words, positions) = (table(names::WORDS)?, table(names::POSITIONS)?);
        let mut input = vec![0.0f32; ids.len() * self.card.dim as usize];
        for (position, (row, &id)) in
            input.chunks_exact_mut(self.card.dim as usize).zip(ids).enumerate()
        {
            words.add_row(id as usize, row);
            positions.add_row(position, row);
        }
        Ok(input)
    }
}

impl Encoder for Transformer {
    fn card(&self) -> &EncoderCard {
        &self.card
    }

    /// With feature `parallel` on all cores, longest texts first, so that no core works alone at
    /// the end.
    fn encode(&self, texts: &[&str], side: Side) -> Result<Vec<Embedding>, Error> {
        each(texts, |text| self.encode_one(text, side))
    }

    fn count_tokens(&self, text: &str, side: Side) -> u32 {
        self.tokens(text, side, usize::MAX).ids.len() as u32
    }
}

fn run_error(error: TractError) -> Error {
    Error::Run(format!("{error:#}"))
}

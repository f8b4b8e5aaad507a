//! The dimensions of a BERT-family encoder, and the tensors that follow from them.

use bincode::{Decode, Encode};

use crate::{EncoderCard, Error};

/// Pooling: the way in which the vectors of all tokens become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Pooling {
    /// The mean.
    Mean,
    /// The vector of the first token, `[CLS]`.
    Cls,
}

/// The function between the two feed-forward matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Activation {
    /// `x / 2 * (1 + erf(x / sqrt 2))`, called `gelu` in BERT.
    Gelu,
    /// `max(0, x)`.
    Relu,
}

/// The shape of a BERT-family encoder (Devlin et al., 2019; post-norm, absolute positions).
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Architecture {
    /// Transformer layers.
    pub layers: u32,
    /// Length of a token's vector.
    pub hidden: u32,
    /// Attention heads. `hidden` is a multiple of this number.
    pub heads: u32,
    /// Length of a token's vector between the two feed-forward matrices.
    pub intermediate: u32,
    /// Rows of the position table.
    pub max_positions: u32,
    /// The way in which the vectors of all tokens become one.
    pub pooling: Pooling,
    /// The function between the feed-forward matrices.
    pub activation: Activation,
    /// Added to a variance before the square root.
    pub layer_norm_eps: f32,
}

/// A tensor of an architecture. Matrices are `[rows, cols]` = `[out, in]`; vectors are one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorSpec {
    /// The name ([`names`]).
    pub name: String,
    /// Rows, 1 for a vector.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
}

impl TensorSpec {
    /// Returns the number of values. Cannot overflow within the limits of [`Architecture::check`].
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.rows * self.cols
    }

    /// Returns whether it is a bias or a norm.
    pub fn is_vector(&self) -> bool {
        self.name.ends_with(".bias") || self.name.ends_with("norm.weight")
    }
}

/// Names of tensors.
pub mod names {
    /// The word table, `[vocabulary, hidden]`.
    pub const WORDS: &str = "words";
    /// The position table with the vector of the first token type added to every row,
    /// `[max_positions, hidden]`.
    pub const POSITIONS: &str = "positions";
    /// The norm after the sum of both: `.weight` and `.bias`.
    pub const NORM: &str = "norm";
    /// Parts of a layer that are a matrix with a bias, as `layer.N.PART.weight` and `.bias`.
    pub const QUERY: &str = "query";
    /// See [`QUERY`].
    pub const KEY: &str = "key";
    /// See [`QUERY`].
    pub const VALUE: &str = "value";
    /// The output projection of attention. See [`QUERY`].
    pub const ATTENTION: &str = "attention";
    /// After attention: `layer.N.attention-norm.weight` and `.bias`.
    pub const ATTENTION_NORM: &str = "attention-norm";
    /// Into the feed-forward part. See [`QUERY`].
    pub const UP: &str = "up";
    /// Out of the feed-forward part. See [`QUERY`].
    pub const DOWN: &str = "down";
    /// After the feed-forward part: `layer.N.output-norm.weight` and `.bias`.
    pub const OUTPUT_NORM: &str = "output-norm";

    /// Returns `layer.N.PART.weight`.
    pub fn weight(layer: u32, part: &str) -> String {
        format!("layer.{layer}.{part}.weight")
    }

    /// Returns `layer.N.PART.bias`.
    pub fn bias(layer: u32, part: &str) -> String {
        format!("layer.{layer}.{part}.bias")
    }
}

/// Limits beyond any encoder of this family (the largest BERT has 24 layers of 1,024). They are
/// small enough that sizes computed from them fit 32 bits, or fail the comparison with the bytes of
/// the file.
const MAX_LAYERS: u32 = 64;
const MAX_HIDDEN: u32 = 4096;
const MAX_INTERMEDIATE: u32 = 16384;
const MAX_POSITIONS: u32 = 32768;
/// Maximum number of tokens in a vocabulary.
pub(crate) const MAX_VOCABULARY: usize = 500_000;

impl Architecture {
    /// Checks that this encoder can be run with a vocabulary of `n_words` tokens.
    ///
    /// # Errors
    ///
    /// [`Error::Artefact`] naming the number that is out of range.
    pub fn check(&self, n_words: usize) -> Result<(), Error> {
        let within = |what: &str, value: u32, max: u32| {
            if (1..=max).contains(&value) {
                Ok(())
            } else {
                Err(Error::Artefact(format!("{what}: expected 1 to {max}, found {value}")))
            }
        };
        within("the number of layers", self.layers, MAX_LAYERS)?;
        within("the hidden size", self.hidden, MAX_HIDDEN)?;
        within("the number of heads", self.heads, self.hidden)?;
        within("the intermediate size", self.intermediate, MAX_INTERMEDIATE)?;
        within("the number of positions", self.max_positions, MAX_POSITIONS)?;
        if !self.hidden.is_multiple_of(self.heads) {
            return Err(Error::Artefact(format!(
                "the hidden size: expected a multiple of the {} heads, found {}",
                self.heads, self.hidden
            )));
        }
        if n_words == 0 || n_words > MAX_VOCABULARY {
            return Err(Error::Artefact(format!(
                "the vocabulary: expected 1 to {MAX_VOCABULARY} tokens, found {n_words}"
            )));
        }
        if !(self.layer_norm_eps > 0.0 && self.layer_norm_eps < 1.0) {
            return Err(Error::Artefact(format!(
                "the epsilon of layer normalisation: expected a number between 0 and 1, found {}",
                self.layer_norm_eps
            )));
        }
        Ok(())
    }

    /// Checks that a card fits this architecture.
    pub(super) fn check_card(&self, card: &EncoderCard) -> Result<(), Error> {
        if card.dim != self.hidden {
            return Err(Error::Artefact(format!(
                "the card: expected {} dimensions as in the architecture, found {}",
                self.hidden, card.dim
            )));
        }
        // Two of them are special tokens.
        if !(3..=self.max_positions).contains(&card.max_tokens) {
            return Err(Error::Artefact(format!(
                "the card: expected a limit of 3 to {} tokens, one for each position, found {}",
                self.max_positions, card.max_tokens
            )));
        }
        Ok(())
    }

    /// Returns the tensors of this architecture, in the order of the file: the embedding tables
    /// first.
    pub fn tensors(&self, n_words: usize) -> Vec<TensorSpec> {
        let (hidden, intermediate) = (self.hidden as usize, self.intermediate as usize);
        let mut specs = Vec::new();
        let mut push =
            |name: String, rows: usize, cols: usize| specs.push(TensorSpec { name, rows, cols });
        push(names::WORDS.into(), n_words, hidden);
        push(names::POSITIONS.into(), self.max_positions as usize, hidden);
        push(format!("{}.weight", names::NORM), 1, hidden);
        push(format!("{}.bias", names::NORM), 1, hidden);
        for layer in 0..self.layers {
            for part in [names::QUERY, names::KEY, names::VALUE, names::ATTENTION] {
                push(names::weight(layer, part), hidden, hidden);
                push(names::bias(layer, part), 1, hidden);
            }
            push(names::weight(layer, names::ATTENTION_NORM), 1, hidden);
            push(names::bias(layer, names::ATTENTION_NORM), 1, hidden);
            push(names::weight(layer, names::UP), intermediate, hidden);
            push(names::bias(layer, names::UP), 1, intermediate);
            push(names::weight(layer, names::DOWN), hidden, intermediate);
            push(names::bias(layer, names::DOWN), 1, hidden);
            push(names::weight(layer, names::OUTPUT_NORM), 1, hidden);
            push(names::bias(layer, names::OUTPUT_NORM), 1, hidden);
        }
        specs
    }
}

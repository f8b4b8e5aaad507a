//! The trait of all encoders, and what it returns.

use crate::{EncoderCard, Error};

/// The role of a text in search. Some models were trained with a prefix for each role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A query.
    Query,
    /// A text that is searched.
    Document,
}

/// A text's vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// The vector: as many numbers as the card's `dim`, of length 1; all zeros if the text has
    /// nothing to embed.
    pub values: Vec<f32>,
    /// Tokens that were embedded, special tokens included.
    pub n_tokens: u32,
    /// Whether the text was longer than the encoder reads, so that its end was ignored.
    pub truncated: bool,
}

/// Maps texts to vectors of one space.
pub trait Encoder {
    /// Returns the identity of that space.
    fn card(&self) -> &EncoderCard;

    /// Returns one embedding for each text, in order.
    ///
    /// The encoder adds the prefix of the side. Texts of any lengths may be mixed: an encoder that
    /// profits from equal lengths sorts them itself.
    ///
    /// # Errors
    ///
    /// [`Error::Run`] if the model fails to run. No text is refused for its content or length.
    fn encode(&self, texts: &[&str], side: Side) -> Result<Vec<Embedding>, Error>;

    /// Returns the number of tokens of `text` without truncation, prefix and special tokens
    /// included. It is used to split documents so that nothing is truncated.
    fn count_tokens(&self, text: &str, side: Side) -> u32;
}

/// An encoder that any thread may use.
pub type BoxedEncoder = Box<dyn Encoder + Send + Sync>;

/// Scales `values` to length 1; zeros stay zeros. Sums are in order, so that the result is the same
/// on all hosts.
pub(crate) fn normalise(values: &mut [f32]) {
    let norm = libm::sqrtf(values.iter().fold(0.0f32, |sum, v| sum + v * v));
    if norm > 0.0 {
        for value in values {
            *value /= norm;
        }
    }
}

/// Embeds each text by itself, with feature `parallel` on all cores. Longest first, so that no core
/// works alone at the end.
#[cfg(feature = "transformer")]
pub(crate) fn each<F>(texts: &[&str], embed: F) -> Result<Vec<Embedding>, Error>
where
    F: Fn(&str) -> Result<Embedding, Error> + Sync,
{
    #[cfg(feature = "parallel")]
    if texts.len() > 1 {
        use rayon::prelude::*;
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&i| (std::cmp::Reverse(texts[i].len()), i));
        let mut done = order
            .into_iter()
            .par_bridge()
            .map(|i| Ok((i, embed(texts[i])?)))
            .collect::<Result<Vec<_>, Error>>()?;
        done.sort_by_key(|(i, _)| *i);
        return Ok(done.into_iter().map(|(_, embedding)| embedding).collect());
    }
    texts.iter().map(|text| embed(text)).collect()
}

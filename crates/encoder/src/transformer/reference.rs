//! Does a model compute what it should on this machine?
//!
//! Reference vectors were computed once, in float64, by an implementation independent of this one
//! and of tract (`tests/reference/make.py`), and travel with this crate. Comparing with them after
//! an import catches damaged weights, another tokenizer, and kernels that compute wrongly on this
//! processor.

use serde::Deserialize;

use super::Transformer;
use crate::{Encoder, Error, Side};

const ALL_MINILM_L6_V2: &str = include_str!("reference-all-minilm-l6-v2.json");

/// The cosine that every text must reach.
pub const MIN_COSINE: f32 = 0.9999;

/// How close a model came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verified {
    /// Texts compared.
    pub n_texts: u32,
    /// The smallest cosine between a vector and its reference.
    pub min_cosine: f32,
}

#[derive(Deserialize)]
struct Reference {
    model: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    text: String,
    n_tokens: u32,
    truncated: bool,
    values: Vec<f32>,
}

/// Compares `model` with the reference vectors of the model of its card's name. `None` where there
/// are none of that name: such a model cannot be verified, which is no fault of it.
///
/// # Errors
///
/// [`Error::Verify`] when a text has another number of tokens than it should, or a vector is
/// further than [`MIN_COSINE`] from its reference; [`Error::Run`] when the model fails to run.
pub fn verify(model: &Transformer) -> Result<Option<Verified>, Error> {
    if model.card().name != "all-minilm-l6-v2" {
        return Ok(None);
    }
    compare(model, MIN_COSINE).map(Some)
}

/// As [`verify`], whatever the model is called, and with another bound: a quantised model is held
/// to less.
///
/// # Errors
///
/// As [`verify`].
pub fn compare(model: &Transformer, min_cosine: f32) -> Result<Verified, Error> {
    let reference: Reference = serde_json::from_str(ALL_MINILM_L6_V2)
        .map_err(|e| Error::Verify(format!("the reference is damaged: {e}")))?;
    let mut least = 1.0f32;
    for case in &reference.cases {
        let embedding = model.encode_one(&case.text, Side::Document)?;
        let shown: String = case.text.chars().take(40).collect();
        if (embedding.n_tokens, embedding.truncated) != (case.n_tokens, case.truncated) {
            return Err(Error::Verify(format!(
                "{shown:?} has {} tokens (truncated: {}), expected {} (truncated: {}); the tokenizer or the limit of \
                 tokens is not that of {}",
                embedding.n_tokens,
                embedding.truncated,
                case.n_tokens,
                case.truncated,
                reference.model
            )));
        }
        let cosine = cosine(&embedding.values, &case.values);
        if cosine.is_nan() || cosine < min_cosine {
            return Err(Error::Verify(format!(
                "the vector of {shown:?} has a cosine of {cosine} to its reference, expected at least {min_cosine}; \
                 the weights are not those of {}, or this processor's kernels compute wrongly",
                reference.model
            )));
        }
        least = least.min(cosine);
    }
    Ok(Verified { n_texts: reference.cases.len() as u32, min_cosine: least })
}

/// Cosine of two vectors; NaN where their lengths differ or one has no direction.
fn cosine(a: &[f32], b: &[f32]) -> f32 {
    if a.len() != b.len() {
        return f32::NAN;
    }
    let dot = |a: &[f32], b: &[f32]| {
        a.iter().zip(b).fold(0.0f64, |sum, (a, b)| sum + f64::from(*a) * f64::from(*b))
    };
    (dot(a, b) / libm::sqrt(dot(a, a) * dot(b, b))) as f32
}

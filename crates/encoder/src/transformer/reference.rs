//! Checks that a model computes the right vectors on this machine.
//!
//! This crate contains reference vectors. They were computed once, in float64, by an implementation
//! independent of this one and of tract (`tests/reference/make.py`). A comparison after an import
//! detects damaged weights, another tokenizer, and kernels that compute wrongly on this processor.

use serde::Deserialize;

use super::Transformer;
use crate::{Encoder, Error, Side};

const ALL_MINILM_L6_V2: &str = include_str!("reference-all-minilm-l6-v2.json");

/// The cosine that every text must reach.
pub const MIN_COSINE: f32 = 0.9999;

/// The result of a comparison.
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

/// Compares `model` with the reference vectors of its card's name. `None` if there are none of that
/// name: such a model cannot be verified.
///
/// # Errors
///
/// [`Error::Verify`] if a text has another number of tokens than the reference, or a vector's
/// cosine to its reference is below [`MIN_COSINE`]; [`Error::Run`] if the model fails to run.
pub fn verify(model: &Transformer) -> Result<Option<Verified>, Error> {
    if model.card().name != "all-minilm-l6-v2" {
        return Ok(None);
    }
    compare(model, MIN_COSINE).map(Some)
}

/// Compares as [`verify`] does, for a model of any name and with another bound, such as a lower one
/// for a quantised model.
///
/// # Errors
///
/// The errors of [`verify`].
pub fn compare(model: &Transformer, min_cosine: f32) -> Result<Verified, Error> {
    let reference: Reference = serde_json::from_str(ALL_MINILM_L6_V2).map_err(|e| {
        Error::Verify(format!("the reference vectors cannot be read: {e}; install findling again"))
    })?;
    let mut min = 1.0f32;
    for case in &reference.cases {
        let embedding = model.encode_one(&case.text, Side::Document)?;
        let shown: String = case.text.chars().take(40).collect();
        if (embedding.n_tokens, embedding.truncated) != (case.n_tokens, case.truncated) {
            return Err(Error::Verify(format!(
                "{shown:?}: expected {} tokens (truncated: {}), found {} (truncated: {}); take \
                 tokenizer and limit of tokens of {}",
                case.n_tokens,
                case.truncated,
                embedding.n_tokens,
                embedding.truncated,
                reference.model
            )));
        }
        let cosine = cosine(&embedding.values, &case.values);
        if cosine.is_nan() || cosine < min_cosine {
            return Err(Error::Verify(format!(
                "{shown:?}: expected a cosine of at least {min_cosine} to the reference vector, \
                 found {cosine}; take the weights of {}, or this processor's kernels compute \
                 wrongly",
                reference.model
            )));
        }
        min = min.min(cosine);
    }
    Ok(Verified { n_texts: reference.cases.len() as u32, min_cosine: min })
}

/// Returns the cosine of two vectors; NaN if their lengths differ or one is zero.
fn cosine(a: &[f32], b: &[f32]) -> f32 {
    if a.len() != b.len() {
        return f32::NAN;
    }
    let dot = |a: &[f32], b: &[f32]| {
        a.iter().zip(b).fold(0.0f64, |sum, (a, b)| sum + f64::from(*a) * f64::from(*b))
    };
    (dot(a, b) / libm::sqrt(dot(a, a) * dot(b, b))) as f32
}

//! A model made ready for readers' devices: small enough to download, close enough to the model
//! that embedded the documents.

use findling_encoder::artefact::{Artefact, Bits};
use findling_encoder::import::{Options, import_dir};
use findling_encoder::transformer::Transformer;
use findling_encoder::{Encoder, Side};

use super::{Error, Kind, ModelDir};

/// What fidelity is measured on where nothing else is given: short and long, of programs and of the
/// world.
pub const QUERIES: &str = include_str!("queries.txt");

/// The model for readers' devices: `full` with its weights rounded.
pub fn prepare(full: &Artefact, precision: Precision) -> Artefact {
    full.for_queries(precision.words, precision.matrices)
}

/// How finely weights are rounded, in bits a value takes once compressed ([`Bits`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// The table of words.
    pub words: Bits,
    /// The layers' matrices.
    pub matrices: Bits,
}

impl Default for Precision {
    /// See docs/design/transformer.md for what others give.
    fn default() -> Self {
        Self { words: Bits::WORDS, matrices: Bits::MATRICES }
    }
}

/// How close the vectors of some queries came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fidelity {
    /// Queries compared.
    pub queries: usize,
    /// Mean of their cosines.
    pub mean: f64,
    /// The least of them.
    pub min: f64,
}

/// The model as its files say, unrounded.
///
/// # Errors
/// [`Error::OnnxInBrowser`] of an ONNX graph; [`Error::Encoder`] where the files are not what the
/// encoder reads.
pub fn read(model: &ModelDir) -> Result<Artefact, Error> {
    if model.record.kind == Kind::Onnx {
        return Err(Error::OnnxInBrowser { name: model.name.clone() });
    }
    let options = Options { name: Some(model.name.clone()), ..Options::default() };
    import_dir(&model.path, &options)
        .map_err(|source| Error::Encoder { name: model.name.clone(), source })
}

/// Vectors of `queries` by `artefact`.
///
/// # Errors
/// What the encoder fails with.
pub fn embed(
    artefact: Artefact,
    queries: &[&str],
) -> Result<Vec<Vec<f32>>, findling_encoder::Error> {
    let embeddings = Transformer::new(artefact)?.encode(queries, Side::Query)?;
    Ok(embeddings.into_iter().map(|embedding| embedding.values).collect())
}

/// Compares vectors of the same queries, of length 1. `None` of none.
pub fn fidelity(found: &[Vec<f32>], expected: &[Vec<f32>]) -> Option<Fidelity> {
    let cosine = |(a, b): (&Vec<f32>, &Vec<f32>)| {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>()
    };
    let cosines: Vec<f64> = found.iter().zip(expected).map(cosine).collect();
    let min = cosines.iter().copied().reduce(f64::min)?;
    Some(Fidelity {
        queries: cosines.len(),
        mean: cosines.iter().sum::<f64>() / cosines.len() as f64,
        min,
    })
}

//! Prepares a model for readers' devices: it becomes small enough to download and stays close
//! enough to the model that embedded the documents.

use findling_encoder::artefact::{Artefact, Bits};
use findling_encoder::import::{Options, has_wordpiece, import_dir};
use findling_encoder::transformer::Transformer;
use findling_encoder::{Encoder, Side};

use super::{Error, Kind, ModelDir};

/// Default queries for measuring fidelity: short and long ones, about programming and other
/// subjects.
pub const QUERIES: &str = include_str!("queries.txt");

/// Returns the model for readers' devices: `full` with its weights rounded.
pub fn prepare(full: &Artefact, precision: Precision) -> Artefact {
    full.for_queries(precision.words, precision.matrices)
}

/// The precision of weights, in bits of a value after compression ([`Bits`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// The table of words.
    pub words: Bits,
    /// The layers' matrices.
    pub matrices: Bits,
}

impl Default for Precision {
    /// Returns the precision that is normally used. docs/design/transformer.md compares it with
    /// others.
    fn default() -> Self {
        Self { words: Bits::WORDS, matrices: Bits::MATRICES }
    }
}

/// The closeness of the vectors of some queries to the vectors of the original model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fidelity {
    /// Queries compared.
    pub queries: usize,
    /// Mean cosine.
    pub mean: f64,
    /// Smallest cosine.
    pub min: f64,
}

/// Returns whether only native programs can run the model: an ONNX graph, and a model with another
/// tokenizer than BERT's.
pub fn is_native_only(model: &ModelDir) -> bool {
    model.record.kind == Kind::Onnx || !has_wordpiece(&model.path)
}

/// Reads the model with its original precision.
///
/// # Errors
/// [`Error::NativeOnly`] for a model that browsers cannot run; [`Error::Encoder`] if the encoder
/// cannot read the files.
pub fn read(model: &ModelDir) -> Result<Artefact, Error> {
    if is_native_only(model) {
        return Err(Error::NativeOnly { name: model.name.clone() });
    }
    let options = Options { name: Some(model.name.clone()), ..Options::default() };
    import_dir(&model.path, &options)
        .map_err(|source| Error::Encoder { name: model.name.clone(), source })
}

/// Returns the vectors of `queries`, computed with `artefact`.
///
/// # Errors
/// Errors of the encoder.
pub fn embed(
    artefact: Artefact,
    queries: &[&str],
) -> Result<Vec<Vec<f32>>, findling_encoder::Error> {
    let embeddings = Transformer::new(artefact)?.encode(queries, Side::Query)?;
    Ok(embeddings.into_iter().map(|embedding| embedding.values).collect())
}

/// Compares vectors of length 1 of the same queries. `None` if there are none.
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

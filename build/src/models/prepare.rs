//! A model made ready for readers' devices: small enough to download, close enough to the model
//! that embedded the documents.

use findling_bundle::{hash128, hex};
use findling_encoder::artefact::{Activations, Artefact, Bits};
use findling_encoder::import::{Options, import_dir};
use findling_encoder::transformer::Transformer;
use findling_encoder::{Encoder, Side};

use super::{Error, Kind, ModelDir};

/// What fidelity is measured on where nothing else is given: short and long, of programs and of the
/// world.
pub const QUERIES: &str = include_str!("queries.txt");

/// What weights are rounded for: questions of many kinds, made of these. None of them is in
/// [`QUERIES`].
const CALIBRATION: &str = include_str!("calibration.txt");

/// Forms of each subject.
const FORMS_EACH: usize = 5;

/// Every subject of the list in a few of its forms.
fn calibration() -> Vec<String> {
    let (forms, subjects) = CALIBRATION.split_once("# subjects").unwrap_or(("{}", CALIBRATION));
    let (forms, subjects) = (lines(forms), lines(subjects));
    let of_subject = |(i, subject): (usize, &&str)| -> Vec<String> {
        (0..FORMS_EACH)
            .map(|k| forms[(i * 5 + k * 11) % forms.len()].replace("{}", subject))
            .collect()
    };
    subjects.iter().enumerate().flat_map(of_subject).collect()
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("# ")).collect()
}

/// What goes through the layers of `full` for questions of many kinds.
///
/// # Errors
/// What the encoder fails with.
pub fn activations(full: &Artefact) -> Result<Activations, findling_encoder::Error> {
    let texts = calibration();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Transformer::activations(full, &texts)
}

/// Names what [`prepare`] makes of `full`: another where any of what decides it is another.
pub fn key(full: &Artefact, precision: Precision) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let (words, matrices) = (precision.words.bits(), precision.matrices.bits());
    let what = format!("{version} {} {words} {matrices} {CALIBRATION}", full.card().fingerprint);
    hex(&hash128(what.as_bytes()))
}

/// `full`, prepared for readers' devices.
///
/// # Errors
/// Where the activations are another model's.
pub fn prepare(
    full: &Artefact,
    precision: Precision,
    activations: &Activations,
) -> Result<Artefact, findling_encoder::Error> {
    full.for_queries_calibrated(precision.words, precision.matrices, activations)
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
    /// See DESIGN.md, "The transformer", for what others give.
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

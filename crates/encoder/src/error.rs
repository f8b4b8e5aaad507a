//! What can go wrong between a model's files and a vector.

use std::fmt;

/// Why a model could not be read or run.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// Bytes that are not an artefact, or not one this version reads.
    Artefact(String),
    /// A published model's files that cannot be imported: which, what was expected, what was found.
    Import(String),
    /// A tensor that is missing or of another shape than the configuration says.
    Tensor {
        /// Its name in the file.
        name: String,
        /// The shape the configuration calls for.
        expected: Vec<usize>,
        /// The shape in the file; `None` where there is no such tensor.
        found: Option<Vec<usize>>,
    },
    /// A file that could not be read.
    File {
        /// Which.
        path: String,
        /// The system's reason.
        reason: String,
    },
    /// The model loaded, but computes other vectors than it should.
    Verify(String),
    /// The model could not be run.
    Run(String),
}

impl Error {
    /// A stable name of the kind of error, for hosts that cannot match on it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Artefact(_) => "encoder-artefact",
            Self::Import(_) => "encoder-import",
            Self::Tensor { .. } => "encoder-tensor",
            Self::File { .. } => "encoder-file",
            Self::Verify(_) => "encoder-verify",
            Self::Run(_) => "encoder-run",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Artefact(why) => write!(f, "not a usable model artefact: {why}"),
            Self::Import(why) => write!(f, "the model cannot be imported: {why}"),
            Self::Tensor { name, expected, found: Some(found) } => write!(
                f,
                "tensor `{name}` has shape {found:?}, but the model's configuration calls for {expected:?}; \
                 the weights and config.json belong to different models"
            ),
            Self::Tensor { name, expected, found: None } => write!(
                f,
                "tensor `{name}` (expected shape {expected:?}) is not in the weights; \
                 only BERT-family encoders with BERT's tensor names can be imported"
            ),
            Self::File { path, reason } => write!(f, "{path}: {reason}"),
            Self::Verify(why) => write!(f, "the model does not compute what it should: {why}"),
            Self::Run(why) => write!(f, "the model failed to run: {why}"),
        }
    }
}

impl std::error::Error for Error {}

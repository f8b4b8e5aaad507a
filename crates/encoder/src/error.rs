//! Errors of reading and running a model.

use std::fmt;

/// The reason for which a model could not be read or run.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// Bytes that are not an artefact, or an artefact that this version does not read.
    Artefact(String),
    /// A published model that cannot be imported: the file, what was expected, what was found.
    Import(String),
    /// A tensor that is missing, or whose shape does not match the configuration.
    Tensor {
        /// The name in the file.
        name: String,
        /// The shape by the configuration.
        expected: Vec<usize>,
        /// The shape in the file; `None` if there is no such tensor.
        found: Option<Vec<usize>>,
    },
    /// A file that could not be read.
    File {
        /// The path.
        path: String,
        /// The system's reason.
        reason: String,
    },
    /// The model loads, but its vectors differ from the reference.
    Verify(String),
    /// The model could not be run.
    Run(String),
}

impl Error {
    /// Returns a stable name of the kind of error, for hosts that cannot match on it.
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
            Self::Artefact(why) => write!(f, "the model file is not usable: {why}"),
            Self::Import(why) => write!(f, "the model cannot be imported: {why}"),
            Self::Tensor { name, expected, found: Some(found) } => write!(
                f,
                "tensor `{name}`: expected shape {expected:?} as in config.json, found {found:?}; \
                 take weights and config.json of the same model"
            ),
            Self::Tensor { name, expected, found: None } => write!(
                f,
                "tensor `{name}`: expected shape {expected:?}, found no such tensor; only encoders \
                 of the BERT family, with BERT's tensor names, can be imported"
            ),
            Self::File { path, reason } => write!(f, "{path}: {reason}"),
            Self::Verify(why) => write!(f, "the model computes other vectors than expected: {why}"),
            Self::Run(why) => write!(f, "the model failed to run: {why}"),
        }
    }
}

impl std::error::Error for Error {}

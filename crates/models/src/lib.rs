//! Models on this machine: the store, their installation, and the encoders that they make.
//!
//! [`load_encoder`] finds an encoder by name: an installed model, the static table that this crate
//! contains, or feature hashing. [`install::install`] fetches a known model and checks every byte;
//! it uses the network, so its caller asks first.
//!
//! The crate knows no page, no bundle and no terminal. Features: `transformer` runs models by
//! tract, `onnx` a user's own graph.
//!
//! ```
//! use findling_encoder::{Encoder, Side, dot};
//! use findling_models::static_table;
//!
//! let table = static_table::general()?;
//! let vectors = table.encode(&["guess a number", "a guessing game", "bake bread"], Side::Query)?;
//! let cosine = |a: usize, b: usize| dot(&vectors[a].values, &vectors[b].values);
//! assert!(cosine(0, 1) > cosine(0, 2));
//! # Ok::<(), anyhow::Error>(())
//! ```

use findling_encoder::BoxedEncoder;

mod download;
mod error;
mod files;
#[cfg(feature = "transformer")]
mod fingerprint;
pub mod install;
pub mod known;
mod options;
#[cfg(feature = "transformer")]
pub mod prepare;
mod sources;
pub mod static_table;
mod store;

pub use error::Error;
pub use store::{FileRecord, Kind, ModelDir, Record, Store};

/// Feature hashing: an encoder that needs no files. Not semantic.
pub const HASH: &str = "hash";

/// The static table. The engine embeds queries with its rows; a build without a model also embeds
/// documents with it.
pub const STATIC: &str = "static";

/// Finds an installed model in the default store.
///
/// Only the lengths of files are compared, which is fast; `findling models verify` reads every
/// byte.
///
/// # Errors
///
/// [`Error::NotInstalled`] and [`Error::Damaged`], both with the command that helps.
pub fn locate(name: &str) -> Result<ModelDir, Error> {
    Store::default_location()?.locate(name)
}

/// Loads the encoder called `name`: [`HASH`], or an installed model.
///
/// # Errors
///
/// The errors of [`locate`]; [`Error::NoTransformer`] if this program was compiled without the
/// transformer; [`Error::Encoder`] if the encoder cannot read the files.
pub fn load_encoder(name: &str) -> Result<BoxedEncoder, Error> {
    if name == HASH {
        return Ok(Box::new(findling_encoder::hash::HashEncoder::default()));
    }
    load_from(&locate(name)?)
}

/// Loads the encoder called `name` for a few queries. After the whole model has been read once, the
/// parts that queries do not need are not read again.
///
/// # Errors
///
/// The errors of [`load_encoder`].
pub fn load_query_encoder(name: &str) -> Result<BoxedEncoder, Error> {
    transformer::load_for_queries(&locate(name)?)
}

/// Loads the encoder of an installed model.
///
/// # Errors
///
/// [`Error::NoTransformer`] and [`Error::Encoder`].
pub fn load_from(model: &ModelDir) -> Result<BoxedEncoder, Error> {
    transformer::load(model, false)
}

/// Loads the encoder of an installed model and encodes a few sentences. The result is compared with
/// reference vectors, if there are any for the model.
///
/// # Errors
///
/// The errors of [`load_from`], and [`Error::Encoder`] if the model computes wrong vectors.
pub fn prove(model: &ModelDir) -> Result<(), Error> {
    let encoder = transformer::load(model, true)?;
    let refused = |source| Error::Encoder { name: model.name.clone(), source };
    let vectors =
        encoder.encode(&["a model that works"], findling_encoder::Side::Query).map_err(refused)?;
    let useful = |value: &f32| value.is_finite() && *value != 0.0;
    if vectors.iter().any(|vector| vector.values.iter().any(useful)) {
        return Ok(());
    }
    Err(refused(findling_encoder::Error::Verify(
        "expected a vector for a sentence, found \
         none"
            .to_owned(),
    )))
}

#[cfg(feature = "transformer")]
mod transformer {
    use findling_encoder::import::Options;
    use findling_encoder::transformer::{Transformer, reference};

    use super::fingerprint::{self, Files};
    use super::{BoxedEncoder, Error, Kind, ModelDir};

    pub fn load_for_queries(model: &ModelDir) -> Result<BoxedEncoder, Error> {
        if model.record.kind == Kind::Onnx {
            return load(model, false);
        }
        if let Some(noted) = fingerprint::noted(model) {
            let encoder = Transformer::load_for_queries(&model.path, &options(model), &noted);
            let refused = |source| Error::Encoder { name: model.name.clone(), source };
            if let Some(encoder) = encoder.map_err(refused)? {
                return Ok(Box::new(encoder));
            }
        }
        let files = Files::of(model);
        let encoder = load(model, false)?;
        fingerprint::note(model, files, &encoder.card().fingerprint);
        Ok(encoder)
    }

    /// Returns the options for a model. They contain its name in the store, so that reference
    /// vectors are found by this name and not by the name of the directory.
    fn options(model: &ModelDir) -> Options {
        Options { name: Some(model.name.clone()), ..Options::default() }
    }

    pub fn load(model: &ModelDir, verify: bool) -> Result<BoxedEncoder, Error> {
        let refused = |source| Error::Encoder { name: model.name.clone(), source };
        let options = options(model);
        if model.record.kind == Kind::Onnx {
            return onnx(model, &options);
        }
        let encoder = Transformer::load_dir_with(&model.path, &options).map_err(refused)?;
        if verify {
            reference::verify(&encoder).map_err(refused)?;
        }
        Ok(Box::new(encoder))
    }

    #[cfg(feature = "onnx")]
    fn onnx(model: &ModelDir, options: &Options) -> Result<BoxedEncoder, Error> {
        let graph = model.path.join("model.onnx");
        findling_encoder::onnx::OnnxEncoder::load(&graph, &model.path, options)
            .map(|encoder| Box::new(encoder) as BoxedEncoder)
            .map_err(|source| Error::Encoder { name: model.name.clone(), source })
    }

    #[cfg(not(feature = "onnx"))]
    fn onnx(model: &ModelDir, _options: &Options) -> Result<BoxedEncoder, Error> {
        Err(Error::NoOnnx { name: model.name.clone() })
    }
}

#[cfg(not(feature = "transformer"))]
mod transformer {
    use super::{BoxedEncoder, Error, ModelDir};

    pub fn load_for_queries(model: &ModelDir) -> Result<BoxedEncoder, Error> {
        load(model, false)
    }

    pub fn load(model: &ModelDir, _verify: bool) -> Result<BoxedEncoder, Error> {
        Err(Error::NoTransformer { name: model.name.clone() })
    }
}

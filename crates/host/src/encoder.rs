//! Chooses and loads the encoder of queries.

use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::Context;
use findling_bundle::Dense;
use findling_encoder::Side;
use findling_engine::{QueryVector, Request};

use super::Host;
use findling_base::usage_error::UsageError;
use findling_encoder::BoxedEncoder;
use findling_models as models;
use findling_models::STATIC;

/// The choice of the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EncoderChoice {
    /// The encoder of the documents if it is available, otherwise none.
    #[default]
    Auto,
    /// No encoder: search by words only.
    None,
    /// The encoder with this name.
    Named(String),
}

impl EncoderChoice {
    /// Returns the engine's own encoder for requests without a vector.
    pub fn of_engine(&self) -> findling_engine::EncoderChoice {
        match self {
            Self::None => findling_engine::EncoderChoice::None,
            _ => findling_engine::EncoderChoice::Auto,
        }
    }
}

impl FromStr for EncoderChoice {
    type Err = std::convert::Infallible;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Ok(match name {
            "auto" => Self::Auto,
            "none" => Self::None,
            _ => Self::Named(name.to_owned()),
        })
    }
}

/// An encoder that embeds queries into a bundle's space.
pub struct QueryEncoder {
    /// The encoder; `None` if the engine embeds queries with the rows in the bundle.
    encoder: Option<BoxedEncoder>,
    kind: &'static str,
}

/// Returns the error of an encoder that does not fit the bundle.
fn unfit(message: impl Into<String>) -> anyhow::Error {
    UsageError::new("query-encoder", message).into()
}

impl QueryEncoder {
    /// Loads the chosen encoder and checks that it embeds into the bundle's space.
    ///
    /// `Ok(None)` if the bundle has no vectors or no encoder is wanted.
    ///
    /// # Errors
    /// If the encoder is not available or embeds into another space.
    pub fn load(host: &Host, choice: &EncoderChoice) -> anyhow::Result<Option<QueryEncoder>> {
        let Some(dense) = &host.manifest().dense else {
            if let EncoderChoice::Named(name) = choice {
                return Err(unfit(format!(
                    "the bundle has no vectors, so `{name}` cannot be used; build the bundle with \
                     an encoder"
                )));
            }
            return Ok(None);
        };
        match choice {
            EncoderChoice::None => Ok(None),
            EncoderChoice::Auto => match Self::documents_own(host, dense) {
                Err(_) if dense.rows.is_some() => Ok(Some(Self::of_rows())),
                own => own.map(Some),
            },
            EncoderChoice::Named(name) if name == STATIC => match dense.rows {
                Some(_) => Ok(Some(Self::of_rows())),
                None => Err(unfit(
                    "the bundle has no rows of a static encoder; build it with --query-encoder \
                     static",
                )),
            },
            EncoderChoice::Named(name) if name == "deployed" => match deployed(host, dense) {
                Some(encoder) => Ok(Some(QueryEncoder {
                    encoder: Some(Self::of_space(encoder?, dense)?),
                    kind: "transformer",
                })),
                None => Err(unfit(
                    "expected a transformer deployed with the bundle that this program can run, \
                     found none; build the bundle with --query-encoder transformer or both",
                )),
            },
            EncoderChoice::Named(name) if name == "transformer" && dense.encoder.name == STATIC => {
                Err(unfit(
                    "the bundle's documents were embedded with the static table, so no transformer \
                     can embed queries for it; use --query-encoder static, or build the bundle \
                     with a model",
                ))
            }
            EncoderChoice::Named(name) if name == "transformer" && dense.encoder.semantic => {
                Self::documents_own(host, dense).map(Some)
            }
            EncoderChoice::Named(name) if *name == dense.encoder.name => {
                Self::documents_own(host, dense).map(Some)
            }
            EncoderChoice::Named(path) if std::path::Path::new(path).is_file() => {
                let encoder = Self::of_space(prepared(path)?, dense)?;
                Ok(Some(QueryEncoder { encoder: Some(encoder), kind: "transformer" }))
            }
            EncoderChoice::Named(name) => Self::installed(name, dense).map(Some),
        }
    }

    fn of_rows() -> QueryEncoder {
        QueryEncoder { encoder: None, kind: STATIC }
    }

    /// Returns the documents' encoder: the installed model, or the one deployed with the bundle.
    fn documents_own(host: &Host, dense: &Dense) -> anyhow::Result<QueryEncoder> {
        Self::installed(&dense.encoder.name, dense).or_else(|error| match deployed(host, dense) {
            Some(Ok(encoder)) => Ok(QueryEncoder { encoder: Some(encoder), kind: "transformer" }),
            Some(Err(of_bundle)) => Err(of_bundle.context(error)),
            None => Err(error),
        })
    }

    fn installed(name: &str, dense: &Dense) -> anyhow::Result<QueryEncoder> {
        let encoder = if name == models::HASH {
            // The hash encoder supports any number of dimensions.
            Box::new(findling_encoder::hash::HashEncoder::new(dense.encoder.dim))
        } else {
            models::load_query_encoder(name)?
        };
        let kind = if encoder.card().semantic { "transformer" } else { "hash" };
        Ok(QueryEncoder { encoder: Some(Self::of_space(encoder, dense)?), kind })
    }

    /// Checks that an encoder embeds into the bundle's space.
    fn of_space(encoder: BoxedEncoder, dense: &Dense) -> anyhow::Result<BoxedEncoder> {
        let (card, expected) = (encoder.card(), &dense.encoder);
        if card.fingerprint != expected.fingerprint {
            return Err(unfit(format!(
                "expected the encoder of the bundle's documents, {} ({}), found {} ({}), whose \
                 vectors cannot be compared with theirs; install the bundle's model, or build the \
                 bundle again",
                expected.name, expected.fingerprint, card.name, card.fingerprint
            )));
        }
        Ok(encoder)
    }

    /// Returns the kind of encoder: `transformer`, `static` or `hash`.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Embeds the query of a request and its other phrasings; returns the time taken.
    ///
    /// # Errors
    /// If the model fails to run.
    pub fn embed(&self, request: &mut Request) -> anyhow::Result<Duration> {
        let mut time;
        (request.vector, time) = self.encode(&request.query)?;
        for text in &request.also {
            let (vector, more) = self.encode(text)?;
            request.also_vectors.push(vector);
            time += more;
        }
        Ok(time)
    }

    /// Embeds a query, unless the engine does it; also returns the time taken.
    ///
    /// # Errors
    /// If the model fails to run.
    pub fn encode(&self, query: &str) -> anyhow::Result<(Option<QueryVector>, Duration)> {
        let Some(encoder) = &self.encoder else { return Ok((None, Duration::ZERO)) };
        let start = Instant::now();
        let failed = || format!("cannot embed the query {query:?}");
        let mut embeddings = encoder.encode(&[query], Side::Query).with_context(failed)?;
        let embedding = embeddings.pop().with_context(failed)?;
        let vector = QueryVector {
            values: embedding.values,
            encoder: self.kind.to_owned(),
            truncated: embedding.truncated,
        };
        Ok((Some(vector), start.elapsed()))
    }
}

/// Loads a file that `findling models prepare` wrote.
#[cfg(feature = "transformer")]
fn prepared(path: &str) -> anyhow::Result<BoxedEncoder> {
    use findling_encoder::{artefact::Artefact, transformer::Transformer};

    let artefact = std::fs::read(path)
        .map_err(anyhow::Error::from)
        .and_then(|bytes| Ok(Artefact::from_packed_bytes(bytes)?));
    Ok(Box::new(Transformer::new(artefact.with_context(|| path.to_owned())?)?))
}

#[cfg(not(feature = "transformer"))]
fn prepared(path: &str) -> anyhow::Result<BoxedEncoder> {
    Err(models::Error::NoTransformer { name: path.to_owned() }.into())
}

/// Number of bytes at the start of a deployed transformer that are read first, for its head. The
/// rest is fetched later.
#[cfg(feature = "transformer")]
const BEGINNING: u64 = 64 << 10;

/// Maximum size of a deployed transformer, in bytes.
#[cfg(feature = "transformer")]
const MAX_MODEL_LEN: u64 = 512 << 20;

/// Returns the transformer deployed with the bundle; `None` if there is none, or this program
/// cannot run one.
#[cfg(feature = "transformer")]
fn deployed(host: &Host, dense: &Dense) -> Option<anyhow::Result<BoxedEncoder>> {
    use findling_encoder::{artefact::Artefact, transformer::Transformer};

    let files = &dense.query_encoders.iter().find(|encoder| encoder.kind == "transformer")?.files;
    let load = || -> anyhow::Result<BoxedEncoder> {
        let beginning = host.files().beginning_of_parts(files, BEGINNING)?;
        let card = Artefact::card_of_beginning(&beginning, MAX_MODEL_LEN)?;
        if card.fingerprint != dense.encoder.fingerprint {
            return Err(unfit(format!(
                "expected a transformer of the documents' space, {}, found {} with the bundle; \
                 build the bundle again",
                dense.encoder.fingerprint, card.fingerprint
            )));
        }
        let artefact = Artefact::from_packed_bytes(host.files().parts(files)?)?;
        Ok(Box::new(Transformer::new(artefact)?))
    };
    (!files.is_empty()).then(load)
}

#[cfg(not(feature = "transformer"))]
fn deployed(_host: &Host, _dense: &Dense) -> Option<anyhow::Result<BoxedEncoder>> {
    None
}

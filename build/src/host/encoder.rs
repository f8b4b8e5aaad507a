//! Which encoder embeds the queries.

use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use findling_bundle::Dense;
use findling_encoder::Side;
use findling_engine::QueryVector;

use super::Host;
use crate::models::{self, BoxedEncoder, STATIC};

/// What the user asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EncoderChoice {
    /// The documents' own where it can be had; otherwise none.
    #[default]
    Auto,
    /// None: words alone.
    None,
    /// The one called so, or an error.
    Named(String),
}

impl EncoderChoice {
    /// What it asks of the engine where no vector comes with the query.
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

/// An encoder of queries into a bundle's space.
pub struct QueryEncoder {
    /// `None`: the engine embeds, by the rows in the bundle.
    encoder: Option<BoxedEncoder>,
    kind: &'static str,
}

impl QueryEncoder {
    /// Loads the encoder that was chosen, and makes sure that it embeds into the bundle's space.
    ///
    /// `Ok(None)`: the bundle has no vectors, or none was wanted.
    ///
    /// # Errors
    /// Where the encoder cannot be had, or is of another space.
    pub fn load(host: &Host, choice: &EncoderChoice) -> anyhow::Result<Option<QueryEncoder>> {
        let Some(dense) = &host.manifest().dense else {
            if let EncoderChoice::Named(name) = choice {
                bail!(
                    "the bundle has no vectors to compare with those of `{name}`; build it with an encoder"
                );
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
                None => {
                    bail!(
                        "the bundle has no rows of a static encoder; build it with --query-encoder static"
                    )
                }
            },
            EncoderChoice::Named(name) if name == "deployed" => match deployed(host, dense) {
                Some(encoder) => Ok(Some(QueryEncoder {
                    encoder: Some(Self::of_space(encoder?, dense)?),
                    kind: "transformer",
                })),
                None => bail!(
                    "the bundle has no transformer beside it that could be run here; build it with --query-encoder \
                     transformer or both"
                ),
            },
            EncoderChoice::Named(name) if name == "transformer" && dense.encoder.name == STATIC => {
                bail!(
                    "no transformer lands in the space of the bundle's documents, which the static table embedded; use \
                     --query-encoder static, or build the bundle with a model"
                )
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

    /// The documents' encoder: as installed, or as the bundle brings it along.
    fn documents_own(host: &Host, dense: &Dense) -> anyhow::Result<QueryEncoder> {
        Self::installed(&dense.encoder.name, dense).or_else(|error| match deployed(host, dense) {
            Some(Ok(encoder)) => Ok(QueryEncoder { encoder: Some(encoder), kind: "transformer" }),
            Some(Err(of_bundle)) => Err(of_bundle.context(error)),
            None => Err(error),
        })
    }

    fn installed(name: &str, dense: &Dense) -> anyhow::Result<QueryEncoder> {
        let encoder = if name == models::HASH {
            // Any number of dimensions is to be had.
            Box::new(findling_encoder::hash::HashEncoder::new(dense.encoder.dim))
        } else {
            models::load_encoder(name)?
        };
        let kind = if encoder.card().semantic { "transformer" } else { "hash" };
        Ok(QueryEncoder { encoder: Some(Self::of_space(encoder, dense)?), kind })
    }

    /// The encoder, if it embeds into the bundle's space.
    fn of_space(encoder: BoxedEncoder, dense: &Dense) -> anyhow::Result<BoxedEncoder> {
        let (card, expected) = (encoder.card(), &dense.encoder);
        if card.fingerprint != expected.fingerprint {
            bail!(
                "the bundle was embedded by {} ({}), but the encoder here is {} ({}): queries would land in another space; \
                 install the bundle's model, or build the bundle again",
                expected.name,
                expected.fingerprint,
                card.name,
                card.fingerprint
            );
        }
        Ok(encoder)
    }

    /// `transformer`, `static`, `hash`.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Embeds a query, unless the engine does; says how long that took.
    ///
    /// # Errors
    /// Where the model fails to run.
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

/// What `findling models prepare` wrote to a file.
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

/// The transformer that lies beside the bundle; `None` where there is none, or this findling cannot
/// run one.
#[cfg(feature = "transformer")]
fn deployed(host: &Host, dense: &Dense) -> Option<anyhow::Result<BoxedEncoder>> {
    use findling_encoder::{artefact::Artefact, transformer::Transformer};

    let files = &dense.query_encoders.iter().find(|encoder| encoder.kind == "transformer")?.files;
    let load = || -> anyhow::Result<BoxedEncoder> {
        let artefact = Artefact::from_packed_bytes(host.files().parts(files)?)?;
        Ok(Box::new(Transformer::new(artefact)?))
    };
    (!files.is_empty()).then(load)
}

#[cfg(not(feature = "transformer"))]
fn deployed(_host: &Host, _dense: &Dense) -> Option<anyhow::Result<BoxedEncoder>> {
    None
}

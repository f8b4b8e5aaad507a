//! The engine's errors. Each says what was expected, what was found and what to do.

use std::fmt;

use crate::messages::resembles;

/// Why the engine could not open a bundle, take a shard or answer a request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The bundle's bytes break the format. The message comes from the format's reader.
    Bundle {
        /// The error of the format's reader, with the remedy.
        message: String,
    },
    /// The bundle was indexed under other analysis rules than this engine's: its terms could not be
    /// found.
    Analysis {
        /// The rules of the bundle.
        found: u64,
        /// The rules of this engine.
        expected: u64,
    },
    /// Two parts of the bundle contradict each other.
    Inconsistent {
        /// The limit that was exceeded, and how.
        what: String,
    },
    /// A shard was given or requested that the manifest does not list.
    NoSuchShard {
        /// The number given.
        shard: u32,
        /// How many the manifest lists.
        n_shards: u32,
    },
    /// The request is malformed.
    Request {
        /// The expected and the found value.
        message: String,
    },
    /// The filter cannot be understood.
    Filter {
        /// Where, what was expected and what was found.
        message: String,
    },
    /// A filter, facet or sort names an attribute that the bundle does not have.
    UnknownAttribute {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// No page has the address or id asked about.
    NoSuchPage {
        /// The address of the request.
        address: String,
    },
    /// The query's vector does not fit the bundle's space.
    Vector {
        /// The expected and the found value.
        message: String,
    },
}

impl Error {
    /// Returns a stable name for programs: `bundle`, `analysis`, `inconsistent`, `no-such-shard`,
    /// `request`, `filter`, `unknown-attribute`, `no-such-page`, `vector`. From `request` on the
    /// request is at fault, before that the bundle.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Bundle { .. } => "bundle",
            Self::Analysis { .. } => "analysis",
            Self::Inconsistent { .. } => "inconsistent",
            Self::NoSuchShard { .. } => "no-such-shard",
            Self::Request { .. } => "request",
            Self::Filter { .. } => "filter",
            Self::UnknownAttribute { .. } => "unknown-attribute",
            Self::NoSuchPage { .. } => "no-such-page",
            Self::Vector { .. } => "vector",
        }
    }

    /// Returns whether the request is at fault rather than the bundle: what a server answers with
    /// 400 rather than 500.
    pub fn is_request(&self) -> bool {
        matches!(
            self,
            Self::Request { .. }
                | Self::Filter { .. }
                | Self::UnknownAttribute { .. }
                | Self::NoSuchPage { .. }
                | Self::Vector { .. }
        )
    }

    pub(crate) fn inconsistent(what: impl Into<String>) -> Self {
        Self::Inconsistent { what: what.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bundle { message } => f.write_str(message),
            Self::Analysis { found, expected } => write!(
                f,
                "the bundle was indexed under text rules {found:016x}, this engine follows \
                 {expected:016x}: rebuild the bundle with the findling of this engine's version, \
                 or deploy the engine that came with the bundle (one made for sites in English \
                 reads no other language that is stemmed)"
            ),
            Self::Inconsistent { what } => {
                write!(f, "the bundle contradicts itself: {what}; rebuild and deploy it as a whole")
            }
            Self::NoSuchShard { shard, n_shards } => {
                write!(
                    f,
                    "expected a shard below {n_shards}, found {shard}: give only shards of a step"
                )
            }
            Self::Request { message } | Self::Filter { message } | Self::Vector { message } => {
                f.write_str(message)
            }
            Self::NoSuchPage { address } => write!(
                f,
                "no page has the address or id `{address}`; give a page's URL, its path from the \
                 site's root, or its id"
            ),
            Self::UnknownAttribute { name, known } => {
                write!(f, "the bundle has no attribute `{name}`")?;
                if let Some(near) = known.iter().find(|other| resembles(name, other)) {
                    write!(f, ", but `{near}`")?;
                }
                if known.is_empty() {
                    f.write_str("; it has none at all")
                } else {
                    write!(f, "; it has {}", known.join(", "))
                }
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<findling_bundle::Error> for Error {
    fn from(error: findling_bundle::Error) -> Self {
        Self::Bundle { message: error.to_string() }
    }
}

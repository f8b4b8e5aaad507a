//! Errors of all readers and writers. Each message says what was expected, what was found and what
//! to do.

use core::fmt;

use crate::ShardKind;

/// The reason for which bytes were refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The bytes end too early.
    Truncated {
        /// The format that was read.
        what: &'static str,
        /// Bytes needed at this place.
        needed: u64,
        /// Bytes left.
        left: u64,
    },
    /// The magic is wrong: something else was served instead of the file.
    Magic {
        /// The format that was read.
        what: &'static str,
        /// The first bytes found.
        got: [u8; 4],
    },
    /// A format version this reader does not know.
    Version {
        /// The format that was read.
        what: &'static str,
        /// The version this reader knows.
        expected: u32,
        /// The version found.
        got: u32,
    },
    /// The hash or checksum of the contents is not the expected one.
    Checksum {
        /// The format that was read.
        what: &'static str,
    },
    /// A length is not the expected one.
    Length {
        /// The format that was read.
        what: &'static str,
        /// The expected length.
        expected: u64,
        /// The length found.
        got: u64,
    },
    /// The kind of a shard is not the one in the shard directory.
    Kind {
        /// The kind in the directory.
        expected: ShardKind,
        /// The kind byte found.
        got: u8,
    },
    /// A number is above a limit of this reader.
    Limit {
        /// The thing that is too large.
        what: &'static str,
        /// The most allowed.
        limit: u64,
        /// The number found.
        got: u64,
    },
    /// The contents break a rule of the format.
    Malformed {
        /// The format that was read.
        what: &'static str,
        /// The broken rule.
        why: &'static str,
    },
}

impl Error {
    pub(crate) fn malformed(what: &'static str, why: &'static str) -> Self {
        Self::Malformed { what, why }
    }
}

/// The remedy for contents that no correct writer makes.
const REBUILD: &str = "build the bundle again with `findling build`, and deploy all of its files";
/// The remedy for contents that were damaged on the way.
const REDEPLOY: &str =
    "deploy all files of the bundle again, and check that no server or proxy rewrites binary files";

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { what, needed, left } => {
                write!(f, "{what}: expected {needed} more bytes, found {left}; {REDEPLOY}")
            }
            Self::Magic { what, got } => write!(
                f,
                "{what}: expected a Findling file, found bytes that begin with \
                 {:02x} {:02x} {:02x} {:02x}; check that the address is the bundle's, and that the \
                 server does not answer with an error page",
                got[0], got[1], got[2], got[3]
            ),
            Self::Version { what, expected, got } if got > expected => write!(
                f,
                "{what}: expected format version {expected}, found {got}; a newer `findling` built \
                 this bundle: update the client that reads it"
            ),
            Self::Version { what, expected, got } => write!(
                f,
                "{what}: expected format version {expected}, found {got}; build the bundle again \
                 with this version of `findling`"
            ),
            Self::Checksum { what } => {
                write!(
                    f,
                    "{what}: expected contents that match the checksum, found others; {REDEPLOY}"
                )
            }
            Self::Length { what, expected, got } => {
                write!(f, "{what}: expected a length of {expected}, found {got}; {REDEPLOY}")
            }
            Self::Kind { expected, got } => write!(
                f,
                "shard: expected the kind {expected:?} ({}), found kind {got}; {REDEPLOY}",
                *expected as u8
            ),
            Self::Limit { what, limit, got } => {
                write!(
                    f,
                    "{what}: expected at most {limit}, found {got}; split the site into several \
                     bundles, or {REBUILD}"
                )
            }
            Self::Malformed { what, why } => write!(f, "{what}: {why}; {REBUILD}"),
        }
    }
}

impl core::error::Error for Error {}

//! What can be wrong with bytes, said so that the reader of the message knows what to do.

use core::fmt;

use crate::ShardKind;

/// Why bytes were refused. The message names what was expected, what was found and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The bytes end too early.
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Bytes needed at this place.
        needed: u64,
        /// Bytes left.
        left: u64,
    },
    /// The bytes do not begin as they should: something else was served in the file's place.
    Magic {
        /// What was being read.
        what: &'static str,
        /// The first bytes found.
        got: [u8; 4],
    },
    /// A format version this reader does not know.
    Version {
        /// What was being read.
        what: &'static str,
        /// The version this reader knows.
        expected: u32,
        /// The version found.
        got: u32,
    },
    /// The contents are not those the checksum was taken of.
    Checksum {
        /// What was being read.
        what: &'static str,
    },
    /// A length differs from the one announced.
    Length {
        /// What was being read.
        what: &'static str,
        /// Announced.
        expected: u64,
        /// Found.
        got: u64,
    },
    /// Another kind of shard than the directory says.
    Kind {
        /// The kind the directory says.
        expected: ShardKind,
        /// The kind byte found.
        got: u8,
    },
    /// More than this reader allows.
    Limit {
        /// What is too large.
        what: &'static str,
        /// The most allowed.
        limit: u64,
        /// Announced or asked for.
        got: u64,
    },
    /// The contents break a rule of the format.
    Malformed {
        /// What was being read.
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

/// The remedy for contents that no honest writer makes.
const REBUILD: &str = "build the bundle again with `findling build` and deploy all of it";
/// The remedy for contents that were damaged on their way.
const REDEPLOY: &str =
    "deploy the bundle again, all of it, and see that nothing on the way rewrites binary files";

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { what, needed, left } => {
                write!(f, "{what}: expected {needed} more bytes, found {left}; {REDEPLOY}")
            }
            Self::Magic { what, got } => write!(
                f,
                "{what}: this is not a Findling file (it begins with {:02x} {:02x} {:02x} {:02x}); see that the \
                 address is the bundle's and that the server does not answer with an error page",
                got[0], got[1], got[2], got[3]
            ),
            Self::Version { what, expected, got } if got > expected => write!(
                f,
                "{what}: expected format version {expected}, found {got}; the bundle was built by a newer \
                 `findling`: update the client that reads it"
            ),
            Self::Version { what, expected, got } => write!(
                f,
                "{what}: expected format version {expected}, found {got}; build the bundle again with this \
                 version of `findling`"
            ),
            Self::Checksum { what } => {
                write!(
                    f,
                    "{what}: the contents are not those the checksum was taken of; {REDEPLOY}"
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
                    "{what}: at most {limit} are allowed, found {got}; split the site into several bundles, or {REBUILD}"
                )
            }
            Self::Malformed { what, why } => write!(f, "{what}: {why}; {REBUILD}"),
        }
    }
}

impl core::error::Error for Error {}

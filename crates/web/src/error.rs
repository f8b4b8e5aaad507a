//! The errors of the client.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The reason for which a bundle could not be opened or searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Error {
    code: Cow<'static, str>,
    message: String,
}

impl Error {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code: Cow::Borrowed(code), message: message.into() }
    }

    /// Returns a stable name for programs, the same as in the JavaScript client: a name of
    /// [`findling_engine::Error::code`], or `network`, `not-found`, `shard-missing`,
    /// `shard-corrupt`, `manifest-changed`, `closed`, `internal`.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Returns what was expected, what was found, and what to do (English).
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns whether a later deployment or a working network repairs it.
    pub(crate) fn is_of_files(&self) -> bool {
        matches!(self.code(), "network" | "shard-missing" | "shard-corrupt")
    }

    /// Returns whether the bundle has probably been deployed again meanwhile.
    pub(crate) fn is_stale(&self) -> bool {
        matches!(self.code(), "shard-missing" | "shard-corrupt")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<findling_engine::Error> for Error {
    fn from(error: findling_engine::Error) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<findling_bundle::Error> for Error {
    fn from(error: findling_bundle::Error) -> Self {
        findling_engine::Error::from(error).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_engine_keeps_its_code_and_crosses_as_json() {
        let error: Error = findling_engine::Error::NoSuchPage { address: "a.html".into() }.into();
        assert_eq!(error.code(), "no-such-page");
        assert!(error.message().contains("a.html"));
        let json = serde_json::to_string(&error).unwrap();
        assert_eq!(serde_json::from_str::<Error>(&json).unwrap(), error);
    }

    #[test]
    fn only_errors_of_files_are_repaired_by_later_deployments() {
        let is = |code| {
            let error = Error::new(code, "");
            (error.is_of_files(), error.is_stale())
        };
        assert_eq!(is("network"), (true, false));
        assert_eq!(is("shard-missing"), (true, true));
        assert_eq!(is("filter"), (false, false));
    }
}

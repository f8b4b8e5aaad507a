//! Errors in a condition.

use std::fmt;

/// The reason for which a condition was refused: the place, what was expected, what was found, and
/// what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    /// `character 12` (counted from 1) in text, a path such as `must[1].range.year` in JSON.
    pub position: String,
    /// The expected text.
    pub expected: String,
    /// The found text.
    pub found: String,
    /// The remedy.
    pub remedy: String,
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { position, expected, found, remedy } = self;
        write!(f, "filter, {position}: expected {expected}, found {found}; {remedy}")
    }
}

impl std::error::Error for FilterError {}

impl From<FilterError> for crate::api::Error {
    fn from(error: FilterError) -> Self {
        Self::Filter { message: error.to_string() }
    }
}

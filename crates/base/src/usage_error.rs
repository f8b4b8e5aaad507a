//! Errors in a request of the user, with a code that programs read.

/// An error in a request of the user, with a code of its own.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct UsageError {
    /// A code that does not change. See `docs/command-line.md`.
    pub code: &'static str,
    /// The message: what was expected, what was found, and what to do.
    pub message: String,
}

impl UsageError {
    /// Returns an error with this code.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

//! Errors in what was asked, with a code that programs read.

/// An error in what was asked, with a code of its own.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct UsageError {
    /// Stable. See `docs/command-line.md`.
    pub code: &'static str,
    /// What was expected, what was found, and what to do.
    pub message: String,
}

impl UsageError {
    /// Returns an error with this code.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

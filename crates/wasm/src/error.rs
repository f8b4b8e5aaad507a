//! Errors with a stable code.

use std::fmt;

/// An error on the WebAssembly side. Hosts read [`Failure::code`].
#[derive(Debug)]
pub enum Failure {
    /// An error of the engine.
    Engine(findling_engine::Error),
    /// The entry file, the manifest or the single file is not valid.
    Bundle(findling_bundle::Error),
    /// The manifest is not the manifest that the entry file names.
    ManifestChanged,
}

impl Failure {
    /// Returns a stable name for programs. The names of the engine's errors are documented at
    /// [`findling_engine::Error::code`].
    pub fn code(&self) -> &'static str {
        match self {
            Self::Engine(error) => error.code(),
            Self::Bundle(_) => "bundle",
            Self::ManifestChanged => "manifest-changed",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Engine(error) => error.fmt(f),
            Self::Bundle(error) => error.fmt(f),
            Self::ManifestChanged => f.write_str(
                "the manifest is not the one that the entry file names: the bundle was deployed in \
                 part, or a cache holds an old file; deploy the whole bundle again",
            ),
        }
    }
}

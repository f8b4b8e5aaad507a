//! Errors as JavaScript knows them: an `Error` with a stable `code`.

use std::fmt;

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// JavaScript's `Error`, bound here so that the module needs no bindings crate for it alone.
    #[wasm_bindgen(js_name = Error)]
    pub type JsError;

    #[wasm_bindgen(constructor, js_class = "Error")]
    fn new(message: &str) -> JsError;

    #[wasm_bindgen(method, setter, structural)]
    fn set_code(this: &JsError, code: &str);
}

/// What can go wrong on this side of the border. [`Failure::code`] is what JavaScript reads.
#[derive(Debug)]
pub enum Failure {
    /// The engine's own.
    Engine(findling_engine::Error),
    /// The entry file, the manifest or the single file is not what it should be.
    Bundle(findling_bundle::Error),
    /// The manifest is not the one that the entry file names.
    ManifestChanged,
}

impl Failure {
    /// A stable name for programs. Those of the engine are documented at
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

impl From<findling_engine::Error> for Failure {
    fn from(error: findling_engine::Error) -> Self {
        Self::Engine(error)
    }
}

impl From<Failure> for JsError {
    fn from(failure: Failure) -> Self {
        let error = JsError::new(&failure.to_string());
        error.set_code(failure.code());
        error
    }
}

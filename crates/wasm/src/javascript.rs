//! The interface for JavaScript, by wasm-bindgen. Errors are thrown as JavaScript's `Error` with a
//! stable `code` (see [`Failure::code`]).

use wasm_bindgen::prelude::*;

use crate::error::Failure;
use crate::open_bundle::{self, OpenBundle};

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

impl From<Failure> for JsError {
    fn from(failure: Failure) -> Self {
        let error = JsError::new(&failure.to_string());
        error.set_code(failure.code());
        error
    }
}

/// Returns the path of the manifest that an entry file names, relative to the bundle.
#[wasm_bindgen(js_name = manifestOf)]
pub fn manifest_of(entry: &[u8]) -> Result<String, JsError> {
    Ok(open_bundle::manifest_of(entry)?)
}

/// Returns three offsets at the beginning of a single-file bundle: the begin of the entry, the
/// begin of the manifest, and the end of the manifest. `head` is at least the first 56 bytes.
#[wasm_bindgen(js_name = singleFileHead)]
pub fn single_file_head(head: &[u8]) -> Result<Vec<u32>, JsError> {
    Ok(open_bundle::single_file_head(head)?)
}

/// An open bundle, with the shards that have been fetched so far.
#[wasm_bindgen]
pub struct Engine(OpenBundle);

#[wasm_bindgen]
impl Engine {
    /// Opens a bundle by the bytes of its entry file and of the manifest that it names. `streamed`:
    /// whether searches fetch only the cells nearest to the query, if the bundle has cells, instead
    /// of all vectors.
    pub fn open(entry: &[u8], manifest: &[u8], streamed: bool) -> Result<Engine, JsError> {
        Ok(Self(OpenBundle::open(entry, manifest, streamed)?))
    }

    /// Returns the bundle's description, as JSON.
    pub fn describe(&self) -> String {
        self.0.describe()
    }

    /// Begins a search from a request's JSON. In a bundle with hashed vectors, the query is
    /// embedded here. If several bundles are searched as one, `shared` in the request contains
    /// their statistics ([`findling_engine::Shared`]).
    pub fn search(&self, request: &str) -> Result<Search, JsError> {
        Ok(Search(self.0.search(request)?))
    }

    /// Takes a shard's file. A file that differs from the one that the manifest lists is refused
    /// with the code `bundle`.
    pub fn provide(&mut self, shard: u32, stored: &[u8]) -> Result<(), JsError> {
        Ok(self.0.provide(shard, stored)?)
    }

    /// Returns the bytes of memory that the kept shards occupy.
    #[wasm_bindgen(js_name = residentBytes)]
    pub fn resident_bytes(&self) -> f64 {
        self.0.resident_bytes() as f64
    }

    /// Releases the least recently used shards until the others occupy at most this many bytes.
    pub fn shrink(&mut self, limit: f64) {
        self.0.shrink(limit.max(0.0) as usize);
    }

    /// Returns the paths of all shards, one a line; nothing while some of them are unknown. Shards
    /// of positions become known with the first phrase. The list does not wait for them, because
    /// few readers search for phrases.
    #[wasm_bindgen(js_name = shardPaths)]
    pub fn shard_paths(&self) -> Option<String> {
        self.0.shard_paths()
    }
}

/// A running search.
#[wasm_bindgen]
pub struct Search(open_bundle::Search);

#[wasm_bindgen]
impl Search {
    /// Continues as far as possible with the available shards. Returns a JSON array of the missing
    /// shards, or the response, a JSON object.
    pub fn step(&mut self, engine: &mut Engine) -> Result<String, JsError> {
        Ok(self.0.step(&mut engine.0)?)
    }
}

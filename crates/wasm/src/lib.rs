//! The engine's interface for WebAssembly hosts: [`findling_engine`] behind wasm-bindgen for
//! JavaScript, or as a component (feature `component`, `wit/engine.wit`). It contains nothing else,
//! because browsers download every byte of it before the first result.
//!
//! JSON text, numbers and byte arrays pass between JavaScript and the module. The host does the
//! fetching and caching, and runs the workers:
//!
//! ```js
//! // A bundle with a file for each shard (`findling build --host files`).
//! const entry = await get("findling.idx");
//! // Shards lie behind the manifest in its file (docs/format.md).
//! const manifestLen = new DataView(entry.buffer).getUint32(12, true);
//! const manifest = (await get(manifestOf(entry))).subarray(0, manifestLen);
//! const engine = Engine.open(entry, manifest, true);
//! const search = engine.search(JSON.stringify({ query: "shared state" }));
//! let answer = search.step(engine);
//! // Shards are missing: [{"id": 3, "path": "shards/….bin", …}]
//! while (answer.startsWith("[")) {
//!   for (const { id, path } of JSON.parse(answer)) engine.provide(id, await get(path));
//!   answer = search.step(engine);
//! }
//! search.free();
//! const response = JSON.parse(answer);
//! ```
//!
//! Errors have a stable code (see [`Failure::code`]). JavaScript gets them as its `Error` with a
//! `code`.

#[cfg(feature = "component")]
mod component;
mod describe;
mod error;
#[cfg(feature = "javascript")]
mod javascript;
mod open_bundle;

pub use error::Failure;
#[cfg(feature = "javascript")]
pub use javascript::*;

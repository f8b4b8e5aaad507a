//! The build tool as a library. The binary `findling` is a thin layer over it, and tests call it
//! directly.
//!
//! Modules form layers: a module imports only from layers below its own. `build/layers.txt` lists
//! the layers, and a test keeps the rule.
//!
//! For WebAssembly it reads files from memory and indexes them by words. What needs networks,
//! terminals or processes is left out, and so are vectors and a few formats with large parsers.

// `standard_streams` prints: a closed pipe must not be a panic.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
// What only the parts use that are left out.
#![cfg_attr(target_family = "wasm", allow(dead_code))]

#[cfg(not(target_family = "wasm"))]
pub mod budget;
pub mod bundle_files;
pub mod chunk;
#[cfg(not(target_family = "wasm"))]
pub mod collections;
#[cfg(not(target_family = "wasm"))]
pub mod commands;
#[cfg(not(target_family = "wasm"))]
pub mod distill;
pub mod embedding;
#[cfg(not(target_family = "wasm"))]
pub mod eval;
#[cfg(not(target_family = "wasm"))]
pub mod exchange;
#[cfg(not(target_family = "wasm"))]
mod file_hash;
mod file_mode;
pub mod forgiving_names;
#[cfg(not(target_family = "wasm"))]
pub mod host;
mod http;
pub mod index;
pub mod models;
#[cfg(not(target_family = "wasm"))]
pub mod output;
pub mod page;
#[cfg(not(target_family = "wasm"))]
pub mod parts;
#[cfg(not(target_family = "wasm"))]
pub mod passages;
mod percent;
mod private_network;
pub mod progress;
pub mod random;
#[cfg(not(target_family = "wasm"))]
mod ranking;
mod record_log;
mod regular_file;
mod replace_file;
pub mod safe_text;
pub mod sample;
pub mod scratch;
#[cfg(not(target_family = "wasm"))]
pub mod serve;
mod shard_cutter;
mod small_file;
pub mod sources;
pub mod standard_streams;
pub mod training;
pub mod ui;
mod usage_error;

//! The build tool as a library. The binary `findling` is a thin layer over it, and tests call it
//! directly.
//!
//! Modules form layers: a module imports only from layers below its own. `build/layers.txt` lists
//! the layers, and a test keeps the rule.

// `standard_streams` prints: a closed pipe must not be a panic.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod budget;
pub mod bundle_files;
pub mod chunk;
pub mod collections;
pub mod commands;
pub mod distill;
pub mod embedding;
pub mod eval;
pub mod forgiving_names;
pub mod host;
mod http;
pub mod index;
pub mod models;
pub mod output;
pub mod page;
pub mod parts;
pub mod passages;
mod percent;
mod private_network;
pub mod progress;
pub mod random;
mod ranking;
mod record_log;
mod replace_file;
pub mod safe_text;
pub mod sample;
pub mod serve;
mod shard_cutter;
mod small_file;
pub mod sources;
pub mod standard_streams;
pub mod training;
pub mod ui;
mod usage_error;

//! The build tool as a library. The binary `findling` is a thin layer over it, and tests call it
//! directly.
//!
//! Modules form layers: a module imports only from layers below its own. `build/layers.txt` lists
//! the layers, and a test keeps the rule.

// Only `standard_streams` prints, so that a closed pipe does not cause a panic.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod budget;
mod code_query;
pub mod collections;
pub mod commands;
pub mod distill;
pub mod eval;
pub mod forgiving_names;
pub mod job_progress;
pub mod option_names;
pub mod output;
pub mod passages;
pub mod serve;
pub mod standard_streams;
pub mod ui;

pub use findling_base::{
    bundle_files, file_hash, file_mode, http, private_network, progress, record_log, regular_file,
    replace_file, safe_text, scratch, small_file, usage_error,
};
pub use findling_host as host;
pub use findling_index as index;
pub use findling_index::{embedding, random, sample, training};
pub use findling_models as models;
pub use findling_page::{chunk, page, shard_cutter};
pub use findling_read as sources;
pub use findling_site as site;
pub use findling_site::{client, exchange, kept, parts, query_encoder, ranking};

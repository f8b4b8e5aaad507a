//! Builds a bundle from pages.
//!
//! ```text
//! pages -> chunk -> analyse (lexical) ---------------> assemble -> write
//!               \-> embed (cache, encoder) -> graph --/
//! ```
//!
//! [`build()`] does everything except the last step, in memory.
//! [`BundleWriter`](write::BundleWriter) writes the result to disk. Equal pages, options and
//! encoders give equal bytes, on any number of cores and with any contents of the cache.

pub mod assemble;
mod build;
pub mod cells;
pub mod chunks;
pub mod client;
mod columns;
pub mod copies;
#[cfg_attr(target_family = "wasm", path = "no_dense.rs")]
mod dense;
mod earlier_shards;
pub mod fidelity;
pub mod fit;
pub mod graph;
mod job;
mod languages;
pub mod lexical;
pub mod packs;
mod page_order;
pub mod previous_build;
pub mod query_encoder;
pub mod retired_shards;
pub mod rows;
pub mod sentences;
mod shards;
mod spelling;
mod stage;
pub mod standalone;
pub mod synonyms;
mod texts;
mod tiers;
mod title_variants;
pub mod vocabulary;
pub mod write;

pub use build::{build, units};
#[cfg(not(target_family = "wasm"))]
pub use dense::embed_units;
pub use job::{GRAPH_FROM, GRAPH_UP_TO, Job, Kept, Options, Outcome};
pub use shards::Deployed;
pub use stage::Stage;

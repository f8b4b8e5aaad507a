//! Embedding texts with an encoder, and the cache that keeps the vectors for later builds.

pub mod cache;
mod embed;

pub use cache::Cache;
pub use embed::{Embedded, embed};

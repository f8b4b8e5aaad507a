//! Retrieval quality on judged queries.

pub mod judged;
pub mod metrics;

//! Retrieval quality on judged queries.

pub mod judged;
pub mod metrics;
pub mod own;
pub mod tune;

//! Retrieval quality on judged queries.

pub mod judged;
pub mod metrics;
pub mod own_names;
pub mod tune;

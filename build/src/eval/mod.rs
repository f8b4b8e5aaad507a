//! Retrieval quality on judged queries.

pub mod heading_queries;
pub mod judged;
pub mod metrics;
pub mod tune;

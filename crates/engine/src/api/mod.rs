//! The engine's interface: requests, responses, errors and ranking parameters.

mod error;
pub mod json;
mod rank_params;
mod request;
mod response;
mod shared_statistics;

pub use error::Error;
pub use rank_params::{Bm25fParams, FieldParams, RankParams};
pub use request::{
    EncoderChoice, FacetsOf, Fusion, Limit, Mode, Order, Prefer, QueryVector, Request,
    SectionsPerPage, Shared, Sort, Suggest,
};
pub use response::*;
pub(crate) use shared_statistics::SharedScores;
pub use shared_statistics::{
    LegBests, Misspelling, QueryTerms, SharedPart, SharedStatistics, Statistics,
};

/// The attribute that multiplies a page's score: a number from 0 to 100. Values above 1 raise the
/// page, values below 1 lower it.
pub const BOOST: &str = "search_boost";

/// The attribute that groups pages which are copies of each other: copies share a number.
pub const COPY: &str = "search_copy";

/// Maximum number of alternative phrasings of a query (`Request::also`).
pub const MAX_PHRASINGS: usize = 4;

/// Maximum number of pages that one request may ask for.
pub const MAX_LIMIT: u32 = 1_000;

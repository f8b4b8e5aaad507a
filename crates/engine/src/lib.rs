//! The query engine. (front page to be written)

mod request;
mod response;

pub use request::{Fusion, Limit, Mode, QueryVector, Request, SectionsPerPage, Sort};
pub use response::*;

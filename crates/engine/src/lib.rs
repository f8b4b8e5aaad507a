//! Findling's query engine: from a request and the shards of a bundle to ranked, explained results.
//!
//! It does no IO. [`Index::open`] takes the manifest; [`Index::search`] plans a [`Search`]; [`Search::step`] says which
//! shards it still needs, the host fetches and [`Index::provide`]s them, and steps again until it is done. The same code
//! answers in a browser, a Worker and a shell, to the bit.
//!
//! ```no_run
//! use findling_engine::{Index, Request, Response, Step};
//!
//! # fn fetch(hash: [u8; 16]) -> Vec<u8> { unimplemented!() }
//! fn search(index: &mut Index, query: &str) -> Result<Response, findling_engine::Error> {
//!     let mut search = index.search(Request { query: query.into(), ..Request::default() })?;
//!     loop {
//!         match search.step(index)? {
//!             Step::Done(response) => return Ok(*response),
//!             Step::Need(shards) => {
//!                 for shard in shards {
//!                     let bytes = fetch(index.manifest().shards[shard.index()].hash);
//!                     index.provide(shard, &bytes)?;
//!                 }
//!             }
//!         }
//!     }
//! }
//! ```

mod error;
mod facets;
pub mod filter;
mod index;
mod lexical;
mod present;
mod query;
mod rank;
mod request;
mod response;
mod search;
mod sort;
pub mod vector;

pub use error::Error;
pub use index::Index;
pub use lexical::{Bm25fParams, FieldParams};
pub use rank::{PageScoring, RankParams};
pub use request::{Fusion, Limit, Mode, QueryVector, Request, SectionsPerPage, Sort};
pub use response::*;
pub use search::{MAX_LIMIT, Search, Step};

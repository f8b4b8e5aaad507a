//! Findling's query engine: from a request and the shards of a bundle to ranked, explained results.
//!
//! It does no IO. [`Index::open`] takes the manifest; [`Index::search`] plans a [`Search`];
//! [`Search::step`] says which shards it still needs, the host fetches and [`Index::provide`]s
//! them, and steps again until it is done. The same code answers in a browser, a Worker and a
//! shell, to the bit.
//!
//! ```no_run
//! use findling_engine::{Index, Request, Response, Step};
//!
//! /// `fetch` gets a file by its path in the bundle.
//! fn search(
//!     index: &mut Index,
//!     query: &str,
//!     fetch: impl Fn(&str) -> Vec<u8>,
//! ) -> Result<Response, findling_engine::Error> {
//!     let mut search = index.search(Request { query: query.into(), ..Request::default() })?;
//!     loop {
//!         match search.step(index)? {
//!             Step::Done(response) => return Ok(*response),
//!             Step::Need(shards) => {
//!                 for shard in shards {
//!                     let bytes = index.path(shard).map(|path| fetch(&path)).unwrap_or_default();
//!                     index.provide(shard, &bytes)?;
//!                 }
//!             }
//!         }
//!     }
//! }
//! ```
//!
//! - [`Request`] and [`Response`] cross to JavaScript as JSON; `examples/types.rs` derives their
//!   TypeScript.
//! - [`filter`] parses and compiles conditions on attributes; [`vector`] finds the nearest
//!   sections.
//! - [`RankParams`] holds the knobs of ranking, for tuning.
//!
//! **A query's way.** The text is split ([`Request::query`]: words, `"phrases"`, `-exclusions`,
//! `attribute:value`) and analysed in each language of the bundle. Filter, phrases and exclusions
//! become one bitset over sections that both legs obey. BM25F scores words over passages, and a
//! section counts by its best passage. Meaning is scored by the cosine of a section's best vector.
//! The two lists are fused by section and then grouped by page.
//!
//! **Rounds.** A query takes two rounds over a resident bundle if nothing is corrected and there is
//! no phrase. Over a streamed bundle it takes three rounds, or four if the first pages score about
//! the same. `ARCHITECTURE.md`, "A query's way", says what each round fetches. A shard stays once
//! it is provided, so a warm query needs nothing.
//!
//! **Memory.** The shards, decoded ([`Index::resident_bytes`]), and one set of accumulators of
//! about 16 bytes a passage.
//!
//! **Quirks.** A phrase is found within a title, a heading or a passage, not across two passages.
//! Stop words are looked up only in queries that have nothing else, and in phrases. An exclusion
//! removes sections; if its word is in the title, it removes all sections of the page. An empty
//! query returns every page that passes the filter.

mod api;
mod bitset;
pub mod filter;
mod hit_vectors;
mod index;
mod lexical;
mod locate;
mod messages;
mod query;
mod query_run;
mod rank;
mod resolve;
mod results;
mod scratch;
mod search;
mod similar;
mod spelling;
mod stage;
mod suggest;
pub mod vector;

pub use api::*;
pub use bitset::Bitset;
pub use hit_vectors::HitVectors;
pub use index::Index;
pub use search::{Search, Step};

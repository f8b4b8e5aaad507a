//! Findling in the browser, for front ends written in Rust (Leptos, Yew, Dioxus, or none): opens a
//! bundle that `findling build` wrote, and searches it by words and by meaning.
//!
//! ```no_run
//! use findling_web::{Index, Request};
//!
//! # async fn search() -> Result<(), findling_web::Error> {
//! let index = Index::open("/findling/").await?;
//! let response = index
//!     .search(Request {
//!         query: "how do I share data between threads".into(),
//!         filter: Some("book=book".into()),
//!         facets: vec!["book".into()],
//!         ..Request::default()
//!     })
//!     .await?;
//! for page in &response.results {
//!     let href = index.href(&page.url);
//!     let parts = page.sections.first().map(|section| findling_web::parts(&section.snippet));
//! #   let _ = (href, parts);
//! }
//! # Ok(()) }
//! ```
//!
//! [`Request`] and [`Response`] are the engine's own, and the same that the JavaScript client has:
//! filters, facets, orders, explanations. A search fetches only what it needs of the bundle, keeps
//! it in memory and in the browser's cache, and checks each file by its hash. Queries are embedded
//! by the bundle's static encoder, whose rows are fetched as needed, or by feature hashing. The
//! sentence transformer is not part of this crate; a program that has one sets
//! [`Request::vector`].
//!
//! **The worker.** A search computes for milliseconds between its fetches. [`Index::open`] starts
//! the program's own WebAssembly module a second time, in a worker, so that the page never waits.
//! A program with a `main` must begin it so:
//!
//! ```no_run
//! # fn app() {
//! if findling_web::in_worker() {
//!     return;
//! }
//! // Mount the app.
//! # }
//! ```
//!
//! The worker needs wasm-bindgen's target `web`, which Trunk and `dx` use, and a policy that allows
//! `worker-src blob:`. Without them the page's own thread searches
//! ([`Index::runs_in_worker`]).
//!
//! **Cancelling.** Dropping the future of a search ends the search. Files under way go on arriving,
//! for the next one.

mod browser;
mod bundle;
mod engine;
mod error;
mod index;
mod info;
mod packs;
mod snippet;
mod source;
mod store;
mod worker;

pub use error::Error;
pub use findling_engine as api;
pub use findling_engine::{Request, Response};
pub use index::{Index, OpenOptions};
pub use info::{AttributeInfo, Info, Meaning};
pub use snippet::{Part, parts};
pub use worker::in_worker;

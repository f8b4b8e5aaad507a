//! Text analysis, shared by build and query: what a document is indexed under is what a query looks
//! up.
//!
//! ```
//! use findling_text::Analyzer;
//!
//! let mut terms = Vec::new();
//! Analyzer::for_language("en").analyze("Sharing a HashMap", |token| terms.push(token.term.to_string()));
//! assert_eq!(terms, ["share", "a", "hashmap", "hash", "map"]);
//! ```
//!
//! - [`Analyzer`] turns text into [`Token`]s: words folded and stemmed, identifiers whole and in
//!   parts.
//! - [`keys`] are what the lexicon has besides: forms of words, and titles as a whole.
//! - [`wordpiece::WordPiece`] turns text into the token ids of BERT-family encoders.
//! - [`conformance`] tells whether two builds of this crate analyse alike.
//!
//! No IO, no global state; memory is a few reused buffers and a stem cache for each [`Analyzer`].

mod analyzer;
mod conformance;
mod identifier;
pub mod keys;
mod languages;
pub mod normalise;
mod rules;
mod segment;
pub mod sentences;
mod stop;
mod unicode;
mod variants;
pub mod wordpiece;

pub use analyzer::{Analyzer, MAX_TERM_BYTES, Token, TokenKind};
pub use conformance::conformance;
pub use rules::{primary_subtag, rules_for};
pub use stop::is_stop_word;

//! Text analysis, shared by build and query: a query looks up the terms that a document is indexed
//! under.
//!
//! ```
//! use findling_text::Analyzer;
//!
//! let mut terms = Vec::new();
//! let mut analyzer = Analyzer::for_language("en");
//! analyzer.analyze("Sharing a HashMap", |token| terms.push(token.term.to_string()));
//! assert_eq!(terms, ["share", "a", "hashmap", "hash", "map"]);
//! ```
//!
//! - [`Analyzer`] turns text into [`Token`]s: words folded and stemmed, identifiers as a whole and
//!   by parts, numbers with their units, emoji and operators.
//! - [`keys`] are the other entries of the lexicon: forms of words, and titles as a whole.
//! - [`sentences`] divides a text into stretches that a snippet is chosen from.
//! - [`wordpiece::WordPiece`] turns text into the token ids of BERT-family encoders.
//! - [`conformance`] tells whether two builds of this crate analyse text in the same way.
//!
//! The crate does no IO and has no global state. Each [`Analyzer`] holds a few reused buffers and a
//! stem cache. `docs/queries.md` shows what analysis does to a query, with examples.

mod analyzer;
mod conformance;
mod fnv;
mod identifier;
pub mod keys;
mod language_table;
mod languages;
mod light;
mod mark;
pub mod normalise;
mod number;
mod rules;
mod segment;
pub mod sentences;
mod stop;
mod unicode;
mod variants;
mod word_list;
pub mod wordpiece;

pub use analyzer::{Analyzer, MAX_TERM_BYTES, Token, TokenKind};
pub use conformance::conformance;
pub use identifier::spaced_number_len;
pub use language_table::{COMPOUNDING, is_stop_word, primary_subtag, rules_for};
pub use number::is_unit;

//! Retrieval by words: dictionary lookups, BM25F over passages, phrases, exclusions.

mod bm25f;
mod dictionary;
mod phrases;
mod score;

pub(crate) use bm25f::{Contribution, Names, ScoredGroup, Scorer, all_bits};
pub(crate) use dictionary::{Dictionary, Lookup};
pub(crate) use phrases::Phrases;
pub(crate) use score::{HEADING, LexicalHit, SYMBOL, SYMBOL_BOOST, TITLE};

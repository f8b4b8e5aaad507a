//! Retrieval by words: dictionary lookups, BM25F over passages, phrases, exclusions.

mod bm25f;
mod dictionary;
mod phrases;

pub(crate) use bm25f::{
    Contribution, HEADING, LexicalHit, Names, SYMBOL, SYMBOL_BOOST, ScoredGroup, Scorer, TITLE,
    all_bits,
};
pub(crate) use dictionary::{Dictionary, Lookup};
pub(crate) use phrases::Phrases;

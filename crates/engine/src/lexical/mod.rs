//! Retrieval by words: dictionary lookups, BM25F over passages, phrases, exclusions.

mod bm25f;
mod dictionary;
mod params;
mod phrases;

pub(crate) use bm25f::{
    Contribution, HEADING, LexicalHit, ScoredGroup, Scorer, Scratch, TITLE, all_bits,
};
pub(crate) use dictionary::{Dictionary, Lookup};
pub use params::{Bm25fParams, FieldParams};
pub(crate) use phrases::Phrases;

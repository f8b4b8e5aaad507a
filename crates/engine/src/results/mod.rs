//! The response of a search: hits with texts, snippets and the reason for a page's rank.

mod document;
mod respond;
mod semantic_sentences;
mod snippet;
mod why_reason;

pub(crate) use document::read;
pub(crate) use respond::{Answer, respond};

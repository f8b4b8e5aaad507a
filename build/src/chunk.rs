//! Chunking: a page's sections become the units of retrieval.

use crate::page::Page;

/// Sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkOptions {
    /// Words of a passage to aim at.
    pub passage_words: usize,
    /// Words that a passage repeats from the end of the one before it.
    pub passage_overlap: usize,
    /// Most tokens of an embedding unit, prefix and special tokens included.
    pub max_tokens: usize,
    /// Tokens that the model adds of itself (`[CLS]`, `[SEP]`).
    pub special_tokens: usize,
    /// Tokens that an embedding unit repeats from the end of the one before it.
    pub unit_overlap: usize,
}

impl Default for ChunkOptions {
    fn default() -> Self {
        Self { passage_words: 110, passage_overlap: 0, max_tokens: 256, special_tokens: 2, unit_overlap: 0 }
    }
}

/// A page's sections, chunked. Its title, URL and attributes stay with the [`Page`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChunkedPage {
    /// In reading order; at least one.
    pub sections: Vec<ChunkedSection>,
}

/// A section: its whole text, and spans over it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChunkedSection {
    /// 1 to 6; 0 for what stands before the first heading.
    pub level: u8,
    /// Plain text; empty at level 0.
    pub heading: String,
    /// Fragment without `#`.
    pub anchor: Option<String>,
    /// The section that this one is part of: a place in [`ChunkedPage::sections`], always before this one.
    pub parent: Option<u32>,
    /// All blocks, joined by line feeds.
    pub text: String,
    /// Byte ranges of code in `text`: sorted, disjoint, not empty.
    pub code: Vec<(u32, u32)>,
    /// Byte ranges of `text` whose words count other than once, with their weight: sorted, disjoint.
    pub weights: Vec<(u32, u32, f32)>,
    /// Passages: byte spans of `text`, in order. At least one, so that a heading without text of its own can be found; that one is empty.
    pub passages: Vec<(u32, u32)>,
    /// What to embed. None for a heading without text of its own that has sections below (their prefixes name it).
    pub units: Vec<EmbeddingUnit>,
}

/// A text to embed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddingUnit {
    /// What it covers in the section's text, in bytes.
    pub span: (u32, u32),
    /// What the encoder is given: title and heading path, then the covered text.
    pub text: String,
}

/// Chunks a page. `tokens` counts the encoder's tokens of a text, special ones excluded.
pub fn chunk(page: &Page, options: &ChunkOptions, tokens: impl Fn(&str) -> usize) -> ChunkedPage {
    let _ = (page, options, tokens);
    ChunkedPage::default()
}

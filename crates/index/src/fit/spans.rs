//! Spans: short texts taken from the site's sections, used to train and to measure.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::ops::Range;

use findling_bundle::hash128;

use crate::random::SplitMix64;
use findling_page::chunk::{ChunkedPage, ChunkedSection};

/// Largest number of spans of a site. It bounds the cost of embedding them.
const MAX_SPANS: usize = 12_000;

/// A section gives one random span for each this many words, in addition to its heading and
/// beginning.
const WORDS_PER_SPAN: usize = 40;

/// Words of the longest span.
const MAX_WORDS: usize = 25;

/// The share of spans that is held out: one in this number.
const HELD_OUT: u64 = 10;

/// A part of a section's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The words.
    pub text: String,
    /// The section's vectors, as indices over all vectors of the site.
    pub own: Range<usize>,
}

/// Returns the spans of a site, sorted by a hash of their text. Texts in `without` are left out,
/// because they are used for measuring.
pub fn spans(chunks: &[impl Borrow<ChunkedPage>], without: &HashSet<String>) -> Vec<Span> {
    let mut spans: Vec<([u8; 16], Span)> = Vec::new();
    let mut seen = HashSet::new();
    let mut at = 0;
    for section in chunks.iter().flat_map(|page| &page.borrow().sections) {
        let own = at..at + section.units.len();
        at = own.end;
        // A section without a vector has no target.
        for text in section_spans(section).into_iter().filter(|_| !own.is_empty()) {
            let hash = hash128(text.as_bytes());
            if text.chars().any(char::is_alphabetic)
                && !without.contains(&text)
                && seen.insert(hash)
            {
                spans.push((hash, Span { text, own: own.clone() }));
            }
        }
    }
    spans.sort_unstable_by_key(|&(hash, _)| hash);
    spans.truncate(MAX_SPANS);
    spans.into_iter().map(|(_, span)| span).collect()
}

/// Returns the heading, the beginning and random parts of a section.
fn section_spans(section: &ChunkedSection) -> Vec<String> {
    let words: Vec<&str> = section.text.split_whitespace().collect();
    let mut spans = Vec::new();
    if !section.heading.is_empty() {
        spans.push(section.heading.clone());
    }
    if let Some(end) = section.text.find(". ") {
        spans.push(
            section.text[..end].split_whitespace().take(MAX_WORDS).collect::<Vec<_>>().join(" "),
        );
    }
    let mut random = SplitMix64(hash_prefix(&hash128(section.text.as_bytes())));
    for _ in 0..words.len() / WORDS_PER_SPAN {
        let n = 2 + random.below(MAX_WORDS - 1);
        let start = random.below(words.len());
        spans.push(words[start..(start + n).min(words.len())].join(" "));
    }
    spans
}

/// Returns the first eight bytes of a hash as a number.
fn hash_prefix(hash: &[u8; 16]) -> u64 {
    hash.iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Divides spans into held-out spans and training spans, by a hash of their text.
pub fn hold_out(spans: &[Span]) -> (Vec<&Span>, Vec<&Span>) {
    spans
        .iter()
        .partition(|span| hash_prefix(&hash128(span.text.as_bytes())).is_multiple_of(HELD_OUT))
}

//! Divides a page's sections into the units of retrieval.

mod atoms;
mod divide;
mod pack;

use std::collections::BTreeMap;

use bincode::{Decode, Encode};
use findling_bundle::AttributeValue;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::page::{LINKS_WEIGHT, Page, Section};
use atoms::Atom;
use pack::{Sizes, pack};

/// Sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkOptions {
    /// Target number of words of a passage. A section stays whole if it would give only two
    /// passages.
    pub passage_words: usize,
    /// Words that a passage repeats from the end of the previous passage.
    pub passage_overlap: usize,
    /// Largest number of tokens of an embedding unit, including prefix and special tokens.
    pub max_tokens: usize,
    /// Number of tokens that the model adds (`[CLS]`, `[SEP]`).
    pub special_tokens: usize,
    /// Tokens that an embedding unit repeats from the end of the previous unit.
    pub unit_overlap: usize,
    /// Largest section in bytes that is not divided into parts. Parts are ranked separately, each
    /// by less text.
    pub longest_section: usize,
    /// Target size of a part in bytes.
    pub part_bytes: usize,
    /// Whether embedding units are made.
    pub units: bool,
}

impl Default for ChunkOptions {
    fn default() -> Self {
        Self {
            passage_words: 110,
            passage_overlap: 0,
            max_tokens: 256,
            special_tokens: 2,
            unit_overlap: 0,
            longest_section: 128 << 10,
            part_bytes: 8 << 10,
            units: true,
        }
    }
}

/// A page's sections, chunked. The page's title, URL and attributes stay with the [`Page`].
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
pub struct ChunkedPage {
    /// The sections, in reading order; at least one.
    pub sections: Vec<ChunkedSection>,
}

/// A section: its whole text, and spans over it.
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
pub struct ChunkedSection {
    /// 1 to 6; 0 for text before the first heading.
    pub level: u8,
    /// Plain text; empty at level 0.
    pub heading: String,
    /// Fragment without `#`.
    pub anchor: Option<String>,
    /// BCP 47 tag; empty for the page's language.
    pub language: String,
    /// The own attributes.
    pub attributes: BTreeMap<String, AttributeValue>,
    /// The section that contains this one: an index into [`ChunkedPage::sections`], smaller than
    /// this section's.
    pub parent: Option<u32>,
    /// Whether the section continues the previous one, which was too long. Its heading is the same.
    pub continues: bool,
    /// All blocks, joined by line feeds.
    pub text: String,
    /// Byte ranges of code in `text`: sorted, disjoint, not empty.
    pub code: Vec<(u32, u32)>,
    /// Byte ranges of `text` with a weight other than 1, with the weight: sorted, disjoint.
    pub weights: Vec<(u32, u32, f32)>,
    /// Passages: byte spans of `text`, in order. There is at least one: a heading without text has
    /// an empty passage, so that it can be found.
    pub passages: Vec<(u32, u32)>,
    /// The units to embed. None for a heading without own text that has sections below it, whose
    /// prefixes contain it.
    pub units: Vec<EmbeddingUnit>,
}

/// A text that is embedded.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct EmbeddingUnit {
    /// The byte range of the section's text that the unit covers.
    pub span: (u32, u32),
    /// The encoder's input: title and heading path, then the covered text.
    pub text: String,
}

/// Chunks a page. `tokens` counts the encoder's tokens of a text, special ones excluded.
///
/// A section's text is its blocks joined by line feeds. Passages and units never cross a section;
/// they end at the end of a block or sentence if one is near, and code blocks stay whole if they
/// fit. A section has one unit, or as many as its tokens need. A very long section is divided into
/// several.
pub fn chunk(page: &Page, options: &ChunkOptions, tokens: impl Fn(&str) -> usize) -> ChunkedPage {
    let mut sections: Vec<ChunkedSection> = Vec::with_capacity(page.sections.len().max(1));
    let mut open: Vec<u32> = Vec::new();
    let mut atoms: Vec<Vec<Atom>> = Vec::with_capacity(page.sections.len());
    let parts = page
        .sections
        .iter()
        .flat_map(|section| divide::divide(section, options.longest_section, options.part_bytes));
    for divide::Part { section, continues } in parts {
        while open.last().is_some_and(|&above| sections[above as usize].level >= section.level) {
            open.pop();
        }
        let (chunked, its_atoms) = join(&section, continues, open.last().copied());
        open.push(sections.len() as u32);
        sections.push(chunked);
        atoms.push(its_atoms);
    }
    if sections.is_empty() {
        // A record that has only a title is found by its title.
        sections.push(ChunkedSection::default());
        atoms.push(Vec::new());
    }
    for (section, atoms) in sections.iter_mut().zip(&atoms) {
        section.passages = passages(&section.text, atoms, options);
    }
    if !options.units {
        return ChunkedPage { sections };
    }
    let has_children: Vec<bool> = {
        let mut has = vec![false; sections.len()];
        sections
            .iter()
            .filter_map(|section| section.parent)
            .for_each(|parent| has[parent as usize] = true);
        has
    };
    let prefixes: Vec<String> =
        (0..sections.len()).map(|at| prefix(&page.title, &sections, at)).collect();
    for (at, section) in sections.iter_mut().enumerate() {
        section.units = if is_list_of_links(section) {
            Vec::new()
        } else if atoms[at].is_empty() {
            heading_unit(&prefixes[at], has_children[at])
        } else {
            units(&section.text, &atoms[at], &prefixes[at], options, &tokens)
        };
    }
    ChunkedPage { sections }
}

/// Returns whether a section has no text but links. Its vector would be near to the topics that it
/// names, but it says nothing about them.
fn is_list_of_links(section: &ChunkedSection) -> bool {
    let links = || section.weights.iter().filter(|(.., weight)| *weight == LINKS_WEIGHT);
    // Blocks are separated by line feeds.
    let bytes: u32 = links().map(|(start, end, _)| end - start + 1).sum();
    bytes > 0 && bytes as usize == section.text.len() + 1
}

/// Joins a section's blocks.
fn join(section: &Section, continues: bool, parent: Option<u32>) -> (ChunkedSection, Vec<Atom>) {
    let mut joined = ChunkedSection {
        level: section.level,
        heading: section.heading.clone(),
        anchor: section.anchor.clone(),
        language: section.language.clone(),
        attributes: section.attributes.clone(),
        parent,
        continues,
        ..ChunkedSection::default()
    };
    let mut atoms = Vec::new();
    for block in section.blocks.iter().filter(|block| !block.text.is_empty()) {
        if !joined.text.is_empty() {
            joined.text.push('\n');
        }
        let start = joined.text.len();
        joined.text.push_str(&block.text);
        atoms::of_block(block, start, &mut atoms);
        let shift = |at: u32| at + start as u32;
        joined.code.extend(
            block
                .code
                .iter()
                .filter(|range| range.0 < range.1)
                .map(|range| (shift(range.0), shift(range.1))),
        );
        if block.weight != 1.0 {
            joined.weights.push((shift(0), joined.text.len() as u32, block.weight));
        }
    }
    (joined, atoms)
}

/// Returns the title and the headings, the outermost first, without repetitions.
fn prefix(title: &str, sections: &[ChunkedSection], at: usize) -> String {
    let mut path = vec![];
    let mut above = Some(at);
    while let Some(at) = above {
        path.push(sections[at].heading.as_str());
        above = sections[at].parent.map(|parent| parent as usize);
    }
    path.push(title);
    let mut prefix = String::new();
    let mut last = "";
    for part in path.into_iter().rev().filter(|part| !part.is_empty()) {
        if part == last {
            continue;
        }
        if !prefix.is_empty() {
            prefix.push_str(" > ");
        }
        prefix.push_str(part);
        last = part;
    }
    prefix
}

fn passages(text: &str, atoms: &[Atom], options: &ChunkOptions) -> Vec<(u32, u32)> {
    if atoms.is_empty() {
        return vec![(0, 0)];
    }
    let target = options.passage_words.max(1);
    // Each half of a short section would lack the words of the other half.
    if atoms::words(text) * 2 < target * 5 {
        return vec![(0, text.len() as u32)];
    }
    let sizes = Sizes { target, max: target * 2, overlap: options.passage_overlap.min(target / 2) };
    pack(text, atoms, sizes, &atoms::words).into_iter().map(span).collect()
}

fn span(range: std::ops::Range<usize>) -> (u32, u32) {
    (range.start as u32, range.end as u32)
}

/// Returns the units of a heading without own text: none if sections below have it in their prefix,
/// otherwise the prefix itself.
fn heading_unit(prefix: &str, has_children: bool) -> Vec<EmbeddingUnit> {
    if has_children || prefix.is_empty() {
        return Vec::new();
    }
    vec![EmbeddingUnit { span: (0, 0), text: composed(prefix.to_owned()) }]
}

/// Converts text to the composed form of Unicode (NFC). The text's vector and its key in the cache
/// of vectors then do not depend on the way in which a program wrote the accents.
fn composed(text: String) -> String {
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => text,
        _ => text.nfc().collect(),
    }
}

fn units(
    text: &str,
    atoms: &[Atom],
    prefix: &str,
    options: &ChunkOptions,
    tokens: &dyn Fn(&str) -> usize,
) -> Vec<EmbeddingUnit> {
    let room = options.max_tokens.saturating_sub(options.special_tokens).max(2);
    // The prefix may take half of the tokens. A longer one is cut at the beginning, which says the
    // least about this section.
    let mut prefix = prefix;
    let mut prefix_tokens = tokens(prefix);
    while prefix_tokens > room / 2 {
        let Some((_, rest)) = prefix.split_once(' ') else {
            (prefix, prefix_tokens) = ("", 0);
            break;
        };
        prefix = rest;
        prefix_tokens = tokens(prefix);
    }
    let max = room - prefix_tokens;
    let whole = atoms.first().map_or(0, |atom| atom.span.start)
        ..atoms.last().map_or(0, |atom| atom.span.end);
    let spans = if tokens(text) <= max {
        vec![whole]
    } else {
        let overlap = options.unit_overlap.min(max / 2);
        pack(text, atoms, Sizes { target: max - overlap, max, overlap }, tokens)
    };
    spans
        .into_iter()
        .map(|range| {
            let covered = &text[range.clone()];
            let text =
                if prefix.is_empty() { covered.to_owned() } else { format!("{prefix}\n{covered}") };
            EmbeddingUnit { span: span(range), text: composed(text) }
        })
        .collect()
}

#[cfg(test)]
mod tests;

//! Facts about a page that the rules for a whole site need, besides its text: the blocks at its
//! beginning and its end, the targets of its links, and hashes of its sections.

use std::collections::{BTreeSet, HashSet};

use bincode::{Decode, Encode};
use findling_bundle::hash128;

use super::outline::Links;
use findling_page::page::Section;

/// Largest number of blocks at the beginning of a page that may be a frame.
const MAX_LEAD: usize = 60;

/// Largest number of blocks after the first heading that may be a frame.
const MAX_BEHIND: usize = 3;

/// Largest number of blocks at the end of a page that may be a frame.
const MAX_TRAIL: usize = 40;

/// Largest number of links without an extension that are kept for a page.
const MAX_BARE_LINKS: usize = 20;

/// Smallest number of words with which a section is recognised on another page.
pub(super) const MIN_PRINT_WORDS: u32 = 5;

/// The facts about a page that the rules for a site need. If a page has no hints, the rules have
/// already been applied to it.
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
pub(super) struct Hints {
    /// Blocks and headings that may be parts of a frame.
    pub edges: Vec<Edge>,
    /// Blocks made of links, and headings that lead to other pages.
    pub links: Vec<Links>,
    /// The hash of each section's text.
    pub prints: Vec<Print>,
    /// The address that the page states for itself.
    pub canonical: Option<String>,
    /// Links to pages of the site without an extension.
    pub bare_links: Vec<String>,
    /// Number of links to pages with an extension.
    pub n_html_links: u32,
}

/// A block, or a heading, that may be a part of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub(super) struct Edge {
    pub section: u32,
    /// The number of the block; `None` for the heading.
    pub block: Option<u32>,
    /// The hash of its text without numbers and names of months.
    pub hash: u64,
    pub words: u32,
    pub place: Place,
}

/// The place of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub(super) enum Place {
    /// A place before the first heading.
    Lead,
    /// A place directly after the first heading.
    Behind,
    /// A place at the end of the page.
    Trail,
    /// Any place, for a block made of links.
    Links,
    /// A heading.
    Heading,
}

/// The hash of a section's text without its heading, and the number of its words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub(super) struct Print {
    pub hash: u64,
    pub words: u32,
}

impl Hints {
    /// Returns the hints of a page with these sections.
    pub fn of(sections: &[Section], links: Vec<Links>) -> Self {
        let prints = sections.iter().map(print).collect();
        Self { edges: edges(sections, &links), links, prints, ..Self::default() }
    }

    /// Forgets blocks and sections that are left out. `map` gives the new number of each section.
    pub fn forget(&mut self, blocks: &BTreeSet<(u32, u32)>, map: &[Option<u32>]) {
        let place = |section: u32, block: Option<u32>| {
            let new = map.get(section as usize).copied().flatten()?;
            let Some(block) = block else { return Some((new, None)) };
            if blocks.contains(&(section, block)) {
                return None;
            }
            let before = blocks.range((section, 0)..(section, block)).count() as u32;
            Some((new, Some(block - before)))
        };
        self.links.retain_mut(|links| match place(links.section, links.block) {
            Some(new) => {
                (links.section, links.block) = new;
                true
            }
            None => false,
        });
        self.edges.retain_mut(|edge| match place(edge.section, edge.block) {
            Some(new) => {
                (edge.section, edge.block) = new;
                true
            }
            None => false,
        });
    }

    /// Notes a link of the page.
    pub fn note_link(&mut self, href: &str) {
        let path = href.split(['#', '?']).next().unwrap_or_default();
        if path.is_empty() || path.contains(':') || path.starts_with("//") || path.ends_with('/') {
            return;
        }
        let name = path.rsplit('/').next().unwrap_or_default();
        if name.ends_with(".html") || name.ends_with(".htm") {
            let is_index = matches!(name, "index.html" | "index.htm");
            self.n_html_links += u32::from(!is_index);
        } else if !name.contains('.') && self.bare_links.len() < MAX_BARE_LINKS {
            self.bare_links.push(path.to_owned());
        }
    }
}

/// Returns the hash of a text, which identifies the same text on other pages.
pub(super) fn hash(text: &str) -> u64 {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let mut normal = String::with_capacity(text.len());
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        let is_month = word.len() <= 9 && word.get(..3).is_some_and(|w| MONTHS.contains(&w));
        if word.bytes().any(|byte| byte.is_ascii_digit()) {
            normal.push('0');
        } else if is_month && text.bytes().any(|byte| byte.is_ascii_digit()) {
            normal.push('m');
        } else {
            normal.push_str(&word);
        }
        normal.push(' ');
    }
    let hash = hash128(normal.as_bytes());
    u64::from_le_bytes(hash[..8].try_into().unwrap_or_default())
}

fn count(text: &str) -> u32 {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count() as u32
}

/// Returns the hash and the number of words of a section's text.
pub(super) fn print(section: &Section) -> Print {
    let mut text = String::new();
    for block in &section.blocks {
        text.push_str(&block.text);
        text.push('\n');
    }
    Print { hash: hash(&text), words: count(&text) }
}

fn edges(sections: &[Section], links: &[Links]) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    let mut known: HashSet<(usize, usize, bool)> = HashSet::new();
    let mut add = |section: usize, block: usize, place: Place| {
        let found = &sections[section].blocks[block];
        // A block can be both at the beginning and at the end.
        let is_known = place == Place::Links && known.contains(&(section, block, true));
        let is_trail = place == Place::Trail;
        if !found.is_code_block && !is_known && known.insert((section, block, is_trail)) {
            let (hash, words) = (hash(&found.text), count(&found.text));
            let (section, block) = (section as u32, Some(block as u32));
            edges.push(Edge { section, block, hash, words, place });
        }
    };
    let first = sections.iter().position(|section| section.level > 0);
    if sections.first().is_some_and(|section| section.level == 0) {
        let len = sections[0].blocks.len().min(MAX_LEAD);
        (0..len).for_each(|block| add(0, block, Place::Lead));
    }
    if let Some(first) = first {
        let len = sections[first].blocks.len().min(MAX_BEHIND);
        (0..len).for_each(|block| add(first, block, Place::Behind));
    }
    let all = sections.iter().enumerate().rev();
    let trail = all.flat_map(|(at, section)| (0..section.blocks.len()).rev().map(move |b| (at, b)));
    let is_text = |(section, block): &(usize, usize)| {
        let section: &Section = &sections[*section];
        !section.blocks[*block].is_code_block
    };
    let trail: Vec<(usize, usize)> = trail.take_while(is_text).take(MAX_TRAIL).collect();
    for &(section, block) in &trail {
        add(section, block, Place::Trail);
    }
    let mut n_links = vec![0usize; sections.len()];
    for links in links {
        if let Some(block) = links.block {
            n_links[links.section as usize] += 1;
            add(links.section as usize, block as usize, Place::Links);
        }
    }
    let lowest = trail.last().map_or(usize::MAX, |(section, _)| *section);
    for (at, section) in sections.iter().enumerate() {
        let is_links = !section.blocks.is_empty() && n_links[at] == section.blocks.len();
        if section.level > 0 && (Some(at) == first || at >= lowest || is_links) {
            edges.push(Edge {
                section: at as u32,
                block: None,
                // The same words in a heading and in a block are counted separately.
                hash: !hash(&section.heading),
                words: count(&section.heading),
                place: Place::Heading,
            });
        }
    }
    edges
}

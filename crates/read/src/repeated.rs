//! Text that is on many pages of a site and does not belong to any of them: menus, paths,
//! languages, lines of generators.
//!
//! Text counts as repeated if a fifth of the pages have it at the beginning or the end of a page,
//! directly after the first heading, or in links. On small sites, half of the pages must have it.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::RawPage;
use super::hints::{Edge, Hints, Place};
use super::left_out::{LeftOut, Rule};
use super::outline::shorten;

/// Smallest number of pages that must have a text for it to count as repeated.
const MIN_PAGES: usize = 3;

/// Smallest number of pages at which a fifth of them is enough, for text that is not links.
const MIN_PAGES_FOR_SHARE: usize = 15;

/// Largest number of words of a repeated block at the beginning or the end.
const MAX_EDGE_WORDS: u32 = 60;

/// Largest number of words of a repeated block after the first heading that is not links.
const MAX_BEHIND_WORDS: u32 = 12;

/// Smallest number of pages that must have a text in a part of a site. A smaller part may consist
/// of a few pages about one subject.
const MIN_PAGES_OF_PART: usize = 6;

/// The group that contains every page.
const WHOLE_SITE: &str = "\0";

/// Returns the smallest number of pages in a group that must have a text for it to count as
/// repeated.
fn least(group: &str) -> usize {
    if group == WHOLE_SITE { MIN_PAGES } else { MIN_PAGES_OF_PART }
}

/// Counts of pages, over the site and over its parts, which can have frames of their own.
struct Counts {
    pages: HashMap<String, usize>,
    edges: HashMap<(String, u64), usize>,
}

impl Counts {
    fn of<'a>(pages: impl Iterator<Item = (&'a str, &'a Hints)>) -> Self {
        let mut counts = Self { pages: HashMap::new(), edges: HashMap::new() };
        for (group, hints) in pages {
            let hashes: HashSet<u64> = hints.edges.iter().map(|edge| edge.hash).collect();
            for group in [group, WHOLE_SITE] {
                *counts.pages.entry(group.to_owned()).or_default() += 1;
                for hash in &hashes {
                    *counts.edges.entry((group.to_owned(), *hash)).or_default() += 1;
                }
            }
        }
        counts
    }

    /// Returns whether at least one in `share` pages has an edge.
    fn is_on_one_in(&self, share: usize, group: &str, edge: &Edge) -> bool {
        [group, WHOLE_SITE].into_iter().any(|group| {
            let key = (group.to_owned(), edge.hash);
            let count = self.edges.get(&key).copied().unwrap_or_default();
            let pages = self.pages.get(group).copied().unwrap_or_default();
            count >= least(group) && count * share >= pages
        })
    }

    /// Returns whether the site has few pages.
    fn is_small(&self) -> bool {
        self.pages.get(WHOLE_SITE).copied().unwrap_or_default() < MIN_PAGES_FOR_SHARE
    }

    /// Returns whether four of five pages have an edge.
    fn is_on_nearly_all(&self, group: &str, edge: &Edge) -> bool {
        [group, WHOLE_SITE].into_iter().any(|group| {
            let key = (group.to_owned(), edge.hash);
            let count = self.edges.get(&key).copied().unwrap_or_default();
            let pages = self.pages.get(group).copied().unwrap_or_default();
            count >= least(group) && count * 5 >= pages * 4
        })
    }

    fn is_repeated(&self, group: &str, edge: &Edge, is_links: bool) -> bool {
        let pages = self.pages.get(WHOLE_SITE).copied().unwrap_or_default();
        let share = if is_links || pages >= MIN_PAGES_FOR_SHARE { 5 } else { 2 };
        self.is_on_one_in(share, group, edge)
    }
}

/// Leaves out repeated text. The pages are HTML pages of a site that does not mark its content.
pub(super) fn leave_out(pages: &mut [&mut RawPage], trace: bool) {
    let counts = Counts::of(pages.iter().filter_map(|raw| {
        Some((group(raw), raw.hints.as_deref()?)).filter(|_| !raw.marked_body && !raw.is_dropped)
    }));
    if counts.pages.get(WHOLE_SITE).copied().unwrap_or_default() < MIN_PAGES {
        return;
    }
    for raw in pages.iter_mut().filter(|raw| !raw.marked_body) {
        let Some(hints) = &raw.hints else { continue };
        let found = found(hints, group(raw), &counts);
        let first = raw.page.sections.iter().position(|section| section.level > 0);
        let is_site_name = found.iter().any(|edge| {
            edge.block.is_none()
                && first == Some(edge.section as usize)
                && counts.is_on_nearly_all(group(raw), edge)
        });
        if !found.is_empty() {
            remove(raw, &found, is_site_name, trace);
        }
    }
}

/// Returns the first directory of a page's path.
fn group(raw: &RawPage) -> &str {
    raw.page.id.split_once('/').map_or("", |(first, _)| first)
}

/// Returns the edges of a page that are repeated.
fn found(hints: &Hints, group: &str, counts: &Counts) -> Vec<Edge> {
    let links: HashSet<(u32, u32)> =
        hints.links.iter().filter_map(|links| Some((links.section, links.block?))).collect();
    let is_links = |edge: &Edge| edge.block.is_some_and(|b| links.contains(&(edge.section, b)));
    let mut found: Vec<Edge> = Vec::new();
    let mut gone: HashSet<(u32, u32)> = HashSet::new();
    let (mut behind, mut trail) = (true, true);
    for edge in &hints.edges {
        let is_repeated = || counts.is_repeated(group, edge, is_links(edge));
        let is_gone = match edge.place {
            Place::Lead => edge.words <= MAX_EDGE_WORDS && is_repeated(),
            Place::Behind => {
                let is_short =
                    edge.words <= MAX_BEHIND_WORDS && counts.is_on_nearly_all(group, edge);
                behind &= if is_links(edge) { is_repeated() } else { is_short };
                behind
            }
            Place::Links => is_repeated(),
            Place::Trail | Place::Heading => continue,
        };
        if is_gone {
            found.push(*edge);
            gone.extend(edge.block.map(|block| (edge.section, block)));
        }
    }
    let headings: Vec<Edge> = hints
        .edges
        .iter()
        .filter(|edge| edge.place == Place::Heading && counts.is_on_one_in(2, group, edge))
        .copied()
        .collect();
    let is_heading_repeated = |section| headings.iter().any(|edge| edge.section == section);
    // Blocks are removed from the end of the page up to the first block that is kept. The edges
    // come in that order.
    let mut last: Option<u32> = None;
    for edge in hints.edges.iter().filter(|edge| edge.place == Place::Trail) {
        let Some(block) = edge.block else { continue };
        trail &= last.is_none_or(|last| (edge.section + 1..=last).all(is_heading_repeated));
        let is_repeated = counts.is_repeated(group, edge, is_links(edge));
        trail &= edge.words <= MAX_EDGE_WORDS && is_repeated;
        // On a small site, a section of text that all pages end with is kept.
        let is_text = counts.is_small()
            && is_section_of_text(hints, edge, &links, &|edge| {
                counts.is_repeated(group, edge, false)
            });
        trail &= !is_text;
        // Links count as links in any place.
        if trail || (is_links(edge) && is_repeated) {
            found.push(*edge);
            gone.insert((edge.section, block));
        }
        last = Some(edge.section);
    }
    found.extend(headings);
    found
}

/// Returns whether leaving out the text at an edge would empty a section of text with a heading.
fn is_section_of_text(
    hints: &Hints,
    edge: &Edge,
    links: &HashSet<(u32, u32)>,
    is_repeated: &dyn Fn(&Edge) -> bool,
) -> bool {
    let of_section = || hints.edges.iter().filter(|other| other.section == edge.section);
    let is_headed = of_section().any(|other| other.place == Place::Heading);
    let mut trail = of_section().filter(|other| other.place == Place::Trail);
    is_headed
        && of_section().any(|other| other.block == Some(0))
        && links.iter().all(|(section, _)| *section != edge.section)
        && trail.all(is_repeated)
}

/// Removes edges from a page, and removes sections that become empty. A page keeps its last text.
fn remove(raw: &mut RawPage, found: &[Edge], has_site_name: bool, trace: bool) {
    if raw.page.restore().is_err() {
        return;
    }
    let blocks: BTreeSet<(u32, u32)> =
        found.iter().filter_map(|edge| Some((edge.section, edge.block?))).collect();
    let headings: BTreeSet<u32> =
        found.iter().filter(|edge| edge.block.is_none()).map(|edge| edge.section).collect();
    let n_blocks: usize = raw.page.sections.iter().map(|section| section.blocks.len()).sum();
    let first = raw.page.sections.iter().position(|section| section.level > 0);
    let has_own_heading = raw
        .page
        .sections
        .iter()
        .enumerate()
        .any(|(at, section)| section.level > 0 && !headings.contains(&(at as u32)));
    if blocks.len() >= n_blocks && !has_own_heading {
        return;
    }
    let mut left_out: Vec<String> = Vec::new();
    let mut map: Vec<Option<u32>> = Vec::with_capacity(raw.page.sections.len());
    let mut kept = Vec::with_capacity(raw.page.sections.len());
    for (at, mut section) in std::mem::take(&mut raw.page.sections).into_iter().enumerate() {
        let had_blocks = !section.blocks.is_empty();
        let mut block = 0;
        section.blocks.retain(|found| {
            let is_gone = blocks.contains(&(at as u32, block));
            block += 1;
            if is_gone {
                left_out.push(found.text.clone());
            }
            !is_gone
        });
        let is_repeated = headings.contains(&(at as u32));
        let is_named_after = raw.names.tag.as_deref() == Some(section.heading.as_str());
        // The name of the site above every page, followed by the page's own name.
        let is_site_name = Some(at) == first
            && has_site_name
            && section.level == 1
            && raw.names.tag.is_some()
            && !is_named_after;
        let is_empty = section.blocks.is_empty();
        let goes = (is_empty && section.level == 0)
            || (is_empty && is_repeated && ((had_blocks && Some(at) != first) || is_site_name));
        if goes {
            if section.level > 0 {
                left_out.push(section.heading);
            }
            map.push(None);
            continue;
        }
        if is_site_name && kept.is_empty() {
            left_out.push(std::mem::take(&mut section.heading));
            (section.level, section.anchor) = (0, None);
        }
        map.push(Some(kept.len() as u32));
        kept.push(section);
    }
    raw.page.sections = kept;
    raw.lost.add_texts(Rule::Repeated, &left_out);
    if trace {
        raw.left_out.extend(left_out.into_iter().map(|mut text| {
            shorten(&mut text, super::left_out::MAX_SAMPLE_BYTES);
            LeftOut { rule: Rule::Repeated, element: String::new(), text }
        }));
    }
    if let Some(hints) = &mut raw.hints {
        hints.forget(&blocks, &map);
        hints.prints = raw.page.sections.iter().map(super::hints::print).collect();
    }
}

//! The best passages for a query within a number of tokens, for an assistant to read and to cite.
//!
//! Half of the budget goes to snippets: one snippet from the best section of each page, in the
//! order of the ranking, so that a low-ranked page with the answer is included. Then each of these
//! pages in turn may take a part of the rest, to widen its sections: to the passage around the
//! snippet, to the whole section, or else to the neighbours of the passage as far as they fit. The
//! remaining tokens go to further sections of the pages.

mod excerpt;
mod print;
mod tokens;

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use findling_engine::{PageHit, Response, SectionHit};
use serde::Serialize;

use crate::host::{Document, DocumentSection, Host};
use crate::output::{Location, Sources, below_title, comparable, title};
use excerpt::Excerpt;
pub use print::markdown;
pub use tokens::{beginning, estimate};

/// The part of a budget that is reserved for widening.
const FOR_WIDENING: f32 = 0.5;

/// The part of the remaining tokens that one section may take.
const OF_REST: f32 = 0.8;

/// Sections of a page that are widened before further sections of it are taken.
const FIRST_SECTIONS: usize = 3;

/// Tokens for the frame of a passage, without its heading and its location.
const FRAME: usize = 8;

/// A stretch of a section.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Passage {
    /// The collection it is from; left out if only one bundle was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// The rank of its page, from 1.
    pub rank: usize,
    /// The page's title.
    pub title: String,
    /// Headings from the outermost to the section's own.
    pub heading_path: Vec<String>,
    /// The address to cite.
    pub url: String,
    /// `path:line` of the source on this machine, otherwise the address.
    pub location: Location,
    /// The text, as it is in the page.
    pub text: String,
    /// Whether it is the whole section.
    pub whole: bool,
    /// Whether the section has text before it.
    pub cut_start: bool,
    /// Whether the section has text after it.
    pub cut_end: bool,
    /// The score of the section.
    pub score: f32,
    /// The tokens of the budget that this passage takes.
    pub tokens: usize,
}

/// The passages of a response.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Passages {
    /// In the order of the ranking.
    pub passages: Vec<Passage>,
    /// The tokens of all together, by [`estimate`].
    pub tokens: usize,
    /// Sections that were found and did not fit.
    pub left_out: usize,
}

/// A section that was found, with the part of it that was taken so far.
#[derive(Clone, Debug)]
pub struct Candidate {
    collection: Option<String>,
    rank: usize,
    /// The place of the section among its page's sections.
    place: usize,
    page_score: f32,
    title: String,
    hit: SectionHit,
    excerpt: Excerpt,
    location: Location,
    /// The tokens of heading and location.
    frame: usize,
}

/// Returns the sections of a response with their texts: the best one of each page, then the second
/// of each, and so on. Copies of a section are left out, since they say nothing new.
///
/// # Errors
/// If a page cannot be read.
pub fn candidates(
    host: &mut Host,
    response: &Response,
    offset: usize,
    sources: &Sources,
    collection: Option<&str>,
) -> Result<Vec<Candidate>> {
    let mut documents: HashMap<&str, Document> = HashMap::new();
    for page in &response.results {
        if !page.sections.is_empty() && !documents.contains_key(page.id.as_str()) {
            documents.insert(&page.id, host.document(&page.id)?);
        }
    }
    let found = in_order(response, offset).filter_map(|(rank, place, page, hit)| {
        let document = documents.get(page.id.as_str())?;
        let section = &document.sections[locate(document, hit)?];
        let location = sources.locate(page, Some(hit));
        Some(Candidate {
            collection: collection.map(ToOwned::to_owned),
            rank,
            place,
            page_score: comparable(response, page),
            title: title(page).to_owned(),
            frame: frame(title(page), hit, &location),
            excerpt: Excerpt::new(section.clone(), &hit.snippet.text),
            hit: hit.clone(),
            location,
        })
    });
    Ok(without_copies(found.collect()))
}

/// Returns the candidates of several bundles in one order, by the scores of their pages.
pub fn merged(lists: Vec<Vec<Candidate>>) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = lists.into_iter().flatten().collect();
    all.sort_by(|a, b| a.place.cmp(&b.place).then(b.page_score.total_cmp(&a.page_score)));
    let mut all = without_copies(all);
    let mut ranks = HashMap::new();
    for candidate in &mut all {
        let page = (candidate.collection.clone(), candidate.rank);
        let next = ranks.len() + 1;
        candidate.rank = *ranks.entry(page).or_insert(next);
    }
    all
}

fn without_copies(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut known = HashSet::new();
    candidates.retain(|candidate| known.insert(candidate.excerpt.section_text().to_owned()));
    candidates
}

/// Returns the best section of each page in order, then the second of each, and so on.
fn in_order(
    response: &Response,
    offset: usize,
) -> impl Iterator<Item = (usize, usize, &PageHit, &SectionHit)> {
    let most = response.results.iter().map(|page| page.sections.len()).max().unwrap_or(0);
    (0..most).flat_map(move |place| {
        (offset + 1..)
            .zip(&response.results)
            .filter_map(move |(rank, page)| Some((rank, place, page, page.sections.get(place)?)))
    })
}

/// Returns the index of a hit's section in its page: the section with the hit's anchor and headings
/// that contains the snippet.
pub fn locate(page: &Document, hit: &SectionHit) -> Option<usize> {
    let alike = || {
        page.sections.iter().enumerate().filter(|(_, section)| {
            section.anchor == hit.anchor && section.heading_path == hit.heading_path
        })
    };
    let has_snippet = |section: &DocumentSection| section.text.contains(&hit.snippet.text);
    let found = alike().find(|(_, section)| has_snippet(section)).or_else(|| alike().next());
    found.map(|(place, _)| place)
}

fn frame(title: &str, hit: &SectionHit, location: &Location) -> usize {
    let headings = below_title(title, &hit.heading_path);
    let headings: usize = headings.map(|heading| estimate(heading) + 1).sum();
    // Each address is shown only once.
    let file = location.path().map_or(0, |_| estimate(&location.to_string()));
    FRAME + estimate(title) + headings + estimate(&hit.url) + file
}

/// Returns this part of a number of tokens.
fn part(tokens: usize, of: f32) -> usize {
    (tokens as f32 * of) as usize
}

/// Gives pages a snippet as long as half of the budget is left. Then each section of these pages
/// takes a part of the rest, page by page. Tokens that are left over widen these sections further,
/// and then go to snippets of other sections.
pub fn fill(found: Vec<Candidate>, budget: usize) -> Passages {
    let n_found = found.len();
    let (found, further): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|candidate| candidate.place < FIRST_SECTIONS);
    let mut left = budget;
    let kept_back = part(budget, FOR_WIDENING);
    // Indices of sections, and whether each has its snippet.
    let mut sections: Vec<(Candidate, bool)> = Vec::new();
    let mut pages = HashSet::new();
    for candidate in found {
        let floor = if pages.is_empty() { 0 } else { kept_back };
        let rest = left.checked_sub(candidate.tokens()).filter(|&rest| rest >= floor);
        let rest = rest.filter(|_| candidate.place == 0);
        if let Some(rest) = rest {
            left = rest;
            pages.insert(candidate.rank);
        }
        sections.push((candidate, rest.is_some()));
    }
    let of_others = |(candidate, _): &(Candidate, bool)| !pages.contains(&candidate.rank);
    let (others, mut sections): (Vec<_>, Vec<_>) = sections.into_iter().partition(of_others);
    sections.sort_by_key(|(candidate, _)| (candidate.rank, candidate.place));
    let (mut taken, mut later): (Vec<Candidate>, Vec<Candidate>) = (Vec::new(), Vec::new());
    for (mut candidate, has_snippet) in sections {
        let share = part(left, OF_REST);
        let cost = if has_snippet { 0 } else { candidate.tokens() };
        match share.checked_sub(cost) {
            Some(rest) => {
                left = left - share + candidate.widen(rest);
                taken.push(candidate);
            }
            None => later.push(candidate),
        }
    }
    for candidate in &mut taken {
        left = candidate.widen(left);
    }
    for candidate in later.into_iter().chain(others.into_iter().map(|(candidate, _)| candidate)) {
        if let Some(rest) = left.checked_sub(candidate.tokens()) {
            left = rest;
            taken.push(candidate);
        }
    }
    for mut candidate in further {
        if let Some(rest) = left.checked_sub(candidate.tokens()) {
            left = candidate.widen(rest);
            taken.push(candidate);
        }
    }
    taken.sort_by_key(|found| (found.rank, found.place));
    let passages: Vec<Passage> = taken.into_iter().map(Passage::from).collect();
    Passages {
        tokens: passages.iter().map(|passage| passage.tokens).sum(),
        left_out: n_found - passages.len(),
        passages,
    }
}

impl Candidate {
    fn tokens(&self) -> usize {
        self.frame + self.excerpt.tokens()
    }

    /// Widens the excerpt as far as `left` more tokens allow. Returns the tokens that are left.
    fn widen(&mut self, left: usize) -> usize {
        let left = self.excerpt.widen_to_passage(left);
        let left = self.excerpt.widen_to_section(left);
        self.excerpt.widen_to_neighbours(left)
    }
}

impl From<Candidate> for Passage {
    fn from(found: Candidate) -> Self {
        let Candidate { collection, rank, title, hit, excerpt, location, frame, .. } = found;
        Self {
            collection,
            rank,
            title,
            heading_path: hit.heading_path,
            url: hit.url,
            location,
            text: excerpt.text().to_owned(),
            whole: excerpt.is_whole(),
            cut_start: excerpt.is_cut_before(),
            cut_end: excerpt.is_cut_after(),
            score: hit.score,
            tokens: frame + excerpt.tokens(),
        }
    }
}

#[cfg(test)]
mod tests;

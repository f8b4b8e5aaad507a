//! Sections: headings by their font size, and the paragraphs below them, page by page.

use std::collections::BTreeMap;

use findling_bundle::AttributeValue;

use super::Columns;
use super::bookmarks::Bookmark;
use super::hyphens::Hyphens;
use super::paragraphs::{self, Paragraph};
use crate::outline::fold;
use findling_page::page::{Block, Section};

/// The smallest size of a heading, as a multiple of the size of text.
const LARGER: f32 = 1.12;

/// Maximum number of lines and bytes of a heading.
const MAX_HEADING_LINES: usize = 3;
const MAX_HEADING_BYTES: usize = 200;

/// Sizes nearer than this, in points, are one level.
const SAME_SIZE: f32 = 0.6;

/// Number of levels that font sizes can distinguish.
const MAX_LEVEL: u8 = 6;

/// A paragraph on its page, from 0.
struct Placed {
    page: usize,
    paragraph: Paragraph,
}

/// The text of a document.
pub(super) struct Document {
    pub sections: Vec<Section>,
    /// The largest text of the first page.
    pub title: Option<String>,
}

/// Smallest number of entries of an outline that gives a document its headings.
const MIN_BOOKMARKS: usize = 3;

/// The entries of an outline by their pages, until they are found in the text.
struct Outlined<'a> {
    by_page: BTreeMap<usize, Vec<&'a Bookmark>>,
}

impl<'a> Outlined<'a> {
    fn of(bookmarks: &'a [Bookmark]) -> Self {
        let mut by_page: BTreeMap<usize, Vec<&Bookmark>> = BTreeMap::new();
        if bookmarks.len() >= MIN_BOOKMARKS {
            for bookmark in bookmarks {
                by_page.entry(bookmark.page).or_default().push(bookmark);
            }
        }
        Self { by_page }
    }

    /// Returns the level of a text that is an entry's title on its page.
    fn take(&mut self, page: usize, text: &str) -> Option<u8> {
        let entries = self.by_page.get_mut(&page)?;
        let text = plain(text);
        let at = entries.iter().position(|entry| {
            let title = plain(&entry.title);
            // The text may have a number before the title.
            !title.is_empty()
                && (title == text || text.strip_suffix(&*title).is_some_and(is_number))
        })?;
        Some(entries.remove(at).level)
    }

    /// Returns the first entry of a page whose title is not in its text.
    fn rest(&mut self, page: usize, texts: &[String]) -> Vec<&'a Bookmark> {
        let Some(entries) = self.by_page.get_mut(&page) else { return Vec::new() };
        let missing = |entry: &&Bookmark| {
            let title = plain(&entry.title);
            !texts.iter().any(|text| {
                let text = plain(text);
                text == title || text.strip_suffix(&*title).is_some_and(is_number)
            })
        };
        let found: Vec<&Bookmark> = entries.iter().copied().filter(missing).collect();
        entries.retain(|entry| !missing(entry));
        found
    }
}

/// Returns a text without case and punctuation.
fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn is_number(text: &str) -> bool {
    text.len() <= 8 && text.chars().all(|c| c.is_numeric() || "ivx".contains(c))
        || text.strip_prefix("chapter").is_some_and(is_number)
}

/// Returns a text without the dots that lead from an entry of a table of contents to its page.
fn without_leaders(text: &str) -> String {
    if !text.contains(". . .") && !text.contains("....") {
        return text.to_owned();
    }
    let is_dots = |word: &&str| !word.chars().all(|c| matches!(c, '.' | '\u{b7}' | '\u{2026}'));
    text.split(' ').filter(is_dots).collect::<Vec<_>>().join(" ")
}

/// Makes sections of the columns of all pages.
pub(super) fn of(pages: Vec<Columns>, bookmarks: &[Bookmark]) -> Document {
    let hyphens = Hyphens::learn(pages.iter().flatten().flatten().map(|line| line.text.as_str()));
    let body = body_size(&pages);
    let leading = paragraphs::leading(pages.iter().flatten());
    let mut placed = Vec::new();
    for (page, columns) in pages.into_iter().enumerate() {
        for column in columns {
            let found = paragraphs::of(column, leading);
            placed.extend(found.into_iter().map(|paragraph| Placed { page, paragraph }));
        }
    }
    let levels = Levels::of(&placed, body);
    let title = title(&placed, body, &hyphens);
    let mut built = Builder::default();
    let mut outlined = Outlined::of(bookmarks);
    let texts: Vec<String> =
        placed.iter().map(|Placed { paragraph, .. }| fold(&paragraph.text(&hyphens))).collect();
    for (at, Placed { page, paragraph }) in placed.iter().enumerate() {
        if at == 0 || placed[at - 1].page != *page {
            let end = placed[at..].iter().position(|placed| placed.page != *page);
            let of_page = &texts[at..end.map_or(texts.len(), |n| at + n)];
            for bookmark in outlined.rest(*page, of_page) {
                built.heading(*page, bookmark.level, bookmark.title.clone());
            }
        }
        let text = texts[at].clone();
        if let Some(level) = outlined.take(*page, &text) {
            built.heading(*page, level, text);
            continue;
        }
        let text = without_leaders(&text);
        match levels.level(paragraph) {
            Some(level) => built.heading(*page, level, text),
            None => built.text(*page, text, &hyphens),
        }
    }
    Document { sections: built.sections, title }
}

/// Returns the font size of most characters of the document.
fn body_size(pages: &[Columns]) -> f32 {
    let mut counts: Vec<(i32, usize)> = Vec::new();
    for line in pages.iter().flatten().flatten() {
        let size = (line.size * 2.0).round() as i32;
        match counts.iter_mut().find(|(known, _)| *known == size) {
            Some((_, count)) => *count += line.text.len(),
            None => counts.push((size, line.text.len())),
        }
    }
    counts.into_iter().max_by_key(|&(size, n)| (n, size)).map_or(10.0, |most| most.0 as f32 / 2.0)
}

/// Returns the largest text of the first page, if it is larger than the rest.
fn title(placed: &[Placed], body: f32, hyphens: &Hyphens) -> Option<String> {
    let first = placed.first()?.page;
    let on_first = placed.iter().take_while(|placed| placed.page == first);
    let largest =
        on_first.filter(|placed| looks_like_heading(&placed.paragraph)).max_by(|a, b| {
            // Ties go to the first.
            let order = a.paragraph.size().total_cmp(&b.paragraph.size());
            order.then(std::cmp::Ordering::Greater)
        })?;
    (largest.paragraph.size() >= LARGER * body).then(|| fold(&largest.paragraph.text(hyphens)))
}

/// Returns whether a paragraph can be a heading by its length and its characters.
fn looks_like_heading(paragraph: &Paragraph) -> bool {
    let bytes: usize = paragraph.lines.iter().map(|line| line.text.len()).sum();
    let letters = paragraph.lines.iter().flat_map(|line| line.text.chars());
    paragraph.lines.len() <= MAX_HEADING_LINES
        && bytes <= MAX_HEADING_BYTES
        && letters.filter(|c| c.is_alphabetic()).count() >= 2
}

/// The levels of headings.
struct Levels {
    /// Font sizes of headings, largest first.
    sizes: Vec<f32>,
    body: f32,
    /// Whether bold paragraphs of the text's size are headings.
    bold_counts: bool,
}

impl Levels {
    fn of(placed: &[Placed], body: f32) -> Self {
        let mut sizes: Vec<f32> = Vec::new();
        let mut all: Vec<f32> = placed
            .iter()
            .filter(|placed| looks_like_heading(&placed.paragraph))
            .map(|placed| placed.paragraph.size())
            .filter(|&size| size >= LARGER * body)
            .collect();
        all.sort_by(|a, b| b.total_cmp(a));
        for size in all {
            if sizes.last().is_none_or(|last| last - size > SAME_SIZE) {
                sizes.push(size);
            }
        }
        let bold = placed.iter().filter(|placed| placed.paragraph.is_bold()).count();
        Self { sizes, body, bold_counts: bold * 3 < placed.len() }
    }

    /// Returns the level of a heading; `None` for text.
    fn level(&self, paragraph: &Paragraph) -> Option<u8> {
        if !looks_like_heading(paragraph) {
            return None;
        }
        let size = paragraph.size();
        if size >= LARGER * self.body {
            let at = self.sizes.iter().position(|known| *known - size <= SAME_SIZE)?;
            return Some((at as u8).saturating_add(1).min(MAX_LEVEL));
        }
        let last = &paragraph.lines.last()?.text;
        let is_bold = self.bold_counts
            && paragraph.is_bold()
            && size >= 0.95 * self.body
            && !last.ends_with(['.', ',', ';', ':'])
            && paragraph.lines.len() < MAX_HEADING_LINES;
        is_bold.then(|| (self.sizes.len() as u8).saturating_add(1).min(MAX_LEVEL))
    }
}

/// Sections under construction.
#[derive(Default)]
struct Builder {
    sections: Vec<Section>,
    /// The page of the last section, from 0.
    page: Option<usize>,
}

impl Builder {
    fn heading(&mut self, page: usize, level: u8, heading: String) {
        if !heading.is_empty() {
            self.push(page, level, heading);
        }
    }

    fn text(&mut self, page: usize, mut text: String, hyphens: &Hyphens) {
        if text.is_empty() {
            return;
        }
        if self.page != Some(page) {
            self.finish_word(&mut text, hyphens);
            if text.is_empty() {
                return;
            }
            // A section that spans several pages has the number of each of them.
            let (level, heading) = self
                .sections
                .last()
                .map_or((0, String::new()), |last| (last.level, last.heading.clone()));
            self.push(page, level, heading);
        }
        if let Some(section) = self.sections.last_mut() {
            let block = Block { text, code: Vec::new(), is_code_block: false, weight: 1.0 };
            section.blocks.push(block);
        }
    }

    /// Moves the end of a word that is divided between two pages to the page where it begins.
    fn finish_word(&mut self, text: &mut String, hyphens: &Hyphens) {
        let last = self.sections.last_mut().and_then(|section| section.blocks.last_mut());
        let Some(last) = last.filter(|last| last.text.ends_with(['-', '\u{ad}', '\u{2010}']))
        else {
            return;
        };
        if !text.starts_with(char::is_lowercase) {
            return;
        }
        let end = text.find(' ').unwrap_or(text.len());
        hyphens.append(&mut last.text, &text[..end]);
        *text = text[end..].trim_start().to_owned();
    }

    fn push(&mut self, page: usize, level: u8, heading: String) {
        let number = page + 1;
        self.sections.push(Section {
            level,
            heading,
            anchor: Some(format!("page={number}")),
            attributes: [("page".to_owned(), AttributeValue::Number(number as f64))].into(),
            blocks: Vec::new(),
            ..Section::default()
        });
        self.page = Some(page);
    }
}

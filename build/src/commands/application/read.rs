//! A page for the reader: a conversation, a file of source code, a paper, or another document.

use std::ops::Range;

use anyhow::Result;
use serde::Serialize;
use serde_json::{Map, Value};

use super::marks::Marks;
use super::paper::Citation;
use super::source::Source;
use super::text::{Block, Piece, blocks};
use super::{Application, address, paper, source, text_of};
use crate::collections::{Home, Registry};
use crate::host::{Document, DocumentSection};
use crate::output::byline::is_paper;
use crate::safe_text::{self, line};

/// Maximum number of bytes of text of an answer. If a page is longer, the sections around the
/// wanted section are shown.
const MAX_BYTES: usize = 512 << 10;
/// Maximum number of headings of an outline.
const MAX_ENTRIES: usize = 500;

/// A page as the reader shows it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    collection: String,
    id: String,
    title: Vec<Piece>,
    language: String,
    /// `conversation`, `source`, `paper` or `document`.
    kind: &'static str,
    /// The web address, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    web: Option<String>,
    /// The file that it was read from.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The address of its PDF.
    #[serde(skip_serializing_if = "Option::is_none")]
    pdf: Option<String>,
    attributes: Map<String, Value>,
    citations: Vec<Citation>,
    /// The headings of the whole page.
    outline: Vec<Entry>,
    sections: Vec<Section>,
    /// The file as it is now. If it is present, there are no sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Source>,
    /// Whether a file of source code cannot be shown as it is now, because it is gone, too long, or
    /// has changed since it was indexed.
    is_kept_text: bool,
    /// Numbers of sections before and after the ones included, and the anchors of the nearest ones.
    before: usize,
    after: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// A heading, and the address that it leads to.
#[derive(Debug, PartialEq, Serialize)]
struct Entry {
    level: u8,
    heading: String,
    anchor: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Section {
    level: u8,
    heading: Vec<Piece>,
    #[serde(skip_serializing_if = "Option::is_none")]
    anchor: Option<String>,
    /// Whether it continues the section before it, which was too long for one section.
    continues: bool,
    /// The own attributes, such as the role of a turn.
    attributes: Map<String, Value>,
    blocks: Vec<Block>,
}

/// Answers `read`: returns the page `page` of the collection `in`. `anchor` names the section that
/// must be shown, and the words of `q` are marked.
///
/// # Errors
/// If there is no such page.
pub fn answer(application: &Application, input: &Value) -> Result<String> {
    let (name, id) = (text_of(input, "in")?, text_of(input, "page")?);
    let text = |name: &str| input.get(name).and_then(Value::as_str).unwrap_or_default();
    let mut asked = application.bundles.get(&name)?;
    let (number, document) = asked.host.find_document(&id)?;
    let attributes = asked.host.attributes_of_sections(number)?;
    let sources = asked.sources.clone();
    let language = match document.language.as_str() {
        // A page that declares none is analysed as most pages of its collection.
        "" => asked.host.manifest().languages.first().cloned().unwrap_or_default(),
        own => own.to_owned(),
    };
    drop(asked);
    let mut marks = Marks::new(text("q"), &language);
    let file = sources.file(&document.id);
    let kind = kind(&document);
    let source = match (&file, kind) {
        (Some(path), "source") => source::read(path, &document, &mut marks),
        _ => None,
    };
    let shown = match source {
        Some(_) => 0..0,
        None => around(&document.sections, text("anchor")),
    };
    let base_url = base_url(&name);
    let pdf = paper::pdf(&document, &base_url, &sources);
    let sections = sections(&document, shown.clone(), &attributes, &mut marks);
    let total = if source.is_some() { 0 } else { document.sections.len() };
    let nearest = |at: Option<usize>| document.sections.get(at?)?.anchor.clone();
    let page = Page {
        title: heading(&document.title, &mut marks),
        kind,
        web: address::web(&document.url),
        file: file.as_ref().map(|path| line(&address::shown(path)).into_owned()),
        pdf: pdf.map(|path| application.files.address(&path)).transpose()?,
        citations: if kind == "paper" { paper::citations(&document) } else { Vec::new() },
        outline: outline(&document.sections),
        sections,
        is_kept_text: kind == "source" && source.is_none(),
        source,
        before: shown.start,
        after: total.saturating_sub(shown.end),
        previous: nearest(shown.start.checked_sub(1)),
        next: nearest((shown.end < total).then_some(shown.end)),
        collection: name,
        id: document.id,
        language: document.language,
        attributes: document.attributes,
    };
    Ok(safe_text::json(&page)?)
}

/// Returns the prefix of the addresses of a collection's pages.
fn base_url(name: &str) -> String {
    let read = || -> Result<String> {
        let registry = Registry::read(&Home::default_location()?)?;
        Ok(registry.get(&name.parse()?)?.base_url.clone())
    };
    // Without it, fewer files are found.
    read().unwrap_or_default()
}

fn kind(document: &Document) -> &'static str {
    let is_turn = |section: &DocumentSection| {
        section.anchor.as_deref().is_some_and(|anchor| anchor.starts_with("turn-"))
    };
    if document.attributes.contains_key("roles") && document.sections.iter().any(is_turn) {
        "conversation"
    } else if source::is_source(document) {
        "source"
    } else if is_paper(&document.attributes) {
        "paper"
    } else {
        "document"
    }
}

/// Returns the sections to show: all, or those around the one with an anchor, as many as fit.
fn around(sections: &[DocumentSection], anchor: &str) -> Range<usize> {
    let is_wanted = |section: &DocumentSection| section.anchor.as_deref() == Some(anchor);
    let at = sections.iter().position(is_wanted).unwrap_or(0);
    let mut range = at..at;
    let mut left = MAX_BYTES;
    loop {
        let before = range.clone();
        // Include more of the text after the section than before it, because readers read on.
        for _ in 0..3 {
            if let Some(section) = sections.get(range.end)
                && (section.text.len() <= left || range.is_empty())
            {
                left = left.saturating_sub(section.text.len());
                range.end += 1;
            }
        }
        if let Some(start) = range.start.checked_sub(1)
            && sections[start].text.len() <= left
        {
            left -= sections[start].text.len();
            range.start = start;
        }
        if range == before {
            return range;
        }
    }
}

/// Returns the headings. If several sections in a row have the same heading, such as a question and
/// its answer, only the first is returned.
fn outline(sections: &[DocumentSection]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for section in sections {
        let (Some(heading), Some(anchor)) = (section.heading_path.last(), &section.anchor) else {
            continue;
        };
        let heading = line(heading).into_owned();
        if heading.is_empty() || entries.last().is_some_and(|last| last.heading == heading) {
            continue;
        }
        entries.push(Entry { level: section.level, heading, anchor: anchor.clone() });
        if entries.len() >= MAX_ENTRIES {
            break;
        }
    }
    entries
}

fn sections(
    document: &Document,
    shown: Range<usize>,
    attributes: &[Map<String, Value>],
    marks: &mut Marks,
) -> Vec<Section> {
    let mut last: Option<&DocumentSection> = None;
    let mut all = Vec::with_capacity(shown.len());
    for (at, section) in document.sections.iter().enumerate().take(shown.end).skip(shown.start) {
        let continues = last.is_some_and(|last| {
            last.heading_path == section.heading_path && last.anchor == section.anchor
        });
        let found = marks.of(&section.text);
        let name = section.heading_path.last().filter(|_| !continues);
        all.push(Section {
            level: section.level,
            heading: name.map(|name| heading(name, marks)).unwrap_or_default(),
            anchor: section.anchor.clone(),
            continues,
            attributes: attributes.get(at).cloned().unwrap_or_default(),
            blocks: blocks(&section.text, &section.code, &found),
        });
        last = Some(section);
    }
    all
}

/// Returns a text on one line with the query's words marked.
fn heading(text: &str, marks: &mut Marks) -> Vec<Piece> {
    let text = line(text);
    let found = marks.of(&text);
    let mut paragraphs = blocks(&text, &[], &found);
    paragraphs.pop().map(|block| block.pieces).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(anchor: &str, bytes: usize) -> DocumentSection {
        DocumentSection {
            anchor: Some(anchor.to_owned()),
            text: "x".repeat(bytes),
            ..DocumentSection::default()
        }
    }

    #[test]
    fn an_outline_has_each_heading_once_in_a_row() {
        let named = |heading: &str, anchor: &str| DocumentSection {
            level: 1,
            heading_path: vec![heading.to_owned()],
            ..section(anchor, 1)
        };
        let sections = [
            named("How?", "turn-1"),
            named("How?", "turn-2"),
            named("Why\u{202e}?", "turn-3"),
            section("turn-4", 1),
        ];
        let entries: Vec<_> = outline(&sections).into_iter().map(|entry| entry.anchor).collect();
        assert_eq!(entries, ["turn-1", "turn-3"]);
        assert_eq!(outline(&sections)[1].heading, "Why<U+202E>?");
    }

    #[test]
    fn of_a_long_page_the_sections_around_the_wanted_one_are_shown() {
        let small: Vec<_> = (0..9).map(|n| section(&format!("turn-{n}"), 10)).collect();
        assert_eq!(around(&small, "turn-5"), 0..9);
        assert_eq!(around(&small, ""), 0..9);
        assert_eq!(around(&[], "turn-5"), 0..0);
        let large: Vec<_> =
            (0..100).map(|n| section(&format!("turn-{n}"), MAX_BYTES / 10)).collect();
        let shown = around(&large, "turn-50");
        assert!(shown.contains(&50) && (9..=11).contains(&shown.len()), "{shown:?}");
        assert!(shown.start < 50 && shown.end - 50 > 50 - shown.start, "{shown:?}");
        assert_eq!(around(&large, "").start, 0);
        let huge = [section("a", 3 * MAX_BYTES), section("b", 3 * MAX_BYTES)];
        assert_eq!(around(&huge, "b"), 1..2);
    }
}

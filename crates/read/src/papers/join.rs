//! The join of a paper with its text, which is found among the files beside the bibliography.

use std::collections::HashMap;

use super::super::{Format, RawPage};
use super::Paper;

/// Shortest title, in letters, that is found as the name of a file.
const MIN_TITLE: usize = 12;

/// Joins papers with their texts. A text that belongs to a paper is no page of its own.
pub(crate) fn join(pages: &mut Vec<RawPage>) {
    let is_document = |raw: &RawPage| raw.format == Some(Format::Papers) && raw.paper.is_none();
    let mut by_name: HashMap<String, usize> = HashMap::new();
    let mut by_stem: HashMap<String, usize> = HashMap::new();
    for (at, raw) in pages.iter().enumerate().filter(|(_, raw)| is_document(raw)) {
        let name = raw.page.id.rsplit('/').next().unwrap_or_default().to_lowercase();
        let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
        by_stem.entry(letters(stem)).or_insert(at);
        by_name.entry(name).or_insert(at);
    }
    let mut texts: HashMap<usize, usize> = HashMap::new();
    for (at, raw) in pages.iter().enumerate() {
        let Some(paper) = &raw.paper else { continue };
        if let Some(document) = find(paper, &by_name, &by_stem) {
            texts.entry(document).or_insert(at);
        }
    }
    let mut found: Vec<(usize, RawPage)> = Vec::new();
    for (&document, &at) in &texts {
        found.push((at, std::mem::take(&mut pages[document])));
    }
    for (at, document) in found {
        merge(&mut pages[at], document);
    }
    let mut at = 0;
    pages.retain(|_| {
        at += 1;
        !texts.contains_key(&(at - 1))
    });
    for raw in pages {
        raw.paper = None;
    }
}

/// Returns the text of a paper: a file that the bibliography names, or one with the name of the
/// key, the DOI or the title.
fn find(
    paper: &Paper,
    by_name: &HashMap<String, usize>,
    by_stem: &HashMap<String, usize>,
) -> Option<usize> {
    // JabRef and Zotero write `description:path:type`.
    let parts = paper.files.iter().flat_map(|file| file.split(':'));
    let mut named = parts.filter_map(|part| {
        let name = part.rsplit(['/', '\\']).next()?.trim().to_lowercase();
        by_name.get(&name)
    });
    let title = letters(&paper.title);
    let names = [letters(&paper.key), letters(&paper.doi), title.clone()];
    let mut stems = names
        .iter()
        .filter(|name| !name.is_empty() && (**name != title || title.chars().count() >= MIN_TITLE));
    named.next().or_else(|| stems.find_map(|name| by_stem.get(name))).copied()
}

/// Returns only the letters and digits of a text, in lower case: file names cannot have the signs
/// of DOIs and titles.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Gives a paper the sections and the address of its text.
fn merge(paper: &mut RawPage, document: RawPage) {
    let has_abstract = document.page.sections.iter().any(|section| {
        let kind = section.attributes.get("chunk_type");
        matches!(kind, Some(findling_bundle::AttributeValue::String(kind)) if kind == "abstract")
    });
    if has_abstract {
        paper.page.sections.clear();
    }
    // Anchors of the text are the right ones; the abstract of the bibliography is not in it.
    for section in &mut paper.page.sections {
        section.anchor = None;
    }
    paper.page.sections.extend(document.page.sections);
    paper.page.url = document.page.url;
    paper.path = document.path;
    paper.left_out.extend(document.left_out);
}

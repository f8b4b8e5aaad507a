//! The sections of a file whose symbols are known.

use std::collections::BTreeSet;
use std::ops::Range;

use findling_bundle::AttributeValue;

use super::blocks::{code, with_heading};
use super::lines::Lines;
use super::parse::parse;
use super::pieces::{self, Piece};
use super::symbols::Grammar;
use super::visibility;
use findling_page::page::{Block, Section};

/// Largest number of lines of a section. A longer piece is cut into parts.
const MAX_LINES: usize = 100;
const PART_LINES: (usize, usize) = (30, 80);

/// Number of lines of a declaration that each later part of a long piece repeats.
const HEADER_LINES: usize = 3;

/// Returns the sections of a text. Returns `None` if the grammar gives no tree for it. Sections say
/// whether their symbols are public if `visible_in` names the language.
pub(super) fn of(text: &str, grammar: &Grammar, visible_in: Option<&str>) -> Option<Vec<Section>> {
    let parsed = parse(text, grammar)?;
    let lines = Lines::with_depths(text, &parsed.depths);
    let mut sections = Vec::new();
    for piece in pieces::of(&parsed, &lines) {
        if piece.lines.len() <= MAX_LINES {
            sections.push(section(&piece, piece.lines.clone(), &lines, visible_in));
            continue;
        }
        for part in lines.cut(piece.lines.clone(), PART_LINES.0, PART_LINES.1) {
            let part = lines.trim(part);
            if !part.is_empty() {
                sections.push(section(&piece, part, &lines, visible_in));
            }
        }
    }
    Some(sections)
}

/// Returns a piece, or a part of one, in the order of its lines: code, its documentation as prose,
/// code. Joined by line feeds, the blocks are the lines of the file.
fn section(
    piece: &Piece,
    part: Range<usize>,
    lines: &Lines<'_>,
    visible_in: Option<&str>,
) -> Section {
    let mut blocks = Vec::new();
    if part.start > piece.signature && part.start > piece.lines.start {
        let end = (piece.signature + HEADER_LINES).min(part.start);
        let header = (piece.signature..end)
            .find(|&at| lines.get(at).trim_end().ends_with(['{', ':', ')', ';']))
            .map_or(end, |last| last + 1);
        blocks.extend(code(lines, piece.signature..header));
    }
    match piece.doc.clone().filter(|doc| doc.start >= part.start && doc.end <= part.end) {
        Some(doc) => {
            blocks.extend(code(lines, part.start..doc.start));
            blocks.extend(prose(lines, doc.clone()));
            blocks.extend(code(lines, doc.end..part.end));
        }
        None => blocks.extend(code(lines, part.clone())),
    }
    let mut section = with_heading(piece.name.clone(), &part, blocks);
    if !piece.kinds.is_empty() {
        let set = |names: Vec<&str>| {
            let names: BTreeSet<&str> = names.into_iter().collect();
            AttributeValue::Strings(names.into_iter().map(str::to_owned).collect())
        };
        let kinds = piece.kinds.iter().map(|kind| kind.name()).collect();
        section.attributes.insert("kind".to_owned(), set(kinds));
        section.attributes.insert("symbol".to_owned(), set(piece.name.split(", ").collect()));
        let visibility = visible_in.and_then(|language| visibility::of(language, piece, lines));
        if let Some(visibility) = visibility {
            let value = AttributeValue::String(visibility.to_owned());
            section.attributes.insert("visibility".to_owned(), value);
        }
    }
    section
}

/// Returns a comment as a block of prose, with its marks, so that readers see the lines of the
/// file.
fn prose(lines: &Lines<'_>, doc: Range<usize>) -> Option<Block> {
    let text = lines.text(doc);
    let is_blank = text.trim().is_empty();
    (!is_blank).then_some(Block { text, code: Vec::new(), is_code_block: false, weight: 1.0 })
}

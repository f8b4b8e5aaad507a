//! The sections of a file of code.

use std::ops::Range;

use super::comments;
use super::languages::{Grammar, Language};
use super::lines::Lines;
use super::pieces::{self, Piece};
use super::symbols::Parsed;
use crate::page::{Block, Section};
use crate::sources::outline::{clean_code, fold};

/// Lines of a section. A longer piece is cut into parts of these lengths.
const MAX_LINES: usize = 100;
const PART_LINES: (usize, usize) = (30, 80);

/// Lines of a section of a file that is cut at blank lines.
const PLAIN_LINES: (usize, usize) = (12, 40);

/// Lines of a declaration that each later part of a long piece repeats.
const HEADER_LINES: usize = 3;

/// The sections of a text.
pub(super) fn of(text: &str, language: Option<&Language>) -> Vec<Section> {
    let grammar = language.and_then(|language| language.grammar);
    match grammar.and_then(|grammar| parse(text, grammar)) {
        Some(parsed) => of_symbols(text, &parsed),
        None => of_paragraphs(text),
    }
}

#[cfg(feature = "code")]
fn parse(text: &str, grammar: &Grammar) -> Option<Parsed> {
    super::parse::parse(text, grammar)
}

#[cfg(not(feature = "code"))]
fn parse(_: &str, _: &Grammar) -> Option<Parsed> {
    None
}

fn of_symbols(text: &str, parsed: &Parsed) -> Vec<Section> {
    let lines = Lines::parsed(text, parsed);
    let mut sections = Vec::new();
    for piece in pieces::of(parsed, &lines) {
        if piece.lines.len() <= MAX_LINES {
            sections.push(section(&piece, piece.lines.clone(), &lines));
            continue;
        }
        for part in lines.cut(piece.lines.clone(), PART_LINES.0, PART_LINES.1) {
            let part = lines.trim(part);
            if !part.is_empty() {
                sections.push(section(&piece, part, &lines));
            }
        }
    }
    sections
}

fn of_paragraphs(text: &str) -> Vec<Section> {
    let lines = Lines::plain(text);
    let mut sections = Vec::new();
    for part in lines.cut(0..lines.len(), PLAIN_LINES.0, PLAIN_LINES.1) {
        let part = lines.trim(part);
        if part.is_empty() {
            continue;
        }
        let heading = if sections.is_empty() {
            String::new()
        } else {
            pieces::first_line(&lines, part.clone())
        };
        let blocks = code(&lines, part.clone()).into_iter().collect();
        sections.push(with_heading(heading, anchor(&part), blocks));
    }
    sections
}

/// A piece, or a part of one, in the order of its lines: code, its documentation as prose, code.
fn section(piece: &Piece, part: Range<usize>, lines: &Lines<'_>) -> Section {
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
            blocks.extend(prose(&lines.text(doc.clone())));
            blocks.extend(code(lines, doc.end..part.end));
        }
        None => blocks.extend(code(lines, part.clone())),
    }
    with_heading(piece.name.clone(), anchor(&part), blocks)
}

fn with_heading(heading: String, anchor: String, blocks: Vec<Block>) -> Section {
    let level = u8::from(!heading.is_empty());
    Section { level, heading, anchor: Some(anchor), blocks }
}

/// `L10-L24`, as code hosts write lines.
fn anchor(lines: &Range<usize>) -> String {
    match lines.len() {
        0 | 1 => format!("L{}", lines.start + 1),
        _ => format!("L{}-L{}", lines.start + 1, lines.end),
    }
}

fn code(lines: &Lines<'_>, range: Range<usize>) -> Option<Block> {
    let text = clean_code(&lines.text(range));
    let code = vec![(0, text.len() as u32)];
    (!text.is_empty()).then_some(Block { text, code, is_code_block: true, weight: 1.0 })
}

/// A comment, a block for each of its paragraphs.
fn prose(comment: &str) -> Vec<Block> {
    comments::prose(comment)
        .split("\n\n")
        .map(fold)
        .filter(|text| !text.is_empty())
        .map(|text| Block { text, code: Vec::new(), is_code_block: false, weight: 1.0 })
        .collect()
}

//! A file in pieces: its symbols, and the lines between them.

use std::ops::Range;

use super::lines::{Lines, says_something};
use super::symbols::{Kind, Parsed, Symbol};

/// Largest number of lines of a constant or type that is read with its neighbours, and of all of
/// them together.
const MAX_SMALL_LINES: usize = 5;
const MAX_GROUP_LINES: usize = 40;

/// Longest heading that is made of names, in bytes.
const MAX_NAMES_BYTES: usize = 160;

/// Lines that belong together. Every line of a file that is not blank is in exactly one piece.
#[derive(Debug)]
pub(super) struct Piece {
    /// The kinds of its symbols, each kind once; empty if it has no symbols.
    pub kinds: Vec<Kind>,
    /// Names of its symbols, separated by `, `. If it has none, a line of its text; empty for the
    /// lines before the first symbol.
    pub name: String,
    pub lines: Range<usize>,
    pub doc: Option<Range<usize>>,
    /// The line where the declaration begins. Later parts of the piece repeat the declaration.
    pub signature: usize,
    /// Whether other programs can use one of its symbols, where the tree says so.
    pub is_public: Option<bool>,
    is_small: bool,
}

/// Returns the pieces of a file that has a tree, in order.
pub(super) fn of(parsed: &Parsed, lines: &Lines<'_>) -> Vec<Piece> {
    let file_doc = parsed.doc.clone();
    let mut cutter = Cutter { lines, file_doc, pieces: Vec::new(), head: None };
    cutter.cut(&parsed.symbols, 0..lines.len(), None);
    group(cutter.pieces)
}

struct Cutter<'a> {
    lines: &'a Lines<'a>,
    file_doc: Option<Range<usize>>,
    pieces: Vec<Piece>,
    /// The first line of a scope whose members follow at once: `impl Flag for Mmap {`. On its own
    /// it does not answer anything, so it belongs to the first member.
    head: Option<Piece>,
}

/// Largest number of lines of such a head.
const MAX_HEAD_LINES: usize = 3;

impl Cutter<'_> {
    fn cut(&mut self, symbols: &[Symbol], range: Range<usize>, owner: Option<&Symbol>) {
        let mut at = range.start;
        for symbol in symbols {
            let start = symbol.lines.start.max(at);
            let end = symbol.lines.end.min(range.end);
            // It shares its lines with the symbol before it.
            if start >= end {
                continue;
            }
            self.between(at..start, owner);
            if symbol.inner.is_empty() {
                self.push(Piece {
                    kinds: vec![symbol.kind],
                    name: symbol.name.clone(),
                    lines: start..end,
                    doc: symbol.doc.clone().filter(|doc| doc.start >= start && doc.end <= end),
                    signature: symbol.signature.max(start),
                    is_public: symbol.is_public,
                    is_small: symbol.is_small && end - start <= MAX_SMALL_LINES,
                });
            } else {
                self.cut(&symbol.inner, start..end, Some(symbol));
                self.pieces.extend(self.head.take());
            }
            at = end;
        }
        self.between(at..range.end, owner);
    }

    /// Adds the lines between symbols. `owner` is the scope around them.
    fn between(&mut self, range: Range<usize>, owner: Option<&Symbol>) {
        let range = self.lines.trim(range);
        if range.is_empty() {
            return;
        }
        if range.clone().all(|at| closes(self.lines.get(at)))
            && let Some(last) = self.head.as_mut().or(self.pieces.last_mut())
        {
            last.lines.end = range.end;
            return;
        }
        let inside = |doc: &Range<usize>| doc.start >= range.start && doc.end <= range.end;
        let (name, doc, signature) = match owner {
            Some(owner) => (
                owner.name.clone(),
                owner.doc.clone().filter(inside),
                Some(owner.signature).filter(|line| range.contains(line)),
            ),
            None if self.pieces.is_empty() => {
                (String::new(), self.file_doc.clone().filter(inside), None)
            }
            None => (self.lines.heading(range.clone()), None, None),
        };
        let opens = self.lines.get(range.end - 1).trim_end().ends_with(['{', ':']);
        let is_head = owner.is_some()
            && signature.is_some()
            && doc.is_none()
            && (range.len() == 1 || opens && range.len() <= MAX_HEAD_LINES);
        let signature = signature.unwrap_or(range.start);
        let kinds = owner.map(|owner| owner.kind).into_iter().collect();
        let is_public = owner.and_then(|owner| owner.is_public);
        let piece = Piece { kinds, name, lines: range, doc, signature, is_public, is_small: false };
        if is_head && self.head.is_none() {
            self.head = Some(piece);
        } else {
            self.push(piece);
        }
    }

    /// Adds a piece, with the head of its scope in front of it.
    fn push(&mut self, mut piece: Piece) {
        if let Some(head) = self.head.take() {
            piece.lines.start = head.lines.start;
            piece.is_small = false;
            // The name of an implementation is the name of its type, which the member's name
            // already contains.
            if head.kinds != [Kind::Impl] && head.name != piece.name {
                piece.name = format!("{}, {}", head.name, piece.name);
                piece.kinds.splice(..0, head.kinds);
            }
        }
        self.pieces.push(piece);
    }
}

/// Returns whether a line only ends the code before it.
fn closes(line: &str) -> bool {
    !says_something(line) || line.trim() == "end"
}

/// Puts constants and types that follow each other together.
fn group(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut grouped: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match grouped.last_mut() {
            Some(last)
                if last.is_small
                    && piece.is_small
                    && piece.lines.end - last.lines.start <= MAX_GROUP_LINES
                    && last.name.len() + piece.name.len() <= MAX_NAMES_BYTES =>
            {
                for kind in piece.kinds {
                    if !last.kinds.contains(&kind) {
                        last.kinds.push(kind);
                    }
                }
                last.name.push_str(", ");
                last.name.push_str(&piece.name);
                last.lines.end = piece.lines.end;
                last.is_public = last.is_public.max(piece.is_public);
                // The comments of several symbols stay in their places.
                last.doc = None;
            }
            _ => grouped.push(piece),
        }
    }
    grouped
}

//! Text in blocks of pieces, each of one kind. The page makes an element of each piece; the text
//! itself is never markup.

use std::ops::Range;

use serde::Serialize;

use crate::commands::highlight;
use crate::safe_text::lines;

/// A paragraph, or a block of code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Block {
    /// Whether it is shown as code, its lines as they are.
    pub code: bool,
    pub pieces: Vec<Piece>,
}

/// A piece of text. Harmless, without control characters but line feeds and tabs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Piece {
    pub text: String,
    /// Plain text has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// Whether this word is in the query.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub marked: bool,
}

/// Returns the blocks of a text with code at some byte ranges, and marks at others; both in order.
pub fn blocks(text: &str, code: &[(usize, usize)], marks: &[Range<usize>]) -> Vec<Block> {
    let mut blocks = Blocks { text, marks, done: Vec::new(), paragraph: Vec::new() };
    let mut at = 0;
    for &(start, end) in code {
        let (start, end) = (start.min(text.len()).max(at), end.min(text.len()).max(at));
        if !text.is_char_boundary(start) || !text.is_char_boundary(end) {
            continue;
        }
        blocks.prose(at..start);
        let begins = start == 0 || text[..start].ends_with('\n');
        let ends = end == text.len() || text[end..].starts_with('\n');
        if begins && ends {
            blocks.end();
            let pieces = code_pieces(text, start..end, marks);
            blocks.done.push(Block { code: true, pieces });
        } else {
            push(&mut blocks.paragraph, text, start..end, Some("code"), marks);
        }
        at = end;
    }
    blocks.prose(at..text.len());
    blocks.end();
    blocks.done
}

/// Returns the pieces of code, coloured.
pub fn code_pieces(text: &str, range: Range<usize>, marks: &[Range<usize>]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (stretch, kind) in highlight::code(&text[range.clone()]) {
        let stretch = range.start + stretch.start..range.start + stretch.end;
        push(&mut pieces, text, stretch, name(kind), marks);
    }
    pieces
}

fn name(kind: highlight::Kind) -> Option<&'static str> {
    match kind {
        highlight::Kind::Code => None,
        highlight::Kind::Keyword => Some("keyword"),
        highlight::Kind::String => Some("string"),
        highlight::Kind::Number => Some("number"),
        highlight::Kind::Comment => Some("comment"),
    }
}

struct Blocks<'a> {
    text: &'a str,
    marks: &'a [Range<usize>],
    done: Vec<Block>,
    paragraph: Vec<Piece>,
}

impl Blocks<'_> {
    /// Adds a stretch outside of code. Each line is a paragraph.
    fn prose(&mut self, range: Range<usize>) {
        let mut at = range.start;
        for line in self.text[range].split_inclusive('\n') {
            let end = at + line.trim_end_matches('\n').len();
            push(&mut self.paragraph, self.text, at..end, None, self.marks);
            if line.ends_with('\n') {
                self.end();
            }
            at += line.len();
        }
    }

    fn end(&mut self) {
        let pieces = std::mem::take(&mut self.paragraph);
        if pieces.iter().any(|piece| !piece.text.trim().is_empty()) {
            self.done.push(Block { code: false, pieces });
        }
    }
}

/// Adds a stretch of the text, cut where marks begin and end.
fn push(
    pieces: &mut Vec<Piece>,
    text: &str,
    range: Range<usize>,
    kind: Option<&'static str>,
    marks: &[Range<usize>],
) {
    let mut add = |range: Range<usize>, marked: bool| {
        // A mark that does not fit the text is not shown.
        let part = text.get(range).unwrap_or_default();
        if !part.is_empty() {
            pieces.push(Piece { text: lines(part).into_owned(), kind, marked });
        }
    };
    let mut at = range.start;
    let first = marks.partition_point(|mark| mark.end <= range.start);
    for mark in marks[first..].iter().take_while(|mark| mark.start < range.end) {
        let (start, end) = (mark.start.max(at), mark.end.min(range.end));
        add(at..start, false);
        add(start..end, true);
        at = end;
    }
    add(at..range.end, false);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(blocks: &[Block]) -> Vec<String> {
        let piece = |piece: &Piece| match (piece.kind, piece.marked) {
            (None, false) => piece.text.clone(),
            (kind, marked) => {
                let mark = if marked { "!" } else { "" };
                format!("[{}{mark}:{}]", kind.unwrap_or(""), piece.text)
            }
        };
        let block = |block: &Block| -> String {
            let text: String = block.pieces.iter().map(piece).collect();
            if block.code { format!("CODE {text}") } else { text }
        };
        blocks.iter().map(block).collect()
    }

    #[test]
    fn code_is_a_block_where_it_has_its_lines_to_itself() {
        let text = "Call lock now.\nlet x = 1;\nThen\n\nmore.";
        let blocks = blocks(text, &[(5, 9), (15, 25)], &[0..4, 33..38]);
        assert_eq!(
            shown(&blocks),
            [
                "[!:Call] [code:lock] now.",
                "CODE [keyword:let] x = [number:1];",
                "Then",
                "m[!:ore.]"
            ]
        );
    }

    #[test]
    fn what_could_do_harm_is_shown_by_its_code_point() {
        let blocks = blocks("a\u{202e}b \u{1b}[2J <b>", &[], &[]);
        assert_eq!(shown(&blocks), ["a<U+202E>b <U+001B>[2J <b>"]);
    }

    proptest! {
        #[test]
        fn no_ranges_lose_or_repeat_a_letter(
            text in "[a-z äß\n]{0,40}",
            code in proptest::collection::vec((0usize..50, 0usize..50), 0..4),
            marks in proptest::collection::vec(0usize..50, 0..8),
        ) {
            let mut code: Vec<_> = code.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
            code.sort_unstable();
            let mut ends = marks;
            ends.sort_unstable();
            ends.retain(|&end| text.is_char_boundary(end));
            let marks: Vec<Range<usize>> =
                ends.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect();
            let letters = |text: &str| text.split_whitespace().collect::<String>();
            let all: String = blocks(&text, &code, &marks)
                .iter()
                .flat_map(|block| &block.pieces)
                .map(|piece| piece.text.as_str())
                .collect();
            prop_assert_eq!(letters(&all), letters(&text));
        }
    }
}

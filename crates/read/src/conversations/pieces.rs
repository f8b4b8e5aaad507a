//! The cutting of the blocks of a long turn into pieces that overlap.

use std::ops::Range;

use findling_page::page::Block;

/// Tokens at which a piece is full.
pub(super) const TARGET: usize = 300;

/// Largest number of tokens that stay in one piece.
pub(super) const MAX: usize = 400;

/// Tokens that a piece repeats from the previous piece.
const OVERLAP: usize = 50;

/// Longest part of a line without an end of a sentence, in bytes.
const MAX_ATOM_BYTES: usize = 4 * 120;

/// Estimates the number of tokens of a text: a token is about four letters, or one character of a
/// script that has no spaces.
pub(super) fn tokens(text: &str) -> usize {
    let quarters = text.chars().map(|c| match c {
        ' '..='~' => 1,
        '\u{2e80}'.. => 4,
        _ => 2,
    });
    quarters.sum::<usize>().div_ceil(4)
}

/// A sentence or a line of a block.
struct Atom {
    block: usize,
    span: Range<usize>,
    tokens: usize,
}

/// Cuts blocks into pieces of at most [`MAX`] tokens, at ends of sentences and of lines of code.
/// Blocks that fit are one piece.
pub(super) fn cut(blocks: Vec<Block>) -> Vec<Vec<Block>> {
    if blocks.iter().map(|block| tokens(&block.text)).sum::<usize>() <= MAX {
        return vec![blocks];
    }
    let atoms: Vec<Atom> = blocks
        .iter()
        .enumerate()
        .flat_map(|(at, block)| {
            spans(block).into_iter().map(move |span| Atom {
                block: at,
                tokens: tokens(&block.text[span.clone()]),
                span,
            })
        })
        .collect();
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < atoms.len() {
        let mut end = start;
        let mut size = 0;
        while end < atoms.len() && (end == start || size + atoms[end].tokens <= TARGET) {
            size += atoms[end].tokens;
            end += 1;
        }
        // The remaining text would be too short for a separate piece.
        let rest: usize = atoms[end..].iter().map(|atom| atom.tokens).sum();
        if size + rest <= MAX {
            end = atoms.len();
        }
        pieces.push(join(&atoms[start..end], &blocks));
        if end == atoms.len() {
            break;
        }
        start = overlap(&atoms, start, end);
    }
    pieces
}

/// Returns the beginning of the next piece. It begins before `end`, so that it repeats at most
/// [`OVERLAP`] tokens.
fn overlap(atoms: &[Atom], start: usize, end: usize) -> usize {
    let mut next = end;
    let mut repeated = 0;
    while next > start + 1 && repeated + atoms[next - 1].tokens <= OVERLAP {
        next -= 1;
        repeated += atoms[next].tokens;
    }
    next
}

/// Returns the sentences of prose, and the lines of code.
fn spans(block: &Block) -> Vec<Range<usize>> {
    let text = block.text.as_str();
    let mut spans = Vec::new();
    let mut start = 0;
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        let is_end = match block.is_code_block {
            true => previous == '\n',
            false => {
                c == ' ' && matches!(previous, '.' | '!' | '?' | ':' | ';')
                    || matches!(previous, '。' | '！' | '？')
            }
        };
        let is_long =
            at - start >= MAX_ATOM_BYTES && (c == ' ' || at - start >= 2 * MAX_ATOM_BYTES);
        if (is_end || is_long) && at > start {
            spans.push(start..at);
            start = at;
        }
        previous = c;
    }
    if start < text.len() {
        spans.push(start..text.len());
    }
    spans
}

/// Joins atoms into blocks.
fn join(atoms: &[Atom], blocks: &[Block]) -> Vec<Block> {
    let mut joined = Vec::new();
    let mut at = 0;
    while at < atoms.len() {
        let block = atoms[at].block;
        let start = atoms[at].span.start;
        while at + 1 < atoms.len() && atoms[at + 1].block == block {
            at += 1;
        }
        joined.extend(slice(&blocks[block], start..atoms[at].span.end));
        at += 1;
    }
    joined
}

/// Returns a part of a block, without white space around it.
fn slice(block: &Block, span: Range<usize>) -> Option<Block> {
    let text = &block.text[span.clone()];
    let is_edge = |c: char| if block.is_code_block { c == '\n' } else { c.is_whitespace() };
    let start = span.start + text.len() - text.trim_start_matches(is_edge).len();
    let text = text.trim_matches(is_edge);
    let shift = |at: u32| (at as usize).clamp(start, start + text.len()) - start;
    let code = block.code.iter().map(|&(from, to)| (shift(from) as u32, shift(to) as u32));
    (!text.is_empty()).then(|| Block {
        text: text.to_owned(),
        code: code.filter(|(from, to)| from < to).collect(),
        ..block.clone()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn block(text: &str, is_code_block: bool) -> Block {
        let code = if is_code_block { vec![(0, text.len() as u32)] } else { Vec::new() };
        Block { text: text.to_owned(), code, is_code_block, weight: 1.0 }
    }

    fn size(piece: &[Block]) -> usize {
        piece.iter().map(|block| tokens(&block.text)).sum()
    }

    #[test]
    fn a_long_turn_is_cut_at_sentences_and_pieces_overlap() {
        let text: Vec<String> =
            (0..100).map(|at| format!("This is the sentence with number {at}.")).collect();
        let pieces = cut(vec![block(&text.join(" "), false)]);
        assert!(pieces.len() > 2);
        for (piece, next) in pieces.iter().zip(&pieces[1..]) {
            assert!((200..=MAX).contains(&size(piece)), "{}", size(piece));
            let last = piece[0].text.rsplit("This").next().unwrap();
            assert!(next[0].text.contains(last), "{last} is not repeated");
        }
    }

    #[test]
    fn code_is_cut_at_lines_and_stays_code() {
        let text: Vec<String> = (0..200).map(|at| format!("    let x{at} = {at};")).collect();
        let pieces = cut(vec![block("Before.", false), block(&text.join("\n"), true)]);
        for piece in &pieces {
            let code = piece.last().unwrap();
            assert!(code.is_code_block && code.code == [(0, code.text.len() as u32)]);
            assert!(code.text.starts_with("    let x") && code.text.ends_with(';'));
        }
    }

    #[test]
    fn ranges_of_code_move_with_their_text() {
        let words = "word ".repeat(400);
        let text = format!("{words}. Call open now.");
        let from = text.find("open").unwrap() as u32;
        let long = Block { code: vec![(from, from + 4)], ..block(&text, false) };
        let pieces = cut(vec![long]);
        let last = &pieces.last().unwrap()[0];
        let (from, to) = last.code[0];
        assert_eq!(&last.text[from as usize..to as usize], "open");
    }

    proptest! {
        #[test]
        fn pieces_have_all_text_in_order_and_none_is_too_long(
            texts in proptest::collection::vec(("[a-zé。. \n]{0,3000}", any::<bool>()), 0..4),
        ) {
            let blocks: Vec<Block> =
                texts.iter().map(|(text, code)| block(text.trim(), *code)).collect();
            let letters = |text: &str| -> Vec<char> {
                text.chars().filter(|c| !c.is_whitespace()).collect()
            };
            let whole: Vec<char> = blocks.iter().flat_map(|block| letters(&block.text)).collect();
            let mut covered = 0;
            for piece in cut(blocks) {
                prop_assert!(size(&piece) <= MAX + MAX_ATOM_BYTES * 2);
                let text: Vec<char> =
                    piece.iter().flat_map(|block| letters(&block.text)).collect();
                // A piece begins at the end of the previous piece, or a little before.
                let from = (covered.min(whole.len()) + 1)
                    .saturating_sub(4 * OVERLAP + 4)
                    .min(covered);
                let start = (from..=covered).rev().find(|&at| whole[at..].starts_with(&text));
                prop_assert!(start.is_some() || text.is_empty());
                covered = start.map_or(covered, |at| at + text.len());
            }
            prop_assert_eq!(covered, whole.len());
        }
    }
}

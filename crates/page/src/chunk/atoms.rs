//! Atoms: sentences and code, the pieces of a section's text that packing does not divide.

use std::ops::Range;

use crate::page::Block;

/// A piece of a section's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Atom {
    /// Bytes of the section's text. Never empty.
    pub span: Range<usize>,
    /// Whether the atom is the last of its block, where a cut is better than between two sentences.
    pub ends_block: bool,
    /// Whether the atom is code, which is cut at lines and not at words.
    pub is_code: bool,
}

/// Adds the atoms of a block that begins at `offset` of its section's text.
pub(super) fn of_block(block: &Block, offset: usize, atoms: &mut Vec<Atom>) {
    if block.text.is_empty() {
        return;
    }
    if block.is_code_block {
        atoms.push(Atom {
            span: offset..offset + block.text.len(),
            ends_block: true,
            is_code: true,
        });
        return;
    }
    let mut start = 0;
    for end in sentence_ends(&block.text, &block.code) {
        atoms.push(Atom { span: offset + start..offset + end, ends_block: false, is_code: false });
        // White space between two sentences belongs to neither.
        start = end + (block.text[end..].len() - block.text[end..].trim_start().len());
    }
    if start < block.text.len() {
        atoms.push(Atom {
            span: offset + start..offset + block.text.len(),
            ends_block: true,
            is_code: false,
        });
    } else if let Some(last) = atoms.last_mut() {
        last.ends_block = true;
    }
}

/// Returns the ends of sentences. The end of the text counts only with a punctuation mark. There
/// are no ends inside code and before lower-case letters.
fn sentence_ends(text: &str, code: &[(u32, u32)]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut code = code.iter().peekable();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let full_width = matches!(c, '。' | '！' | '？' | '｡');
        if !full_width && !matches!(c, '.' | '!' | '?' | '…') {
            continue;
        }
        while code.next_if(|range| (range.1 as usize) <= at).is_some() {}
        if code.peek().is_some_and(|range| (range.0 as usize) <= at) {
            continue;
        }
        while chars
            .next_if(|(_, c)| {
                matches!(
                    c,
                    '.' | '!'
                        | '?'
                        | '…'
                        | '"'
                        | '\''
                        | ')'
                        | ']'
                        | '”'
                        | '’'
                        | '»'
                        | '」'
                        | '』'
                        | '）'
                )
            })
            .is_some()
        {}
        let end = chars.peek().map_or(text.len(), |(next, _)| *next);
        let rest = &text[end..];
        let follows = rest.trim_start().chars().next();
        let ends_here = match follows {
            None => true,
            Some(_) if full_width => true,
            Some(next) => rest.starts_with(char::is_whitespace) && !next.is_lowercase(),
        };
        if ends_here {
            ends.push(end);
        }
    }
    ends
}

/// Divides an atom that is too large for its passage or unit into parts of at most `limit` by
/// `size`: code at lines, text at words.
pub(super) fn split(
    text: &str,
    atom: &Atom,
    limit: usize,
    size: &dyn Fn(&str) -> usize,
    out: &mut Vec<(Atom, usize)>,
) {
    let whole = &text[atom.span.clone()];
    let mut start = atom.span.start;
    let mut end = start;
    let mut total = 0;
    let mut close = |start: usize, end: usize, size: usize| {
        if start < end {
            out.push((Atom { span: start..end, ends_block: false, is_code: atom.is_code }, size));
        }
    };
    for piece in pieces(whole, atom.is_code) {
        let piece = atom.span.start + piece.start..atom.span.start + piece.end;
        let piece_size = size(&text[piece.clone()]);
        if atom.is_code && piece_size > limit {
            // A single line can be longer than the limit.
            close(start, end, total);
            let line = Atom { span: piece.clone(), ends_block: false, is_code: false };
            split_words(text, &line, limit, size, &mut close);
            (start, end, total) = (piece.end, piece.end, 0);
            continue;
        }
        if total > 0 && total + piece_size > limit {
            close(start, end, total);
            (start, total) = (piece.start, 0);
        }
        if total == 0 {
            start = piece.start;
        }
        end = piece.end;
        total += piece_size;
    }
    close(start, end, total);
    if let Some((last, _)) = out.last_mut() {
        last.ends_block = atom.ends_block;
    }
}

fn split_words(
    text: &str,
    atom: &Atom,
    limit: usize,
    size: &dyn Fn(&str) -> usize,
    close: &mut impl FnMut(usize, usize, usize),
) {
    let base = atom.span.start;
    let (mut start, mut end, mut total) = (base, base, 0);
    for piece in pieces(&text[atom.span.clone()], false) {
        let piece_size = size(&text[base + piece.start..base + piece.end]);
        if total > 0 && total + piece_size > limit {
            close(start, end, total);
            total = 0;
        }
        if total == 0 {
            start = base + piece.start;
        }
        end = base + piece.end;
        total += piece_size;
    }
    close(start, end, total);
}

/// Longest piece of text without white space that is not divided, in characters. Scripts without
/// spaces have only such pieces.
const MAX_WORD_CHARS: usize = 24;

/// Returns the lines that are not blank, or the words; very long words are divided.
pub(super) fn pieces(text: &str, lines: bool) -> impl Iterator<Item = Range<usize>> + '_ {
    let base = text.as_ptr() as usize;
    let parts: Box<dyn Iterator<Item = &str>> = if lines {
        Box::new(text.split('\n').filter(|line| !line.trim().is_empty()))
    } else {
        Box::new(text.split_whitespace().flat_map(word_parts))
    };
    parts.map(move |part| {
        let start = part.as_ptr() as usize - base;
        start..start + part.len()
    })
}

fn word_parts(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.char_indices().nth(MAX_WORD_CHARS).map_or(rest.len(), |(at, _)| at);
        let (part, after) = rest.split_at(end);
        rest = after;
        Some(part)
    })
}

/// Returns the number of words of a text. In scripts without spaces, two characters count as a
/// word.
pub(super) fn words(text: &str) -> usize {
    if text.is_ascii() {
        let is_space = |byte: u8| matches!(byte, b'\t'..=b'\r' | b' ');
        let bytes = text.as_bytes();
        let begins = |pair: &&[u8]| is_space(pair[0]) && !is_space(pair[1]);
        let first = bytes.first().is_some_and(|&byte| !is_space(byte));
        return usize::from(first) + bytes.windows(2).filter(begins).count();
    }
    let mut words = 0;
    let mut unspaced = 0;
    let mut in_word = false;
    for c in text.chars() {
        if c.is_whitespace() {
            in_word = false;
        } else if is_unspaced(c) {
            unspaced += 1;
            in_word = false;
        } else if !in_word {
            words += 1;
            in_word = true;
        }
    }
    words + usize::div_ceil(unspaced, 2)
}

/// Returns whether a character is of a script without spaces: Chinese, Japanese, Thai, Lao, Khmer,
/// Burmese.
fn is_unspaced(c: char) -> bool {
    matches!(
        c,
        '\u{e00}'..='\u{eff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(text: &str, code: &[(u32, u32)]) -> Vec<String> {
        let block =
            Block { text: text.into(), code: code.into(), is_code_block: false, weight: 1.0 };
        let mut atoms = Vec::new();
        of_block(&block, 0, &mut atoms);
        assert!(atoms.last().is_none_or(|atom| atom.ends_block));
        atoms.into_iter().map(|atom| text[atom.span].to_owned()).collect()
    }

    #[test]
    fn sentences_end_where_readers_see_them_end() {
        assert_eq!(
            sentences("One. Two! \"Three?\" Four", &[]),
            ["One.", "Two!", "\"Three?\"", "Four"]
        );
        assert_eq!(
            sentences("Use e.g. this, or v1.2 of it.", &[]),
            ["Use e.g. this, or v1.2 of it."]
        );
        assert_eq!(sentences("一つ。二つ！三つ", &[]), ["一つ。", "二つ！", "三つ"]);
        assert_eq!(sentences("Call a. B() now. Then", &[(5, 11)]), ["Call a. B() now.", "Then"]);
    }

    #[test]
    fn words_of_scripts_with_and_without_spaces() {
        assert_eq!(words("three little words"), 3);
        assert_eq!(words("日本語です"), 3);
        assert_eq!(words("Astroを使う"), 3);
        for text in ["", " ", "a", " a", "a ", "a\tb\u{b}c\r\n d", "a\u{1c}b", "\0 \u{7f}"] {
            assert_eq!(words(text), text.split_whitespace().count(), "{text:?}");
            assert_eq!(words(&format!("{text} é")), words(text) + 1, "{text:?}");
        }
    }

    #[test]
    fn code_is_cut_at_lines_and_text_at_words() {
        let text = "aa bb\ncc dd\nee ff gg hh";
        let atom = Atom { span: 0..text.len(), ends_block: true, is_code: true };
        let mut parts = Vec::new();
        split(text, &atom, 3, &words, &mut parts);
        let parts: Vec<_> = parts.iter().map(|(atom, _)| &text[atom.span.clone()]).collect();
        assert_eq!(parts, ["aa bb", "cc dd", "ee ff gg", "hh"]);
    }
}

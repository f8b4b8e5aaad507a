//! Divides very long sections into parts.
//!
//! A source file, a log or a book without headings is one section of megabytes, and a reader would
//! fetch all of it to see one line. It becomes several sections with the same heading. Hashes of
//! the text decide where parts end, so that an edit moves few of the ends and no passages of other
//! parts.

use std::borrow::Cow;
use std::ops::Range;

use super::atoms;
use crate::page::{Block, Section};
use crate::shard_cutter::ShardCutter;

/// A section, or the next part of one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part<'a> {
    pub section: Cow<'a, Section>,
    /// Whether the part before it belongs to the same section.
    pub continues: bool,
}

/// Divides a section of more than `longest` bytes into parts of about `target` bytes, at ends of
/// blocks, sentences and lines of code. Longer text without such ends is cut between words.
pub(super) fn divide(section: &Section, longest: usize, target: usize) -> Vec<Part<'_>> {
    let len: usize = section.blocks.iter().map(|block| block.text.len()).sum();
    if len <= longest {
        return vec![Part { section: Cow::Borrowed(section), continues: false }];
    }
    let mut cutter = ShardCutter::new(target);
    let mut parts: Vec<Vec<Block>> = vec![Vec::new()];
    for block in &section.blocks {
        let mut start = 0;
        let pieces = pieces(block, target);
        for (at, piece) in pieces.iter().enumerate() {
            // Text between two pieces belongs to the first.
            let end = pieces.get(at + 1).map_or(block.text.len(), |next| next.start);
            if cutter.cut_before(&block.text[piece.clone()], end - piece.start) {
                push(&mut parts, block, start..piece.start);
                start = piece.start;
                parts.push(Vec::new());
            }
        }
        push(&mut parts, block, start..block.text.len());
    }
    let named = |blocks| Section {
        level: section.level,
        heading: section.heading.clone(),
        anchor: section.anchor.clone(),
        language: section.language.clone(),
        attributes: section.attributes.clone(),
        blocks,
    };
    parts.retain(|blocks| !blocks.is_empty());
    if parts.is_empty() {
        // A section of white space still has its heading.
        parts.push(Vec::new());
    }
    let parts = parts.into_iter().map(named).enumerate();
    parts
        .map(|(place, section)| Part { section: Cow::Owned(section), continues: place > 0 })
        .collect()
}

/// Returns the pieces that stay together: a whole block, or the sentences or lines of a long block.
fn pieces(block: &Block, target: usize) -> Vec<Range<usize>> {
    let whole = 0..block.text.len();
    if whole.len() * 4 <= target {
        return vec![whole];
    }
    let mut atoms = Vec::new();
    atoms::of_block(block, 0, &mut atoms);
    let lines = |atom: &atoms::Atom| match atom.is_code {
        true => atoms::pieces(&block.text, true).collect(),
        false => vec![atom.span.clone()],
    };
    let words = |piece: Range<usize>| match piece.len() * 2 > target {
        true => {
            let words = atoms::pieces(&block.text[piece.clone()], false);
            words.map(|word| piece.start + word.start..piece.start + word.end).collect()
        }
        false => vec![piece],
    };
    atoms.iter().flat_map(lines).flat_map(words).collect()
}

/// Adds a range of a block to the last part.
fn push(parts: &mut [Vec<Block>], block: &Block, range: Range<usize>) {
    let end = range.start + block.text[range.clone()].trim_end().len();
    let within = |at: u32| (at as usize).clamp(range.start, end) - range.start;
    let code = block.code.iter().map(|&(start, end)| (within(start) as u32, within(end) as u32));
    let part = Block {
        text: block.text[range.start..end].to_owned(),
        code: code.filter(|(start, end)| start < end).collect(),
        is_code_block: block.is_code_block,
        weight: block.weight,
    };
    if let Some(last) = parts.last_mut().filter(|_| !part.text.is_empty()) {
        last.push(part);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn section(texts: &[(String, bool)]) -> Section {
        let block = |(text, is_code): &(String, bool)| Block {
            text: text.clone(),
            code: if *is_code { vec![(0, text.len() as u32)] } else { vec![] },
            is_code_block: *is_code,
            weight: 1.0,
        };
        let blocks = texts.iter().map(block).collect();
        Section {
            level: 2,
            heading: "Long".into(),
            anchor: Some("long".into()),
            blocks,
            ..Section::default()
        }
    }

    fn words<'a>(sections: impl IntoIterator<Item = &'a Section>) -> Vec<String> {
        let blocks = sections.into_iter().flat_map(|section| &section.blocks);
        blocks.flat_map(|block| block.text.split_whitespace().map(str::to_owned)).collect()
    }

    fn lines(n: usize) -> Vec<String> {
        (0..n).map(|i| format!("    let value_{i} = compute({});", i * 7919 % 10_007)).collect()
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_no_part_is_long(
            texts in prop::collection::vec(
                ("([a-zäß]{1,9}[ .\\n]{1,2}){0,200}", any::<bool>()),
                1..20,
            ),
            target in 50usize..3000,
        ) {
            let texts: Vec<_> = texts
                .into_iter()
                .map(|(text, code)| (text.trim().to_owned(), code))
                .collect();
            let whole = section(&texts);
            let parts = divide(&whole, 2 * target, target);
            // A word of more than 24 characters may be cut.
            let found = words(parts.iter().map(|part| &*part.section)).concat();
            prop_assert_eq!(found, words([&whole]).concat());
            for (place, part) in parts.iter().enumerate() {
                prop_assert_eq!(part.continues, place > 0);
                prop_assert_eq!(&part.section.heading, "Long");
                let len: usize = part.section.blocks.iter().map(|block| block.text.len()).sum();
                prop_assert!(len <= 2 * target + part.section.blocks.len(), "{} bytes", len);
                for block in &part.section.blocks {
                    prop_assert!(parts.len() == 1 || !block.text.is_empty());
                    let all = vec![(0, block.text.len() as u32)];
                    prop_assert_eq!(&block.code, &if block.is_code_block { all } else { vec![] });
                }
            }
        }
    }

    #[test]
    fn a_section_of_usual_length_is_whole() {
        let usual = section(&[("word ".repeat(1000), false), ("x".repeat(3000), true)]);
        assert_eq!(
            divide(&usual, 8000, 4000),
            [Part { section: Cow::Borrowed(&usual), continues: false }]
        );
    }

    #[test]
    fn code_is_cut_between_lines_and_a_line_put_in_moves_few_ends() {
        let parts = |lines: &[String]| -> Vec<String> {
            let whole = section(&[(lines.join("\n"), true)]);
            let parts = divide(&whole, 4000, 2000).into_iter();
            parts.map(|part| part.section.blocks[0].text.clone()).collect()
        };
        let mut lines = lines(3000);
        let before = parts(&lines);
        assert!(before.len() > 30, "{}", before.len());
        assert!(
            before.iter().all(|part| part.trim_start().starts_with("let") && part.ends_with(';'))
        );
        lines.insert(1000, "    // Put in.".into());
        let changed = parts(&lines).iter().filter(|part| !before.contains(part)).count();
        assert!(changed <= 4, "{changed}");
    }

    #[test]
    fn a_heading_stays_above_blank_text() {
        let blank = section(&[("\n".repeat(5000), true)]);
        let parts = divide(&blank, 2000, 1000).into_iter();
        let parts: Vec<_> =
            parts.map(|part| (part.section.heading.clone(), part.section.blocks.len())).collect();
        assert_eq!(parts, [("Long".to_owned(), 0)]);
    }

    #[test]
    fn text_without_lines_and_sentences_is_cut_between_words() {
        let whole = section(&[("word ".repeat(2000), false)]);
        let parts = divide(&whole, 2000, 1000);
        assert!(parts.len() >= 5, "{}", parts.len());
        assert_eq!(words(parts.iter().map(|part| &*part.section)).len(), 2000);
    }
}

//! The sections of code, and the blocks in them.

use std::collections::BTreeMap;
use std::ops::Range;

use findling_bundle::AttributeValue;

use super::lines::Lines;
use findling_page::page::{Block, Section};

/// Returns a section of lines. The lines before the first symbol have no heading.
pub(super) fn with_heading(heading: String, lines: &Range<usize>, blocks: Vec<Block>) -> Section {
    let level = u8::from(!heading.is_empty());
    let (first, last) = (lines.start + 1, lines.end);
    // The form in which code hosts write lines.
    let anchor = match lines.len() {
        0 | 1 => format!("L{first}"),
        _ => format!("L{first}-L{last}"),
    };
    let number = |name: &str, line: usize| (name.to_owned(), AttributeValue::Number(line as f64));
    let attributes = BTreeMap::from([number("line", first), number("end_line", last)]);
    Section { level, heading, anchor: Some(anchor), attributes, blocks, ..Section::default() }
}

/// Returns lines as a block of code, as the file has them; `None` if they are blank.
pub(super) fn code(lines: &Lines<'_>, range: Range<usize>) -> Option<Block> {
    let text = lines.text(range);
    let code = vec![(0, text.len() as u32)];
    (!text.trim().is_empty()).then_some(Block { text, code, is_code_block: true, weight: 1.0 })
}

//! What the sections of code are made of.

use std::ops::Range;

use super::lines::Lines;
use crate::page::{Block, Section};
use crate::sources::outline::clean_code;

/// A section. What stands before the first symbol has no heading.
pub(super) fn with_heading(heading: String, anchor: String, blocks: Vec<Block>) -> Section {
    let level = u8::from(!heading.is_empty());
    Section { level, heading, anchor: Some(anchor), blocks, ..Section::default() }
}

/// `L10-L24`, as code hosts write lines.
pub(super) fn anchor(lines: &Range<usize>) -> String {
    match lines.len() {
        0 | 1 => format!("L{}", lines.start + 1),
        _ => format!("L{}-L{}", lines.start + 1, lines.end),
    }
}

/// Lines as a block of code; `None` where they are blank.
pub(super) fn code(lines: &Lines<'_>, range: Range<usize>) -> Option<Block> {
    let text = clean_code(&lines.text(range));
    let code = vec![(0, text.len() as u32)];
    (!text.is_empty()).then_some(Block { text, code, is_code_block: true, weight: 1.0 })
}

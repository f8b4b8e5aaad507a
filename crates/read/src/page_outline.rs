//! Pages as text, for tests of markup.

use super::RawPage;
use findling_page::page::{Block, Section};

/// Returns a line for each section: its level, its heading with its anchor, and its blocks, code in
/// `<>`.
pub(super) fn outline(raw: &RawPage) -> String {
    let section = |section: &Section| {
        let anchor = section.anchor.as_ref().map_or(String::new(), |anchor| format!(" #{anchor}"));
        let block = |block: &Block| match block.is_code_block {
            true => format!("<{}>", block.text),
            false => block.text.clone(),
        };
        let blocks: Vec<_> = section.blocks.iter().map(block).collect();
        format!("{} {}{anchor}: {}", section.level, section.heading, blocks.join(" / "))
    };
    raw.page.sections.iter().map(section).collect::<Vec<_>>().join("\n")
}

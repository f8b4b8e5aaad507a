//! What every source turns its input into: pages of sections of blocks.

use std::collections::BTreeMap;

use findling_bundle::AttributeValue;

/// A page, a record: one result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The document's id: a record's `_id`, or the page's path relative to the input directory,
    /// with `/`.
    pub id: String,
    /// Where it is, relative to the site's root or absolute.
    pub url: String,
    /// Plain text.
    pub title: String,
    /// Other names that it is asked for by.
    pub aliases: Vec<String>,
    /// Queries that it is to be the first answer to.
    pub pins: Vec<String>,
    /// BCP 47; empty where the page does not say.
    pub language: String,
    /// What can be filtered, faceted and sorted by.
    pub attributes: BTreeMap<String, AttributeValue>,
    /// Names in `attributes` that are for sorting alone.
    pub sort_only: Vec<String>,
    /// Whether nobody marked its attributes as filters: they are what else front matter says.
    pub unmarked: bool,
    /// What to show with it, in the order given.
    pub meta: Vec<(String, String)>,
    /// In reading order; the first may be headless (what stands before the first heading).
    pub sections: Vec<Section>,
}

/// A heading and what follows it up to the next one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// 1 to 6; 0 for what stands before the first heading.
    pub level: u8,
    /// Plain text; empty at level 0.
    pub heading: String,
    /// Fragment without `#`.
    pub anchor: Option<String>,
    /// Paragraphs, list items, table rows, code blocks.
    pub blocks: Vec<Block>,
}

/// A paragraph or a code block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Plain text; white space folded in prose, kept in code blocks.
    pub text: String,
    /// Byte ranges of inline code in `text`, sorted, disjoint; the whole range in a code block.
    pub code: Vec<(u32, u32)>,
    /// Whether it is a code block, kept whole while it fits.
    pub is_code_block: bool,
    /// How much its words count, 1 unless `data-findling-weight` says otherwise; 0 to 10.
    pub weight: f32,
}

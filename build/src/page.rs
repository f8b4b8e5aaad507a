//! The pages that sources make: sections of blocks.

use std::collections::BTreeMap;

use bincode::{Decode, Encode};
use findling_bundle::AttributeValue;

/// A page or a record, which is one result of a search.
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
pub struct Page {
    /// The document's id: a record's `_id`, or the page's path relative to the input directory,
    /// with `/`.
    pub id: String,
    /// Its address, absolute or relative to the site's root.
    pub url: String,
    /// Plain text.
    pub title: String,
    /// Other names for it that people search for.
    pub aliases: Vec<String>,
    /// Queries for which it is the first result.
    pub pins: Vec<String>,
    /// BCP 47; empty if the page declares none.
    pub language: String,
    /// Attributes for filters, facets and sorting.
    pub attributes: BTreeMap<String, AttributeValue>,
    /// Names in `attributes` that are only for sorting.
    pub sort_only: Vec<String>,
    /// Whether its attributes come from other fields of front matter, which nobody marked as
    /// filters.
    pub unmarked: bool,
    /// Further data to show with it, in the given order.
    pub meta: Vec<(String, String)>,
    /// In reading order. The first may have no heading (text before the first heading).
    pub sections: Vec<Section>,
}

/// A heading and the text up to the next heading.
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
pub struct Section {
    /// 1 to 6; 0 for text before the first heading.
    pub level: u8,
    /// Plain text; empty at level 0.
    pub heading: String,
    /// Fragment without `#`.
    pub anchor: Option<String>,
    /// BCP 47 tag of an element around the heading; empty where the section is in its page's
    /// language.
    pub language: String,
    /// Its own attributes: of this section alone, not of its page.
    pub attributes: BTreeMap<String, AttributeValue>,
    /// Paragraphs, list items, table rows, code blocks.
    pub blocks: Vec<Block>,
}

/// A paragraph or a code block.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Block {
    /// Plain text; white space folded in prose, kept in code blocks.
    pub text: String,
    /// Byte ranges of inline code in `text`, sorted, disjoint; the whole range in a code block.
    pub code: Vec<(u32, u32)>,
    /// Whether it is a code block, kept whole while it fits.
    pub is_code_block: bool,
    /// Weight of its words, 0 to 10; 1 unless `data-findling-weight` is given.
    pub weight: f32,
}

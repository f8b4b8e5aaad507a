//! Rows of tables that define something: functions with their effects, fields with their contents.
//!
//! A row is an entry, like a term of a definition list, if a link can lead to it, if it begins with
//! a name in code, and if it goes on to describe this name. Tables that compare, list or lay out
//! have no anchors in their rows and stay text.

use ego_tree::NodeRef;
use ego_tree::iter::Edge;
use scraper::{ElementRef, Node};

use super::super::outline::{fold, shorten};
use super::annotations::text_of;
use super::attrs::Attrs;
use super::definitions::signature_name;
use super::ids::Ids;
use super::rules;

/// The longest name, in bytes. Longer texts do not count as names.
const MAX_NAME_BYTES: usize = 80;

/// Maximum number of names that are taken from one row.
const MAX_NAMES: usize = 8;

/// The entry that a row defines.
pub(super) struct RowEntry {
    /// The name. If a row has several names, each is listed once, in order, separated by commas.
    pub name: String,
    /// The anchor to which links lead. A row without an anchor continues the entry before it, if
    /// that entry has the same name.
    pub anchor: Option<String>,
}

/// Returns the entry that `row` defines, if it defines one.
pub(super) fn row_entry(row: NodeRef<Node>, ids: &Ids) -> Option<RowEntry> {
    let cells = || row.children().filter(|node| is_cell(node));
    let first = cells().next()?;
    if row.parent().is_some_and(|above| super::is_named(above.value(), "thead")) {
        return None;
    }
    let signature = first.descendants().find(|node| super::is_named(node.value(), "dt"));
    let (names, mut described) = match signature.and_then(signature_name) {
        Some(name) => (vec![name], false),
        None => names(first),
    };
    if names.is_empty() {
        return None;
    }
    described |= cells().skip(1).filter_map(ElementRef::wrap).any(|cell| !text_of(cell).is_empty());
    let mut name = names.join(", ");
    shorten(&mut name, 2 * MAX_NAME_BYTES);
    described.then(|| RowEntry { name, anchor: anchor(row, first, ids) })
}

fn is_cell(node: &NodeRef<Node>) -> bool {
    super::is_named(node.value(), "td") || super::is_named(node.value(), "th")
}

/// Returns the id of the row, or of its first cell, or else the first id inside that cell. A link
/// that leads elsewhere, such as the mark of a note, does not count.
fn anchor(row: NodeRef<Node>, first: NodeRef<Node>, ids: &Ids) -> Option<String> {
    std::iter::once(row).chain(first.descendants()).find_map(|node| {
        let element = node.value().as_element()?;
        let attrs = Attrs::of(element);
        let leads_away = element.name() == "a" && attrs.href.is_some();
        ids.anchor(node, &attrs).filter(|_| !leads_away)
    })
}

/// Returns the names at the beginnings of a cell's blocks, up to the first block that does not
/// begin with a name, and whether there is such a block.
fn names(cell: NodeRef<Node>) -> (Vec<String>, bool) {
    let mut names: Vec<String> = Vec::new();
    let mut block = Block::default();
    let mut code_depth = 0u32;
    for edge in cell.traverse() {
        let (node, opens) = match edge {
            Edge::Open(node) => (node, true),
            Edge::Close(node) => (node, false),
        };
        match node.value() {
            Node::Text(text) if opens => {
                let machinery = node.parent().and_then(|above| above.value().as_element());
                if !machinery.is_some_and(|above| rules::is_machinery(above.name())) {
                    block.push(text, code_depth > 0);
                }
            }
            Node::Element(element) if rules::is_code(element.name()) => {
                code_depth = if opens { code_depth + 1 } else { code_depth.saturating_sub(1) };
                block.code_ended |= !opens && code_depth == 0 && !block.code.trim().is_empty();
            }
            Node::Element(element) if rules::is_block(element.name()) || element.name() == "br" => {
                match std::mem::take(&mut block).name() {
                    Begins::Nothing => {}
                    Begins::Name(name) if names.len() < MAX_NAMES => {
                        if !names.contains(&name) {
                            names.push(name);
                        }
                    }
                    Begins::Name(_) => {}
                    Begins::Other => return (names, true),
                }
            }
            _ => {}
        }
    }
    match block.name() {
        Begins::Name(name) => names.push(name),
        Begins::Other => return (names, true),
        Begins::Nothing => {}
    }
    names.dedup();
    (names, false)
}

/// A block of text by its beginning: a stretch of code, and what follows it.
#[derive(Default)]
struct Block {
    code: String,
    code_ended: bool,
    rest: String,
}

enum Begins {
    Nothing,
    Name(String),
    Other,
}

impl Block {
    fn push(&mut self, text: &str, is_code: bool) {
        let begins = self.rest.trim().is_empty() && !self.code_ended;
        if is_code && begins { &mut self.code } else { &mut self.rest }.push_str(text);
    }

    /// Returns how the block begins: with a name if the code is a name that is alone, or is
    /// followed by arguments, a result or punctuation.
    fn name(self) -> Begins {
        let (code, rest) = (fold(&self.code), fold(&self.rest));
        if code.is_empty() {
            return if rest.is_empty() { Begins::Nothing } else { Begins::Other };
        }
        let named = code.split('(').next().unwrap_or_default().trim_end();
        let is_name = named.len() <= MAX_NAME_BYTES
            && !named.contains(char::is_whitespace)
            && named.contains(char::is_alphabetic)
            && (rules::is_permalink_mark(&rest)
                || rest.starts_with(['(', '[', '→', ':', ',', '—', '–']));
        if is_name { Begins::Name(named.to_owned()) } else { Begins::Other }
    }
}

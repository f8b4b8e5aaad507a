//! The amount of text in an element, by kinds of text.

use ego_tree::NodeRef;
use ego_tree::iter::Edge;
use scraper::Node;

use super::rules;

/// Words of running text and words of controls below an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    /// Words outside of links and controls.
    pub prose: usize,
    /// Words of links.
    pub links: usize,
    /// Words of buttons, labels and choices.
    pub controls: usize,
    /// Inputs that a reader sees.
    pub inputs: usize,
    /// Headings, paragraphs, code blocks.
    pub blocks: usize,
}

impl Words {
    /// Counts the words below `root`, but stops at `limit` words of prose.
    pub fn of(root: NodeRef<Node>, limit: usize) -> Self {
        let mut words = Self::default();
        let (mut skipped, mut links, mut controls) = (0usize, 0usize, 0usize);
        for edge in root.traverse() {
            let (node, opens) = match edge {
                Edge::Open(node) => (node, true),
                Edge::Close(node) => (node, false),
            };
            let step = |depth: &mut usize| {
                *depth = if opens { *depth + 1 } else { depth.saturating_sub(1) };
            };
            match node.value() {
                Node::Element(element) if node.id() != root.id() => match element.name() {
                    name if rules::is_not_text(name) && !rules::is_shadow_root(element) => {
                        step(&mut skipped);
                    }
                    "a" => step(&mut links),
                    "button" | "label" | "select" | "option" => step(&mut controls),
                    "p" | "pre" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if opens => {
                        words.blocks += 1;
                    }
                    _ => {}
                },
                Node::Text(text) if opens && skipped == 0 => {
                    let count = count(text);
                    if controls > 0 {
                        words.controls += count;
                    } else if links > 0 {
                        words.links += count;
                    } else {
                        words.prose += count;
                    }
                }
                _ => {}
            }
            if let Node::Element(element) = node.value()
                && opens
            {
                let visible = element.attr("type").is_none_or(|kind| kind != "hidden");
                let is_input = matches!(element.name(), "input" | "select" | "textarea");
                words.inputs += usize::from(is_input && visible);
            }
            if words.prose >= limit {
                break;
            }
        }
        words
    }

    /// Returns whether the element reads as text rather than as a list of links or controls.
    pub fn is_prose(&self) -> bool {
        self.prose > 0 && self.prose * 2 >= self.links + self.controls
    }
}

/// Returns the number of words in a text. A character of a script without spaces counts as half a
/// word.
pub(super) fn count(text: &str) -> usize {
    let unspaced = text
        .chars()
        .filter(|c| {
            matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{e00}'..='\u{eff}')
        })
        .count();
    let spaced =
        text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
    spaced.max(unspaced / 2)
}

/// Returns whether an element is or contains a code block.
pub(super) fn has_code_block(node: NodeRef<Node>) -> bool {
    node.descendants().any(|below| super::is_named(below.value(), "pre"))
}

/// Returns the nearest element before or after a node, skipping white space and comments.
pub(super) fn neighbours<'a>(node: NodeRef<'a, Node>) -> impl Iterator<Item = NodeRef<'a, Node>> {
    let before = node.prev_siblings().find(|sibling| sibling.value().is_element());
    let behind = node.next_siblings().find(|sibling| sibling.value().is_element());
    before.into_iter().chain(behind)
}

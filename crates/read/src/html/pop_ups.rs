//! Words that a reader does not see in the text: words for screen readers, and the contents of
//! pop-ups that appear over a word.

use ego_tree::NodeRef;
use scraper::Node;
use scraper::node::Element;

use super::attrs::Attrs;
use super::heading::is_visually_hidden;
use super::rules;
use super::text::Words;

/// Maximum number of words of a remark for screen readers. More are a description, which stays.
const MAX_REMARK_WORDS: usize = 12;

/// Returns whether an element holds a remark that is only for screen readers.
pub(super) fn is_remark(node: NodeRef<Node>, element: &Element) -> bool {
    if element.attrs.is_empty() || rules::is_heading(element.name()) {
        return false;
    }
    is_visually_hidden(element) && {
        let words = Words::of(node, usize::MAX);
        words.blocks <= 1 && words.prose + words.links + words.controls <= MAX_REMARK_WORDS
    }
}

/// Returns whether an element is a pop-up over a word: by its role, or by its name and its place
/// beside the word.
pub(super) fn is_pop_up(node: NodeRef<Node>, element: &Element, attrs: &Attrs) -> bool {
    if attrs.role == "tooltip" || matches!(element.name(), "tool-tip" | "sl-tooltip-content") {
        return true;
    }
    // Doxygen writes the pop-ups over names in code after the code, where they are hidden.
    if attrs.has_class(|class| class == "ttc") && attrs.id.is_some() {
        return true;
    }
    if !attrs.has_class(is_part_of_pop_up) {
        // A pop-up in a word: `<a>berth<span class="tooltip">A place at the quay</span></a>`.
        return attrs.has_class(|class| matches!(joined(class).as_str(), "tooltip" | "popover"))
            && is_inline(element.name())
            && touches_text_before(node);
    }
    node.parent().is_some_and(|above| has_other_text(above, node))
}

/// Returns the names of a class without case and punctuation.
fn joined(class: &str) -> String {
    class.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

/// Returns whether a class marks a pop-up's content and not the word under it.
fn is_part_of_pop_up(class: &str) -> bool {
    let class = joined(class);
    let parts: &[&str] = if class.contains("tooltip") || class.contains("hovercard") {
        &["text", "content", "body", "inner", "bubble", "box", "message", "tip", "panel"]
    } else if class.contains("popup") || class.contains("popover") {
        &["text", "content", "body", "inner", "container", "code", "docs", "panel"]
    } else if class.contains("popper") {
        &["popper"]
    } else {
        return false;
    };
    let name = ["tooltip", "hovercard", "popup", "popover", "vpopper"];
    let part = name.iter().find_map(|name| class.split(name).nth(1)).unwrap_or_default();
    parts.iter().any(|wanted| part.contains(wanted))
}

fn is_inline(name: &str) -> bool {
    matches!(name, "span" | "em" | "small" | "i" | "b" | "strong" | "div")
}

/// Returns whether the text before an element runs into it without a space, which does not occur in
/// ordinary sentences.
fn touches_text_before(node: NodeRef<Node>) -> bool {
    let before = node.prev_sibling().and_then(|before| before.descendants().last());
    before.and_then(|before| before.value().as_text()).is_some_and(|text| {
        text.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | '\u{24d8}'))
    })
}

fn has_other_text(above: NodeRef<Node>, node: NodeRef<Node>) -> bool {
    above.children().filter(|child| child.id() != node.id()).any(|child| {
        child
            .descendants()
            .any(|below| below.value().as_text().is_some_and(|text| !text.trim().is_empty()))
    })
}

//! Adjacent elements that style sheets separate, although nothing separates them in the markup:
//! names and types of fields, badges, keys.

use ego_tree::NodeRef;
use scraper::Node;
use scraper::node::Element;

use super::attrs::has_word;
use super::rules;

/// Smallest length of the common beginning of class names of one component.
const MIN_STEM: usize = 4;

/// Returns whether an element is separate from the one directly before it.
pub(super) fn stands_apart(node: NodeRef<Node>, element: &Element) -> bool {
    let Some(before) = node.prev_sibling() else { return false };
    let Some(other) = before.value().as_element() else { return false };
    if matches!(element.name(), "sup" | "sub" | "wbr") || matches!(other.name(), "sup" | "sub") {
        return false;
    }
    if rules::is_block(other.name()) {
        return false;
    }
    let (a, b) = (other.name(), element.name());
    let is_boxed = matches!(a, "kbd" | "code" | "samp" | "button" | "a") && a == b;
    let least = if is_boxed && a != "a" { 1 } else { 2 };
    if !is_word(last_text(before), true, least) || !is_word(first_text(node), false, least) {
        return false;
    }
    if has_margin(element) || has_margin(other) {
        return true;
    }
    if is_boxed {
        return true;
    }
    if is_bare_span(element) && is_bare_span(other) && is_stack_of_lines(node) {
        return true;
    }
    // Names of custom elements have a hyphen.
    if a.contains('-') && b.contains('-') {
        return true;
    }
    let (mine, others) = (element.attr("class"), other.attr("class"));
    match (others, mine) {
        (Some(others), Some(mine)) => is_one_component(others, mine),
        _ => {
            let badge = |classes: Option<&str>| {
                classes.is_some_and(|classes| {
                    classes.split_ascii_whitespace().any(|class| has_word(class, is_badge_word))
                })
            };
            badge(mine) || badge(others)
        }
    }
}

/// Returns whether an element has no text and its class says that a style sheet draws a separator:
/// `<a>Font</a><span class="sep"></span>get_metrics`.
pub(super) fn is_separator(node: NodeRef<Node>, element: &Element) -> bool {
    matches!(element.name(), "span" | "i" | "b")
        && !node.has_children()
        && element.attr("class").is_some_and(|classes| {
            classes.split_ascii_whitespace().any(|class| has_word(class, is_separator_word))
        })
}

fn is_separator_word(word: &str) -> bool {
    matches!(word, "sep" | "separator" | "divider" | "delimiter" | "spacer" | "dot" | "bullet")
}

fn is_bare_span(element: &Element) -> bool {
    element.name() == "span" && element.attrs.is_empty()
}

/// Returns whether an element is in an inline element with a class that contains only elements
/// without attributes. Only a rule for the class, such as `.lines > span`, gives these a purpose.
fn is_stack_of_lines(node: NodeRef<Node>) -> bool {
    let Some(above) = node.parent() else { return false };
    above.value().as_element().is_some_and(|above| {
        matches!(above.name(), "span" | "a" | "b" | "em" | "strong")
            && above.attr("class").is_some()
    }) && above.children().all(|child| match child.value() {
        Node::Element(element) => is_bare_span(element),
        Node::Text(text) => text.trim().is_empty(),
        _ => true,
    })
}

/// Returns whether both lists of classes name parts of one component, or one of them a badge.
fn is_one_component(others: &str, mine: &str) -> bool {
    let pairs = || {
        others
            .split_ascii_whitespace()
            .flat_map(|other| mine.split_ascii_whitespace().map(move |class| (other, class)))
    };
    let is_pair = |(other, class): (&str, &str)| {
        if other == class {
            return class.len() >= 2;
        }
        let shared = other.bytes().zip(class.bytes()).take_while(|(a, b)| a == b).count();
        let stem = &class[..class.floor_char_boundary(shared)];
        let ends = stem.ends_with(['-', '_'])
            || class.as_bytes().get(shared).is_some_and(|c| matches!(c, b'-' | b'_'));
        stem.len() >= MIN_STEM && ends
    };
    pairs().any(is_pair)
        || [others, mine].iter().any(|classes| {
            classes.split_ascii_whitespace().any(|class| has_word(class, is_badge_word))
        })
}

/// Returns whether a word occurs in the names of small boxes beside text.
fn is_badge_word(word: &str) -> bool {
    matches!(
        word,
        "badge"
            | "tag"
            | "chip"
            | "pill"
            | "label"
            | "required"
            | "optional"
            | "deprecated"
            | "datatype"
            | "type"
            | "param"
            | "property"
            | "prop"
            | "field"
            | "method"
            | "verb"
            | "status"
            | "version"
            | "lozenge"
    )
}

/// Returns whether a style makes an element a block.
pub(super) fn is_block_by_style(element: &Element) -> bool {
    has_style(element, |property, value| {
        property == "display"
            && ["block", "flex", "grid", "table", "list-item"]
                .iter()
                .any(|kind| value.starts_with(kind))
    })
}

fn has_margin(element: &Element) -> bool {
    has_style(element, |property, value| {
        (property.starts_with("margin") || property.starts_with("padding") || property == "float")
            && !value.starts_with('0')
            && value != "none"
    })
}

fn has_style(element: &Element, wanted: impl Fn(&str, &str) -> bool) -> bool {
    element.attr("style").is_some_and(|style| {
        let rules = style.split(';').filter_map(|rule| rule.split_once(':'));
        rules.into_iter().any(|(property, value)| wanted(property.trim(), value.trim()))
    })
}

fn first_text(node: NodeRef<'_, Node>) -> Option<&str> {
    texts(node).next()
}

fn last_text(node: NodeRef<'_, Node>) -> Option<&str> {
    texts(node).last()
}

fn texts<'a>(node: NodeRef<'a, Node>) -> impl Iterator<Item = &'a str> {
    node.descendants().filter_map(|below| match below.value() {
        Node::Text(text) if !text.is_empty() => Some(&**text),
        _ => None,
    })
}

/// Returns whether a text has a word of at least this many letters at this end. Single letters may
/// be styled parts of a word.
fn is_word(text: Option<&str>, at_end: bool, least: usize) -> bool {
    let Some(text) = text else { return false };
    let is_part = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '/' | '{' | '}' | '?' | '-');
    let len = if at_end {
        text.chars().rev().take_while(is_part).take(least).count()
    } else {
        text.chars().take_while(is_part).take(least).count()
    };
    len == least
}

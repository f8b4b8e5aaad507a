//! Entries of an API that have no heading elements: an element that begins with a signature and can
//! be linked to. Also the listings of source code that such pages hide behind a control.

use ego_tree::{NodeId, NodeRef};
use scraper::node::Element;
use scraper::{ElementRef, Node};

use super::annotations::text_of;
use super::attrs::{Attrs, has_word};
use super::ids::Ids;
use super::{is_named, rules};
use findling_bundle::addresses::percent_decoded;

/// The longest signature, in bytes. Longer texts do not count as signatures.
const MAX_SIGNATURE_BYTES: usize = 400;

/// Maximum number of elements between a listing and the element that is named as one.
const MAX_LEVELS: usize = 3;

/// An entry: its signature and its name.
pub(super) struct Entry {
    pub signature: NodeId,
    pub anchor: String,
    pub name: String,
}

/// Returns the entry in an element, if it is one.
pub(super) fn entry(node: NodeRef<Node>, attrs: &Attrs, ids: &Ids) -> Option<Entry> {
    let first = node.children().find(|child| match child.value() {
        Node::Text(text) => !text.trim().is_empty(),
        Node::Element(element) => !rules::is_input(element.name()) && !super::ids::is_empty(*child),
        _ => false,
    })?;
    let element = first.value().as_element().filter(|element| {
        matches!(element.name(), "div" | "p" | "header" | "span" | "pre" | "code" | "h0")
    })?;
    let inner = Attrs::of(element);
    let is_called = |wanted: fn(&str) -> bool| inner.has_class(|class| has_word(class, wanted));
    let is_signature = is_called(is_signature_word) || calls(first).next().is_some();
    if !is_signature && !is_called(is_weak_word) {
        return None;
    }
    let anchor = ids.anchor(node, attrs).or_else(|| ids.anchor(first, &inner)).or_else(|| {
        elements_below(first).find_map(|below| ids.anchor(*below, &Attrs::of(below.value())))
    })?;
    if !is_signature && !links_to(node, first, &anchor) {
        return None;
    }
    let blocks = |below: &ElementRef| {
        let name = below.value().name();
        rules::is_heading(name) || matches!(name, "p" | "ul" | "ol" | "table" | "dl" | "pre")
    };
    if elements_below(first).any(|below| blocks(&below)) {
        return None;
    }
    let text = text_of(ElementRef::wrap(first)?);
    if text.len() > MAX_SIGNATURE_BYTES || !text.contains(char::is_alphanumeric) {
        return None;
    }
    let name = name_of(first, &anchor).unwrap_or(text);
    Some(Entry { signature: first.id(), anchor, name })
}

/// Returns the name that a signature gives its entry. If the anchor is the qualified name, such as
/// `Boat.sail`, the anchor is the name.
fn name_of(signature: NodeRef<Node>, anchor: &str) -> Option<String> {
    let find = |wanted: fn(&str) -> bool| {
        elements_below(signature)
            .find(|below| Attrs::of(below.value()).has_class(|class| has_word(class, wanted)))
    };
    let named = calls(signature)
        .next()
        .or_else(|| find(|word| matches!(word, "name" | "identifier" | "descname")))
        .or_else(|| find(|word| word == "def"))?;
    let name = text_of(named);
    let qualified = anchor.contains('.') && anchor.ends_with(name.as_str());
    Some(if qualified { anchor.to_owned() } else { name }).filter(|name| !name.is_empty())
}

/// Returns the elements that show how to call a method, as RDoc marks them.
fn calls(signature: NodeRef<'_, Node>) -> impl Iterator<Item = ElementRef<'_>> {
    elements_below(signature).filter(|below| {
        Attrs::of(below.value()).has_class(|class| has_word(class, |word| word == "callseq"))
    })
}

fn elements_below<'a>(node: NodeRef<'a, Node>) -> impl Iterator<Item = ElementRef<'a>> {
    node.descendants().skip(1).filter_map(ElementRef::wrap)
}

/// Returns whether a link in the signature or directly after it leads to the anchor.
fn links_to(node: NodeRef<Node>, signature: NodeRef<Node>, anchor: &str) -> bool {
    let beside = node.children().filter(|child| is_named(child.value(), "a"));
    beside.chain(signature.descendants()).filter_map(|link| link.value().as_element()).any(|link| {
        let target = link.attr("href").and_then(|href| href.strip_prefix('#'));
        target.is_some_and(|target| target == anchor || percent_decoded(target) == anchor)
    })
}

fn is_signature_word(word: &str) -> bool {
    matches!(
        word,
        "sig" | "signature" | "decl" | "declaration" | "prototype" | "proto" | "memproto"
    )
}

/// Returns whether a word only names signatures that have a link to the entry beside them.
fn is_weak_word(word: &str) -> bool {
    matches!(word, "attr" | "src" | "spec" | "def" | "member" | "symbol" | "entry" | "name")
}

/// Returns whether code is the listing of the documented item, hidden until a control shows it.
pub(super) fn is_listing(code: NodeRef<Node>) -> bool {
    let mut left = MAX_LEVELS;
    for node in std::iter::once(code).chain(code.ancestors()) {
        let Some(element) = node.value().as_element() else { return false };
        if is_called_a_listing(element) {
            return true;
        }
        match element.name() {
            "body" | "main" | "article" | "section" => return false,
            // The cells of a listing with line numbers are no level of their own.
            "td" if is_cell_of_a_listing(node, element) => continue,
            "td" => return false,
            "tr" | "tbody" => continue,
            _ => {}
        }
        let before = node.prev_siblings().find(|before| before.value().is_element());
        if before.is_some_and(is_source_control) {
            return true;
        }
        left -= usize::from(element.name() != "table");
        if left == 0 {
            return false;
        }
    }
    false
}

fn is_called_a_listing(element: &Element) -> bool {
    element.attr("class").is_some_and(|classes| {
        classes.split_ascii_whitespace().any(|class| {
            matches!(
                class,
                "pdoc-code" | "method-source-code" | "source_code" | "source-code-listing"
            )
        })
    })
}

/// Returns whether a cell holds the code of a table whose other cell has the line numbers.
fn is_cell_of_a_listing(cell: NodeRef<Node>, element: &Element) -> bool {
    element.attr("class").is_some_and(|classes| has_word(classes, |word| word == "code"))
        || cell
            .ancestors()
            .find(|above| is_named(above.value(), "table"))
            .is_some_and(|table| table.value().as_element().is_some_and(is_called_a_listing))
}

/// Returns whether an element is a control that shows source code, or a link to it.
pub(super) fn is_source_control(node: NodeRef<Node>) -> bool {
    let Some(element) = ElementRef::wrap(node) else { return false };
    let says = |element: ElementRef| {
        let text = text_of(element).to_ascii_lowercase();
        let text = text.trim_matches(|c: char| !c.is_alphanumeric());
        matches!(
            text,
            "source"
                | "src"
                | "view source"
                | "show source"
                | "source code"
                | "expand source code"
                | "click to toggle source"
                | "toggle source"
                | "hide source"
                | "view code"
        ) || text.strip_prefix("source code in ").is_some_and(is_file_name)
    };
    match element.value().name() {
        "label" | "button" | "summary" => says(element),
        "a" => {
            element.value().attr("href").is_some_and(|href| {
                ["src", "source", "/blob/", "_modules", "#L"].iter().any(|part| href.contains(part))
            }) && says(element)
        }
        "span" => {
            element.value().attr("class").is_some() && says(element) && {
                let text = text_of(element).to_ascii_lowercase();
                text.contains("toggle")
            }
        }
        _ => false,
    }
}

fn is_file_name(text: &str) -> bool {
    text.contains(['.', '/', '\\']) && !text.contains(char::is_whitespace)
}

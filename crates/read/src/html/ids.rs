//! The elements to which fragments lead: the first element with the id, or, if there is none, the
//! first link with the name.

use std::collections::HashMap;

use ego_tree::iter::Edge;
use ego_tree::{NodeId, NodeRef};
use scraper::{Html, Node};

use super::attrs::Attrs;
use super::{is_named, rules};

/// The elements that fragments lead to.
#[derive(Debug, Default)]
pub(super) struct Ids<'a> {
    ids: HashMap<&'a str, NodeId>,
    names: HashMap<&'a str, NodeId>,
}

impl<'a> Ids<'a> {
    /// Finds the first element of each id and name. The contents of templates are not part of the
    /// page.
    pub fn of(html: &'a Html) -> Self {
        let mut found = Self::default();
        let mut templates = 0u32;
        for edge in html.tree.root().traverse() {
            match edge {
                Edge::Open(node) => {
                    let Node::Element(element) = node.value() else { continue };
                    templates += u32::from(element.name() == "template");
                    if templates > 0 || element.attrs.is_empty() {
                        continue;
                    }
                    for (name, value) in element.attrs() {
                        if name == "id" {
                            found.ids.entry(value).or_insert(node.id());
                        } else if name == "name" && element.name() == "a" {
                            found.names.entry(value).or_insert(node.id());
                        }
                    }
                }
                Edge::Close(node) => templates -= u32::from(is_named(node.value(), "template")),
            }
        }
        found
    }

    /// Returns the element that a fragment leads to.
    pub fn node(&self, fragment: &str) -> Option<NodeId> {
        self.ids.get(fragment).or_else(|| self.names.get(fragment)).copied()
    }

    /// Returns the anchor by which a browser finds this element.
    pub fn anchor(&self, node: NodeRef<Node>, attrs: &Attrs) -> Option<String> {
        let id = attrs.id.filter(|id| self.ids.get(id) == Some(&node.id()));
        let name = || {
            let is_first = |name: &&str| {
                !self.ids.contains_key(name) && self.names.get(name) == Some(&node.id())
            };
            attrs.name.filter(|_| is_named(node.value(), "a")).filter(is_first)
        };
        id.or_else(name).map(str::to_owned)
    }
}

/// Returns whether an element shows nothing: no text and no picture.
pub(super) fn is_empty(node: NodeRef<Node>) -> bool {
    node.descendants().all(|below| match below.value() {
        Node::Text(text) => text.trim().is_empty(),
        Node::Element(element) => element.name() != "img",
        _ => true,
    })
}

/// Returns the anchor of an element around a heading that begins with the heading: `<a
/// id="x"><h2>`. A link counts at any level. Other elements count below the first level only,
/// because the page's own address leads to the first heading.
pub(super) fn around(heading: NodeRef<Node>, level: u8, ids: &Ids) -> Option<String> {
    let mut node = heading;
    while let Some(above) = node.parent() {
        let is_first = node.prev_siblings().all(|before| match before.value() {
            Node::Text(text) => text.trim().is_empty(),
            Node::Element(element) => rules::is_not_text(element.name()) || is_empty(before),
            _ => true,
        });
        let element = above.value().as_element()?;
        let is_outer = matches!(
            element.name(),
            "body" | "main" | "html" | "dialog" | "form" | "template" | "details"
        );
        if !is_first || is_outer {
            return None;
        }
        if level > 1 || element.name() == "a" {
            let anchor = ids.anchor(above, &Attrs::of(element));
            if anchor.is_some() {
                return anchor;
            }
        }
        node = above;
    }
    None
}

//! Marks by which a page asks not to be searched: attributes, classes and comments of other search
//! tools.

use ego_tree::NodeRef;
use scraper::Node;
use scraper::node::Element;

use super::rules;

/// Returns whether an element asks not to be searched.
pub(super) fn asks_not_to_be_searched(element: &Element) -> bool {
    element.name() == "noindex"
        || element.attrs().any(|(name, value)| match name {
            "data-search-exclude"
            | "data-search-ignore"
            | "data-no-search"
            | "data-nosearch"
            | "data-noindex"
            | "data-elastic-exclude"
            | "data-docsearch-ignore" => !value.trim().eq_ignore_ascii_case("false"),
            "data-swiftype-index" | "data-search-index" | "data-searchable" => {
                value.trim().eq_ignore_ascii_case("false")
            }
            "class" => value.split_ascii_whitespace().any(is_exclusion_class),
            _ => false,
        })
}

fn is_exclusion_class(class: &str) -> bool {
    matches!(
        class,
        "nosearch"
            | "no-search"
            | "search-exclude"
            | "exclude-from-search"
            | "search-ignore"
            | "noindex"
            | "no-index"
            | "robots-nocontent"
            | "robots-noindex"
    )
}

/// Returns whether an exclusion on a heading applies to its whole section.
pub(super) fn excludes_section(element: &Element) -> bool {
    rules::is_heading(element.name()) || element.attr("role") == Some("heading")
}

/// The instruction of a comment to search tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Switch {
    /// The text that follows is not indexed.
    Off,
    /// The text that follows is indexed again.
    On,
}

/// Returns the instruction in a comment: `<!--googleoff: index-->`, `<!--noindex-->`.
pub(super) fn switch(comment: &str) -> Option<Switch> {
    let comment: String =
        comment.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
    match comment.as_str() {
        "googleoff:index" | "googleoff:all" | "noindex" | "htdig_noindex" | "sphider_noindex"
        | "searchoff" => Some(Switch::Off),
        "googleon:index" | "googleon:all" | "/noindex" | "/htdig_noindex" | "/sphider_noindex"
        | "searchon" => Some(Switch::On),
        _ => None,
    }
}

/// Returns whether a comment inside an element switches indexing on.
pub(super) fn switches_on_within(node: NodeRef<Node>) -> bool {
    node.descendants().any(|below| match below.value() {
        Node::Comment(comment) => switch(comment) == Some(Switch::On),
        _ => false,
    })
}

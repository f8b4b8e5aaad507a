//! Rules for elements that are not content: by element, by role, by class and by id.
//!
//! The tables hold names that generators and themes in wide use put around and between content.
//! Names that also occur on content are not in them.

use ego_tree::NodeRef;
use scraper::node::Element;
use scraper::{ElementRef, Node};

use super::super::left_out::Rule;
use super::annotations::text_of;
use super::attrs::Attrs;
use super::text::Words;

/// Returns whether an element is a template that browsers show as a part of the page.
pub(super) fn is_shadow_root(element: &Element) -> bool {
    element.name() == "template"
        && element.attr("shadowrootmode").is_some_and(|mode| {
            let mode = mode.trim();
            mode.eq_ignore_ascii_case("open") || mode.eq_ignore_ascii_case("closed")
        })
}

/// Returns whether an element has no text for readers.
pub(super) fn is_not_text(name: &str) -> bool {
    matches!(
        name,
        "script"
            | "style"
            | "noscript"
            | "template"
            | "svg"
            | "iframe"
            | "object"
            | "embed"
            | "canvas"
            | "audio"
            | "video"
            | "map"
            | "head"
            | "title"
            | "link"
            | "meta"
            | "base"
            | "annotation"
            | "annotation-xml"
            | "rp"
            | "rt"
    )
}

/// Returns whether a reader fills in an element or chooses from it. For `<button>` this is false:
/// see [`super::controls`].
pub(super) fn is_input(name: &str) -> bool {
    matches!(name, "select" | "datalist" | "textarea" | "input" | "progress" | "meter")
}

/// Returns whether an element has no text for readers, or only controls.
pub(super) fn is_machinery(name: &str) -> bool {
    is_not_text(name) || is_input(name) || matches!(name, "button" | "form" | "dialog")
}

/// Returns whether an element is a heading.
pub(super) fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// Returns whether an element begins and ends a block of text.
pub(super) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "header"
            | "hgroup"
            | "hr"
            | "legend"
            | "li"
            | "main"
            | "menu"
            | "ol"
            | "p"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "tfoot"
            | "thead"
            | "ul"
    )
}

/// Returns whether an inline element of this name holds code.
pub(super) fn is_code(name: &str) -> bool {
    matches!(name, "code" | "kbd" | "samp" | "tt")
}

/// The place of an element.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Whether the site marked the content itself. Then only the elements that are never content
    /// are left out.
    pub explicit: bool,
    /// The element is inside `<main>`, `<article>` or a similar element.
    pub in_content: bool,
    /// The page has one heading of the first level.
    pub only_h1: bool,
}

/// Returns the rule by which an element is navigation or another surrounding of the content. Such
/// elements occur both inside and outside the content.
pub(super) fn surrounding(
    node: NodeRef<Node>,
    name: &str,
    attrs: &Attrs,
    place: Place,
) -> Option<Rule> {
    match name {
        "nav" => return Some(Rule::Navigation),
        "footer" => return Some(Rule::PageFrame),
        "header" if !place.in_content && !is_header_of_content(node, place) => {
            return Some(Rule::PageFrame);
        }
        "aside" if !place.explicit && !is_note(attrs) => return Some(Rule::PageFrame),
        _ => {}
    }
    match attrs.role {
        "navigation" | "menu" | "menubar" | "doc-toc" => return Some(Rule::Navigation),
        "search" => return Some(Rule::Form),
        "contentinfo" => return Some(Rule::PageFrame),
        "toolbar" => return Some(Rule::Control),
        "banner" | "complementary" if !place.explicit && !place.in_content => {
            return Some(Rule::PageFrame);
        }
        _ => {}
    }
    // A heading is content regardless of its names: generators make names from its words.
    if is_heading(name) {
        return None;
    }
    if let Some(rule) = attrs.class.split_ascii_whitespace().find_map(never_content) {
        return Some(rule);
    }
    if place.explicit {
        return None;
    }
    let contents = attrs.has_class(|class| class == "contents")
        && attrs.has_class(|class| class == "topic" || class == "local");
    // Inside the content an id is an anchor, not a description.
    let named = !place.in_content && attrs.id.is_some_and(is_surrounding_id);
    let rule = if contents || attrs.has_class(is_navigation_class) {
        Rule::Navigation
    } else if named || attrs.has_class(is_frame_class) {
        Rule::PageFrame
    } else {
        return None;
    };
    (!is_section_of_text(node, attrs)).then_some(rule)
}

/// Returns whether a `<header>` belongs to a section or holds the page's only name, and so is not
/// the head of the site.
fn is_header_of_content(header: NodeRef<Node>, place: Place) -> bool {
    let has = |wanted: &dyn Fn(&str) -> bool| {
        header.descendants().filter_map(|below| below.value().as_element()).any(|element| {
            wanted(element.name()) || wanted(element.attr("role").unwrap_or_default())
        })
    };
    let in_section = header
        .ancestors()
        .filter_map(|above| above.value().as_element())
        .any(|above| matches!(above.name(), "section" | "article" | "main"));
    (in_section || (place.only_h1 && has(&|name| name == "h1")))
        && !has(&|name| matches!(name, "nav" | "form" | "navigation" | "search"))
}

/// Returns whether an element is a section of text about the subject of its name: it begins with a
/// heading that its id or class is made from, and holds text rather than links.
fn is_section_of_text(node: NodeRef<Node>, attrs: &Attrs) -> bool {
    let mut names = attrs.id.into_iter().chain(attrs.class.split_ascii_whitespace());
    names.any(|name| is_section_called(node, name)) && {
        let headings: usize = node
            .descendants()
            .filter(|below| below.value().as_element().is_some_and(|at| is_heading(at.name())))
            .map(|heading| Words::of(heading, usize::MAX).prose)
            .sum();
        let words = Words::of(node, usize::MAX);
        let words = Words { prose: words.prose.saturating_sub(headings), ..words };
        words.is_prose()
    }
}

/// Returns the rule for a class that is not content even if the site marked the content itself.
fn never_content(class: &str) -> Option<Rule> {
    match class {
        "headerlink" | "rule-link" | "sl-anchor-link" | "hash-link" => Some(Rule::HeadingMark),
        "copybtn" | "copy-button" => Some(Rule::CodeControl),
        "rustdoc-breadcrumbs" | "rightside" | "skip-link" | "skip-to-content" => {
            Some(Rule::Navigation)
        }
        "viewcode-link" | "hideme" | "indexterm" | "mw-editsection" | "link-seesrc" | "srclink"
        | "source-link" | "source_link" | "view-source-link" => Some(Rule::Control),
        _ => None,
    }
}

fn is_navigation_class(class: &str) -> bool {
    matches!(
        class,
        "navheader"
            | "navfooter"
            | "toc"
            | "table-of-contents"
            | "tableofcontents"
            | "toctree-wrapper"
            | "tocset"
            | "navsettop"
            | "navsetbottom"
            | "navigationbar"
            | "onthispage"
            | "list-of-tables"
            | "list-of-figures"
            | "list-of-examples"
            | "sphinxsidebar"
            | "breadcrumb"
            | "breadcrumbs"
            | "ingroups"
            | "pagination"
            | "pagination-nav"
            | "prev-next"
            | "prev-next-area"
            | "theme-doc-toc-mobile"
            | "theme-doc-breadcrumbs"
            | "md-sidebar"
    )
}

fn is_frame_class(class: &str) -> bool {
    matches!(
        class,
        "edit-this-page"
            | "edit-page"
            | "edit-page-link"
            | "cookie-banner"
            | "cookie-consent"
            | "share-buttons"
            | "social-share"
            | "theme-doc-footer"
            | "theme-doc-version-badge"
            | "theme-doc-version-banner"
            | "md-source-file"
            | "grammar-railroad"
            | "site-footer"
            | "page-footer"
            | "site-header"
    )
}

fn is_surrounding_id(id: &str) -> bool {
    matches!(
        id,
        "footer"
            | "sidebar"
            | "toc"
            | "TOC"
            | "navbar"
            | "navigation"
            | "site-footer"
            | "page-footer"
            | "titlearea"
            | "MSearchSelectWindow"
            | "MSearchResultsWindow"
            | "searchInputDiv"
    )
}

/// Returns whether an element begins with a heading that its id was made from: a section of the
/// text.
pub(super) fn is_section_called(node: NodeRef<Node>, id: &str) -> bool {
    let mut first = node;
    // The heading may be wrapped: `<div class="titlepage"><h2>`.
    for _ in 0..4 {
        let Some(child) = first.children().find(|child| match child.value() {
            Node::Element(_) => true,
            Node::Text(text) => !text.trim().is_empty(),
            _ => false,
        }) else {
            return false;
        };
        let Some(element) = ElementRef::wrap(child) else { return false };
        if is_heading(element.value().name()) {
            let slug: String = text_of(element)
                .chars()
                .filter(|c| c.is_alphanumeric())
                .flat_map(char::to_lowercase)
                .collect();
            let id: String =
                id.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
            return !slug.is_empty() && slug.ends_with(&id);
        }
        first = child;
    }
    false
}

/// Returns whether an `<aside>` is a note to the text rather than a side bar.
fn is_note(attrs: &Attrs) -> bool {
    attrs.role == "note"
        || attrs.has_class(|class| {
            [
                "note",
                "admonition",
                "callout",
                "tip",
                "warning",
                "caution",
                "danger",
                "info",
                "important",
                "alert",
                "footnote",
                "notice",
                "starlight-aside",
            ]
            .iter()
            .any(|word| class.starts_with(word))
        })
}

/// Returns whether an element is a container that generators and themes put around content, for
/// pages without `<main>` or one `<article>`.
pub(super) fn is_content_container(attrs: &Attrs) -> bool {
    attrs.has_class(|class| {
        matches!(
            class,
            "markdown-body"
                | "md-content"
                | "theme-doc-markdown"
                | "vp-doc"
                | "rst-content"
                | "bd-article"
                | "post-content"
                | "entry-content"
                | "main-content"
                | "page-content"
                | "article-content"
        )
    }) || matches!(attrs.id, Some("main-content" | "main"))
}

/// Returns whether a `<div>` is a section of a document in the manner of DocBook, AsciiDoc and
/// older Sphinx: its id is its heading's anchor.
pub(super) fn is_section_class(class: &str) -> bool {
    class.starts_with("sect")
        || class.starts_with("refsect")
        || matches!(
            class,
            "refsynopsisdiv"
                | "refentry"
                | "reference"
                | "chapter"
                | "appendix"
                | "preface"
                | "part"
                | "book"
                | "article"
                | "glossary"
                | "bibliography"
                | "simplesect"
                | "dedication"
                | "colophon"
        )
}

/// Returns whether the text of a link is a mark that links a heading to itself.
pub(super) fn is_permalink_mark(text: &str) -> bool {
    let text = text.trim_matches(|c: char| {
        c.is_whitespace()
            || matches!(c, '\u{200b}' | '\u{feff}' | '\u{fe0e}' | '\u{fe0f}')
            // The private use area: glyphs of icon fonts.
            || matches!(c, '\u{e000}'..='\u{f8ff}')
    });
    matches!(text, "" | "#" | "¶" | "§" | "🔗" | "⚓" | "∞" | "†" | "↩" | "↑")
        || [
            "Permalink",
            "Link to this",
            "Direct link to",
            "Anchor link",
            "Section titled",
            "Link to this heading",
        ]
        .iter()
        .any(|words| text.starts_with(words))
}

//! Furniture of pages: menus, footers and remarks about the page in elements that are only
//! recognisable by a common name. Both the name and the contents of such an element decide.

use ego_tree::NodeRef;
use scraper::node::Element;
use scraper::{ElementRef, Node};

use super::super::left_out::Rule;
use super::annotations::text_of;
use super::attrs::Attrs;
use super::rules;
use super::text::Words;

/// Most words of a footer.
const MAX_FOOTER_WORDS: usize = 60;

/// Most words of a remark about the page, besides headings and links.
const MAX_REMARK_WORDS: usize = 30;

/// Most words of a comment area without comments.
const MAX_EMPTY_COMMENTS_WORDS: usize = 8;

/// Returns the rule that leaves out an element with a common name.
pub(super) fn rule(
    node: NodeRef<Node>,
    element: &Element,
    attrs: &Attrs,
    ids: bool,
) -> Option<Rule> {
    let named = |wanted: fn(&str) -> bool| {
        attrs.has_class(wanted) || attrs.id.filter(|_| ids).is_some_and(wanted)
    };
    if element.name() == "a" {
        return is_edit_link(node, attrs).then_some(Rule::Control);
    }
    if !matches!(
        element.name(),
        "div"
            | "section"
            | "ul"
            | "ol"
            | "p"
            | "table"
            | "address"
            | "center"
            | "span"
            | "td"
            | "hr"
            | "dl"
            | "tr"
    ) {
        return None;
    }
    if named(is_menu_name) && !Words::of(node, usize::MAX).is_prose() && leads_elsewhere(node) {
        return Some(Rule::Navigation);
    }
    if named(is_footer_name) && is_footer(node) {
        return Some(Rule::PageFrame);
    }
    if attrs.has_class(is_remark_name) {
        let words = text_words(node);
        let is_short = words.prose <= MAX_REMARK_WORDS && words.inputs <= 6;
        return (is_short && words.blocks <= 4).then_some(Rule::PageFrame);
    }
    if attrs.has_class(is_related_name) && !text_words(node).is_prose() {
        return Some(Rule::Navigation);
    }
    if attrs.has_class(is_comments_name) {
        let words = text_words(node);
        return (words.prose + words.links <= MAX_EMPTY_COMMENTS_WORDS).then_some(Rule::PageFrame);
    }
    None
}

/// Returns whether most links of an element lead to other pages, or nowhere. The links of tabs, in
/// contrast, lead to their panels.
fn leads_elsewhere(node: NodeRef<Node>) -> bool {
    let links = node.descendants().filter_map(|below| below.value().as_element());
    let targets = links.filter(|link| link.name() == "a").filter_map(|link| link.attr("href"));
    let (mut within, mut all) = (0, 0);
    for target in targets {
        all += 1;
        within += usize::from(target.len() > 1 && target.starts_with('#'));
    }
    within * 2 <= all
}

/// Returns the words of an element outside of its headings.
fn text_words(node: NodeRef<Node>) -> Words {
    let headings: usize = node
        .descendants()
        .filter(|below| below.value().as_element().is_some_and(|at| rules::is_heading(at.name())))
        .map(|heading| Words::of(heading, usize::MAX).prose)
        .sum();
    let words = Words::of(node, usize::MAX);
    Words { prose: words.prose.saturating_sub(headings), ..words }
}

fn is_menu_name(name: &str) -> bool {
    matches!(
        name.to_ascii_lowercase().as_str(),
        "navigation"
            | "nav"
            | "navbar"
            | "nav-bar"
            | "menu"
            | "mainmenu"
            | "main-menu"
            | "topnav"
            | "top-nav"
            | "topbar"
            | "subnav"
            | "sidenav"
            | "side-nav"
            | "sidebar"
            | "side-bar"
            | "navpath"
            | "nav-path"
            | "leftnav"
            | "left-nav"
            | "rightnav"
            | "right-nav"
            | "navtop"
            | "navbottom"
            | "navlinks"
            | "nav-links"
            | "navrow"
            | "sitenav"
            | "site-nav"
            | "crumbs"
            | "pager"
            | "quicklinks"
            | "global-links"
            | "post-navigation"
            | "page-nav"
            | "pagenav"
            | "doc-nav"
            | "toplang"
            | "bottomlang"
            | "languages"
            | "language-switcher"
    )
}

fn is_footer_name(name: &str) -> bool {
    matches!(
        name.to_ascii_lowercase().as_str(),
        "footer"
            | "foot"
            | "page-foot"
            | "pagefooter"
            | "copyright"
            | "colophon"
            | "site-info"
            | "legal-copy"
            | "poweredby"
            | "powered-by"
            | "generated-by"
    )
}

/// Returns whether an element named as a footer is one: short, without headings, and not the footer
/// of a quotation or a table.
fn is_footer(node: NodeRef<Node>) -> bool {
    let is_part = node
        .ancestors()
        .filter_map(|above| above.value().as_element())
        .any(|above| matches!(above.name(), "blockquote" | "figure" | "li" | "details" | "dd"));
    let has_content = node.descendants().skip(1).any(|below| {
        below
            .value()
            .as_element()
            .is_some_and(|element| rules::is_heading(element.name()) || element.name() == "pre")
    });
    !is_part && !has_content && Words::of(node, usize::MAX).prose <= MAX_FOOTER_WORDS
}

/// Returns the name without case, digits and punctuation.
fn joined(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphabetic).collect::<String>().to_ascii_lowercase()
}

/// Returns whether a name is used for remarks about the page itself.
fn is_remark_name(name: &str) -> bool {
    let name = joined(name);
    matches!(
        name.as_str(),
        "feedback" | "pagefeedback" | "helpful" | "washelpful" | "pagehelpful" | "wasthishelpful"
    ) || [
        "lastupdated",
        "lastmodified",
        "lastedited",
        "editthispage",
        "editongithub",
        "editlink",
        "themeswitch",
        "darkmodetoggle",
        "lastupdate",
    ]
    .iter()
    .any(|part| name.contains(part))
}

fn is_related_name(name: &str) -> bool {
    matches!(
        joined(name).as_str(),
        "related"
            | "relatedarticles"
            | "relatedposts"
            | "relatedpages"
            | "relatedtopics"
            | "relatedcontent"
            | "readnext"
            | "morearticles"
            | "furtherreading"
    )
}

fn is_comments_name(name: &str) -> bool {
    matches!(
        joined(name).as_str(),
        "comments"
            | "commentsection"
            | "commentsarea"
            | "disqus"
            | "disqusthread"
            | "giscus"
            | "utterances"
            | "commentbox"
    )
}

/// Returns whether a link, alone in its block, leads to an editor of the page's source.
fn is_edit_link(link: NodeRef<Node>, attrs: &Attrs) -> bool {
    let Some(href) = attrs.href else { return false };
    let leads = href.contains("://")
        && ["/edit/", "/_edit", "action=edit", "/tree-edit/"]
            .iter()
            .any(|part| href.contains(part));
    let leads = leads || href.contains("_sources/");
    leads
        && ElementRef::wrap(link).is_some_and(|link| text_of(link).split(' ').count() <= 6)
        && link.parent().is_some_and(|parent| {
            parent.value().as_element().is_some_and(|parent| parent.name() != "p")
                || parent.children().all(|child| {
                    child.id() == link.id()
                        || child.value().as_text().is_none_or(|text| text.trim().is_empty())
                })
        })
}

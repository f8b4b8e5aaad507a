//! Furniture of pages: menus, footers and remarks about the page in elements that are only
//! recognisable by a common name. Both the name and the contents of an element decide.

use ego_tree::NodeRef;
use scraper::node::Element;
use scraper::{ElementRef, Node};

use super::super::left_out::Rule;
use super::annotations::text_of;
use super::attrs::Attrs;
use super::rules;
use super::text::Words;

/// Maximum number of words of a footer.
const MAX_FOOTER_WORDS: usize = 60;

/// Maximum number of words of a remark about the page, besides headings and links.
const MAX_REMARK_WORDS: usize = 30;

/// Maximum number of words of a comment area without comments, or of a place for results of a
/// search.
const MAX_EMPTY_COMMENTS_WORDS: usize = 8;

/// Maximum number of words of a list of languages, besides the names of the languages.
const MAX_LANGUAGE_WORDS: usize = 6;

/// Fewest links to other pages in a menu that also leads to sections of the page.
const MIN_ELSEWHERE: usize = 2;

/// Fewest words of the links of a bar.
const MIN_BAR_LINKS: usize = 3;

/// Number of nodes at the beginning of an element in which its first link is looked for.
const FIRST_NODES: usize = 10;

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
    if is_inherited(node, element, attrs) {
        return Some(Rule::Repeated);
    }
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
    if (named(is_language_name) || begins_with_a_language(node)) && is_list_of_languages(node) {
        return Some(Rule::Navigation);
    }
    let is_menu = named(|name| is_menu_name(name) || is_language_name(name));
    if is_menu && !Words::of(node, usize::MAX).is_prose() && leads_elsewhere(node) {
        return Some(Rule::Navigation);
    }
    if named(is_bar_name) && is_bar(node) {
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
    if attrs.has_class(|name| is_comments_name(name) || name == "search-results") {
        let words = text_words(node);
        return (words.prose + words.links <= MAX_EMPTY_COMMENTS_WORDS).then_some(Rule::PageFrame);
    }
    None
}

/// Returns whether half of the links of an element lead to other pages, or nowhere, or at least two
/// do. The links of tabs, in contrast, lead to their panels.
fn leads_elsewhere(node: NodeRef<Node>) -> bool {
    let links = node.descendants().filter_map(|below| below.value().as_element());
    let targets = links.filter(|link| link.name() == "a").filter_map(|link| link.attr("href"));
    let (mut within, mut all) = (0, 0);
    for target in targets {
        all += 1;
        within += usize::from(target.len() > 1 && target.starts_with('#'));
    }
    within * 2 <= all || all - within >= MIN_ELSEWHERE
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
    )
}

/// Returns whether a theme uses this name for a bar: `t-navbar`.
fn is_bar_name(name: &str) -> bool {
    ["navbar", "-nav", "_nav", "-navigation"].iter().any(|end| {
        let at = name.len().checked_sub(end.len());
        at.and_then(|at| name.get(at..)).is_some_and(|found| found.eq_ignore_ascii_case(end))
    })
}

/// Returns whether an element named as a bar has a bar's contents: links with words between them,
/// and no paragraphs, headings or code.
fn is_bar(node: NodeRef<Node>) -> bool {
    let words = Words::of(node, usize::MAX);
    words.blocks == 0
        && words.links >= MIN_BAR_LINKS
        && words.prose <= words.links * 2
        && leads_elsewhere(node)
}

/// Returns whether an element repeats names of members of a base class, as Javadoc does behind the
/// members of each class, and Doxygen in rows that are folded up.
fn is_inherited(node: NodeRef<Node>, element: &Element, attrs: &Attrs) -> bool {
    match element.name() {
        "tr" => attrs.has_class(|class| matches!(class, "inherit" | "inherit_header")),
        "div" | "section" => attrs.has_class(|class| class == "inherited-list"),
        // Until Java 14: `<li class="blockList"><a name="methods.inherited.from.class.Box">`.
        "li" => {
            let mut elements = node.children().filter_map(|child| child.value().as_element());
            attrs.has_class(|class| class == "blockList")
                && elements
                    .next()
                    .and_then(|first| first.attr("name").or(first.attr("id")))
                    .is_some_and(|name| name.contains(".inherited.from."))
        }
        _ => false,
    }
}

fn is_language_name(name: &str) -> bool {
    matches!(
        name.to_ascii_lowercase().as_str(),
        "toplang"
            | "bottomlang"
            | "languages"
            | "language-switcher"
            | "language-selector"
            | "lang-switcher"
            | "lang-selector"
    )
}

/// Returns whether the first link of an element leads to the page in another language.
fn begins_with_a_language(node: NodeRef<Node>) -> bool {
    let below = node.descendants().take(FIRST_NODES);
    let mut elements = below.filter_map(|below| below.value().as_element());
    elements.find(|element| element.name() == "a").is_some_and(is_to_a_language)
}

fn is_to_a_language(link: &Element) -> bool {
    link.attr("hreflang").is_some()
        && link
            .attr("rel")
            .is_some_and(|rel| rel.split_whitespace().any(|word| word == "alternate"))
}

/// Returns whether an element holds links to the page in other languages, with no more than a
/// label. The link to the language of the page itself may lack the attributes of the others.
fn is_list_of_languages(node: NodeRef<Node>) -> bool {
    let words = Words::of(node, usize::MAX);
    let elements = node.descendants().filter_map(|below| below.value().as_element());
    let (mut links, mut languages) = (0, 0);
    for link in elements.filter(|element| element.name() == "a") {
        links += 1;
        languages += usize::from(is_to_a_language(link));
    }
    words.prose <= MAX_LANGUAGE_WORDS && words.links <= links * 3 && links <= languages + 1
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

/// Returns whether an element named as a footer is really a footer: short, without headings, and
/// not part of a quotation or a table.
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

//! Headings: their text without marks, and their anchor.

use ego_tree::{NodeId, NodeRef};
use findling_bundle::addresses::percent_decoded;
use scraper::node::Element;
use scraper::{ElementRef, Node};

use super::annotations;
use super::attrs::{Attrs, has_word, is_called};
use super::ids::Ids;
use super::rules;

/// The parts of a heading that are its text.
#[derive(Clone, Debug, Default)]
pub(super) struct Heading {
    /// The fragment.
    pub anchor: Option<String>,
    /// The first and last text node outside of links to the heading itself.
    own_text: Option<(NodeId, NodeId)>,
    /// Whether it has text that is not only for screen readers.
    has_visible_text: bool,
}

/// Returns the level of a heading, or `None` for other elements.
pub(super) fn level(node: NodeRef<Node>, element: &Element, attrs: &Attrs) -> Option<u8> {
    match element.name().as_bytes() {
        [b'h', level @ b'1'..=b'6'] => Some(level - b'0'),
        _ if attrs.role == "heading" => {
            let level = element.attr("aria-level");
            Some(level.and_then(|level| level.trim().parse().ok()).unwrap_or(2))
        }
        b"div" if is_name_of_page(node, attrs) => Some(1),
        _ => None,
    }
}

/// Returns whether an element holds the name of a page of Doxygen:
/// `<div class="headertitle"><div class="title">`.
fn is_name_of_page(node: NodeRef<Node>, attrs: &Attrs) -> bool {
    attrs.has_class(|class| class == "title")
        && node
            .parent()
            .and_then(|above| above.value().as_element())
            .is_some_and(|above| Attrs::of(above).has_class(|class| class == "headertitle"))
}

impl Heading {
    /// Analyses a heading before it is read.
    pub fn of(node: NodeRef<Node>, anchor: Option<String>) -> Self {
        let mut heading = Self { anchor, ..Self::default() };
        for below in node.descendants() {
            let Node::Text(text) = below.value() else { continue };
            if !text.contains(char::is_alphabetic) {
                continue;
            }
            let (mut in_link, mut unseen) = (false, false);
            for above in below.ancestors().take_while(|above| above.id() != node.id()) {
                let Node::Element(element) = above.value() else { continue };
                unseen |= Attrs::of(element).hidden
                    || is_mark(element)
                    || element.attr("data-nosnippet").is_some()
                    || (rules::is_machinery(element.name()) && element.name() != "button");
                in_link |= element.name() == "a" && heading.leads_to_itself(element);
            }
            heading.has_visible_text |= !unseen;
            if !unseen && !in_link && !is_number_of(node, text) {
                let first = heading.own_text.map_or(below.id(), |(first, _)| first);
                heading.own_text = Some((first, below.id()));
            }
        }
        heading
    }

    /// Returns whether a link inside the heading is a mark: it links to the heading and is not its
    /// text.
    pub fn is_mark_link(&self, link: NodeRef<Node>, element: &Element) -> bool {
        let Some((first, last)) = self.own_text.filter(|_| self.leads_to_itself(element)) else {
            return false;
        };
        let marked = is_called(element, is_anchor_word)
            || link.descendants().skip(1).any(|below| {
                below
                    .value()
                    .as_element()
                    .is_some_and(|below| is_mark(below) || matches!(below.name(), "svg" | "img"))
            });
        // A mark is before or after the text, not in the middle. Node ids follow the order of the
        // document.
        let in_the_middle = first < link.id() && link.id() < last;
        marked || !(in_the_middle || self.is_named_by(link))
    }

    /// Returns whether the anchor was made from the words of a link: `type <a href="#type.Item">
    /// Item</a>`.
    fn is_named_by(&self, link: NodeRef<Node>) -> bool {
        let slug = |text: &str| -> String {
            text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let Some(link) = ElementRef::wrap(link) else { return false };
        let words = slug(&annotations::text_of(link));
        let anchor = self.anchor.as_deref().map(slug).unwrap_or_default();
        !words.is_empty() && anchor.contains(&words)
    }

    /// Returns whether an element's words are only for screen readers and the heading has other
    /// words.
    pub fn is_screen_reader_text(&self, element: &Element) -> bool {
        self.has_visible_text && is_visually_hidden(element)
    }

    /// Returns whether the site excludes an element from search results while the heading has other
    /// text, such as the word "Show" of an accordion.
    pub fn is_beside_its_text(&self, element: &Element) -> bool {
        self.own_text.is_some() && element.attr("data-nosnippet").is_some()
    }

    fn leads_to_itself(&self, link: &Element) -> bool {
        let Some((page, fragment)) = link.attr("href").and_then(|href| href.rsplit_once('#'))
        else {
            return false;
        };
        let to_page = page.is_empty() || !page.contains("://");
        let to_heading = self
            .anchor
            .as_deref()
            .is_some_and(|anchor| anchor == fragment || anchor == percent_decoded(fragment));
        (to_heading && to_page) || (page.is_empty() && is_called(link, is_anchor_word))
    }
}

/// Returns whether a link is alone next to a heading and leads to it: `<div><h2 id="x">X</h2><a
/// href="#x">Link</a></div>`.
pub(super) fn is_mark_beside_a_heading(link: NodeRef<Node>, attrs: &Attrs) -> bool {
    let Some(target) = attrs.href.and_then(|href| href.strip_prefix('#')) else { return false };
    let Some(parent) = link.parent().filter(|_| !target.is_empty()) else { return false };
    let is_text =
        |node: NodeRef<Node>| node.value().as_text().is_some_and(|text| !text.trim().is_empty());
    let target = percent_decoded(target);
    parent.children().take(8).all(|child| !is_text(child))
        && super::text::neighbours(link).filter_map(|beside| beside.value().as_element()).any(
            |beside| rules::is_heading(beside.name()) && beside.attr("id") == Some(target.as_str()),
        )
}

/// Returns whether a text is the number before a heading's text.
fn is_number_of(heading: NodeRef<Node>, text: &str) -> bool {
    let first = heading
        .descendants()
        .find_map(|below| below.value().as_text().filter(|text| !text.trim().is_empty()));
    first.is_some_and(|first| std::ptr::eq(&**first, text))
        && text.trim().trim_end_matches('.').split('.').all(|part| part.len() <= 2)
        && text.contains('.')
}

/// Returns whether a word occurs in the names of links from a heading to itself.
pub(super) fn is_anchor_word(word: &str) -> bool {
    matches!(word, "anchor" | "permalink" | "headerlink" | "headinglink" | "hash" | "autolink")
        || word.ends_with("anchor")
}

/// Returns whether an element contains words that are not shown: text for screen readers, or the
/// name of an icon.
pub(super) fn is_mark(element: &Element) -> bool {
    is_visually_hidden(element) || is_icon(element)
}

/// Returns whether an element is only for screen readers.
pub(super) fn is_visually_hidden(element: &Element) -> bool {
    element.attrs().any(|(name, value)| match name {
        "class" => value.split_ascii_whitespace().any(|class| {
            let class = class.to_ascii_lowercase();
            let joined: String = class.chars().filter(char::is_ascii_alphanumeric).collect();
            [
                "sronly",
                "visuallyhidden",
                "hiddenvisually",
                "screenreader",
                "showforsr",
                "a11yhidden",
                "a11yonly",
                "offscreen",
                "assistivetext",
                "elementinvisible",
                "hiddenaccessible",
                "hidevisually",
                "visuallyhide",
                "accessibilityhidden",
                "accessiblehidden",
                "accessiblyhidden",
                "accesshide",
                "a11ytext",
                "readeronly",
                "vishidden",
            ]
            .iter()
            .any(|name| joined.contains(name))
        }),
        "style" => {
            let style: String = value.chars().filter(|c| !c.is_whitespace()).collect();
            let has = |rule: &str| style.contains(rule);
            has("clip:rect(")
                || has("clip-path:inset(")
                || has("left:-9999")
                || has("left:-10000")
                || has("text-indent:-9999")
                || (has("width:1px") && has("height:1px") && has("overflow:hidden"))
                || style.split(';').any(|rule| matches!(rule, "font-size:0" | "font-size:0px"))
        }
        _ => false,
    })
}

/// Returns whether an element is an icon of an icon font, whose text is the icon's name.
pub(super) fn is_icon(element: &Element) -> bool {
    let is_font = |class: &str| {
        let class = class.to_ascii_lowercase();
        class.starts_with("material-icons")
            || class.starts_with("material-symbols")
            || matches!(class.as_str(), "mat-icon" | "ms-icon")
    };
    element.name().ends_with("-icon")
        || element
            .attr("class")
            .is_some_and(|classes| classes.split_ascii_whitespace().any(is_font))
}

/// Returns whether an element of a heading has the name of an icon and contains one word in lower
/// case, as names of icons are written.
pub(super) fn is_icon_name(node: NodeRef<Node>, element: &Element) -> bool {
    let is_icon = |word: &str| matches!(word, "icon" | "icons" | "ico" | "glyph" | "ligature");
    let called = element.attr("class").is_some_and(|classes| {
        classes.split_ascii_whitespace().any(|name| has_word(name, is_icon))
    });
    called
        && ElementRef::wrap(node).is_some_and(|element| {
            let text = annotations::text_of(element);
            !text.is_empty()
                && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        })
}

/// Returns the heading's own id, an id inside of it, or its link to itself. Ids that lead elsewhere
/// do not count.
pub(super) fn anchor_within(node: NodeRef<Node>, attrs: &Attrs, ids: &Ids) -> Option<String> {
    let mut inside = None;
    let mut own_link = None;
    for below in anchors_below(node) {
        let Node::Element(element) = below.value() else { continue };
        let attrs = Attrs::of(element);
        if inside.is_none() {
            inside = ids.anchor(below, &attrs);
        }
        if own_link.is_none() && element.name() == "a" {
            let marked = attrs.has_class(|class| {
                class.contains("anchor")
                    || class.contains("headerlink")
                    || class.contains("hash-link")
            });
            own_link = attrs.href.and_then(|href| href.strip_prefix('#')).filter(|target| {
                !target.is_empty()
                    && (marked
                        || ElementRef::wrap(below).is_some_and(|link| {
                            rules::is_permalink_mark(&annotations::text_of(link))
                        }))
            });
        }
    }
    let own = ids.anchor(node, attrs);
    own.or(inside).or_else(|| own_link.map(percent_decoded))
}

/// Returns whether an element of a heading has an id, which may lead elsewhere.
pub(super) fn has_anchor(node: NodeRef<Node>) -> bool {
    anchors_below(node).filter_map(|below| below.value().as_element()).any(|element| {
        let attrs = Attrs::of(element);
        attrs.id.is_some() || (element.name() == "a" && attrs.name.is_some())
    })
}

/// Returns the elements of a heading that can have its anchor.
fn anchors_below<'a>(node: NodeRef<'a, Node>) -> impl Iterator<Item = NodeRef<'a, Node>> {
    node.descendants().skip(1).filter(|below| {
        below.value().as_element().is_some_and(|element| {
            let is_panel_button =
                element.name() == "button" && element.attr("aria-controls").is_some();
            !Attrs::of(element).has_class(|class| class == "indexterm")
                && (!rules::is_machinery(element.name()) || is_panel_button)
        })
    })
}

/// Returns the page that a heading leads to, if all its words are a link to another page.
pub(super) fn target(node: NodeRef<Node>) -> Option<String> {
    let text = |node: NodeRef<Node>| ElementRef::wrap(node).map(annotations::text_of);
    let mut links = node.descendants().chain(node.ancestors().take(2)).filter(|link| {
        link.value().as_element().is_some_and(|element| {
            element.name() == "a" && element.attr("href").is_some_and(leads_to_a_page)
        })
    });
    let link = links.next()?;
    let is_inside = link.ancestors().any(|above| above.id() == node.id());
    let is_all = !is_inside || text(link).is_some_and(|words| Some(words) == text(node));
    link.value().as_element()?.attr("href").filter(|_| is_all).map(str::to_owned)
}

fn leads_to_a_page(href: &str) -> bool {
    let scheme = href.split(['/', '?', '#']).next().unwrap_or_default();
    !href.is_empty()
        && !href.starts_with('#')
        && (!scheme.contains(':') || href.starts_with("http"))
}

/// Returns whether a heading is only the label of a note (`Note`, `Warning`), as DocBook writes it:
/// it has no anchor and begins no section.
pub(super) fn is_label(heading: NodeRef<Node>, attrs: &Attrs) -> bool {
    attrs.id.is_none()
        && heading.parent().and_then(|parent| parent.value().as_element()).is_some_and(|parent| {
            parent.name() != "section"
                && Attrs::of(parent).has_class(|class| {
                    matches!(
                        class,
                        "note"
                            | "warning"
                            | "tip"
                            | "caution"
                            | "important"
                            | "admonition"
                            | "sidebar"
                            | "alert"
                            | "callout"
                    )
                })
        })
        && !heading
            .descendants()
            .skip(1)
            .filter_map(|below| below.value().as_element())
            .any(|below| Attrs::of(below).id.is_some())
}

/// Returns whether a heading without an anchor is the label of a part of the section that it is in
/// (`Parameters:`, `Returns:`), as JSDoc writes it. `section` is the level of that section, if it
/// has an anchor.
pub(super) fn is_label_of_part(heading: NodeRef<Node>, level: u8, section: Option<u8>) -> bool {
    let last = || {
        let texts = heading.descendants().filter_map(|below| below.value().as_text());
        texts.map(|text| text.trim_end()).filter(|text| !text.is_empty()).last()
    };
    section.is_some_and(|section| section > 1 && level > section)
        && last().is_some_and(|text| text.ends_with([':', '\u{ff1a}']))
}

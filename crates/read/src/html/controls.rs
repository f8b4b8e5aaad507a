//! Controls, and the elements that they open: accordions, tabs, forms, dialogs.
//!
//! Content that appears after a click is indexed, although it is hidden at first. Content that
//! stays hidden for every reader is not. The two are distinguished by the elements that point at a
//! hidden element, by its names and by its siblings.

use std::collections::{HashMap, HashSet};

use ego_tree::iter::Edge;
use ego_tree::{NodeId, NodeRef};
use scraper::node::Element;
use scraper::{ElementRef, Html, Node};

use super::super::outline::fold;
use super::attrs::{Attrs, has_word, is_called, names};
use super::rules;
use super::text::Words;

/// Smallest number of words of prose for which a form is part of the text.
const MIN_FORM_WORDS: usize = 40;

/// Smallest number of words of prose for which a dialog inside the content, or a form that only has
/// choices, is part of the text.
const MIN_DIALOG_WORDS: usize = 20;

/// Smallest number of words for which a button is text, such as a card or a question.
const MIN_BUTTON_WORDS: usize = 12;

/// Longest value of an attribute that may be the id of a panel, in bytes.
const MAX_ID_BYTES: usize = 64;

/// Maximum number of siblings of a hidden element that are examined.
const MAX_SIBLINGS: usize = 200;

/// Maximum number of containers between a panel and the container with controls beside it.
const MAX_LEVELS: usize = 4;

/// The elements that the controls of a page point at.
#[derive(Debug, Default)]
pub(super) struct Controls<'a> {
    /// Ids of elements that a control opens or a link leads to.
    opened: HashSet<&'a str>,
    /// Classes of elements that a control opens.
    opened_classes: HashSet<&'a str>,
    /// Elements that can name the element that they open (`aria-labelledby`).
    labels: HashMap<&'a str, NodeId>,
}

impl<'a> Controls<'a> {
    /// Finds the controls of a document. Pages without any cost one pass over the attributes.
    pub fn of(html: &'a Html) -> Self {
        let mut found = Self::default();
        for node in html.tree.root().descendants() {
            let Node::Element(element) = node.value() else { continue };
            if !element.attrs.is_empty() {
                found.note(node, element);
            }
        }
        found
    }

    fn note(&mut self, node: NodeRef<'a, Node>, element: &'a Element) {
        let mut targets: Vec<&'a str> = Vec::new();
        let mut is_control = matches!(element.name(), "button" | "label" | "summary");
        let (mut href, mut id) = (None, None);
        for (name, value) in element.attrs() {
            match name {
                "id" => id = Some(value),
                "aria-controls" => targets.extend(value.split_ascii_whitespace()),
                "data-target" | "data-bs-target" | "data-tab-target" | "data-tabs-target" => {
                    targets.extend(value.strip_prefix('#'));
                    self.opened_classes.extend(value.strip_prefix('.'));
                }
                "aria-expanded" | "aria-selected" => is_control = true,
                "data-toggle" | "data-bs-toggle"
                    if matches!(
                        value,
                        "modal" | "tooltip" | "popover" | "dropdown" | "offcanvas"
                    ) =>
                {
                    return;
                }
                "aria-haspopup" if value != "false" => return,
                "data-toggle" | "data-bs-toggle" => {
                    is_control = true;
                    if !matches!(value, "tab" | "pill" | "collapse") {
                        targets.extend(value.split_ascii_whitespace());
                    }
                }
                "role" => is_control |= matches!(value, "tab" | "button"),
                "class" => is_control |= has_word(value, is_disclosure_word),
                "href" => href = value.strip_prefix('#'),
                "onclick" => targets.extend(quoted(value)),
                _ => {}
            }
        }
        // Readers should see the target of a link, which would stay hidden for ever otherwise.
        if is_control || element.name() == "a" {
            targets.extend(href);
        }
        if is_control && !is_called(element, is_overlay_word) {
            // Scripts find the panel by an attribute of their own: `<button data-show="linux">`.
            let own = element.attrs().filter(|(name, _)| name.starts_with("data-"));
            let ids = own.map(|(_, value)| value.trim_start_matches('#'));
            targets.extend(ids.filter(|id| id.len() <= MAX_ID_BYTES && !id.contains(' ')));
        }
        if let Some(id) = id
            && (is_control
                || rules::is_heading(element.name())
                || matches!(element.name(), "button" | "a" | "summary" | "dt" | "label"))
        {
            self.labels.insert(id, node.id());
        }
        if !targets.is_empty() && !in_site_navigation(node) {
            self.opened.extend(targets.into_iter().filter(|target| !target.is_empty()));
        }
    }

    /// Returns whether a hidden element is content because readers can show it.
    pub fn reveal(&self, node: NodeRef<Node>, element: &Element, attrs: &Attrs) -> bool {
        if attrs.role == "tabpanel" {
            return true;
        }
        if !is_panel(element.name())
            || matches!(
                attrs.role,
                "dialog" | "alertdialog" | "menu" | "listbox" | "tooltip" | "status" | "alert"
            )
            || is_called(element, is_overlay_word)
            || !Words::of(node, usize::MAX).is_prose()
        {
            return false;
        }
        is_called(element, is_disclosure_word)
            || attrs.has_class(|class| self.opened_classes.contains(class))
            || element.attrs().any(|(name, _)| matches!(name, "x-show" | "v-show" | "x-collapse"))
            || attrs.id.is_some_and(|id| self.opened.contains(id))
            || self.is_labelled_from_outside(node, element)
            || is_opened_by_the_control_before(node)
            || is_one_of_several_answers(node)
            || is_one_of_several(node, element)
    }

    fn is_labelled_from_outside(&self, node: NodeRef<Node>, element: &Element) -> bool {
        element.attr("aria-labelledby").is_some_and(|ids| {
            ids.split_ascii_whitespace().filter_map(|id| self.labels.get(id)).any(|label| {
                node.tree()
                    .get(*label)
                    .is_some_and(|label| label.ancestors().all(|above| above.id() != node.id()))
            })
        })
    }

    /// Returns whether the text of a button is read: it is a heading's text, opens a panel of text,
    /// or is itself text.
    pub fn reads_button(&self, button: NodeRef<Node>, element: &Element) -> bool {
        if let Some(heading) = button.ancestors().find(|above| is_heading_like(above.value())) {
            return is_text_of(button, heading);
        }
        let words = Words::of(button, MIN_BUTTON_WORDS);
        if words.prose >= MIN_BUTTON_WORDS || (words.blocks > 0 && words.prose > 0) {
            return true;
        }
        let opens = element.attr("aria-controls").into_iter().flat_map(str::split_ascii_whitespace);
        let targets = ["data-target", "data-bs-target"]
            .iter()
            .filter_map(|name| element.attr(name)?.strip_prefix('#'));
        let shows_text = opens.chain(targets).any(|id| {
            self.opened.contains(id)
                && next_element_with_id(button, id).is_some_and(|panel| is_text_panel(panel))
        });
        let next_is_panel = || next_element(button).is_some_and(is_text_panel);
        shows_text
            || (is_called(element, is_disclosure_word) && next_is_panel())
            || next_element(button).is_some_and(|panel| {
                let is_hidden = panel.value().as_element().is_some_and(|e| Attrs::of(e).hidden);
                is_hidden && is_one_of_several_answers(panel) && is_text_panel(panel)
            })
    }
}

/// Returns whether a panel contains text rather than links or controls, and is not navigation.
fn is_text_panel(panel: NodeRef<Node>) -> bool {
    let Node::Element(element) = panel.value() else { return false };
    is_panel(element.name())
        && !is_called(element, is_overlay_word)
        && !in_site_navigation(panel)
        && Words::of(panel, usize::MAX).is_prose()
}

/// Returns the element with `id` if it follows the button: the button and the element, or elements
/// around them, are siblings.
fn next_element_with_id<'a>(button: NodeRef<'a, Node>, id: &str) -> Option<NodeRef<'a, Node>> {
    let has_id = |node: &NodeRef<Node>| {
        node.value().as_element().is_some_and(|element| element.attr("id") == Some(id))
    };
    button.ancestors().take(4).find_map(|above| above.descendants().find(has_id))
}

fn next_element<'a>(node: NodeRef<'a, Node>) -> Option<NodeRef<'a, Node>> {
    node.next_siblings().find(|sibling| sibling.value().is_element())
}

/// Returns whether an element can be a panel. Inline elements are icons and hints.
fn is_panel(name: &str) -> bool {
    rules::is_block(name) && !matches!(name, "p" | "hr" | "body" | "summary" | "caption")
        || name == "pre"
        || name.contains('-')
}

/// Returns whether a word occurs in the names of panels and of the controls that open them.
fn is_disclosure_word(word: &str) -> bool {
    matches!(
        word,
        "tab"
            | "tabs"
            | "tabbed"
            | "tabpanel"
            | "tabpanels"
            | "tabcontent"
            | "tabpane"
            | "tabitem"
            | "tabbody"
            | "pane"
            | "accordion"
            | "collapse"
            | "collapsible"
            | "expandable"
            | "expander"
            | "spoiler"
            | "disclosure"
            | "foldable"
            | "faq"
    )
}

/// Returns whether a word occurs in the names of overlays, which are not part of the page's text.
fn is_overlay_word(word: &str) -> bool {
    matches!(
        word,
        "modal"
            | "tooltip"
            | "popover"
            | "popup"
            | "toast"
            | "dropdown"
            | "offcanvas"
            | "cookie"
            | "consent"
            | "newsletter"
            | "subscribe"
            | "menu"
            | "navbar"
            | "nav"
            | "backdrop"
    )
}

fn is_heading_like(node: &Node) -> bool {
    node.as_element().is_some_and(|element| {
        rules::is_heading(element.name())
            || matches!(element.name(), "summary" | "dt" | "legend")
            || element.attr("role") == Some("heading")
    })
}

/// Returns whether a button has the text of a heading that has no other text. If there are several
/// buttons, this is the button that opens something, or the first button.
fn is_text_of(button: NodeRef<Node>, heading: NodeRef<Node>) -> bool {
    let is_button = |node: &NodeRef<Node>| super::is_named(node.value(), "button");
    let other_text = heading.descendants().any(|below| match below.value() {
        Node::Text(text) => {
            text.contains(char::is_alphanumeric)
                && !below.ancestors().take_while(|above| above.id() != heading.id()).any(|above| {
                    is_button(&above)
                        || above.value().as_element().is_some_and(|element| {
                            Attrs::of(element).hidden || super::heading::is_mark(element)
                        })
                })
        }
        _ => false,
    });
    if other_text {
        return false;
    }
    let opens = |node: &NodeRef<Node>| {
        node.value().as_element().is_some_and(|element| {
            element.attrs().any(|(name, _)| {
                matches!(
                    name,
                    "aria-expanded"
                        | "aria-controls"
                        | "data-toggle"
                        | "data-bs-toggle"
                        | "data-target"
                        | "data-bs-target"
                )
            })
        })
    };
    let buttons = || heading.descendants().filter(|node| is_button(node));
    let chosen = buttons().find(opens).or_else(|| buttons().next());
    chosen.is_some_and(|chosen| chosen.id() == button.id())
}

/// Returns whether the element before a hidden one is a button whose name is typical of
/// disclosures, or that has an attribute for whether its panel is open; or any element with a
/// script that shows something.
fn is_opened_by_the_control_before(node: NodeRef<Node>) -> bool {
    let Some(before) = node.prev_siblings().find(|sibling| sibling.value().is_element()) else {
        return false;
    };
    before.descendants().take(8).filter_map(|below| below.value().as_element()).any(|element| {
        let is_control = matches!(element.name(), "button" | "summary")
            || element.attr("role") == Some("button");
        (is_control
            && (element.attr("aria-expanded").is_some() || is_called(element, is_disclosure_word)))
            || element.attr("onclick").is_some_and(shows_something)
    })
}

/// Returns whether a script shows the element beside its control.
fn shows_something(script: &str) -> bool {
    let script = script.to_ascii_lowercase();
    ["toggle", "show", "next", "hidden", "display", "expand", "collaps", "accordion"]
        .iter()
        .any(|word| script.contains(word))
}

/// Returns whether a hidden element directly follows a button or a heading, and similar elements
/// follow similar ones, as answers follow their questions.
fn is_one_of_several_answers(node: NodeRef<Node>) -> bool {
    let hidden = |node: NodeRef<Node>| {
        node.value().as_element().is_some_and(|element| Attrs::of(element).hidden)
    };
    let is_question = |element: &Element| {
        element.name() == "button" || rules::is_heading(element.name()) || element.name() == "dt"
    };
    let alike = |a: &Element, b: &Element| {
        a.name() == b.name() && a.attr("class").unwrap_or("") == b.attr("class").unwrap_or("")
    };
    let question = |node: NodeRef<Node>| -> Option<Element> {
        let before = node.prev_siblings().find(|sibling| sibling.value().is_element())?;
        before.value().as_element().filter(|element| is_question(element)).cloned()
    };
    let (Some(answer), Some(own)) = (node.value().as_element(), question(node)) else {
        return false;
    };
    node.prev_siblings().chain(node.next_siblings()).take(MAX_SIBLINGS).any(|sibling| {
        hidden(sibling)
            && sibling.value().as_element().is_some_and(|other| alike(answer, other))
            && question(sibling).is_some_and(|other| alike(&own, &other))
    })
}

/// Returns whether a hidden element is one of several alternatives: a sibling of its kind is shown,
/// and there are controls for choosing.
fn is_one_of_several(node: NodeRef<Node>, element: &Element) -> bool {
    let own: Vec<&str> = names(element).filter(|name| !is_state(name)).collect();
    let siblings = node.prev_siblings().chain(node.next_siblings()).take(MAX_SIBLINGS);
    let alike: Vec<bool> = siblings
        .filter_map(|sibling| sibling.value().as_element())
        .filter(|other| {
            other.name() == element.name() && names(other).any(|name| own.contains(&name))
        })
        .map(|other| !Attrs::of(other).hidden)
        .collect();
    if alike.is_empty() {
        return false;
    }
    let is_shown = alike.contains(&true);
    let called_tabs = node.parent().and_then(|parent| parent.value().as_element());
    if is_shown && called_tabs.is_some_and(|parent| is_called(parent, is_disclosure_word)) {
        return true;
    }
    // A script may show the first panel. Then each panel has a control.
    let n_panels = alike.len() + 1;
    let mut at = Some(node);
    for _ in 0..MAX_LEVELS {
        let Some(below) = at else { return false };
        let chooses = below.prev_siblings().filter(|node| node.value().is_element()).take(4).any(
            |candidate| {
                let controls = candidate.descendants().filter(|below| is_choice(below.value()));
                let n_controls = controls.take(n_panels + 2).count();
                if is_shown { n_controls >= 2 } else { n_controls == n_panels }
            },
        );
        if chooses {
            return true;
        }
        at = below.parent().filter(|parent| {
            parent.value().as_element().is_some_and(|element| element.name() == "div")
        });
    }
    false
}

fn is_choice(node: &Node) -> bool {
    node.as_element().is_some_and(|element| match element.name() {
        "button" | "label" | "option" => true,
        "a" => element.attr("href").is_none_or(|href| href.starts_with(['#', 'j'])),
        "input" => element.attr("type") == Some("radio"),
        _ => matches!(element.attr("role"), Some("tab" | "button" | "radio")),
    })
}

/// Returns whether a name describes the state of a panel, not its kind.
fn is_state(name: &str) -> bool {
    matches!(
        name,
        "active"
            | "show"
            | "shown"
            | "hidden"
            | "hide"
            | "current"
            | "selected"
            | "open"
            | "fade"
            | "in"
            | "is-active"
            | "is-hidden"
    )
}

/// Returns whether an element belongs to the site's navigation: it is inside `<nav>`, the page's
/// header or footer, or a search form.
fn in_site_navigation(node: NodeRef<Node>) -> bool {
    let mut in_header = false;
    for above in std::iter::once(node).chain(node.ancestors()) {
        let Node::Element(element) = above.value() else { continue };
        match element.name() {
            "nav" | "footer" => return true,
            "header" => in_header = true,
            "main" | "article" => return false,
            _ => {}
        }
        if matches!(
            element.attr("role"),
            Some("navigation" | "search" | "banner" | "menubar" | "contentinfo")
        ) {
            return true;
        }
    }
    in_header
}

/// Returns the quoted words of a script: `openTab(event, 'linux')`.
fn quoted(script: &str) -> impl Iterator<Item = &str> {
    script.split(['\'', '"']).skip(1).step_by(2).map(|word| word.trim_start_matches('#'))
}

/// Returns whether a form contains text rather than controls. `page_words` is the number of words
/// of prose of the content around it.
pub(super) fn form_is_content(form: NodeRef<Node>, page_words: usize) -> bool {
    let words = Words::of(form, usize::MAX);
    let has_title = form.descendants().any(|below| {
        below
            .value()
            .as_element()
            .is_some_and(|element| matches!(element.name(), "h1" | "main" | "article"))
    });
    let explains = words.blocks > 1 && words.prose >= MIN_DIALOG_WORDS && !is_written_into(form);
    words.prose >= MIN_FORM_WORDS
        || words.prose * 2 > page_words
        || (has_title && words.prose > words.controls)
        || (words.inputs == 0 && words.blocks > 0 && words.prose > words.controls)
        || (explains && words.prose > words.controls)
}

/// Returns whether a form has fields to write into. A form that only has choices is part of an
/// explanation.
fn is_written_into(form: NodeRef<Node>) -> bool {
    form.descendants().filter_map(|below| below.value().as_element()).any(|element| {
        let kind = element.attr("type").unwrap_or("text");
        let is_choice = ["radio", "checkbox", "range", "hidden", "button", "submit", "reset"]
            .iter()
            .any(|choice| kind.eq_ignore_ascii_case(choice));
        element.name() == "textarea" || (element.name() == "input" && !is_choice)
    })
}

/// Returns whether a dialog is part of the text.
pub(super) fn dialog_is_content(
    dialog: NodeRef<Node>,
    element: &Element,
    in_content: bool,
    page_words: usize,
) -> bool {
    if is_called(element, |word| is_overlay_word(word) && word != "modal") {
        return false;
    }
    let words = Words::of(dialog, usize::MAX);
    words.prose * 2 > page_words
        || (in_content
            && words.is_prose()
            && words.inputs == 0
            && (words.prose >= MIN_DIALOG_WORDS || element.attr("open").is_some()))
}

/// Returns a short name of an element for reports, `div#id.class`, and its text without scripts.
pub(super) fn describe(node: NodeRef<Node>) -> (String, String) {
    let Some(element) = ElementRef::wrap(node) else { return Default::default() };
    let attrs = Attrs::of(element.value());
    let mut name = element.value().name().to_owned();
    if let Some(id) = attrs.id {
        name.push('#');
        name.push_str(id);
    }
    for class in attrs.class.split_ascii_whitespace().take(2) {
        name.push('.');
        name.push_str(class);
    }
    (name, text_without_scripts(element))
}

/// Returns the text of an element without the scripts, styles and templates inside of it.
fn text_without_scripts(element: ElementRef) -> String {
    let is_script = |node: NodeRef<Node>| {
        let name = node.value().as_element().map(|element| element.name());
        node.id() != element.id()
            && matches!(name, Some("script" | "style" | "template" | "noscript"))
    };
    let mut text = String::new();
    let mut inside_script = 0_usize;
    for edge in element.traverse() {
        match edge {
            Edge::Open(node) if is_script(node) => inside_script += 1,
            Edge::Close(node) if is_script(node) => inside_script -= 1,
            Edge::Open(node) if inside_script == 0 => {
                text.push_str(node.value().as_text().map_or("", |part| part));
            }
            _ => {}
        }
    }
    fold(&text)
}

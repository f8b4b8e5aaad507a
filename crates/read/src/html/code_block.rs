//! Code blocks: their visible text, without line numbers, copy buttons and hidden lines.

use ego_tree::NodeRef;
use ego_tree::iter::Edge;
use scraper::node::Element;
use scraper::{ElementRef, Node};

use super::super::left_out::{Rule, Trace};
use super::annotations;
use super::attrs::{Attrs, has_word, is_called, names};
use super::controls::describe;
use super::line_numbers::{Heads, NumberedTables, is_line_numbers};
use super::pop_ups;
use super::rules;
use super::text::{Words, has_code_block};

/// Largest number of words of a control beside code. An element with more words is text.
const MAX_CONTROL_WORDS: usize = 6;

/// Maximum number of words of the name of a language.
const MAX_LABEL_WORDS: usize = 3;

/// Returns the text of a code block. `pre` is a `<pre>`, or a table or container whose lines are
/// code.
pub(super) fn text(pre: NodeRef<Node>, annotated: bool, trace: &mut Trace) -> String {
    let is_pre = super::is_named(pre.value(), "pre");
    let mut code = String::new();
    let mut heads = Heads::default();
    let mut tables = NumberedTables::default();
    let mut starts: Vec<usize> = Vec::new();
    let mut skipped: Option<ego_tree::NodeId> = None;
    for edge in pre.traverse() {
        match edge {
            Edge::Open(node) if skipped.is_none() => match node.value() {
                // White space between the lines of a table or container is only markup.
                Node::Text(text) if !is_pre && !is_in_line(node, pre) && text.trim().is_empty() => {
                }
                Node::Text(text) => code.push_str(text),
                Node::Element(element) => {
                    if node.id() != pre.id()
                        && let Some(rule) = left_out(node, element, annotated, &mut tables)
                    {
                        trace.note(rule, || describe(node));
                        skipped = Some(node.id());
                        continue;
                    }
                    if element.name() == "br" || begins_line(node, element, pre) {
                        end_line(&mut code, element.name() == "br");
                    }
                    starts.push(code.len());
                }
                _ => {}
            },
            Edge::Close(node) => match skipped {
                Some(id) if id == node.id() => skipped = None,
                Some(_) => {}
                None => {
                    if let Node::Element(element) = node.value() {
                        let start = starts.pop().unwrap_or_default();
                        if start < code.len() && node.id() != pre.id() {
                            heads.note(&code, start, element);
                        }
                        if ends_line(node, element, pre) {
                            let is_blank =
                                start == code.len() && !code.is_empty() && is_line(element);
                            end_line(&mut code, is_blank);
                        }
                    }
                }
            },
            Edge::Open(_) => {}
        }
    }
    if heads.remove(&mut code) {
        trace.note(Rule::LineNumbers, || {
            ("pre".to_owned(), "numbers at the head of lines".to_owned())
        });
    }
    code
}

/// Returns the rule that leaves out an element inside a code block.
fn left_out(
    node: NodeRef<Node>,
    element: &Element,
    annotated: bool,
    tables: &mut NumberedTables,
) -> Option<Rule> {
    if rules::is_machinery(element.name()) {
        return Some(if rules::is_not_text(element.name()) {
            Rule::NotText
        } else {
            Rule::Control
        });
    }
    if element.attrs.is_empty() {
        return None;
    }
    let attrs = Attrs::of(element);
    if is_line_numbers(node, element, true, tables) {
        return Some(Rule::LineNumbers);
    }
    if attrs.hidden || attrs.has_class(|class| class == "boring") {
        return Some(Rule::HiddenCode);
    }
    if annotated && annotations::ignore(element).is_some() {
        return Some(Rule::Ignored);
    }
    if pop_ups::is_pop_up(node, element, &attrs) {
        return Some(Rule::PopUp);
    }
    let is_button = attrs.has_class(|class| {
        matches!(class, "copybtn" | "copy-button" | "viewcode-back" | "viewcode-link")
    });
    (is_button || is_code_control(node, element, &attrs, true)).then_some(Rule::CodeControl)
}

fn end_line(code: &mut String, always: bool) {
    if always || !(code.is_empty() || code.ends_with('\n')) {
        code.push('\n');
    }
}

/// Returns whether an element inside a code block begins a line.
fn begins_line(node: NodeRef<Node>, element: &Element, pre: NodeRef<Node>) -> bool {
    let is_row = matches!(element.name(), "tr" | "pre") || rules::is_block(element.name());
    node.id() != pre.id() && is_row && !is_in_line(node, pre)
}

/// Returns whether a node is part of a line of code: its number, its text.
fn is_in_line(node: NodeRef<Node>, pre: NodeRef<Node>) -> bool {
    node.ancestors().take_while(|above| above.id() != pre.id()).any(|above| {
        above.value().as_element().is_some_and(|above| is_line(above) || above.name() == "tr")
    })
}

fn ends_line(node: NodeRef<Node>, element: &Element, pre: NodeRef<Node>) -> bool {
    if begins_line(node, element, pre) {
        return true;
    }
    // Lines that only the style sheet separates: adjacent siblings.
    let next = node.next_sibling().and_then(|next| next.value().as_element());
    node.id() != pre.id()
        && next.is_some_and(|next| {
            (is_line(element) && is_line(next))
                || (element.name() == "code" && next.name() == "code")
        })
}

/// Returns whether an element has the name of a line of code.
fn is_line(element: &Element) -> bool {
    names(element).any(|name| {
        matches!(
            name,
            "line" | "code-line" | "token-line" | "view-line" | "ec-line" | "react-code-line"
        )
    })
}

/// Returns whether an element other than `<pre>` contains lines of code, such as Doxygen's
/// fragments.
pub(super) fn is_container_of_lines(node: NodeRef<Node>, attrs: &Attrs) -> bool {
    attrs.has_class(|class| class == "fragment") && {
        let mut lines = node.children().filter_map(|child| child.value().as_element()).peekable();
        lines.peek().is_some() && lines.all(|line| line.name() == "div" && is_line(line))
    }
}

/// Returns whether an element is a control of a code block: a copy button, a toolbar. An element is
/// a copy control if its name says so, it has few words and no code, and it is inside or next to a
/// code block.
pub(super) fn is_code_control(
    node: NodeRef<Node>,
    element: &Element,
    attrs: &Attrs,
    in_code: bool,
) -> bool {
    let called = copy_name(element);
    let is_label = is_language_label(attrs);
    let is_control = !leads_away(element) && is_called_a_control(element, attrs);
    if !(called.is_some() || is_label || is_control)
        || matches!(element.name(), "pre" | "code" | "table" | "main" | "article" | "body")
        || (element.name() == "p" && !(called.is_some() && is_control))
        || rules::is_heading(element.name())
        || has_code_block(node)
    {
        return false;
    }
    let words = Words::of(node, MAX_CONTROL_WORDS + 1);
    let n_words = words.prose + words.links + words.controls;
    let max = if is_label { MAX_LABEL_WORDS } else { MAX_CONTROL_WORDS };
    let is_sentence = || {
        ElementRef::wrap(node).is_some_and(|element| {
            n_words > 2 && annotations::text_of(element).ends_with(['.', ':', '。', '：'])
        })
    };
    words.blocks <= usize::from(element.name() == "p")
        && n_words <= max
        && (in_code || called == Some(CopyName::Clipboard) || is_beside_code(node))
        && !is_sentence()
}

/// The evidence of a copy control in the names of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CopyName {
    /// The element may be a copy control, but authors also use such names for texts.
    Copy,
    /// The element is always a copy control.
    Clipboard,
}

/// Returns whether a word only occurs in the names of copy controls.
fn is_clipboard(word: &str) -> bool {
    matches!(word, "clipboard" | "copybtn" | "copybutton" | "copycode" | "clippy")
}

/// Returns whether the names of an element are enough to recognise a copy control.
pub(super) fn is_clipboard_control(element: &Element) -> bool {
    is_called(element, is_clipboard)
}

fn copy_name(element: &Element) -> Option<CopyName> {
    let is_copy = |word: &str| matches!(word, "copy" | "copied") || is_clipboard(word);
    if is_clipboard_control(element) {
        return Some(CopyName::Clipboard);
    }
    // `body-copy` is the text of an advertisement.
    let is_text = |word: &str| matches!(word, "body" | "hero" | "main" | "marketing" | "ad");
    let called = names(element).any(|name| has_word(name, is_copy) && !has_word(name, is_text))
        || element.attrs().any(|(name, value)| match name {
            "title" | "aria-label" => value.len() < 40 && has_word(value, is_copy),
            "onclick" => has_word(value, is_copy),
            "href" => value.starts_with("javascript:") && has_word(value, is_copy),
            _ => false,
        });
    called.then_some(CopyName::Copy)
}

/// Returns whether a class says that an element names the language of a code block: `code-lang`.
fn is_language_label(attrs: &Attrs) -> bool {
    attrs.has_class(|class| {
        class.rsplit(['-', '_']).next().is_some_and(|word| matches!(word, "lang" | "language"))
    })
}

fn is_called_a_control(element: &Element, attrs: &Attrs) -> bool {
    attrs.role == "button"
        || is_called(element, |word| matches!(word, "btn" | "button" | "buttons" | "toolbar"))
}

/// Returns whether a link leads to another page: it is content, even if it looks like a button.
fn leads_away(element: &Element) -> bool {
    element.attr("href").is_some_and(|href| !href.starts_with(['#', 'j']) && !href.is_empty())
}

/// Returns whether a code block is next to an element, or next to one of the few containers around
/// it.
fn is_beside_code(node: NodeRef<Node>) -> bool {
    let mut at = node;
    for _ in 0..4 {
        let Some(parent) = at.parent() else { return false };
        let has_own_text = parent
            .children()
            .any(|child| child.value().as_text().is_some_and(|text| !text.trim().is_empty()));
        if has_own_text {
            return false;
        }
        if super::text::neighbours(at).any(has_code_block) {
            return true;
        }
        let is_limit = parent.value().as_element().is_none_or(|element| {
            matches!(element.name(), "p" | "li" | "td" | "section" | "article" | "main" | "body")
                || rules::is_heading(element.name())
        });
        if is_limit {
            return false;
        }
        at = parent;
    }
    false
}

//! HTML in the text of Markdown, which the parser reports tag by tag.

use scraper::{ElementRef, Html};

use super::super::html::marks;
use super::super::left_out::{Rule, Trace};
use super::super::outline::{Folded, fold};

/// State of reading the tags of a paragraph or heading.
#[derive(Default)]
pub(super) struct InlineHtml {
    /// The element whose content is left out: its name, and the number of open elements of that
    /// name.
    skipped: Option<(String, usize)>,
}

impl InlineHtml {
    /// Returns whether text is left out here.
    pub fn is_skipping(&self) -> bool {
        self.skipped.is_some()
    }

    /// Reads a tag; returns the anchor that it sets.
    pub fn tag(
        &mut self,
        tag: &str,
        in_heading: bool,
        sink: &mut Folded,
        trace: &mut Trace,
    ) -> Option<String> {
        let inner = tag.strip_prefix('<')?;
        let (closes, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
        let name = inner
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        if let Some((waiting, depth)) = &mut self.skipped {
            if name == *waiting && !tag.ends_with("/>") {
                *depth = if closes { depth.saturating_sub(1) } else { *depth + 1 };
                if *depth == 0 {
                    self.skipped = None;
                }
            }
            return None;
        }
        match (name.as_str(), closes) {
            ("script" | "style", false) => self.skipped = Some((name, 1)),
            ("br" | "p" | "div" | "li" | "td", _) => sink.space(),
            ("code" | "kbd" | "samp" | "tt", false) => sink.start_code(),
            ("code" | "kbd" | "samp" | "tt", true) => sink.end_code(),
            ("sup", true) => {
                if let Some(mark) = sink.end_raised() {
                    trace.note(Rule::ReferenceMark, || ("sup".to_owned(), mark));
                }
            }
            ("img", false) => {
                if let Some(text) = attribute(tag, "alt") {
                    sink.space();
                    sink.push(&text);
                    sink.space();
                }
            }
            (_, false) if !tag.ends_with("/>") => {
                let heading = Some(sink.as_str()).filter(|text| in_heading && !text.is_empty());
                if let Some(rule) = left_out(tag, heading) {
                    trace.note(rule, || (name.clone(), tag.to_owned()));
                    let id = attribute(tag, "id").filter(|_| in_heading);
                    self.skipped = Some((name, 1));
                    return id;
                }
                match name.as_str() {
                    "sup" => sink.start_raised(),
                    "a" => return attribute(tag, "id").or_else(|| attribute(tag, "name")),
                    "span" => return attribute(tag, "id"),
                    _ => {}
                }
            }
            ("a" | "span", false) => return attribute(tag, "id"),
            _ => {}
        }
        None
    }
}

/// Returns the rule that leaves out the element that a tag opens. `heading` is the text of the
/// heading before it.
fn left_out(tag: &str, heading: Option<&str>) -> Option<Rule> {
    if !tag.contains('=') && !tag.contains('-') && !tag.contains(" hidden") {
        return None;
    }
    let fragment = Html::parse_fragment(tag);
    let root = fragment.tree.root().children().find_map(ElementRef::wrap)?;
    let element = root.child_elements().next()?;
    marks::left_out_inline(element, heading)
}

/// Returns a quoted attribute of a tag.
pub(super) fn attribute(tag: &str, name: &str) -> Option<String> {
    let mut from = 0;
    while let Some(found) = tag[from..].find(name) {
        let at = from + found;
        from = at + name.len();
        if !tag[..at].ends_with(|c: char| c.is_ascii_whitespace()) {
            continue;
        }
        let Some(rest) = tag[from..].trim_start().strip_prefix('=').map(str::trim_start) else {
            continue;
        };
        let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let value = rest[1..].split(quote).next().unwrap_or_default();
        return Some(fold(value)).filter(|value| !value.is_empty());
    }
    None
}

/// Returns the anchor of the only tag of a piece of markup: `<a id="x"></a>` on a line of its own.
pub(super) fn anchor_of(markup: &str) -> Option<String> {
    let markup = markup.trim();
    let tag = markup.get(..markup.find('>')? + 1)?;
    let is_anchor = tag.starts_with("<a ") || tag.starts_with("<span ");
    attribute(tag, "id").or_else(|| attribute(tag, "name")).filter(|_| is_anchor)
}

/// Returns whether markup has text outside of tags, or a picture with a description.
pub(super) fn has_text(markup: &str) -> bool {
    let mut in_tag = false;
    let mut text = false;
    for c in markup.chars() {
        match c {
            '<' => in_tag = true,
            '>' if in_tag => in_tag = false,
            c if !in_tag && !c.is_whitespace() => {
                text = true;
                break;
            }
            _ => {}
        }
    }
    text || markup.contains("alt=")
}

//! Components of MDX: their tags are removed, their children stay.

use super::constructs::{balanced, literal, tag_len};
use super::dialects::Scanner;
use super::inline_html::attribute;

impl Scanner<'_, '_> {
    /// Removes the tag of a component, except a title that it shows. HTML tags stay, because they
    /// are part of Markdown.
    pub(super) fn jsx(&mut self) {
        let rest = self.rest();
        if rest.starts_with("<!--") {
            let len = rest.find("-->").map_or(rest.len(), |end| end + 3);
            self.leave_out(len);
            return;
        }
        let inner = rest[1..].strip_prefix('/').unwrap_or(&rest[1..]);
        let name_len = inner
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':')))
            .unwrap_or(inner.len());
        let name = &inner[..name_len];
        let is_fragment = name.is_empty() && inner.starts_with('>');
        if !is_fragment && !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return self.copy(1);
        }
        let Some(len) = tag_len(rest) else { return self.give_up(1, rest) };
        let tag = &rest[..len];
        let is_component =
            is_fragment || name.contains('.') || name.starts_with(|c: char| c.is_ascii_uppercase());
        if !is_component && !tag.contains('{') {
            return self.copy(len);
        }
        self.at += len;
        if !is_component {
            // An HTML tag with expressions in its attributes, which Markdown would not recognise.
            self.out.push_str(if tag.starts_with("</") { "</" } else { "<" });
            self.out.push_str(name);
            self.out.push_str(if tag.ends_with("/>") { " />" } else { ">" });
            return;
        }
        let is_tab = name.contains("Tab");
        let title = attribute(tag, "title").or_else(|| attribute(tag, "label").filter(|_| is_tab));
        let description = attribute(tag, "description");
        let shown = shown_properties(name, tag);
        let title = match (title, shown) {
            (title, None) => title,
            (None, shown) => shown,
            (Some(title), Some(shown)) => Some(format!("{title} {shown}")),
        };
        match (title, description) {
            (Some(title), Some(description)) => {
                self.out.push_str(&format!("{title}: {description}"))
            }
            (Some(text), None) | (None, Some(text)) => self.out.push_str(&text),
            (None, None) => return self.end_tag(tag),
        }
        if !self.rest().starts_with(char::is_whitespace) {
            self.out.push(' ');
        }
        self.end_tag(tag);
    }

    /// Begins a new line for the text after the tag of a component, if the source does so.
    fn end_tag(&mut self, tag: &str) {
        if tag.starts_with('<')
            && self.rest().starts_with('\n')
            && !self.out.ends_with('\n')
            && !self.out.ends_with(' ')
        {
            self.out.push('\n');
        }
    }
}

/// Properties whose values components show, in the order in which they show them.
const SHOWN: [&str; 13] = [
    "method", "endpoint", "path", "query", "body", "header", "name", "heading", "text", "summary",
    "caption", "question", "subtitle",
];

/// Returns the properties that a component shows, besides title and description.
fn shown_properties(name: &str, tag: &str) -> Option<String> {
    // The names of icons, pictures and form fields are not shown.
    let is_picture = ["Icon", "Image", "Img", "Svg", "Input", "Meta", "Link", "Script"]
        .iter()
        .any(|kind| name.contains(kind));
    if is_picture || tag.starts_with("</") {
        return None;
    }
    let values: Vec<String> = SHOWN
        .iter()
        .filter_map(|property| attribute(tag, property).or_else(|| expression(tag, property)))
        .collect();
    let is_field = ["path", "query", "body", "header", "name"]
        .iter()
        .any(|property| attribute(tag, property).is_some());
    let kind = attribute(tag, "type").filter(|_| is_field && name.contains("Field"));
    let all: Vec<String> = values.into_iter().chain(kind).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// Returns the value of `name={"value"}`.
fn expression(tag: &str, name: &str) -> Option<String> {
    let at = tag.find(&format!(" {name}={{"))?;
    let rest = &tag[at + name.len() + 2..];
    let len = balanced(rest)?;
    literal(rest[1..len - 1].trim()).map(str::to_owned)
}

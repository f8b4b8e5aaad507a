//! Components of MDX: their tags are removed, their children stay.

use super::constructs::tag_len;
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

    /// Text behind the tag of a component begins a line of its own where it does in the source.
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

//! Tags of HTML, JATS and MathML in a text.

use ego_tree::iter::Edge;
use scraper::Node;

/// Inline elements.
const INLINE: [&str; 22] = [
    "a", "abbr", "b", "cite", "code", "em", "font", "i", "italic", "bold", "mark", "q", "s", "sc",
    "small", "span", "strong", "sub", "sup", "tt", "u", "var",
];

/// Block elements.
const BLOCKS: [&str; 18] = [
    "br",
    "div",
    "h1",
    "h2",
    "h3",
    "h4",
    "li",
    "ol",
    "p",
    "sec",
    "section",
    "table",
    "td",
    "title",
    "tr",
    "ul",
    "list-item",
    "abstract",
];

/// Returns a text without tags, with its entities replaced. A `<` that does not begin a known tag
/// is text.
pub(super) fn without(text: &str) -> String {
    let has_tags = has_tags(text);
    if !has_tags && !has_entities(text) {
        return text.to_owned();
    }
    let escaped;
    let text = if has_tags {
        text
    } else {
        escaped = text.replace('<', "&lt;");
        &escaped
    };
    let mut out = String::with_capacity(text.len());
    let tree = scraper::Html::parse_fragment(text);
    for edge in tree.tree.root().traverse() {
        match edge {
            Edge::Open(node) | Edge::Close(node) if is_block(node.value()) => {
                if !out.ends_with([' ', '\n']) {
                    out.push_str(if is_paragraph(node.value()) { "\n\n" } else { " " });
                }
            }
            Edge::Open(node) => {
                if let Node::Text(text) = node.value() {
                    out.push_str(text);
                }
            }
            Edge::Close(_) => {}
        }
    }
    out.trim().to_owned()
}

fn name(node: &Node) -> Option<&str> {
    let Node::Element(element) = node else { return None };
    Some(local(element.name()))
}

/// Returns a name without its namespace: `jats:p` is `p`.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

fn is_block(node: &Node) -> bool {
    name(node).is_some_and(|name| BLOCKS.contains(&name))
}

fn is_paragraph(node: &Node) -> bool {
    name(node).is_some_and(|name| matches!(name, "p" | "sec" | "div"))
}

fn has_tags(text: &str) -> bool {
    text.match_indices('<').any(|(at, _)| {
        let rest = text[at + 1..].trim_start_matches('/');
        let is_end = |c: char| c.is_whitespace() || c == '>' || c == '/';
        let Some(end) = rest.find(is_end) else { return false };
        let lower = rest[..end].to_ascii_lowercase();
        let is_named = lower.starts_with("jats:") || lower.starts_with("mml:");
        let is_known = INLINE.contains(&lower.as_str()) || BLOCKS.contains(&lower.as_str());
        (is_named || is_known) && rest.contains('>')
    })
}

fn has_entities(text: &str) -> bool {
    text.match_indices('&').any(|(at, _)| {
        let rest = &text[at + 1..];
        let Some(end) = rest.find(';').filter(|end| (2..=10).contains(end)) else { return false };
        rest[..end].trim_start_matches('#').chars().all(|c| c.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_go_and_other_signs_stay() {
        for (text, expect) in [
            ("Graph kernels <i>in vivo</i>", "Graph kernels in vivo"),
            ("H<sub>2</sub>O &amp; ice", "H2O & ice"),
            ("<jats:title>Aim</jats:title><jats:p>We fold.</jats:p>", "Aim We fold."),
            ("<p>One</p><p>Two</p>", "One\n\nTwo"),
            ("a < b and c > d", "a < b and c > d"),
            ("Vec<T> of 3 &lt; 4", "Vec<T> of 3 < 4"),
            ("AT&T; R&D", "AT&T; R&D"),
            ("plain", "plain"),
            ("<b", "<b"),
        ] {
            assert_eq!(without(text), expect, "{text}");
        }
    }
}

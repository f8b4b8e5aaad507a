//! Attributes and icons that Python-Markdown and related dialects put into the text: `{ .md-button
//! }`, `{: .fs-6 }`, `:material-account:`.

/// Longest list of attributes, in bytes.
const MAX_LIST_BYTES: usize = 300;

/// Sets of icons whose names are written between colons.
const ICON_SETS: [&str; 6] =
    ["material-", "octicons-", "fontawesome-", "simple-", "lucide-", "tabler-"];

/// Returns the length of a list of attributes at the beginning of `text`, 0 if there is none.
/// `before` is the text in front of it.
pub(super) fn list_len(text: &str, before: &str) -> usize {
    let Some(end) = text
        .bytes()
        .take(MAX_LIST_BYTES)
        .position(|byte| byte == b'}' || byte == b'\n')
        .filter(|end| text.as_bytes()[*end] == b'}')
    else {
        return 0;
    };
    let inside = text[1..end].trim();
    let (marked, list) = match inside.strip_prefix(':') {
        Some(list) => (true, list.trim()),
        None => (inside.starts_with(['.', '#']), inside),
    };
    // `{key=value}` is a list after a link or a picture; elsewhere it may be text.
    let fits = if marked { !before.ends_with('{') } else { before.ends_with([')', ']', '}', '`']) };
    if fits && !list.is_empty() && is_list(list) { end + 1 } else { 0 }
}

/// Returns whether a text consists only of classes, ids and pairs. Values in quotation marks may
/// have spaces.
fn is_list(list: &str) -> bool {
    let mut rest = list;
    while !rest.is_empty() {
        let name_len = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '#' | '-' | '_' | ':')))
            .unwrap_or(rest.len());
        let name = &rest[..name_len];
        rest = &rest[name_len..];
        let is_mark = name.starts_with(['.', '#']) && name.len() > 1;
        if let Some(value) = rest.strip_prefix('=').filter(|_| !name.is_empty()) {
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
            let end = match quote {
                Some(quote) => value[1..].find(quote).map(|end| end + 2),
                None => Some(value.find(char::is_whitespace).unwrap_or(value.len())),
            };
            let Some(end) = end.filter(|end| *end > 0) else { return false };
            rest = &value[end..];
        } else if !is_mark {
            return false;
        }
        if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
            return false;
        }
        rest = rest.trim_start();
    }
    true
}

/// Returns the length of an icon's name between colons at the beginning of `text`, 0 if there is
/// none.
pub(super) fn icon_len(text: &str) -> usize {
    let Some(name) = text.strip_prefix(':') else { return 0 };
    if !ICON_SETS.iter().any(|set| name.starts_with(set)) {
        return 0;
    }
    let len = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(name.len());
    if name[len..].starts_with(':') { len + 2 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_attributes_are_told_from_text() {
        for (before, text, expect) in [
            ("[Go](x.md)", "{ .md-button .md-button--primary } x", 34),
            ("![a](a.png)", "{ width=\"300\" align=left }", 26),
            ("Text.\n", "{: .fs-6 .fw-300 }\n", 18),
            ("word ", "{ .annotate }", 13),
            ("set ", "{a=b}", 0),
            ("code ", "{ x }", 0),
            ("", "{.}", 0),
            ("css ", "{ .a: b }", 0),
            ("", "{\n.a }", 0),
        ] {
            assert_eq!(list_len(text, before), expect, "{before}{text}");
        }
    }

    #[test]
    fn names_of_icons() {
        assert_eq!(icon_len(":material-link: x"), 15);
        assert_eq!(icon_len(":octicons-link-16:"), 18);
        assert_eq!(icon_len(":rocket:"), 0);
        assert_eq!(icon_len(":material-link"), 0);
    }
}

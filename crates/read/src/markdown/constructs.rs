//! Constructs that site generators add to Markdown.

/// Longest tag, expression or shortcode, in bytes. A longer one is read as text.
pub(super) const MAX_CONSTRUCT: usize = 20_000;

/// Returns the text between two marks at the beginning of `text`.
pub(super) fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let inner = text.strip_prefix(open)?;
    let end = inner.find(close).filter(|end| *end <= MAX_CONSTRUCT)?;
    Some(&inner[..end])
}

/// Returns the length of a `{…}` at the beginning; braces in quotes do not count.
pub(super) fn balanced(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices().take_while(|(at, _)| *at < MAX_CONSTRUCT) {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match (quote, c) {
            (_, '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '`') => quote = Some(c),
            (None, '{') => depth += 1,
            (None, '}') => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the length of a tag at the beginning; `>` inside of quotes and braces does not end it.
pub(super) fn tag_len(text: &str) -> Option<usize> {
    let mut at = 1;
    while at < text.len().min(MAX_CONSTRUCT) {
        match text.as_bytes()[at] {
            b'>' => return Some(at + 1),
            b'{' => at += balanced(&text[at..])?,
            quote @ (b'"' | b'\'') => at += 2 + text[at + 1..].find(quote as char)?,
            b'<' => return None,
            _ => at += 1,
        }
    }
    None
}

/// Returns the contents of an expression that is only a quoted string.
pub(super) fn literal(expression: &str) -> Option<&str> {
    let quote = expression.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
    let inner = expression[1..].strip_suffix(quote)?;
    (!inner.contains(quote) && !inner.contains("${")).then_some(inner)
}

/// Returns the length of an `import` or `export` statement: up to the end of the line on which all
/// its brackets are closed.
pub(super) fn statement_len(text: &str) -> usize {
    let mut depth = 0i32;
    let mut len = 0;
    for line in text.split_inclusive('\n') {
        if len > 0 && depth <= 0 {
            break;
        }
        for byte in line.bytes() {
            match byte {
                b'{' | b'(' | b'[' => depth += 1,
                b'}' | b')' | b']' => depth -= 1,
                _ => {}
            }
        }
        len += line.len();
        if len > MAX_CONSTRUCT {
            break;
        }
    }
    len
}

/// Returns a parameter of a shortcode: `name="value"` or `name=value`.
pub(super) fn parameter(inner: &str, name: &str) -> Option<String> {
    super::inline_html::attribute(inner, name).or_else(|| {
        inner.split_ascii_whitespace().find_map(|word| {
            let value = word.strip_prefix(name)?.strip_prefix('=')?;
            (!value.starts_with(['"', '\''])).then(|| value.to_owned())
        })
    })
}

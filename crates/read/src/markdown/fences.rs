//! Fences of code blocks, and the marks that may precede them.

/// Returns a line without the marks of a block quotation and of a list item.
pub(super) fn unquoted(line: &str) -> &str {
    let mut line = line.trim_start();
    while let Some(rest) = line.strip_prefix('>') {
        line = rest.trim_start();
    }
    for mark in ["- ", "* ", "+ "] {
        if let Some(rest) = line.strip_prefix(mark) {
            return rest.trim_start();
        }
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    match line[digits..].strip_prefix(". ") {
        Some(rest) if digits > 0 => rest.trim_start(),
        _ => line,
    }
}

/// Returns the mark and length of a code fence, if a line is one.
pub(super) fn fence_of(line: &str) -> Option<(char, usize)> {
    let line = unquoted(line);
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let rest = line.trim_start_matches(mark);
    let len = line.len() - rest.len();
    (len >= 3 && !(mark == '`' && rest.contains('`'))).then_some((mark, len))
}

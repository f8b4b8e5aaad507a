//! The preparation of text for the parser. Titles of two lines become titles of one line. Text that
//! would make the parser slow or nest too deep is cut or refused.

use unicode_width::UnicodeWidthStr;

use super::macros;

/// Longest paragraph in bytes. The parser's time grows with the square of this length.
const MAX_PARAGRAPH_BYTES: usize = 16 << 10;

/// Deepest nesting of blocks.
const MAX_DEPTH: usize = 48;

/// Longest mark of a list's item: `*****`.
const MAX_MARK: usize = 16;

/// Longest value of an attribute that the parser keeps (`max-attribute-value-size`).
pub(super) const MAX_VALUE_BYTES: usize = 4096;

/// Largest number of bytes to which references to attributes may expand.
const MAX_REFERRED_BYTES: usize = 64 << 20;

/// Returns the text for the parser.
///
/// # Errors
/// If blocks nest too deep, or attributes would expand to too much text.
pub(super) fn prepared(text: &str) -> Result<String, String> {
    if referred_bytes(text) > MAX_REFERRED_BYTES {
        return Err(format!(
            "refers to long attributes so often that they become more than {MAX_REFERRED_BYTES} \
             bytes; write them out"
        ));
    }
    let mut prepared = String::with_capacity(text.len() + text.len() / 64);
    let mut open: Vec<&str> = Vec::new();
    let mut verbatim: Option<&str> = None;
    let mut before_blank = true;
    let mut paragraph = 0;
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        at += 1;
        if let Some(delimiter) = verbatim {
            if line == delimiter {
                verbatim = None;
            }
            push(&mut prepared, line);
            continue;
        }
        if line.is_empty() {
            (before_blank, paragraph) = (true, 0);
            prepared.push('\n');
            continue;
        }
        if before_blank
            && let Some((level, title)) = lines.get(at).and_then(|next| title(line, next))
        {
            at += 1;
            prepared.push_str(&"=".repeat(level));
            prepared.push(' ');
            push(&mut prepared, title);
            // The lines after the document's title are its author and its date.
            before_blank = level > 1;
            continue;
        }
        if is_delimiter(line) {
            if matches!(line.as_bytes()[0], b'-' | b'.' | b'+' | b'/' | b'`') && line != "--" {
                verbatim = Some(if line.starts_with('`') { "```" } else { line });
            } else if let Some(depth) = open.iter().rposition(|known| *known == line) {
                open.truncate(depth);
            } else {
                open.push(line);
                if open.len() > MAX_DEPTH {
                    return Err(format!("nests blocks more than {MAX_DEPTH} deep; close them"));
                }
            }
            (before_blank, paragraph) = (true, 0);
            push(&mut prepared, line);
            continue;
        }
        // A line of attributes or an anchor may precede a title.
        before_blank = before_blank && line.starts_with('[') && line.ends_with(']')
            || line.starts_with("//")
            || line.starts_with(':') && line[1..].contains(':');
        paragraph += line.len();
        if paragraph > MAX_PARAGRAPH_BYTES {
            paragraph = cut(&mut prepared, line);
        } else {
            push(&mut prepared, &macros::replaced(shallow(line)));
        }
    }
    Ok(prepared)
}

/// Returns the largest number of bytes to which the references to attributes can expand.
fn referred_bytes(text: &str) -> usize {
    let n_references = text.matches('{').count();
    let entries = text.lines().filter(|line| line.starts_with(':'));
    let longest = entries.map(|line| if line.contains('{') { MAX_VALUE_BYTES } else { line.len() });
    n_references * longest.max().unwrap_or(0).min(MAX_VALUE_BYTES)
}

fn push(prepared: &mut String, line: &str) {
    prepared.extend(line.chars().map(|c| if c == '\0' { ' ' } else { c }));
    prepared.push('\n');
}

/// Begins a new paragraph, and cuts a long line into several. Returns the length of the last line.
fn cut(prepared: &mut String, line: &str) -> usize {
    let mut rest = line;
    loop {
        prepared.push('\n');
        if rest.len() <= MAX_PARAGRAPH_BYTES {
            push(prepared, rest.trim_start());
            return rest.len();
        }
        let end = rest.floor_char_boundary(MAX_PARAGRAPH_BYTES);
        let end = rest[..end].rfind(' ').filter(|space| *space > 0).unwrap_or(end);
        push(prepared, rest[..end].trim_start());
        rest = &rest[end..];
    }
}

/// Returns a line whose list mark, if it has one, is not too long.
fn shallow(line: &str) -> &str {
    let text = line.trim_start();
    let Some(mark) = text.chars().next().filter(|c| matches!(c, '*' | '.' | '-' | '=')) else {
        return line;
    };
    let len = text.len() - text.trim_start_matches(mark).len();
    if len > MAX_MARK { &text[len - MAX_MARK..] } else { line }
}

/// Returns the level and the text of a title that its second line underlines.
fn title<'a>(line: &'a str, next: &str) -> Option<(usize, &'a str)> {
    let mark = next.chars().next()?;
    let level = match mark {
        '=' => 1,
        '-' => 2,
        '~' => 3,
        '^' => 4,
        '+' => 5,
        _ => return None,
    };
    let is_title = line.starts_with(|c: char| c.is_alphanumeric() || "`'\"_*({$@".contains(c))
        && line.contains(char::is_alphanumeric);
    (is_title
        && next.len() > 1
        && next.chars().all(|c| c == mark)
        && next.len().abs_diff(line.width()) <= 1)
        .then_some((level, line))
}

/// Returns whether a line opens or closes a block.
fn is_delimiter(line: &str) -> bool {
    if line == "--" || line.starts_with("```") {
        return true;
    }
    if matches!(line, "|===" | ",===" | ":===" | "!===") {
        return true;
    }
    let first = line.as_bytes()[0];
    line.len() >= 4
        && matches!(first, b'=' | b'-' | b'.' | b'*' | b'_' | b'+' | b'/')
        && line.bytes().all(|byte| byte == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        assert_eq!(prepared(text).unwrap(), expect);
    }

    #[test]
    fn titles_of_two_lines_become_titles_of_one() {
        check(
            "Tides(1)\n========\n:a: b\n\nNAME\n----\ntext\n",
            "= Tides(1)\n:a: b\n\n== NAME\ntext\n",
        );
        check("[[x]]\nOne\n~~~\n", "[[x]]\n=== One\n");
        let listing = "run this:\n----\ncode\n----\n";
        check(listing, listing);
        // Code contains no titles.
        check("----\n\nOne\n===\n----\n", "----\n\nOne\n===\n----\n");
        check("* an item\n-----------\n", "* an item\n-----------\n");
    }

    #[test]
    fn long_paragraphs_are_cut() {
        let long = "word ".repeat(MAX_PARAGRAPH_BYTES);
        let prepared = prepared(&long).unwrap();
        let longest = prepared.lines().map(str::len).max().unwrap();
        assert!(longest <= MAX_PARAGRAPH_BYTES);
        assert_eq!(prepared.split_whitespace().count(), MAX_PARAGRAPH_BYTES);
    }

    #[test]
    fn what_nests_too_deep_is_refused() {
        let deep: String = (4..100).map(|n| "=".repeat(n) + "\n").collect();
        assert!(prepared(&deep).is_err());
        check("****************** x\n", "**************** x\n");
    }
}

//! Lines of reStructuredText: indentation, marks of lists, underlines.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns of a tab.
const TAB: usize = 8;

/// Returns a text without tabs, carriage returns and white space at the ends of lines.
pub(super) fn expanded(text: &str) -> String {
    let mut expanded = String::with_capacity(text.len());
    for line in text.lines() {
        let mut column = 0;
        for c in line.trim_end().chars() {
            match c {
                '\t' => {
                    let width = TAB - column % TAB;
                    expanded.extend(std::iter::repeat_n(' ', width));
                    column += width;
                }
                '\u{b}' | '\u{c}' | '\0' => {
                    expanded.push(' ');
                    column += 1;
                }
                c => {
                    expanded.push(c);
                    column += c.width().unwrap_or(0);
                }
            }
        }
        expanded.push('\n');
    }
    expanded
}

pub(super) fn is_blank(line: &str) -> bool {
    line.trim_start().is_empty()
}

/// Returns the number of spaces with which a line begins.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Returns a line without its first `n` spaces, or without all its spaces if it has fewer.
pub(super) fn without_indent(line: &str, n: usize) -> &str {
    &line[indent(line).min(n)..]
}

/// Returns lines without the spaces that all of them begin with.
pub(super) fn dedent<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let common =
        lines.iter().filter(|line| !is_blank(line)).map(|line| indent(line)).min().unwrap_or(0);
    let lines = trim_blank(lines);
    lines.iter().map(|line| without_indent(line, common)).collect()
}

/// Returns lines without blank ones at the beginning and end.
pub(super) fn trim_blank<'a, 'l>(lines: &'l [&'a str]) -> &'l [&'a str] {
    let start = lines.iter().position(|line| !is_blank(line)).unwrap_or(lines.len());
    let end = lines.iter().rposition(|line| !is_blank(line)).map_or(start, |last| last + 1);
    &lines[start..end]
}

/// Returns the number of lines from the beginning that are blank or indented by at least `least`,
/// without blank ones at the end.
pub(super) fn indented_len(lines: &[&str], least: usize) -> usize {
    let mut len = 0;
    for (at, line) in lines.iter().enumerate() {
        if is_blank(line) {
            continue;
        }
        if indent(line) < least {
            break;
        }
        len = at + 1;
    }
    len
}

/// Returns the number of lines up to the first blank one.
pub(super) fn paragraph_len(lines: &[&str]) -> usize {
    lines.iter().position(|line| is_blank(line)).unwrap_or(lines.len())
}

/// Returns the character of a line that repeats one punctuation mark: a section's underline.
pub(super) fn adornment(line: &str) -> Option<char> {
    let first = line.chars().next().filter(char::is_ascii_punctuation)?;
    line.bytes().all(|byte| byte == first as u8).then_some(first)
}

/// Returns whether a line is long enough to underline a title.
pub(super) fn underlines(line: &str, title: &str) -> bool {
    adornment(line).is_some() && (line.len() >= 4 || line.len() >= title.trim().width())
}

/// Returns the column at which the content of a list item begins: `- text`.
pub(super) fn bullet(line: &str) -> Option<usize> {
    let mark = line.chars().next().filter(|c| matches!(c, '*' | '+' | '-' | '•' | '‣' | '⁃'))?;
    let rest = &line[mark.len_utf8()..];
    (rest.is_empty() || rest.starts_with(' '))
        .then(|| (mark.len_utf8() + indent(rest)).min(line.len()))
}

/// Returns the column at which the content of a numbered item begins: `1. text`, `(a) text`, `#.
/// text`.
pub(super) fn enumerator(line: &str) -> Option<usize> {
    let inner = line.strip_prefix('(').unwrap_or(line);
    let len = inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '#'))?;
    let (name, rest) = inner.split_at(len);
    let is_roman = || name.chars().all(|c| "ivxlcdmIVXLCDM".contains(c));
    let is_name = name == "#"
        || !name.is_empty() && name.len() <= 9 && name.bytes().all(|c| c.is_ascii_digit())
        || name.len() == 1 && name.as_bytes()[0].is_ascii_alphabetic()
        || !name.is_empty() && name.len() <= 12 && is_roman();
    let end = if inner.len() < line.len() { ")" } else { "." };
    let rest = match rest.strip_prefix(end) {
        Some(rest) => rest,
        None if inner.len() == line.len() => rest.strip_prefix(')')?,
        None => return None,
    };
    (is_name && (rest.is_empty() || rest.starts_with(' ')))
        .then(|| line.len() - rest.trim_start_matches(' ').len())
}

/// Returns the name of a field and the position of its text: `:name: text`.
pub(super) fn field(line: &str) -> Option<(&str, usize)> {
    let rest = line.strip_prefix(':')?;
    let mut from = 0;
    loop {
        let end = from + rest.get(from..)?.find(':')?;
        let name = &rest[..end];
        let behind = &rest[end + 1..];
        if name.is_empty() || name.starts_with([' ', ':']) || name.ends_with(' ') {
            return None;
        }
        if !name.ends_with('\\') && (behind.is_empty() || behind.starts_with(' ')) {
            return Some((name, line.len() - behind.trim_start_matches(' ').len()));
        }
        // `:param dict[str, :class:`x`]:` has colons in its name; a role at the beginning does not.
        if behind.starts_with('`') {
            return None;
        }
        from = end + 1;
    }
}

/// Returns the options of a command and the position of the text after them: `-a, --all=FILE
/// text`.
pub(super) fn options(line: &str) -> Option<(&str, usize)> {
    let end = line.find("  ").unwrap_or(line.len());
    let names = &line[..end];
    let is_option = |option: &str| {
        let mut words = option.trim().split([' ', '=']);
        let name = words.next().unwrap_or_default();
        let is_name = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '?')
                && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '?'))
        };
        let known = ["--", "-", "/"].iter().find_map(|mark| name.strip_prefix(mark));
        let argument = |word: &str| {
            word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '<')
                && !word.ends_with([',', '.'])
        };
        known.is_some_and(is_name) && words.next().is_none_or(argument) && words.next().is_none()
    };
    names.split(", ").all(is_option).then(|| {
        let text = &line[end..];
        (names, line.len() - text.trim_start_matches(' ').len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_become_spaces_up_to_the_next_stop() {
        assert_eq!(expanded("a\tb  \r\n\tc\n"), "a       b\n        c\n");
    }

    #[test]
    fn marks_of_items() {
        for (line, at) in [
            ("- a", Some(2)),
            ("*   a", Some(4)),
            ("-", Some(1)),
            ("-a", None),
            ("**a**", None),
            ("• a", Some(4)),
        ] {
            assert_eq!(bullet(line), at, "{line}");
        }
        for (line, at) in [
            ("1. a", Some(3)),
            ("12) a", Some(4)),
            ("(a) a", Some(4)),
            ("#. a", Some(3)),
            ("iv. a", Some(4)),
            ("1.5 a", None),
            ("word. a", None),
            ("(see) a", None),
        ] {
            assert_eq!(enumerator(line), at, "{line}");
        }
    }

    #[test]
    fn fields_and_options() {
        assert_eq!(field(":author: A. B."), Some(("author", 9)));
        assert_eq!(field(":param x:y: z"), Some(("param x:y", 12)));
        assert_eq!(field(":func:`x` is"), None);
        assert_eq!(field(":: x"), None);
        assert_eq!(options("-a, --all=FILE  text"), Some(("-a, --all=FILE", 16)));
        assert_eq!(options("--flag"), Some(("--flag", 6)));
        assert_eq!(options("-1 is a number"), None);
        assert_eq!(options("- a"), None);
    }

    #[test]
    fn underlines_are_as_long_as_the_title_or_four() {
        assert!(underlines("===", "One"));
        assert!(underlines("====", "A longer title"));
        assert!(!underlines("==", "One"));
        assert!(!underlines("=-=", "One"));
        assert!(!underlines("===", "日本"));
    }
}

//! A snippet in parts: the matches and the text between them.

use findling_engine::{SectionHit, Snippet};
use unicode_width::UnicodeWidthStr;

use crate::safe_text;

/// A stretch of a snippet, harmless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub text: String,
    /// Whether it matched.
    pub marked: bool,
}

/// Returns the parts of a snippet in order, with an ellipsis where text was left out. Line feeds
/// stay.
pub fn parts(snippet: &Snippet) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut push = |text: &str, marked: bool| {
        if !text.is_empty() {
            parts.push(Part { text: safe_text::lines(text).into_owned(), marked });
        }
    };
    if snippet.cut_start {
        push("…", false);
    }
    // Ranges count UTF-16 code units.
    let (mut at, mut from, mut marked) = (0, 0, false);
    for (byte, c) in snippet.text.char_indices() {
        let is_marked = snippet.ranges.iter().any(|&(start, end)| (start..end).contains(&at));
        if is_marked != marked {
            push(&snippet.text[from..byte], marked);
            (from, marked) = (byte, is_marked);
        }
        at += c.len_utf16() as u32;
    }
    push(&snippet.text[from..], marked);
    if snippet.cut_end {
        push("…", false);
    }
    parts
}

/// Returns a snippet on one line, harmless, without marks.
pub fn plain(snippet: &Snippet) -> String {
    let text: String = parts(snippet).into_iter().map(|part| part.text).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Breaks a snippet into lines of at most `width` columns (longer words stay whole). `mark` marks
/// what matched.
pub fn wrapped(snippet: &Snippet, width: usize, mark: impl Fn(&str) -> String) -> Vec<String> {
    let mut lines = Lines { width, ..Lines::default() };
    for part in parts(snippet) {
        let mut rest = part.text.as_str();
        while let Some(at) = rest.find(char::is_whitespace) {
            lines.add(&rest[..at], part.marked, &mark);
            lines.end_word(rest[at..].starts_with('\n'));
            rest = rest[at..].trim_start_matches(|c: char| c.is_whitespace() && c != '\n');
            rest = rest.strip_prefix('\n').map_or(rest, |next| {
                lines.end_word(true);
                next
            });
        }
        lines.add(rest, part.marked, &mark);
    }
    lines.end_word(true);
    lines.done
}

/// Returns whether a section is of source code, or most of its snippet is code.
pub fn is_of_code(section: &SectionHit) -> bool {
    let has = |name: &str| section.attributes.contains_key(name);
    has("line") && has("end_line") || is_code(&section.snippet)
}

/// Returns whether most of a snippet is code.
fn is_code(snippet: &Snippet) -> bool {
    let code: u32 = snippet.code.iter().map(|(start, end)| end - start).sum();
    code as usize * 2 > snippet.text.encode_utf16().count()
}

/// Returns the lines of a snippet as its source has them, without the indentation that all share.
/// `mark` marks the matches.
pub fn verbatim(snippet: &Snippet, mark: impl Fn(&str) -> String) -> Vec<String> {
    let blanks = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let full = snippet.text.lines().filter(|line| !line.trim().is_empty());
    let shared = full.map(blanks).min().unwrap_or_default();
    let (mut lines, mut line, mut column) = (Vec::new(), String::new(), 0);
    let mut parts = parts(snippet);
    if snippet.cut_start {
        lines.push(parts.remove(0).text);
    }
    for part in parts {
        for (i, text) in part.text.split('\n').enumerate() {
            if i > 0 {
                lines.push(std::mem::take(&mut line));
                column = 0;
            }
            let drop = shared.saturating_sub(column).min(blanks(text));
            column += text.len();
            let text = &text[drop..];
            if !text.is_empty() {
                line.push_str(&if part.marked { mark(text) } else { text.to_owned() });
            }
        }
    }
    lines.push(line);
    lines
}

#[derive(Default)]
struct Lines {
    width: usize,
    done: Vec<String>,
    line: String,
    column: usize,
    word: String,
    word_width: usize,
}

impl Lines {
    fn add(&mut self, text: &str, marked: bool, mark: impl Fn(&str) -> String) {
        if text.is_empty() {
            return;
        }
        self.word_width += text.width();
        self.word.push_str(&if marked { mark(text) } else { text.to_owned() });
    }

    fn end_word(&mut self, breaks: bool) {
        if !self.word.is_empty() {
            if self.column > 0 && self.column + 1 + self.word_width > self.width {
                self.done.push(std::mem::take(&mut self.line));
                self.column = 0;
            }
            if self.column > 0 {
                self.line.push(' ');
                self.column += 1;
            }
            self.column += std::mem::take(&mut self.word_width);
            self.line.push_str(&std::mem::take(&mut self.word));
        }
        if breaks && !self.line.is_empty() {
            self.done.push(std::mem::take(&mut self.line));
            self.column = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: usize = 96;

    fn lines(snippet: &Snippet) -> Vec<String> {
        wrapped(snippet, WIDTH, |text| format!("[{text}]"))
    }

    #[test]
    fn matches_are_marked_in_utf16_units() {
        let snippet = Snippet {
            // 😀 takes two units.
            text: "😀 share the data".into(),
            ranges: vec![(3, 8), (13, 17)],
            cut_end: true,
            ..Snippet::default()
        };
        assert_eq!(lines(&snippet), ["😀 [share] the [data]…"]);
        assert_eq!(plain(&snippet), "😀 share the data…");
    }

    #[test]
    fn long_snippets_wrap_and_code_keeps_its_lines() {
        let text = "word ".repeat(40) + "\nlet x;\n\nlet y;\u{1b}[2J";
        let got = lines(&Snippet { text, cut_start: true, ..Snippet::default() });
        assert!(got.iter().all(|line| line.chars().count() <= WIDTH));
        assert!(got[0].starts_with("…word word"));
        assert_eq!(got[got.len() - 2..], ["let x;", "let y;<U+001B>[2J"]);
    }

    #[test]
    fn code_is_shown_as_its_source_has_it() {
        let text = "    if x:\n        return  1\n\n    return 2";
        let snippet = Snippet {
            text: text.into(),
            ranges: vec![(7, 8)],
            code: vec![(0, text.len() as u32)],
            cut_end: true,
            ..Snippet::default()
        };
        assert!(is_code(&snippet));
        let lines = verbatim(&snippet, |text| format!("[{text}]"));
        assert_eq!(lines, ["if [x]:", "    return  1", "", "return 2…"]);
        let prose = Snippet { text: "a `b` c".into(), code: vec![(3, 4)], ..Snippet::default() };
        assert!(!is_code(&prose));
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let text = "漢字 ".repeat(30);
        let got = lines(&Snippet { text, ..Snippet::default() });
        assert_eq!(got[0].width(), 94);
    }
}

//! Colours code where it is read: comments, strings, numbers and common keywords.
//!
//! A preview shows pieces of code in any language, often without its name and cut in the middle, so
//! that no grammar fits. The rules for comments and strings hold in most languages; a wrong guess
//! only changes the colour of a word.

use std::ops::Range;

/// The role of a stretch of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Code,
    Keyword,
    String,
    Number,
    Comment,
}

/// Words that are keywords in several of the common languages, in order.
const KEYWORDS: &[&str] = &[
    "abstract",
    "and",
    "as",
    "async",
    "auto",
    "await",
    "begin",
    "bool",
    "boolean",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "def",
    "default",
    "del",
    "do",
    "done",
    "double",
    "dyn",
    "elif",
    "else",
    "elsif",
    "end",
    "enum",
    "esac",
    "except",
    "export",
    "extends",
    "extern",
    "false",
    "fi",
    "final",
    "finally",
    "float",
    "fn",
    "for",
    "from",
    "func",
    "function",
    "goto",
    "if",
    "impl",
    "implements",
    "import",
    "in",
    "instanceof",
    "int",
    "interface",
    "is",
    "lambda",
    "let",
    "local",
    "long",
    "loop",
    "match",
    "mod",
    "module",
    "move",
    "mut",
    "namespace",
    "new",
    "nil",
    "none",
    "not",
    "null",
    "operator",
    "or",
    "package",
    "pass",
    "private",
    "protected",
    "pub",
    "public",
    "raise",
    "ref",
    "require",
    "return",
    "self",
    "short",
    "signed",
    "sizeof",
    "static",
    "string",
    "struct",
    "super",
    "switch",
    "template",
    "then",
    "this",
    "throw",
    "trait",
    "true",
    "try",
    "type",
    "typedef",
    "typename",
    "typeof",
    "union",
    "unless",
    "unsafe",
    "unsigned",
    "until",
    "use",
    "using",
    "var",
    "virtual",
    "void",
    "when",
    "where",
    "while",
    "with",
    "yield",
];

/// Returns the stretches of a piece of code with their roles, in order, without gaps.
pub fn code(text: &str) -> Vec<(Range<usize>, Kind)> {
    let mut pieces = Pieces::default();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let before = text[..at].chars().next_back();
        let (len, kind) = if let Some(len) = comment(rest, before) {
            (len, Kind::Comment)
        } else if let Some(len) = string(rest, before) {
            (len, Kind::String)
        } else if c.is_alphabetic() || c == '_' {
            let len = length(rest, |c| c.is_alphanumeric() || c == '_');
            let word = rest[..len].to_ascii_lowercase();
            let known = KEYWORDS.binary_search(&word.as_str()).is_ok();
            (len, if known { Kind::Keyword } else { Kind::Code })
        } else if c.is_ascii_digit() {
            (length(rest, |c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_')), Kind::Number)
        } else {
            (c.len_utf8(), Kind::Code)
        };
        pieces.add(at, at + len, kind);
        at += len;
    }
    pieces.0
}

/// Returns the length of a comment that begins here.
fn comment(rest: &str, before: Option<char>) -> Option<usize> {
    let to_line_end = || Some(rest.find('\n').unwrap_or(rest.len()));
    if rest.starts_with("/*") {
        return Some(rest.find("*/").map_or(rest.len(), |end| end + 2));
    }
    let at_start = before.is_none_or(char::is_whitespace);
    // `http://`, `#include`, `#[derive]`, `$#` and `--flag` do not begin a comment.
    let is_line = rest.starts_with("//") && before != Some(':')
        || rest.starts_with("# ") && at_start
        || rest.starts_with("-- ") && at_start;
    if is_line { to_line_end() } else { None }
}

/// Returns the length of a string that begins and ends on this line.
fn string(rest: &str, before: Option<char>) -> Option<usize> {
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    // An apostrophe in a word or a lifetime in Rust does not begin a string.
    let is_none = |c: char| c.is_alphanumeric() || matches!(c, '<' | '&');
    if quote == '\'' && before.is_some_and(is_none) {
        return None;
    }
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(at + c.len_utf8()),
            _ => {}
        }
    }
    None
}

fn length(rest: &str, belongs: impl Fn(char) -> bool) -> usize {
    rest.find(|c| !belongs(c)).unwrap_or(rest.len())
}

/// Joins adjacent stretches of the same role.
#[derive(Default)]
struct Pieces(Vec<(Range<usize>, Kind)>);

impl Pieces {
    fn add(&mut self, start: usize, end: usize, kind: Kind) {
        match self.0.last_mut() {
            Some((last, of)) if *of == kind => last.end = end,
            _ => self.0.push((start..end, kind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kinds(text: &str) -> Vec<(String, Kind)> {
        let of_kind = code(text).into_iter().filter(|(_, kind)| *kind != Kind::Code);
        of_kind.map(|(range, kind)| (text[range].to_owned(), kind)).collect()
    }

    fn check(text: &str, expect: &[(&str, Kind)]) {
        let expect: Vec<_> = expect.iter().map(|(text, kind)| ((*text).into(), *kind)).collect();
        assert_eq!(kinds(text), expect, "{text}");
    }

    #[test]
    fn the_keywords_are_in_order() {
        assert!(KEYWORDS.is_sorted());
    }

    #[test]
    fn comments_strings_numbers_and_keywords_are_found() {
        use Kind::{Comment, Keyword, Number, String};
        check("let x = 0x1f; // y", &[("let", Keyword), ("0x1f", Number), ("// y", Comment)]);
        check("say(\"a \\\" b\")", &[("\"a \\\" b\"", String)]);
        check("/* a\n b */ if", &[("/* a\n b */", Comment), ("if", Keyword)]);
        check("# in a shell\nx", &[("# in a shell", Comment)]);
        check("#include <x.h>", &[]);
        check("https://example.org", &[]);
        check("fn f<'a>(x: &'a T)", &[("fn", Keyword)]);
        check("it doesn't", &[]);
        check("returned", &[]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "[a-z'\"`/*# \n漢é\\\\0-9-]{0,50}") {
            let all: String = code(&text).into_iter().map(|(range, _)| &text[range]).collect();
            prop_assert_eq!(all, text);
        }
    }
}

//! Snippets as data. The engine counts in UTF-16 code units, as JavaScript does; Rust slices by
//! bytes.

use findling_engine::Snippet;

/// A stretch of a snippet's text that is shown in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// Plain text, never markup.
    pub text: &'a str,
    /// Whether it matches the query.
    pub marked: bool,
    /// Whether it is code.
    pub code: bool,
}

/// Returns the text of a snippet, divided where its presentation changes. The parts together are
/// the text.
pub fn parts(snippet: &Snippet) -> Vec<Part<'_>> {
    let within = |ranges: &[(u32, u32)], at: u32| {
        ranges.iter().any(|&(start, end)| (start..end).contains(&at))
    };
    let mut parts: Vec<Part> = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut last = None;
    for (byte, character) in snippet.text.char_indices() {
        let kind = (within(&snippet.ranges, at), within(&snippet.code, at));
        if let Some((marked, code)) = last.filter(|last| *last != kind) {
            parts.push(Part { text: &snippet.text[start..byte], marked, code });
            start = byte;
        }
        last = Some(kind);
        at += character.len_utf16() as u32;
    }
    if let Some((marked, code)) = last {
        parts.push(Part { text: &snippet.text[start..], marked, code });
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divided(
        text: &str,
        ranges: &[(u32, u32)],
        code: &[(u32, u32)],
    ) -> Vec<(String, bool, bool)> {
        let snippet = Snippet {
            text: text.into(),
            ranges: ranges.into(),
            code: code.into(),
            ..Snippet::default()
        };
        parts(&snippet).iter().map(|part| (part.text.to_owned(), part.marked, part.code)).collect()
    }

    #[test]
    fn ranges_are_in_utf_16_units() {
        let expect = |text: &str, marked| (text.to_owned(), marked, false);
        assert_eq!(
            divided("𝕏 ärger now", &[(3, 8)], &[]),
            [expect("𝕏 ", false), expect("ärger", true), expect(" now", false)]
        );
    }

    #[test]
    fn code_and_matches_overlap() {
        let text = |text: &str, marked, code| (text.to_owned(), marked, code);
        assert_eq!(
            divided("call f(x)", &[(5, 6)], &[(5, 9)]),
            [text("call ", false, false), text("f", true, true), text("(x)", false, true)]
        );
    }

    #[test]
    fn an_empty_text_has_no_parts_and_wild_ranges_do_no_harm() {
        assert!(divided("", &[(0, 3)], &[]).is_empty());
        assert_eq!(divided("ab", &[(1, u32::MAX)], &[(9, 3)]).len(), 2);
    }
}

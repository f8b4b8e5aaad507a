//! Words divided at the end of a line.

use std::collections::HashSet;

/// The words of a document, which show whether a hyphen at the end of a line belongs to the word.
#[derive(Debug, Default)]
pub(super) struct Hyphens {
    /// Words with a hyphen inside a line, in lower case: `well-known`.
    compounds: HashSet<String>,
    /// Words inside lines, in lower case.
    words: HashSet<String>,
    /// Whether the document divides words with a special character, so that `-` always belongs to
    /// the word.
    has_soft: bool,
}

impl Hyphens {
    /// Learns the words of a document's lines, without the divided ones.
    pub fn learn<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut known = Self::default();
        for line in lines {
            known.has_soft |= line.ends_with('\u{ad}');
            let mut words = line.split_whitespace().peekable();
            let mut is_first = true;
            while let Some(word) = words.next() {
                let is_last = words.peek().is_none();
                let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-');
                // The ends of a line may be parts of words.
                if !is_first && !is_last && !word.is_empty() {
                    let word = word.to_lowercase();
                    if word.contains('-') {
                        known.compounds.insert(word);
                    } else {
                        known.words.insert(word);
                    }
                }
                is_first = false;
            }
        }
        known
    }

    /// Appends a line to the text before it. A hyphen at the end of the text is removed if the line
    /// continues a divided word.
    pub fn append(&self, text: &mut String, line: &str) {
        if text.is_empty() {
            text.push_str(line);
            return;
        }
        match self.joint(text, line) {
            Joint::Space => text.push(' '),
            Joint::Keep => {}
            Joint::Drop => {
                text.pop();
            }
        }
        text.push_str(line);
    }

    fn joint(&self, text: &str, line: &str) -> Joint {
        let Some(last) = text.chars().next_back() else { return Joint::Keep };
        let next = line.chars().next();
        if last == '\u{ad}' {
            return Joint::Drop;
        }
        if !matches!(last, '-' | '\u{2010}') {
            // Chinese and Japanese have no spaces between words.
            let is_wide = |c: char| ('\u{2e80}'..='\u{9fff}').contains(&c) || c >= '\u{f900}';
            let both = is_wide(last) && next.is_some_and(is_wide);
            return if both { Joint::Keep } else { Joint::Space };
        }
        let before = &text[..text.len() - last.len_utf8()];
        let Some(head) = last_word(before) else { return Joint::Space };
        // `-` after a space is a dash, or the beginning of an option.
        if !head.chars().next_back().is_some_and(char::is_alphabetic) {
            return if head.is_empty() { Joint::Space } else { Joint::Keep };
        }
        if !next.is_some_and(char::is_lowercase) {
            return Joint::Keep;
        }
        let tail: String = line.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect();
        let tail = tail.trim_end_matches('-').to_lowercase();
        let head = head.to_lowercase();
        let is_word = self.words.contains(&format!("{head}{tail}"));
        let is_compound = self.has_soft
            || head.contains('-')
            || self.compounds.contains(&format!("{head}-{tail}"));
        if is_compound && !is_word { Joint::Keep } else { Joint::Drop }
    }
}

/// The text between two joined lines.
enum Joint {
    Space,
    /// Nothing; the hyphen is kept.
    Keep,
    /// Nothing; the hyphen is removed.
    Drop,
}

/// Returns the text after the last white space, without punctuation before the word.
fn last_word(text: &str) -> Option<&str> {
    let word = text.rsplit(char::is_whitespace).next()?;
    Some(word.trim_start_matches(|c: char| !c.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(lines: &[&str]) -> String {
        let hyphens = Hyphens::learn(lines.iter().copied());
        let mut text = String::new();
        for line in lines {
            hyphens.append(&mut text, line);
        }
        text
    }

    #[test]
    fn divided_words_are_joined() {
        assert_eq!(joined(&["an exam-", "ple of it"]), "an example of it");
        assert_eq!(joined(&["an exam\u{ad}", "ple", "well-", "known"]), "an example well-known");
        assert_eq!(joined(&["two", "words"]), "two words");
    }

    #[test]
    fn compounds_keep_their_hyphen_where_the_document_shows_it() {
        assert_eq!(
            joined(&["a well-known fact is well-", "known here"]),
            "a well-known fact is well-known here"
        );
        // The document also has the word without a hyphen.
        assert_eq!(
            joined(&["the re-use and reuse is a re-", "use"]),
            "the re-use and reuse is a reuse"
        );
    }

    #[test]
    fn dashes_numbers_and_names_are_no_divided_words() {
        assert_eq!(joined(&["pages 10-", "12 of it"]), "pages 10-12 of it");
        assert_eq!(joined(&["this -", "or that"]), "this - or that");
        assert_eq!(joined(&["Anglo-", "American"]), "Anglo-American");
    }

    #[test]
    fn chinese_lines_are_joined_without_a_space() {
        assert_eq!(joined(&["全文", "检索"]), "全文检索");
    }
}

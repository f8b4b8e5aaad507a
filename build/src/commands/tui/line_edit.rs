//! A line of text that is edited. The cursor moves by grapheme clusters, and deletions remove whole
//! clusters.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Maximum number of bytes of a line. Pasted text beyond this is dropped.
const MAX_LEN: usize = 4 << 10;

/// A line and the place of the cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineEdit {
    text: String,
    /// A byte between two grapheme clusters.
    cursor: usize,
}

/// The visible part of a line, and the cursor's place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visible<'a> {
    pub text: &'a str,
    /// In columns.
    pub cursor: usize,
}

/// A change of a line, or of the cursor's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    Insert(char),
    Backspace,
    Delete,
    DeleteWord,
    DeleteToStart,
    DeleteToEnd,
    Left,
    Right,
    WordLeft,
    WordRight,
    Start,
    End,
}

impl LineEdit {
    /// Returns a line with the cursor at its end.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { cursor: text.len(), text }
    }

    /// Returns the line.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Inserts a text on one line, without control characters.
    pub fn paste(&mut self, text: &str) {
        for c in text.chars() {
            self.apply(Edit::Insert(if c.is_whitespace() { ' ' } else { c }));
        }
    }

    /// Changes the line. Returns whether its text has changed.
    pub fn apply(&mut self, edit: Edit) -> bool {
        let before = self.text.len();
        match edit {
            Edit::Insert(c) => return self.insert(c),
            Edit::Backspace => self.delete(self.left()),
            Edit::Delete => self.delete(self.right()),
            Edit::DeleteWord => self.delete(self.word_left()),
            Edit::DeleteToStart => self.delete(0),
            Edit::DeleteToEnd => self.delete(self.text.len()),
            Edit::Left => self.cursor = self.left(),
            Edit::Right => self.cursor = self.right(),
            Edit::WordLeft => self.cursor = self.word_left(),
            Edit::WordRight => self.cursor = self.word_right(),
            Edit::Start => self.cursor = 0,
            Edit::End => self.cursor = self.text.len(),
        }
        self.text.len() != before
    }

    fn insert(&mut self, c: char) -> bool {
        if c.is_control() || self.text.len() + c.len_utf8() > MAX_LEN {
            return false;
        }
        self.text.insert(self.cursor, c);
        self.cursor += c.len_utf8();
        true
    }

    /// Deletes the text between the cursor and another place.
    fn delete(&mut self, other: usize) {
        let (start, end) = (self.cursor.min(other), self.cursor.max(other));
        self.text.replace_range(start..end, "");
        self.cursor = start;
    }

    fn left(&self) -> usize {
        let before = self.text[..self.cursor].grapheme_indices(true).next_back();
        before.map_or(0, |(at, _)| at)
    }

    fn right(&self) -> usize {
        let after = self.text[self.cursor..].graphemes(true).next();
        self.cursor + after.map_or(0, str::len)
    }

    fn word_left(&self) -> usize {
        self.text[..self.cursor].unicode_word_indices().next_back().map_or(0, |(at, _)| at)
    }

    fn word_right(&self) -> usize {
        let after = self.text[self.cursor..].unicode_word_indices().next();
        after.map_or(self.text.len(), |(at, word)| self.cursor + at + word.len())
    }

    /// Returns the part around the cursor that fits into `width` columns, one of which is for the
    /// cursor after the end.
    pub fn visible(&self, width: usize) -> Visible<'_> {
        let room = width.saturating_sub(1);
        let mut start = 0;
        let mut column = self.text[..self.cursor].width();
        for cluster in self.text[..self.cursor].graphemes(true) {
            if column <= room {
                break;
            }
            start += cluster.len();
            column = self.text[start..self.cursor].width();
        }
        let mut end = self.cursor;
        let mut used = column;
        for cluster in self.text[self.cursor..].graphemes(true) {
            used += cluster.width();
            if used > room {
                break;
            }
            end += cluster.len();
        }
        Visible { text: &self.text[start..end], cursor: column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &str, edits: &[Edit]) -> (String, usize) {
        let mut line = LineEdit::new(text);
        for edit in edits {
            line.apply(*edit);
        }
        (line.text().to_owned(), line.cursor)
    }

    #[test]
    fn what_a_reader_sees_as_one_letter_is_moved_over_and_deleted_as_one() {
        for cluster in ["e\u{301}", "👩\u{200d}💻", "क्षि", "漢", "ש\u{5b8}"] {
            let text = format!("a{cluster}");
            assert_eq!(after(&text, &[Edit::Backspace]), ("a".into(), 1), "{cluster}");
            assert_eq!(after(&text, &[Edit::Left]).1, 1, "{cluster}");
            let moves = [Edit::Start, Edit::Right, Edit::Delete];
            assert_eq!(after(&text, &moves), ("a".into(), 1), "{cluster}");
        }
    }

    #[test]
    fn words_and_ends() {
        assert_eq!(after("share some data", &[Edit::DeleteWord]), ("share some ".into(), 11));
        let middle = [Edit::WordLeft, Edit::WordLeft];
        assert_eq!(after("share some data", &middle).1, 6);
        let cut = [&middle[..], &[Edit::DeleteToEnd]].concat();
        assert_eq!(after("share some data", &cut), ("share ".into(), 6));
        let cut = [&middle[..], &[Edit::DeleteToStart]].concat();
        assert_eq!(after("share some data", &cut), ("some data".into(), 0));
        assert_eq!(after("a b", &[Edit::Start, Edit::WordRight]).1, 1);
        assert_eq!(
            after("", &[Edit::Backspace, Edit::Delete, Edit::DeleteWord]),
            (String::new(), 0)
        );
    }

    #[test]
    fn no_control_character_enters_and_the_length_is_limited() {
        let mut line = LineEdit::default();
        line.paste("a\u{1b}[2J\nb\t漢");
        assert_eq!(line.text(), "a[2J b 漢");
        line.paste(&"x".repeat(2 * MAX_LEN));
        assert_eq!(line.text().len(), MAX_LEN);
    }

    #[test]
    fn the_cursor_stays_visible() {
        let mut line = LineEdit::new("漢字を探す abc");
        for width in 2..30 {
            for _ in 0..2 {
                let Visible { text, cursor } = line.visible(width);
                assert!(text.width() < width && cursor < width, "{width}: {text}");
                line.apply(Edit::WordLeft);
            }
            line.apply(Edit::End);
        }
        assert_eq!(line.visible(4), Visible { text: "abc", cursor: 3 });
        assert_eq!(line.visible(40), Visible { text: "漢字を探す abc", cursor: 14 });
    }
}

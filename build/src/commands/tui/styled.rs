//! Text in pieces of one kind each, and its lines at a width.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::commands::highlight;

/// The role of a piece of text. The theme has a style for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    #[default]
    Plain,
    /// Matched the query.
    Marked,
    Heading,
    Dim,
    Code,
    Keyword,
    String,
    Number,
    Comment,
}

impl From<highlight::Kind> for Kind {
    fn from(kind: highlight::Kind) -> Self {
        match kind {
            highlight::Kind::Code => Self::Code,
            highlight::Kind::Keyword => Self::Keyword,
            highlight::Kind::String => Self::String,
            highlight::Kind::Number => Self::Number,
            highlight::Kind::Comment => Self::Comment,
        }
    }
}

/// A piece of text. Harmless, without control characters but line feeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    pub text: String,
    pub kind: Kind,
}

impl Piece {
    /// Returns a piece of a kind.
    pub fn new(text: impl Into<String>, kind: Kind) -> Self {
        Self { text: text.into(), kind }
    }
}

/// A line on the screen.
pub type Line = Vec<Piece>;

/// Breaks pieces into lines of at most `width` columns: at white space, between wide characters,
/// and inside words that are longer than a line.
pub fn wrap(pieces: &[Piece], width: usize) -> Vec<Line> {
    let mut lines = Lines { width: width.max(2), ..Lines::default() };
    for piece in pieces {
        for cluster in piece.text.graphemes(true) {
            lines.add(cluster, piece.kind);
        }
    }
    lines.finish()
}

/// Returns the first `width` columns of pieces, with an ellipsis where something is left out.
pub fn cut(pieces: &[Piece], width: usize) -> Line {
    let total: usize = pieces.iter().map(|piece| piece.text.width()).sum();
    if total <= width {
        return pieces.to_vec();
    }
    let (mut line, mut used) = (Line::new(), 0);
    for piece in pieces {
        for cluster in piece.text.graphemes(true) {
            if used + cluster.width() + 1 > width {
                if width > 0 {
                    push(&mut line, "…", Kind::Dim);
                }
                return line;
            }
            used += cluster.width();
            push(&mut line, cluster, piece.kind);
        }
    }
    line
}

/// Adds text to the last piece, or as another one if it is of another kind.
fn push(line: &mut Line, text: &str, kind: Kind) {
    match line.last_mut() {
        Some(last) if last.kind == kind => last.text.push_str(text),
        _ => line.push(Piece::new(text, kind)),
    }
}

#[derive(Default)]
struct Lines {
    width: usize,
    done: Vec<Line>,
    line: Line,
    column: usize,
    /// The text since the last place where a line may end.
    word: Line,
    word_width: usize,
}

impl Lines {
    fn add(&mut self, cluster: &str, kind: Kind) {
        if cluster == "\n" || cluster == "\r\n" {
            self.end_word();
            self.end_line();
            return;
        }
        let cluster = if cluster == "\t" { "    " } else { cluster };
        let columns = cluster.width();
        if cluster.trim().is_empty() {
            self.end_word();
            if self.column + columns <= self.width {
                push(&mut self.line, cluster, kind);
                self.column += columns;
            }
            return;
        }
        if columns > 1 {
            self.end_word();
        }
        if self.word_width + columns > self.width {
            self.end_word();
            self.end_line();
        }
        push(&mut self.word, cluster, kind);
        self.word_width += columns;
        if columns > 1 {
            self.end_word();
        }
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        if self.column + self.word_width > self.width {
            self.end_line();
        }
        for piece in std::mem::take(&mut self.word) {
            push(&mut self.line, &piece.text, piece.kind);
        }
        self.column += std::mem::take(&mut self.word_width);
    }

    fn end_line(&mut self) {
        self.done.push(std::mem::take(&mut self.line));
        self.column = 0;
    }

    fn finish(mut self) -> Vec<Line> {
        self.end_word();
        if !self.line.is_empty() {
            self.end_line();
        }
        self.done
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(line: &Line) -> String {
        line.iter().map(|piece| piece.text.as_str()).collect()
    }

    fn wrapped(input: &str, width: usize) -> Vec<String> {
        wrap(&[Piece::new(input, Kind::Plain)], width).iter().map(text).collect()
    }

    #[test]
    fn lines_end_at_white_space_and_between_wide_characters() {
        assert_eq!(wrapped("share the data", 9), ["share the", "data"]);
        assert_eq!(wrapped("漢字を探す", 5), ["漢字", "を探", "す"]);
        assert_eq!(wrapped("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrapped("a\n\n  b\tc", 20), ["a", "", "  b    c"]);
        assert_eq!(wrapped("שלום לכולם", 6), ["שלום ", "לכולם"]);
    }

    #[test]
    fn a_kind_stays_with_its_text() {
        let pieces = [Piece::new("the ", Kind::Plain), Piece::new("mutex", Kind::Marked)];
        let lines = wrap(&pieces, 6);
        assert_eq!(lines[1], [Piece::new("mutex", Kind::Marked)]);
        assert_eq!(text(&cut(&pieces, 7)), "the mu…");
        assert_eq!(cut(&pieces, 9), pieces);
        assert_eq!(cut(&pieces, 0), []);
    }

    proptest! {
        #[test]
        fn no_line_is_wider_and_nothing_is_lost(
            input in "[ab 漢é\u{301}שx\n]{0,60}",
            width in 2_usize..20,
        ) {
            let lines = wrapped(&input, width);
            for line in &lines {
                prop_assert!(line.width() <= width, "{line:?}");
            }
            let visible = |text: &str| -> String {
                text.chars().filter(|c| !c.is_whitespace()).collect()
            };
            prop_assert_eq!(visible(&lines.concat()), visible(&input));
            let cut = cut(&[Piece::new(input.replace('\n', " "), Kind::Plain)], width);
            prop_assert!(text(&cut).width() <= width);
        }
    }
}

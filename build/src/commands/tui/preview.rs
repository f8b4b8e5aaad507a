//! The preview: the page of the selected row, broken into lines and scrolled to what was found.

use super::reader::Preview;
use super::styled::{Kind, Line, wrap};

/// Lines above the first match when the preview scrolls to it.
const ABOVE: usize = 2;

/// The page that is shown, and how far it is scrolled.
#[derive(Debug, Default)]
pub struct PreviewPane {
    page: Preview,
    lines: Vec<Line>,
    /// The width for which `lines` were made; 0 before the first time.
    width: usize,
    height: usize,
    scroll: usize,
    /// Whether the reader has scrolled. Until then a new size scrolls back to the match.
    scrolled: bool,
}

impl PreviewPane {
    /// Shows a page.
    pub fn show(&mut self, page: Preview) {
        *self = Self { page, height: self.height, ..Self::default() };
    }

    /// Returns the location of the hit.
    pub fn location(&self) -> &str {
        &self.page.location
    }

    /// Returns the lines that fit into a size.
    pub fn lines(&mut self, width: usize, height: usize) -> &[Line] {
        if (width, height) != (self.width, self.height) || self.width == 0 {
            self.fit(width, height);
        }
        let end = (self.scroll + height).min(self.lines.len());
        &self.lines[self.scroll.min(end)..end]
    }

    fn fit(&mut self, width: usize, height: usize) {
        (self.width, self.height) = (width, height);
        self.lines = wrap(&self.page.before, width);
        let start = self.lines.len();
        self.lines.extend(wrap(&self.page.after, width));
        if !self.scrolled {
            let is_marked = |line: &Line| line.iter().any(|piece| piece.kind == Kind::Marked);
            let marked = self.lines[start..].iter().position(is_marked).unwrap_or(0);
            // The heading stays visible if the match is near it.
            let down = if marked + 1 < height { 0 } else { marked.saturating_sub(ABOVE) };
            self.scroll = start + down;
        }
        self.scroll = self.scroll.min(self.last_scroll());
    }

    fn last_scroll(&self) -> usize {
        self.lines.len().saturating_sub(self.height.max(1))
    }

    /// Scrolls by lines.
    pub fn scroll_by(&mut self, lines: isize) {
        self.scrolled = true;
        self.scroll = self.scroll.saturating_add_signed(lines).min(self.last_scroll());
    }

    /// Scrolls by multiples of the preview's height.
    pub fn scroll_pages(&mut self, pages: isize) {
        self.scroll_by(pages * self.height.saturating_sub(1).max(1) as isize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::tui::styled::Piece;

    fn shown(pane: &mut PreviewPane, width: usize, height: usize) -> String {
        let text = |line: &Line| line.iter().map(|piece| piece.text.as_str()).collect::<String>();
        pane.lines(width, height).iter().map(text).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn the_hit_is_shown_first_and_scrolling_ends_at_the_ends() {
        let lines =
            |from: usize, to: usize| -> String { (from..to).map(|n| format!("{n}\n")).collect() };
        let mut pane = PreviewPane::default();
        pane.show(Preview {
            before: vec![Piece::new(lines(0, 20), Kind::Plain)],
            after: vec![
                Piece::new(lines(20, 30), Kind::Plain),
                Piece::new("hit", Kind::Marked),
                Piece::new(format!("\n{}", lines(31, 60)), Kind::Plain),
            ],
            ..Preview::default()
        });
        assert_eq!(shown(&mut pane, 20, 12).split('|').next(), Some("20"), "the hit fits");
        assert_eq!(shown(&mut pane, 20, 4), "28|29|hit|31", "it does not fit under the heading");
        pane.scroll_by(-100);
        assert_eq!(shown(&mut pane, 20, 4), "0|1|2|3");
        pane.scroll_pages(1);
        assert_eq!(shown(&mut pane, 20, 4), "3|4|5|6");
        pane.scroll_by(1000);
        assert_eq!(shown(&mut pane, 20, 4), "56|57|58|59");
        assert_eq!(shown(&mut pane, 20, 100).split('|').count(), 60);
    }
}

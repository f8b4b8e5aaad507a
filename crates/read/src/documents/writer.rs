//! The writer of the content of word processor files into sections: paragraphs, headings, rows of
//! tables, notes.

use super::super::outline::Outline;
use super::Read;

/// The text between the cells of a row.
const BETWEEN_CELLS: &str = "|";

/// Sections under construction.
pub(super) struct Writer {
    outline: Outline,
    /// The level of the open paragraph, if it is a heading.
    level: Option<u8>,
    /// The text of the open heading.
    heading: String,
    /// Rows that are open: a table in a cell is part of its row.
    rows: usize,
    title: Option<String>,
}

impl Default for Writer {
    fn default() -> Self {
        Self { outline: Outline::new(), level: None, heading: String::new(), rows: 0, title: None }
    }
}

impl Writer {
    pub fn begin_paragraph(&mut self) {
        if self.rows == 0 {
            self.outline.end_block();
        }
        self.level = None;
    }

    /// Makes the open paragraph a heading. A cell of a table is never a heading.
    pub fn set_level(&mut self, level: u8) {
        if self.rows == 0 {
            self.level = Some(level);
        }
    }

    pub fn text(&mut self, text: &str) {
        match self.level {
            Some(_) => self.heading.push_str(text),
            None => self.outline.text().push(text),
        }
    }

    pub fn end_paragraph(&mut self) {
        if let Some(level) = self.level.take() {
            let heading = super::super::outline::fold(&std::mem::take(&mut self.heading));
            if self.title.is_none() && level == 1 && !heading.is_empty() {
                self.title = Some(heading.clone());
            }
            self.outline.heading(level, heading, None);
        } else if self.rows > 0 {
            self.outline.text().space();
        } else {
            self.outline.end_block();
        }
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, text: &str) {
        self.outline.end_block();
        self.outline.text().push(text);
        self.outline.end_block();
    }

    pub fn begin_row(&mut self) {
        if self.rows == 0 {
            self.outline.end_block();
        }
        self.rows += 1;
    }

    pub fn end_cell(&mut self) {
        self.outline.text().separate(BETWEEN_CELLS);
    }

    pub fn end_row(&mut self) {
        self.rows = self.rows.saturating_sub(1);
        if self.rows == 0 {
            self.outline.end_block();
        }
    }

    pub fn is_in_row(&self) -> bool {
        self.rows > 0
    }

    /// Returns the document that was written.
    pub fn finish(self) -> Read {
        Read { title: self.title, sections: self.outline.finish(), ..Read::default() }
    }
}

//! The list of results, and the row that is selected in it.

use findling_engine::{PageHit, Response};

use super::styled::{Kind, Piece};
use crate::output::byline::byline;
use crate::output::{comparable, names, snippet};
use crate::safe_text::line;

/// A page that was found, ready to be shown: all its text is harmless.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The number of the bundle.
    pub bundle: usize,
    /// The title and the headings of its best section, from the outermost.
    pub names: Vec<String>,
    /// The score that compares hits of different bundles.
    pub comparable: f32,
    /// The line that distinguishes it from other pages of its kind: authors and year, or agent,
    /// project and day.
    pub byline: String,
    /// The snippet on one line.
    pub snippet: Vec<Piece>,
    /// The hit as the engine returned it.
    pub page: PageHit,
}

impl Row {
    fn new(bundle: usize, response: &Response, page: &PageHit) -> Self {
        let section = page.sections.first();
        let parts = section.map(|section| snippet::parts(&section.snippet)).unwrap_or_default();
        Self {
            bundle,
            names: names(page, section).map(|name| line(name).into_owned()).collect(),
            comparable: comparable(response, page),
            byline: byline(page, section).unwrap_or_default(),
            snippet: parts
                .into_iter()
                .map(|part| Piece {
                    text: part.text.replace(['\n', '\t'], " "),
                    kind: if part.marked { Kind::Marked } else { Kind::Plain },
                })
                .collect(),
            page: page.clone(),
        }
    }

    /// Returns whether both are the same page of the same bundle.
    fn is_same_page(&self, other: &Row) -> bool {
        self.bundle == other.bundle && self.page.id == other.page.id
    }
}

/// Returns the rows of one bundle's answer.
pub fn rows(bundle: usize, response: &Response) -> Vec<Row> {
    response.results.iter().map(|page| Row::new(bundle, response, page)).collect()
}

/// The list.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    rows: Vec<Row>,
    selected: usize,
    /// Whether the reader has chosen the selected row. Until then it is the first one.
    chosen: bool,
}

impl Rows {
    /// Returns the rows in order.
    pub fn list(&self) -> &[Row] {
        &self.rows
    }

    /// Returns the number of the selected row.
    pub fn selected(&self) -> usize {
        self.selected
    }

    /// Returns the selected row, if there is any.
    pub fn current(&self) -> Option<&Row> {
        self.rows.get(self.selected)
    }

    /// Selects a row.
    pub fn select(&mut self, row: usize) {
        self.selected = row.min(self.rows.len().saturating_sub(1));
        self.chosen = true;
    }

    /// Moves the selection down by this many rows.
    pub fn move_by(&mut self, by: isize) {
        self.select(self.selected.saturating_add_signed(by));
    }

    /// Shows the answer to another query.
    pub fn replace(&mut self, rows: Vec<Row>) {
        *self = Self { rows, selected: 0, chosen: false };
    }

    /// Shows a better answer to the same query. A row that the reader has chosen keeps its place on
    /// the screen, and the other rows are ordered around it. It stays in the list even if the
    /// better answer does not contain it.
    pub fn improve(&mut self, mut rows: Vec<Row>) {
        let chosen = self.current().filter(|_| self.chosen).cloned();
        let Some(chosen) = chosen else { return self.replace(rows) };
        let better = rows.iter().position(|row| row.is_same_page(&chosen));
        let chosen = better.map_or(chosen, |at| rows.remove(at));
        // If fewer rows come before it than earlier, it moves up, because nothing can fill the gap.
        self.selected = self.selected.min(rows.len());
        rows.insert(self.selected, chosen);
        self.rows = rows;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(ids: &str) -> Vec<Row> {
        let row = |id: char| Row {
            byline: String::new(),
            bundle: 0,
            names: vec![id.into()],
            comparable: 1.0,
            snippet: vec![],
            page: PageHit {
                id: id.into(),
                url: String::new(),
                title: String::new(),
                language: String::new(),
                score: 1.0,
                attributes: Default::default(),
                meta: vec![],
                sections: vec![],
                n_sections: 0,
                copies: 0,
                pinned: false,
            },
        };
        ids.chars().map(row).collect()
    }

    fn shown(rows: &Rows) -> String {
        rows.list().iter().map(|row| row.page.id.as_str()).collect()
    }

    fn check(first: &str, selected: Option<usize>, better: &str, expect: &str, at: usize) {
        let mut rows = Rows::default();
        rows.replace(list(first));
        if let Some(selected) = selected {
            rows.select(selected);
        }
        rows.improve(list(better));
        assert_eq!((shown(&rows).as_str(), rows.selected()), (expect, at), "{first} {better}");
    }

    #[test]
    fn a_chosen_row_stays_where_it_is_when_a_better_answer_comes() {
        check("abcd", Some(2), "dcba", "dbca", 2);
        check("abcd", Some(2), "xyz", "xycz", 2);
        check("abcd", Some(0), "dcba", "adcb", 0);
        check("abcd", Some(3), "d", "d", 0);
        check("abcd", Some(3), "", "d", 0);
    }

    #[test]
    fn a_row_that_nobody_chose_gives_way() {
        check("abcd", None, "dcba", "dcba", 0);
        check("", None, "ab", "ab", 0);
        check("", Some(3), "ab", "ab", 0);
        check("ab", None, "", "", 0);
    }

    #[test]
    fn a_new_query_begins_at_the_first_row() {
        let mut rows = Rows::default();
        rows.replace(list("abc"));
        rows.move_by(9);
        assert_eq!(rows.selected(), 2);
        rows.move_by(-9);
        assert_eq!(rows.selected(), 0);
        rows.move_by(1);
        rows.replace(list("cab"));
        assert_eq!((rows.selected(), rows.current().unwrap().page.id.as_str()), (0, "c"));
    }
}

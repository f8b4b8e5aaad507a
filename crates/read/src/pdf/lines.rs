//! Lines of a column: its spans from left to right.

use super::spans::Span;
use crate::reference_marks::{Raised, classify};

/// A gap that separates spans of one line like words, in ems.
const WORD_GAP: f32 = 0.12;

/// Largest size of raised text, relative to the size of its line.
const RAISED_SIZE: f32 = 0.85;

/// Largest distance between the middle of a span and the middle of its line, in ems.
const SAME_LINE: f32 = 0.35;

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub text: String,
    pub x0: f32,
    pub x1: f32,
    /// The baseline of its largest text.
    pub y: f32,
    /// The font size of most of its characters.
    pub size: f32,
    /// Whether nearly all of the line is bold.
    pub is_bold: bool,
}

/// Returns the lines of a column from top to bottom.
pub(super) fn of(mut spans: Vec<Span>) -> Vec<Line> {
    spans.sort_by(|a, b| a.middle().total_cmp(&b.middle()));
    let mut rows: Vec<Row> = Vec::new();
    for span in spans {
        match rows.iter_mut().rev().take(3).find(|row| row.holds(&span)) {
            Some(row) => row.push(span),
            None => rows.push(Row::new(span)),
        }
    }
    rows.sort_by(|a, b| a.y.total_cmp(&b.y));
    rows.into_iter().map(Row::line).collect()
}

/// A line under construction.
struct Row {
    spans: Vec<Span>,
    y: f32,
    /// The largest font size, and the middle of the letters of that size.
    size: f32,
    middle: f32,
}

impl Row {
    fn new(span: Span) -> Self {
        Self { y: span.y, size: span.size, middle: span.middle(), spans: vec![span] }
    }

    /// Returns whether a span is on this line: at the same height, or raised or lowered beside it.
    fn holds(&self, span: &Span) -> bool {
        let size = self.size.max(span.size);
        let off = (span.middle() - self.middle).abs();
        // Raised and lowered text is smaller, or is only one or two letters between others.
        let is_small = span.size.min(self.size) <= 0.85 * size;
        let is_moved = is_small || span.n_chars <= 2 && self.touches(span, 0.3 * size);
        if off > if is_moved { 0.6 } else { SAME_LINE } * size {
            return false;
        }
        // Two texts at the same place are on different lines.
        let shared = self.spans.iter().map(|other| other.x1.min(span.x1) - other.x0.max(span.x0));
        shared.fold(f32::NEG_INFINITY, f32::max) < 0.5 * size
    }

    fn touches(&self, span: &Span, most: f32) -> bool {
        self.spans
            .iter()
            .any(|other| (span.x0 - other.x1).abs() <= most || (other.x0 - span.x1).abs() <= most)
    }

    fn push(&mut self, span: Span) {
        if span.size > self.size {
            (self.y, self.size, self.middle) = (span.y, span.size, span.middle());
        }
        self.spans.push(span);
    }

    fn line(mut self) -> Line {
        self.spans.sort_by(|a, b| a.x0.total_cmp(&b.x0));
        let mut text = String::new();
        let mut end = f32::NEG_INFINITY;
        let (mut chars, mut bold) = (0, 0);
        let mut sizes: Vec<(f32, u32)> = Vec::new();
        for span in &self.spans {
            let is_apart = !text.is_empty() && span.x0 - end > WORD_GAP * span.size;
            let is_raised =
                span.size <= RAISED_SIZE * self.size && span.y < self.y - 0.1 * self.size;
            if is_raised && !is_apart && classify(&text, &span.text) == Raised::Mark {
                end = end.max(span.x1);
                continue;
            }
            if is_apart {
                text.push(' ');
            }
            text.push_str(&span.text);
            end = end.max(span.x1);
            chars += span.n_chars;
            bold += span.n_bold;
            match sizes.iter_mut().find(|(size, _)| (size - span.size).abs() < 0.3) {
                Some((_, count)) => *count += span.n_chars,
                None => sizes.push((span.size, span.n_chars)),
            }
        }
        let size = sizes.iter().max_by_key(|(_, count)| *count).map_or(self.size, |most| most.0);
        Line {
            text,
            x0: self.spans.first().map_or(0.0, |span| span.x0),
            x1: end,
            y: self.y,
            size,
            is_bold: bold * 10 >= chars * 9,
        }
    }
}

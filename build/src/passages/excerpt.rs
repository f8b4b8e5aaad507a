//! A stretch of a section that can be widened.

use std::ops::Range;

use super::tokens::estimate;
use crate::host::DocumentSection;

/// A stretch of a section's text, without blank lines and white space at its ends. The indentation
/// of its first line stays.
#[derive(Clone, Debug)]
pub(super) struct Excerpt {
    section: DocumentSection,
    range: Range<usize>,
}

impl Excerpt {
    /// Returns the snippet, or the first passage if the section does not contain the snippet.
    pub fn new(section: DocumentSection, snippet: &str) -> Self {
        let at = section.text.find(snippet).filter(|_| !snippet.is_empty());
        let range = at.map(|at| at..at + snippet.len()).unwrap_or_else(|| {
            let (start, end) = section.passages.first().copied().unwrap_or((0, 0));
            start..end
        });
        let mut excerpt = Self { section, range };
        excerpt.set(excerpt.range.clone());
        excerpt
    }

    pub fn text(&self) -> &str {
        self.section.text.get(self.range.clone()).unwrap_or_default()
    }

    pub fn tokens(&self) -> usize {
        estimate(self.text())
    }

    pub fn is_whole(&self) -> bool {
        !self.is_cut_before() && !self.is_cut_after()
    }

    pub fn is_cut_before(&self) -> bool {
        !self.section.text[..self.range.start].trim().is_empty()
    }

    pub fn is_cut_after(&self) -> bool {
        !self.section.text[self.range.end..].trim().is_empty()
    }

    /// Widens the excerpt to the passages that it touches, if that takes at most `left` more
    /// tokens. Returns the tokens that are left.
    pub fn widen_to_passage(&mut self, left: usize) -> usize {
        let range = self.range.clone();
        let touched = self
            .section
            .passages
            .iter()
            .filter(|&&(start, end)| start < range.end && end > range.start);
        let wide = touched
            .fold(range.clone(), |wide, &(start, end)| wide.start.min(start)..wide.end.max(end));
        self.widen(wide, left)
    }

    /// Widens the excerpt to the whole section, if that fits.
    pub fn widen_to_section(&mut self, left: usize) -> usize {
        self.widen(0..self.section.text.len(), left)
    }

    /// Returns the whole section's text.
    pub fn section_text(&self) -> &str {
        &self.section.text
    }

    /// Adds the passages before and after it, in turns, as long as they fit.
    pub fn widen_to_neighbours(&mut self, mut left: usize) -> usize {
        loop {
            let before = left;
            let range = self.range.clone();
            let next = self.section.passages.iter().find(|&&(start, _)| start >= range.end);
            if let Some(&(_, end)) = next {
                left = self.widen(range.start..end, left);
            }
            let range = self.range.clone();
            let last = self.section.passages.iter().rfind(|&&(_, end)| end <= range.start);
            if let Some(&(start, _)) = last {
                left = self.widen(start..range.end, left);
            }
            if left == before {
                return left;
            }
        }
    }

    fn widen(&mut self, range: Range<usize>, left: usize) -> usize {
        let mut wide = self.clone();
        wide.set(range);
        match left.checked_sub(wide.tokens().saturating_sub(self.tokens())) {
            Some(rest) => {
                *self = wide;
                rest
            }
            None => left,
        }
    }

    /// Sets the range without the white space at its ends.
    fn set(&mut self, range: Range<usize>) {
        let text = self.section.text.get(range.clone()).unwrap_or_default();
        let start = range.start + (text.len() - text.trim_start().len());
        let end = start + text.trim().len();
        let lead = self.section.text[..start].trim_end_matches([' ', '\t']);
        let is_line = lead.is_empty() || lead.ends_with('\n');
        self.range = if is_line { lead.len()..end } else { start..end };
    }
}

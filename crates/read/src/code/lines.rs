//! The lines of a text, and the places where it can be cut.

use std::ops::Range;

use crate::outline::shorten;

/// Longest line that becomes a heading, in bytes.
const MAX_HEADING_BYTES: usize = 80;

/// The lines of a text, without their ends.
pub(super) struct Lines<'a> {
    lines: Vec<&'a str>,
    /// The cost of a cut before each line: lower is better.
    depths: Vec<u16>,
}

impl<'a> Lines<'a> {
    /// Returns lines that are preferably cut where `depths` is smallest.
    #[cfg(feature = "code")]
    pub fn with_depths(text: &'a str, depths: &[u16]) -> Self {
        Self { lines: text.lines().collect(), depths: depths.to_vec() }
    }

    /// Returns lines that are preferably cut after a blank line, where the indentation is smallest.
    pub fn plain(text: &'a str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let depths = lines
            .iter()
            .enumerate()
            .map(|(at, line)| {
                let indent = line.len() - line.trim_start().len();
                let below_blank = at == 0 || lines[at - 1].trim().is_empty();
                match (line.trim().is_empty(), below_blank) {
                    (true, _) => u16::MAX,
                    (false, true) => indent.min(1000) as u16,
                    (false, false) => 1000 + indent.min(1000) as u16,
                }
            })
            .collect();
        Self { lines, depths }
    }

    pub fn len(&self) -> usize {
        self.lines.len()
    }

    pub fn get(&self, at: usize) -> &'a str {
        self.lines.get(at).copied().unwrap_or_default()
    }

    /// Returns a range of lines as text.
    pub fn text(&self, range: Range<usize>) -> String {
        self.lines.get(range).unwrap_or_default().join("\n")
    }

    /// Returns a range without blank lines at its beginning and end. Empty if all are blank.
    pub fn trim(&self, mut range: Range<usize>) -> Range<usize> {
        range.end = range.end.min(self.len());
        while range.start < range.end && self.get(range.start).trim().is_empty() {
            range.start += 1;
        }
        while range.start < range.end && self.get(range.end - 1).trim().is_empty() {
            range.end -= 1;
        }
        range
    }

    /// Returns the first line of a range that has text, as a heading.
    pub fn heading(&self, mut range: Range<usize>) -> String {
        let line = range.find_map(|at| Some(self.get(at)).filter(|line| says_something(line)));
        let words = line.unwrap_or_default().split_whitespace();
        let mut heading = words.collect::<Vec<_>>().join(" ");
        shorten(&mut heading, MAX_HEADING_BYTES);
        heading
    }

    /// Cuts a range into parts of at most `most` lines. Each part except the last has at least
    /// `least` lines. Cuts are made at the outermost level of the syntax. Among equally good
    /// places, the last is chosen.
    pub fn cut(&self, range: Range<usize>, least: usize, most: usize) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut start = range.start;
        while range.end - start > most {
            let cut = (start + least..=start + most)
                .min_by_key(|&at| (self.depths.get(at).copied(), std::cmp::Reverse(at)))
                .unwrap_or(start + most);
            parts.push(start..cut);
            start = cut;
        }
        parts.push(start..range.end);
        parts
    }
}

/// Returns whether a line has anything besides brackets, rules and blanks.
pub(super) fn says_something(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_range_is_cut_below_blank_lines_where_the_indentation_is_least() {
        let text = "a\n  b\n\n  c\n\nd\ne\n";
        let lines = Lines::plain(text);
        assert_eq!(lines.cut(0..7, 2, 6), [0..5, 5..7]);
        assert_eq!(lines.cut(0..7, 1, 4), [0..3, 3..7]);
        assert_eq!(lines.cut(0..7, 1, 7).len(), 1);
    }

    #[test]
    fn without_a_good_place_the_cut_is_hard() {
        let text = "x\n".repeat(10);
        let parts = Lines::plain(&text).cut(0..10, 2, 4);
        assert!(parts.iter().all(|part| part.len() <= 4));
        assert_eq!(parts.iter().map(Range::len).sum::<usize>(), 10);
    }
}

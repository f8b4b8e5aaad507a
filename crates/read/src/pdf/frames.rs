//! Running heads, running feet and page numbers: lines that are at the same place on many pages.

use std::collections::HashMap;

use super::Columns;

/// Number of lines at the top and at the bottom of a page that may be its frame.
const EDGE_LINES: usize = 2;

/// Part of the page's height at its top and bottom in which a frame can be.
const EDGE: f32 = 0.12;

/// Fewest pages that show a line of words at one place.
const MIN_PAGES: usize = 3;

/// Fewest pages that show only a number at one place.
const MIN_NUMBERED: usize = 2;

/// Removes the lines of frames from all pages. Returns them with the numbers of their pages.
pub(super) fn take(pages: &mut [Columns], heights: &[f32]) -> Vec<(usize, String)> {
    let mut counts: HashMap<(String, i32), usize> = HashMap::new();
    let edges: Vec<Vec<Place>> =
        pages.iter().zip(heights).map(|(page, &height)| edges(page, height)).collect();
    for place in edges.iter().flatten() {
        *counts.entry(place.key.clone()).or_default() += 1;
    }
    let mut taken = Vec::new();
    for (number, (page, places)) in pages.iter_mut().zip(edges).enumerate() {
        let mut frames: Vec<Place> = places
            .into_iter()
            .filter(|place| {
                let fewest = if place.key.0 == "#" { MIN_NUMBERED } else { MIN_PAGES };
                counts[&place.key] >= fewest
            })
            .collect();
        frames.sort_by_key(|place| (place.column, place.line));
        for place in frames.iter().rev() {
            let line = page[place.column].remove(place.line);
            taken.push((number, line.text));
        }
        page.retain(|column| !column.is_empty());
    }
    taken
}

/// A line near the edge of a page.
struct Place {
    column: usize,
    line: usize,
    /// The text without its numbers, and its height on the page.
    key: (String, i32),
}

fn edges(page: &Columns, height: f32) -> Vec<Place> {
    let mut lines: Vec<(f32, usize, usize)> = Vec::new();
    for (column, content) in page.iter().enumerate() {
        lines.extend(content.iter().enumerate().map(|(line, found)| (found.y, column, line)));
    }
    lines.sort_by(|a, b| a.0.total_cmp(&b.0));
    let n = lines.len();
    let near = lines.into_iter().enumerate().filter(|&(rank, (y, ..))| {
        (rank < EDGE_LINES && y < EDGE * height)
            || (rank + EDGE_LINES >= n && y > (1.0 - EDGE) * height)
    });
    near.map(|(_, (y, column, line))| Place {
        column,
        line,
        key: (without_numbers(&page[column][line].text), (y / 4.0).round() as i32),
    })
    .collect()
}

/// Returns a text with `#` for each number, or for a Roman number that is the whole text.
fn without_numbers(text: &str) -> String {
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    if !bare.is_empty() && bare.len() <= 7 && bare.chars().all(|c| "ivxlcIVXLC".contains(c)) {
        return "#".to_owned();
    }
    let mut without = String::new();
    let mut in_number = false;
    for c in text.chars() {
        if c.is_ascii_digit() {
            if !in_number {
                without.push('#');
            }
            in_number = true;
        } else {
            in_number = false;
            without.push(c);
        }
    }
    if bare.chars().all(|c| c.is_ascii_digit()) { "#".to_owned() } else { without }
}

#[cfg(test)]
mod tests {
    use super::super::lines::Line;
    use super::*;

    fn line(text: &str, y: f32) -> Line {
        Line { text: text.to_owned(), x0: 0.0, x1: 100.0, y, size: 10.0, is_bold: false }
    }

    fn texts(pages: &[Columns]) -> Vec<Vec<&str>> {
        pages
            .iter()
            .map(|page| page.iter().flatten().map(|line| line.text.as_str()).collect())
            .collect()
    }

    #[test]
    fn what_many_pages_show_at_one_place_is_taken_out() {
        let page = |n: usize| {
            vec![vec![
                line(&format!("The manual {n}"), 30.0),
                line(&format!("text of {n}"), 100.0),
                line("more", 700.0),
                line(&n.to_string(), 760.0),
            ]]
        };
        let mut pages = vec![page(1), page(2), page(3)];
        let taken = take(&mut pages, &[800.0; 3]);
        assert_eq!(texts(&pages)[1], ["text of 2", "more"]);
        assert_eq!(taken.len(), 6);
    }

    #[test]
    fn a_line_of_one_page_and_text_in_the_middle_stay() {
        let mut pages = vec![
            vec![vec![line("Title", 30.0), line("same", 400.0)]],
            vec![vec![line("same", 400.0)]],
            vec![vec![line("same", 400.0)]],
        ];
        assert_eq!(take(&mut pages, &[800.0; 3]), []);
        assert_eq!(texts(&pages)[0], ["Title", "same"]);
    }

    #[test]
    fn roman_page_numbers_are_numbers() {
        assert_eq!(without_numbers("xiv"), "#");
        assert_eq!(without_numbers("– 12 –"), "#");
        assert_eq!(without_numbers("Chapter 12"), "Chapter #");
    }
}

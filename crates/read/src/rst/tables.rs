//! Tables of reStructuredText: cells in a grid of lines, and columns under a line of `=`.

use unicode_width::UnicodeWidthChar;

use super::lines::is_blank;

/// Returns whether a line is the border of a grid table: `+-----+-----+`.
pub(super) fn is_grid(line: &str) -> bool {
    line.len() > 2
        && line.starts_with("+-")
        && line.ends_with('+')
        && line.bytes().all(|byte| matches!(byte, b'+' | b'-'))
}

/// Returns whether a line is the border of a simple table: `=====  =====`.
pub(super) fn is_simple(line: &str) -> bool {
    line.starts_with('=')
        && line.ends_with('=')
        && line.contains(' ')
        && line.bytes().all(|byte| matches!(byte, b'=' | b' '))
}

/// Returns whether a line of a grid separates rows, at least in some of its columns.
fn separates(line: &str) -> bool {
    let body = line.trim_matches(['+', '|']);
    let is_line = |part: &str| !part.is_empty() && part.bytes().all(|b| matches!(b, b'-' | b'='));
    !body.is_empty()
        && line.starts_with(['+', '|'])
        && body.split(['+', '|']).any(is_line)
        && line.contains('+')
}

/// Returns the rows of a grid, each with the text of its cells. A cell over several rows is part of
/// the first.
pub(super) fn grid_rows(lines: &[&str]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row: Vec<&str> = Vec::new();
    for line in lines {
        if separates(line) {
            rows.extend(cells_of(&row));
            row.clear();
            // The text of another cell that continues beside the line.
            if line.chars().any(|c| !matches!(c, '+' | '-' | '=' | '|' | ' ')) {
                row.push(line);
            }
        } else {
            row.push(line);
        }
    }
    rows.extend(cells_of(&row));
    rows
}

/// Returns the cells of lines: a column ends where all lines have a vertical line.
fn cells_of(lines: &[&str]) -> Option<Vec<String>> {
    let columns: Vec<Vec<char>> = lines.iter().map(|line| columns(line)).collect();
    let width = columns.iter().map(Vec::len).min().filter(|width| *width > 0)?;
    let is_edge = |at: usize| columns.iter().all(|line| matches!(line[at], '|' | '+'));
    let mut edges: Vec<usize> = (0..width).filter(|&at| is_edge(at)).collect();
    edges.push(width);
    let cells = edges.windows(2).filter(|edge| edge[1] > edge[0] + 1).map(|edge| {
        let lines = columns.iter().map(|line| {
            let text: String = line[edge[0] + 1..edge[1]].iter().filter(|c| **c != '\0').collect();
            text.trim().to_owned()
        });
        let is_text = |line: &String| !line.bytes().all(|byte| matches!(byte, b'-' | b'=' | b'+'));
        lines.filter(is_text).collect::<Vec<_>>().join("\n")
    });
    let cells: Vec<String> = cells.collect();
    cells.iter().any(|cell| !cell.is_empty()).then_some(cells)
}

/// Returns the characters of a line by their columns; a wide one is followed by NUL.
fn columns(line: &str) -> Vec<char> {
    let mut columns = Vec::with_capacity(line.len());
    for c in line.chars() {
        match c.width().unwrap_or(0) {
            0 => {}
            width => {
                columns.push(c);
                columns.extend(std::iter::repeat_n('\0', width - 1));
            }
        }
    }
    columns
}

/// Returns the number of lines of a table: up to the line of `=` that a blank line follows.
pub(super) fn simple_len(lines: &[&str]) -> usize {
    let mut n_edges = 0;
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with('=') && line.bytes().all(|byte| matches!(byte, b'=' | b' ')) {
            n_edges += 1;
            let ends = lines.get(at + 1).is_none_or(|next| is_blank(next));
            if n_edges > 1 && ends {
                return at + 1;
            }
        }
    }
    lines.len()
}

/// Returns the rows of a table. A line without text in the first column continues the row before
/// it.
pub(super) fn simple_rows(lines: &[&str]) -> Vec<Vec<String>> {
    let Some(first) = lines.first() else { return Vec::new() };
    let mut starts: Vec<usize> = Vec::new();
    for (at, byte) in first.bytes().enumerate() {
        if byte == b'=' && (at == 0 || first.as_bytes()[at - 1] == b' ') {
            starts.push(at);
        }
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut continues = false;
    for line in &lines[1..] {
        let is_edge = !line.is_empty()
            && (line.bytes().all(|byte| matches!(byte, b'=' | b' '))
                || line.bytes().all(|byte| matches!(byte, b'-' | b' ')) && line.len() >= 2);
        if is_blank(line) || is_edge {
            continues = false;
            continue;
        }
        let columns = columns(line);
        let cells: Vec<String> = starts
            .iter()
            .enumerate()
            .map(|(n, &start)| {
                let end = starts.get(n + 1).copied().unwrap_or(columns.len()).min(columns.len());
                let cell = columns.get(start..end).unwrap_or_default();
                cell.iter().filter(|c| **c != '\0').collect::<String>().trim().to_owned()
            })
            .collect();
        match rows.last_mut().filter(|_| continues && cells[0].is_empty()) {
            Some(row) => {
                for (cell, more) in row.iter_mut().zip(cells).filter(|(_, more)| !more.is_empty()) {
                    cell.push('\n');
                    cell.push_str(&more);
                }
            }
            None => rows.push(cells),
        }
        continues = true;
    }
    rows
}

/// Returns rows of comma-separated values.
pub(super) fn csv_rows(text: &str, delimiter: u8) -> Vec<Vec<String>> {
    // Spaces in front of a quoted value do not belong to it.
    let text = text.replace(", \"", ",\"");
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let rows = reader.records().filter_map(Result::ok);
    rows.map(|row| row.iter().map(str::to_owned).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: Vec<Vec<String>>, expect: &[&[&str]]) {
        let rows: Vec<Vec<&str>> =
            rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
        assert_eq!(rows, expect);
    }

    #[test]
    fn grids() {
        let table = [
            "+------+--------+",
            "| Name | Depth  |",
            "+======+========+",
            "| Bay  | 3 m    |",
            "|      | at low |",
            "+------+--------+",
            "| Both columns  |",
            "+------+--------+",
        ];
        assert!(is_grid(table[0]));
        check(grid_rows(&table), &[&["Name", "Depth"], &["Bay", "3 m\nat low"], &["Both columns"]]);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let table = ["+------+---+", "| 日本 | x |", "| ab   | y |", "+------+---+"];
        check(grid_rows(&table), &[&["日本\nab", "x\ny"]]);
    }

    #[test]
    fn simple_tables() {
        let table = [
            "=====  =====",
            "Name   Depth",
            "=====  =====",
            "Bay    3 m",
            "       at low",
            "Strait a long one",
            "=====  =====",
            "",
            "Text",
        ];
        let len = simple_len(&table);
        assert_eq!(len, 7);
        check(
            simple_rows(&table[..len]),
            &[&["Name", "Depth"], &["Bay", "3 m\nat low"], &["Strait", "a long one"]],
        );
    }

    #[test]
    fn values_between_commas() {
        check(csv_rows("a, \"b, c\"\nd\n", b','), &[&["a", "b, c"], &["d"]]);
    }
}

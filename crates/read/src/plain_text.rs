//! Plain text: blank lines separate paragraphs, and indented code keeps its form.

use super::outline::Outline;
use super::reference_marks::without_marks;

/// Adds the text of a file to an outline. Each of its paragraphs may be code.
pub(super) fn add_document(text: &str, outline: &mut Outline) {
    let mut paragraph: Vec<&str> = Vec::new();
    for line in text.lines().chain([""]) {
        if line.trim().is_empty() {
            add(&without_indent(&paragraph), outline);
            paragraph.clear();
        } else {
            paragraph.push(line);
        }
    }
}

/// Returns lines without the spaces that all of them begin with.
fn without_indent(lines: &[&str]) -> String {
    let indent = |line: &&str| line.len() - line.trim_start_matches(' ').len();
    let common = lines.iter().map(indent).min().unwrap_or_default();
    lines.iter().map(|line| &line[common..]).collect::<Vec<_>>().join("\n")
}

/// Adds a text to an outline.
pub(super) fn add(text: &str, outline: &mut Outline) {
    if looks_like_code(text) {
        outline.code_block(text);
        return;
    }
    let mut blank = false;
    for line in without_marks(text).lines() {
        if line.trim().is_empty() {
            blank = true;
            continue;
        }
        if std::mem::take(&mut blank) {
            outline.end_block();
        }
        outline.text().push(line);
        outline.text().space();
    }
    outline.end_block();
}

/// Returns whether a text looks like source code: most lines after the first are indented or end
/// like statements.
fn looks_like_code(text: &str) -> bool {
    let mut lines = 0;
    let mut like_code = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        lines += 1;
        let indented = line.starts_with(['\t', ' '])
            && line.len() - line.trim_start().len() >= if line.starts_with('\t') { 1 } else { 2 };
        like_code +=
            usize::from(indented || line.trim_end().ends_with(['{', '}', ';', ':', '(', ')']));
    }
    lines >= 2 && like_code * 2 >= lines
}

//! Paragraphs: lines that belong together.

use super::hyphens::Hyphens;
use super::lines::Line;

/// A distance between lines that ends a paragraph, as a multiple of the usual one.
const GAP: f32 = 1.35;

/// A first line is indented by at least this much, in ems.
const INDENT: f32 = 0.8;

/// Lines of one paragraph.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Paragraph {
    pub lines: Vec<Line>,
}

impl Paragraph {
    /// Returns the font size.
    pub fn size(&self) -> f32 {
        self.lines.first().map_or(0.0, |line| line.size)
    }

    /// Returns whether all of it is bold.
    pub fn is_bold(&self) -> bool {
        self.lines.iter().all(|line| line.is_bold)
    }

    /// Returns the text on one line, with words joined that were divided at the end of a line.
    pub fn text(&self, hyphens: &Hyphens) -> String {
        let mut text = String::new();
        for line in &self.lines {
            hyphens.append(&mut text, &line.text);
        }
        text
    }
}

/// Returns the usual distance of lines, as a multiple of their font size.
pub(super) fn leading<'a>(columns: impl Iterator<Item = &'a Vec<Line>>) -> f32 {
    let mut steps: Vec<f32> = Vec::new();
    for column in columns {
        for pair in column.windows(2) {
            let step = (pair[1].y - pair[0].y) / pair[0].size;
            if (0.8..2.5).contains(&step) && (pair[1].size - pair[0].size).abs() < 0.5 {
                steps.push(step);
            }
        }
    }
    let middle = steps.len() / 2;
    if steps.is_empty() {
        return 1.2;
    }
    *steps.select_nth_unstable_by(middle, f32::total_cmp).1
}

/// Returns the paragraphs of a column.
pub(super) fn of(lines: Vec<Line>, leading: f32) -> Vec<Paragraph> {
    let left = lines.iter().map(|line| line.x0).fold(f32::INFINITY, f32::min);
    let right = lines.iter().map(|line| line.x1).fold(f32::NEG_INFINITY, f32::max);
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    for line in lines {
        let last = paragraphs.last_mut().filter(|paragraph| {
            let before = paragraph.lines.last();
            before.is_some_and(|before| {
                let is_first = paragraph.lines.len() == 1;
                continues(before, &line, is_first, (left, right), leading)
            })
        });
        match last {
            Some(paragraph) => paragraph.lines.push(line),
            None => paragraphs.push(Paragraph { lines: vec![line] }),
        }
    }
    paragraphs
}

/// Returns whether a line belongs to the paragraph of the line before it.
fn continues(
    before: &Line,
    line: &Line,
    is_second: bool,
    (left, right): (f32, f32),
    leading: f32,
) -> bool {
    let size = before.size.max(line.size);
    let step = line.y - before.y;
    let same_type = (before.size - line.size).abs() <= 0.08 * size
        && (before.is_bold == line.is_bold || !(before.is_bold && is_second));
    if !same_type || step > GAP * leading * size || step <= 0.0 {
        return false;
    }
    if starts_item(&line.text) {
        return false;
    }
    let indent = line.x0 - before.x0;
    let ends_early = before.x1 < right - 0.15 * (right - left) && ends_sentence(&before.text);
    // The first line of a paragraph is indented; the later lines of a list item are indented too.
    let is_new = if starts_item(&before.text) || is_second && before.x0 <= left + 0.5 * size {
        false
    } else {
        indent > INDENT * size
    };
    !(is_new || ends_early && line.x0 >= before.x0 - 0.5 * size && !is_second)
}

fn ends_sentence(text: &str) -> bool {
    text.ends_with(['.', '!', '?', ':', '。', '！', '？'])
}

/// Returns whether a line begins like an item of a list: a bullet, `1.`, `(a)`.
pub(super) fn starts_item(text: &str) -> bool {
    let Some(first) = text.split_whitespace().next() else { return false };
    if matches!(first, "•" | "◦" | "▪" | "‣" | "–" | "·" | "∙" | "*" | "\u{f0b7}") {
        return true;
    }
    let bare = first.strip_prefix(['(', '[']).unwrap_or(first);
    let Some(label) = bare.strip_suffix(['.', ')', ']']) else { return false };
    let is_number = label.len() <= 3 && label.bytes().all(|byte| byte.is_ascii_digit());
    let is_letter = label.len() == 1 && label.bytes().all(|byte| byte.is_ascii_lowercase());
    !label.is_empty() && (is_number || is_letter)
}

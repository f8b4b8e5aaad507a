//! Runs of characters on one baseline.

use std::collections::HashMap;

use findling_text::normalise::is_invisible;

use super::glyphs::Glyph;

/// A gap that separates words, in ems.
const WORD_GAP: f32 = 0.16;

/// A gap that ends a span, in ems: wider than justified text stretches its spaces.
const SPAN_GAP: f32 = 0.8;

/// Largest overlap of a character with the previous one, in ems.
const MAX_OVERLAP: f32 = 0.5;

/// Largest distance of a character from the baseline of its span, in ems.
const BASELINE: f32 = 0.08;

/// Characters on one baseline with gaps no wider than between words.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Span {
    pub text: String,
    pub x0: f32,
    pub x1: f32,
    /// The baseline, downwards.
    pub y: f32,
    /// Font size.
    pub size: f32,
    /// Number of characters.
    pub n_chars: u32,
    /// Number of bold characters.
    pub n_bold: u32,
}

impl Span {
    /// Returns the middle of its letters.
    pub fn middle(&self) -> f32 {
        self.y - 0.3 * self.size
    }
}

/// Returns the spans of a page by the direction of their text: the direction of most characters
/// first.
pub(super) fn by_direction(glyphs: &[Glyph]) -> Vec<Vec<Span>> {
    let mut counts: HashMap<i16, usize> = HashMap::new();
    for glyph in glyphs {
        *counts.entry(glyph.angle).or_default() += 1;
    }
    let mut angles: Vec<(i16, usize)> = counts.into_iter().collect();
    angles.sort_by_key(|&(angle, count)| (std::cmp::Reverse(count), angle));
    angles
        .into_iter()
        .map(|(angle, _)| of(glyphs.iter().filter(|glyph| glyph.angle == angle)))
        .filter(|spans| !spans.is_empty())
        .collect()
}

/// Joins characters that follow each other, in the order in which they are drawn.
fn of<'a>(glyphs: impl Iterator<Item = &'a Glyph>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut space = false;
    let mut open = false;
    for glyph in glyphs {
        if glyph.c.is_whitespace() {
            space = true;
            continue;
        }
        if is_invisible(glyph.c) && glyph.c != '\u{ad}' || glyph.c.is_control() {
            continue;
        }
        let c = glyph.c;
        let last = spans.last_mut().filter(|span| open && continues(span, glyph));
        match last {
            Some(span) => {
                let gap = glyph.x - span.x1;
                if space && gap > -0.1 * glyph.size || gap > WORD_GAP * glyph.size {
                    span.text.push(' ');
                }
                push(&mut span.text, c);
                span.x1 = span.x1.max(glyph.x + glyph.width);
                span.n_chars += 1;
                span.n_bold += u32::from(glyph.is_bold);
            }
            None => {
                let mut text = String::new();
                push(&mut text, c);
                spans.push(Span {
                    text,
                    x0: glyph.x,
                    x1: glyph.x + glyph.width,
                    y: glyph.y,
                    size: glyph.size,
                    n_chars: 1,
                    n_bold: u32::from(glyph.is_bold),
                });
                open = true;
            }
        }
        space = false;
    }
    spans
}

fn continues(span: &Span, glyph: &Glyph) -> bool {
    let gap = glyph.x - span.x1;
    (glyph.y - span.y).abs() <= BASELINE * span.size
        && gap >= -MAX_OVERLAP * span.size
        && gap <= SPAN_GAP * span.size
        && (glyph.size - span.size).abs() <= 0.1 * span.size
}

/// Adds a character; a ligature is added as its letters.
fn push(text: &mut String, c: char) {
    match c {
        'ﬀ' => text.push_str("ff"),
        'ﬁ' => text.push_str("fi"),
        'ﬂ' => text.push_str("fl"),
        'ﬃ' => text.push_str("ffi"),
        'ﬄ' => text.push_str("ffl"),
        'ﬅ' | 'ﬆ' => text.push_str("st"),
        c => text.push(c),
    }
}

/// Returns the font size of most characters.
pub(super) fn main_size<'a>(spans: impl Iterator<Item = &'a Span>) -> f32 {
    let mut counts: HashMap<i32, u64> = HashMap::new();
    for span in spans {
        *counts.entry((span.size * 4.0).round() as i32).or_default() += u64::from(span.n_chars);
    }
    let most = counts.into_iter().max_by_key(|&(size, count)| (count, size));
    most.map_or(10.0, |(size, _)| size as f32 / 4.0)
}

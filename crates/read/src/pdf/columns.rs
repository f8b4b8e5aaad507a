//! The order in which the columns of a page are read.
//!
//! A page is cut at a gutter: a strip of white between two columns of running text that few spans
//! cross. Spans that cross it (a title, a wide figure's caption) cut the page into bands; in each
//! band the left column comes before the right one. Tables have short cells and are read by rows.

use super::spans::{Span, main_size};

/// Narrowest gutter, in ems.
const GUTTER: f32 = 0.7;

/// Shares of the spans that may cross a gutter, tried in this order.
const CROSSING: [f32; 3] = [0.0, 0.1, 0.35];

/// Fewest lines of a column.
const MIN_LINES: usize = 3;

/// Smallest mean length of a column's lines, in characters of Latin text.
const MIN_LINE_CHARS: usize = 14;

/// Lines nearer than this, in ems, are at the same height.
const ALIGNED: f32 = 0.12;

/// Maximum number of columns beside each other: 2 to this power.
const MAX_DEPTH: u32 = 3;

/// Returns the spans of a page in groups, in reading order. A group has one column.
pub(super) fn in_order(spans: Vec<Span>) -> Vec<Vec<Span>> {
    let em = main_size(spans.iter());
    let mut groups = Vec::new();
    cut(spans, em, 0, &mut groups);
    groups
}

fn cut(mut spans: Vec<Span>, em: f32, depth: u32, groups: &mut Vec<Vec<Span>>) {
    if spans.is_empty() {
        return;
    }
    let gutter = if depth < MAX_DEPTH { gutter(&spans, em) } else { None };
    let Some(x) = gutter else {
        groups.push(spans);
        return;
    };
    spans.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.x0.total_cmp(&b.x0)));
    let crossing: Vec<f32> =
        spans.iter().filter(|span| crosses(span, x, em)).map(Span::middle).collect();
    let mut band = Band::default();
    for span in spans {
        let middle = span.middle();
        let beside = crossing.partition_point(|&y| y < middle - 0.4 * em);
        let is_wide = crossing.get(beside).is_some_and(|&y| (y - middle).abs() <= 0.4 * em);
        if is_wide {
            band.finish_columns(em, depth, groups);
            band.wide.push(span);
        } else {
            band.finish_wide(groups);
            if span.x0 + span.x1 < 2.0 * x { &mut band.left } else { &mut band.right }.push(span);
        }
    }
    band.finish_columns(em, depth, groups);
    band.finish_wide(groups);
}

/// The spans between two changes from columns to full width.
#[derive(Default)]
struct Band {
    wide: Vec<Span>,
    left: Vec<Span>,
    right: Vec<Span>,
}

impl Band {
    fn finish_columns(&mut self, em: f32, depth: u32, groups: &mut Vec<Vec<Span>>) {
        cut(std::mem::take(&mut self.left), em, depth + 1, groups);
        cut(std::mem::take(&mut self.right), em, depth + 1, groups);
    }

    fn finish_wide(&mut self, groups: &mut Vec<Vec<Span>>) {
        if !self.wide.is_empty() {
            groups.push(std::mem::take(&mut self.wide));
        }
    }
}

fn crosses(span: &Span, x: f32, em: f32) -> bool {
    span.x0 < x - 0.1 * em && span.x1 > x + 0.1 * em
}

/// Returns the middle of the gutter between two columns.
fn gutter(spans: &[Span], em: f32) -> Option<f32> {
    let mut edges: Vec<(f32, i32)> =
        spans.iter().flat_map(|span| [(span.x0, 1), (span.x1, -1)]).collect();
    edges.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for share in CROSSING {
        let most = (share * spans.len() as f32) as i32;
        let mut best: Option<(f32, f32)> = None;
        for (from, to) in strips(&edges, most) {
            let (width, x) = (to - from, (from + to) / 2.0);
            if width >= GUTTER * em
                && best.is_none_or(|(widest, _)| width > widest)
                && separates(spans, x, em)
            {
                best = Some((width, x));
            }
        }
        if let Some((_, x)) = best {
            return Some(x);
        }
    }
    None
}

/// Returns the strips that at most `most` spans cover.
fn strips(edges: &[(f32, i32)], most: i32) -> Vec<(f32, f32)> {
    let mut strips = Vec::new();
    let mut covered = 0;
    let mut from = None;
    for &(x, change) in edges {
        let before = covered;
        covered += change;
        if before > most && covered <= most {
            from = Some(x);
        } else if before <= most
            && covered > most
            && let Some(from) = from.take()
        {
            strips.push((from, x));
        }
    }
    strips
}

/// Returns whether there is running text on both sides of `x`, at the same heights.
fn separates(spans: &[Span], x: f32, em: f32) -> bool {
    let left = Side::of(spans.iter().filter(|span| span.x1 <= x + 0.1 * em), em);
    let right = Side::of(spans.iter().filter(|span| span.x0 >= x - 0.1 * em), em);
    let both = left.bottom.min(right.bottom) - left.top.max(right.top);
    let are_columns = left.is_column() && right.is_column() || !left.aligns_with(&right, em);
    let are_long = left.lines >= MIN_LINES && right.lines >= MIN_LINES;
    are_columns && are_long && both > MIN_LINES as f32 * em
}

/// The text on one side of a gutter.
struct Side {
    lines: usize,
    chars: usize,
    top: f32,
    bottom: f32,
    baselines: Vec<f32>,
}

impl Side {
    fn of<'a>(spans: impl Iterator<Item = &'a Span>, em: f32) -> Self {
        let mut side = Self {
            lines: 0,
            chars: 0,
            top: f32::INFINITY,
            bottom: f32::NEG_INFINITY,
            baselines: Vec::new(),
        };
        for span in spans {
            // A character of Chinese or Japanese carries about as much text as two letters.
            let wide = span.text.chars().filter(|&c| c >= '\u{2e80}').count();
            side.chars += span.n_chars as usize + wide;
            side.top = side.top.min(span.y);
            side.bottom = side.bottom.max(span.y);
            side.baselines.push(span.y);
        }
        side.baselines.sort_by(f32::total_cmp);
        side.baselines.dedup_by(|later, earlier| *later - *earlier < 0.6 * em);
        side.lines = side.baselines.len();
        side
    }

    /// Returns whether the lines of both sides are at the same heights, like the cells of rows.
    /// Only the part in which both sides have lines is compared.
    fn aligns_with(&self, other: &Side, em: f32) -> bool {
        let (few, many) = if self.lines < other.lines { (self, other) } else { (other, self) };
        let (top, bottom) = (many.top - em, many.bottom + em);
        let inside = few.baselines.iter().filter(|y| (top..=bottom).contains(*y));
        let (mut n, mut aligned) = (0, 0);
        for y in inside {
            n += 1;
            let after = many.baselines.partition_point(|other| other < y);
            let near = &many.baselines[after.saturating_sub(1)..(after + 1).min(many.lines)];
            aligned += usize::from(near.iter().any(|other| (other - y).abs() < ALIGNED * em));
        }
        n < 2 * MIN_LINES || aligned * 2 >= n
    }

    fn is_column(&self) -> bool {
        self.chars >= self.lines * MIN_LINE_CHARS
    }
}

//! Numbers in the margin that count the lines of a page, as in drafts of laws and papers.

use super::spans::Span;

/// Fewest such numbers on a page.
const MIN_NUMBERS: usize = 5;

/// Distance of the numbers from the text, in ems.
const GAP: f32 = 0.6;

/// Largest distance between the edges of the numbers, in ems.
const ALIGNED: f32 = 0.6;

/// Returns the spans without numbers that count lines, and the numbers.
pub(super) fn without_numbers(spans: Vec<Span>) -> (Vec<Span>, Vec<String>) {
    let numbers: Vec<usize> = spans
        .iter()
        .enumerate()
        .filter(|(_, span)| number(span).is_some())
        .map(|(at, _)| at)
        .collect();
    if numbers.len() < MIN_NUMBERS {
        return (spans, Vec::new());
    }
    for edge in [|span: &Span| span.x1, |span: &Span| span.x0] {
        let Some(found) = column(&spans, &numbers, edge) else { continue };
        let mut taken = Vec::new();
        let mut kept = Vec::with_capacity(spans.len());
        for (at, span) in spans.into_iter().enumerate() {
            if found.contains(&at) {
                taken.push(span.text);
            } else {
                kept.push(span);
            }
        }
        return (kept, taken);
    }
    (spans, Vec::new())
}

fn number(span: &Span) -> Option<u32> {
    let text = span.text.trim();
    let is_number = !text.is_empty() && text.len() <= 4 && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// Returns the numbers in a column beside all text that count the lines.
fn column(spans: &[Span], numbers: &[usize], edge: fn(&Span) -> f32) -> Option<Vec<usize>> {
    let em = spans[numbers[0]].size.max(1.0);
    let mut best: Vec<usize> = Vec::new();
    for &first in numbers {
        let at = edge(&spans[first]);
        let aligned: Vec<usize> = numbers
            .iter()
            .copied()
            .filter(|other| (edge(&spans[*other]) - at).abs() <= ALIGNED * em)
            .collect();
        if aligned.len() > best.len() {
            best = aligned;
        }
        if best.len() * 2 > numbers.len() {
            break;
        }
    }
    best.sort_by(|a, b| spans[*a].y.total_cmp(&spans[*b].y));
    if best.len() < MIN_NUMBERS || !counts(&best, spans) {
        return None;
    }
    let others = || spans.iter().enumerate().filter(|(at, _)| !best.contains(at)).map(|(_, s)| s);
    let left = best.iter().map(|at| spans[*at].x0).fold(f32::INFINITY, f32::min);
    let right = best.iter().map(|at| spans[*at].x1).fold(f32::NEG_INFINITY, f32::max);
    let is_left = others().all(|span| span.x0 >= right + GAP * em);
    let is_right = others().all(|span| span.x1 <= left - GAP * em);
    // Each line has a number, or each fifth.
    let mut lines: Vec<i32> = others().map(|span| (span.y / (0.4 * em)).round() as i32).collect();
    lines.sort_unstable();
    lines.dedup_by(|a, b| (*a - *b).abs() <= 1);
    let step = step(&best, spans)?;
    let is_whole = best.len() * step as usize * 10 >= lines.len() * 8;
    ((is_left || is_right) && is_whole).then_some(best)
}

fn step(column: &[usize], spans: &[Span]) -> Option<u32> {
    let first = number(&spans[*column.first()?])?;
    let second = number(&spans[*column.get(1)?])?;
    second.checked_sub(first).filter(|step| matches!(step, 1 | 2 | 5 | 10))
}

/// Returns whether numbers increase in equal steps from top to bottom.
fn counts(column: &[usize], spans: &[Span]) -> bool {
    let values: Vec<u32> = column.iter().filter_map(|at| number(&spans[*at])).collect();
    let Some(step) = step(column, spans) else { return false };
    values.windows(2).all(|pair| pair[0].checked_add(step) == Some(pair[1]))
}

//! Packing: atoms in order into spans of about one size.

use std::ops::Range;

use super::atoms::{self, Atom};
use crate::cutter::Cutter;

/// Spans of a stretch to aim at: the longer, the more alike are the spans, and the shorter, the fewer an edit moves.
const STRETCH: usize = 3;

/// How large spans are to be, in whatever `size` counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Size to aim at.
    pub target: usize,
    /// No span is larger, but for a single word that is.
    pub max: usize,
    /// How much of its predecessor's end a span repeats, at most.
    pub overlap: usize,
}

/// Packs atoms into spans of about one size, cut at ends of blocks where one is near.
///
/// A long text is cut into stretches first, between blocks that their own words choose, and each is packed by itself: an edit
/// then moves the spans of its stretch, and those behind it stay.
pub(super) fn pack(
    text: &str,
    atoms: &[Atom],
    sizes: Sizes,
    size: &dyn Fn(&str) -> usize,
) -> Vec<Range<usize>> {
    let max = sizes.max.saturating_sub(sizes.overlap).max(1);
    let mut sized: Vec<(Atom, usize)> = Vec::with_capacity(atoms.len());
    for atom in atoms {
        let atom_size = size(&text[atom.span.clone()]);
        if atom_size > max {
            atoms::split(text, atom, max, size, &mut sized);
        } else {
            sized.push((atom.clone(), atom_size));
        }
    }
    let target = sizes.target.clamp(1, max);
    let mut spans = Vec::new();
    for stretch in stretches(text, &sized, target) {
        pack_evenly(text, &sized[stretch], target, max, size, &mut spans);
    }
    if sizes.overlap > 0 {
        overlap(&sized, &mut spans, sizes.overlap);
    }
    spans
}

/// Where a text is cut whatever the lengths before and behind: ranges of atoms.
fn stretches(text: &str, sized: &[(Atom, usize)], target: usize) -> Vec<Range<usize>> {
    let mut stretches: Vec<Range<usize>> = Vec::new();
    let mut cutter = Cutter::new(STRETCH * target);
    let (mut first, mut block) = (0, 0);
    for (at, (atom, _)) in sized.iter().enumerate() {
        if !atom.ends_block && at + 1 < sized.len() {
            continue;
        }
        let key = &text[sized[block].0.span.start..atom.span.end];
        let block_size: usize = sized[block..=at].iter().map(|(_, size)| size).sum();
        if cutter.cut_before(key, block_size) {
            stretches.push(first..block);
            first = block;
        }
        block = at + 1;
    }
    let rest: usize = sized[first..].iter().map(|(_, size)| size).sum();
    match stretches.last_mut() {
        // What is shorter than a span is packed with what is before it.
        Some(last) if rest < target => last.end = sized.len(),
        _ => stretches.push(first..sized.len()),
    }
    stretches
}

/// Packs atoms into as many spans as their total asks for, all of about the same size.
fn pack_evenly(
    text: &str,
    sized: &[(Atom, usize)],
    target: usize,
    max: usize,
    size: &dyn Fn(&str) -> usize,
    all: &mut Vec<Range<usize>>,
) {
    let total: usize = sized.iter().map(|(_, size)| size).sum();
    // Spans of equal size instead of full ones and a rest.
    let n_spans = ((total + target / 2) / target).max(total.div_ceil(max)).max(1);
    let even = total.div_ceil(n_spans).max(1);

    let mut spans: Vec<Range<usize>> = Vec::with_capacity(n_spans);
    let mut first = 0;
    let mut filled = 0;
    for (at, (_, atom_size)) in sized.iter().enumerate() {
        if at > first {
            let (before, _) = &sized[at - 1];
            let short = even.saturating_sub(filled);
            let over = (filled + atom_size).saturating_sub(even);
            // Going over costs more than staying under in the middle of a block, and less at its end.
            let cut = filled + atom_size > max
                || if before.ends_block { over * 2 > short } else { over > short * 2 };
            if cut && filled > 0 {
                spans.push(sized[first].0.span.start..before.span.end);
                (first, filled) = (at, 0);
            }
        }
        filled += atom_size;
    }
    if let (Some((start, _)), Some((end, _))) = (sized.get(first), sized.last()) {
        let last = start.span.start..end.span.end;
        match spans.last_mut() {
            // A tail of a few words is no passage.
            Some(previous) if filled * 4 < even && size(&text[previous.start..last.end]) <= max => {
                previous.end = last.end
            }
            _ => spans.push(last),
        }
    }
    all.append(&mut spans);
}

/// Lets each span begin with the last atoms of the one before it.
fn overlap(sized: &[(Atom, usize)], spans: &mut [Range<usize>], most: usize) {
    for at in (1..spans.len()).rev() {
        let floor = spans[at - 1].start;
        let start = spans[at].start;
        let mut repeated = 0;
        for (atom, atom_size) in sized.iter().rev().skip_while(|(atom, _)| atom.span.start >= start) {
            if atom.span.start <= floor || repeated + atom_size > most {
                break;
            }
            repeated += atom_size;
            spans[at].start = atom.span.start;
        }
    }
}

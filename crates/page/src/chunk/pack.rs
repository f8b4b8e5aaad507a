//! Packs atoms, in order, into spans of about the same size.

use std::ops::Range;

use super::atoms::{self, Atom};

/// Sizes of spans, in the unit that `size` counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Target size.
    pub target: usize,
    /// Largest size; only a single word can be larger.
    pub max: usize,
    /// Largest size of the end of the previous span that a span repeats.
    pub overlap: usize,
}

/// Packs atoms into as many spans as their total size needs, all of about the same size. Cuts at
/// the end of a block if one is near.
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
    let total: usize = sized.iter().map(|(_, size)| size).sum();
    let target = sizes.target.clamp(1, max);
    // Spans of equal size instead of full ones and a small last one.
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
            // In the middle of a block, a span that is too large is worse than a span that is too
            // small. At the end of a block, it is better.
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
            // A last span of a few words is joined to the previous span.
            Some(previous) if filled * 4 < even && size(&text[previous.start..last.end]) <= max => {
                previous.end = last.end
            }
            _ => spans.push(last),
        }
    }
    if sizes.overlap > 0 {
        overlap(&sized, &mut spans, sizes.overlap);
    }
    spans
}

/// Extends each span by the last atoms of the previous span.
fn overlap(sized: &[(Atom, usize)], spans: &mut [Range<usize>], most: usize) {
    for at in (1..spans.len()).rev() {
        let floor = spans[at - 1].start;
        let start = spans[at].start;
        let mut repeated = 0;
        for (atom, atom_size) in sized.iter().rev().skip_while(|(atom, _)| atom.span.start >= start)
        {
            if atom.span.start <= floor || repeated + atom_size > most {
                break;
            }
            repeated += atom_size;
            spans[at].start = atom.span.start;
        }
    }
}

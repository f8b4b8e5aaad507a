//! Measuring rows on held-out spans.

use std::ops::Range;

use findling_bundle::hash128;
use findling_encoder::dot;
use rayon::prelude::*;

use super::report::{Fitted, Verdict};
use super::spans::Span;
use crate::rows::{Reader, Rows};
use crate::training::sum_rows;

/// Largest number of section vectors that are used. It bounds the cost of training.
pub const MAX_SECTIONS: usize = 10_000;

/// Smallest gain in mean reciprocal rank for which fitted rows are kept. The gain must also exceed
/// what two spans contribute if they move from second to first place.
const MIN_GAIN: f32 = 0.01;

/// Largest loss in mean reciprocal rank, as the site changes, at which the rows of a previous build
/// are kept. A loss up to the contribution of four such spans is also allowed.
const MAX_LOSS: f32 = 0.02;

/// The text of each vector, and the vector.
pub type Sections<'a> = [(&'a str, &'a [f32])];

/// Held-out spans, for measuring how well rows lead a query to its section.
pub struct HeldOut<'a> {
    /// The rows that each span sums up, and the vectors of its section.
    pub texts: Vec<(Vec<u32>, Range<usize>)>,
    /// All sections of the site.
    all: &'a Sections<'a>,
    /// The vectors among which a span's own section is ranked.
    among: &'a [usize],
}

impl<'a> HeldOut<'a> {
    /// Looks up the rows of each span.
    pub fn new(
        reader: &Reader<'_>,
        spans: &[&Span],
        all: &'a Sections<'a>,
        among: &'a [usize],
    ) -> Self {
        let texts =
            spans.iter().map(|span| (reader.places(&span.text), span.own.clone())).collect();
        Self { texts, all, among }
    }

    /// Returns the mean reciprocal rank of a span's own section. A span without rows counts as 0.
    pub fn reciprocal_rank(&self, rows: &[f32], dim: usize) -> f32 {
        let of = |(places, own): &(Vec<u32>, Range<usize>)| {
            let sum = sum_rows(rows, places, dim);
            if sum.iter().all(|v| *v == 0.0) {
                return 0.0;
            }
            let score =
                |at: usize| self.all.get(at).map_or(f32::MIN, |(_, vector)| dot(&sum, vector));
            let best = own.clone().map(score).fold(f32::MIN, f32::max);
            let others = self.among.iter().filter(|at| !own.contains(at));
            1.0 / (1 + others.filter(|&&at| score(at) > best).count()) as f32
        };
        let each: Vec<f32> = self.texts.par_iter().map(of).collect();
        each.iter().sum::<f32>() / each.len().max(1) as f32
    }

    /// Returns the smallest gain for which fitted rows are kept.
    pub fn min_gain(&self) -> f32 {
        MIN_GAIN.max(1.0 / self.texts.len().max(1) as f32)
    }

    /// Returns the largest loss at which the rows of a previous build are still kept.
    fn max_loss(&self) -> f32 {
        MAX_LOSS.max(2.0 / self.texts.len().max(1) as f32)
    }
}

/// Measures whether rows fitted by a previous build still fit the site. `earlier` holds these rows
/// and the mean reciprocal rank that they reached then. `None` if the rows must be fitted again.
pub fn still_fits(
    rows: &Rows,
    earlier: &(Rows, f32),
    held_out: &[&Span],
    sections: &Sections<'_>,
) -> Option<Fitted> {
    let among = sampled_sections(sections);
    let held_out = HeldOut::new(&rows.reader(), held_out, sections, &among);
    let measure = |rows: &Rows| held_out.reciprocal_rank(&rows.dense(), rows.dim());
    let (before, after) = (measure(rows), measure(&earlier.0));
    let n_held_out = held_out.texts.len();
    let fits = n_held_out > 0
        && after >= before + held_out.min_gain()
        && after >= earlier.1 - held_out.max_loss();
    fits.then_some(Fitted {
        n_held_out,
        before,
        after,
        verdict: Verdict::KeptFromPreviousBuild,
        ..Fitted::default()
    })
}

/// Returns the indices of the sections that are used, sorted by a hash of their text.
pub fn sampled_sections(sections: &Sections<'_>) -> Vec<usize> {
    let mut order: Vec<([u8; 16], usize)> = sections
        .par_iter()
        .enumerate()
        .map(|(at, (text, _))| (hash128(text.as_bytes()), at))
        .collect();
    order.sort_unstable();
    order.truncate(MAX_SECTIONS);
    order.into_iter().map(|(_, at)| at).collect()
}

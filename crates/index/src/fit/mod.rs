//! Fitting the static query encoder to a site: training the rows of the site's own words further.
//!
//! Rows learn from two sources: the vectors of the site's sections, which exist already and cost
//! nothing, and spans, short parts of the site's text. Spans are as short as queries, but the
//! teacher must embed them, so their number is limited. The sums for both should be near the
//! teacher's vectors, and nearer to their own section than to other sections, because ranking
//! depends on order.
//!
//! A part of the spans is held out for measuring. The fitted rows are kept only if held-out spans
//! lead better to their sections. The sections of held-out spans are in the training data: a
//! reader's query is new to the rows, the sections it looks for are not.
//!
//! A word changes its own row if it has one, even if it has several tokens. Otherwise it changes
//! the row of the longest key that is a prefix of it. Only words that were rare in the table's
//! training, or that the table has only in pieces, change. For frequent words the table contains
//! more than one site can teach: "get" and "list" have another meaning in code than in a question.
//!
//! Spans and sections are chosen by a hash of their own text. An edited page therefore changes only
//! its own spans, and other embeddings stay in the cache. Equal sites and tables give equal rows on
//! any number of cores.

mod held_out;
mod report;
mod spans;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::HashSet;

use findling_encoder::static_table::StaticTable;
use findling_encoder::{Error, dot};
use rayon::prelude::*;

use super::rows::Rows;
use crate::training::{self, Contrast, Examples, train_some};
use held_out::{HeldOut, sampled_sections};
pub use held_out::{Sections, still_fits};
pub use report::{Fitted, Verdict};
pub use spans::{Span, hold_out, spans};

/// Smallest number of spans to fit to. With fewer, a gain cannot be distinguished from chance.
const MIN_SPANS: usize = 200;

/// Largest frequency in the table's training for which a token's row may change. The unit is the
/// unit of [`StaticTable::frequency`]; 8 means 255 occurrences.
const MAX_RARE_FREQUENCY: u8 = 8;

/// Training options. Steps are smaller than in distillation, because the rows start close to their
/// goal. The rows of the best epoch are kept.
const TRAINING: training::Options =
    training::Options { epochs: 12, batch: 256, learning_rate: 1e-3, seed: 1, patience: 12 };

/// Training options for a table that knew little of the site, such as a table for another language:
/// its rows must change a lot.
const FARTHER: training::Options =
    training::Options { epochs: 20, learning_rate: 5e-3, ..TRAINING };

/// Smallest gain in mean reciprocal rank at which [`FARTHER`] is also tried.
const MUCH: f32 = 0.15;

/// Smallest additional gain at which [`FARTHER`] is kept. A smaller gain on held-out spans was not
/// a gain on questions (docs/design).
const CLEARLY: f32 = 0.05;

/// Fits the `rows` of `table` to `spans` and `sections`. `targets` are the projected embeddings of
/// the spans by the teacher. The result is measured on `held_out`; the rows are `None` if the gain
/// is too small.
///
/// # Errors
/// If a vector does not have the dimensions of the rows.
pub fn fit(
    rows: &Rows,
    table: &StaticTable,
    (spans, targets): (&[&Span], &[f32]),
    held_out: &[&Span],
    sections: &Sections<'_>,
) -> Result<(Option<Rows>, Fitted), Error> {
    let dim = rows.dim();
    if targets.len() != spans.len() * dim || sections.iter().any(|(_, vector)| vector.len() != dim)
    {
        return Err(Error::Run(format!(
            "fitting expected {} spans and {} sections with {dim} numbers each, found {} and {} \
             numbers in total",
            spans.len(),
            sections.len(),
            targets.len(),
            sections.iter().map(|(_, vector)| vector.len()).sum::<usize>()
        )));
    }
    if spans.len() < MIN_SPANS || held_out.is_empty() {
        return Ok((None, Fitted::default()));
    }
    let reader = rows.reader();
    let (mut examples, mut contrast) = (Examples::new(dim), Contrast::default());
    let mut learn_from = |places: Vec<u32>, target: &[f32], own: usize| {
        if let Some(&(_, vector)) = sections.get(own).filter(|_| !places.is_empty()) {
            examples.push(&places, target);
            contrast.own.push((own as u32, vector));
        }
    };
    for (span, target) in spans.iter().zip(targets.chunks_exact(dim)) {
        // A section can have several vectors: take the one nearest to the span.
        let nearness =
            |&at: &usize| sections.get(at).map_or(f32::MIN, |(_, vector)| dot(vector, target));
        if let Some(own) = span.own.clone().max_by(|a, b| nearness(a).total_cmp(&nearness(b))) {
            learn_from(reader.places(&span.text), target, own);
        }
    }
    let sample = sampled_sections(sections);
    let places: Vec<Vec<u32>> =
        sample.par_iter().map(|&at| reader.places(sections[at].0)).collect();
    for (places, &at) in places.into_iter().zip(&sample) {
        learn_from(places, sections[at].1, at);
    }
    let held_out = HeldOut::new(&reader, held_out, sections, &sample);

    let common: HashSet<&str> = (0..)
        .zip(table.vocabulary())
        .filter(|&(id, _)| table.frequency(id) > MAX_RARE_FREQUENCY)
        .map(|(_, token)| token.as_str())
        .collect();
    let learns: Vec<bool> = rows.keys().map(|key| !common.contains(key)).collect();
    let learns = |place: u32| learns[place as usize];
    let measure = |rows: &[f32]| held_out.reciprocal_rank(rows, dim);
    let train =
        |options| train_some(rows.dense(), &learns, &examples, Some(&contrast), options, measure);
    let mut trained = train(TRAINING);
    if trained.best() > trained.held_out[0] + MUCH {
        let farther = train(FARTHER);
        if farther.best() > trained.best() + CLEARLY {
            trained = farther;
        }
    }
    // The score before training is the score of the original rows.
    let before = trained.held_out[0];
    let fitted = rows.with(&trained.rows);
    let after = measure(&fitted.dense());
    let kept = after >= before + held_out.min_gain();
    let report = Fitted {
        n_spans: spans.len(),
        n_sections: sample.len(),
        n_held_out: held_out.texts.len(),
        before,
        after,
        verdict: if kept { Verdict::Kept } else { Verdict::Unchanged },
    };
    Ok((kept.then(|| fitted.reached(table, after)), report))
}

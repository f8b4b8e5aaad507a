//! The cost of the static query encoder for a site, measured during a build. Queries are made from
//! the site's headings and sentences. The table and the teacher embed them. For each of the two,
//! the measure counts how often it finds the section from which the query was taken.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::fmt;

use findling_encoder::dot;
use findling_encoder::static_table::StaticTable;
use findling_encoder::{Encoder, Error, Side};
use rayon::prelude::*;

use super::rows::Rows;
use crate::embedding::Embedded;
use crate::sample;
use findling_page::chunk::ChunkedPage;

/// The result of [`measure`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fidelity {
    /// Queries.
    pub n_queries: usize,
    /// Mean cosine of the static vectors with the teacher's.
    pub cosine: f32,
    /// Share of queries whose own section is among the ten nearest, with the rows of the bundle.
    pub found: f32,
    /// The same share with the teacher.
    pub teacher_found: f32,
}

impl fmt::Display for Fidelity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.n_queries == 0 {
            return write!(f, "too little text to measure the static encoder");
        }
        write!(
            f,
            "{} queries made from headings and sentences: {:.1}% find their section among the \
             first ten by meaning (transformer {:.1}%), cosine {:.3}",
            self.n_queries,
            100.0 * self.found,
            100.0 * self.teacher_found,
            self.cosine
        )
    }
}

/// A query and the vectors of the section it was taken from.
struct Sample {
    query: String,
    own: std::ops::Range<usize>,
}

/// Measures the cost of the static query encoder. `embedded` has the projected vectors that the
/// bundle stores.
///
/// # Errors
/// If the teacher fails.
pub fn measure(
    teacher: &(dyn Encoder + Send + Sync),
    table: &StaticTable,
    rows: &Rows,
    chunks: &[impl Borrow<ChunkedPage>],
    embedded: &Embedded,
) -> Result<Fidelity, Error> {
    let samples = samples(chunks);
    if samples.is_empty() {
        return Ok(Fidelity::default());
    }
    let queries: Vec<&str> = samples.iter().map(|sample| sample.query.as_str()).collect();
    let by_teacher: Vec<Vec<f32>> = teacher
        .encode(&queries, Side::Query)?
        .into_iter()
        .map(|embedding| match table.projection().apply(&embedding.values) {
            Ok(projected) => projected,
            // The teacher has the dimensions of the table, for example because the table embedded
            // the documents.
            Err(_) => embedding.values,
        })
        .collect();
    let found = |query: &[f32], own: &std::ops::Range<usize>| {
        let scores: Vec<f32> = embedded.rows().map(|row| dot(query, row)).collect();
        let best = scores[own.clone()].iter().copied().fold(f32::MIN, f32::max);
        u32::from(scores.iter().filter(|&&score| score > best).count() < 10)
    };
    let reader = rows.reader();
    let results: Vec<(f32, u32, u32)> = samples
        .par_iter()
        .zip(&by_teacher)
        .map(|(sample, teacher)| {
            let by_teacher = found(teacher, &sample.own);
            let Some(values) = reader.embed(&sample.query) else { return (0.0, 0, by_teacher) };
            let cosine = dot(&values, teacher)
                / (dot(&values, &values) * dot(teacher, teacher)).sqrt().max(1e-9);
            (cosine, found(&values, &sample.own), by_teacher)
        })
        .collect();
    let n = samples.len() as f32;
    Ok(Fidelity {
        n_queries: samples.len(),
        cosine: results.iter().map(|r| r.0).sum::<f32>() / n,
        found: results.iter().map(|r| r.1).sum::<u32>() as f32 / n,
        teacher_found: results.iter().map(|r| r.2).sum::<u32>() as f32 / n,
    })
}

/// Returns the queries that [`measure`] uses. Training must leave them out.
pub fn queries(chunks: &[impl Borrow<ChunkedPage>]) -> HashSet<String> {
    samples(chunks).into_iter().map(|sample| sample.query).collect()
}

/// Returns queries with the sections they were taken from, evenly spread over the sections with
/// vectors and text.
fn samples(chunks: &[impl Borrow<ChunkedPage>]) -> Vec<Sample> {
    let mut at = 0;
    let mut candidates = Vec::new();
    for section in chunks.iter().flat_map(|page| &page.borrow().sections) {
        let own = at..at + section.units.len();
        at = own.end;
        if !own.is_empty() && sample::has_text(&section.text) {
            candidates.push((section, own));
        }
    }
    sample::evenly(candidates, sample::MAX_QUERIES)
        .enumerate()
        .map(|(i, (section, own))| Sample {
            query: sample::query(i, &section.heading, &section.text),
            own,
        })
        .collect()
}

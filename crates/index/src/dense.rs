//! The part of a build that depends on vectors.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use web_time::Instant;

use anyhow::Context;
use findling_bundle::Graph;
use findling_encoder::static_table::StaticTable;

use super::assemble::DenseParts;
use super::chunks::Chunks;
use super::job::{DenseInput, GRAPH_FROM, Options};
use super::stage::Stage;
use super::{cells, fidelity, fit, graph, rows, sentences};
use crate::embedding::{Cache, Embedded, embed};
use findling_base::progress::{Progress, thousands};
use findling_encoder::BoxedEncoder;
use findling_page::chunk::ChunkedPage;

/// Pages whose texts are in memory at the same time, if they do not all fit.
const PAGES_AT_ONCE: usize = 4096;

/// Embeds all sections and builds everything that depends on vectors: rows of the static encoder,
/// coded sentences, graph and cells. Adds each step to `stages`.
///
/// # Errors
/// If the encoder fails or a format's limit is exceeded.
pub(super) fn build_dense(
    input: DenseInput<'_>,
    chunks: &Chunks,
    options: &Options,
    stages: &mut Vec<Stage>,
    progress: &dyn Progress,
) -> anyhow::Result<DenseParts> {
    let DenseInput { encoder, mut cache, query_encoders, table, earlier, replaced } = input;
    if cache.as_ref().is_some_and(|cache| !cache.is_writable()) {
        progress.warn(
            "another build is writing the embedding cache: this build reads it but adds no \
             embeddings to it",
        );
    }
    let (embedded, stage) = embed_chunks(encoder, chunks, cache.as_mut(), progress)?;
    stages.push(stage);
    if embedded.n_cached > 0 {
        progress.detail(format!(
            "{} embeddings read from the cache",
            thousands(embedded.n_cached as u64)
        ));
    }
    let mut card = encoder.card().clone();
    let (mut projection, mut kept, mut sentences) = (None, None, <_>::default());
    let mut embedded = embedded;
    if let Some(table) = table {
        let is_taught = table.is_taught_by(&card);
        if is_taught {
            embedded = embedded.project(table.projection())?;
            card.dim = table.projection().to_dim();
            projection = Some(table.projection().clone());
        }
        let table = &table.for_bundles()?;
        let started = Instant::now();
        let mut words = HashMap::new();
        for pages in groups(chunks) {
            let pages = chunks.pages(pages)?;
            rows::count(table, &texts_of(&pages), &mut words);
        }
        let mut rows = rows::choose(table, &words, options.rows_budget);
        drop(words);
        stages.push(Stage::ended("rows", started, rows.len() as u64, "rows", progress));
        if is_taught {
            // For a site whose texts do not fit into memory, a model would take hours.
            let pages = chunks.pages(0..chunks.n_pages())?;
            if options.fit {
                let sections: Vec<_> = texts_of(&pages).into_iter().zip(embedded.rows()).collect();
                let before =
                    earlier.as_ref().and_then(|earlier| earlier.fitted(&rows, table, &card));
                let site = Site { chunks: &pages, sections: &sections, before };
                rows = fit_to(rows, table, encoder, site, cache.as_mut(), stages, progress)?;
            }
            let fidelity = fidelity::measure(encoder.as_ref(), table, &rows, &pages, &embedded)?;
            progress.status("Static", fidelity);
        }
        let started = Instant::now();
        let (codes, n_codes) =
            sentences::build(&rows, chunks).context("cannot store the coded sentences")?;
        sentences = codes;
        stages.push(Stage::ended("sentences", started, n_codes, "stretches", progress));
        kept = Some(rows);
    }
    let graph = graph_of(&embedded, options, stages, progress)?;
    let cells = match options.cells {
        true => {
            let started = Instant::now();
            let before =
                earlier.as_ref().and_then(|earlier| earlier.grouping(&card, projection.as_ref()));
            let places = cells::places(chunks)?;
            let listed = places.len() <= options.most_listed as usize;
            let (values, dim) = (&embedded.values, embedded.dim);
            let cells = cells::build(values, dim, &places, before.as_ref(), listed, replaced)
                .context("cannot group the vectors into cells")?;
            stages.push(Stage::ended(
                "cells",
                started,
                cells.shards.len() as u64,
                "cells",
                progress,
            ));
            Some(cells)
        }
        false => None,
    };
    Ok(DenseParts {
        encoder: card,
        embedded,
        graph,
        cells,
        query_encoders,
        projection,
        rows: kept,
        sentences,
    })
}

/// Returns the texts of units, in order.
fn texts_of<'a>(pages: &'a [Cow<'_, ChunkedPage>]) -> Vec<&'a str> {
    let sections = pages.iter().flat_map(|page| &page.sections);
    sections.flat_map(|section| &section.units).map(|unit| unit.text.as_str()).collect()
}

/// Returns pages whose texts are in memory at the same time.
fn groups(chunks: &Chunks) -> impl Iterator<Item = Range<usize>> {
    let n = chunks.n_pages();
    let step = if chunks.are_held() { n.max(1) } else { PAGES_AT_ONCE };
    (0..n).step_by(step).map(move |start| start..(start + step).min(n))
}

/// Embeds all units.
fn embed_chunks(
    encoder: &BoxedEncoder,
    chunks: &Chunks,
    mut cache: Option<&mut Cache>,
    progress: &dyn Progress,
) -> anyhow::Result<(Embedded, Stage)> {
    let started = Instant::now();
    let mut all = Embedded::with_room_for(encoder.card().dim as usize, chunks.n_units());
    for pages in groups(chunks) {
        let pages = chunks.pages(pages)?;
        let cache = cache.as_deref_mut();
        all.append(embed_texts(encoder, &texts_of(&pages), cache, progress)?);
    }
    let n_encoded = all.n_encoded as u64;
    Ok((all, Stage::ended("embed", started, n_encoded, "sections", progress)))
}

/// Embeds the texts of units, with a progress bar.
///
/// # Errors
/// If the encoder fails.
pub fn embed_units(
    encoder: &BoxedEncoder,
    texts: &[&str],
    cache: Option<&mut Cache>,
    progress: &dyn Progress,
) -> anyhow::Result<(Embedded, Stage)> {
    let started = Instant::now();
    let embedded = embed_texts(encoder, texts, cache, progress)?;
    let n_encoded = embedded.n_encoded as u64;
    Ok((embedded, Stage::ended("embed", started, n_encoded, "sections", progress)))
}

fn embed_texts(
    encoder: &BoxedEncoder,
    texts: &[&str],
    cache: Option<&mut Cache>,
    progress: &dyn Progress,
) -> anyhow::Result<Embedded> {
    let bar = progress.count("Embedding", Some(texts.len() as u64), "sections");
    let embedded = embed(encoder.as_ref(), texts, cache, &bar, progress)
        .with_context(|| format!("`{}` failed to embed the documents", encoder.card().name))?;
    bar.finish();
    Ok(embedded)
}

/// The texts and vectors of the site, to which rows are fitted.
struct Site<'a> {
    chunks: &'a [Cow<'a, ChunkedPage>],
    /// The text of each vector, and the vector.
    sections: &'a fit::Sections<'a>,
    /// Rows that a previous build fitted, and the score they reached.
    before: Option<(rows::Rows, f32)>,
}

/// Fits the rows to the site. Returns them unchanged if fitting does not improve them enough.
fn fit_to(
    rows: rows::Rows,
    table: &StaticTable,
    encoder: &BoxedEncoder,
    site: Site<'_>,
    cache: Option<&mut Cache>,
    stages: &mut Vec<Stage>,
    progress: &dyn Progress,
) -> anyhow::Result<rows::Rows> {
    let started = Instant::now();
    let spans = fit::spans(site.chunks, &fidelity::queries(site.chunks));
    let (held_out, learned) = fit::hold_out(&spans);
    if let Some(before) = site.before
        && let Some(report) = fit::still_fits(&rows, &before, &held_out, site.sections)
    {
        stages.push(Stage::ended("fit", started, held_out.len() as u64, "spans", progress));
        progress.status("Fitted", report);
        return Ok(before.0);
    }
    let texts: Vec<&str> = learned.iter().map(|span| span.text.as_str()).collect();
    let bar = progress.count("Fitting", Some(texts.len() as u64), "spans");
    let embedded = embed(encoder.as_ref(), &texts, cache, &bar, progress)
        .context("cannot embed the spans of the site")?
        .project(table.projection())?;
    bar.finish();
    let (fitted, report) =
        fit::fit(&rows, table, (&learned, &embedded.values), &held_out, site.sections)?;
    stages.push(Stage::ended("fit", started, spans.len() as u64, "spans", progress));
    progress.status("Fitted", report);
    Ok(fitted.unwrap_or(rows))
}

/// Builds the HNSW graph if the options want one for this number of vectors.
fn graph_of(
    embedded: &Embedded,
    options: &Options,
    stages: &mut Vec<Stage>,
    progress: &dyn Progress,
) -> anyhow::Result<Option<Graph>> {
    let n = embedded.rows().len();
    if n > options.graph_up_to {
        progress.detail(format!(
            "no graph: for {} vectors it would take longer than the rest of the build \
             (--graph-from {GRAPH_FROM} makes one); the command line compares the query with all",
            thousands(n as u64)
        ));
        return Ok(None);
    }
    if n < options.graph_from.max(1) {
        progress.detail(format!(
            "no graph: comparing the query with all {} vectors is as fast",
            thousands(n as u64)
        ));
        return Ok(None);
    }
    let started = Instant::now();
    let bar = progress.count("Graph", Some(n as u64), "vectors");
    let graph =
        graph::build(&embedded.values, embedded.dim, &bar).context("cannot build the graph")?;
    bar.finish();
    stages.push(Stage::ended("graph", started, n as u64, "vectors", progress));
    Ok(graph)
}

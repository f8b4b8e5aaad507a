//! From pages to a bundle.
//!
//! ```text
//! pages -> chunk -> analyse (lexical) ---------------> assemble -> write
//!               \-> embed (cache, encoder) -> graph --/
//! ```
//!
//! [`build`] does all but the last step, in memory; [`write`](write::write) lays the result on
//! disk. The same pages, options and encoder give the same bytes, whatever the number of cores and
//! whatever was in the cache.

pub mod assemble;
pub mod cache;
pub mod cells;
pub mod client;
mod columns;
pub mod copies;
pub(crate) mod dot;
pub mod earlier;
pub mod embed;
pub mod fidelity;
pub mod fit;
pub mod graph;
mod languages;
pub mod lexical;
mod names;
pub mod open;
mod order;
pub mod query_encoder;
pub mod retired;
pub mod rows;
pub mod sentences;
mod shards;
mod spelling;
pub mod synonyms;
pub mod table;
mod texts;
mod tiers;
pub mod vocabulary;
pub mod write;

use std::time::Instant;

use anyhow::Context;
use findling_bundle::{Graph, QueryEncoder, Synonym, addresses};
use findling_encoder::Side;
use findling_encoder::static_table::StaticTable;
use rayon::prelude::*;
use serde::Serialize;

use crate::chunk::{ChunkOptions, ChunkedPage, chunk};
use crate::models::BoxedEncoder;
use crate::page::Page;
use crate::ui::{Ui, bytes, thousands};
use assemble::{Bundle, DenseParts, Parts};
use cache::Cache;
use earlier::Earlier;
use languages::Languages;
pub use shards::Deployed;

/// From how many vectors on a bundle has a graph. The engine takes a search of the graph for as
/// costly as comparing with 6,000 to 11,000 vectors; up to about twice that, the graph saves a
/// millisecond and costs its download.
pub const GRAPH_FROM: usize = 20_000;

/// Sizes and languages.
#[derive(Clone, Debug)]
pub struct Options {
    /// Sizes of passages and embedding units. Its token limits are lowered to the encoder's.
    pub chunk: ChunkOptions,
    /// Language of pages that do not say.
    pub language: Option<String>,
    /// The site's synonyms.
    pub synonyms: Vec<Synonym>,
    /// How results are ranked, as the manifest has it; empty for the defaults.
    pub ranking: Vec<f32>,
    /// Least number of vectors for a graph.
    pub graph_from: usize,
    /// Most bytes of the static query encoder's rows.
    pub rows_budget: usize,
    /// Whether the static query encoder's rows are fitted to the site, where its teacher embeds
    /// the documents.
    pub fit: bool,
    /// Whether copies of pages are looked for.
    pub copies: bool,
    /// Whether vectors are there in cells as well, for readers who fetch few of them.
    pub cells: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            chunk: ChunkOptions::default(),
            language: None,
            synonyms: Vec::new(),
            ranking: Vec::new(),
            graph_from: GRAPH_FROM,
            rows_budget: rows::BUDGET,
            fit: true,
            copies: true,
            cells: false,
        }
    }
}

/// What is to be indexed, and with what.
#[derive(Default)]
pub struct Job<'a> {
    /// All pages, in the site's order.
    pub pages: Vec<Page>,
    /// The documents' encoder; `None` for words alone.
    pub encoder: Option<&'a BoxedEncoder>,
    /// Where embeddings of earlier builds are.
    pub cache: Option<Cache>,
    /// What embeds queries beside the bundle.
    pub query_encoders: Vec<QueryEncoder>,
    /// The static query encoder's table: its rows become part of the bundle, and vectors are
    /// projected onto its dimensions.
    pub table: Option<&'a StaticTable>,
    /// The bundle that is built again, whose order of pages, groups and fitted rows go on as long
    /// as they serve.
    pub earlier: Option<Earlier>,
    /// What the bundle replaces.
    pub deployed: Deployed,
    /// Sizes and languages.
    pub options: Options,
}

/// A bundle and what it took.
#[derive(Debug)]
pub struct Outcome {
    /// The bundle, in memory.
    pub bundle: Bundle,
    /// Stages in the order they ran.
    pub stages: Vec<Stage>,
    /// Embedding units whose end the encoder did not see.
    pub n_truncated: usize,
}

/// What a stage of the build took.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stage {
    /// `parse`, `chunk`, `analyse`, `embed`, `graph`, `cells`, `fit`, `rows`, `sentences`,
    /// `assemble`, `write`.
    pub name: &'static str,
    /// Time on the clock.
    pub seconds: f64,
    /// How much was worked through.
    pub count: u64,
    /// Of what: `pages`, `sections`, `vectors`, `bytes`.
    pub unit: &'static str,
}

impl Stage {
    /// A stage that ends now, and says so.
    pub fn ended(
        name: &'static str,
        started: Instant,
        count: u64,
        unit: &'static str,
        ui: &Ui,
    ) -> Self {
        let stage = Self { name, seconds: started.elapsed().as_secs_f64(), count, unit };
        ui.status(stage.verb(), stage.line());
        stage
    }

    /// Worked through in a second.
    pub fn rate(&self) -> f64 {
        if self.seconds > 0.0 { self.count as f64 / self.seconds } else { 0.0 }
    }

    fn verb(&self) -> &'static str {
        match self.name {
            "parse" => "Parsed",
            "chunk" => "Chunked",
            "analyse" => "Analysed",
            "embed" => "Embedded",
            "graph" => "Connected",
            "cells" => "Grouped",
            "fit" => "Fitted",
            "rows" => "Chose",
            "sentences" => "Coded",
            "assemble" => "Packed",
            "write" => "Wrote",
            other => other,
        }
    }

    fn line(&self) -> String {
        let (amount, rate) = match self.unit {
            "bytes" => (bytes(self.count), String::new()),
            unit if self.count == 0 => (count(0, unit), String::new()),
            unit => (
                count(self.count, unit),
                format!(", {} {unit}/s", thousands(self.rate().round() as u64)),
            ),
        };
        format!("{amount} in {:.2} s{rate}", self.seconds)
    }
}

/// `1 page`, `1,234 pages`.
pub fn count(n: u64, plural: &str) -> String {
    format!(
        "{} {}",
        thousands(n),
        if n == 1 { plural.strip_suffix('s').unwrap_or(plural) } else { plural }
    )
}

/// Makes a bundle of pages.
///
/// # Errors
/// Where the encoder fails, or the corpus is beyond the formats' limits.
pub fn build(job: Job<'_>, ui: &Ui) -> anyhow::Result<Outcome> {
    let Job { mut pages, encoder, cache, query_encoders, table, earlier, deployed, options } = job;
    let mut stages = Vec::new();

    let started = Instant::now();
    if let Some(addresses) = earlier.as_ref().and_then(Earlier::addresses) {
        pages = order::keep(pages, &addresses);
    }
    if options.copies {
        let n_copies = copies::mark(&mut pages);
        if n_copies > 0 {
            ui.status(
                "Copies",
                format!("{} of pages with the same title, shown once", thousands(n_copies as u64)),
            );
        }
    }
    let chunks = chunk_all(&pages, encoder, &options.chunk, ui);
    // From here on sections are read as they were chunked; what follows takes the most memory.
    pages.iter_mut().for_each(|page| page.sections = Vec::new());
    let n_sections: u64 = chunks.iter().map(|page| page.sections.len() as u64).sum();
    stages.push(Stage::ended("chunk", started, n_sections, "sections", ui));

    let started = Instant::now();
    let languages = Languages::of(&pages, options.language.as_deref());
    let bar = ui.bar("Analysing", pages.len() as u64, "pages");
    let lexical =
        lexical::analyse(&pages, &chunks, &languages, &options.synonyms, encoder.is_some(), &bar)
            .context("the lexical index cannot be made")?;
    bar.finish_and_clear();
    let columns = columns::build(&pages, &mut |warning| ui.warn(warning))
        .context("attributes cannot be indexed")?;
    let (text_firsts, texts) = texts::build(&pages, &chunks, &columns)
        .context("texts cannot be stored")?
        .into_iter()
        .unzip();
    let addresses =
        addresses::write(pages.iter().map(|page| (page.id.as_str(), page.url.as_str())));
    stages.push(Stage::ended("analyse", started, pages.len() as u64, "pages", ui));
    ui.detail(format!(
        "{} terms, {} postings, languages {}",
        thousands(lexical.n_terms.into()),
        thousands(lexical.n_postings),
        languages.list.join(", ")
    ));

    let mut n_truncated = 0;
    let dense = match encoder {
        None => None,
        Some(encoder) => {
            let deployed = &deployed;
            let meaning = Meaning { encoder, cache, query_encoders, table, earlier, deployed };
            let dense = embed_all(meaning, &chunks, &options, &mut stages, ui)?;
            n_truncated = dense.embedded.n_truncated;
            Some(dense)
        }
    };

    let started = Instant::now();
    let parts = Parts {
        languages: languages.list,
        lexical,
        synonyms: options.synonyms,
        ranking: options.ranking,
        columns,
        text_firsts,
        texts,
        addresses,
        dense,
        deployed,
    };
    let bundle = assemble::assemble(parts).context("the bundle cannot be put together")?;
    stages.push(Stage::ended("assemble", started, bundle.n_bytes(), "bytes", ui));
    Ok(Outcome { bundle, stages, n_truncated })
}

fn chunk_all(
    pages: &[Page],
    encoder: Option<&BoxedEncoder>,
    options: &ChunkOptions,
    ui: &Ui,
) -> Vec<ChunkedPage> {
    let bar = ui.bar("Chunking", pages.len() as u64, "pages");
    let mut options = options.clone();
    let chunks = match encoder {
        Some(encoder) => {
            // What an empty text costs is what the model adds of itself.
            let special = encoder.count_tokens("", Side::Document);
            options.special_tokens = special as usize;
            options.max_tokens = options.max_tokens.min(encoder.card().max_tokens as usize);
            let tokens = |text: &str| {
                encoder.count_tokens(text, Side::Document).saturating_sub(special) as usize
            };
            pages
                .par_iter()
                .map(|page| {
                    bar.inc(1);
                    chunk(page, &options, tokens)
                })
                .collect()
        }
        None => {
            let words = |text: &str| text.split_whitespace().count();
            pages.par_iter().map(|page| chunk(page, &options, words)).collect()
        }
    };
    bar.finish_and_clear();
    chunks
}

/// What the dense side is made with.
struct Meaning<'a> {
    encoder: &'a BoxedEncoder,
    cache: Option<Cache>,
    query_encoders: Vec<QueryEncoder>,
    table: Option<&'a StaticTable>,
    earlier: Option<Earlier>,
    deployed: &'a Deployed,
}

fn embed_all(
    meaning: Meaning<'_>,
    chunks: &[ChunkedPage],
    options: &Options,
    stages: &mut Vec<Stage>,
    ui: &Ui,
) -> anyhow::Result<DenseParts> {
    let Meaning { encoder, mut cache, query_encoders, table, earlier, deployed } = meaning;
    if cache.as_ref().is_some_and(|cache| !cache.is_writable()) {
        ui.warn(
            "another build is writing the embedding cache; it is read, and what is embedded now is not kept",
        );
    }
    let texts: Vec<&str> = chunks
        .iter()
        .flat_map(|page| &page.sections)
        .flat_map(|section| &section.units)
        .map(|unit| unit.text.as_str())
        .collect();
    let started = Instant::now();
    let bar = ui.bar("Embedding", texts.len() as u64, "sections");
    let embedded = embed::embed(encoder.as_ref(), &texts, cache.as_mut(), &bar, ui)
        .with_context(|| format!("`{}` cannot embed the documents", encoder.card().name))?;
    bar.finish_and_clear();
    stages.push(Stage::ended("embed", started, embedded.n_encoded as u64, "sections", ui));
    if embedded.n_cached > 0 {
        ui.detail(format!("{} embeddings were in the cache", thousands(embedded.n_cached as u64)));
    }
    let mut card = encoder.card().clone();
    let (mut projection, mut kept, mut sentences) = (None, None, <_>::default());
    let mut embedded = embedded;
    if let Some(table) = table {
        let is_taught = table::is_taught_by(table, &card);
        if is_taught {
            embedded = embedded.project(table.projection())?;
            card.dim = table.projection().to_dim();
            projection = Some(table.projection().clone());
        }
        let table = &table.for_bundles()?;
        let started = Instant::now();
        let mut rows = rows::select(table, &texts, options.rows_budget);
        stages.push(Stage::ended("rows", started, rows.len() as u64, "rows", ui));
        if options.fit && is_taught {
            let sections: Vec<_> = texts.iter().copied().zip(embedded.rows()).collect();
            let before = earlier.as_ref().and_then(|earlier| earlier.fitted(&rows, table, &card));
            let site = Site { chunks, sections: &sections, before };
            rows = fit_to(rows, table, encoder, site, cache.as_mut(), stages, ui)?;
        }
        if is_taught {
            let fidelity = fidelity::measure(encoder.as_ref(), table, &rows, chunks, &embedded)?;
            ui.status("Static", fidelity);
        }
        let started = Instant::now();
        let (codes, n_codes) =
            sentences::build(&rows, chunks).context("sentences cannot be stored")?;
        sentences = codes;
        stages.push(Stage::ended("sentences", started, n_codes, "stretches", ui));
        kept = Some(rows);
    }
    let graph = graph_of(&embedded, options.graph_from, stages, ui)?;
    let cells = match options.cells {
        true => {
            let started = Instant::now();
            let before =
                earlier.as_ref().and_then(|earlier| earlier.grouping(&card, projection.as_ref()));
            let places = cells::places(chunks);
            let cells =
                cells::build(&embedded.values, embedded.dim, &places, before.as_ref(), deployed)
                    .context("vectors cannot be grouped")?;
            stages.push(Stage::ended("cells", started, cells.shards.len() as u64, "cells", ui));
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

/// What rows are fitted to.
struct Site<'a> {
    chunks: &'a [ChunkedPage],
    /// The text of each vector, and the vector.
    sections: &'a fit::Sections<'a>,
    /// The rows as an earlier build fitted them, with what they reached.
    before: Option<(rows::Rows, f32)>,
}

/// The rows fitted to the site; as they are where that is not worth it.
fn fit_to(
    rows: rows::Rows,
    table: &StaticTable,
    encoder: &BoxedEncoder,
    site: Site<'_>,
    cache: Option<&mut Cache>,
    stages: &mut Vec<Stage>,
    ui: &Ui,
) -> anyhow::Result<rows::Rows> {
    let started = Instant::now();
    let spans = fit::spans(site.chunks, &fidelity::queries(site.chunks));
    let (held_out, learned) = fit::hold_out(&spans);
    if let Some(before) = site.before
        && let Some(report) = fit::still_serves(&rows, &before, &held_out, site.sections)
    {
        stages.push(Stage::ended("fit", started, held_out.len() as u64, "spans", ui));
        ui.status("Fitted", report);
        return Ok(before.0);
    }
    let texts: Vec<&str> = learned.iter().map(|span| span.text.as_str()).collect();
    let bar = ui.bar("Fitting", texts.len() as u64, "spans");
    let embedded = embed::embed(encoder.as_ref(), &texts, cache, &bar, ui)
        .context("the site's spans cannot be embedded")?
        .project(table.projection())?;
    bar.finish_and_clear();
    let (fitted, report) =
        fit::fit(&rows, table, (&learned, &embedded.values), &held_out, site.sections)?;
    stages.push(Stage::ended("fit", started, spans.len() as u64, "spans", ui));
    ui.status("Fitted", report);
    Ok(fitted.unwrap_or(rows))
}

fn graph_of(
    embedded: &embed::Embedded,
    from: usize,
    stages: &mut Vec<Stage>,
    ui: &Ui,
) -> anyhow::Result<Option<Graph>> {
    let n = embedded.rows().len();
    if n < from.max(1) {
        ui.detail(format!(
            "no graph: {} vectors are compared with every query as fast",
            thousands(n as u64)
        ));
        return Ok(None);
    }
    let started = Instant::now();
    let bar = ui.bar("Graph", n as u64, "vectors");
    let graph =
        graph::build(&embedded.values, embedded.dim).context("the graph cannot be built")?;
    bar.finish_and_clear();
    stages.push(Stage::ended("graph", started, n as u64, "vectors", ui));
    Ok(graph)
}

#[cfg(test)]
mod tests {
    use findling_bundle::{AttributeValue, encode_manifest};
    use findling_encoder::hash::HashEncoder;

    use super::*;
    use crate::page::{Block, Section};

    fn pages(n: usize) -> Vec<Page> {
        (0..n)
            .map(|i| {
                let sections = (0..1 + i % 4)
                    .map(|s| Section {
                        level: 1 + (s % 3) as u8,
                        heading: format!("Heading {s} of {i}"),
                        anchor: Some(format!("h{s}")),
                        blocks: (0..1 + s % 3)
                            .map(|b| Block {
                                text: format!(
                                    "Paragraph {b} says word{} and word{} about topic{}.",
                                    i % 11,
                                    s * b,
                                    i % 5
                                ),
                                code: vec![],
                                is_code_block: false,
                                weight: 1.0,
                            })
                            .collect(),
                    })
                    .collect();
                let mut page = Page {
                    id: format!("page{i:04}.html"),
                    url: format!("/part{}/page{i}", i % 3),
                    title: format!("Page {i}"),
                    language: if i % 10 == 0 { "de".into() } else { "en".into() },
                    sections,
                    ..Page::default()
                };
                page.attributes
                    .insert("part".into(), AttributeValue::String(format!("part{}", i % 3)));
                page.attributes.insert("n".into(), AttributeValue::Number(i as f64));
                page
            })
            .collect()
    }

    fn bytes(pages: Vec<Page>, cache: Option<Cache>, threads: usize) -> (Vec<u8>, Vec<Vec<u8>>) {
        let encoder: BoxedEncoder = Box::new(HashEncoder::new(32));
        let options = Options { graph_from: 50, ..Options::default() };
        let job = Job { pages, encoder: Some(&encoder), cache, options, ..Job::default() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let outcome = pool.install(|| build(job, &Ui::silent())).unwrap();
        assert!(outcome.bundle.manifest.dense.as_ref().unwrap().graph.is_some());
        (encode_manifest(&outcome.bundle.manifest).unwrap().1, outcome.bundle.shards)
    }

    #[test]
    fn the_same_pages_give_the_same_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let cache = || Cache::open(dir.path(), HashEncoder::new(32).card_of()).ok();
        let once = bytes(pages(40), None, 1);
        assert!(once == bytes(pages(40), None, 3), "the number of threads shows");
        assert!(once == bytes(pages(40), cache(), 2), "an empty cache shows");
        assert!(once == bytes(pages(40), cache(), 2), "a full cache shows");
    }

    trait CardOf {
        fn card_of(&self) -> &findling_bundle::EncoderCard;
    }

    impl CardOf for HashEncoder {
        fn card_of(&self) -> &findling_bundle::EncoderCard {
            findling_encoder::Encoder::card(self)
        }
    }

    #[test]
    fn a_page_put_in_leaves_other_text_shards_as_they_were() {
        let all = pages(2000);
        let mut fewer = all.clone();
        fewer.remove(1000);
        let texts = |pages| {
            let bundle = build(Job { pages, ..Job::default() }, &Ui::silent()).unwrap().bundle;
            let shards = bundle
                .manifest
                .texts
                .iter()
                .map(|range| bundle.shards[range.shard.index()].clone());
            shards.collect::<Vec<_>>()
        };
        let (before, after) = (texts(fewer), texts(all));
        let kept = after.iter().filter(|shard| before.contains(shard)).count();
        assert!(after.len() > 10 && kept + 4 >= after.len(), "{kept} of {} kept", after.len());
    }

    #[test]
    fn without_pages_or_an_encoder_there_is_a_bundle_all_the_same() {
        let empty = build(Job::default(), &Ui::silent()).unwrap().bundle;
        assert_eq!(empty.manifest.stats.n_pages, 0);
        assert!(empty.manifest.dense.is_none());
        let words = build(Job { pages: pages(3), ..Job::default() }, &Ui::silent()).unwrap().bundle;
        assert_eq!((words.manifest.stats.n_pages, words.manifest.stats.n_vectors), (3, 0));
        assert_eq!(words.manifest.languages, ["en", "de"]);
    }
}

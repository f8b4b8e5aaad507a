//! What a reader downloads: to open the search, for a first query, and for later ones.
//!
//! Queries run as the search box of the web client runs them ([`request`]), through the engine's
//! own state machine, and every shard it asks for is counted as it goes over the wire. Bodies of
//! answers are counted, their headers are not. Two numbers for every file, because hosts differ:
//!
//! | number | host |
//! |---|---|
//! | `stored` | sends files as they are |
//! | `brotli` | compresses every file while it answers, as `findling serve` does with the client ([`BROTLI_QUALITY`]) |
//!
//! Shards are deflated already where that helps them, and brotli adds some 20 bytes to each. Hosts
//! that leave such files alone, as `findling serve` does, send these as `stored` and the client as
//! `brotli`. Parts of a single-file bundle are asked for as ranges, which hosts do not compress.
//!
//! Not counted: letters typed on the way to a query, and that the search box shows what words find
//! before meaning has answered, which can ask for texts of other pages.

use std::collections::{BTreeSet, HashMap};
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use anyhow::{Context, bail};
use findling_bundle::{ShardEntry, ShardId, ShardKind, entry, single_file};
use findling_engine::{Limit, Mode, Request};
use serde::Serialize;

use crate::bundle_files::BundleFiles;
use crate::eval::metrics::nearest_rank;
use crate::host::{EncoderChoice, Host, QueryEncoder};
use crate::models;
use crate::sample;
use crate::serve::{BROTLI_QUALITY, COMPRESSED_FROM};
use crate::ui::Ui;

/// Pages that a query asks for.
pub const LIMIT: u32 = 5;

/// The client's files that a page fetches to open the search, in this order.
const CLIENT: [&str; 4] =
    ["findling-ui.js", "findling.js", "findling-worker.js", "findling_engine.pack"];
/// The rest of the engine: for filters, corrections, phrases, explanations
/// (`crates/wasm/deferred.txt`).
const CLIENT_REST: [&str; 1] = ["findling_engine_rest.pack"];
/// The client's files that load a transformer.
const CLIENT_ENCODER: [&str; 2] = ["findling_encoder.js", "findling_encoder_bg.wasm"];
/// What the client first asks of a single file (`FIRST_BYTES` in `www/src/bundle-layout.ts`).
const SINGLE_FILE_FIRST: u64 = 32 << 10;

/// Bytes over the network, by host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bytes {
    /// As the file is.
    pub stored: u64,
    /// Compressed by the host.
    pub brotli: u64,
}

impl Bytes {
    /// A file's contents.
    pub fn of(contents: &[u8]) -> Bytes {
        let stored = contents.len() as u64;
        Bytes {
            stored,
            brotli: if stored > COMPRESSED_FROM { brotli_len(contents) } else { stored },
        }
    }

    /// A range of a file.
    fn of_range(len: u64) -> Bytes {
        Bytes { stored: len, brotli: len }
    }
}

impl Add for Bytes {
    type Output = Bytes;

    fn add(self, other: Bytes) -> Bytes {
        Bytes { stored: self.stored + other.stored, brotli: self.brotli + other.brotli }
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Bytes) {
        *self = *self + other;
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Bytes>>(all: I) -> Bytes {
        all.fold(Bytes::default(), Add::add)
    }
}

fn brotli_len(contents: &[u8]) -> u64 {
    let params = brotli::enc::BrotliEncoderParams {
        quality: BROTLI_QUALITY,
        ..brotli::enc::BrotliEncoderParams::default()
    };
    let mut compressed = Vec::new();
    match brotli::BrotliCompress(&mut &contents[..], &mut compressed, &params) {
        Ok(_) => compressed.len() as u64,
        // Writing to memory does not fail; a host that cannot compress sends the file.
        Err(_) => contents.len() as u64,
    }
}

/// What a query's shards are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Terms with their postings, positions, and the structure that all ranking stands on.
    Words,
    /// The static encoder's rows, of which the query's vector is made.
    Rows,
    /// What that vector is compared with: cells around centroids, or all vectors with their graph;
    /// the projection.
    Vectors,
    /// What is shown and counted: texts, attributes.
    Texts,
}

impl Part {
    /// All of them.
    pub const ALL: [Part; 4] = [Part::Words, Part::Rows, Part::Vectors, Part::Texts];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Part::Words => "words",
            Part::Rows => "encoder rows",
            Part::Vectors => "vectors",
            Part::Texts => "texts and columns",
        }
    }
}

impl From<ShardKind> for Part {
    fn from(kind: ShardKind) -> Part {
        match kind {
            ShardKind::Structure
            | ShardKind::Terms
            | ShardKind::SecondTier
            | ShardKind::Positions
            | ShardKind::PositionsDirectory
            | ShardKind::Spelling => Part::Words,
            ShardKind::Rows => Part::Rows,
            ShardKind::Vectors
            | ShardKind::VectorCounts
            | ShardKind::Graph
            | ShardKind::Projection
            | ShardKind::Centroids
            | ShardKind::Cell => Part::Vectors,
            ShardKind::Texts | ShardKind::Column | ShardKind::Addresses | ShardKind::Sentences => {
                Part::Texts
            }
        }
    }
}

/// What one query downloaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    parts: [Bytes; Part::ALL.len()],
    /// Times the engine asked for shards: one after the other, those of a round side by side.
    pub n_rounds: u32,
    /// Shards, each a request.
    pub n_shards: u32,
}

impl Traffic {
    /// Bytes of a part.
    pub fn part(&self, part: Part) -> Bytes {
        self.parts[part as usize]
    }

    /// Bytes of all parts.
    pub fn total(&self) -> Bytes {
        self.parts.iter().copied().sum()
    }
}

/// Half need no more than the median, 95 in 100 no more than p95, by nearest rank; none more than
/// the worst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spread {
    /// Of 50 in 100.
    pub median: u64,
    /// Of 95 in 100.
    pub p95: u64,
    /// Of all.
    pub worst: u64,
}

impl Spread {
    fn of(values: impl Iterator<Item = u64>) -> Spread {
        let mut sorted: Vec<u64> = values.collect();
        sorted.sort_unstable();
        let at = |percent| nearest_rank(&sorted, percent).unwrap_or_default();
        Spread { median: at(50), p95: at(95), worst: at(100) }
    }
}

/// Bytes over the queries, by host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BytesSpread {
    /// As the files are.
    pub stored: Spread,
    /// Compressed by the host.
    pub brotli: Spread,
}

impl BytesSpread {
    fn of(values: impl Iterator<Item = Bytes> + Clone) -> BytesSpread {
        BytesSpread {
            stored: Spread::of(values.clone().map(|bytes| bytes.stored)),
            brotli: Spread::of(values.map(|bytes| bytes.brotli)),
        }
    }
}

/// Queries, summed up. Each row is spread by itself: medians of the parts do not add up to that of
/// the total.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Queries {
    /// Queries.
    pub n_queries: usize,
    /// Rounds of requests.
    pub rounds: Spread,
    /// Requests.
    pub requests: Spread,
    /// Terms, positions, structure.
    pub words: BytesSpread,
    /// The static encoder's rows.
    pub rows: BytesSpread,
    /// Vectors, graph, projection.
    pub vectors: BytesSpread,
    /// Texts and attributes.
    pub texts: BytesSpread,
    /// All parts.
    pub total: BytesSpread,
    /// The query that downloaded most, as stored.
    pub worst_query: Option<String>,
}

impl Queries {
    fn of(queries: &[String], traffic: &[Traffic]) -> Queries {
        let part = |part| BytesSpread::of(traffic.iter().map(move |one| one.part(part)));
        let pairs = queries.iter().zip(traffic);
        Queries {
            n_queries: traffic.len(),
            rounds: Spread::of(traffic.iter().map(|one| one.n_rounds.into())),
            requests: Spread::of(traffic.iter().map(|one| one.n_shards.into())),
            words: part(Part::Words),
            rows: part(Part::Rows),
            vectors: part(Part::Vectors),
            texts: part(Part::Texts),
            total: BytesSpread::of(traffic.iter().map(Traffic::total)),
            worst_query: pairs
                .max_by_key(|(_, one)| one.total().stored)
                .map(|(query, _)| query.clone()),
        }
    }

    /// The spread of a part.
    pub fn part(&self, part: Part) -> BytesSpread {
        match part {
            Part::Words => self.words,
            Part::Rows => self.rows,
            Part::Vectors => self.vectors,
            Part::Texts => self.texts,
        }
    }
}

/// A file, or a part of one, that is downloaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Download {
    /// Which.
    pub name: String,
    /// Bytes.
    #[serde(flatten)]
    pub bytes: Bytes,
}

/// What is downloaded together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Downloads {
    /// In the order they are asked for.
    pub files: Vec<Download>,
    /// All of them.
    pub total: Bytes,
}

impl Downloads {
    fn push(&mut self, name: impl Into<String>, bytes: Bytes) {
        self.files.push(Download { name: name.into(), bytes });
        self.total += bytes;
    }
}

/// What a reader downloads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    /// Whether the client lies beside the bundle and is counted.
    pub has_client: bool,
    /// To open the search.
    pub opening: Downloads,
    /// What the client loads with the first search that filters, corrects a word or looks for a
    /// phrase; in no other row.
    pub later_engine: Downloads,
    /// What embeds queries in the browser at once: `static`, `hash`; `None` where words alone
    /// answer.
    pub encoder: Option<&'static str>,
    /// What the client loads after the first query for meaning, where a transformer is deployed;
    /// in no other row.
    pub later_encoder: Option<Downloads>,
    /// Queries, each as the first of a reader who has nothing yet.
    pub first: Queries,
    /// Queries, each after all before it.
    pub later: Queries,
}

impl Budget {
    /// The median first query, with what opening takes.
    pub fn first_with_opening(&self) -> Bytes {
        let median = Bytes {
            stored: self.first.total.stored.median,
            brotli: self.first.total.brotli.median,
        };
        self.opening.total + median
    }
}

/// Measures.
///
/// Every shard that a first query needs is read and decoded again for each query. Each is
/// compressed once.
///
/// # Errors
/// Where there is no query, or a file is missing or damaged.
pub fn measure(host: &mut Host, queries: &[String], ui: &Ui) -> anyhow::Result<Budget> {
    if queries.is_empty() {
        bail!("there is no query to measure with");
    }
    host.set_streamed(true);
    let encoder = browser_encoder(host)?;
    let (has_client, opening) = opening(host.files())?;
    let mut later_engine = Downloads::default();
    push_client(&mut later_engine, host.files(), &CLIENT_REST)?;
    let later_encoder = later_encoder(host.files())?;
    let bar = ui.bar("Asking", 2 * queries.len() as u64, "queries");
    let mut prices = Prices::default();
    let mut ask = |host: &mut Host, query: &String| {
        bar.inc(1);
        run(host, encoder.as_ref(), query, &mut prices).with_context(|| format!("query {query:?}"))
    };
    let mut first = Vec::with_capacity(queries.len());
    for query in queries {
        host.forget()?;
        first.push(ask(host, query)?);
    }
    host.forget()?;
    let later: Vec<Traffic> =
        queries.iter().map(|query| ask(host, query)).collect::<anyhow::Result<_>>()?;
    bar.finish_and_clear();
    Ok(Budget {
        has_client,
        opening,
        later_engine,
        encoder: encoder.as_ref().map(QueryEncoder::kind),
        later_encoder,
        first: Queries::of(queries, &first),
        // Before the first query there is none.
        later: Queries::of(&queries[1..], &later[1..]),
    })
}

/// Queries of the site's own headings and sentences (see [`sample`]), each once.
///
/// What the query syntax would read something into is taken out: a reader who copies a sentence
/// means its words.
///
/// # Errors
/// Where the texts cannot be read, or no section has enough of it.
pub fn own_queries(files: &BundleFiles) -> anyhow::Result<Vec<String>> {
    let mut candidates = Vec::new();
    files.each_page(|page| {
        let sections = page.sections.iter().filter(|section| sample::has_text(&section.text));
        // Both, so that the text can go: which is asked is known when all sections are.
        candidates.extend(
            sections
                .map(|section| [0, 1].map(|i| sample::query(i, section.heading, &section.text))),
        );
    })?;
    let mut seen = BTreeSet::new();
    let queries: Vec<String> = sample::evenly(candidates)
        .enumerate()
        .map(|(i, [heading, sentence])| {
            sample::words_alone(if i.is_multiple_of(2) { &heading } else { &sentence })
        })
        .filter(|query| !query.is_empty() && seen.insert(query.clone()))
        .collect();
    if queries.is_empty() {
        bail!(
            "{}: no section has enough text to take queries from; give some with --queries FILE",
            files.path().display()
        );
    }
    Ok(queries)
}

/// What the search box asks, but for [`LIMIT`] pages: words and meaning, the last word as the
/// beginning of one, and the values of every facet.
fn request(query: &str) -> Request {
    Request {
        query: query.to_owned(),
        mode: Mode::Hybrid,
        limit: Limit(LIMIT),
        prefix: true,
        facets: vec!["*".to_owned()],
        ..Request::default()
    }
}

/// What embeds a query where the browser has loaded nothing but the engine.
fn browser_encoder(host: &Host) -> anyhow::Result<Option<QueryEncoder>> {
    let Some(dense) = &host.manifest().dense else { return Ok(None) };
    let name = match &dense.rows {
        _ if dense.encoder.name == models::HASH => models::HASH,
        Some(_) => models::STATIC,
        None => return Ok(None),
    };
    QueryEncoder::load(host, &EncoderChoice::Named(name.to_owned()))
}

/// Runs one query, and counts what it reads.
fn run(
    host: &mut Host,
    encoder: Option<&QueryEncoder>,
    query: &str,
    prices: &mut Prices,
) -> anyhow::Result<Traffic> {
    let mut request = request(query);
    if let Some(encoder) = encoder {
        request.vector = encoder.encode(query)?.0;
    }
    let (_, cost) = host.search(request)?;
    let mut traffic = Traffic {
        n_rounds: cost.n_rounds,
        n_shards: cost.shards.len() as u32,
        ..Traffic::default()
    };
    for shard in cost.shards {
        let Some(entry) = host.index().entry(shard) else { continue };
        traffic.parts[Part::from(entry.kind) as usize] += prices.of(host.files(), shard, entry)?;
    }
    Ok(traffic)
}

/// What shards cost, each looked at once.
#[derive(Default)]
struct Prices(HashMap<ShardId, Bytes>);

impl Prices {
    fn of(
        &mut self,
        files: &BundleFiles,
        shard: ShardId,
        entry: &ShardEntry,
    ) -> anyhow::Result<Bytes> {
        if let Some(known) = self.0.get(&shard) {
            return Ok(*known);
        }
        let stored = files.stored(shard, entry)?;
        let bytes = if files.is_single_file() {
            Bytes::of_range(stored.len() as u64)
        } else {
            Bytes::of(&stored)
        };
        self.0.insert(shard, bytes);
        Ok(bytes)
    }
}

/// What opening takes, and whether the client is among it.
fn opening(files: &BundleFiles) -> anyhow::Result<(bool, Downloads)> {
    let mut opening = Downloads::default();
    push_client(&mut opening, files, &CLIENT)?;
    let has_client = !opening.files.is_empty();
    let manifest = files.stored_manifest();
    if files.is_single_file() {
        let manifest_end = single_file::HEADER_LEN as u64 + manifest.len() as u64;
        let shards: u64 =
            files.manifest().shards.iter().map(|shard| u64::from(shard.stored_len)).sum();
        let positions = files.positions()?.map_or(0, |positions| positions.stored_len());
        let beginning = SINGLE_FILE_FIRST.min(manifest_end + shards + positions);
        opening.push("beginning of the file", Bytes::of_range(beginning));
        if manifest_end > beginning {
            // Asked for as a whole where not all of it has come.
            opening.push("manifest", Bytes::of_range(manifest.len() as u64));
        }
    } else {
        opening.push(entry::FILE_NAME, Bytes::of(&files.entry().to_bytes()));
        opening.push("manifest", Bytes::of(manifest));
    }
    Ok((has_client, opening))
}

/// What a deployed transformer takes: its module, the model and, where no first query has asked for
/// them, the vectors: all of them, or the centroids alone, since which cells follow depends on the
/// query.
fn later_encoder(files: &BundleFiles) -> anyhow::Result<Option<Downloads>> {
    let Some(dense) = &files.manifest().dense else { return Ok(None) };
    let transformer = dense
        .query_encoders
        .iter()
        .find(|encoder| encoder.kind == "transformer" && !encoder.files.is_empty());
    let Some(transformer) = transformer else { return Ok(None) };
    let mut downloads = Downloads::default();
    push_client(&mut downloads, files, &CLIENT_ENCODER)?;
    for part in &transformer.files {
        downloads.push(part.path.clone(), Bytes::of(&files.parts(std::slice::from_ref(part))?));
    }
    if dense.rows.is_none() {
        let (name, shards): (_, Vec<ShardId>) = match dense.centroids {
            Some(centroids) => ("centroids", vec![centroids]),
            None => {
                let vectors = dense.vectors.iter().map(|range| range.shard);
                (Part::Vectors.name(), vectors.chain(dense.graph).collect())
            }
        };
        let bytes: anyhow::Result<Bytes> = shards
            .into_iter()
            .chain(dense.projection)
            .map(|shard| files.shard(shard).map(|stored| Bytes::of(&stored)))
            .sum();
        downloads.push(name, bytes?);
    }
    Ok(Some(downloads))
}

/// Those of the client's files that lie beside the bundle.
fn push_client(
    downloads: &mut Downloads,
    files: &BundleFiles,
    names: &[&str],
) -> anyhow::Result<()> {
    for name in names {
        let path = files.directory().join(name);
        if path.is_file() {
            let contents = std::fs::read(&path)
                .with_context(|| format!("{} cannot be read", path.display()))?;
            downloads.push(*name, Bytes::of(&contents));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;

//! Bytes that a reader downloads: to open the search, for a first query, and for later queries.
//!
//! Queries run as the search box of the web client runs them ([`request`]), through the engine's
//! own state machine. Every shard that the engine asks for is counted as it is sent over the
//! network. Response bodies are counted, headers are not. Each file has two numbers, because hosts
//! differ:
//!
//! | number | host |
//! |---|---|
//! | `stored` | sends files as they are |
//! | `brotli` | compresses every file at [`BROTLI_QUALITY`], as `findling serve` does the client |
//!
//! Shards are already deflated if that makes them smaller; brotli adds about 20 bytes to each.
//! Hosts that do not compress such files, like `findling serve`, send them as `stored` and the
//! client as `brotli`. Parts of packs and of a single-file bundle are requested as ranges, which
//! hosts do not compress.
//!
//! The search box shows results by words first, then results by meaning, which may need the texts
//! of other pages. These downloads are counted as [`Budget::box_words`] and [`Budget::box_whole`],
//! separately from the other queries. Not counted: searches while the reader is typing.
//!
//! [`BROTLI_QUALITY`]: crate::serve::BROTLI_QUALITY

mod bytes;
mod downloads;
#[cfg(test)]
mod tests;
mod traffic;

use std::collections::{BTreeSet, HashMap};

use anyhow::{Context, bail};
use findling_bundle::packs::{GAP, Slot, coalesce_along};
use findling_bundle::{ShardEntry, ShardId};
use findling_engine::{Limit, Mode, Request, Step, Suggest};
use serde::Serialize;

use crate::bundle_files::{BundleFiles, Packs};
use crate::host::{EncoderChoice, Host, QueryEncoder};
use crate::models;
use crate::sample;
use crate::ui::Ui;
pub use bytes::Bytes;
use downloads::{CLIENT_REST, later_encoder, opening, push_client};
pub use downloads::{Download, Downloads};
pub use traffic::{BytesSpread, Part, Queries, Spread, Traffic};

/// Number of pages that each query asks for.
pub const LIMIT: u32 = 5;

/// The downloads of a reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    /// Whether the client lies beside the bundle and is therefore counted.
    pub has_client: bool,
    /// To open the search.
    pub opening: Downloads,
    /// Loaded with the first search that filters, corrects a word or looks for a phrase. Not part
    /// of any other field.
    pub later_engine: Downloads,
    /// Query encoder that works in the browser at once: `static` or `hash`. `None` if searches use
    /// words only.
    pub encoder: Option<&'static str>,
    /// Loaded after the first query for meaning if a transformer is deployed. Not part of any other
    /// field.
    pub later_encoder: Option<Downloads>,
    /// Downloads of each query if it is a new reader's first one.
    pub first: Queries,
    /// Downloads of each query if the reader has made all earlier queries.
    pub later: Queries,
    /// Downloads of each query as the first one in the search box, until the results by words.
    pub box_words: Queries,
    /// Downloads of each query as the first one in the search box, until the complete results.
    pub box_whole: Queries,
}

impl Budget {
    /// Adds up opening the search and the median first query.
    pub fn first_with_opening(&self) -> Bytes {
        let median = Bytes {
            stored: self.first.total.stored.median,
            brotli: self.first.total.brotli.median,
        };
        self.opening.total + median
    }
}

/// Measures the downloads of `queries`.
///
/// For each first query all shards are read and decoded again, as for a new reader. Each shard is
/// compressed once.
///
/// # Errors
/// If there is no query, or a file is missing or damaged.
pub fn measure(host: &mut Host, queries: &[String], ui: &Ui) -> anyhow::Result<Budget> {
    if queries.is_empty() {
        bail!("expected at least one query to measure with, found none");
    }
    host.set_streamed(true);
    let encoder = browser_encoder(host)?;
    let (has_client, opening) = opening(host.files())?;
    let mut later_engine = Downloads::default();
    push_client(&mut later_engine, host.files(), &CLIENT_REST)?;
    let later_encoder = later_encoder(host.files())?;
    let bar = ui.bar("Asking", 3 * queries.len() as u64, "queries");
    let mut sizes = ShardSizes::default();
    let mut ask = |host: &mut Host, query: &String, held: &mut Held, in_box: bool| {
        bar.add(1);
        let whole = request(encoder.as_ref(), query)?;
        let words = if in_box {
            let ahead = first_wanted(host, whole.clone())?;
            run(host, words(&whole), &ahead, &mut sizes, held)?
        } else {
            Traffic::default()
        };
        let whole = run(host, whole, &[], &mut sizes, held)?;
        anyhow::Ok((words, whole + words))
    };
    let mut ask = |host: &mut Host, query: &String, held: &mut Held, in_box: bool| {
        ask(host, query, held, in_box).with_context(|| format!("query {query:?}"))
    };
    let (mut first, mut later) = (Vec::new(), Vec::new());
    let (mut box_words, mut box_whole) = (Vec::new(), Vec::new());
    for query in queries {
        host.forget()?;
        first.push(ask(host, query, &mut Held::default(), false)?.1);
        host.forget()?;
        let (words, whole) = ask(host, query, &mut Held::default(), true)?;
        box_words.push(words);
        box_whole.push(whole);
    }
    host.forget()?;
    let mut held = Held::default();
    for query in queries {
        later.push(ask(host, query, &mut held, false)?.1);
    }
    bar.finish();
    Ok(Budget {
        has_client,
        opening,
        later_engine,
        encoder: encoder.as_ref().map(QueryEncoder::kind),
        later_encoder,
        first: Queries::of(queries, &first),
        // The first query has no query before it.
        later: Queries::of(&queries[1..], &later[1..]),
        box_words: Queries::of(queries, &box_words),
        box_whole: Queries::of(queries, &box_whole),
    })
}

/// Returns distinct queries made of the site's own headings and sentences (see [`sample`]).
///
/// Characters with a meaning in the query syntax are removed: a reader who copies a sentence means
/// its words.
///
/// # Errors
/// If the texts cannot be read, or no section has enough text.
pub fn own_queries(files: &BundleFiles) -> anyhow::Result<Vec<String>> {
    let mut candidates = Vec::new();
    files.each_page(|page| {
        let sections = page.sections.iter().filter(|section| sample::has_text(&section.text));
        // Keep both heading and sentence: only after all sections is it known which of them becomes
        // the query.
        candidates.extend(
            sections
                .map(|section| [0, 1].map(|i| sample::query(i, section.heading, &section.text))),
        );
    })?;
    let mut seen = BTreeSet::new();
    let queries: Vec<String> = sample::evenly(candidates, sample::MAX_QUERIES)
        .enumerate()
        .map(|(i, [heading, sentence])| {
            sample::words_alone(if i.is_multiple_of(2) { &heading } else { &sentence })
        })
        .filter(|query| !query.is_empty() && seen.insert(query.clone()))
        .collect();
    if queries.is_empty() {
        bail!(
            "{}: no section has enough text to make queries from; name a file with --queries FILE",
            files.path().display()
        );
    }
    Ok(queries)
}

/// Returns the request of the search box, for [`LIMIT`] pages: words and meaning, the last word as
/// a prefix, and the values of every facet.
fn request(encoder: Option<&QueryEncoder>, query: &str) -> anyhow::Result<Request> {
    let vector = encoder.map(|encoder| encoder.encode(query)).transpose()?;
    Ok(Request {
        query: query.to_owned(),
        mode: Mode::Hybrid,
        limit: Limit(LIMIT),
        prefix: true,
        facets: vec!["*".to_owned()],
        vector: vector.and_then(|(vector, _)| vector),
        ..Request::default()
    })
}

/// Returns the search box's first request: by words only. Its results are shown until the complete
/// results are there.
fn words(whole: &Request) -> Request {
    Request { mode: Mode::Lexical, vector: None, suggest: Suggest(false), ..whole.clone() }
}

/// Returns the shards that a request needs first. The client prefetches them with the shards of the
/// previous request (`Bundle.readAhead`).
fn first_wanted(host: &Host, request: Request) -> anyhow::Result<Vec<ShardId>> {
    Ok(match host.index().search(request)?.step(host.index())? {
        Step::Need(wanted) => wanted,
        Step::Done(_) => Vec::new(),
    })
}

/// Returns the query encoder of a browser that has loaded only the engine.
fn browser_encoder(host: &Host) -> anyhow::Result<Option<QueryEncoder>> {
    let Some(dense) = &host.manifest().dense else { return Ok(None) };
    let name = match &dense.rows {
        _ if dense.encoder.name == models::HASH => models::HASH,
        Some(_) => models::STATIC,
        None => return Ok(None),
    };
    QueryEncoder::load(host, &EncoderChoice::Named(name.to_owned()))
}

/// Runs one query and counts the bytes that it reads. In packs, shards in `ahead` that lie near the
/// first shards are fetched with them.
fn run(
    host: &mut Host,
    request: Request,
    ahead: &[ShardId],
    sizes: &mut ShardSizes,
    held: &mut Held,
) -> anyhow::Result<Traffic> {
    let (_, cost) = host.search(request)?;
    let mut traffic = Traffic { n_rounds: cost.n_rounds, ..Traffic::default() };
    let is_early = |shard: ShardId| {
        let path = host.index().path(shard);
        host.files().with_manifest().iter().any(|(with_it, _)| Some(with_it) == path.as_ref())
    };
    for (round, &start) in cost.round_starts.iter().enumerate() {
        let end = cost.round_starts.get(round + 1).copied().unwrap_or(cost.shards.len());
        let shards = cost.shards[start..end].iter().copied().filter(|shard| !is_early(*shard));
        let shards: Vec<ShardId> = shards.collect();
        let ahead = if round == 0 { ahead } else { &[] };
        let ahead: Vec<ShardId> = ahead.iter().copied().filter(|shard| !is_early(*shard)).collect();
        match host.files().packs() {
            Some(packs) => add_ranges(&mut traffic, host, packs, [&shards, &ahead], held)?,
            None => {
                for shard in shards {
                    let Some(entry) = host.index().entry(shard) else { continue };
                    traffic.n_requests += 1;
                    traffic.parts[Part::from(entry.kind) as usize] +=
                        sizes.of(host.files(), shard, entry)?;
                }
            }
        }
    }
    Ok(traffic)
}

/// Ranges of packs that a client has.
#[derive(Default)]
struct Held(Vec<Slot>);

impl Held {
    fn has(&self, slot: Slot) -> bool {
        let holds = |range: &Slot| {
            range.pack == slot.pack && range.start <= slot.start && slot.end() <= range.end()
        };
        self.0.iter().any(holds)
    }
}

/// Adds the ranges that a client fetches for the shards of a round. Bytes between two shards, and
/// bytes prefetched for the next search, count towards the first shard of their range.
fn add_ranges(
    traffic: &mut Traffic,
    host: &Host,
    packs: &Packs,
    [shards, ahead]: [&[ShardId]; 2],
    held: &mut Held,
) -> anyhow::Result<()> {
    let mut wanted: Vec<(Slot, Part)> = Vec::new();
    for &shard in shards {
        let Some(entry) = host.index().entry(shard) else { continue };
        let part = Part::from(entry.kind);
        wanted.extend(host.files().slot(shard)?.map(|slot| (slot, part)));
        let positions = packs.directory().positions;
        let positions = positions.filter(|positions| positions.with == shard);
        wanted.extend(positions.map(|positions| (positions.slot, part)));
    }
    wanted.retain(|(slot, _)| !held.has(*slot));
    wanted.sort_unstable_by_key(|(slot, _)| *slot);
    let slots: Vec<Slot> = wanted.iter().map(|(slot, _)| *slot).collect();
    let mut along = Vec::new();
    for shard in ahead {
        along.extend(host.files().slot(*shard)?.filter(|slot| !held.has(*slot)));
    }
    let n_bytes = |slot: Slot| slot.bytes().end - slot.bytes().start;
    let mut left = &wanted[..];
    for fetch in coalesce_along(&slots, &along, GAP) {
        let (own, others) = left.split_at(fetch.n_wanted);
        left = others;
        traffic.n_requests += 1;
        let shards: u64 = own.iter().map(|(slot, _)| n_bytes(*slot)).sum();
        let mut between = n_bytes(fetch.range).saturating_sub(shards);
        for (slot, part) in own {
            traffic.parts[*part as usize] +=
                Bytes::of_range(n_bytes(*slot) + std::mem::take(&mut between));
        }
        held.0.push(fetch.range);
    }
    Ok(())
}

/// The bytes of shards, each measured once.
#[derive(Default)]
struct ShardSizes(HashMap<ShardId, Bytes>);

impl ShardSizes {
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

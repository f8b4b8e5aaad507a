//! Metadata of an answer: the bundle, the encoder, the time.

use std::io::Write;
use std::time::{Duration, Instant};

use findling_bundle::hex;
use findling_engine::Response;
use serde::Serialize;
use serde_json::Value;

use super::vectors::AboutVectors;
use super::{SCHEMA, comparable};
use crate::collections::{Freshness, Target};
use crate::host::{Cost, Host};
use crate::ui::{Paint, Ui, bytes, count};

/// About an answer.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// The version of this JSON.
    pub schema: u32,
    /// The bundle that answered.
    pub bundle: Bundle,
    /// The encoder of the documents; `null` in a bundle without vectors.
    pub encoder: Option<String>,
    /// Whether the sources have changed since; `null` if this is not known.
    pub freshness: Option<Freshness>,
    /// The filter that the pages meet; `null` without one.
    pub filter: Option<Value>,
    /// The relevance of each page of the results, from 0 to 1, in their order.
    pub relevance: Vec<f32>,
    /// The time of each phase.
    pub timings: Timings,
    /// Only with `--include-vectors`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vectors: Option<AboutVectors>,
}

/// The bundle that answered: its name in the command, and its contents.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Bundle {
    /// The path or name that was given.
    pub target: String,
    /// Name or address of the bundle that is valid in any directory; empty if there is none.
    #[serde(skip)]
    pub lasting_name: String,
    /// The collection, if it is one.
    pub collection: Option<String>,
    /// The hash of its manifest: bundles with the same hash have the same contents.
    pub identity: String,
    /// The program that wrote it.
    pub generator: String,
    /// The pages.
    pub pages: u32,
    /// The sections.
    pub sections: u32,
    /// Languages of its pages, the most frequent first.
    pub languages: Vec<String>,
}

impl Meta {
    /// Describes an answer of a bundle. Freshness is left out, because it reads the sources.
    pub fn new(target: &Target, host: &Host, timings: Timings) -> Self {
        let (manifest, entry) = (host.manifest(), host.files().entry());
        Self {
            schema: SCHEMA,
            bundle: Bundle {
                target: target.given().to_owned(),
                lasting_name: target.lasting_name(),
                collection: target.collection().map(ToString::to_string),
                identity: hex(&entry.manifest_hash),
                generator: manifest.generator.clone(),
                pages: manifest.stats.n_pages,
                sections: manifest.stats.n_sections,
                languages: manifest.languages.clone(),
            },
            encoder: manifest.dense.as_ref().map(|dense| dense.encoder.name.clone()),
            freshness: None,
            filter: None,
            relevance: Vec::new(),
            timings,
            vectors: None,
        }
    }

    /// Returns the same about an answer to a request with a filter.
    #[must_use]
    pub fn of_answer(self, filter: Option<Value>, response: &Response) -> Self {
        let relevance = response.results.iter().map(|page| comparable(response, page)).collect();
        Self { filter, relevance, ..self }
    }
}

/// The time of each phase of a search, in milliseconds.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Timings {
    /// Reading and checking the entry file and the manifest.
    open_ms: f64,
    /// Loading the query encoder.
    encoder_ms: f64,
    /// Embedding the query.
    embed_ms: f64,
    /// Reading shards from disk.
    read_ms: f64,
    /// Checking, decompressing and decoding shards.
    decode_ms: f64,
    /// The engine: parsing, retrieval, ranking, snippets.
    search_ms: f64,
    /// Printing the results; absent with `--json`, whose output includes the timings.
    #[serde(skip_serializing_if = "Option::is_none")]
    print_ms: Option<f64>,
    /// All phases, and the time between them.
    total_ms: f64,
    /// Rounds of shards.
    rounds: u32,
    /// Shards read.
    shards: usize,
    /// Bytes read.
    bytes: u64,
}

impl Timings {
    /// Returns the timings of a search that began at `started`.
    pub fn new(
        started: Instant,
        open: Duration,
        encoder: Duration,
        embed: Duration,
        cost: &Cost,
    ) -> Self {
        Self {
            open_ms: ms(open),
            encoder_ms: ms(encoder),
            embed_ms: ms(embed),
            read_ms: ms(cost.read),
            decode_ms: ms(cost.decode),
            search_ms: ms(cost.engine),
            print_ms: None,
            total_ms: ms(started.elapsed()),
            rounds: cost.n_rounds,
            shards: cost.shards.len(),
            bytes: cost.bytes,
        }
    }

    /// Adds the time of printing the results, which the total includes.
    pub fn with_print(self, time: Duration) -> Self {
        Self { print_ms: Some(ms(time)), ..self }
    }

    /// Prints the phases for people, a line each.
    pub fn print(&self, ui: &Ui, out: &mut impl Write) -> std::io::Result<()> {
        let read = format!(
            "{} in {} and {}",
            bytes(self.bytes),
            count(self.shards as u64, "shards"),
            count(self.rounds.into(), "rounds")
        );
        for (phase, ms, what) in [
            ("open", self.open_ms, "entry file and manifest"),
            ("encoder", self.encoder_ms, "loading the query encoder"),
            ("embed", self.embed_ms, "embedding the query"),
            ("read", self.read_ms, &read),
            ("decode", self.decode_ms, "checking, decompressing and decoding shards"),
            ("search", self.search_ms, "retrieval, ranking, snippets"),
            ("print", self.print_ms.unwrap_or_default(), "the results"),
            ("total", self.total_ms, ""),
        ] {
            let line = format!("{phase:<8} {ms:>8.1} ms  {what}");
            writeln!(out, "{}", ui.paint(Paint::Dim, line.trim_end()))?;
        }
        Ok(())
    }
}

/// Converts to milliseconds, rounded to a thousandth.
fn ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

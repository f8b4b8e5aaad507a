//! `findling search --timings`: the time of each phase.

use std::io::Write;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::host::Cost;
use crate::ui::{Paint, Ui, bytes, count};

/// The time of each phase of a search, in milliseconds.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Timings {
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
    /// The timings of a search that began at `started`.
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

    /// These timings with the time of printing the results, which the total includes.
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

/// Milliseconds, to a thousandth.
fn ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

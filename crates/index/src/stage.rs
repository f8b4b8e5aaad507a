//! Timing of the build's stages.

use web_time::Instant;

use serde::Serialize;

use findling_base::progress::{Progress, bytes, count, thousands};

/// The time that a stage of the build took.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stage {
    /// `parse`, `chunk`, `analyse`, `embed`, `graph`, `cells`, `fit`, `rows`, `sentences`,
    /// `assemble`, `write`.
    pub name: &'static str,
    /// Elapsed time.
    pub seconds: f64,
    /// Number of items processed.
    pub count: u64,
    /// Unit of `count`: `pages`, `sections`, `vectors`, `bytes`.
    pub unit: &'static str,
}

impl Stage {
    /// Records a stage that ends now, and reports it.
    pub fn ended(
        name: &'static str,
        started: Instant,
        count: u64,
        unit: &'static str,
        progress: &dyn Progress,
    ) -> Self {
        let stage = Self { name, seconds: started.elapsed().as_secs_f64(), count, unit };
        progress.status(stage.verb(), stage.line());
        stage
    }

    /// Returns the number of items per second.
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

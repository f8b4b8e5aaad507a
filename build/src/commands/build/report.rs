//! The report at the end of `findling build`.

use std::path::{Path, PathBuf};

use anyhow::Result;
use findling_bundle::Stats;
use serde::Serialize;

use crate::index::Stage;
use crate::index::write::Written;
use crate::sources::Included;
use crate::ui::{Ui, bytes, count, print_json, thousands};

/// The report that `--json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    output: &'a Path,
    pages: u32,
    sections: u32,
    passages: u32,
    vectors: u32,
    terms: u32,
    encoder: Option<&'a str>,
    unreadable: usize,
    truncated: usize,
    bundle_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_bytes: Option<u64>,
    files: u64,
    unchanged_files: u64,
    new_bytes: u64,
    retired_shards: u64,
    pruned_shards: u64,
    seconds: f64,
    stages: &'a [Stage],
    notices: &'a [Notice],
}

/// Something about a build that is no problem.
#[derive(Serialize)]
pub struct Notice {
    /// For programs.
    pub code: &'static str,
    /// For people.
    pub message: String,
}

/// The results of a build.
pub struct Built {
    pub output: PathBuf,
    pub stats: Stats,
    /// The encoder of the documents; `None` for a bundle without vectors.
    pub encoder: Option<String>,
    pub written: Written,
    /// Files that could not be read.
    pub n_unreadable: usize,
    /// Files that pages took in besides their own.
    pub included: Vec<Included>,
    /// Embedding units that the encoder cut off.
    pub n_truncated: usize,
    pub notices: Vec<Notice>,
    pub seconds: f64,
    pub stages: Vec<Stage>,
}

/// Warns about files that could not be read.
pub fn warn_unreadable(n_unreadable: usize, ui: &Ui) {
    if n_unreadable > 0 {
        ui.warn(format!(
            "left out {} that could not be read; see the warnings above",
            count(n_unreadable as u64, "files")
        ));
    }
}

impl Built {
    /// Prints the summary, warnings and, with `json`, the report.
    pub fn print(&self, json: bool, ui: &Ui) -> Result<()> {
        self.warn_truncated(ui);
        ui.status("Built", self.summary());
        if json {
            print_json(&self.report())?;
        }
        warn_unreadable(self.n_unreadable, ui);
        Ok(())
    }

    /// Warns about texts that the encoder cut off.
    pub fn warn_truncated(&self, ui: &Ui) {
        if self.n_truncated > 0 {
            ui.warn(format!(
                "{} embedding units were cut off: each has a line that is longer than the model \
                 reads",
                thousands(self.n_truncated as u64)
            ));
        }
    }

    fn report(&self) -> Report<'_> {
        let Self { output, stats, written, n_unreadable, n_truncated, seconds, stages, .. } = self;
        Report {
            encoder: self.encoder.as_deref(),
            notices: &self.notices,
            output,
            pages: stats.n_pages,
            sections: stats.n_sections,
            passages: stats.n_passages,
            vectors: stats.n_vectors,
            terms: stats.n_terms,
            unreadable: *n_unreadable,
            truncated: *n_truncated,
            bundle_bytes: written.bundle_bytes,
            file_bytes: Some(written.standalone_bytes).filter(|&bytes| bytes > 0),
            files: written.n_files,
            unchanged_files: written.n_unchanged,
            new_bytes: written.new_bytes,
            retired_shards: written.n_retired,
            pruned_shards: written.n_pruned,
            seconds: *seconds,
            stages,
        }
    }

    fn summary(&self) -> String {
        let Self { output, stats, written, seconds, .. } = self;
        let unchanged = match written.n_unchanged {
            0 => String::new(),
            n => format!(
                ", {} of {} unchanged, {} new",
                thousands(n),
                count(written.n_files, "files"),
                bytes(written.new_bytes)
            ),
        };
        let size = match written.standalone_bytes {
            0 => bytes(written.bundle_bytes),
            n => format!("{}, of which the bundle {}", bytes(n), bytes(written.bundle_bytes)),
        };
        format!(
            "{}: {}, {}, {}{unchanged}, in {seconds:.1} s",
            output.display(),
            count(stats.n_pages.into(), "pages"),
            count(stats.n_sections.into(), "sections"),
            size
        )
    }
}

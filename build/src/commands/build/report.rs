//! The report at the end of `findling build`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

use super::exit_status;
use crate::index::Stage;
use crate::site::{Built, Notice};
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

/// Warns about files that could not be read.
pub fn warn_unreadable(n_unreadable: usize, ui: &Ui) {
    if n_unreadable > 0 {
        ui.warn(format!(
            "left out {} that could not be read; see the warnings above",
            count(n_unreadable as u64, "files")
        ));
    }
}

/// Prints the summary of a build, warnings and, with `json`, the report. Returns its exit status.
pub fn report(built: &Built, json: bool, ui: &Ui) -> Result<ExitCode> {
    warn_truncated(built.n_truncated, ui);
    ui.status("Built", summary(built));
    if json {
        print_json(&Report::of(built))?;
    }
    warn_unreadable(built.n_unreadable, ui);
    Ok(exit_status(built.n_unreadable))
}

/// Warns about texts that the encoder cut off.
pub fn warn_truncated(n_truncated: usize, ui: &Ui) {
    if n_truncated > 0 {
        ui.warn(format!(
            "{} embedding units were cut off: each has a line that is longer than the model reads",
            thousands(n_truncated as u64)
        ));
    }
}

impl<'a> Report<'a> {
    fn of(built: &'a Built) -> Self {
        let Built { output, stats, written, n_unreadable, n_truncated, seconds, stages, .. } =
            built;
        Self {
            encoder: built.encoder.as_deref(),
            notices: &built.notices,
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
}

fn summary(built: &Built) -> String {
    let Built { output, stats, written, seconds, .. } = built;
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

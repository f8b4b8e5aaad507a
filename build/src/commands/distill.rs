//! `findling distill`: trains the static query encoder's table.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use findling_bundle::rows::Bits;

use crate::distill;
use crate::embedding::Cache;
use crate::standard_streams::stdout;
use crate::training;
use crate::ui::{Ui, bytes};

/// Train the table of a static query encoder
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Installed model that the table learns to approximate
    #[arg(long, value_name = "MODEL", default_value = "all-minilm-l6-v2")]
    teacher: String,
    /// Texts to train on: directories of HTML or Markdown, .jsonl files, or .txt files with one
    /// text on each line
    #[arg(long, value_name = "PATH", num_args = 1.., required = true)]
    texts: Vec<PathBuf>,
    /// Output file
    #[arg(short, long, value_name = "TABLE")]
    output: PathBuf,
    /// Largest number of texts
    #[arg(long, value_name = "N", default_value_t = 250_000)]
    max_texts: usize,
    /// Dimensions of the table, and of the vectors in bundles built with it
    #[arg(long, value_name = "N", default_value_t = 256)]
    dim: usize,
    /// Bits per number of a row: 2, 4 or 8
    #[arg(long, value_name = "N", default_value_t = 4)]
    bits: u32,
    /// Largest number of passes over the texts
    #[arg(long, value_name = "N", default_value_t = 12)]
    epochs: usize,
    /// Start from this table; it must have the same model and dimensions
    #[arg(long, value_name = "TABLE")]
    start: Option<PathBuf>,
    /// Initial learning rate
    #[arg(long, value_name = "RATE", default_value_t = training::Options::default().learning_rate)]
    learning_rate: f32,
    /// Texts per batch
    #[arg(long, value_name = "N", default_value_t = training::Options::default().batch)]
    batch: usize,
    /// Seed for the sample of texts and their order
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Directory in which the model's embeddings are kept, so that an interrupted run can continue
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// If the model is not installed, there is nothing to train on, or the table cannot be written.
pub fn run(args: Args, ui: &Ui) -> anyhow::Result<ExitCode> {
    let options = distill::Options {
        teacher: args.teacher,
        inputs: args.texts,
        max_texts: args.max_texts,
        dim: args.dim,
        bits: Bits::from_count(args.bits)?,
        start: args.start,
        training: training::Options {
            epochs: args.epochs,
            seed: args.seed,
            learning_rate: args.learning_rate,
            batch: args.batch.max(1),
            ..training::Options::default()
        },
        cache: args.cache.or_else(Cache::default_dir),
    };
    let distilled = distill::distill(&options, ui)?;
    let table = distilled.table.to_bytes()?;
    let unfinished = args.output.with_extension("unfinished");
    std::fs::write(&unfinished, &table)
        .and_then(|()| std::fs::rename(&unfinished, &args.output))
        .with_context(|| format!("cannot write {}", args.output.display()))?;
    ui.status("Wrote", format!("{}, {}", args.output.display(), bytes(table.len() as u64)));
    let (report, mut out) = (&distilled.report, stdout());
    if args.json {
        writeln!(out, "{}", serde_json::to_string(report)?)?;
    } else {
        writeln!(out, "rows                          {}", report.n_rows)?;
        writeln!(out, "cosine with the teacher       {:.4}", report.quantised_cosine)?;
        writeln!(out, "kept by the projection        {:.4}", report.projection_cosine)?;
        if report.n_known_items > 0 {
            writeln!(
                out,
                "known items, recall@10        {:.4} (teacher {:.4})",
                report.table_recall_at_10, report.teacher_recall_at_10
            )?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

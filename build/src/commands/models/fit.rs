//! `findling models fit`: trains the table of a static query encoder for an installed model.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use findling_bundle::rows::Bits;

use crate::distill;
use crate::embedding::Cache;
use crate::models::{self, Store, static_table};
use crate::replace_file::keep;
use crate::standard_streams::stdout;
use crate::training;
use crate::ui::{Ui, bytes, print_json};

use super::Report;

/// Maximum number of dimensions of a table.
const MAX_DIM: usize = 256;
/// Maximum number of texts of a training.
const MAX_TEXTS: usize = 250_000;

/// Train the table of a static query encoder for a model, which its bundles then contain
///
/// The model embeds the texts; rows are trained so that queries without the model come near to
/// that. The table is kept beside the model. Bundles built with the model from then on contain its
/// rows, so browsers and machines without the model search by meaning. `findling distill` has more
/// options.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The installed model
    name: String,
    /// Texts to train on, like those that are searched: directories of HTML or Markdown, .jsonl
    /// files, or .txt files with one text on each line
    #[arg(long, value_name = "PATH", num_args = 1.., required = true)]
    texts: Vec<PathBuf>,
    /// Largest number of passes over the texts
    #[arg(long, value_name = "N", default_value_t = 12)]
    epochs: usize,
    #[command(flatten)]
    report: Report,
}

/// Runs the command.
///
/// # Errors
/// If the model is not installed, or there is nothing to train on.
pub fn run(store: &Store, args: Args, ui: &Ui) -> anyhow::Result<ExitCode> {
    let model = store.locate(&args.name)?;
    let dim = models::load_from(&model)?.card().dim as usize;
    let options = distill::Options {
        teacher: args.name,
        inputs: args.texts,
        max_texts: MAX_TEXTS,
        dim: dim.min(MAX_DIM),
        bits: Bits::from_count(4)?,
        start: None,
        training: training::Options { epochs: args.epochs, ..training::Options::default() },
        cache: Cache::default_dir(),
    };
    let distilled = distill::distill(&options, ui)?;
    let table = distilled.table.to_bytes()?;
    let path = static_table::of_model(&model);
    keep(&path, &table)?;
    ui.status("Fitted", format!("{}, {}", path.display(), bytes(table.len() as u64)));
    let report = &distilled.report;
    if args.report.json {
        print_json(report)?;
    } else {
        let mut out = stdout();
        writeln!(out, "rows                          {}", report.n_rows)?;
        writeln!(out, "cosine with the model         {:.4}", report.quantised_cosine)?;
        writeln!(out, "kept by the projection        {:.4}", report.projection_cosine)?;
    }
    Ok(ExitCode::SUCCESS)
}

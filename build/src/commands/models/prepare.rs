//! `findling models prepare`: a model as readers' devices load it, its bytes and how close it comes.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use findling_encoder::artefact::Bits;
use serde::Serialize;

use super::Report;
use crate::models::{Store, known, prepare};
use crate::ui::{Ui, bytes};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// An installed model
    #[arg(default_value = known::DEFAULT)]
    name: String,
    /// Write it to this file, as `build --query-encoder transformer` puts it beside a bundle
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Bits a value of the layers' matrices takes once compressed, 2 to 8; several to compare them
    #[arg(long, value_name = "BITS", value_delimiter = ',')]
    bits: Vec<f32>,
    /// The same of the table of words
    #[arg(long, value_name = "BITS", value_delimiter = ',')]
    word_bits: Vec<f32>,
    /// Queries to compare the vectors of, one a line; a list of its own unless told
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    #[command(flatten)]
    report: Report,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    word_bits: f32,
    bits: f32,
    /// As it travels.
    bytes: usize,
    /// Once inflated.
    inflated_bytes: usize,
    queries: usize,
    mean_cosine: f64,
    min_cosine: f64,
}

/// Runs the command.
pub fn run(store: &Store, args: &Args, ui: &Ui) -> anyhow::Result<ExitCode> {
    let default = prepare::Precision::default();
    let words = chosen(&args.word_bits, default.words)?;
    let matrices = chosen(&args.bits, default.matrices)?;
    if args.output.is_some() && words.len() * matrices.len() > 1 {
        bail!(
            "--output takes one model, but several precisions were given; give one --bits and one --word-bits"
        );
    }
    let text = match &args.queries {
        Some(path) => std::fs::read_to_string(path).with_context(|| path.display().to_string())?,
        None => prepare::QUERIES.to_owned(),
    };
    let queries: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    ensure!(!queries.is_empty(), "--queries: expected a query on each line, found none");

    let full = prepare::read(&store.locate(&args.name)?)?;
    let expected = prepare::embed(full.clone(), &queries)?;
    let mut precisions = Vec::new();
    for &words in &words {
        precisions.extend(matrices.iter().map(|&matrices| prepare::Precision { words, matrices }));
    }
    ui.status("Rounding", "the matrices for what goes through them");
    let activations = prepare::activations(&full)?;
    let mut rows = Vec::new();
    for precision in precisions {
        let artefact = prepare::prepare(&full, precision, &activations)?;
        let (packed, inflated_bytes) = (artefact.to_packed_bytes(), artefact.to_bytes().len());
        let found = prepare::embed(artefact, &queries)?;
        let fidelity = prepare::fidelity(&found, &expected).context("no query was compared")?;
        let row = Row {
            name: args.name.clone(),
            word_bits: precision.words.bits(),
            bits: precision.matrices.bits(),
            bytes: packed.len(),
            inflated_bytes,
            queries: fidelity.queries,
            mean_cosine: fidelity.mean,
            min_cosine: fidelity.min,
        };
        if !args.report.json {
            println!(
                "{}  words {} bits, matrices {} bits  {} ({} inflated)  cosine to the model {:.4}, at least {:.4} ({} queries)",
                row.name,
                row.word_bits,
                row.bits,
                bytes(row.bytes as u64),
                bytes(inflated_bytes as u64),
                row.mean_cosine,
                row.min_cosine,
                row.queries,
            );
        }
        rows.push(row);
        if let Some(path) = &args.output {
            std::fs::write(path, &packed).with_context(|| path.display().to_string())?;
            ui.status("Wrote", path.display());
        }
    }
    if args.report.json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
    }
    Ok(ExitCode::SUCCESS)
}

/// What was asked for, or the default.
fn chosen(asked: &[f32], default: Bits) -> anyhow::Result<Vec<Bits>> {
    if asked.is_empty() {
        return Ok(vec![default]);
    }
    let bits =
        |&bits: &f32| Bits::new(bits).with_context(|| format!("{bits} bits: expected a number from 2 to 8"));
    asked.iter().map(bits).collect()
}

//! `findling models prepare`: makes the file of a model that browsers load, and reports its size
//! and its fidelity.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use findling_bundle::single_file;
use findling_encoder::artefact::Bits;
use serde::Serialize;

use super::Report;
use crate::bundle_files::BundleFiles;
use crate::models::{Store, known, prepare};
use crate::query_encoder::vocabulary;
use crate::standard_streams::stdout;
use crate::ui::{Ui, bytes, print_json};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The installed model
    #[arg(default_value = known::DEFAULT)]
    name: String,
    /// Write the prepared model to this file. It is the one that `build --query-encoder
    /// transformer` deploys
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Bits per value of the layers' matrices after compression, 2 to 8. Several values are
    /// compared
    #[arg(long, value_name = "BITS", value_delimiter = ',')]
    bits: Vec<f32>,
    /// Bits per value of the table of words after compression, 2 to 8. Several values are compared
    #[arg(long, value_name = "BITS", value_delimiter = ',')]
    word_bits: Vec<f32>,
    /// Keep only words of this bundle or text file, and general vocabulary. Other words are split
    /// into smaller tokens. Repeatable
    #[arg(long, value_name = "PATH")]
    vocabulary: Vec<PathBuf>,
    /// Largest download of the table of words in kilobytes; without --vocabulary, it keeps general
    /// vocabulary
    #[arg(long, value_name = "KB")]
    vocabulary_budget: Option<u64>,
    /// File of queries whose vectors are compared, one on each line [default: a built-in list]
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
    /// Bytes of the download.
    bytes: usize,
    /// Bytes after decompression.
    inflated_bytes: usize,
    /// Tokens that are kept.
    tokens: usize,
    /// Tokens that were dropped.
    dropped_tokens: usize,
    /// The share of the tokens in the texts of --vocabulary that are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    covered: Option<f64>,
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
            "--output writes one model, but several precisions were given; give one --bits and one \
             --word-bits"
        );
    }
    let text = match &args.queries {
        Some(path) => std::fs::read_to_string(path).with_context(|| path.display().to_string())?,
        None => prepare::QUERIES.to_owned(),
    };
    let queries: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    ensure!(!queries.is_empty(), "--queries: expected a query on each line, found none");

    let texts = texts_of(&args.vocabulary)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let is_cut = !args.vocabulary.is_empty() || args.vocabulary_budget.is_some();
    let full = prepare::read(&store.locate(&args.name)?)?;
    let kept = |words: Bits| {
        let budget = args.vocabulary_budget.map(|budget| (budget as usize).saturating_mul(1 << 10));
        vocabulary::Choice::new(&full, words, &texts)?.within(budget)
    };
    // Errors in the arguments are reported before the long work.
    let cuts = words
        .iter()
        .map(|&words| is_cut.then(|| kept(words)).transpose())
        .collect::<Result<Vec<_>, _>>()?;
    let expected = prepare::embed(full.clone(), &queries)?;
    let mut precisions = Vec::new();
    for (&words, cut) in words.iter().zip(&cuts) {
        precisions
            .extend(matrices.iter().map(|&matrices| (prepare::Precision { words, matrices }, cut)));
    }
    let mut rows = Vec::new();
    for (precision, cut) in precisions {
        let artefact = prepare::prepare(&full, precision);
        let artefact = match cut {
            Some(kept) => kept.apply(&artefact),
            None => artefact,
        };
        let tokens = artefact.vocabulary().len();
        let (packed, inflated_bytes) = (artefact.to_packed_bytes(), artefact.to_bytes().len());
        let found = prepare::embed(artefact, &queries)?;
        let fidelity = prepare::fidelity(&found, &expected).context("no query was compared")?;
        let row = Row {
            name: args.name.clone(),
            word_bits: precision.words.bits(),
            bits: precision.matrices.bits(),
            bytes: packed.len(),
            inflated_bytes,
            tokens,
            dropped_tokens: full.vocabulary().len() - tokens,
            covered: cut.as_ref().and_then(|kept| kept.covered),
            queries: fidelity.queries,
            mean_cosine: fidelity.mean,
            min_cosine: fidelity.min,
        };
        if !args.report.json {
            let mut out = stdout();
            writeln!(
                out,
                "{}  words {} bits, matrices {} bits  {} ({} inflated)  cosine to the model {:.4}, \
                 at least {:.4} ({} queries)",
                row.name,
                row.word_bits,
                row.bits,
                bytes(row.bytes as u64),
                bytes(inflated_bytes as u64),
                row.mean_cosine,
                row.min_cosine,
                row.queries,
            )?;
            if let Some(kept) = cut {
                writeln!(
                    out,
                    "    {kept}; {} dropped, whose words are split into smaller \
                     tokens",
                    row.dropped_tokens
                )?;
            }
        }
        rows.push(row);
        if let Some(path) = &args.output {
            std::fs::write(path, &packed).with_context(|| path.display().to_string())?;
            ui.status("Wrote", path.display());
        }
    }
    if args.report.json {
        print_json(&rows)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the texts of bundles and text files.
fn texts_of(paths: &[PathBuf]) -> anyhow::Result<Vec<String>> {
    let mut texts = Vec::new();
    for path in paths {
        let bytes = match path.is_dir() {
            true => None,
            false => Some(
                std::fs::read(path).with_context(|| format!("--vocabulary {}", path.display()))?,
            ),
        };
        let text = bytes.filter(|bytes| !single_file::is_single_file(bytes)).map(String::from_utf8);
        if let Some(text) = text {
            texts.push(text.ok().with_context(|| {
                format!(
                    "--vocabulary {}: expected a bundle or text in UTF-8, found other bytes",
                    path.display()
                )
            })?);
            continue;
        }
        let before = texts.len();
        BundleFiles::open(path)?.each_page(|page| {
            texts.push(page.title.to_owned());
            for section in &page.sections {
                texts.extend([section.heading, &section.text].map(str::to_owned));
            }
        })?;
        ensure!(
            texts.len() > before,
            "--vocabulary {}: expected pages, found none",
            path.display()
        );
    }
    Ok(texts)
}

/// Returns the requested precisions, or the default.
fn chosen(asked: &[f32], default: Bits) -> anyhow::Result<Vec<Bits>> {
    if asked.is_empty() {
        return Ok(vec![default]);
    }
    let bits = |&bits: &f32| {
        Bits::new(bits).with_context(|| format!("{bits} bits: expected a number from 2 to 8"))
    };
    asked.iter().map(bits).collect()
}

//! `findling embed`: embeds the texts of a site, for data engines.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use findling_bundle::{EncoderCard, hex};
use findling_encoder::{Embedding, Side};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::args::ReadingArgs;
use super::exit_status;
use super::pipe::{self, Fields, texts, wrong};
use super::sections::{UnitsArgs, check_name};
use crate::commands::run_args::RunArgs;
use crate::embedding::Cache;
use crate::output::UsageError;
use crate::site::{
    Input, Options, check_inputs, chunk_options, embed_all, in_threads, input_of_tables,
    load_encoder, open_cache, open_tables, read_pages,
};
use crate::sources::boosts_and_pins::Pins;
use crate::standard_streams::{is_closed, stdout};
use crate::ui::{Ui, bytes, count};
use crate::{exchange, index, models};
use findling_encoder::BoxedEncoder;

/// Texts given to the encoder at once, on each core.
const CALL: usize = 16;

/// Embed the texts of a site, as rows for data engines
///
/// Embeds what `findling build` embeds, and writes one row for each text: as a table (Parquet) to
/// OUT, otherwise as JSON lines to standard output. `findling build` takes such tables beside those
/// of `findling sections`. INPUTs can be tables; vectors in them are not computed again.
#[derive(Debug, clap::Args)]
pub struct EmbedArgs {
    /// Inputs of `findling build`, or tables
    #[arg(required_unless_present = "pipe")]
    inputs: Vec<PathBuf>,
    /// Table to write; its name ends in .parquet. Without it, JSON lines are printed
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Answer requests on standard input, a JSON object a line, for programs
    #[arg(long, conflicts_with_all = ["inputs", "output"])]
    pipe: bool,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    units: UnitsArgs,
    /// Directory in which embeddings are kept for later builds [default: the user's cache
    /// directory]
    #[arg(long, value_name = "DIR", help_heading = "Meaning")]
    cache: Option<PathBuf>,
    /// Neither read nor keep cached embeddings
    #[arg(long, conflicts_with = "cache", help_heading = "Meaning")]
    no_cache: bool,
    #[command(flatten)]
    running: RunArgs,
}

/// Runs the command.
///
/// # Errors
/// If an input cannot be read, a model is missing, or the output cannot be written.
pub fn run_embed(args: EmbedArgs, ui: &Ui) -> Result<ExitCode> {
    let EmbedArgs { inputs, output, pipe, reading, units, cache, no_cache, running } = args;
    let mut options = units.of_build(inputs, reading, running);
    (options.meaning.cache, options.meaning.no_cache) = (cache, no_cache);
    if pipe {
        return in_threads(&options, || pipe::serve(|| start(&options, ui), answer));
    }
    check_inputs(&options)?;
    if let Some(path) = &output {
        check_name(path)?;
    }
    let tables = match exchange::find(&options.inputs)? {
        Some(paths) => Some(open_tables(&mut options, paths)?),
        None => None,
    };
    in_threads(&options, || embed_inputs(&options, tables, output, ui))
}

fn embed_inputs(
    options: &Options,
    tables: Option<exchange::Tables>,
    output: Option<PathBuf>,
    ui: &Ui,
) -> Result<ExitCode> {
    let encoder = required_encoder(options, ui)?;
    let Input { pages, n_unreadable, embeddings, .. } = match tables {
        Some(tables) => input_of_tables(options, tables, Pins::default(), ui)?,
        None => read_pages(options, None, Pins::default(), ui)?,
    };
    let texts = index::units(pages, &encoder, &chunk_options(options), ui)?;
    let directory = tempfile::tempdir().context("cannot make a temporary directory")?;
    let users = match embeddings {
        Some(vectors) => Some(vectors.cache(&directory.path().join("given"), encoder.card())?),
        None if options.meaning.no_cache || options.meaning.encoder() == models::STATIC => None,
        None => open_cache(&options.meaning, &encoder, ui),
    };
    let mut cache = embed_all(&encoder, &texts, users, &directory.path().join("all"), ui)?;
    let mut seen = HashSet::new();
    let keys = texts.iter().map(|text| Cache::key(encoder.card(), text));
    let keys: Vec<_> = keys.filter(|key| seen.insert(*key)).collect();
    match output {
        Some(path) => {
            let written = exchange::write_vectors(&path, encoder.card(), &keys, &mut cache);
            let len = written.with_context(|| {
                format!("--output {}: the table cannot be written", path.display())
            })?;
            let n_vectors = count(keys.len() as u64, "vectors");
            ui.status("Embedded", format!("{}: {n_vectors}, {}", path.display(), bytes(len)));
        }
        None => {
            let mut out = stdout();
            let card = encoder.card();
            for key in keys.iter().take_while(|_| !is_closed()) {
                let Some(Embedding { values, n_tokens, truncated }) = cache.get(key)? else {
                    continue;
                };
                let row = json!({
                    "key": hex(key), "encoder": card.name, "model": card.fingerprint,
                    "vector": values, "tokens": n_tokens, "truncated": truncated,
                });
                writeln!(out, "{row}")?;
            }
        }
    }
    Ok(exit_status(n_unreadable))
}

fn required_encoder(options: &Options, ui: &Ui) -> Result<BoxedEncoder> {
    let none = || {
        let message = "expected an encoder that makes vectors, found none: name another one with \
                       --encoder";
        UsageError::new("encoder", message).into()
    };
    load_encoder(&options.meaning, options.install, ui)?.ok_or_else(none)
}

/// Returns the first line of a pipe.
fn start(options: &Options, ui: &Ui) -> Result<(Fields, BoxedEncoder)> {
    let encoder = required_encoder(options, ui)?;
    let EncoderCard { name, dim, fingerprint, max_tokens, semantic, .. } = encoder.card();
    let mut greeting = Fields::new();
    greeting.insert("encoder".into(), name.as_str().into());
    greeting.insert("model".into(), fingerprint.as_str().into());
    greeting.insert("dimensions".into(), (*dim).into());
    greeting.insert("maxTokens".into(), (*max_tokens).into());
    greeting.insert("semantic".into(), (*semantic).into());
    Ok((greeting, encoder))
}

/// Embeds the texts of a request.
fn answer(encoder: &BoxedEncoder, mut request: Fields) -> Result<Fields> {
    let texts = texts(&mut request, "texts")?;
    let side = match request.remove("side") {
        None | Some(Value::Null) => Side::Document,
        Some(Value::String(side)) if side == "document" => Side::Document,
        Some(Value::String(side)) if side == "query" => Side::Query,
        Some(other) => return Err(wrong("`side` document or query", &other.to_string())),
    };
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let dim = encoder.card().dim as usize;
    let embeddings: Vec<Embedding> = texts
        .par_chunks(CALL)
        .map(|texts| encoder.encode(texts, side))
        .collect::<Result<Vec<_>, _>>()
        .with_context(|| format!("`{}` failed to embed the texts", encoder.card().name))?
        .concat();
    let mut values = Vec::with_capacity(embeddings.len() * dim * 4);
    for embedding in &embeddings {
        if embedding.values.len() != dim {
            anyhow::bail!("`{}` returned a vector of another length", encoder.card().name);
        }
        // As in a build, a value that is not a number must not get into an index.
        let finite = |value: &f32| if value.is_finite() { *value } else { 0.0 };
        values.extend(embedding.values.iter().flat_map(|value| finite(value).to_le_bytes()));
    }
    let keys: Vec<String> =
        texts.iter().map(|text| hex(&Cache::key(encoder.card(), text))).collect();
    let tokens: Vec<u32> = embeddings.iter().map(|embedding| embedding.n_tokens).collect();
    let truncated: Vec<bool> = embeddings.iter().map(|embedding| embedding.truncated).collect();
    let mut fields = Fields::new();
    fields.insert("keys".into(), json!(keys));
    fields.insert("vectors".into(), BASE64_STANDARD.encode(values).into());
    fields.insert("tokens".into(), json!(tokens));
    fields.insert("truncated".into(), json!(truncated));
    Ok(fields)
}

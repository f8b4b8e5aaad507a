//! `findling build --part I/N`: reads and embeds a share of the inputs.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};

use super::args::Args;
use super::encoders::{Encoders, default_notice};
use super::exit_status;
use super::inputs::{Settings, check_inputs, reading_options, tell};
use super::report::warn_unreadable;
use crate::embedding::Cache;
use crate::index::write::Shape;
use crate::index::{self, Stage};
use crate::models;
use crate::parts::{self, Head, Records};
use crate::sources::boosts_and_pins::Pins;
use crate::sources::share::{self, Piece, Share, ShareReader};
use crate::ui::{Ui, bytes, count};
use findling_encoder::BoxedEncoder;

/// Reads and embeds a share of the inputs, and writes it as a part.
///
/// # Errors
/// If an input or a setting cannot be read, a model is missing, or the part cannot be written.
pub fn build_part(args: &Args, share: Share, ui: &Ui) -> Result<ExitCode> {
    let started = Instant::now();
    let output = args.output();
    check_inputs(args)?;
    // They are used when the parts are joined; what is wrong with them is better said now.
    Settings::read(args)?;
    let options = reading_options(args, Pins::default())?;
    if let Some(notice) = default_notice(&args.meaning, &output) {
        ui.status("Meaning", notice);
    }
    let Encoders { documents, cache, .. } = Encoders::load(args, Shape::Directory, ui)?;

    // Embedding with a table is faster than reading vectors.
    let encoder = documents.filter(|_| args.meaning.encoder() != models::STATIC);

    let parsing = Instant::now();
    let bar = ui.bar("Reading", 0, "files");
    let reader = ShareReader::new(&args.inputs, &options, share);
    let mut records = Records::new(reader.problems())?;
    let mut n_unreadable = reader.problems().iter().filter(|problem| tell(problem, ui)).count();
    let (inputs, n_files) = (reader.inputs(), reader.n_files());
    let (mut pieces, mut n_pages) = (Vec::new(), 0);
    // What was written can leave the memory before more is read.
    let mut on_pieces = |mut read: Vec<Piece>| {
        let told = read.iter().flat_map(|piece| piece.problems());
        n_unreadable += told.filter(|problem| tell(problem, ui)).count();
        n_pages += read.iter().map(|piece| piece.n_pages() as u64).sum::<u64>();
        records.add(&read)?;
        if encoder.is_some() {
            read.iter_mut().for_each(|piece| piece.stow(&options));
            pieces.append(&mut read);
        }
        Ok(())
    };
    reader.read(&bar, &mut on_pieces)?;
    Stage::ended("parse", parsing, n_pages, "pages", ui);

    let mut head = Head::new(share, inputs, settings(args)?);
    let embedded = encoder.map(|encoder| -> Result<_> {
        let directory = tempfile::tempdir().context("cannot make a temporary directory")?;
        // What the rules for a whole site have to say of a share need not be true of the site.
        let pages = share::join_shares(pieces, &options, &mut |_| {});
        let texts = index::units(pages, &encoder, &super::chunk_options(args), ui)?;
        let cache = embed_all(&encoder, &texts, cache, directory.path(), ui)?;
        Ok((cache, directory))
    });
    let embedded = embedded.transpose()?;
    let embedded = embedded.as_ref().map(|(cache, _)| cache);
    head.n_embeddings = embedded.map_or(0, |cache| cache.len() as u64);
    let len = parts::write(&output, &head, records, embedded.map(Cache::path))
        .with_context(|| format!("--output {}: the part cannot be written", output.display()))?;
    ui.status(
        "Built",
        format!(
            "part {share}, {}: {}, {}, {}, in {:.1} s",
            output.display(),
            count(n_files as u64, "files"),
            count(n_pages, "pages"),
            bytes(len),
            started.elapsed().as_secs_f64()
        ),
    );
    warn_unreadable(n_unreadable, ui);
    Ok(exit_status(n_unreadable))
}

/// Returns the options that decide what a part holds, by their names.
fn settings(args: &Args) -> Result<parts::Settings> {
    let Args { reading, sizes, meaning, .. } = args;
    let groups = [
        serde_json::to_value(reading)?,
        serde_json::to_value(sizes)?,
        serde_json::to_value(meaning)?,
    ];
    let mut settings = parts::Settings::new();
    for group in groups {
        settings.extend(group.as_object().cloned().unwrap_or_default());
    }
    Ok(settings)
}

/// Embeds texts into a cache in `directory`. What the user's cache has is taken from it, and it
/// gets the rest.
pub fn embed_all(
    encoder: &BoxedEncoder,
    texts: &[String],
    mut users: Option<Cache>,
    directory: &Path,
    ui: &Ui,
) -> Result<Cache> {
    let mut own = Cache::open(directory, encoder.card())?;
    let keys: Vec<_> = texts.iter().map(|text| Cache::key(encoder.card(), text)).collect();
    if let Some(users) = &mut users {
        own.take(users, &keys).context("the embedding cache cannot be read")?;
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    index::embed_units(encoder, &texts, Some(&mut own), ui)?;
    if let Some(users) = &mut users
        && let Err(error) = users.take(&mut own, &keys)
    {
        ui.warn(format!("the embedding cache cannot be written: {error}"));
    }
    Ok(own)
}

//! A part of a build: reads and embeds a share of the inputs.

use std::path::Path;
use std::time::Instant;

use findling_base::progress::{Progress, bytes, count};
use findling_encoder::BoxedEncoder;
use findling_index as index;
use findling_index::Stage;
use findling_index::embedding::Cache;
use findling_index::write::Shape;
use findling_models as models;
use findling_read::Problem;
use findling_read::boosts_and_pins::Pins;
use findling_read::share::{self, Piece, Share, ShareReader};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::encoders::{Encoders, default_notice};
use crate::error::{Error, PARTS, Result};
use crate::inputs::{Input, Settings, Vectors, check_found, check_inputs, reading_options, tell};
use crate::options::Options;
use crate::parts::{self, Head, Joined, Records};

/// Reads and embeds a share of the inputs, and writes it as a part. Returns
/// the number of files that could not be read.
///
/// # Errors
/// If an input or a setting cannot be read, a model is missing, or the part cannot be written.
pub fn build_part(options: &Options, share: Share, progress: &dyn Progress) -> Result<usize> {
    let started = Instant::now();
    let output = &options.output;
    check_inputs(options)?;
    // These files are used when the parts are joined; their errors are better reported now.
    Settings::read(options)?;
    let reading = reading_options(options, Pins::default())?;
    if let Some(notice) = default_notice(&options.meaning, Some(output)) {
        progress.status("Meaning", notice);
    }
    let Encoders { documents, cache, .. } = Encoders::load(options, Shape::Directory, progress)?;

    // Embedding with a table is faster than reading vectors.
    let encoder = documents.filter(|_| options.meaning.encoder() != models::STATIC);

    let parsing = Instant::now();
    let bar = progress.count("Reading", Some(0), "files");
    let reader = ShareReader::new(&options.inputs, &reading, share);
    let mut records = Records::new(reader.problems()).map_err(Error::Temporary)?;
    let mut n_unreadable =
        reader.problems().iter().filter(|problem| tell(problem, progress)).count();
    let (inputs, n_files) = (reader.inputs(), reader.n_files());
    let (mut pieces, mut n_pages) = (Vec::new(), 0);
    // Written pieces are freed before more is read.
    let mut on_pieces = |mut read: Vec<Piece>| {
        let told = read.iter().flat_map(|piece| piece.problems());
        n_unreadable += told.filter(|problem| tell(problem, progress)).count();
        n_pages += read.iter().map(|piece| piece.n_pages() as u64).sum::<u64>();
        records.add(&read)?;
        if encoder.is_some() {
            read.iter_mut().for_each(|piece| piece.stow(&reading));
            pieces.append(&mut read);
        }
        Ok(())
    };
    reader.read(&bar, &mut on_pieces).map_err(Error::Temporary)?;
    Stage::ended("parse", parsing, n_pages, "pages", progress);

    let mut head = Head::new(share, inputs, settings(options)?);
    let embedded = encoder.map(|encoder| -> Result<_> {
        let directory = tempfile::tempdir().map_err(Error::Temporary)?;
        // Messages of rules for the whole site are not printed: they need not be true if only a
        // share is known.
        let pages = share::join_shares(pieces, &reading, &mut |_| {});
        let texts = index::units(pages, &encoder, &crate::chunk_options(options), progress)?;
        let cache = embed_all(&encoder, &texts, cache, directory.path(), progress)?;
        Ok((cache, directory))
    });
    let embedded = embedded.transpose()?;
    let embedded = embedded.as_ref().map(|(cache, _)| cache);
    head.n_embeddings = embedded.map_or(0, |cache| cache.len() as u64);
    let len = parts::write(output, &head, records, embedded.map(Cache::path))
        .map_err(|source| Error::Write { path: output.clone(), source })?;
    progress.status(
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
    Ok(n_unreadable)
}

/// Returns the error for options in parts.
fn unreadable(source: serde_json::Error) -> Error {
    Error::StoredOptions { holder: PARTS, source }
}

/// Returns the options that decide what a part holds, by their names.
fn settings(options: &Options) -> Result<parts::Settings> {
    let Options { reading, sizes, meaning, .. } = options;
    let groups = [
        serde_json::to_value(reading).map_err(unreadable)?,
        serde_json::to_value(sizes).map_err(unreadable)?,
        serde_json::to_value(meaning).map_err(unreadable)?,
    ];
    let mut settings = parts::Settings::new();
    for group in groups {
        settings.extend(group.as_object().cloned().unwrap_or_default());
    }
    Ok(settings)
}

/// Returns the options, completed by the options that the parts were built with.
///
/// # Errors
/// If the parts are of another version.
pub fn with_settings(options: &Options, parts: &[parts::Part]) -> Result<Options> {
    let settings = parts.first().map(|part| part.head.settings.clone()).unwrap_or_default();
    let mut options = Options {
        inputs: Vec::new(),
        reading: settings_of(&settings)?,
        sizes: settings_of(&settings)?,
        meaning: settings_of(&settings)?,
        ..options.clone()
    };
    // The parts were read with these options.
    (options.reading.chat_fields, options.reading.ocr) = (None, None);
    Ok(options)
}

fn settings_of<T: DeserializeOwned>(settings: &parts::Settings) -> Result<T> {
    serde_json::from_value(Value::Object(settings.clone())).map_err(unreadable)
}

/// Returns the input of a build from parts.
///
/// # Errors
/// If a part cannot be read or does not fit the others.
pub fn input(
    options: &Options,
    parts: Vec<parts::Part>,
    pins: Pins,
    progress: &dyn Progress,
) -> Result<Input> {
    let reading = reading_options(options, pins)?;
    let Joined { problems, pieces, embeddings } = parts::take(parts, &reading)?;
    let mut n_unreadable = 0;
    let mut on_problem = |problem: Problem| n_unreadable += usize::from(tell(&problem, progress));
    problems.into_iter().for_each(&mut on_problem);
    let pages = share::join_shares(pieces, &reading, &mut on_problem);
    check_found(&pages, options, n_unreadable)?;
    let embeddings = Some(Vectors::Parts(embeddings));
    Ok(Input { pages, n_unreadable, embeddings, ..Input::default() })
}

/// Embeds texts into a cache in `directory`. Vectors in the user's cache are taken from there; all
/// others are added to it.
pub fn embed_all(
    encoder: &BoxedEncoder,
    texts: &[String],
    mut users: Option<Cache>,
    directory: &Path,
    progress: &dyn Progress,
) -> Result<Cache> {
    let mut own = Cache::open(directory, encoder.card()).map_err(Error::Cache)?;
    let keys: Vec<_> = texts.iter().map(|text| Cache::key(encoder.card(), text)).collect();
    if let Some(users) = &mut users {
        own.take(users, &keys).map_err(Error::Cache)?;
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    index::embed_units(encoder, &texts, Some(&mut own), progress)?;
    if let Some(users) = &mut users
        && let Err(error) = users.take(&mut own, &keys)
    {
        progress.warn(format!("the embedding cache cannot be written: {error}"));
    }
    Ok(own)
}

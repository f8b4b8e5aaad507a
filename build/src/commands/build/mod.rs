//! `findling build`: builds a bundle from a site, Markdown or records.

mod args;
mod assistant_files;
mod collection;
mod default_ranking;
mod embed;
pub(super) mod encoders;
mod hosting;
mod inputs;
mod markdown_links;
mod merged;
mod pagefind_client;
mod pagefind_site;
mod part;
mod pipe;
mod report;
mod robots;
mod sections;
mod tables;
#[cfg(test)]
mod tests;
mod watch;

use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use findling_bundle::limits::MAX_TOLD;

use crate::chunk::ChunkOptions;
use crate::client::{self, standalone};
use crate::exchange;
use crate::file_mode::Shared;
use crate::index::bundle::Bundle;
use crate::index::previous_build::PreviousBuild;
use crate::index::write::{self, BundleWriter, Extra, Replaced, Shape, Written};
use crate::index::{self, GRAPH_FROM, GRAPH_UP_TO, Job, Outcome, ReplacedFiles, Stage};
use crate::kept::Kept;
use crate::models;
use crate::query_encoder::{self, Words};
use crate::sources::Included;
use crate::sources::boosts_and_pins::Pins;
use crate::sources::pagefind::Site;
use crate::ui::{Ui, count};
pub use args::Args;
pub(super) use args::MEMORY;
use args::Reading;
pub(super) use collection::build_collection;
pub use embed::{EmbedArgs, run_embed};
use encoders::{DEFAULT_ENCODER, Encoders, default_notice};
pub(super) use hosting::{Hosting, MAX_CLOUDFLARE_FILE_BYTES, MAX_CLOUDFLARE_FILES};
use inputs::{Input, Settings, check_inputs, client_files, read_pages, shape, texts_of};
pub(super) use merged::run_merge;
use report::{Built, Notice};
pub use sections::{SectionsArgs, run_sections};
use watch::Watch;

/// Exit status of a build that left out files it could not read.
pub(super) const SOME_UNREADABLE: u8 = 3;

/// Runs the command.
///
/// # Errors
/// If no page can be read, a model is missing, or the output cannot be written.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    if let Some(paths) = exchange::find(&args.inputs)? {
        return tables::build_tables(args, paths, ui);
    }
    args.in_threads(|| match args.part {
        Some(share) => part::build_part(&args, share, ui),
        None if args.watch => build_and_watch(&args, ui),
        None => build_once(&args, ui),
    })
}

/// Builds, and builds again whenever an input changes. An error in an input is printed; the next
/// change starts another build.
fn build_and_watch(args: &Args, ui: &Ui) -> Result<ExitCode> {
    let Reading { synonyms, pins, ranking, .. } = &args.reading;
    let inputs = args.inputs.iter().chain(synonyms).chain(pins).chain(ranking).cloned().collect();
    // Changes made during a build are noticed after it.
    let mut watch = Watch::new(inputs, args.reading.follow_links, &args.output());
    build_once(args, ui)?;
    loop {
        ui.status(
            "Watching",
            format!("{}; Ctrl-C stops", count(args.inputs.len() as u64, "inputs")),
        );
        let changed = watch.wait();
        ui.status("Changed", changed.display());
        if let Err(error) = build_once(args, ui) {
            ui.error(&error);
        }
    }
}

/// Builds the bundle of a site that was read by Pagefind's rules, `n_unreadable` of its files not.
///
/// # Errors
/// The errors of [`run`].
pub fn run_pagefind(args: &Args, site: Site, n_unreadable: usize, ui: &Ui) -> Result<ExitCode> {
    report(
        args,
        &build_from(args, None, ui, |_| pagefind_site::input(args, site, n_unreadable, ui))?,
        ui,
    )
}

/// Returns the files of the bundle of a site that was read by Pagefind's rules, in place of writing
/// them. Without pages, the files are those of the client. What `pagefind.js` does not load is left
/// out.
///
/// # Errors
/// The errors of [`run`].
pub fn pagefind_files(args: &Args, site: Site, ui: &Ui) -> Result<Vec<Extra>> {
    if site.pages.is_empty() {
        let mut files = client_files(args, args.host.shape(), ui)?;
        client::keep_needed(&mut files, &[], &[])?;
        files.extend(pagefind_site::files(args, site)?.1);
        pagefind_client::add_packed(&mut files, [].iter())?;
        pagefind_client::keep_needed(&mut files);
        return Ok(files);
    }
    let output = args.output();
    let place = (&*output, shape(args)?);
    let mut indexed =
        index_site(args, place, None, ui, |_| pagefind_site::input(args, site, 0, ui))?;
    pagefind_client::keep_needed(&mut indexed.extras);
    pagefind_site::without_stand_ins(&mut indexed.extras);
    write::files(&indexed.bundle, place.1, indexed.extras)
}

/// Builds once and reports.
fn build_once(args: &Args, ui: &Ui) -> Result<ExitCode> {
    report(args, &build_bundle(args, None, ui)?, ui)
}

/// Prints the report of a build. Returns its exit status.
fn report(args: &Args, built: &Built, ui: &Ui) -> Result<ExitCode> {
    built.print(args.json, ui)?;
    Ok(exit_status(built.n_unreadable))
}

/// Returns the exit status of a build that left out so many files.
fn exit_status(n_unreadable: usize) -> ExitCode {
    if n_unreadable > 0 { ExitCode::from(SOME_UNREADABLE) } else { ExitCode::SUCCESS }
}

/// Builds a bundle from the inputs. `kept` is what earlier builds computed.
fn build_bundle(args: &Args, kept: Option<&Kept>, ui: &Ui) -> Result<Built> {
    build_from(args, kept, ui, |pins| {
        if !args.pagefind {
            return read_pages(args, kept, pins, ui);
        }
        let (site, n_unreadable) = pagefind_site::read(args, ui)?;
        pagefind_site::input(args, site, n_unreadable, ui)
    })
}

/// Builds a bundle from what `read` gives.
fn build_from(
    args: &Args,
    kept: Option<&Kept>,
    ui: &Ui,
    read: impl FnOnce(Pins) -> Result<Input>,
) -> Result<Built> {
    let started = Instant::now();
    let output = args.output();
    let shape = shape(args)?;
    write::check(&output, shape)?;
    check_inputs(args)?;
    let indexed = index_site(args, (&output, shape), kept, ui, read)?;
    let writing = Instant::now();
    let written = if shape == Shape::Standalone {
        standalone::write(&output, &indexed.bundle, &indexed.extras, indexed.shared)?
    } else {
        write_bundle(args, kept, (&output, shape), &indexed, ui)?
    };
    let Indexed { bundle, mut stages, n_truncated, n_unreadable, .. } = indexed;
    stages.push(Stage::ended("write", writing, written.bundle_bytes, "bytes", ui));
    Ok(Built {
        output,
        encoder: bundle.manifest.dense.map(|dense| dense.encoder.name),
        stats: bundle.manifest.stats,
        written,
        n_unreadable,
        included: indexed.included,
        n_truncated,
        notices: indexed.notices,
        seconds: started.elapsed().as_secs_f64(),
        stages,
    })
}

/// Writes a bundle and the files beside it.
fn write_bundle(
    args: &Args,
    kept: Option<&Kept>,
    (output, shape): (&Path, Shape),
    indexed: &Indexed,
    ui: &Ui,
) -> Result<Written> {
    let Indexed { bundle, unchanged, extras, shared, .. } = indexed;
    let grace = Duration::from_secs(args.prune.saturating_mul(86_400));
    let replaced = Replaced { directory: replaced(output, kept), unchanged };
    let writer = BundleWriter::new(output, shape, bundle);
    let (replaced, fresh) = (Some(replaced), args.fresh);
    let shared = *shared;
    let written = BundleWriter { extras, grace, replaced, fresh, shared, ..writer }.write()?;
    args.host.check(output, &written, ui);
    if shape.has_shards() {
        args.host.write_headers(&args.inputs, output, ui)?;
    }
    Ok(written)
}

/// Returns the directory of the bundle that is replaced, if there is one.
fn replaced<'a>(output: &'a Path, kept: Option<&'a Kept>) -> &'a Path {
    kept.and_then(|kept| kept.bundle.as_deref()).unwrap_or(output)
}

/// A bundle before it is written.
struct Indexed {
    bundle: Bundle,
    /// See [`Outcome::unchanged`].
    unchanged: HashSet<String>,
    /// Files to write beside it.
    extras: Vec<Extra>,
    stages: Vec<Stage>,
    n_truncated: usize,
    n_unreadable: usize,
    included: Vec<Included>,
    /// Users besides the owner who may read the sources.
    shared: Shared,
    notices: Vec<Notice>,
}

/// Indexes what `read` gives. Everything that can be refused is checked before the long work
/// begins.
fn index_site(
    args: &Args,
    (output, shape): (&Path, Shape),
    kept: Option<&Kept>,
    ui: &Ui,
    read: impl FnOnce(Pins) -> Result<Input>,
) -> Result<Indexed> {
    let mut settings = Settings::read(args)?;
    let mut extras = client_files(args, shape, ui)?;
    let replaced = replaced(output, kept);
    let notices = notices(args, replaced, ui);
    let encoders = Encoders::load(args, shape, ui)?;

    let parsing = Instant::now();
    let input = read(std::mem::take(&mut settings.pins))?;
    let Input { pages, n_unreadable, included, extras: read, pagefind_languages, .. } = input;
    let (embeddings, shared) = (input.embeddings, input.shared);
    extras.extend(read);
    // A file that says the defaults is meant, too.
    if args.reading.ranking.is_none() {
        let by_transformer = encoders.documents.as_ref().is_some_and(|encoder| {
            encoder.card().semantic && args.meaning.encoder() != models::STATIC
        });
        let of_pages = default_ranking::ranking_of(&pages, by_transformer);
        settings.ranking = of_pages.map(|setting| setting.to_vec()).unwrap_or_default();
    }
    let parse = Stage::ended("parse", parsing, pages.len() as u64, "pages", ui);
    encoders.check_fit(args.meaning.fit, ui);
    let for_assistants = args.agents.as_ref().map(|directory| {
        let files = assistant_files::files(&pages, &args.reading.base_url, directory, ui);
        (directory, files)
    });

    let earlier = if args.fresh { None } else { PreviousBuild::open(replaced) };
    let words = args.meaning.vocabulary_budget.map(|budget| Words {
        texts: texts_of(&pages),
        budget: (budget as usize).saturating_mul(1 << 10),
        earlier: earlier.as_ref(),
    });
    let (query_encoders, files) =
        query_encoder::deploy(encoders.queries, args.meaning.encoder(), words.as_ref(), ui)?;
    drop(words);
    extras.extend(files);
    // The directory lasts as long as the build.
    let (_directory, cache) = match (embeddings, &encoders.documents) {
        (Some(embeddings), Some(encoder)) => {
            let directory = tempfile::tempdir().context("cannot make a temporary directory")?;
            let cache = embeddings.cache(directory.path(), encoder.card())?;
            (Some(directory), Some(cache))
        }
        _ => (None, encoders.cache),
    };
    let job = Job {
        pages,
        encoder: encoders.documents.as_ref(),
        cache,
        query_encoders,
        table: encoders.table.as_ref(),
        earlier,
        replaced: ReplacedFiles::at(replaced),
        logs: kept.map(Kept::of_index),
        options: options(args, settings, shape),
    };
    let Outcome { bundle, mut stages, n_truncated, unchanged } = index::build(job, ui)?;
    let dense = bundle.manifest.dense.as_ref();
    let query_encoders = dense.map_or(&[][..], |dense| &dense.query_encoders);
    client::keep_needed(&mut extras, &bundle.manifest.languages, query_encoders)?;
    if args.pagefind {
        pagefind_client::add_packed(&mut extras, pagefind_languages.iter())?;
    }
    stages.insert(0, parse);
    if let Some((directory, files)) = for_assistants {
        assistant_files::write(directory, &files, args.agents_links, ui)?;
    }
    Ok(Indexed {
        bundle,
        unchanged,
        extras,
        stages,
        n_truncated,
        n_unreadable,
        included,
        shared,
        notices,
    })
}

/// Tells what a person who built the site may want to know, and returns it for the report.
fn notices(args: &Args, replaced: &Path, ui: &Ui) -> Vec<Notice> {
    let Some(message) = default_notice(&args.meaning, replaced) else { return Vec::new() };
    ui.status("Meaning", &message);
    vec![Notice { code: DEFAULT_ENCODER, message }]
}

/// Returns the options of the index.
fn options(args: &Args, settings: Settings, shape: Shape) -> index::Options {
    index::Options {
        chunk: chunk_options(args),
        language: args.reading.language.clone(),
        graph_from: args.meaning.graph_from.unwrap_or(GRAPH_FROM),
        most_listed: args.meaning.most_listed.map_or(MAX_TOLD, |n| n.min(MAX_TOLD)),
        graph_up_to: args.meaning.graph_from.map_or(GRAPH_UP_TO, |_| usize::MAX),
        synonyms: settings.synonyms,
        ranking: settings.ranking,
        // Pagefind lists every page.
        copies: !args.reading.keep_copies && !args.pagefind,
        rows_budget: (args.meaning.rows_budget as usize).saturating_mul(1 << 10),
        fit: !args.meaning.no_fit,
        // A single file is read as a whole, so cells are of no use in it.
        cells: shape.has_shards(),
        memory: args.memory_each(),
    }
}

/// Returns the options of cutting sections.
fn chunk_options(args: &Args) -> ChunkOptions {
    ChunkOptions {
        passage_words: args.sizes.passage_words,
        passage_overlap: args.sizes.passage_overlap,
        max_tokens: args.sizes.max_tokens,
        unit_overlap: args.sizes.token_overlap,
        ..ChunkOptions::default()
    }
}

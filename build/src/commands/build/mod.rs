//! `findling build`: builds a bundle from a site, Markdown or records.

mod args;
mod collection;
mod encoders;
mod inputs;
mod report;
#[cfg(test)]
mod tests;
mod watch;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::chunk::ChunkOptions;
use crate::index::previous_build::PreviousBuild;
use crate::index::query_encoder::{self, Words};
use crate::index::write::{self, Shape};
use crate::index::{self, Deployed, Job, Outcome, Stage, client};
use crate::ui::{Ui, count};
pub use args::Args;
use args::Reading;
pub(super) use collection::build_collection;
use encoders::Encoders;
use inputs::{Settings, check_inputs, client_files, read_pages, shape, texts_of};
use report::Built;
use watch::Watch;

/// Exit status of a build that left out files it could not read.
pub(super) const SOME_UNREADABLE: u8 = 3;

/// Runs the command.
///
/// # Errors
/// If no page can be read, a model is missing, or the output cannot be written.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    let builds = || if args.watch { build_and_watch(&args, ui) } else { build_once(&args, ui) };
    match args.jobs {
        None => builds(),
        Some(jobs) => rayon::ThreadPoolBuilder::new()
            .num_threads(jobs)
            .build()
            .context("cannot start the threads")?
            .install(builds),
    }
}

/// Builds, and builds again whenever an input changes. An error in an input is printed; the next
/// change starts another build.
fn build_and_watch(args: &Args, ui: &Ui) -> Result<ExitCode> {
    let Reading { synonyms, pins, ranking, .. } = &args.reading;
    let inputs = args.inputs.iter().chain(synonyms).chain(pins).chain(ranking).cloned().collect();
    // Changes made during a build are noticed after it.
    let mut watch = Watch::new(inputs, &args.output);
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

/// Builds once and reports.
fn build_once(args: &Args, ui: &Ui) -> Result<ExitCode> {
    let built = build_bundle(args, ui)?;
    built.print(args.json, ui)?;
    let some = built.n_unreadable > 0;
    Ok(if some { ExitCode::from(SOME_UNREADABLE) } else { ExitCode::SUCCESS })
}

/// Builds a bundle. Everything that can be refused is checked before the long work begins.
fn build_bundle(args: &Args, ui: &Ui) -> Result<Built> {
    let started = Instant::now();
    let shape = shape(&args.output, args.single_file)?;
    write::check(&args.output, shape)?;
    check_inputs(args)?;
    let mut settings = Settings::read(args)?;
    let mut extras = client_files(args, shape, ui)?;
    let encoders = Encoders::load(args, shape, ui)?;

    let parsing = Instant::now();
    let (pages, n_unreadable) = read_pages(args, std::mem::take(&mut settings.pins), ui)?;
    let parse = Stage::ended("parse", parsing, pages.len() as u64, "pages", ui);
    encoders.check_fit(args.meaning.fit, ui);

    let earlier = if args.fresh { None } else { PreviousBuild::open(&args.output) };
    let words = args.meaning.vocabulary_budget.map(|budget| Words {
        texts: texts_of(&pages),
        budget: (budget as usize).saturating_mul(1 << 10),
        earlier: earlier.as_ref(),
    });
    let (query_encoders, files) =
        query_encoder::deploy(encoders.queries, &args.meaning.encoder, words.as_ref(), ui)?;
    drop(words);
    extras.extend(files);
    let job = Job {
        pages,
        encoder: encoders.documents.as_ref(),
        cache: encoders.cache,
        query_encoders,
        table: encoders.table.as_ref(),
        earlier,
        deployed: Deployed::at(&args.output),
        options: options(args, settings, shape),
    };
    let Outcome { bundle, mut stages, n_truncated } = index::build(job, ui)?;
    let dense = bundle.manifest.dense.as_ref();
    let query_encoders = dense.map_or(&[][..], |dense| &dense.query_encoders);
    client::keep_needed(&mut extras, &bundle.manifest.languages, query_encoders)?;
    stages.insert(0, parse);

    let writing = Instant::now();
    let grace = Duration::from_secs(args.prune.saturating_mul(86_400));
    let written = write::write(&args.output, shape, &bundle, &extras, grace)?;
    stages.push(Stage::ended("write", writing, written.bundle_bytes, "bytes", ui));
    Ok(Built {
        output: args.output.clone(),
        stats: bundle.manifest.stats,
        written,
        n_unreadable,
        n_truncated,
        seconds: started.elapsed().as_secs_f64(),
        stages,
    })
}

/// The options of the index.
fn options(args: &Args, settings: Settings, shape: Shape) -> index::Options {
    index::Options {
        chunk: ChunkOptions {
            passage_words: args.sizes.passage_words,
            passage_overlap: args.sizes.passage_overlap,
            max_tokens: args.sizes.max_tokens,
            unit_overlap: args.sizes.token_overlap,
            ..ChunkOptions::default()
        },
        language: args.reading.language.clone(),
        graph_from: args.meaning.graph_from,
        synonyms: settings.synonyms,
        ranking: settings.ranking,
        copies: !args.reading.keep_copies,
        rows_budget: (args.meaning.rows_budget as usize).saturating_mul(1 << 10),
        fit: !args.meaning.no_fit,
        // A single file is read as a whole, so cells are of no use in it.
        cells: shape == Shape::Directory,
    }
}

//! The build of a bundle, from [`Options`] to files: read, embed, index, write.
//!
//! [`build`] writes the bundle of a site to a disk, [`bundle`] makes one in memory. The web client
//! that searches the bundle in a browser is in the crate; [`client`] says what of it a bundle gets.
//!
//! ```
//! use findling_base::progress::Silent;
//! use findling_read::Tree;
//! use findling_site::{Client, Meaning, Options};
//!
//! let pages = [("start.md", "# Threads\n\nA mutex."), ("more.md", "# Cargo\n\nBuilds.")];
//! let pages = pages.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
//! let bundle = findling_site::bundle(
//!     &Options {
//!         tree: Tree::of_files(pages),
//!         meaning: Meaning { encoder: Some("none".into()), ..Meaning::default() },
//!         client: Client::None,
//!         ..Options::default()
//!     },
//!     &Silent,
//! )?;
//! assert_eq!(bundle.stats().n_pages, 2);
//! assert!(bundle.files()?.iter().any(|file| file.path == "findling.idx"));
//! # Ok::<(), findling_site::Error>(())
//! ```
//!
//! A build can be divided: [`build_part`] writes a part ([`parts`]) that [`build_parts`] joins, and
//! tables ([`exchange`]) carry sections and vectors between data engines.
//!
//! The crate has no command line and no terminal. Messages and questions go to a [`Progress`]. An
//! [`Error`] names options by their fields, unless it is told other names ([`Error::message`]). The
//! crate knows neither collections nor searches, and does not watch files. It reads the disk, and
//! the network only to install a model that the options name.

mod assistant_files;
pub mod client;
mod default_ranking;
mod discovery;
mod encoders;
mod error;
pub mod exchange;
mod hosting;
mod inputs;
pub mod kept;
mod markdown_links;
mod options;
mod pagefind_client;
mod pagefind_site;
mod part;
pub mod parts;
pub mod query_encoder;
pub mod ranking;
mod robots;
mod tables;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use findling_base::file_mode::Shared;
use findling_base::progress::Progress;
use findling_bundle::Stats;
use findling_bundle::limits::MAX_TOLD;
use findling_index as index;
use findling_index::previous_build::PreviousBuild;
use findling_index::write::{self, BundleWriter, Extra, Replaced, Shape, Written};
use findling_index::{GRAPH_FROM, GRAPH_UP_TO, Job, Outcome, ReplacedFiles, Stage};
use findling_models as models;
use findling_page::chunk::ChunkOptions;
use findling_read::Included;
use findling_read::boosts_and_pins::Pins;
use findling_read::pagefind::Site;
use serde::Serialize;

use client::standalone;
use encoders::{DEFAULT_ENCODER, Encoders, default_notice};
pub use encoders::{load_encoder, open_cache, transformer_gain};
pub use error::{Error, Result};
pub use hosting::{Hosting, MAX_CLOUDFLARE_FILE_BYTES, MAX_CLOUDFLARE_FILES};
pub use inputs::{Input, check_inputs, checked_ocr, read_pages, reading_options, tell};
use inputs::{Settings, client_files, shape, texts_of};
use kept::Kept;
pub use options::{
    Assistants, Client, Discovery, Form, MAX_FILE_SECONDS, MAX_FILE_SIZE, MEMORY, Meaning, Options,
    Pagefind, Reading, Sizes,
};
pub use part::{build_part, embed_all};
use query_encoder::Words;
pub use tables::{
    input as input_of_tables, open as open_tables, pieces as pieces_of_tables, told_options,
};

/// A remark on a build that is not a problem.
#[derive(Debug, Serialize)]
pub struct Notice {
    /// For programs.
    pub code: &'static str,
    /// For people.
    pub message: String,
}

/// The results of a build that was written.
#[derive(Debug)]
pub struct Built {
    /// The output.
    pub output: PathBuf,
    /// The counts of the index.
    pub stats: Stats,
    /// The encoder of the documents; `None` for a bundle without vectors.
    pub encoder: Option<String>,
    /// The files.
    pub written: Written,
    /// The number of files that could not be read.
    pub n_unreadable: usize,
    /// The files that pages include.
    pub included: Vec<Included>,
    /// The number of embedding units that the encoder cut off.
    pub n_truncated: usize,
    /// Notices for the person who built the site.
    pub notices: Vec<Notice>,
    /// The time of the build.
    pub seconds: f64,
    /// The time and memory of each stage.
    pub stages: Vec<Stage>,
}

/// A bundle in memory, with the files beside it.
pub struct Bundle {
    index: index::bundle::Bundle,
    shape: Shape,
    /// See [`Outcome::unchanged`].
    unchanged: HashSet<String>,
    extras: Vec<Extra>,
    stages: Vec<Stage>,
    n_truncated: usize,
    n_unreadable: usize,
    included: Vec<Included>,
    /// The users who may read the sources.
    shared: Shared,
    notices: Vec<Notice>,
    /// The title of the site's front page.
    front_title: Option<String>,
}

impl Bundle {
    /// Returns the counts of the index.
    pub fn stats(&self) -> &Stats {
        &self.index.manifest.stats
    }

    /// Returns the number of files that could not be read.
    pub fn n_unreadable(&self) -> usize {
        self.n_unreadable
    }

    /// Returns the files of the bundle, and those beside it.
    ///
    /// # Errors
    /// If the form is not [`Form::Files`]: a single file can only be written to a disk.
    pub fn files(self) -> Result<Vec<Extra>> {
        if !self.shape.has_shards() {
            return Err(Error::OneFileInMemory);
        }
        Ok(write::files(&self.index, self.shape, self.extras)?)
    }
}

/// Builds a bundle, and writes it and the files beside it to the output. The output is never
/// half-written: it is either as before or complete.
///
/// # Errors
/// If an option does not fit the others, no page can be read, a model is missing, or the output
/// cannot be written.
pub fn build(options: &Options, progress: &dyn Progress) -> Result<Built> {
    let Some(paths) = exchange::find(&options.inputs)? else {
        return build_kept(options, None, progress);
    };
    let mut options = options.clone();
    let tables = open_tables(&mut options, paths)?;
    let read = |pins| input_of_tables(&options, tables, pins, progress);
    write_out(&options, None, progress, read)
}

/// Builds from files, reusing the results of earlier builds.
///
/// # Errors
/// The errors of [`build`].
pub fn build_kept(
    options: &Options,
    kept: Option<&Kept>,
    progress: &dyn Progress,
) -> Result<Built> {
    write_out(options, kept, progress, |pins| read(options, kept, pins, progress))
}

/// Builds the bundle of a site that was read by Pagefind's rules. `n_unreadable` of its files could
/// not be read.
///
/// # Errors
/// The errors of [`build`].
pub fn build_pagefind(
    options: &Options,
    site: Site,
    n_unreadable: usize,
    progress: &dyn Progress,
) -> Result<Built> {
    let read = |_| pagefind_site::input(options, site, n_unreadable, progress);
    write_out(options, None, progress, read)
}

/// Builds the bundle of all parts of a site. Options for reading, sizes and meaning come from the
/// parts.
///
/// # Errors
/// If a part cannot be read or does not fit the others, and the errors of [`build`].
pub fn build_parts(paths: &[PathBuf], options: &Options, progress: &dyn Progress) -> Result<Built> {
    let parts = parts::open(paths)?;
    let options = part::with_settings(options, &parts)?;
    let shared = Shared::default().and(paths.iter().map(PathBuf::as_path));
    let read = |pins| Ok(Input { shared, ..part::input(&options, parts, pins, progress)? });
    write_out(&options, None, progress, read)
}

/// Builds a bundle in memory, with the files that belong beside it.
///
/// # Errors
/// The errors of [`build`].
pub fn bundle(options: &Options, progress: &dyn Progress) -> Result<Bundle> {
    check_inputs(options)?;
    in_threads(options, || {
        index_site(options, shape(options)?, None, progress, |pins| {
            read(options, None, pins, progress)
        })
    })
}

/// Returns the files of the bundle of a site that was read by Pagefind's rules, instead of writing
/// them. Without pages, only the client's files are written. Files that `pagefind.js` does not load
/// are left out.
///
/// # Errors
/// The errors of [`build`].
pub fn pagefind_files(
    options: &Options,
    site: Site,
    progress: &dyn Progress,
) -> Result<Vec<Extra>> {
    if site.pages.is_empty() {
        let mut files = client_files(options, options.host.shape(), progress)?;
        client::keep_needed(&mut files, &[], &[])?;
        files.extend(pagefind_site::files(options, site)?.1);
        pagefind_client::add_packed(&mut files, [].iter())?;
        pagefind_client::keep_needed(&mut files);
        return Ok(files);
    }
    let read = |_| pagefind_site::input(options, site, 0, progress);
    let mut bundle = index_site(options, shape(options)?, None, progress, read)?;
    pagefind_client::keep_needed(&mut bundle.extras);
    pagefind_site::without_stand_ins(&mut bundle.extras);
    bundle.files()
}

/// Runs `work` with as many threads as the options say.
///
/// # Errors
/// If they cannot be started, and the errors of `work`.
pub fn in_threads<T: Send, E: From<Error> + Send>(
    options: &Options,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> Result<T, E> {
    let Some(n) = options.threads else { return work() };
    let threads = rayon::ThreadPoolBuilder::new().num_threads(n).build();
    threads.map_err(Error::Threads)?.install(work)
}

/// Reads the inputs, by Pagefind's rules if the options say so.
fn read(
    options: &Options,
    kept: Option<&Kept>,
    pins: Pins,
    progress: &dyn Progress,
) -> Result<Input> {
    if options.pagefind.is_none() {
        return read_pages(options, kept, pins, progress);
    }
    let (site, n_unreadable) = pagefind_site::read(options, progress)?;
    pagefind_site::input(options, site, n_unreadable, progress)
}

/// Builds from the input that `read` returns, and writes the bundle.
fn write_out(
    options: &Options,
    kept: Option<&Kept>,
    progress: &dyn Progress,
    read: impl FnOnce(Pins) -> Result<Input> + Send,
) -> Result<Built> {
    in_threads(options, || {
        let started = Instant::now();
        let output = &options.output;
        if output.as_os_str().is_empty() {
            return Err(Error::NoOutput);
        }
        let shape = shape(options)?;
        write::check(output, shape)?;
        check_inputs(options)?;
        discovery::check(options)?;
        let bundle = index_site(options, shape, kept, progress, read)?;
        let writing = Instant::now();
        let written = if shape == Shape::Standalone {
            standalone::write(output, &bundle.index, &bundle.extras, bundle.shared)?
        } else {
            write_files(options, kept, &bundle, progress)?
        };
        let title = bundle.front_title.as_deref();
        discovery::write(options, title, &bundle.index.manifest.languages, progress)?;
        let Bundle { index, mut stages, n_truncated, n_unreadable, .. } = bundle;
        stages.push(Stage::ended("write", writing, written.bundle_bytes, "bytes", progress));
        Ok(Built {
            output: output.clone(),
            encoder: index.manifest.dense.map(|dense| dense.encoder.name),
            stats: index.manifest.stats,
            written,
            n_unreadable,
            included: bundle.included,
            n_truncated,
            notices: bundle.notices,
            seconds: started.elapsed().as_secs_f64(),
            stages,
        })
    })
}

/// Writes a bundle and the files beside it.
fn write_files(
    options: &Options,
    kept: Option<&Kept>,
    bundle: &Bundle,
    progress: &dyn Progress,
) -> Result<Written> {
    let Bundle { index, unchanged, extras, shared, shape, .. } = bundle;
    let (output, shape) = (&options.output, *shape);
    let replaced = replaced(output, kept).map(|directory| Replaced { directory, unchanged });
    let writer = BundleWriter::new(output, shape, index);
    let fresh = options.fresh;
    let (grace, shared) = (options.grace, *shared);
    let written = BundleWriter { extras, grace, replaced, fresh, shared, ..writer }.write()?;
    options.host.check(output, &written, progress);
    if shape.has_shards() {
        options.host.write_headers(&options.inputs, output, progress)?;
    }
    Ok(written)
}

/// Returns the directory of the bundle that is replaced, which need not exist. A bundle in memory
/// replaces none: an empty path would be the working directory.
fn replaced<'a>(output: &'a Path, kept: Option<&'a Kept>) -> Option<&'a Path> {
    let output = Some(output).filter(|output| !output.as_os_str().is_empty());
    kept.and_then(|kept| kept.bundle.as_deref()).or(output)
}

/// Indexes the input that `read` returns. All options are checked before the long work begins.
fn index_site(
    options: &Options,
    shape: Shape,
    kept: Option<&Kept>,
    progress: &dyn Progress,
    read: impl FnOnce(Pins) -> Result<Input>,
) -> Result<Bundle> {
    let mut settings = Settings::read(options)?;
    let mut extras = client_files(options, shape, progress)?;
    let replaced = replaced(&options.output, kept);
    let notices = notices(options, replaced, progress);
    let encoders = Encoders::load(options, shape, progress)?;
    let meaning = &options.meaning;

    let parsing = Instant::now();
    let input = read(std::mem::take(&mut settings.pins))?;
    let Input { pages, n_unreadable, included, extras: read, pagefind_languages, .. } = input;
    let (embeddings, shared) = (input.embeddings, input.shared);
    extras.extend(read);
    // A file that contains the defaults also counts as a choice.
    if options.reading.ranking.is_none() {
        let by_transformer = encoders
            .documents
            .as_ref()
            .is_some_and(|encoder| encoder.card().semantic && meaning.encoder() != models::STATIC);
        let of_pages = default_ranking::ranking_of(&pages, by_transformer);
        settings.ranking = of_pages.map(|setting| setting.to_vec()).unwrap_or_default();
    }
    let parse = Stage::ended("parse", parsing, pages.len() as u64, "pages", progress);
    encoders.check_fit(meaning.fit, progress);
    let for_assistants = options.assistants.as_ref().map(|assistants| {
        let Assistants { directory, .. } = assistants;
        let files = assistant_files::files(&pages, &options.reading.base_url, directory, progress);
        (assistants, files)
    });

    let front_title = discovery::front_title(&pages, &options.reading.base_url);
    let earlier = replaced.filter(|_| !options.fresh).and_then(PreviousBuild::open);
    let words = meaning.vocabulary_budget.map(|budget| Words {
        texts: texts_of(&pages),
        budget: (budget as usize).saturating_mul(1 << 10),
        earlier: earlier.as_ref(),
    });
    let (query_encoders, files) =
        query_encoder::deploy(encoders.queries, meaning.encoder(), words.as_ref(), progress)?;
    drop(words);
    extras.extend(files);
    // The directory must exist until the build ends.
    let (_directory, cache) = match (embeddings, &encoders.documents) {
        (Some(embeddings), Some(encoder)) => {
            let directory = tempfile::tempdir().map_err(Error::Temporary)?;
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
        replaced: replaced.map(ReplacedFiles::at).unwrap_or_default(),
        logs: kept.map(Kept::of_index),
        options: index_options(options, settings, shape),
    };
    let Outcome { bundle: index, mut stages, n_truncated, unchanged } =
        index::build(job, progress)?;
    let dense = index.manifest.dense.as_ref();
    let query_encoders = dense.map_or(&[][..], |dense| &dense.query_encoders);
    client::keep_needed(&mut extras, &index.manifest.languages, query_encoders)?;
    if options.pagefind.is_some() {
        pagefind_client::add_packed(&mut extras, pagefind_languages.iter())?;
    }
    stages.insert(0, parse);
    if let Some((Assistants { directory, links }, files)) = for_assistants {
        assistant_files::write(directory, &files, *links, progress)?;
    }
    Ok(Bundle {
        index,
        shape,
        unchanged,
        extras,
        stages,
        n_truncated,
        n_unreadable,
        included,
        shared,
        notices,
        front_title,
    })
}

/// Prints notices for the person who built the site, and returns them for the report.
fn notices(options: &Options, replaced: Option<&Path>, progress: &dyn Progress) -> Vec<Notice> {
    let Some(message) = default_notice(&options.meaning, replaced) else { return Vec::new() };
    progress.status("Meaning", &message);
    vec![Notice { code: DEFAULT_ENCODER, message }]
}

/// Returns the options of the index.
fn index_options(options: &Options, settings: Settings, shape: Shape) -> index::Options {
    let meaning = &options.meaning;
    index::Options {
        chunk: chunk_options(options),
        language: options.reading.language.clone(),
        graph_from: meaning.graph_from.unwrap_or(GRAPH_FROM),
        most_listed: meaning.most_listed.map_or(MAX_TOLD, |n| n.min(MAX_TOLD)),
        graph_up_to: meaning.graph_from.map_or(GRAPH_UP_TO, |_| usize::MAX),
        synonyms: settings.synonyms,
        ranking: settings.ranking,
        // Pagefind's API lists every copy of a page.
        copies: !options.reading.keep_copies && options.pagefind.is_none(),
        rows_budget: (meaning.rows_budget as usize).saturating_mul(1 << 10),
        fit: !meaning.no_fit,
        // A single file is read as a whole, so cells would be useless in it.
        cells: shape.has_shards(),
        memory: options.memory / 2,
    }
}

/// Returns how sections are cut.
pub fn chunk_options(options: &Options) -> ChunkOptions {
    ChunkOptions {
        passage_words: options.sizes.passage_words,
        passage_overlap: options.sizes.passage_overlap,
        max_tokens: options.sizes.max_tokens,
        unit_overlap: options.sizes.token_overlap,
        ..ChunkOptions::default()
    }
}

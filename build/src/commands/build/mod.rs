//! `findling build`: builds a bundle from a site, Markdown or records.

mod watch;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::builder::RangedU64ValueParser;
use findling_encoder::static_table::StaticTable;
use serde::Serialize;

use crate::chunk::ChunkOptions;
use crate::embedding::Cache;
use crate::index::Deployed;
use crate::index::previous_build::PreviousBuild;
use crate::index::query_encoder::{self, Choice, Words};
use crate::index::retired_shards;
use crate::index::rows;
use crate::index::synonyms;
use crate::index::write::{self, Extra, Shape, Written};
use crate::index::{self, GRAPH_FROM, Job, Outcome, Stage, client};
use crate::models::static_table;
use crate::models::{self, BoxedEncoder, install, known};
use crate::page::Page;
use crate::ranking;
use crate::sources::boosts_and_pins::{Boost, Pins};
use crate::sources::{self, Format, MarkdownUrls, Problem, Severity};
use crate::ui::{Ui, bytes, count, thousands};
use watch::Watch;

/// The exit status of a build that left pages out because they could not be read.
const SOME_UNREADABLE: u8 = 3;

/// Builds a bundle from rendered HTML, Markdown or records
///
/// Reads every INPUT, embeds its sections, and writes to OUT all that a site deploys: the bundle
/// and, beside it, the client. Then `<script type="module"
/// src="/findling/findling-ui.js"></script>` and `<findling-search></findling-search>` put search
/// on a page (with OUT served as /findling/).
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Directories of rendered HTML or Markdown, files of records (.jsonl)
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// Where the bundle goes: a directory of its own, such as public/findling; a file with
    /// --single-file
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    sizes: Sizes,
    #[command(flatten)]
    meaning: Meaning,
    /// Make one file instead of many: OUT itself if its name ends in .findling, else
    /// bundle.findling in OUT
    #[arg(long, help_heading = "Output")]
    single_file: bool,
    /// Delete shards of earlier builds that have been out of use for so many days; until then
    /// readers who opened the site before go on finding them. 0 deletes them at once
    #[arg(long, value_name = "DAYS", help_heading = "Output", default_value_t = retired_shards::GRACE.as_secs() / 86_400)]
    prune: u64,
    /// Group vectors and fit the query encoder anew, instead of going on with what the bundle in
    /// OUT has, which keeps most of its files as they are; wanted after a change of --table
    #[arg(long, help_heading = "Output")]
    fresh: bool,
    /// Go on: build again whenever an input changes, until interrupted
    #[arg(long, help_heading = "Output", conflicts_with = "json")]
    watch: bool,
    /// Leave the client out: findling.js, its worker, the UI and WebAssembly
    #[arg(long, help_heading = "Output")]
    no_client: bool,
    /// A built client to deploy instead of the one in this program
    #[arg(long, value_name = "DIR", help_heading = "Output", conflicts_with = "no_client")]
    client: Option<PathBuf>,
    /// Threads to use; all cores unless told
    #[arg(short, long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    jobs: Option<usize>,
    /// Install the model if it is not there, without asking
    #[arg(short, long)]
    yes: bool,
    /// Print a report as JSON when done
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reading")]
struct Reading {
    /// Take every input as this, instead of finding out
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Put in front of every page's path: /docs/, https://example.org/
    #[arg(long, value_name = "URL", default_value = "")]
    base_url: String,
    /// What paths and URLs are relative to; the input itself unless told
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Keep index.html at the end of URLs
    #[arg(long)]
    keep_index_html: bool,
    /// How the site turns guide/start.md into a URL
    #[arg(long, value_enum, value_name = "STYLE", default_value = "directory")]
    markdown_urls: MarkdownUrls,
    /// Give pages the first component of their path as an attribute of this name, to filter and to
    /// spread by
    #[arg(long, value_name = "NAME")]
    attribute_from_path: Option<String>,
    /// Language of pages that do not say, such as en or pt-BR
    #[arg(long, value_name = "TAG")]
    language: Option<String>,
    /// Leave larger files out, and say so (megabytes)
    #[arg(long, value_name = "MB", default_value_t = 64)]
    max_file_size: u64,
    /// Leave out paths below the root, `*` standing for any part of a name: drafts, print*.html;
    /// may be given several times
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// A list of synonyms: `js, javascript` on a line for equivalents, `k8s => kubernetes` for one
    /// way
    #[arg(long, value_name = "FILE")]
    synonyms: Option<PathBuf>,
    /// How much pages below a path count, `*` standing for any part of a name: blog=0.5, old=0.2
    /// (buried), guide=1.5; may be given several times, the last that holds for a page counts,
    /// and a page's own search_boost instead of any
    #[arg(long, value_name = "PATTERN=FACTOR")]
    boost: Vec<Boost>,
    /// A list of pinned pages: `install, get started => guide/install.html` on a line makes that
    /// page the first answer to both
    #[arg(long, value_name = "FILE")]
    pins: Option<PathBuf>,
    /// Rank by the parameters that `findling eval --tune` has written; readers get them with the
    /// bundle
    #[arg(long, value_name = "FILE")]
    ranking: Option<PathBuf>,
    /// Do not make sections of entries of definition lists and tables that have an anchor
    #[arg(long)]
    no_definition_sections: bool,
    /// Show copies of a page (the same in several versions) each for itself, instead of one that
    /// stands for all
    #[arg(long)]
    keep_copies: bool,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Sizes")]
struct Sizes {
    /// Words of a passage, the unit of search by words; a section that would come in two is left
    /// whole
    #[arg(long, value_name = "N", default_value_t = 110, value_parser = RangedU64ValueParser::<usize>::new().range(10..=10_000))]
    passage_words: usize,
    /// Words that a passage repeats of the one before it
    #[arg(long, value_name = "N", default_value_t = 0)]
    passage_overlap: usize,
    /// Most tokens of what is embedded at once; the model's own limit holds besides
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = RangedU64ValueParser::<usize>::new().range(16..=32_768))]
    max_tokens: usize,
    /// Tokens that the parts of a long section repeat of the one before
    #[arg(long, value_name = "N", default_value_t = 0)]
    token_overlap: usize,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Meaning")]
struct Meaning {
    /// What embeds the documents: an installed model; static, the queries' own table, where no
    /// model can be had; hash (feature hashing, not semantic); or none (words alone)
    #[arg(long, value_name = "NAME", default_value = known::DEFAULT)]
    encoder: String,
    /// What embeds queries where the bundle is deployed
    #[arg(long, value_enum, value_name = "KIND", default_value = "auto")]
    query_encoder: Choice,
    /// A static query encoder's table made by `findling distill`, instead of the one shipped with
    /// this program
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Most bytes of the static query encoder's rows (kilobytes)
    #[arg(long, value_name = "KB", default_value_t = (rows::BUDGET >> 10) as u64)]
    rows_budget: u64,
    /// Cut the words of a transformer that readers load to those of the site and of general
    /// vocabulary, within so many kilobytes on the way; all of them (6,500 for
    /// all-minilm-l6-v2) unless told
    #[arg(long, value_name = "KB")]
    vocabulary_budget: Option<u64>,
    /// Adapt the static query encoder to the site, the default: it learns from the sections'
    /// vectors and from up to 12,000 spans of the site's text that the teacher embeds, and
    /// what is learned is kept where it helps on spans held out
    #[arg(long, overrides_with = "no_fit")]
    fit: bool,
    /// Do not adapt the static query encoder to the site
    #[arg(long)]
    no_fit: bool,
    /// Least number of vectors for which a graph is built
    #[arg(long, value_name = "N", default_value_t = GRAPH_FROM)]
    graph_from: usize,
    /// Where embeddings are kept for the next build; the user's cache directory unless told
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Neither read nor keep embeddings
    #[arg(long, conflicts_with = "cache")]
    no_cache: bool,
}

/// What `--encoder static` costs, as `docs/static-encoder.md` has it.
const STATIC_COST: &str =
    "nDCG@10 .611 on five judged sets, with the transformer .644, by words alone .597";

/// What `--json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    output: &'a Path,
    pages: u32,
    sections: u32,
    passages: u32,
    vectors: u32,
    terms: u32,
    unreadable: usize,
    truncated: usize,
    bundle_bytes: u64,
    files: u64,
    unchanged_files: u64,
    new_bytes: u64,
    retired_shards: u64,
    pruned_shards: u64,
    seconds: f64,
    stages: &'a [Stage],
}

/// Runs the command.
///
/// # Errors
/// Where nothing could be read, the model cannot be had, or the output cannot be written.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    let builds = || if args.watch { run_on(&args, ui) } else { run_once(&args, ui) };
    match args.jobs {
        None => builds(),
        Some(jobs) => rayon::ThreadPoolBuilder::new()
            .num_threads(jobs)
            .build()
            .context("the threads cannot be started")?
            .install(builds),
    }
}

/// Builds, and builds again whenever an input has changed. What is wrong with an input is said, and
/// mended by the writer.
fn run_on(args: &Args, ui: &Ui) -> Result<ExitCode> {
    let Reading { synonyms, pins, ranking, .. } = &args.reading;
    let inputs = args.inputs.iter().chain(synonyms).chain(pins).chain(ranking).cloned().collect();
    // What changes during a build is noticed after it.
    let mut watch = Watch::new(inputs, &args.output);
    run_once(args, ui)?;
    loop {
        ui.status(
            "Watching",
            format!("{}; interrupt to stop", count(args.inputs.len() as u64, "inputs")),
        );
        let changed = watch.wait();
        ui.status("Changed", changed.display());
        if let Err(error) = run_once(args, ui) {
            ui.error(&error);
        }
    }
}

fn run_once(args: &Args, ui: &Ui) -> Result<ExitCode> {
    let started = Instant::now();
    // All that can be refused is refused before the long work begins.
    let shape = shape(&args.output, args.single_file)?;
    write::check(&args.output, shape)?;
    for input in &args.inputs {
        std::fs::metadata(input)
            .with_context(|| format!("{}: there is no such input", input.display()))?;
    }
    let synonyms = match &args.reading.synonyms {
        None => Vec::new(),
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("{}: the synonyms cannot be read", path.display()))?;
            synonyms::parse(&text)
                .with_context(|| format!("{}: no list of synonyms", path.display()))?
        }
    };
    let pins = args.reading.pins.as_deref().map(Pins::read).transpose()?.unwrap_or_default();
    let ranking = match &args.reading.ranking {
        None => Vec::new(),
        Some(path) => {
            let setting = ranking::read(path)?;
            if setting == ranking::defaults() { Vec::new() } else { setting.to_vec() }
        }
    };
    let mut extras = client_files(args, shape, ui)?;
    let encoder = load_encoder(&args.meaning, args.yes, ui)?;
    let mut query_encoder = Choice::None;
    let mut table = None;
    if let Some(encoder) = &encoder {
        table = load_table(&args.meaning, encoder)?;
        // A file alone has nothing beside it.
        let choice = match (shape, args.meaning.query_encoder.decided(table.is_some())) {
            (Shape::FileAlone, Choice::Auto) if args.meaning.encoder != models::HASH => {
                Choice::None
            }
            (Shape::FileAlone, Choice::Transformer | Choice::Both) => bail!(
                "--query-encoder transformer and both: a single file has no model beside it; give a directory with --output, or use \
                 --query-encoder none"
            ),
            (_, Choice::Auto) if query_encoder::is_onnx(&args.meaning.encoder) => {
                ui.warn(format!(
                    "`{}` is an ONNX graph, which browsers are not given: there, queries are answered by words, or by the \
                     vectors that the host supplies",
                    args.meaning.encoder
                ));
                Choice::None
            }
            (_, choice) => choice,
        };
        query_encoder::check(choice, &args.meaning.encoder)?;
        table = table.filter(|_| choice.wants_static());
        query_encoder = choice;
    }
    if args.meaning.vocabulary_budget.is_some()
        && !query_encoder::has_files(query_encoder, &args.meaning.encoder)
    {
        bail!(
            "--vocabulary-budget: readers load no transformer whose words could be cut; use --query-encoder transformer or both"
        );
    }
    let cache = match &encoder {
        // A table is faster than reading what it once said.
        Some(encoder) if !args.meaning.no_cache && args.meaning.encoder != models::STATIC => {
            open_cache(&args.meaning, encoder, ui)
        }
        _ => None,
    };

    let parsing = Instant::now();
    let (pages, unreadable) = read(args, pins, ui)?;
    let parse = Stage::ended("parse", parsing, pages.len() as u64, "pages", ui);
    let options = index::Options {
        chunk: ChunkOptions {
            passage_words: args.sizes.passage_words,
            passage_overlap: args.sizes.passage_overlap,
            max_tokens: args.sizes.max_tokens,
            unit_overlap: args.sizes.token_overlap,
            ..ChunkOptions::default()
        },
        language: args.reading.language.clone(),
        graph_from: args.meaning.graph_from,
        synonyms,
        ranking,
        copies: !args.reading.keep_copies,
        rows_budget: (args.meaning.rows_budget as usize).saturating_mul(1 << 10),
        fit: !args.meaning.no_fit,
        // A single file is read whole.
        cells: shape == Shape::Directory,
    };
    if let (true, Some(encoder)) = (args.meaning.fit, &encoder)
        && !table.as_ref().is_some_and(|table| static_table::is_taught_by(table, encoder.card()))
    {
        ui.warn(
            "--fit: there is no static query encoder whose teacher embeds the documents; nothing is fitted",
        );
    }
    let earlier = if args.fresh { None } else { PreviousBuild::open(&args.output) };
    let words = args.meaning.vocabulary_budget.map(|budget| Words {
        texts: texts_of(&pages),
        budget: (budget as usize).saturating_mul(1 << 10),
        earlier: earlier.as_ref(),
    });
    let (query_encoders, files) =
        query_encoder::deploy(query_encoder, &args.meaning.encoder, words.as_ref(), ui)?;
    drop(words);
    extras.extend(files);
    let table = table.as_ref();
    let deployed = Deployed::at(&args.output);
    let job = Job {
        pages,
        encoder: encoder.as_ref(),
        cache,
        query_encoders,
        table,
        earlier,
        deployed,
        options,
    };
    let Outcome { bundle, mut stages, n_truncated } = index::build(job, ui)?;
    client::fit(&mut extras, &bundle.manifest.languages)?;
    stages.insert(0, parse);

    let writing = Instant::now();
    let grace = Duration::from_secs(args.prune.saturating_mul(86_400));
    let written = write::write(&args.output, shape, &bundle, &extras, grace)?;
    stages.push(Stage::ended("write", writing, written.bundle_bytes, "bytes", ui));

    if n_truncated > 0 {
        ui.warn(format!(
            "of {} embedding units only the beginning was embedded, since a line of theirs alone is longer than the model reads",
            thousands(n_truncated as u64)
        ));
    }
    let stats = &bundle.manifest.stats;
    let seconds = started.elapsed().as_secs_f64();
    ui.status("Built", summary(&args.output, stats, &written, seconds));
    if args.json {
        let report = Report {
            output: &args.output,
            pages: stats.n_pages,
            sections: stats.n_sections,
            passages: stats.n_passages,
            vectors: stats.n_vectors,
            terms: stats.n_terms,
            unreadable,
            truncated: n_truncated,
            bundle_bytes: written.bundle_bytes,
            files: written.n_files,
            unchanged_files: written.n_unchanged,
            new_bytes: written.new_bytes,
            retired_shards: written.n_retired,
            pruned_shards: written.n_pruned,
            seconds,
            stages: &stages,
        };
        println!("{}", serde_json::to_string_pretty(&report)?);
    }
    if unreadable > 0 {
        ui.warn(format!(
            "{} could not be read and {} left out",
            count(unreadable as u64, "files"),
            if unreadable == 1 { "is" } else { "are" }
        ));
        return Ok(ExitCode::from(SOME_UNREADABLE));
    }
    Ok(ExitCode::SUCCESS)
}

/// All that pages say.
fn texts_of(pages: &[Page]) -> Vec<&str> {
    let mut texts = Vec::new();
    for page in pages {
        texts.push(page.title.as_str());
        texts.extend(page.aliases.iter().chain(&page.pins).map(String::as_str));
        for section in &page.sections {
            texts.push(&section.heading);
            texts.extend(section.blocks.iter().map(|block| block.text.as_str()));
        }
    }
    texts
}

fn shape(output: &Path, single_file: bool) -> Result<Shape> {
    let named_as_file = output.extension().is_some_and(|extension| extension == "findling");
    match (single_file, named_as_file) {
        (true, true) => Ok(Shape::FileAlone),
        (true, false) => Ok(Shape::SingleFile),
        (false, false) => Ok(Shape::Directory),
        (false, true) => bail!(
            "--output {}: names that end in .findling are for single files; add --single-file, or give a directory",
            output.display()
        ),
    }
}

fn client_files(args: &Args, shape: Shape, ui: &Ui) -> Result<Vec<Extra>> {
    if args.no_client || shape == Shape::FileAlone {
        if args.client.is_some() {
            bail!(
                "--client: a single file has no client beside it; give a directory with --output"
            );
        }
        return Ok(Vec::new());
    }
    match client::files(args.client.as_deref()) {
        Ok(files) => Ok(files),
        // What was asked for must be there; what comes along unasked may be missing.
        Err(error) if args.client.is_some() => Err(error),
        Err(error) => {
            ui.warn(error);
            Ok(Vec::new())
        }
    }
}

/// The documents' encoder. A model that is missing is installed only where that was asked for or is
/// answered with yes.
fn load_encoder(meaning: &Meaning, yes: bool, ui: &Ui) -> Result<Option<BoxedEncoder>> {
    let name = meaning.encoder.as_str();
    if name == "none" {
        return Ok(None);
    }
    if name == models::STATIC {
        ui.warn(format!(
            "the documents are embedded by the static table, not by a transformer: search by meaning finds less \
             ({STATIC_COST}); install the model with `findling models install {}` and build without --encoder static",
            known::DEFAULT
        ));
        return Ok(Some(Box::new(read_table(meaning)?)));
    }
    let encoder = match models::load_encoder(name) {
        Err(error @ models::Error::NotInstalled { .. }) => {
            let size = known::find(name).map_or_else(String::new, |m| {
                format!(" ({}, {})", bytes(m.total_bytes()), m.licence)
            });
            if !yes
                && !ui
                    .confirm(&format!("The model `{name}`{size} is not installed. Install it now?"))
            {
                return Err(error).context(format!(
                    "the documents cannot be embedded without the model `{name}`; install it (--yes does so as part of the build), or \
                     choose --encoder static (finds less by meaning) or --encoder none (words alone)"
                ));
            }
            install::install(
                &models::Store::default_location()?,
                name,
                &install::Options::default(),
                ui,
            )?;
            models::load_encoder(name)?
        }
        other => other?,
    };
    if !encoder.card().semantic {
        ui.warn(format!(
            "`{name}` hashes words and knows no meaning: search will find the same words, not the same thing"
        ));
    }
    Ok(Some(encoder))
}

/// The static query encoder's table that goes with the documents' encoder; `None` where there is
/// none, which is an error only where one was asked for.
fn load_table(meaning: &Meaning, encoder: &BoxedEncoder) -> Result<Option<StaticTable>> {
    let asked = meaning.table.is_some() || meaning.query_encoder.wants_static();
    let table = read_table(meaning)?;
    if static_table::fits(&table, encoder.card()) {
        return Ok(Some(table));
    }
    if asked {
        bail!(
            "the static table was taught by `{}`, the documents are embedded by `{}`; queries must land in the same space: embed \
             the documents by the table's teacher, or teach a table with `findling distill --teacher {1}`",
            table.teacher().name,
            encoder.card().name
        );
    }
    Ok(None)
}

fn read_table(meaning: &Meaning) -> Result<StaticTable> {
    match &meaning.table {
        Some(path) => static_table::read(path),
        None => static_table::general(),
    }
}

/// A cache that cannot be had costs time, not the build.
fn open_cache(meaning: &Meaning, encoder: &BoxedEncoder, ui: &Ui) -> Option<Cache> {
    let Some(dir) = meaning.cache.clone().or_else(Cache::default_dir) else {
        ui.detail("no embedding cache: there is no home directory; --cache DIR names one");
        return None;
    };
    match Cache::open(&dir, encoder.card()) {
        Ok(cache) => {
            ui.detail(format!(
                "{} with {} embeddings",
                cache.path().display(),
                thousands(cache.len() as u64)
            ));
            Some(cache)
        }
        Err(error) => {
            ui.warn(format!(
                "the embedding cache {} cannot be used: {error}; --cache DIR names another",
                dir.display()
            ));
            None
        }
    }
}

/// All pages, and how many files could not be read.
fn read(args: &Args, pins: Pins, ui: &Ui) -> Result<(Vec<Page>, usize)> {
    let reading = &args.reading;
    let options = sources::Options {
        format: reading.format,
        base_url: reading.base_url.clone(),
        root: reading.root.clone(),
        keep_index_html: reading.keep_index_html,
        markdown_urls: reading.markdown_urls,
        attribute_from_path: reading.attribute_from_path.clone(),
        language: reading.language.clone(),
        max_file_bytes: reading.max_file_size.saturating_mul(1 << 20),
        definition_sections: !reading.no_definition_sections,
        exclude: reading.exclude.clone(),
        boosts: reading.boost.clone(),
        pins,
        trace: false,
    };
    let mut unreadable = 0;
    let pages = sources::read(&args.inputs, &options, &mut |problem: Problem| {
        let place = match problem.line {
            Some(line) => format!("{}:{line}", problem.path.display()),
            None => problem.path.display().to_string(),
        };
        match problem.severity {
            Severity::Skipped => ui.detail(format!("{place}: passed over: {}", problem.reason)),
            Severity::Warning => ui.warn(format!("{place}: {}", problem.reason)),
            Severity::Error => {
                unreadable += 1;
                ui.warn(format!("{place}: {}", problem.reason));
            }
        }
    });
    if pages.is_empty() {
        let inputs: Vec<String> =
            args.inputs.iter().map(|input| input.display().to_string()).collect();
        bail!(
            "no page found in {}; expected .html, .md or .jsonl files{}",
            inputs.join(", "),
            if unreadable > 0 { " that can be read" } else { "" }
        );
    }
    Ok((pages, unreadable))
}

fn summary(
    output: &Path,
    stats: &findling_bundle::Stats,
    written: &Written,
    seconds: f64,
) -> String {
    let unchanged = match written.n_unchanged {
        0 => String::new(),
        n => format!(
            ", {} of {} as they were, {} new",
            thousands(n),
            count(written.n_files, "files"),
            bytes(written.new_bytes)
        ),
    };
    format!(
        "{}: {}, {}, {}{unchanged}, in {seconds:.1} s",
        output.display(),
        count(stats.n_pages.into(), "pages"),
        count(stats.n_sections.into(), "sections"),
        bytes(written.bundle_bytes)
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser;

    use super::*;
    use crate::bundle_files::BundleFiles;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn build(args: &[&str]) -> Result<ExitCode> {
        let cli = Cli::try_parse_from(std::iter::once("build").chain(args.iter().copied()))?;
        run(cli.args, &Ui::silent())
    }

    fn site(dir: &Path) -> PathBuf {
        let site = dir.join("site");
        for (path, title, text) in [
            (
                "book/index.html",
                "The Book",
                "<p>Ownership and borrowing.</p><h2 id=threads>Threads</h2><p>A mutex guards data.</p>",
            ),
            ("book/ch01.html", "Getting started", "<p>Install the toolchain.</p>"),
            ("cargo/index.html", "Cargo", "<p>The package manager.</p>"),
        ] {
            let file = site.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(
                file,
                format!(
                    "<html lang=en><title>{title}</title><main><h1>{title}</h1>{text}</main></html>"
                ),
            )
            .unwrap();
        }
        site
    }

    fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files: Vec<_> = walkdir::WalkDir::new(dir)
            .into_iter()
            .flatten()
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| {
                (
                    entry.path().strip_prefix(dir).unwrap().to_owned(),
                    fs::read(entry.path()).unwrap(),
                )
            })
            .collect();
        files.sort();
        files
    }

    #[test]
    fn building_twice_gives_the_same_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let (site, cache) = (site(dir.path()), dir.path().join("cache"));
        let (site, cache) = (site.to_str().unwrap(), cache.to_str().unwrap());
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        for (out, rest) in
            [(&a, ["--cache", cache]), (&b, ["--jobs", "1"]), (&a, ["--cache", cache])]
        {
            let out = out.to_str().unwrap();
            let mut args = vec![
                site,
                "-o",
                out,
                "--encoder",
                "hash",
                "--no-client",
                "--attribute-from-path",
                "book",
            ];
            args.extend(rest);
            if rest[0] == "--jobs" {
                args.push("--no-cache");
            }
            assert_eq!(build(&args).unwrap(), ExitCode::SUCCESS);
        }
        assert!(files(&a) == files(&b));
        let manifest = BundleFiles::open(&a).unwrap().manifest().clone();
        assert_eq!(manifest.stats.n_pages, 3);
        assert_eq!(
            manifest.attributes.iter().map(|a| a.name.as_str()).collect::<Vec<_>>(),
            ["book"]
        );
        assert_eq!(manifest.dense.unwrap().query_encoders[0].kind, "hash");
    }

    #[test]
    fn what_cannot_be_read_shows_in_the_exit_status() {
        let dir = tempfile::tempdir().unwrap();
        let site = site(dir.path());
        fs::write(site.join("huge.html"), vec![b' '; 3 << 20]).unwrap();
        let out = dir.path().join("out");
        let args = [
            site.to_str().unwrap(),
            "-o",
            out.to_str().unwrap(),
            "--encoder",
            "none",
            "--no-client",
            "--max-file-size",
            "2",
        ];
        assert_eq!(build(&args).unwrap(), ExitCode::from(SOME_UNREADABLE));
        assert!(out.join("findling.idx").is_file());
    }

    #[test]
    fn what_cannot_work_is_refused_before_the_work() {
        let dir = tempfile::tempdir().unwrap();
        let site = site(dir.path());
        let site_str = site.to_str().unwrap();
        let out = dir.path().join("out");
        let out = out.to_str().unwrap();
        let refused = |args: &[&str], why: &str| {
            let mut all = vec!["--encoder", "none", "--no-client"];
            all.extend(args);
            let error = format!("{:#}", build(&all).unwrap_err());
            assert!(error.contains(why), "{error}");
        };
        refused(&["nowhere", "-o", out], "no such input");
        refused(&[site_str, "-o", site_str], "found other files");
        refused(&[site_str, "-o", "x.findling"], "--single-file");
        fs::create_dir_all(dir.path().join("empty")).unwrap();
        refused(&[dir.path().join("empty").to_str().unwrap(), "-o", out], "no page found");
        assert!(!Path::new(out).exists());
    }

    #[test]
    fn single_files_open_like_directories() {
        let dir = tempfile::tempdir().unwrap();
        let site = site(dir.path());
        let alone = dir.path().join("site.findling");
        let inside = dir.path().join("out");
        for out in [&alone, &inside] {
            let args = [
                site.to_str().unwrap(),
                "-o",
                out.to_str().unwrap(),
                "--encoder",
                "hash",
                "--no-cache",
                "--no-client",
                "--single-file",
            ];
            build(&args).unwrap();
        }
        let (alone, inside) =
            (BundleFiles::open(&alone).unwrap(), BundleFiles::open(&inside).unwrap());
        assert!(alone.is_single_file() && inside.is_single_file());
        assert_eq!(alone.manifest(), inside.manifest());
    }

    #[test]
    fn the_client_comes_along() {
        let dir = tempfile::tempdir().unwrap();
        let (site, client, out) =
            (site(dir.path()), dir.path().join("client"), dir.path().join("out"));
        fs::create_dir_all(&client).unwrap();
        fs::write(client.join("findling.js"), "client").unwrap();
        let args = [
            site.to_str().unwrap(),
            "-o",
            out.to_str().unwrap(),
            "--encoder",
            "none",
            "--client",
            client.to_str().unwrap(),
        ];
        build(&args).unwrap();
        assert_eq!(fs::read(out.join("findling.js")).unwrap(), b"client");
    }
}

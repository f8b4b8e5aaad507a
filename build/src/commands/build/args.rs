//! Arguments of `findling build`.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Context;
use clap::builder::RangedU64ValueParser;
use clap::{Args as _, FromArgMatches};
use serde::{Deserialize, Serialize};

use super::hosting::Hosting;
use crate::commands::format_values::{formats, markdown_urls};
use crate::commands::ocr::OcrArgs;
use crate::commands::run_args::RunArgs;
use crate::index::{retired_shards, rows};
use crate::models;
use crate::query_encoder::Choice;
use crate::scratch;
use crate::sources::boosts_and_pins::Boost;
use crate::sources::share::Share;
use crate::sources::{Format, MarkdownUrls};

/// The default of `--memory`, in MB.
pub(in crate::commands) const MEMORY: u64 = 2 * (scratch::BUDGET >> 20);

/// The text of `--help`. In a comment of [`Args`] the lines of HTML would be taken for code in
/// Rust.
const LONG_ABOUT: &str = "\
Build a search bundle from HTML, Markdown, JSONL records, source code, conversations or papers

Reads every INPUT, embeds its sections, and writes the bundle and the web client to OUT. Deploy \
OUT with the site, for example as /findling/. These two lines then put search on a page:

    <script type=\"module\" src=\"/findling/findling-ui.js\"></script>
    <findling-search></findling-search>";

/// Build a search bundle from HTML, Markdown, JSONL records, source code, conversations or papers
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT)]
pub struct Args {
    /// Directories of rendered HTML, Markdown, source code, conversations or papers, or files of
    /// JSONL records; or tables that `findling sections` and `findling embed` wrote (Parquet)
    #[arg(required = true)]
    pub(super) inputs: Vec<PathBuf>,
    /// Output: a directory used for nothing else, such as public/findling. With --single-file
    /// also a file whose name ends in .findling. With --pagefind by default INPUT/pagefind
    #[arg(
        short,
        long,
        value_name = "OUT",
        required_unless_present_any = ["pagefind", "single_page"]
    )]
    output: Option<PathBuf>,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) sizes: Sizes,
    #[command(flatten)]
    pub(super) meaning: Meaning,
    /// Write one file instead of many: OUT if its name ends in .findling, otherwise
    /// OUT/bundle.findling
    #[arg(long, help_heading = "Output")]
    pub(super) single_file: bool,
    /// Write one file that needs no server and fetches nothing, for documentation that is opened
    /// from a disk: a page with the search if FILE ends in .html, a script that gives pages the
    /// search box if it ends in .js. Results link to the site by paths relative to FILE
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Output",
        conflicts_with_all = ["output", "single_file", "pagefind", "no_client"]
    )]
    pub(super) single_page: Option<PathBuf>,
    /// Where the bundle will be: whether shards are packed into few files, of which browsers fetch
    /// ranges, how large these may be, and which file of headers is written to the site
    #[arg(long, value_enum, value_name = "HOST", help_heading = "Output", default_value = "auto")]
    pub(super) host: Hosting,
    /// Keep unused shards of earlier builds for this many days, so that readers who opened the
    /// site before the deployment can still search. 0 deletes them at once
    #[arg(
        long,
        value_name = "DAYS",
        help_heading = "Output",
        default_value_t = retired_shards::GRACE.as_secs() / 86_400
    )]
    pub(super) prune: u64,
    /// Ignore the previous build in OUT: learn cells and fitted rows anew, and pack all shards
    /// anew. By default they are reused, so that most files stay unchanged. Use this after a change
    /// of --table
    #[arg(long, help_heading = "Output")]
    pub(super) fresh: bool,
    /// Read and embed only share I of N of the inputs' files and write it to OUT, a file. `findling
    /// merge` joins all parts, which can be built on several machines, to the bundle that one
    /// build writes
    #[arg(
        long,
        value_name = "I/N",
        help_heading = "Output",
        conflicts_with_all = [
            "single_file", "single_page", "pagefind", "watch", "agents", "client", "json", "host"
        ]
    )]
    pub(super) part: Option<Share>,
    /// Memory in MB for texts and terms. What is beyond it waits in a temporary file, so that a
    /// large site needs less. What is computed of all pages, such as vectors, comes on top
    #[arg(long, value_name = "MB", help_heading = "Output", default_value_t = MEMORY)]
    memory: u64,
    /// Build again whenever an input changes, until interrupted
    #[arg(long, help_heading = "Output", conflicts_with = "json")]
    pub(super) watch: bool,
    /// Do not write the web client (scripts and WebAssembly)
    #[arg(long, help_heading = "Output")]
    pub(super) no_client: bool,
    /// Write the web client from this directory instead of the one in this program
    #[arg(long, value_name = "DIR", help_heading = "Output", conflicts_with = "no_client")]
    pub(super) client: Option<PathBuf>,
    /// Write pagefind.js as well, which has Pagefind's JavaScript API, and read INPUT, a site of
    /// rendered HTML, by Pagefind's rules
    #[arg(
        long,
        help_heading = "Pagefind",
        conflicts_with_all = ["single_file", "format", "root"]
    )]
    pub(super) pagefind: bool,
    /// Write Pagefind's own user interfaces from this directory: what its files pagefind-ui.js,
    /// pagefind-ui.css and so on are in
    #[arg(long, value_name = "DIR", help_heading = "Pagefind", requires = "pagefind")]
    pub(super) pagefind_ui: Option<PathBuf>,
    /// Also write a page that searches the bundle and shows scores, to playground/ in the output
    #[arg(long, help_heading = "Pagefind", requires = "pagefind")]
    pub(super) pagefind_playground: bool,
    /// Also write files for assistants below this directory, the root of the deployed site:
    /// llms.txt, llms-full.txt, and Markdown beside every page. A file that another program wrote
    /// stays
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(super) agents: Option<PathBuf>,
    /// Also insert a link to its Markdown into the head of each HTML page below the directory of
    /// --agents. The rest of a page stays
    #[arg(long, help_heading = "Output", requires = "agents")]
    pub(super) agents_links: bool,
    #[command(flatten)]
    pub(super) running: RunArgs,
    /// Print a report as JSON at the end
    #[arg(long)]
    pub(super) json: bool,
}

impl Args {
    /// Returns the bytes of memory for texts, and for terms. Both are in memory at the same time.
    pub(super) fn memory_each(&self) -> u64 {
        self.memory.saturating_mul(1 << 20) / 2
    }

    /// Returns the arguments of a command line without the name of the command.
    ///
    /// # Errors
    /// If the command line is not one of `findling build`.
    pub fn parse(arguments: Vec<OsString>) -> Result<Self, clap::Error> {
        let command = Self::augment_args(clap::Command::new("build")).no_binary_name(true);
        Self::from_arg_matches(&command.try_get_matches_from(arguments)?)
    }

    /// Runs `work` with as many threads as are asked for.
    ///
    /// # Errors
    /// If they cannot be started, and those of `work`.
    pub(super) fn in_threads<T: Send>(
        &self,
        work: impl FnOnce() -> anyhow::Result<T> + Send,
    ) -> anyhow::Result<T> {
        let Some(jobs) = self.running.jobs else { return work() };
        let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
        threads.context("cannot start the threads")?.install(work)
    }

    /// Returns where the bundle goes.
    pub(super) fn output(&self) -> PathBuf {
        match (self.output.as_ref().or(self.single_page.as_ref()), self.inputs.first()) {
            (Some(output), _) => output.clone(),
            (None, Some(input)) => input.join("pagefind"),
            (None, None) => PathBuf::from("pagefind"),
        }
    }
}

/// How inputs are read.
#[derive(Debug, clap::Args, Serialize, Deserialize)]
#[command(next_help_heading = "Reading")]
pub struct Reading {
    /// Format of every input [default: detected]
    #[arg(long, value_parser = formats())]
    pub(super) format: Option<Format>,
    /// Prefix of every page's address, such as /docs/ or https://example.org/
    #[arg(long, value_name = "URL", default_value = "")]
    pub(super) base_url: String,
    /// Directory that paths and addresses are relative to [default: the input]
    #[arg(long, value_name = "DIR")]
    #[serde(skip)]
    pub(super) root: Option<PathBuf>,
    /// Keep index.html at the end of addresses
    #[arg(long)]
    pub(super) keep_index_html: bool,
    /// How the site turns guide/start.md into an address
    #[arg(long, value_parser = markdown_urls(), value_name = "STYLE", default_value = "directory")]
    pub(super) markdown_urls: MarkdownUrls,
    /// Store the first component of each page's path as an attribute with this name, for filters
    /// and for --spread
    #[arg(long, value_name = "NAME")]
    pub(super) attribute_from_path: Option<String>,
    /// Language of pages that declare none, such as en or pt-BR
    #[arg(long, value_name = "TAG")]
    pub(super) language: Option<String>,
    /// Skip larger files, with a warning (megabytes)
    #[arg(long, value_name = "MB", default_value_t = 64)]
    pub(super) max_file_size: u64,
    /// Skip files that take longer to parse, with a warning; a file has a second more for each
    /// megabyte (seconds)
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    #[serde(default = "max_file_seconds")]
    pub(super) max_file_seconds: u64,
    /// Follow links that lead out of the inputs, but never into /proc, /sys or /dev. Links within
    /// the inputs are always followed
    #[arg(long)]
    #[serde(default)]
    pub(super) follow_links: bool,
    /// Skip paths below the root that match, such as drafts or print*.html; * matches any part of
    /// a name. Repeatable
    #[arg(long, value_name = "PATTERN")]
    pub(super) exclude: Vec<String>,
    /// File of synonyms. A line `js, javascript` makes two words equivalent; a line
    /// `k8s => kubernetes` applies in one direction
    #[arg(long, value_name = "FILE")]
    pub(super) synonyms: Option<PathBuf>,
    /// Multiply the scores of pages below a path: blog=0.5, old=0.2, guide=1.5; * matches any part
    /// of a name. Repeatable: the last match applies, and a page's own search_boost overrides it
    #[arg(long, value_name = "PATTERN=FACTOR")]
    pub(super) boost: Vec<Boost>,
    /// File of pinned pages. A line `install, get started => guide/install.html` makes that page
    /// the first result of both queries
    #[arg(long, value_name = "FILE")]
    pub(super) pins: Option<PathBuf>,
    /// File of ranking parameters that `findling eval --tune` wrote. They become part of the
    /// bundle
    #[arg(long, value_name = "FILE")]
    pub(super) ranking: Option<PathBuf>,
    /// Do not make sections of definition list entries and table rows that have an anchor
    #[arg(long)]
    pub(super) no_definition_sections: bool,
    /// Index what tools returned in conversations, not only what people and assistants say
    #[arg(long)]
    pub(super) tool_output: bool,
    /// TOML file that names the fields of messages in conversations of other programs: messages,
    /// role, text, time, session, title, project
    #[arg(long, value_name = "FILE")]
    pub(super) chat_fields: Option<PathBuf>,
    /// Index the lists of references of papers, too
    #[arg(long)]
    pub(super) references: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) ocr: OcrArgs,
    /// Show every copy of a page (the same page in several versions) instead of one for all
    #[arg(long)]
    pub(super) keep_copies: bool,
}

/// Returns the default of `--max-file-seconds`, for arguments that were written down without it.
fn max_file_seconds() -> u64 {
    120
}

/// Sizes of passages and embedding units.
#[derive(Debug, clap::Args, Serialize, Deserialize)]
#[command(next_help_heading = "Sizes")]
pub struct Sizes {
    /// Words per passage, the unit of search by words. A section that would give only two passages
    /// stays whole
    #[arg(
        long,
        value_name = "N",
        default_value_t = 110,
        value_parser = RangedU64ValueParser::<usize>::new().range(10..=10_000)
    )]
    pub(super) passage_words: usize,
    /// Words that a passage repeats from the one before it
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) passage_overlap: usize,
    /// Largest number of tokens per embedding unit; the model's own limit also applies
    #[arg(
        long,
        value_name = "N",
        default_value_t = 256,
        value_parser = RangedU64ValueParser::<usize>::new().range(16..=32_768)
    )]
    pub(super) max_tokens: usize,
    /// Tokens that a unit of a long section repeats from the one before it
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) token_overlap: usize,
}

/// How documents and queries are embedded.
#[derive(Debug, clap::Args, Serialize, Deserialize)]
#[command(next_help_heading = "Meaning")]
pub struct Meaning {
    /// Encoder of the documents: static (the table in this program, needs no model); an installed
    /// model (better results); hash (feature hashing, not semantic); or none (search by words only)
    /// [default: static]
    #[arg(long, value_name = "NAME")]
    #[serde(default, serialize_with = "named_encoder")]
    pub(super) encoder: Option<String>,
    /// Encoder of queries on the deployed site
    #[arg(long, value_enum, value_name = "KIND", default_value = "auto")]
    pub(super) query_encoder: Choice,
    /// Table of the static encoder, written by `findling distill` [default: the table in this
    /// program]
    #[arg(long, value_name = "FILE")]
    pub(super) table: Option<PathBuf>,
    /// Largest size of the static encoder's rows in the bundle (kilobytes)
    #[arg(long, value_name = "KB", default_value_t = (rows::BUDGET >> 10) as u64)]
    pub(super) rows_budget: u64,
    /// Shrink the deployed transformer's vocabulary to the site's words and general ones, so that
    /// the vocabulary's download is at most this many kilobytes [default: no limit, 6,500 for
    /// all-minilm-l6-v2]
    #[arg(long, value_name = "KB")]
    pub(super) vocabulary_budget: Option<u64>,
    /// Fit the static encoder to the site (the default). It learns from the sections' vectors and
    /// from up to 12,000 short spans of text that the model embeds; the result is kept if it
    /// ranks held-out spans better
    #[arg(long, overrides_with = "no_fit")]
    pub(super) fit: bool,
    /// Do not fit the static encoder to the site
    #[arg(long)]
    pub(super) no_fit: bool,
    /// Smallest number of vectors for which a nearest-neighbour graph is built [default: 20000, and
    /// none for more than 400000]
    #[arg(long, value_name = "N")]
    pub(super) graph_from: Option<usize>,
    /// Most vectors whose cells the centroids list, for tests of large sites
    #[arg(long, value_name = "N", hide = true)]
    pub(super) most_listed: Option<u32>,
    /// Directory in which embeddings are kept for later builds [default: the user's cache
    /// directory]
    #[arg(long, value_name = "DIR")]
    #[serde(skip)]
    pub(super) cache: Option<PathBuf>,
    /// Neither read nor keep cached embeddings
    #[arg(long, conflicts_with = "cache")]
    #[serde(skip)]
    pub(super) no_cache: bool,
}

impl Meaning {
    /// Returns the encoder of the documents. It does not depend on what is installed, so that the
    /// same command writes the same bytes on every machine.
    pub(super) fn encoder(&self) -> &str {
        self.encoder.as_deref().unwrap_or(models::STATIC)
    }
}

/// Serializes the encoder by its name: parts with the default agree with parts that name it.
fn named_encoder<S: serde::Serializer>(
    encoder: &Option<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(encoder.as_deref().unwrap_or(models::STATIC))
}

//! Arguments of `findling build`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::RangedU64ValueParser;

use crate::commands::format_values::{formats, hosts, markdown_urls, query_encoders};
use crate::commands::ocr::OcrArgs;
use crate::commands::run_args::RunArgs;
use crate::index::{retired_shards, rows};
use crate::query_encoder::Choice;
use crate::site::{
    Assistants, Client, Discovery, Form, Hosting, MAX_FILE_SECONDS, MAX_FILE_SIZE, MEMORY, Meaning,
    Options, Pagefind, Reading, Sizes,
};
use crate::sources::boosts_and_pins::Boost;
use crate::sources::share::Share;
use crate::sources::{Format, MarkdownUrls};

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
    inputs: Vec<PathBuf>,
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
    reading: ReadingArgs,
    #[command(flatten)]
    sizes: SizesArgs,
    #[command(flatten)]
    meaning: MeaningArgs,
    /// Write one file instead of many: OUT if its name ends in .findling, otherwise
    /// OUT/bundle.findling
    #[arg(long, help_heading = "Output")]
    single_file: bool,
    /// Write one file that needs no server and fetches nothing, for documentation that is opened
    /// from a disk: a page with the search if FILE ends in .html, a script that gives pages the
    /// search box if it ends in .js. Results link to the site by paths relative to FILE
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Output",
        conflicts_with_all = ["output", "single_file", "pagefind", "no_client"]
    )]
    single_page: Option<PathBuf>,
    /// Where the bundle will be: whether shards are packed into few files, of which browsers fetch
    /// ranges, how large these may be, and which file of headers is written to the site
    #[arg(
        long,
        value_parser = hosts(),
        value_name = "HOST",
        help_heading = "Output",
        default_value = "auto"
    )]
    host: Hosting,
    /// Keep unused shards of earlier builds for this many days, so that readers who opened the
    /// site before the deployment can still search. 0 deletes them at once
    #[arg(
        long,
        value_name = "DAYS",
        help_heading = "Output",
        default_value_t = retired_shards::GRACE.as_secs() / 86_400
    )]
    prune: u64,
    /// Ignore the previous build in OUT: learn cells and fitted rows anew, and pack all shards
    /// anew. By default they are reused, so that most files stay unchanged. Use this after a change
    /// of --table
    #[arg(long, help_heading = "Output")]
    fresh: bool,
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
    #[arg(long, value_name = "MB", help_heading = "Output", default_value_t = MEMORY >> 20)]
    memory: u64,
    /// Build again whenever an input changes, until interrupted
    #[arg(long, help_heading = "Output", conflicts_with = "json")]
    pub(super) watch: bool,
    /// Do not write the web client (scripts and WebAssembly)
    #[arg(long, help_heading = "Output")]
    no_client: bool,
    /// Write the web client from this directory instead of the one in this program
    #[arg(long, value_name = "DIR", help_heading = "Output", conflicts_with = "no_client")]
    client: Option<PathBuf>,
    /// Write pagefind.js as well, which has Pagefind's JavaScript API, and read INPUT, a site of
    /// rendered HTML, by Pagefind's rules
    #[arg(
        long,
        help_heading = "Pagefind",
        conflicts_with_all = ["single_file", "format", "root"]
    )]
    pagefind: bool,
    /// Write Pagefind's own user interfaces from this directory: what its files pagefind-ui.js,
    /// pagefind-ui.css and so on are in
    #[arg(long, value_name = "DIR", help_heading = "Pagefind", requires = "pagefind")]
    pagefind_ui: Option<PathBuf>,
    /// Also write a page that searches the bundle and shows scores, to playground/ in the output
    #[arg(long, help_heading = "Pagefind", requires = "pagefind")]
    pagefind_playground: bool,
    /// Also write files for assistants below this directory, the root of the deployed site:
    /// llms.txt, llms-full.txt, and Markdown beside every page. A file that another program wrote
    /// stays
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    agents: Option<PathBuf>,
    /// Also insert a link to its Markdown into the head of each HTML page below the directory of
    /// --agents. The rest of a page stays
    #[arg(long, help_heading = "Output", requires = "agents")]
    agents_links: bool,
    #[command(flatten)]
    discovery: DiscoveryArgs,
    #[command(flatten)]
    running: RunArgs,
    /// Print a report as JSON at the end
    #[arg(long)]
    pub(super) json: bool,
}

impl From<Args> for Options {
    fn from(args: Args) -> Self {
        let output = match (args.output.as_ref().or(args.single_page.as_ref()), args.inputs.first())
        {
            (Some(output), _) => output.clone(),
            (None, Some(input)) => input.join("pagefind"),
            (None, None) => PathBuf::from("pagefind"),
        };
        let form = match (args.single_page.is_some(), args.single_file) {
            (true, _) => Form::SinglePage,
            (false, true) => Form::SingleFile,
            (false, false) => Form::Files,
        };
        let pagefind = Pagefind { ui: args.pagefind_ui, playground: args.pagefind_playground };
        let links = args.agents_links;
        Self {
            inputs: args.inputs,
            output,
            form,
            host: args.host,
            grace: Duration::from_secs(args.prune.saturating_mul(86_400)),
            fresh: args.fresh,
            reading: args.reading.into(),
            sizes: args.sizes.into(),
            meaning: args.meaning.into(),
            client: client(args.no_client, args.client),
            pagefind: args.pagefind.then_some(pagefind),
            assistants: args.agents.map(|directory| Assistants { directory, links }),
            discovery: args.discovery.into(),
            memory: args.memory.saturating_mul(1 << 20),
            threads: args.running.jobs,
            install: args.running.yes,
            ..Self::default()
        }
    }
}

/// Returns the client that `--no-client` and `--client` say.
pub(in crate::commands) fn client(none: bool, directory: Option<PathBuf>) -> Client {
    match (none, directory) {
        (true, _) => Client::None,
        (false, Some(directory)) => Client::Directory(directory),
        (false, None) => Client::BuiltIn,
    }
}

/// How browsers and programs find the search.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct DiscoveryArgs {
    /// Also write findling.json and .well-known/findling.json below this directory, the root of the
    /// deployed site: the list by which programs find the bundle. A file that another program
    /// wrote stays, and bundles of other builds stay in the list
    #[arg(long, value_name = "DIR", conflicts_with_all = ["single_page", "part"])]
    discovery: Option<PathBuf>,
    /// Also write opensearch.xml there, by which address bars of browsers search. URL is the whole
    /// address of a page that searches for the query in its parameter q, such as
    /// https://example.org/search/
    #[arg(long, value_name = "URL", requires = "discovery")]
    search_page: Option<String>,
    /// Name of the site in these files [default: the title of its front page]
    #[arg(long, value_name = "NAME", requires = "discovery")]
    site_name: Option<String>,
}

impl From<DiscoveryArgs> for Option<Discovery> {
    fn from(args: DiscoveryArgs) -> Self {
        let DiscoveryArgs { discovery, search_page, site_name } = args;
        discovery.map(|directory| Discovery { directory, search_page, title: site_name })
    }
}

/// How inputs are read.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadingArgs {
    /// Format of every input [default: detected]
    #[arg(long, value_parser = formats())]
    format: Option<Format>,
    /// Prefix of every page's address, such as /docs/ or https://example.org/
    #[arg(long, value_name = "URL", default_value = "")]
    base_url: String,
    /// Directory that paths and addresses are relative to [default: the input]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Keep index.html at the end of addresses
    #[arg(long)]
    keep_index_html: bool,
    /// How the site turns guide/start.md into an address
    #[arg(long, value_parser = markdown_urls(), value_name = "STYLE", default_value = "directory")]
    markdown_urls: MarkdownUrls,
    /// Store the first component of each page's path as an attribute with this name, for filters
    /// and for --spread
    #[arg(long, value_name = "NAME")]
    attribute_from_path: Option<String>,
    /// Language of pages that declare none, such as en or pt-BR
    #[arg(long, value_name = "TAG")]
    language: Option<String>,
    /// Skip larger files, with a warning (megabytes)
    #[arg(long, value_name = "MB", default_value_t = MAX_FILE_SIZE)]
    max_file_size: u64,
    /// Skip files that take longer to parse, with a warning; a file has a second more for each
    /// megabyte (seconds)
    #[arg(long, value_name = "SECONDS", default_value_t = MAX_FILE_SECONDS)]
    max_file_seconds: u64,
    /// Follow links that lead out of the inputs, but never into /proc, /sys or /dev. Links within
    /// the inputs are always followed
    #[arg(long)]
    follow_links: bool,
    /// Skip paths below the root that match, such as drafts or print*.html; * matches any part of
    /// a name. Repeatable
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// File of synonyms. A line `js, javascript` makes two words equivalent; a line
    /// `k8s => kubernetes` applies in one direction
    #[arg(long, value_name = "FILE")]
    synonyms: Option<PathBuf>,
    /// Multiply the scores of pages below a path: blog=0.5, old=0.2, guide=1.5; * matches any part
    /// of a name. Repeatable: the last match applies, and a page's own search_boost overrides it
    #[arg(long, value_name = "PATTERN=FACTOR")]
    boost: Vec<Boost>,
    /// File of pinned pages. A line `install, get started => guide/install.html` makes that page
    /// the first result of both queries
    #[arg(long, value_name = "FILE")]
    pins: Option<PathBuf>,
    /// File of ranking parameters that `findling eval --tune` wrote. They become part of the
    /// bundle
    #[arg(long, value_name = "FILE")]
    ranking: Option<PathBuf>,
    /// Do not make sections of definition list entries and table rows that have an anchor
    #[arg(long)]
    no_definition_sections: bool,
    /// Index what tools returned in conversations, not only what people and assistants say
    #[arg(long)]
    tool_output: bool,
    /// TOML file that names the fields of messages in conversations of other programs: messages,
    /// role, text, time, session, title, project
    #[arg(long, value_name = "FILE")]
    chat_fields: Option<PathBuf>,
    /// Index the lists of references of papers, too
    #[arg(long)]
    references: bool,
    #[command(flatten)]
    ocr: OcrArgs,
    /// Show every copy of a page (the same page in several versions) instead of one for all
    #[arg(long)]
    keep_copies: bool,
}

impl From<ReadingArgs> for Reading {
    fn from(args: ReadingArgs) -> Self {
        Self {
            format: args.format,
            base_url: args.base_url,
            root: args.root,
            keep_index_html: args.keep_index_html,
            markdown_urls: args.markdown_urls,
            attribute_from_path: args.attribute_from_path,
            language: args.language,
            max_file_size: args.max_file_size,
            max_file_seconds: args.max_file_seconds,
            follow_links: args.follow_links,
            exclude: args.exclude,
            synonyms: args.synonyms,
            boost: args.boost,
            pins: args.pins,
            ranking: args.ranking,
            no_definition_sections: args.no_definition_sections,
            tool_output: args.tool_output,
            chat_fields: args.chat_fields,
            references: args.references,
            ocr: args.ocr.into_languages(),
            keep_copies: args.keep_copies,
        }
    }
}

/// Sizes of passages and embedding units.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Sizes")]
pub struct SizesArgs {
    /// Words per passage, the unit of search by words. A section that would give only two passages
    /// stays whole
    #[arg(
        long,
        value_name = "N",
        default_value_t = 110,
        value_parser = RangedU64ValueParser::<usize>::new().range(10..=10_000)
    )]
    passage_words: usize,
    /// Words that a passage repeats from the one before it
    #[arg(long, value_name = "N", default_value_t = 0)]
    passage_overlap: usize,
    /// Largest number of tokens per embedding unit; the model's own limit also applies
    #[arg(
        long,
        value_name = "N",
        default_value_t = 256,
        value_parser = RangedU64ValueParser::<usize>::new().range(16..=32_768)
    )]
    max_tokens: usize,
    /// Tokens that a unit of a long section repeats from the one before it
    #[arg(long, value_name = "N", default_value_t = 0)]
    token_overlap: usize,
}

impl From<SizesArgs> for Sizes {
    fn from(args: SizesArgs) -> Self {
        Self {
            passage_words: args.passage_words,
            passage_overlap: args.passage_overlap,
            max_tokens: args.max_tokens,
            token_overlap: args.token_overlap,
        }
    }
}

/// How documents and queries are embedded.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Meaning")]
pub struct MeaningArgs {
    /// Encoder of the documents: static (the table in this program, needs no model); an installed
    /// model (better results); hash (feature hashing, not semantic); or none (search by words only)
    /// [default: static]
    #[arg(long, value_name = "NAME")]
    encoder: Option<String>,
    /// Encoder of queries on the deployed site
    #[arg(long, value_parser = query_encoders(), value_name = "KIND", default_value = "auto")]
    query_encoder: Choice,
    /// Table of the static encoder, written by `findling distill` [default: the table in this
    /// program]
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Largest size of the static encoder's rows in the bundle (kilobytes)
    #[arg(long, value_name = "KB", default_value_t = (rows::BUDGET >> 10) as u64)]
    rows_budget: u64,
    /// Shrink the deployed transformer's vocabulary to the site's words and general ones, so that
    /// the vocabulary's download is at most this many kilobytes [default: no limit, 6,500 for
    /// all-minilm-l6-v2]
    #[arg(long, value_name = "KB")]
    vocabulary_budget: Option<u64>,
    /// Fit the static encoder to the site (the default). It learns from the sections' vectors and
    /// from up to 12,000 short spans of text that the model embeds; the result is kept if it
    /// ranks held-out spans better
    #[arg(long, overrides_with = "no_fit")]
    fit: bool,
    /// Do not fit the static encoder to the site
    #[arg(long)]
    no_fit: bool,
    /// Smallest number of vectors for which a nearest-neighbour graph is built [default: 20000, and
    /// none for more than 400000]
    #[arg(long, value_name = "N")]
    graph_from: Option<usize>,
    /// Most vectors whose cells the centroids list, for tests of large sites
    #[arg(long, value_name = "N", hide = true)]
    most_listed: Option<u32>,
    /// Directory in which embeddings are kept for later builds [default: the user's cache
    /// directory]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Neither read nor keep cached embeddings
    #[arg(long, conflicts_with = "cache")]
    no_cache: bool,
}

impl From<MeaningArgs> for Meaning {
    fn from(args: MeaningArgs) -> Self {
        Self {
            encoder: args.encoder,
            query_encoder: args.query_encoder,
            table: args.table,
            rows_budget: args.rows_budget,
            vocabulary_budget: args.vocabulary_budget,
            fit: args.fit,
            no_fit: args.no_fit,
            graph_from: args.graph_from,
            most_listed: args.most_listed,
            cache: args.cache,
            no_cache: args.no_cache,
        }
    }
}

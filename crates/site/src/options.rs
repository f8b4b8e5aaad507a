//! Everything that decides what a build reads and writes.

use std::path::PathBuf;
use std::time::Duration;

use findling_base::scratch;
use findling_index::{retired_shards, rows};
use findling_models as models;
use findling_read::boosts_and_pins::Boost;
use findling_read::{Format, MarkdownUrls, Tree};
use serde::{Deserialize, Serialize};

use crate::hosting::Hosting;
use crate::query_encoder::Choice;

/// The options of a build. The default reads nothing: it needs [`inputs`](Self::inputs), and an
/// [`output`](Self::output) where the bundle is written.
#[derive(Clone, Debug)]
pub struct Options {
    /// Directories and files to read; or tables of sections and vectors (Parquet). If there are
    /// none, all files in memory are read.
    pub inputs: Vec<PathBuf>,
    /// The place of the inputs: a disk, which is the default, or memory.
    pub tree: Tree,
    /// The output: a directory used only for this, or a file, depending on [`form`](Self::form).
    pub output: PathBuf,
    /// The form of the output.
    pub form: Form,
    /// The place where the bundle will be served.
    pub host: Hosting,
    /// The time for which unused shards of earlier builds are kept.
    pub grace: Duration,
    /// Whether the earlier build in the output is ignored.
    pub fresh: bool,
    /// The way in which inputs are read.
    pub reading: Reading,
    /// The sizes of passages and embedding units.
    pub sizes: Sizes,
    /// The encoders of documents and queries.
    pub meaning: Meaning,
    /// The files of the web client beside the bundle.
    pub client: Client,
    /// Files that have Pagefind's JavaScript API; the input is read by Pagefind's rules then.
    pub pagefind: Option<Pagefind>,
    /// Files for assistants beside the pages of the site.
    pub assistants: Option<Assistants>,
    /// Files by which browsers and programs find the search. A bundle in memory has none.
    pub discovery: Option<Discovery>,
    /// Bytes of memory for texts and terms together. Data beyond it is spilled to a temporary file.
    pub memory: u64,
    /// The number of threads; `None` for one a core.
    pub threads: Option<usize>,
    /// Whether a missing model is installed without a question.
    pub install: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            inputs: Vec::new(),
            tree: Tree::default(),
            output: PathBuf::new(),
            form: Form::default(),
            host: Hosting::Auto,
            grace: retired_shards::GRACE,
            fresh: false,
            reading: Reading::default(),
            sizes: Sizes::default(),
            meaning: Meaning::default(),
            client: Client::default(),
            pagefind: None,
            assistants: None,
            discovery: None,
            memory: MEMORY,
            threads: None,
            install: false,
        }
    }
}

/// The default of [`Options::memory`].
pub const MEMORY: u64 = 2 * scratch::BUDGET;

/// The form of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// A directory of files, as the host takes them.
    #[default]
    Files,
    /// One file: the output if its name ends in `.findling`, otherwise `bundle.findling` in it.
    SingleFile,
    /// One file that needs no server: a page whose name ends in `.html`, or a script whose name
    /// ends in `.js`.
    SinglePage,
}

/// The web client that is written beside a bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Client {
    /// The client in this program.
    #[default]
    BuiltIn,
    /// The client in a directory.
    Directory(PathBuf),
    /// No client.
    None,
}

/// Options of a build for pages that use Pagefind's JavaScript API.
#[derive(Clone, Debug, Default)]
pub struct Pagefind {
    /// A directory with Pagefind's own user interfaces.
    pub ui: Option<PathBuf>,
    /// Whether a page is written that searches the bundle and shows scores.
    pub playground: bool,
}

/// Files for assistants.
#[derive(Clone, Debug)]
pub struct Assistants {
    /// The root of the deployed site.
    pub directory: PathBuf,
    /// Whether each HTML page gets a link to its Markdown.
    pub links: bool,
}

/// Files by which browsers and programs find the search of a site.
#[derive(Clone, Debug)]
pub struct Discovery {
    /// The root of the deployed site; the bundle is below it.
    pub directory: PathBuf,
    /// The absolute address of a page that searches for the query in its parameter `q`, for the
    /// address bars of browsers. `{searchTerms}` stands for the query in another place.
    pub search_page: Option<String>,
    /// The name of the site; `None` for the title of its front page.
    pub title: Option<String>,
}

/// The way in which inputs are read. Parts and tables have these options in their heads, by the
/// names of the fields.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reading {
    /// The format of every input; `None` detects it.
    pub format: Option<Format>,
    /// Prefix of every page's address: `/docs/`, `https://example.org/`.
    pub base_url: String,
    /// The directory that paths and addresses are relative to; `None` is the input.
    #[serde(skip)]
    pub root: Option<PathBuf>,
    /// Whether `index.html` stays at the end of addresses.
    pub keep_index_html: bool,
    /// The address of a Markdown page.
    pub markdown_urls: MarkdownUrls,
    /// The attribute that gets the first component of each page's path.
    pub attribute_from_path: Option<String>,
    /// Language of pages that declare none, BCP 47.
    pub language: Option<String>,
    /// Largest size of a file in megabytes.
    pub max_file_size: u64,
    /// Longest time to parse a file in seconds; a file has a second more for each megabyte.
    #[serde(default = "max_file_seconds")]
    pub max_file_seconds: u64,
    /// Whether links that lead out of the inputs are followed.
    #[serde(default)]
    pub follow_links: bool,
    /// Paths below the root to leave out, with `*` for any part of a name.
    pub exclude: Vec<String>,
    /// A file of synonyms.
    pub synonyms: Option<PathBuf>,
    /// Factors for the scores of pages below a path.
    pub boost: Vec<Boost>,
    /// A file of pinned pages.
    pub pins: Option<PathBuf>,
    /// A file of ranking parameters.
    pub ranking: Option<PathBuf>,
    /// Whether entries of definition lists and rows of tables are no sections.
    pub no_definition_sections: bool,
    /// Whether what tools returned in conversations is indexed.
    pub tool_output: bool,
    /// A file that names the fields of messages in conversations.
    pub chat_fields: Option<PathBuf>,
    /// Whether the lists of references of papers are indexed.
    pub references: bool,
    /// The languages of `tesseract`, joined by `+`, in which the text of scans is recognised.
    pub ocr: Option<String>,
    /// Whether every copy of a page is a result.
    pub keep_copies: bool,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            format: None,
            base_url: String::new(),
            root: None,
            keep_index_html: false,
            markdown_urls: MarkdownUrls::default(),
            attribute_from_path: None,
            language: None,
            max_file_size: MAX_FILE_SIZE,
            max_file_seconds: MAX_FILE_SECONDS,
            follow_links: false,
            exclude: Vec::new(),
            synonyms: None,
            boost: Vec::new(),
            pins: None,
            ranking: None,
            no_definition_sections: false,
            tool_output: false,
            chat_fields: None,
            references: false,
            ocr: None,
            keep_copies: false,
        }
    }
}

/// The default of [`Reading::max_file_size`].
pub const MAX_FILE_SIZE: u64 = 64;

/// The default of [`Reading::max_file_seconds`].
pub const MAX_FILE_SECONDS: u64 = 120;

/// Returns [`MAX_FILE_SECONDS`], for options that were written down without it.
fn max_file_seconds() -> u64 {
    MAX_FILE_SECONDS
}

/// Sizes of passages and embedding units.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sizes {
    /// Words of a passage, the unit of search by words.
    pub passage_words: usize,
    /// Words that a passage repeats from the previous passage.
    pub passage_overlap: usize,
    /// Maximum number of tokens of an embedding unit.
    pub max_tokens: usize,
    /// Tokens that a unit of a long section repeats from the previous unit.
    pub token_overlap: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { passage_words: 110, passage_overlap: 0, max_tokens: 256, token_overlap: 0 }
    }
}

/// The encoders of documents and queries.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Meaning {
    /// The encoder of the documents: `static`, a model's name, `hash` or `none`. `None` is
    /// `static`.
    #[serde(default, serialize_with = "named_encoder")]
    pub encoder: Option<String>,
    /// The encoder of queries on the deployed site.
    pub query_encoder: Choice,
    /// A table of the static encoder; `None` means the table in this program.
    pub table: Option<PathBuf>,
    /// Maximum number of kilobytes of the static encoder's rows in the bundle.
    pub rows_budget: u64,
    /// Maximum number of kilobytes of the deployed transformer's vocabulary; `None` is no limit.
    pub vocabulary_budget: Option<u64>,
    /// Whether fitting the static encoder was requested explicitly. If so, a build that cannot fit
    /// it warns.
    pub fit: bool,
    /// Whether the static encoder is not fitted to the site.
    pub no_fit: bool,
    /// Fewest vectors for which a nearest-neighbour graph is built.
    pub graph_from: Option<usize>,
    /// Maximum number of vectors whose cells the centroids list, for tests of large sites.
    pub most_listed: Option<u32>,
    /// The directory in which embeddings are kept for later builds; `None` is the user's.
    #[serde(skip)]
    pub cache: Option<PathBuf>,
    /// Whether embeddings are neither read from the cache nor kept in it.
    #[serde(skip)]
    pub no_cache: bool,
}

impl Default for Meaning {
    fn default() -> Self {
        Self {
            encoder: None,
            query_encoder: Choice::Auto,
            table: None,
            rows_budget: (rows::BUDGET >> 10) as u64,
            vocabulary_budget: None,
            fit: false,
            no_fit: false,
            graph_from: None,
            most_listed: None,
            cache: None,
            no_cache: false,
        }
    }
}

impl Meaning {
    /// Returns the encoder of the documents. It does not depend on what is installed, so that the
    /// same options write the same bytes on every machine.
    pub fn encoder(&self) -> &str {
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

//! Readers: files of many formats become pages.
//!
//! [`read`] takes directories of rendered HTML, trees of Markdown, reStructuredText, AsciiDoc and
//! Org, files of JSON lines, source code, conversations, papers and documents, parses them on all
//! cores and returns pages in the order of their paths. For each file that cannot be read the
//! caller gets a [`Problem`]; the other files are read. The files are on a disk or, in a
//! [`Tree`], in memory.
//!
//! The crate uses no bundle, no index and no network. `docs/extraction.md` lists what is read from
//! a page.
//!
//! ```
//! use std::path::PathBuf;
//!
//! use findling_read::{Options, Tree, read};
//!
//! let files = vec![("kilns.md".to_owned(), b"# Kilns\n\nA kiln is fired for a day.\n".to_vec())];
//! let options = Options { tree: Tree::of_files(files), ..Options::default() };
//! let pages = read(&[PathBuf::new()], &options, &mut |problem| panic!("{problem:?}"));
//! assert_eq!((pages[0].url.as_str(), pages[0].title.as_str()), ("/kilns/", "Kilns"));
//! ```
//!
//! # Features
//!
//! Each format with a large parser has a feature: `asciidoc`, `bibliographies`, `code`,
//! `mailboxes`, `pdf`. If a feature is off, files of its format are named, with an error.
//! `repositories` applies the rules of `.gitignore` in a directory of code.

mod addresses;
#[cfg_attr(not(feature = "asciidoc"), allow(dead_code))]
mod antora;
mod api_description;
#[cfg(feature = "asciidoc")]
mod asciidoc;
mod attributes;
pub mod boosts_and_pins;
mod bounds;
mod code;
pub mod conversations;
#[cfg(feature = "databases")]
mod database;
mod decode;
mod detect;
mod documents;
mod file;
mod find;
mod finish;
mod format;
mod hints;
mod html;
mod includes;
mod jekyll;
mod jsonl;
mod language;
pub mod left_out;
pub mod links;
mod manual;
mod markdown;
mod name_languages;
mod notes;
mod org;
mod outline;
mod overviews;
mod own_index;
mod package;
pub mod page_cache;
#[cfg(test)]
mod page_outline;
mod page_url;
pub mod pagefind;
mod papers;
#[cfg(not(target_family = "wasm"))]
mod parse_thread;
#[cfg(feature = "pdf")]
mod pdf;
mod plain_text;
mod reading;
mod reference_marks;
mod repeated;
#[cfg(test)]
mod repository_tests;
pub mod rows;
mod rst;
pub mod share;
mod site;
mod sphinx_inventory;
mod titles;
mod tree;
mod unknown_files;
mod versions;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bincode::{Decode, Encode};
use rayon::prelude::*;

use attributes::Raw;
use boosts_and_pins::{Boost, Pins};
pub use bounds::Bounds;
pub use code::is_program;
use conversations::fields::Fields;
use file::File;
pub use file::{encode, join};
use findling_base::file_mode::Shared;
use findling_base::progress::Counter;
use findling_base::record_log::Used;
use findling_base::scratch::Scratch;
use findling_page::page::Page;
pub use finish::LostWords;
use finish::{clean, finish, finish_clean, lost_words};
pub use format::{Format, MarkdownUrls, UnknownFormat};
use hints::Hints;
pub use includes::Included;
use left_out::{LeftOut, Lost};
pub use package::{Package, PackageFile};
use page_cache::PageCache;
pub use papers::{Kind as PaperKind, UNKNOWN};
pub use reading::Reading;
use titles::Names;
pub use tree::Tree;

/// The options of a read: its formats, addresses and limits.
#[derive(Clone, Debug)]
pub struct Options {
    /// The format of every input; `None` detects it.
    pub format: Option<Format>,
    /// Prefix of every page's path: `/docs/`, `https://example.org/`. If empty, URLs are relative
    /// to the site's root: `/guide/`.
    pub base_url: String,
    /// The directory that paths and URLs are relative to. `None` means the only input, if it is a
    /// directory, or the deepest directory that contains all inputs.
    pub root: Option<PathBuf>,
    /// Whether to keep `index.html` at the end of a URL instead of the directory alone.
    pub keep_index_html: bool,
    /// The way in which the URL of a Markdown page is made from its path.
    pub markdown_urls: MarkdownUrls,
    /// The name of a string attribute whose value is the first component of a page's path.
    pub attribute_from_path: Option<String>,
    /// Language of pages that declare none, BCP 47.
    pub language: Option<String>,
    /// Paths below the root to leave out, with `*` for any part of a name: `*/ja`, `drafts`,
    /// `print*.html`. A directory excludes everything below it.
    pub exclude: Vec<String>,
    /// Factors for the scores of pages below a path. If several match a page, the last applies.
    pub boosts: Vec<Boost>,
    /// Pins from a list, in addition to the pins in pages.
    pub pins: Pins,
    /// The largest size of a file. Larger files are reported and left out.
    pub max_file_bytes: u64,
    /// The time limit for parsing a file. A file that takes longer is reported and left out. The
    /// limit is one second longer for each megabyte of the file. There is no limit if text of scans
    /// is recognised.
    pub max_file_time: Duration,
    /// Whether to make a section of each entry of a definition list or table that has an anchor:
    /// API entries, command options, settings.
    pub definition_sections: bool,
    /// Whether to index the output of tools in conversations.
    pub tool_output: bool,
    /// The places of the parts of messages, in conversations of other programs than the known ones.
    pub chat_fields: Option<Fields>,
    /// Whether to index the lists of references of papers.
    pub references: bool,
    /// The languages of `tesseract`, joined by `+`, in which to recognise the text of scans in
    /// PDFs.
    pub ocr: Option<String>,
    /// Whether to keep a record of the parts that are left out of each page.
    pub trace: bool,
    /// Whether to follow links that lead out of the inputs. Links into `/proc`, `/sys` and `/dev`
    /// are never followed.
    pub follow_links: bool,
    /// The files: on a disk or in memory.
    pub tree: Tree,
    /// The store for the texts of pages until they are chunked. It stores the texts that do not fit
    /// into memory.
    pub scratch: Option<Arc<Scratch>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: None,
            base_url: String::new(),
            root: None,
            keep_index_html: false,
            markdown_urls: MarkdownUrls::default(),
            attribute_from_path: None,
            language: None,
            exclude: Vec::new(),
            boosts: Vec::new(),
            pins: Pins::default(),
            max_file_bytes: 64 << 20,
            max_file_time: Duration::from_secs(120),
            definition_sections: true,
            tool_output: false,
            chat_fields: None,
            references: false,
            ocr: None,
            trace: false,
            follow_links: false,
            tree: Tree::default(),
            scratch: None,
        }
    }
}

impl Options {
    /// Returns the same options, bound to these inputs: only files below them and the root are
    /// read.
    fn within(&self, inputs: &[PathBuf]) -> Self {
        let named: Vec<PathBuf> = inputs.iter().chain(&self.root).cloned().collect();
        Self { tree: self.tree.within(&named, self.follow_links), ..self.clone() }
    }
}

/// A message about an input.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Problem {
    /// The severity of the problem.
    pub severity: Severity,
    /// The file or directory.
    pub path: PathBuf,
    /// The line, from 1, if known.
    pub line: Option<u64>,
    /// A description of the problem and, if there is one, the remedy.
    pub reason: String,
}

/// The severity of a [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub enum Severity {
    /// An input that was left out on purpose: a draft, a redirect. Shown with `--verbose`.
    Skipped,
    /// An input that was read, but perhaps not as its author intended.
    Warning,
    /// An input that could not be read; the exit status shows it.
    Error,
}

/// Reads all pages of `inputs`, in the order of their paths (records: in the order of their lines).
///
/// The format of a directory is the format of most of its files. From a directory with a
/// `corpus.jsonl`, only that file is read. Hidden files, `node_modules` and bundles of earlier
/// builds are skipped. Problems are reported in a fixed order before this function returns; none of
/// them stops the reading.
pub fn read(
    inputs: &[PathBuf],
    options: &Options,
    on_problem: &mut dyn FnMut(Problem),
) -> Vec<Page> {
    read_cached(inputs, options, None, &Counter::default(), on_problem).pages
}

/// The result of a read.
#[derive(Debug, Default)]
pub struct Read {
    /// The pages.
    pub pages: Vec<Page>,
    /// The files that pages include.
    pub included: Vec<Included>,
    /// The users who may read all of these files, besides their owner.
    pub shared: Shared,
    /// The words that each rule left out of pages, most words first.
    pub lost: Vec<LostWords>,
}

/// Reads pages like [`read`], and shows a progress bar. Files that `cache` has are not parsed; the
/// other files are added to it.
pub fn read_cached(
    inputs: &[PathBuf],
    options: &Options,
    cache: Option<PageCache<'_>>,
    bar: &Counter,
    on_problem: &mut dyn FnMut(Problem),
) -> Read {
    let (pages, included, shared) = read_raw(inputs, options, cache, bar, on_problem);
    let lost = lost_words(&pages);
    Read { pages: pages_of(pages), included, shared, lost }
}

/// Returns only the pages, in a new list. A list made in place would keep the memory of the raw
/// pages.
fn pages_of(raws: Vec<RawPage>) -> Vec<Page> {
    let mut pages = Vec::with_capacity(raws.len());
    pages.extend(raws.into_iter().map(|raw| raw.page));
    pages
}

/// Returns whether text of scans can be recognised on this machine in these languages, joined by
/// `+`.
///
/// # Errors
/// The missing program or language, and how to install it.
pub fn check_ocr(languages: &str) -> Result<(), String> {
    #[cfg(feature = "pdf")]
    return pdf::ocr::check(languages);
    #[cfg(not(feature = "pdf"))]
    Err(format!("--ocr {languages}: this program was compiled without PDF (the feature `pdf`)"))
}

/// Returns the files that [`read`] reads, in its order.
pub fn list(
    inputs: &[PathBuf],
    options: &Options,
    on_problem: &mut dyn FnMut(Problem),
) -> Vec<PathBuf> {
    find::find(inputs, options, on_problem).into_iter().map(|file| file.path).collect()
}

/// The files of inputs as they were found, with the messages about the other files. A read that is
/// given a listing does not look for files again.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    files: Vec<File>,
    problems: Vec<Problem>,
    /// The directories that the files are below, if these are not the inputs.
    roots: Vec<PathBuf>,
}

impl Listing {
    /// Looks for the files that [`read`] reads.
    pub fn of(inputs: &[PathBuf], options: &Options) -> Self {
        let mut problems = Vec::new();
        let files = find::find(inputs, options, &mut |problem| problems.push(problem));
        Self { files, problems, roots: Vec::new() }
    }

    /// Returns a listing of the files of packages that a project depends on. They are read below
    /// `roots` only. `problems` are messages about the files that are left out.
    pub fn of_packages(
        files: Vec<PackageFile>,
        roots: Vec<PathBuf>,
        problems: Vec<Problem>,
    ) -> Self {
        let file = |PackageFile { package, id, path }| {
            let format = Format::Code;
            (id.clone(), File { id, path, format, package: Some(package) })
        };
        let files: BTreeMap<String, File> = files.into_iter().map(file).collect();
        Self { files: files.into_values().collect(), problems, roots }
    }

    /// Returns the paths of the files, in the order in which they are read.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.iter().map(|file| &file.path)
    }
}

/// A page as it is indexed, with a record of the parts that were left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Extraction {
    /// The page.
    pub page: Page,
    /// The file it comes from.
    pub path: PathBuf,
    /// The element that holds the content, as `name#id.class`. Empty for Markdown and records.
    pub content: String,
    /// The record of the parts that were left out, in the order of the page.
    pub left_out: Vec<LeftOut>,
    /// The number of visible words that each rule left out.
    pub lost: Lost,
}

impl Extraction {
    fn of(raw: RawPage) -> Self {
        let RawPage { page, path, content, left_out, lost, .. } = raw;
        Self { page, path, content, left_out, lost }
    }
}

/// Reads pages like [`read`], with a record of the parts that are left out of each.
pub fn extract(
    inputs: &[PathBuf],
    options: &Options,
    on_problem: &mut dyn FnMut(Problem),
) -> Vec<Extraction> {
    let options = Options { trace: true, ..options.clone() };
    let (pages, ..) = read_raw(inputs, &options, None, &Counter::default(), on_problem);
    pages.into_iter().map(Extraction::of).collect()
}

/// A document that is not a file: a page as a web server sent it.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    /// The address.
    pub url: String,
    /// The path below the root of the site.
    pub id: String,
    /// The format.
    pub format: Format,
    /// The character set that the server declares.
    pub charset: Option<String>,
    /// The content.
    pub bytes: &'a [u8],
}

/// Reads a document like [`extract`] reads a file.
pub fn extract_document(
    document: &Document<'_>,
    options: &Options,
    on_problem: &mut dyn FnMut(Problem),
) -> Vec<Extraction> {
    let options = Options { trace: true, ..options.clone() };
    let file = File {
        id: document.id.clone(),
        path: PathBuf::from(&document.url),
        format: document.format,
        package: None,
    };
    let charset = document.charset.clone();
    let bytes = Arc::new(document.bytes.to_vec());
    let mut outcome = parse(&file, &bytes, charset, &Arc::new(options.clone()));
    if !matches!(document.format, Format::Jsonl | Format::Chats | Format::Papers) {
        for raw in &mut outcome.pages {
            raw.page.url.clone_from(&document.url);
        }
    }
    finish(vec![outcome], &options, on_problem).into_iter().map(Extraction::of).collect()
}

fn read_raw(
    inputs: &[PathBuf],
    options: &Options,
    cache: Option<PageCache<'_>>,
    bar: &Counter,
    on_problem: &mut dyn FnMut(Problem),
) -> (Vec<RawPage>, Vec<Included>, Shared) {
    let files = match cache.as_ref().and_then(|cache| cache.listing()) {
        Some(listing) => {
            listing.problems.iter().cloned().for_each(&mut *on_problem);
            listing.files.clone()
        }
        None => find::find(inputs, options, on_problem),
    };
    bar.set_total(files.len() as u64);
    let roots = cache.as_ref().and_then(|cache| cache.listing()).map(|listing| &listing.roots[..]);
    let roots = roots.filter(|roots| !roots.is_empty()).unwrap_or(inputs);
    let options = &Arc::new(options.within(roots));
    let read = files.par_iter().map(|file| {
        let mut read = read_file(file, options, cache.as_ref());
        read.0.stow(options);
        bar.add(1);
        read
    });
    let (mut outcomes, used): (Vec<_>, Vec<_>) = read.unzip();
    if let Some(cache) = cache {
        // Without a cache, the next read only takes longer.
        let _ = cache.store(used.into_iter().flatten().collect());
    }
    bar.finish();
    let heads = describe(&mut outcomes, &options.tree);
    let included = outcomes.iter_mut().flat_map(|outcome| std::mem::take(&mut outcome.included));
    let included: Vec<Included> = included.chain(heads).collect();
    let shared = if options.tree.is_disk() {
        let read = files.iter().map(|file| &file.path);
        let read = read.chain(included.iter().map(|file| &file.path)).chain(inputs);
        Shared::default().and(read.map(|path| path.as_path()))
    } else {
        Shared::default()
    };
    (finish(outcomes, options, on_problem), included, shared)
}

/// Adds to pages the information in files beside theirs, and leaves out pages that are parts of
/// others. Returns the files with that information that may change.
fn describe(outcomes: &mut [Outcome], tree: &Tree) -> Vec<Included> {
    markdown::drop_parts(outcomes);
    let heads = code::describe(outcomes.iter_mut().flat_map(|outcome| &mut outcome.pages));
    sphinx_inventory::apply(outcomes.iter_mut().flat_map(|outcome| &mut outcome.pages), tree);
    heads
}

/// A page before the rules for the whole site are applied.
#[derive(Debug, Default, Encode, Decode)]
struct RawPage {
    page: Page,
    path: PathBuf,
    /// The format; `None` only while a page is under construction.
    format: Option<Format>,
    names: Names,
    attributes: BTreeMap<String, Raw>,
    /// The metadata of a paper until its text is found.
    paper: Option<Box<papers::Paper>>,
    /// The facts about a conversation until turns of several files are joined.
    talk: Option<Box<conversations::Talk>>,
    /// Whether the site marked the content with `data-findling-body`.
    marked_body: bool,
    /// The element that holds the content, as `name#id.class`.
    content: String,
    /// The record of the parts that were left out, if [`Options::trace`] is set.
    left_out: Vec<LeftOut>,
    /// The word counts of a page from which most of the content was left out.
    removed: Option<Removed>,
    /// The number of words that each rule left out.
    lost: Lost,
    /// The facts that the rules for a site need, until they have been applied.
    hints: Option<Box<Hints>>,
    /// Words by which the author wants the page to be found.
    keywords: Vec<String>,
    /// Texts in the fields of a front page.
    front: Vec<String>,
    /// Whether a generator added the page to the pages that people wrote.
    is_generated: bool,
    /// Whether the rules for a site leave the page out.
    is_dropped: bool,
}

/// The share of a page's content that was left out.
#[derive(Clone, Copy, Debug, Encode, Decode)]
struct Removed {
    /// Words of the content.
    words: usize,
    /// Words that are indexed.
    indexed: usize,
}

/// The result of reading a file.
#[derive(Debug, Default, Encode, Decode)]
struct Outcome {
    pages: Vec<RawPage>,
    problems: Vec<Problem>,
    /// Whether another read of the same bytes may find more, because a helper program failed.
    may_change: bool,
    /// The files that its pages include.
    included: Vec<Included>,
}

impl Outcome {
    /// Moves texts out of memory, if there is no room for them.
    fn stow(&mut self, options: &Options) {
        let Some(scratch) = &options.scratch else { return };
        // The texts of papers are moved between pages later.
        for raw in self.pages.iter_mut().filter(|raw| raw.format != Some(Format::Papers)) {
            raw.page.stow(scratch);
        }
    }

    fn tell(
        &mut self,
        severity: Severity,
        path: &std::path::Path,
        line: Option<u64>,
        reason: impl Into<String>,
    ) {
        self.problems.push(Problem {
            severity,
            path: path.to_owned(),
            line,
            reason: reason.into(),
        });
    }
}

/// Reads a file. Also returns the entry that the cache must store.
fn read_file(
    file: &File,
    options: &Arc<Options>,
    cache: Option<&PageCache<'_>>,
) -> (Outcome, Option<Used>) {
    if let Some((outcome, used)) = cache.and_then(|cache| cache.known(file, options)) {
        return (outcome, Some(used));
    }
    let bytes = match contents(file, options) {
        Ok(bytes) => Arc::new(bytes.into_owned()),
        Err(outcome) => return (outcome, None),
    };
    let parse = || parse(file, &bytes, None, options);
    match cache {
        Some(cache) => cache.read(file, &bytes, options, parse),
        None => (parse(), None),
    }
}

/// Reads the content of a file, within its time limit. The build must continue if a parser panics
/// on a file, or does not finish.
fn parse(
    file: &File,
    bytes: &Arc<Vec<u8>>,
    charset: Option<String>,
    options: &Arc<Options>,
) -> Outcome {
    // Lines are parsed by all threads, which must not wait for one another. They are objects of
    // JSON, whose parser has limits of its own.
    let parsed = if is_parsed_by_lines(file) {
        let read = || read_bytes(file, bytes, charset.as_deref(), options);
        catch_unwind(AssertUnwindSafe(read)).map_err(|_| PARSER_FAILED.to_owned())
    } else {
        let (owned, bytes, shared) = (file.clone(), Arc::clone(bytes), Arc::clone(options));
        let limit = time_for(bytes.len(), options);
        within_time(limit, move || read_bytes(&owned, &bytes, charset.as_deref(), &shared))
    };
    let reason = match parsed {
        Ok(outcome) => return outcome,
        Err(reason) => reason,
    };
    // Another machine may be faster.
    let mut outcome = Outcome { may_change: true, ..Outcome::default() };
    outcome.tell(Severity::Error, &file.path, None, reason);
    outcome
}

/// Runs `work` in a parsing thread.
///
/// # Errors
/// The error is the message about a file that takes longer than `limit`, or on which the parser
/// panics.
#[cfg(not(target_family = "wasm"))]
fn within_time<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    parse_thread::run(limit, work).map_err(|failed| match failed {
        parse_thread::Failed::Panicked => PARSER_FAILED.to_owned(),
        parse_thread::Failed::TimedOut => format!(
            "takes longer than {} s to parse and is left out; raise --max-file-seconds",
            limit.as_secs()
        ),
    })
}

/// Runs `work` in this thread: a browser has no others.
#[cfg(target_family = "wasm")]
fn within_time<T>(_: Duration, work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| PARSER_FAILED.to_owned())
}

/// Returns the time limit for a file of this length in bytes.
fn time_for(len: usize, options: &Options) -> Duration {
    if options.ocr.is_some() {
        return Duration::MAX;
    }
    options.max_file_time.saturating_add(Duration::from_secs(len as u64 >> 20))
}

/// The message about a file on which a parser panicked.
const PARSER_FAILED: &str = "the parser failed on this file; please report it";

/// Returns whether a file is a list of lines that are parsed on all cores.
fn is_parsed_by_lines(file: &File) -> bool {
    match file.format {
        Format::Jsonl => true,
        Format::Chats => conversations::is_lines(&file.path),
        _ => false,
    }
}

/// Returns the bytes of a file, or the reason why it is left out.
fn contents<'a>(file: &File, options: &'a Options) -> Result<Cow<'a, [u8]>, Outcome> {
    let mut outcome = Outcome::default();
    let size = options.tree.len(&file.path).unwrap_or(0);
    if let Some((severity, reason)) = too_large(file, size, options) {
        outcome.tell(severity, &file.path, None, reason);
        return Err(outcome);
    }
    options.tree.read(&file.path).map_err(|error| {
        outcome.tell(Severity::Error, &file.path, None, format!("cannot be read: {error}"));
        outcome
    })
}

/// Returns whether a file is a database, by its name.
#[cfg(feature = "databases")]
fn is_database(file: &File) -> bool {
    papers::is_database(&file.path) || conversations::is_database(&file.path)
}

/// Returns the message about a file that is larger than allowed for its kind; `None` for other
/// files.
fn too_large(file: &File, size: u64, options: &Options) -> Option<(Severity, String)> {
    match file.format {
        // For JSON lines the limit applies to each line.
        Format::Jsonl => None,
        Format::Chats if conversations::is_lines(&file.path) => None,
        Format::Papers if papers::is_lines(&file.path) => None,
        #[cfg(feature = "databases")]
        Format::Papers | Format::Chats if is_database(file) => {
            (size > database::MAX_BYTES).then(|| {
                let most = database::MAX_BYTES;
                let reason = format!("has {size} bytes, more than {most} for a database");
                (Severity::Error, reason)
            })
        }
        Format::Code if size > code::max_bytes(&file.path) => Some((
            Severity::Skipped,
            format!("is a file over {} bytes: it has {size}", code::max_bytes(&file.path)),
        )),
        _ if size > options.max_file_bytes => Some((
            Severity::Error,
            format!(
                "has {size} bytes, more than the limit of {}; raise --max-file-size or split it",
                options.max_file_bytes
            ),
        )),
        _ => None,
    }
}

/// Reads the content of a file. `charset` is declared by the server and overrides what the content
/// declares.
fn read_bytes(file: &File, bytes: &[u8], charset: Option<&str>, options: &Options) -> Outcome {
    let mut outcome = Outcome::default();
    if file.format == Format::Jsonl {
        jsonl::read(bytes, file, options, &mut outcome);
        return outcome;
    }
    if file.format == Format::Chats {
        conversations::read(bytes, file, options, &mut outcome);
        return outcome;
    }
    if file.format == Format::Pdf {
        if let Some(raw) = read_pdf(bytes, file, options, &mut outcome) {
            push(raw, file, options, &mut outcome);
        }
        return outcome;
    }
    if file.format == Format::Papers {
        papers::read(bytes, file, options, &mut outcome);
        return outcome;
    }
    if file.format == Format::Documents {
        if let Some(raw) = documents::read(bytes, file, options, &mut outcome) {
            push(raw, file, options, &mut outcome);
        }
        return outcome;
    }
    if file.format == Format::Code
        && let Some(read) = code::read_bytes(bytes, file, options, &mut outcome)
    {
        if let Some(raw) = read {
            push(raw, file, options, &mut outcome);
        }
        return outcome;
    }
    let mut decoded = if file.format == Format::Html {
        decode::html(bytes, charset)
    } else {
        decode::plain(bytes, charset)
    };
    if file.format.is_markup() && decoded.text.contains('\0') {
        match decode::without_nuls(&decoded.text) {
            Some(text) => {
                let reason = "has NUL bytes, which were read as spaces; save it as text";
                outcome.tell(Severity::Warning, &file.path, None, reason);
                decoded.text = text.into();
            }
            None => {
                let reason = "expected text, found a binary file";
                outcome.tell(Severity::Error, &file.path, None, reason);
                return outcome;
            }
        }
    }
    if file.format == Format::Html
        && let Some(reason) = html::refused(&decoded.text)
    {
        outcome.tell(Severity::Error, &file.path, None, reason);
        return outcome;
    }
    let raw = match file.format {
        Format::Html => html::read(&decoded.text, &file.id, options).map(|raw| {
            // Few pages have little or no text, so only these are read again to find the reason.
            let is_poor = raw.page.sections.is_empty() || raw.removed.is_some();
            if is_poor && !options.trace {
                let options = Options { trace: true, ..options.clone() };
                return html::read(&decoded.text, &file.id, &options).unwrap_or(raw);
            }
            raw
        }),
        Format::Code => code::read(&decoded.text, file, options, &mut outcome),
        Format::Rst => rst::read(&decoded.text, file, options, &mut outcome),
        Format::Asciidoc => read_asciidoc(&decoded.text, file, options, &mut outcome),
        Format::Org => org::read(&decoded.text, file, options, &mut outcome),
        Format::Markdown
        | Format::Jsonl
        | Format::Chats
        | Format::Pdf
        | Format::Papers
        | Format::Documents => markdown::read(&decoded.text, file, options, &mut outcome),
    };
    match raw {
        Ok(mut raw) => {
            if file.format == Format::Html {
                api_description::shown::add(&decoded.text, &mut raw, file, options, &mut outcome);
            }
            if let Some(warning) = decoded.warning {
                outcome.tell(Severity::Warning, &file.path, None, warning);
            }
            push(raw, file, options, &mut outcome);
        }
        // An error already gives the reason.
        Err(_) if outcome.problems.iter().any(|known| known.severity == Severity::Error) => {}
        Err(reason) => outcome.tell(Severity::Skipped, &file.path, None, reason),
    }
    outcome
}

/// Adds a page and sets its id, path, format and, if it has none, its URL.
fn push(mut raw: RawPage, file: &File, options: &Options, outcome: &mut Outcome) {
    raw.page.id.clone_from(&file.id);
    raw.path.clone_from(&file.path);
    raw.format = Some(file.format);
    if raw.page.url.is_empty() {
        raw.page.url = page_url::url(&file.id, file.format, options);
    }
    outcome.pages.push(raw);
}

#[cfg(feature = "asciidoc")]
fn read_asciidoc(
    text: &str,
    file: &File,
    options: &Options,
    outcome: &mut Outcome,
) -> Result<RawPage, String> {
    asciidoc::read(text, file, options, outcome)
}

#[cfg(not(feature = "asciidoc"))]
fn read_asciidoc(
    _: &str,
    file: &File,
    _: &Options,
    outcome: &mut Outcome,
) -> Result<RawPage, String> {
    let reason = "is AsciiDoc, which is not read here; `findling build` reads it";
    outcome.tell(Severity::Error, &file.path, None, reason);
    Err(reason.to_owned())
}

#[cfg(feature = "pdf")]
fn read_pdf(
    bytes: &[u8],
    file: &File,
    options: &Options,
    outcome: &mut Outcome,
) -> Option<RawPage> {
    pdf::read(bytes, &file.path, options, outcome)
}

#[cfg(not(feature = "pdf"))]
fn read_pdf(_: &[u8], file: &File, _: &Options, outcome: &mut Outcome) -> Option<RawPage> {
    let reason = "is a PDF, which this findling cannot read; build it with the feature `pdf`";
    outcome.tell(Severity::Error, &file.path, None, reason);
    None
}

#[cfg(test)]
mod tests;

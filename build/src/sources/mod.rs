//! Sources: what turns files into pages.
//!
//! [`read`] takes directories of rendered HTML, trees of Markdown and files of JSON lines, parses them on all
//! cores and gives pages in the order of their paths. What cannot be read is told to the caller, path and reason, and the rest
//! goes on.

use std::path::PathBuf;

use crate::page::Page;

/// What to read and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// Take every input as this kind instead of finding out.
    pub format: Option<Format>,
    /// Put in front of every page's path: `/docs/`, `https://example.org/`. Empty: URLs are relative to the site's root, `/guide/`.
    pub base_url: String,
    /// What paths and URLs are relative to. `None`: a directory given as the only input itself; of several inputs, the deepest directory that
    /// holds them all.
    pub root: Option<PathBuf>,
    /// Keep `index.html` at the end of a URL instead of the directory alone.
    pub keep_index_html: bool,
    /// How the URL of a Markdown page is made from its path.
    pub markdown_urls: MarkdownUrls,
    /// Give pages the first component of their path as a string attribute of this name.
    pub attribute_from_path: Option<String>,
    /// Language of pages that do not say, BCP 47.
    pub language: Option<String>,
    /// Files larger than this are reported and left out.
    pub max_file_bytes: u64,
    /// Make sections of definition-list entries that have an anchor: API entries, command options, settings.
    pub definition_sections: bool,
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
            max_file_bytes: 64 << 20,
            definition_sections: true,
        }
    }
}

/// The kinds of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Format {
    /// Rendered HTML.
    Html,
    /// Markdown, MDX.
    Markdown,
    /// One JSON object a line.
    Jsonl,
}

/// The URL that a site generator gives to `guide/start.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum MarkdownUrls {
    /// `guide/start/`, as Hugo, MkDocs, Docusaurus and Astro do.
    #[default]
    Directory,
    /// `guide/start.html`, as mdBook and VitePress do.
    Html,
    /// `guide/start`.
    Bare,
}

/// Something to tell about an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// The file or directory.
    pub path: PathBuf,
    /// The line, from 1, where one can be named.
    pub line: Option<u64>,
    /// What is the matter and, where there is one, the remedy.
    pub reason: String,
}

/// How bad a [`Problem`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Left out on purpose: a draft, a redirect. For `--verbose`.
    Skipped,
    /// Read, but not as its author may have meant.
    Warning,
    /// Could not be read; the exit status should say so.
    Error,
}

/// Reads all pages of `inputs`, in the order of their paths (records: in the order of their lines).
///
/// Problems are told in a fixed order after the parsing; none of them stops the rest.
pub fn read(inputs: &[PathBuf], options: &Options, on_problem: &mut dyn FnMut(Problem)) -> Vec<Page> {
    let _ = (inputs, options, on_problem);
    Vec::new()
}

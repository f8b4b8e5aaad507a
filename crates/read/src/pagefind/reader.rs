//! Reading pages, from files and from programs.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use flate2::read::GzDecoder;
use globset::{GlobBuilder, GlobMatcher};
use rayon::prelude::*;
use scraper::{Html, Selector};

use super::super::find::links_left_out;
use super::super::{Bounds, Problem, Severity, decode, html, within_time};
use super::digest::{self, Digest, Selectors};
use super::pieces::{self, Content, Piece};
use super::{Options, UNKNOWN, segments};

/// The file that marks a bundle: pages below it were built, not written.
const BUNDLE_ENTRY: &str = "findling.idx";

/// The bytes at the beginning of gzip files.
const GZIP: [u8; 3] = [0x1f, 0x8b, 0x08];

/// A page before the whole site is known.
#[derive(Debug)]
pub struct Source {
    /// The path of the page's file, for messages.
    path: PathBuf,
    pub(super) url: String,
    pub(super) digest: Digest,
    /// Whether the page is indexed even if other pages mark their bodies and this one does not.
    pub(super) always: bool,
    /// Whether the page refers to `/_pagefind/`.
    pub(super) old_directory: bool,
    /// The [`UI_SCRIPTS`] that the page loads.
    pub(super) ui_scripts: Vec<&'static str>,
}

/// The scripts of Pagefind's own user interfaces.
const UI_SCRIPTS: [&str; 4] = [
    "pagefind-ui.js",
    "pagefind-modular-ui.js",
    "pagefind-component-ui.js",
    "pagefind-highlight.js",
];

/// A page that is not HTML.
#[derive(Debug, Default)]
pub struct Record {
    /// The address, which is not changed.
    pub url: String,
    /// The text.
    pub content: String,
    /// The language.
    pub language: String,
    /// The metadata to show with the page.
    pub meta: BTreeMap<String, String>,
    /// Values to filter by.
    pub filters: BTreeMap<String, Vec<String>>,
    /// Values to sort by.
    pub sorts: BTreeMap<String, String>,
}

impl Source {
    /// Returns a page that is not HTML.
    pub fn of_record(record: Record) -> Self {
        let Record { url, content, language, meta, filters, sorts } = record;
        let digest = Digest {
            pieces: vec![Piece::Text(content)],
            language: Some(language.to_lowercase()).filter(|language| !language.is_empty()),
            meta,
            filters,
            sorts,
            ..Digest::default()
        };
        Self {
            path: PathBuf::from(&url),
            url,
            digest,
            always: true,
            old_directory: false,
            ui_scripts: Vec::new(),
        }
    }

    /// Returns the path at which the page was found.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the metadata to show with the page.
    pub fn meta(&self) -> &BTreeMap<String, String> {
        &self.digest.meta
    }

    /// Returns the number of its words.
    pub fn n_words(&self, options: &Options) -> u32 {
        self.content(&self.language(options)).n_words
    }

    pub(super) fn language(&self, options: &Options) -> String {
        let declared = options.force_language.as_ref().or(self.digest.language.as_ref());
        declared.cloned().unwrap_or_else(|| UNKNOWN.to_owned())
    }

    pub(super) fn content(&self, language: &str) -> Content {
        let segmented = segments::are_needed(language);
        pieces::read(&self.digest.pieces, &self.digest.anchors, segmented)
    }
}

/// Reads pages.
pub struct Reader {
    options: Options,
    selectors: Arc<Selectors>,
}

impl Reader {
    /// Returns a reader with these options.
    ///
    /// # Errors
    /// If a selector cannot be read.
    pub fn new(options: Options) -> Result<Self> {
        let selectors = Selectors {
            root: selector(&options.root_selector, "root-selector")?,
            excluded: options
                .exclude_selectors
                .iter()
                .map(|text| selector(text, "exclude-selectors"))
                .collect::<Result<_>>()?,
        };
        Ok(Self { options, selectors: Arc::new(selectors) })
    }

    /// Returns the options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Reads the pages below a directory that match the glob. Also returns the number of files.
    ///
    /// # Errors
    /// If the glob cannot be read.
    pub fn directory(
        &self,
        site: &Path,
        glob: &str,
        on_problem: &mut dyn FnMut(Problem),
    ) -> Result<(Vec<Source>, usize)> {
        let matcher = GlobBuilder::new(glob)
            .literal_separator(true)
            .build()
            .with_context(|| format!("glob `{glob}`: expected a pattern of files"))?
            .compile_matcher();
        let bounds = Bounds::of(&[site.to_owned()], self.options.follow_links);
        let files = find(site, &bounds, &matcher, on_problem);
        let read: Vec<Result<Source, Problem>> =
            files.par_iter().map(|path| self.file(site, &bounds, path)).collect();
        let mut pages = Vec::with_capacity(read.len());
        for outcome in read {
            match outcome {
                Ok(page) => pages.push(page),
                Err(problem) => on_problem(problem),
            }
        }
        for page in &pages {
            for value in &page.digest.odd_ignores {
                on_problem(Problem {
                    severity: Severity::Warning,
                    path: page.path.clone(),
                    line: None,
                    reason: format!(
                        "data-pagefind-ignore value of {value:?} is not valid: expected no value, \
                         \"index\" or \"all\"; the element is left out as with \"all\""
                    ),
                });
            }
        }
        Ok((pages, files.len()))
    }

    fn file(&self, site: &Path, bounds: &Bounds, below: &Path) -> Result<Source, Problem> {
        let path = site.join(below);
        let refuse = |reason: String| Problem {
            severity: Severity::Error,
            path: path.clone(),
            line: None,
            reason,
        };
        let limit = self.options.max_file_bytes;
        let bytes = bytes_of(bounds, &path, limit)
            .map_err(|error| refuse(format!("cannot be read: {error}")))?
            .ok_or_else(|| {
                refuse(format!("has more than {limit} bytes; leave it out by the glob"))
            })?;
        let decoded = decode::html(&bytes, None);
        let names: Vec<_> =
            below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        let url = url_of(&names.join("/"), self.options.keep_index_url);
        self.html(path.clone(), url, &decoded.text).map_err(refuse)
    }

    /// Reads a page that is not a file, with the address or path that it would have.
    ///
    /// # Errors
    /// The reason why it cannot be read.
    pub fn page(&self, path: Option<&str>, url: Option<String>, html: &str) -> Result<Source> {
        let url = match (url, path) {
            (Some(url), _) => url,
            (None, Some(path)) => url_of(path.trim_start_matches('/'), self.options.keep_index_url),
            (None, None) => bail!("expected a path or a url of the page, found neither"),
        };
        let path = PathBuf::from(path.unwrap_or(&url));
        self.html(path, url, html).map_err(|reason| anyhow!(reason))
    }

    fn html(&self, path: PathBuf, url: String, html: &str) -> Result<Source, String> {
        if let Some(reason) = html::refused(html) {
            return Err(reason);
        }
        let digest = self.digest(html)?;
        let old_directory = refers_to_old_directory(html);
        let ui_scripts = UI_SCRIPTS.into_iter().filter(|name| html.contains(name)).collect();
        Ok(Source { path, url, digest, always: false, old_directory, ui_scripts })
    }
}

impl Reader {
    /// Returns the parts of a page, if its parser finishes in time.
    fn digest(&self, html: &str) -> Result<Digest, String> {
        let (html, selectors) = (html.to_owned(), Arc::clone(&self.selectors));
        let work = move || digest::read(&Html::parse_document(&html), &selectors);
        within_time(self.options.max_file_time, work)
    }
}

fn selector(text: &str, option: &str) -> Result<Selector> {
    Selector::parse(text)
        .map_err(|error| anyhow!("{option} `{text}`: expected a CSS selector: {error}"))
}

/// Returns the pages of a site, sorted.
fn find(
    site: &Path,
    bounds: &Bounds,
    glob: &GlobMatcher,
    on_problem: &mut dyn FnMut(Problem),
) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut links = Vec::new();
    let is_entered = |entry: &walkdir::DirEntry| {
        !(entry.file_type().is_dir() && entry.path().join(BUNDLE_ENTRY).is_file())
    };
    for entry in bounds.walk(site, is_entered, |path| links.push(path.to_owned())) {
        match entry {
            Ok(entry) if entry.file_type().is_file() => {
                let below = entry.path().strip_prefix(site).unwrap_or(entry.path());
                if glob.is_match(below) {
                    found.push(below.to_owned());
                }
            }
            Ok(_) => {}
            Err(error) => on_problem(Problem {
                severity: Severity::Error,
                path: error.path().unwrap_or(site).to_owned(),
                line: None,
                reason: format!("cannot be read: {error}"),
            }),
        }
    }
    links_left_out(links, &mut |severity, path, reason| {
        on_problem(Problem { severity, path: path.to_owned(), line: None, reason });
    });
    found
}

/// Returns the content of a file, unpacked if it is packed by gzip, as some servers store pages.
/// `None` if it has more than `limit` bytes.
fn bytes_of(bounds: &Bounds, path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let read = |from: &mut dyn Read| -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        from.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok((bytes.len() as u64 <= limit).then_some(bytes))
    };
    match read(&mut bounds.open(path)?)? {
        Some(packed) if packed.starts_with(&GZIP) => read(&mut GzDecoder::new(&packed[..])),
        bytes => Ok(bytes),
    }
}

/// Returns whether a page loads something from `_pagefind/`.
fn refers_to_old_directory(html: &str) -> bool {
    ["\"_pagefind", "'_pagefind", "/_pagefind"].iter().any(|start| html.contains(start))
}

/// Returns the address of a page below the site.
fn url_of(path: &str, keep_index_url: bool) -> String {
    let is_index = path == "index.html" || path.ends_with("/index.html");
    let left_out = if is_index && !keep_index_url { "index.html".len() } else { 0 };
    format!("/{}", &path[..path.len() - left_out])
}

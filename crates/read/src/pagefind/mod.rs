//! A rendered site as Pagefind reads it, for `--pagefind`: pages to index, and a fragment of each
//! for `pagefind.js`.

mod digest;
pub mod fragment;
mod pieces;
mod reader;
mod segments;
mod spec;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use findling_bundle::AttributeValue;

use super::Problem;
use findling_base::file_mode::Shared;
use findling_page::page::{Block, Page, Section};
use fragment::Fragment;
pub use reader::{Reader, Record, Source};

/// The attribute of a page's language, in sites of several.
const LANGUAGE: &str = "pagefind-language";
/// The attribute of the names that a page can be sorted by.
const SORTS: &str = "pagefind-sorts";
/// Prefix of the name of an attribute to sort by, because a filter may have the same name.
const SORT_PREFIX: &str = "sort:";
/// The language of pages that declare none.
const UNKNOWN: &str = "unknown";

/// The options for reading a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The element of each page that is read.
    pub root_selector: String,
    /// Elements that are not content.
    pub exclude_selectors: Vec<String>,
    /// The pattern of the files that are pages.
    pub glob: String,
    /// The language of all pages, regardless of their declarations.
    pub force_language: Option<String>,
    /// Keep `index.html` at the end of addresses.
    pub keep_index_url: bool,
    /// Larger files are left out, with an error.
    pub max_file_bytes: u64,
    /// A page that takes longer to parse is reported and left out.
    pub max_file_time: Duration,
    /// Follow links that lead out of the site.
    pub follow_links: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            root_selector: "html".to_owned(),
            exclude_selectors: Vec::new(),
            glob: "**/*.{html}".to_owned(),
            force_language: None,
            keep_index_url: false,
            max_file_bytes: 64 << 20,
            max_file_time: Duration::from_secs(120),
            follow_links: false,
        }
    }
}

/// A site that was read.
#[derive(Debug, Default)]
pub struct Site {
    /// Pages in the order of their paths. A page has the id of its fragment.
    pub pages: Vec<Page>,
    /// File names, relative to the bundle's directory, and contents.
    pub fragments: Vec<(String, Vec<u8>)>,
    /// Number of pages of each language; pages that declare none count for the most frequent
    /// language.
    pub languages: BTreeMap<String, usize>,
    /// Files that are pages, read or not.
    pub n_files: usize,
    /// Words of all pages.
    pub n_words: u64,
    /// Pages that declare no language.
    pub n_unknown: usize,
    /// Whether a page marks its body; pages that do not are then left out.
    pub marked_body: bool,
    /// Whether a page refers to `/_pagefind/`, the directory of Pagefind before 1.0.
    pub old_directory: bool,
    /// The scripts of Pagefind's own user interfaces that pages load.
    pub ui_scripts: BTreeSet<&'static str>,
    /// The users, besides the owner, who may read all pages.
    pub shared: Shared,
}

/// Reads a site.
///
/// # Errors
/// If a selector or the glob cannot be read.
pub fn read(site: &Path, options: &Options, on_problem: &mut dyn FnMut(Problem)) -> Result<Site> {
    let reader = Reader::new(options.clone())?;
    let (sources, n_files) = reader.directory(site, &options.glob, on_problem)?;
    let files = sources.iter().map(Source::path).chain([site]);
    let shared = Shared::default().and(files);
    Ok(Site { n_files, shared, ..finish(&sources, options) })
}

/// Returns the site of these pages. This step settles everything that depends on the whole site:
/// bodies, languages, types of attributes.
pub fn finish(sources: &[Source], options: &Options) -> Site {
    let old_directory = sources.iter().any(|page| page.old_directory);
    let ui_scripts = sources.iter().flat_map(|page| &page.ui_scripts).copied().collect();
    let marked_body = sources.iter().any(|page| page.digest.marked_body);
    let mut languages: BTreeMap<String, usize> = BTreeMap::new();
    let mut pages = Vec::with_capacity(sources.len());
    for source in sources {
        let language = source.language(options);
        let content = source.content(&language);
        let left_out = marked_body && !source.digest.marked_body && !source.always;
        if left_out || content.n_words == 0 {
            continue;
        }
        *languages.entry(language.clone()).or_default() += 1;
        pages.push((source, content, language));
    }
    let n_unknown = languages.get(UNKNOWN).copied().unwrap_or(0);
    let primary = primary_language(&languages);
    if primary != UNKNOWN
        && let Some(unknown) = languages.remove(UNKNOWN)
    {
        *languages.entry(primary.clone()).or_default() += unknown;
    }
    let numeric = numeric_sorts(pages.iter().map(|(source, ..)| &source.digest.sorts));
    let mut site =
        Site { n_unknown, marked_body, old_directory, ui_scripts, languages, ..Site::default() };
    for (source, content, language) in pages {
        let digest = &source.digest;
        let language = if language == UNKNOWN { primary.clone() } else { language };
        let fragment = Fragment {
            url: source.url.clone(),
            content: content.text,
            word_count: content.n_words,
            filters: digest.filters.clone(),
            meta: digest.meta.clone(),
            anchors: content.anchors,
            weights: content.weights,
        };
        site.n_words += u64::from(fragment.word_count);
        let (id, contents) = fragment.file(&language);
        let mut page = page_of(&fragment, content.sections);
        page.attributes = attributes(&fragment.filters, &digest.sorts, &numeric);
        if site.languages.len() > 1 {
            page.attributes.insert(LANGUAGE.to_owned(), AttributeValue::String(language.clone()));
        }
        page.sort_only = page
            .attributes
            .keys()
            .filter(|name| {
                [LANGUAGE, SORTS].contains(&name.as_str()) || name.starts_with(SORT_PREFIX)
            })
            .cloned()
            .collect();
        page.language = if language == UNKNOWN { String::new() } else { language };
        site.fragments.push((format!("{}/{id}.json", fragment::DIRECTORY), contents));
        page.id = id;
        site.pages.push(page);
    }
    site
}

/// Returns the language of most pages; ties go to the first by name.
fn primary_language(languages: &BTreeMap<String, usize>) -> String {
    let mut primary = (UNKNOWN, 0);
    for (language, n_pages) in languages.iter().filter(|(language, _)| *language != UNKNOWN) {
        if *n_pages > primary.1 {
            primary = (language, *n_pages);
        }
    }
    primary.0.to_owned()
}

/// Returns the names whose values are numbers on every page that has them.
fn numeric_sorts<'a>(
    pages: impl Iterator<Item = &'a BTreeMap<String, String>>,
) -> BTreeSet<String> {
    let mut all: BTreeMap<&str, bool> = BTreeMap::new();
    for (name, value) in pages.flatten() {
        *all.entry(name).or_insert(true) &= number(value).is_some();
    }
    all.retain(|_, numeric| *numeric);
    all.into_keys().map(str::to_owned).collect()
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

fn attributes(
    filters: &BTreeMap<String, Vec<String>>,
    sorts: &BTreeMap<String, String>,
    numeric: &BTreeSet<String>,
) -> BTreeMap<String, AttributeValue> {
    let mut attributes = BTreeMap::new();
    for (name, values) in filters {
        let values: BTreeSet<&String> = values.iter().filter(|value| !value.is_empty()).collect();
        if !values.is_empty() {
            let values = values.into_iter().cloned().collect();
            attributes.insert(name.clone(), AttributeValue::Strings(values));
        }
    }
    for (name, value) in sorts {
        let value = match number(value).filter(|_| numeric.contains(name)) {
            Some(number) => AttributeValue::Number(number),
            None => AttributeValue::String(value.clone()),
        };
        attributes.insert(format!("{SORT_PREFIX}{name}"), value);
    }
    if !sorts.is_empty() {
        let names = sorts.keys().cloned().collect();
        attributes.insert(SORTS.to_owned(), AttributeValue::Strings(names));
    }
    attributes
}

/// Returns whether metadata of this name is searched, not only shown.
fn is_searched(name: &str) -> bool {
    !matches!(name, "title" | "image" | "image_alt" | "url")
}

/// Returns the page as it is indexed: the fragment's text by sections, and its metadata.
fn page_of(fragment: &Fragment, mut sections: Vec<Section>) -> Page {
    let searched: Vec<Block> = fragment
        .meta
        .iter()
        .filter(|(name, value)| is_searched(name) && !value.is_empty())
        .map(|(_, value)| Block {
            text: value.clone(),
            code: Vec::new(),
            is_code_block: false,
            weight: 1.0,
        })
        .collect();
    if let Some(first) = sections.first_mut() {
        first.blocks.extend(searched);
    }
    let meta = fragment.meta.iter().filter(|(name, _)| *name != "title");
    Page {
        url: fragment.url.clone(),
        title: fragment.meta.get("title").cloned().unwrap_or_default(),
        meta: meta.map(|(name, value)| (name.clone(), value.clone())).collect(),
        sections,
        ..Page::default()
    }
}

#[cfg(test)]
mod tests;

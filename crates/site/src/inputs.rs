//! Reads the inputs of a build, except models.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use findling_base::file_mode::Shared;
use findling_base::progress::{Progress, count, thousands};
use findling_base::scratch::Scratch;
use findling_bundle::{EncoderCard, Synonym};
use findling_index::embedding::Cache;
use findling_index::synonyms;
use findling_index::write::{Extra, Shape};
use findling_page::page::Page;
use findling_read as sources;
use findling_read::boosts_and_pins::Pins;
use findling_read::conversations::fields::Fields;
use findling_read::page_cache::PageCache;
use findling_read::{Included, LostWords, Problem, Read, Severity};

use crate::client::{self, standalone};
use crate::error::{Error, Result};
use crate::exchange;
use crate::kept::Kept;
use crate::options::{Client, Form, Options, Reading};
use crate::parts;
use crate::ranking;

/// The input of a build.
#[derive(Default)]
pub struct Input {
    /// The pages.
    pub pages: Vec<Page>,
    /// Files that could not be read.
    pub n_unreadable: usize,
    /// Files that pages include.
    pub included: Vec<Included>,
    /// Files to write beside the bundle, made from the pages.
    pub extras: Vec<Extra>,
    /// Languages of pages that `pagefind.js` may be asked to search.
    pub pagefind_languages: Vec<String>,
    /// Users besides the owner who may read the sources.
    pub shared: Shared,
    /// Vectors that were computed elsewhere; a cache is not needed then.
    pub embeddings: Option<Vectors>,
}

/// Vectors that were computed elsewhere.
pub enum Vectors {
    Parts(parts::Embeddings),
    Tables(exchange::Vectors),
}

impl Vectors {
    /// Returns all of them, as a cache in `directory`.
    ///
    /// # Errors
    /// If they cannot be read, or are of another model.
    pub fn cache(self, directory: &Path, card: &EncoderCard) -> Result<Cache> {
        match self {
            Self::Parts(embeddings) => Ok(embeddings.cache(directory, card)?),
            Self::Tables(vectors) => Ok(vectors.cache(directory, card)?),
        }
    }
}

/// Files that configure a build.
pub struct Settings {
    pub synonyms: Vec<Synonym>,
    pub pins: Pins,
    /// Ranking parameters in the manifest's order; empty for the defaults.
    pub ranking: Vec<f32>,
}

impl Settings {
    /// Reads the files that the options name.
    ///
    /// # Errors
    /// If a file cannot be read or is not of its format.
    pub fn read(options: &Options) -> Result<Self> {
        let synonyms = match &options.reading.synonyms {
            None => Vec::new(),
            Some(path) => {
                let path = path.clone();
                match std::fs::read_to_string(&path) {
                    Ok(text) => {
                        synonyms::parse(&text).map_err(|source| Error::Synonyms { path, source })?
                    }
                    Err(source) => return Err(Error::Named { option: "synonyms", path, source }),
                }
            }
        };
        let pins = options.reading.pins.as_deref().map(Pins::read).transpose()?.unwrap_or_default();
        let ranking = match &options.reading.ranking {
            None => Vec::new(),
            Some(path) => {
                let setting = ranking::read(path)?;
                if setting == ranking::defaults() { Vec::new() } else { setting.to_vec() }
            }
        };
        Ok(Self { synonyms, pins, ranking })
    }
}

/// Checks that every input exists.
///
/// # Errors
/// If an input does not exist.
pub fn check_inputs(options: &Options) -> Result<()> {
    if !options.tree.is_disk() {
        return Ok(());
    }
    for input in &options.inputs {
        std::fs::metadata(input)
            .map_err(|source| Error::NoInput { path: input.clone(), source })?;
    }
    Ok(())
}

/// Returns all texts of the pages.
pub fn texts_of(pages: &[Page]) -> Vec<&str> {
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

/// Returns the shape of the output.
pub fn shape(options: &Options) -> Result<Shape> {
    let output = &options.output;
    let named_as_file = output.extension().is_some_and(|extension| extension == "findling");
    match (options.form, named_as_file) {
        (Form::SinglePage, _) => standalone::form(output).map(|_| Shape::Standalone),
        (Form::SingleFile, true) => Ok(Shape::FileAlone),
        (Form::SingleFile, false) => Ok(Shape::SingleFile),
        (Form::Files, false) => Ok(options.host.shape()),
        (Form::Files, true) => Err(Error::FileName { output: output.clone() }),
    }
}

/// Returns the files of the web client that go beside the bundle.
pub fn client_files(
    options: &Options,
    shape: Shape,
    progress: &dyn Progress,
) -> Result<Vec<Extra>> {
    let directory = match &options.client {
        Client::Directory(directory) => Some(directory.as_path()),
        Client::BuiltIn | Client::None => None,
    };
    if options.client == Client::None || shape == Shape::FileAlone {
        if directory.is_some() {
            return Err(Error::ClientBesideFile);
        }
        return Ok(Vec::new());
    }
    if shape == Shape::Standalone {
        let files = client::files(directory)?;
        standalone::check(&files)?;
        return Ok(files);
    }
    match client::files(directory) {
        Ok(mut files) => {
            files.retain(|file| options.pagefind.is_some() || file.path != client::PAGEFIND);
            files.retain(|file| file.path != client::STANDALONE);
            Ok(files)
        }
        // A client that the user named must exist. The built-in client may be missing.
        Err(error) if directory.is_some() => Err(error),
        Err(error) => {
            progress.warn(error);
            Ok(Vec::new())
        }
    }
}

/// Reports a problem; returns whether it means that a file could not be read.
pub fn tell(problem: &Problem, progress: &dyn Progress) -> bool {
    let place = match problem.line {
        Some(line) => format!("{}:{line}", problem.path.display()),
        None => problem.path.display().to_string(),
    };
    match problem.severity {
        Severity::Skipped => progress.detail(format!("{place}: skipped: {}", problem.reason)),
        Severity::Warning | Severity::Error => {
            progress.warn(format!("{place}: {}", problem.reason))
        }
    }
    problem.severity == Severity::Error
}

/// Returns the prefix of addresses: the user's prefix, or for a standalone file the relative path
/// from its directory to the input's directory.
fn base_url(options: &Options) -> String {
    let Reading { base_url, root, .. } = &options.reading;
    if options.form != Form::SinglePage || !base_url.is_empty() {
        return base_url.clone();
    }
    let Some(input) = root.as_ref().or(options.inputs.first()) else { return String::new() };
    let directory = if input.is_dir() { Some(&**input) } else { input.parent() };
    let here = options.output.parent();
    let absolute = |directory: Option<&Path>| {
        let directory = directory.filter(|directory| !directory.as_os_str().is_empty());
        std::path::absolute(directory.unwrap_or(Path::new("."))).ok()
    };
    match (absolute(here), absolute(directory)) {
        (Some(from), Some(to)) => way(&from, &to),
        _ => String::new(),
    }
}

/// Returns the relative address of one directory seen from another, with a slash at its end unless
/// they are the same.
fn way(from: &Path, to: &Path) -> String {
    let parts = |path: &Path| -> Vec<String> {
        path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
    };
    let (from, to) = (parts(from), parts(to));
    let shared = from.iter().zip(&to).take_while(|(from, to)| from == to).count();
    let up = from[shared..].iter().map(|_| "..".to_owned());
    let down = to[shared..].iter().map(|part| sources::encode(part));
    up.chain(down).map(|part| part + "/").collect()
}

/// Returns the options of the readers.
///
/// # Errors
/// If a file of names cannot be read, or the program or a language that recognises scans is
/// missing.
pub fn reading_options(options: &Options, pins: Pins) -> Result<sources::Options> {
    let reading = &options.reading;
    Ok(sources::Options {
        format: reading.format,
        base_url: base_url(options),
        root: reading.root.clone(),
        // On a disk, a path that ends with a slash shows a list of files.
        keep_index_html: reading.keep_index_html || options.form == Form::SinglePage,
        markdown_urls: reading.markdown_urls,
        attribute_from_path: reading.attribute_from_path.clone(),
        language: reading.language.clone(),
        max_file_bytes: reading.max_file_size.saturating_mul(1 << 20),
        max_file_time: Duration::from_secs(reading.max_file_seconds),
        follow_links: reading.follow_links,
        definition_sections: !reading.no_definition_sections,
        exclude: reading.exclude.clone(),
        boosts: reading.boost.clone(),
        pins,
        tool_output: reading.tool_output,
        chat_fields: reading.chat_fields.as_deref().map(Fields::read).transpose()?,
        references: reading.references,
        ocr: reading.ocr.as_deref().map(checked_ocr).transpose()?,
        trace: false,
        tree: options.tree.clone(),
        // These read the texts of all pages.
        scratch: (options.assistants.is_none() && options.meaning.vocabulary_budget.is_none())
            .then(|| Arc::new(Scratch::new(options.memory / 2))),
    })
}

/// Checks that `tesseract` has these languages, joined by `+`, and returns them.
///
/// # Errors
/// The error names what is missing.
pub fn checked_ocr(languages: &str) -> Result<String> {
    sources::check_ocr(languages).map_err(Error::Scans)?;
    Ok(languages.to_owned())
}

/// Reads all pages, without parsing the files whose pages are kept.
pub fn read_pages(
    options: &Options,
    kept: Option<&Kept>,
    pins: Pins,
    progress: &dyn Progress,
) -> Result<Input> {
    let reading = reading_options(options, pins)?;
    let (mut unreadable, mut skipped) = (0, BTreeMap::new());
    let mut on_problem = |problem: Problem| {
        if problem.severity == Severity::Skipped {
            *skipped.entry(kind_of_reason(&problem.reason)).or_default() += 1;
        }
        unreadable += usize::from(tell(&problem, progress));
    };
    let bar = progress.count("Reading", Some(0), "files");
    let cache = kept.map(|kept| {
        let cache = PageCache::open(&kept.pages, Some(&kept.hashes));
        cache.with_listing(kept.listing.as_ref()).shared(kept.shares_pages)
    });
    // All files in memory are meant, unless some are named.
    let whole = [PathBuf::new()];
    let inputs = match &options.inputs[..] {
        [] if !options.tree.is_disk() => &whole[..],
        inputs => inputs,
    };
    let read = sources::read_cached(inputs, &reading, cache, &bar, &mut on_problem);
    let Read { pages, included, shared, lost } = read;
    tell_left_out(&lost, &skipped, progress);
    check_found(&pages, options, unreadable)?;
    Ok(Input { pages, n_unreadable: unreadable, included, shared, ..Input::default() })
}

/// Rules that are named in the report.
const MAX_RULES_TOLD: usize = 6;

/// Reports how much text of the pages was left out, and how many whole files and pages.
fn tell_left_out(lost: &[LostWords], skipped: &BTreeMap<String, u64>, progress: &dyn Progress) {
    let named = lost.iter().take(MAX_RULES_TOLD).map(|lost| {
        let (words, pages) = (thousands(lost.words), count(lost.pages as u64, "pages"));
        format!("{words} by {} ({pages})", lost.rule.name())
    });
    let named: Vec<String> = named.collect();
    if !named.is_empty() {
        let words = thousands(lost.iter().map(|lost| lost.words).sum());
        let named = named.join(", ");
        progress.status("Left out", format!("{words} words: {named}; see inspect --extraction"));
    }
    if !skipped.is_empty() {
        let all = count(skipped.values().sum(), "files and pages");
        let mut reasons: Vec<_> = skipped.iter().collect();
        reasons.sort_by_key(|(reason, n)| (Reverse(**n), *reason));
        let named = reasons.iter().take(MAX_RULES_TOLD);
        let mut named: Vec<String> =
            named.map(|(reason, n)| format!("{} {reason}", thousands(**n))).collect();
        let rest: u64 = reasons.iter().skip(MAX_RULES_TOLD).map(|(_, n)| **n).sum();
        if rest > 0 {
            named.push(format!("{} for other reasons", thousands(rest)));
        }
        let named = named.join("; ");
        progress.status("Left out", format!("{all} as a whole: {named}; --verbose names them"));
    }
}

/// Returns the common part of reasons of one kind: the words before the details, without numbers.
fn kind_of_reason(reason: &str) -> String {
    let end = reason.find([':', ';', ',', '(', '"', '`']).unwrap_or(reason.len());
    let words = reason[..end].split_whitespace();
    let words = words.filter(|word| !word.contains(|c: char| c.is_ascii_digit()));
    let words = words.collect::<Vec<_>>().join(" ");
    match words.strip_prefix("has ") {
        Some(what) => format!("with {what}"),
        None => words.strip_prefix("is ").unwrap_or(&words).to_owned(),
    }
}

/// Fails if there is no page.
pub fn check_found(pages: &[Page], options: &Options, unreadable: usize) -> Result<()> {
    if pages.is_empty() {
        let inputs = options.inputs.clone();
        return Err(Error::NoPage { inputs, unreadable: unreadable > 0 });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_differ_in_details_are_one_kind() {
        for (reason, kind) in [
            ("is of a kind that is not read: .png", "of a kind that is not read"),
            ("is written by a program, as its name says: *.min.js", "written by a program"),
            ("has lines of 512 bytes on average: minified", "with lines of bytes on average"),
            ("is a draft", "a draft"),
        ] {
            assert_eq!(kind_of_reason(reason), kind);
        }
    }
}

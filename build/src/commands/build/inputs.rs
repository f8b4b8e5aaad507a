//! Reads the inputs of `findling build`, except models.

use std::path::Path;

use anyhow::{Context, Result, bail};
use findling_bundle::Synonym;

use super::args::Args;
use super::hosting::Hosting;
use crate::index::write::{Extra, Shape};
use crate::index::{Kept, client, synonyms};
use crate::page::Page;
use crate::ranking;
use crate::sources::boosts_and_pins::Pins;
use crate::sources::conversations::fields::Fields;
use crate::sources::page_cache::PageCache;
use crate::sources::{self, Problem, Severity};
use crate::ui::Ui;

/// The input of a build.
pub struct Input {
    pub pages: Vec<Page>,
    /// Files that could not be read.
    pub n_unreadable: usize,
    /// Files to write beside the bundle, made from the pages.
    pub extras: Vec<Extra>,
}

/// Files that configure a build.
pub struct Settings {
    pub synonyms: Vec<Synonym>,
    pub pins: Pins,
    /// Ranking parameters in the manifest's order; empty for the defaults.
    pub ranking: Vec<f32>,
}

impl Settings {
    /// Reads the files that the arguments name.
    ///
    /// # Errors
    /// If a file cannot be read or is not of its format.
    pub fn read(args: &Args) -> Result<Self> {
        let synonyms = match &args.reading.synonyms {
            None => Vec::new(),
            Some(path) => {
                let text = std::fs::read_to_string(path).with_context(|| {
                    format!(
                        "--synonyms {}: the file cannot be \
                         read",
                        path.display()
                    )
                })?;
                synonyms::parse(&text).with_context(|| format!("--synonyms {}", path.display()))?
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
        Ok(Self { synonyms, pins, ranking })
    }
}

/// Checks that every input exists.
pub fn check_inputs(args: &Args) -> Result<()> {
    for input in &args.inputs {
        std::fs::metadata(input).with_context(|| {
            format!(
                "{}: expected an input, found nothing; check the \
                 path",
                input.display()
            )
        })?;
    }
    Ok(())
}

/// All texts of the pages.
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

/// The shape of the output.
pub fn shape(output: &Path, single_file: bool, host: Hosting) -> Result<Shape> {
    let named_as_file = output.extension().is_some_and(|extension| extension == "findling");
    match (single_file, named_as_file) {
        (true, true) => Ok(Shape::FileAlone),
        (true, false) => Ok(Shape::SingleFile),
        (false, false) => Ok(host.shape()),
        (false, true) => bail!(
            "--output {}: a name that ends in .findling needs --single-file; add it, or name a \
             directory",
            output.display()
        ),
    }
}

/// The files of the web client that go beside the bundle.
pub fn client_files(args: &Args, shape: Shape, ui: &Ui) -> Result<Vec<Extra>> {
    if args.no_client || shape == Shape::FileAlone {
        if args.client.is_some() {
            bail!(
                "--client needs a directory for the client's files, but --output is a single file: \
                 give a directory"
            );
        }
        return Ok(Vec::new());
    }
    match client::files(args.client.as_deref()) {
        Ok(mut files) => {
            files.retain(|file| args.pagefind || file.path != client::PAGEFIND);
            Ok(files)
        }
        // A client that the user named must exist. The built-in client may be missing.
        Err(error) if args.client.is_some() => Err(error),
        Err(error) => {
            ui.warn(error);
            Ok(Vec::new())
        }
    }
}

/// Tells about a problem; returns whether a file could not be read.
pub fn tell(problem: &Problem, ui: &Ui) -> bool {
    let place = match problem.line {
        Some(line) => format!("{}:{line}", problem.path.display()),
        None => problem.path.display().to_string(),
    };
    match problem.severity {
        Severity::Skipped => ui.detail(format!("{place}: skipped: {}", problem.reason)),
        Severity::Warning | Severity::Error => ui.warn(format!("{place}: {}", problem.reason)),
    }
    problem.severity == Severity::Error
}

/// Reads all pages, without parsing the files whose pages are kept.
pub fn read_pages(args: &Args, kept: Option<&Kept>, pins: Pins, ui: &Ui) -> Result<Input> {
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
        tool_output: reading.tool_output,
        chat_fields: reading.chat_fields.as_deref().map(Fields::read).transpose()?,
        references: reading.references,
        ocr: reading.ocr.languages()?,
        trace: false,
    };
    let mut unreadable = 0;
    let mut on_problem = |problem: Problem| unreadable += usize::from(tell(&problem, ui));
    let bar = ui.bar("Reading", 0, "files");
    let cache = kept.map(|kept| PageCache::open(&kept.pages, Some(&kept.hashes)));
    let pages = sources::read_cached(&args.inputs, &options, cache, &bar, &mut on_problem);
    if pages.is_empty() {
        let inputs: Vec<String> =
            args.inputs.iter().map(|input| input.display().to_string()).collect();
        bail!(
            "found no page in {}: expected .html, .md, .jsonl or .pdf files, source code or \
             conversations{}",
            inputs.join(", "),
            if unreadable > 0 { " that can be read" } else { "" }
        );
    }
    Ok(Input { pages, n_unreadable: unreadable, extras: Vec::new() })
}

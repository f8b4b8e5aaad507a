//! Source code: a page is a file, a section a function, a class or a block between them.
//!
//! A repository contains code and documents: each file is read by its own kind, and becomes a page
//! with the file's path as its title and address.
//!
//! The address of a section ends in its lines, `src/pool.rs#L10-L24`, as code hosts write them. The
//! lines of all sections together are the file's lines that are not blank, each once.

mod blocks;
mod kinds;
mod languages;
mod lines;
mod packages;
#[cfg(feature = "code")]
mod parse;
#[cfg(feature = "code")]
mod pieces;
mod priors;
mod repository;
mod sections;
#[cfg(feature = "code")]
mod symbol_sections;
#[cfg(feature = "code")]
mod symbols;
mod unwanted;
#[cfg(feature = "code")]
mod visibility;
mod walk;

use std::path::Path;

use findling_engine::BOOST;

use super::attributes::Raw;
use super::file::File;
use super::{
    Format, Options, Outcome, Problem, RawPage, Severity, documents, html, markdown, org, rst,
};

pub(super) use kinds::{Counts, is_code, is_repository};
pub use priors::is_program;
pub(super) use repository::describe;
pub(super) use walk::walk;

/// Reads a file of a repository that is an archive or a PDF. Returns `None` if it is read as text.
pub(super) fn read_bytes(
    bytes: &[u8],
    file: &File,
    options: &Options,
    outcome: &mut Outcome,
) -> Option<Option<RawPage>> {
    let language = kinds::document_language(&file.path)?;
    let mut inner = Outcome::default();
    let read = match language {
        "html" => return None,
        "pdf" => super::read_pdf(bytes, file, options, &mut inner),
        _ => documents::read(bytes, file, options, &mut inner),
    };
    take_problems(inner, outcome);
    Some(read.map(|raw| as_file(raw, file, language, options)))
}

/// Returns the largest size of a file of a repository, in bytes.
pub(super) fn max_bytes(path: &Path) -> u64 {
    match kinds::document_language(path) {
        Some("pdf" | "document") => unwanted::MAX_DOCUMENT_BYTES,
        _ => unwanted::MAX_BYTES,
    }
}

/// Handles the problems of a document. Repositories contain documents that are broken on purpose,
/// for tests; their unreadable parts are left out.
fn take_problems(inner: Outcome, outcome: &mut Outcome) {
    let softer = |problem: Problem| Problem { severity: Severity::Skipped, ..problem };
    outcome.problems.extend(inner.problems.into_iter().map(softer));
    outcome.included.extend(inner.included);
    outcome.may_change |= inner.may_change;
}

/// Gives a page the address, the title and the attributes of its file.
fn as_file(mut raw: RawPage, file: &File, language: &str, options: &Options) -> RawPage {
    raw.page.url.clear();
    raw.page.title.clone_from(&file.id);
    // The rules for the pages of a site do not apply to files.
    raw.hints = None;
    raw.attributes.insert("language".to_owned(), Raw::Text(language.to_owned()));
    raw.attributes.insert("path".to_owned(), Raw::Text(file.id.clone()));
    let prior = match &file.package {
        Some(package) => packages::describe(&mut raw, package, file),
        None => priors::of(&file.id, language),
    };
    if prior != 1.0 && !options.boosts.iter().any(|boost| boost.is_of(&file.id)) {
        raw.attributes.entry(BOOST.to_owned()).or_insert(Raw::Number(prior));
    }
    raw
}

/// Reads a file. `Err` has the reason why it is left out on purpose.
pub(super) fn read(
    text: &str,
    file: &File,
    options: &Options,
    outcome: &mut Outcome,
) -> Result<RawPage, String> {
    if let Some(reason) = unwanted::reason(&file.path, text) {
        return Err(reason);
    }
    let format = Format::of_name(&file.path);
    if let Some((format, text)) = packages::description(file, text) {
        let file = File { path: file.path.with_extension(format), ..file.clone() };
        return read(&text, &file, options, outcome);
    }
    let mut inner = Outcome::default();
    let read = match format {
        Some(Format::Html) => html::read(text, &file.id, options).map(|raw| (raw, "html")),
        Some(Format::Rst) => {
            rst::read(text, file, options, &mut inner).map(|raw| (raw, "restructuredtext"))
        }
        Some(Format::Asciidoc) => {
            super::read_asciidoc(text, file, options, &mut inner).map(|raw| (raw, "asciidoc"))
        }
        Some(Format::Org) => org::read(text, file, options, &mut inner).map(|raw| (raw, "org")),
        Some(Format::Markdown) => {
            markdown::read(text, file, options, &mut inner).map(|raw| (raw, "markdown"))
        }
        _ => {
            let mut raw = RawPage::default();
            let known = languages::of_name(&file.path).or_else(|| languages::of_first_line(text));
            raw.page.sections = sections::of(text, known, file.package.is_some());
            Ok((raw, known.map_or("text", |language| language.name)))
        }
    };
    take_problems(inner, outcome);
    read.map(|(raw, language)| as_file(raw, file, language, options))
}

#[cfg(test)]
mod tests;

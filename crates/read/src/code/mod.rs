//! Source code: a page is a file, a section a function, a class or a block between them.
//!
//! The address of a section ends in its lines, `src/pool.rs#L10-L24`, as code hosts write them. The
//! lines of all sections together are the file's lines that are not blank, each once.

mod blocks;
#[cfg(feature = "code")]
mod comments;
mod languages;
mod lines;
#[cfg(feature = "code")]
mod parse;
#[cfg(feature = "code")]
mod pieces;
mod repository;
mod sections;
#[cfg(feature = "code")]
mod symbol_sections;
#[cfg(feature = "code")]
mod symbols;
mod unwanted;
mod walk;

use std::path::Path;

use super::attributes::Raw;
use super::file::File;
use super::{Format, Options, Outcome, RawPage, markdown, org, rst};

pub(super) use repository::describe;
pub(super) use unwanted::MAX_BYTES;
pub(super) use walk::walk;

/// Returns whether the file is one that [`read`] reads.
pub(super) fn is_code(path: &Path) -> bool {
    languages::of_name(path).is_some()
}

/// Returns whether the file is prose beside the code, read by its headings.
pub(super) fn is_markup(path: &Path) -> bool {
    super::Format::of_name(path).is_some_and(Format::is_markup)
}

/// Reads a file. `Err`: it is left out on purpose, and why.
pub(super) fn read(
    text: &str,
    file: &File,
    options: &Options,
    outcome: &mut Outcome,
) -> Result<RawPage, String> {
    if let Some(reason) = unwanted::reason(&file.path, text) {
        return Err(reason);
    }
    let mut raw;
    let language;
    if let Some(format) = super::Format::of_name(&file.path).filter(|format| format.is_markup()) {
        (raw, language) = match format {
            Format::Rst => (rst::read(text, file, options, outcome)?, "restructuredtext"),
            Format::Asciidoc => (super::read_asciidoc(text, file, options, outcome)?, "asciidoc"),
            Format::Org => (org::read(text, file, options, outcome)?, "org"),
            _ => (markdown::read(text, file, options, outcome)?, "markdown"),
        };
    } else {
        raw = RawPage::default();
        let known = languages::of_name(&file.path).or_else(|| languages::of_first_line(text));
        raw.page.sections = sections::of(text, known);
        language = known.map_or("text", |language| language.name);
    }
    raw.page.url.clear();
    raw.page.title.clone_from(&file.id);
    raw.attributes.insert("language".to_owned(), Raw::Text(language.to_owned()));
    raw.attributes.insert("path".to_owned(), Raw::Text(file.id.clone()));
    Ok(raw)
}

#[cfg(test)]
mod tests;

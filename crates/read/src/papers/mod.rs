//! Papers: bibliographies, and the papers beside them.
//!
//! A page is a paper. Its metadata come from BibTeX, BibLaTeX, RIS, EndNote, PubMed, Zotero,
//! CSL-JSON or JSON lines; its sections from a file with its text, which [`join`] finds. A paper
//! without a text has its abstract; a text without metadata is a paper about which nothing is
//! known.

#[cfg(feature = "bibliographies")]
mod attachments;
mod author;
#[cfg(feature = "bibliographies")]
mod bibtex;
mod chunk_types;
mod citation;
mod csl;
#[cfg(feature = "bibliographies")]
mod exports;
mod join;
mod markup;
#[cfg(feature = "bibliographies")]
mod one_record;
mod page;
mod paper;
mod plain_text;
#[cfg(feature = "bibliographies")]
mod ris;
#[cfg(feature = "databases")]
mod zotero;

use std::path::Path;

use super::file::File;
use super::left_out::Trace;
use super::notes::Notes;
use super::tree::Tree;
use super::{Options, Outcome, RawPage, Severity, decode, markdown};

pub(super) use join::join;
pub(super) use paper::Paper;
pub use paper::{Kind, UNKNOWN};

/// Bytes at the start of a JSON file by which it is recognised.
const SNIFFED_BYTES: u64 = 256 << 10;

/// Bytes at the start of an XML file by which it is recognised.
const XML_START_BYTES: u64 = 4 << 10;

/// The formats of papers and their metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Bibtex,
    Ris,
    /// An export of PubMed in lines (`.nbib`).
    Nbib,
    /// An export of EndNote in lines (`.enw`).
    Enw,
    /// An export of EndNote or PubMed, if it is one.
    Xml,
    /// The library of Zotero.
    Zotero,
    Csl,
    JsonLines,
    Markdown,
    PlainText,
    Pdf,
}

fn form_of(path: &Path) -> Option<Form> {
    if is_database(path) {
        return Some(Form::Zotero);
    }
    let extension = path.extension()?.to_string_lossy().to_ascii_lowercase();
    match extension.as_str() {
        "bib" | "bibtex" | "biblatex" => Some(Form::Bibtex),
        "ris" => Some(Form::Ris),
        "nbib" => Some(Form::Nbib),
        "enw" => Some(Form::Enw),
        "xml" => Some(Form::Xml),
        "json" | "csl" => Some(Form::Csl),
        "jsonl" | "ndjson" => Some(Form::JsonLines),
        "md" | "markdown" => Some(Form::Markdown),
        "txt" | "text" => Some(Form::PlainText),
        "pdf" => Some(Form::Pdf),
        _ => None,
    }
}

/// Returns whether a file can hold papers or their metadata: by its name, and by its start if the
/// name is one of many other files.
pub(super) fn has_name(path: &Path, tree: &Tree) -> bool {
    match form_of(path) {
        Some(Form::Xml) => is_bibliography(path, tree),
        form => form.is_some(),
    }
}

/// The name of Zotero's library.
const ZOTERO: &str = "zotero.sqlite";

/// Returns whether a file is a library that a program keeps in a database, by its name.
pub(super) fn is_database(path: &Path) -> bool {
    cfg!(feature = "databases") && path.file_name().is_some_and(|name| name == ZOTERO)
}

/// Returns whether a directory is the library of a program, whatever other files it has: Zotero
/// keeps pages of the web beside papers.
pub(super) fn is_library(directory: &Path, tree: &Tree) -> bool {
    cfg!(feature = "databases") && tree.is_file(&directory.join(ZOTERO))
}

#[cfg(feature = "databases")]
fn of_database(bytes: &[u8], path: &Path, notes: &mut Notes, outcome: &mut Outcome) -> Vec<Paper> {
    zotero::read(bytes, path, notes, outcome)
}

/// Returns no papers: without the feature `databases`, no database is read.
#[cfg(not(feature = "databases"))]
fn of_database(_: &[u8], _: &Path, _: &mut Notes, _: &mut Outcome) -> Vec<Paper> {
    Vec::new()
}

/// Returns whether papers or their metadata have files with this name, and most other files do not.
pub(super) fn has_own_name(path: &Path) -> bool {
    form_of(path).is_some_and(|form| form != Form::Xml)
}

/// Returns whether a file is a bibliography, by its name or its start.
pub(super) fn is_bibliography(path: &Path, tree: &Tree) -> bool {
    match form_of(path) {
        Some(Form::Bibtex | Form::Ris | Form::Nbib | Form::Enw | Form::Zotero) => true,
        Some(Form::Xml) => {
            let start = tree.start(path, XML_START_BYTES);
            is_xml_export(&String::from_utf8_lossy(&start))
        }
        Some(Form::Csl) => {
            let start = tree.start(path, SNIFFED_BYTES);
            csl::is_list_of_papers(&String::from_utf8_lossy(&start))
        }
        _ => false,
    }
}

/// Returns whether a file has a value on each line. Then the limit of a file's size applies to each
/// line.
pub(super) fn is_lines(path: &Path) -> bool {
    form_of(path) == Some(Form::JsonLines)
}

/// Reads a file.
pub(super) fn read(bytes: &[u8], file: &File, options: &Options, outcome: &mut Outcome) {
    let Some(form) = form_of(&file.path) else {
        let reason = "expected a bibliography (.bib, .ris, .nbib, .enw, .xml, .json, .jsonl) or a \
                      text (.pdf, .md, .txt), found another name";
        outcome.tell(Severity::Error, &file.path, None, reason);
        return;
    };
    if form == Form::Pdf {
        if let Some(mut raw) = super::read_pdf(bytes, file, options, outcome) {
            raw.page.title = raw.names.explicit.clone().unwrap_or_default();
            page::add_document(raw, file, options, outcome);
        }
        return;
    }
    let mut notes = Notes::default();
    if form == Form::Zotero {
        let papers = of_database(bytes, &file.path, &mut notes, outcome);
        add(papers, file, options, notes, outcome);
        return;
    }
    let decoded = decode::plain(bytes, None);
    if let Some(warning) = decoded.warning {
        notes.tell(Severity::Warning, None, warning);
    }
    let text = decoded.text.replace('\0', " ");
    let papers = match form {
        Form::Bibtex | Form::Ris | Form::Nbib | Form::Enw | Form::Xml => {
            bibliography(&text, form, &mut notes)
        }
        Form::Csl => csl::read(&text, &mut notes),
        Form::JsonLines => csl::read_lines(&text, options, &mut notes),
        Form::Markdown | Form::PlainText | Form::Pdf | Form::Zotero => {
            document(&text, form, file, options, outcome);
            notes.report(&file.path, outcome);
            return;
        }
    };
    add(papers, file, options, notes, outcome);
}

/// Adds the papers of a bibliography as pages, and reports what could not be read.
fn add(
    papers: Vec<Paper>,
    file: &File,
    options: &Options,
    mut notes: Notes,
    outcome: &mut Outcome,
) {
    if papers.is_empty() && notes.is_empty() {
        let reason = "has no paper: expected entries of a bibliography";
        notes.tell(Severity::Skipped, None, reason);
    }
    page::add(papers, file, options, &mut notes, outcome);
    notes.report(&file.path, outcome);
}

/// Reads a bibliography in a form of its own.
#[cfg(feature = "bibliographies")]
fn bibliography(text: &str, form: Form, notes: &mut Notes) -> Vec<Paper> {
    match form {
        Form::Bibtex => bibtex::read(text, notes),
        Form::Nbib => exports::pubmed(text, notes),
        Form::Enw => exports::endnote(text, notes),
        Form::Xml => exports::xml(text, notes),
        _ => ris::read(text, notes),
    }
}

#[cfg(not(feature = "bibliographies"))]
fn bibliography(_: &str, _: Form, notes: &mut Notes) -> Vec<Paper> {
    notes.malformed(1, "is of a form that is not read here; `findling build` reads it");
    Vec::new()
}

/// Returns whether XML begins like an export of EndNote or PubMed.
fn is_xml_export(start: &str) -> bool {
    let is_endnote = start.contains("<records>") && start.contains("<record>");
    is_endnote || start.contains("<PubmedArticleSet")
}

/// Reads the text of a paper.
fn document(text: &str, form: Form, file: &File, options: &Options, outcome: &mut Outcome) {
    let mut raw = RawPage::default();
    if form == Form::Markdown {
        match markdown::read(text, file, options, outcome) {
            Ok(read) => raw = read,
            Err(reason) => {
                outcome.tell(Severity::Skipped, &file.path, None, reason);
                return;
            }
        }
        raw.page.title = raw.names.explicit.clone().or(raw.names.h1.clone()).unwrap_or_default();
    } else {
        let document = plain_text::read(text);
        raw.page.title = document.title.unwrap_or_default();
        raw.page.sections = document.sections;
    }
    page::add_document(raw, file, options, outcome);
}

/// Sets for each section of a text which part of a paper it is.
fn classify(raw: &mut RawPage, options: &Options) {
    let mut trace = Trace::new(options.trace);
    trace.extend(std::mem::take(&mut raw.left_out));
    let sections = std::mem::take(&mut raw.page.sections);
    raw.page.sections = chunk_types::classify(sections, options.references, &mut trace);
    raw.left_out = trace.finish();
}

#[cfg(test)]
mod tests;

//! Documents: word processor files, books, notebooks, manual pages, descriptions of interfaces and
//! plain text.
//!
//! Word files and OpenDocument texts are archives of XML, which [`xml`] reads piece by piece and
//! [`writer`] writes into sections. Books are archives of HTML, notebooks contain Markdown; the
//! readers of those formats read them. `docs/sources.md` describes which parts of each are read.

mod archive;
mod docx;
mod epub;
mod notebook;
mod odt;
mod writer;
mod xml;

use std::path::Path;

use super::file::File;
use super::left_out::LeftOut;
use super::outline::{Outline, fold};
use super::{
    Options, Outcome, RawPage, Severity, api_description, decode, manual, markdown, plain_text,
};
use findling_page::page::Section;

/// The form of a document, by the end of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Docx,
    Odt,
    Epub,
    Notebook,
    Api,
    Manual,
    Text,
}

fn form_of(path: &Path) -> Option<Form> {
    if manual::has_name(path) {
        return Some(Form::Manual);
    }
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "docx" | "docm" => Some(Form::Docx),
        "odt" | "ott" => Some(Form::Odt),
        "epub" => Some(Form::Epub),
        "ipynb" => Some(Form::Notebook),
        "json" | "yaml" | "yml" => Some(Form::Api),
        "txt" | "text" => Some(Form::Text),
        _ => None,
    }
}

/// Returns whether the file is of a form that no site generator turns into a page.
pub(super) fn is_office(path: &Path) -> bool {
    matches!(form_of(path), Some(Form::Docx | Form::Odt | Form::Epub))
}

/// Returns the advice for a file in a form that is not read, although people keep text in it.
pub(super) fn remedy(path: &Path) -> Option<&'static str> {
    Some(match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "doc" | "dot" | "rtf" | "wpd" | "wps" | "pages" => "save it as .docx or .odt",
        "ppt" | "pptx" | "odp" | "key" | "ps" | "djvu" | "dvi" | "xps" => "save it as PDF",
        "xls" | "xlsx" | "ods" | "numbers" => "save it as PDF, or its rows as records (.jsonl)",
        "mobi" | "azw" | "azw3" | "fb2" => "convert it to .epub",
        "tex" | "latex" | "texi" | "texinfo" => "make a PDF or HTML of it",
        _ => return None,
    })
}

/// Returns whether the file is plain text. Such files have many purposes.
pub(super) fn is_plain(path: &Path) -> bool {
    form_of(path) == Some(Form::Text)
}

/// The content of a document.
#[derive(Debug, Default)]
struct Read {
    title: Option<String>,
    author: Option<String>,
    language: Option<String>,
    sections: Vec<Section>,
    left_out: Vec<LeftOut>,
}

/// Reads a file. Problems are added to `outcome`. Returns `None` if nothing of the file can be
/// read.
pub(super) fn read(
    bytes: &[u8],
    file: &File,
    options: &Options,
    outcome: &mut Outcome,
) -> Option<RawPage> {
    let form = form_of(&file.path).unwrap_or(Form::Text);
    let read = match refused(bytes) {
        Some(reason) => Err(reason.to_owned()),
        None if form == Form::Notebook => return read_notebook(bytes, file, options, outcome),
        None if form == Form::Manual => match manual::read(bytes) {
            Ok(manual::Read { title, sections }) => Ok(Read { title, sections, ..Read::default() }),
            Err(manual::Refused::OtherName(of)) => {
                let reason = format!("is another name of {of}");
                outcome.tell(Severity::Skipped, &file.path, None, reason);
                return None;
            }
            Err(manual::Refused::Damaged(reason)) => Err(reason),
        },
        None => read_form(form, bytes, file, options, outcome),
    };
    let read = match read {
        Ok(read) => read,
        Err(reason) => {
            outcome.tell(Severity::Error, &file.path, None, reason);
            return None;
        }
    };
    let mut raw = RawPage::default();
    raw.names.explicit = read.title;
    raw.page.language = read.language.map(|tag| tag.replace('_', "-")).unwrap_or_default();
    if let Some(author) = read.author.map(|author| fold(&author)).filter(|name| !name.is_empty()) {
        raw.page.meta.push(("author".to_owned(), author));
    }
    raw.page.sections = read.sections;
    raw.left_out = read.left_out;
    Some(raw)
}

fn read_form(
    form: Form,
    bytes: &[u8],
    file: &File,
    options: &Options,
    outcome: &mut Outcome,
) -> Result<Read, String> {
    match form {
        Form::Docx => docx::read(bytes),
        Form::Odt => odt::read(bytes),
        Form::Epub => {
            let mut broken = Vec::new();
            let read = epub::read(bytes, options, &mut broken);
            for reason in broken {
                outcome.tell(Severity::Warning, &file.path, None, reason);
            }
            read
        }
        Form::Api | Form::Text | Form::Notebook | Form::Manual => {
            let decoded = decode::plain(bytes, None);
            if decoded.text.contains('\0') {
                return Err("expected text, found a binary file".to_owned());
            }
            if let Some(warning) = decoded.warning {
                outcome.tell(Severity::Warning, &file.path, None, warning);
            }
            if form != Form::Api {
                return Ok(plain(&decoded.text));
            }
            let api = api_description::read(&decoded.text)?;
            if let Some(reason) = api.left_out() {
                outcome.tell(Severity::Warning, &file.path, None, reason);
            }
            Ok(Read { title: api.title, sections: api.sections, ..Read::default() })
        }
    }
}

fn plain(text: &str) -> Read {
    let mut outline = Outline::new();
    plain_text::add_document(text, &mut outline);
    Read { sections: outline.finish(), ..Read::default() }
}

fn read_notebook(
    bytes: &[u8],
    file: &File,
    options: &Options,
    outcome: &mut Outcome,
) -> Option<RawPage> {
    let text = decode::plain(bytes, None).text;
    let read =
        notebook::to_markdown(&text).map_err(|reason| (Severity::Error, reason)).and_then(|text| {
            markdown::read(&text, file, options, outcome)
                .map_err(|reason| (Severity::Skipped, reason))
        });
    match read {
        Ok(raw) => Some(raw),
        Err((severity, reason)) => {
            outcome.tell(severity, &file.path, None, reason);
            None
        }
    }
}

/// Returns the reason why a file is refused by its first bytes, regardless of its name.
fn refused(bytes: &[u8]) -> Option<&'static str> {
    // The container of older Office files, and of encrypted new ones.
    bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]).then_some(
        "is an older Office file or an encrypted one; save it as .docx without a password",
    )
}

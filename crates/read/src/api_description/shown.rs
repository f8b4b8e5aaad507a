//! The text of pages that show a description by a script: without it such a page is empty.

use scraper::Html;

use super::super::file::File;
use super::super::includes::Includes;
use super::super::{Options, Outcome, RawPage, Severity};
use super::viewer::{self, Shown};

/// Texts of which a page has one if it shows a description.
const SIGNS: [&str; 8] = [
    "<redoc",
    "<rapi-doc",
    "<elements-api",
    "api-reference",
    "swagger-initializer",
    "SwaggerUI",
    "Redoc.init(",
    "createApiReference(",
];

/// Adds the sections of the descriptions that a page shows.
pub(in super::super) fn add(
    text: &str,
    raw: &mut RawPage,
    file: &File,
    options: &Options,
    outcome: &mut Outcome,
) {
    if !SIGNS.iter().any(|sign| text.contains(sign)) {
        return;
    }
    let includes = Includes::of(file, &options.tree);
    let found = viewer::find(&Html::parse_document(text), &|address| includes.look(address));
    for (viewer, shown) in found {
        let (name, description) = match shown {
            Shown::Inline(json) => ("the description in a script".to_owned(), Some(json)),
            Shown::At(address) => {
                let own = address.strip_prefix(options.base_url.as_str()).unwrap_or(&address);
                let path = own.split(['?', '#']).next().unwrap_or_default();
                let text = (!path.contains("://")).then(|| includes.look(path)).flatten();
                (format!("`{address}`"), text)
            }
        };
        let read = match description.map(|text| super::read_for(&text, Some(viewer))) {
            Some(Ok(read)) => read,
            Some(Err(reason)) => {
                let reason = format!("shows {name}, which is left out: {reason}");
                outcome.tell(Severity::Warning, &file.path, None, reason);
                continue;
            }
            None => {
                let reason = format!(
                    "shows {name}, which is not among the files; its operations are not indexed. \
                     Put the description beside the page to have them found"
                );
                outcome.tell(Severity::Warning, &file.path, None, reason);
                continue;
            }
        };
        if let Some(reason) = read.left_out() {
            outcome.tell(Severity::Warning, &file.path, None, reason);
        }
        raw.names.h1 = raw.names.h1.take().or(read.title);
        raw.page.sections.extend(read.sections);
    }
    includes.tell(file, outcome);
}

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
                let path = path_of(&address, &options.base_url);
                let text = path.and_then(|path| includes.look(&path));
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

/// Returns the path of a description: below the root of the site if it begins with `/`, otherwise
/// relative to the page. `None` for an address of another site.
fn path_of(address: &str, base_url: &str) -> Option<String> {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    // `//host/path` is an address of another host.
    if path.starts_with("//") {
        return None;
    }
    if !base_url.is_empty()
        && let Some(below) = path.strip_prefix(base_url.trim_end_matches('/'))
        && below.starts_with('/')
    {
        return Some(below.to_owned());
    }
    (!path.contains("://")).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_site_begin_at_its_root() {
        for (address, base_url, expected) in [
            ("api.json", "", Some("api.json")),
            ("../api.json?v=2", "/docs/", Some("../api.json")),
            ("/api.json#a", "", Some("/api.json")),
            ("/docs/api.json", "/docs/", Some("/api.json")),
            ("/docs/api.json", "/docs", Some("/api.json")),
            ("/docsapi.json", "/docs", Some("/docsapi.json")),
            ("https://a.example/x/api.json", "https://a.example/x/", Some("/api.json")),
            ("https://b.example/api.json", "https://a.example/", None),
            ("//b.example/api.json", "/", None),
        ] {
            assert_eq!(path_of(address, base_url).as_deref(), expected, "{address} at {base_url}");
        }
    }
}

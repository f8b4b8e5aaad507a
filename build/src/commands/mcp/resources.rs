//! Pages as resources: `findling://COLLECTION/ID`, both percent-encoded.

use anyhow::Result;
use findling_bundle::PageId;
use findling_bundle::addresses::percent_decoded;
use rmcp::model::{ListResourcesResult, Resource, ResourceTemplate};

use super::answers::Call;
use super::text;
use super::types::UNTRUSTED;
use crate::host::Document;
use crate::output::UsageError;
use crate::passages::{beginning, estimate};
use crate::safe_text::{line, url};

/// The media type of a page's text.
pub const MIME_TYPE: &str = "text/markdown";

const SCHEME: &str = "findling://";
/// Resources of one answer.
const PER_PAGE: u32 = 50;
/// Tokens of a resource. Resources have no paging, unlike the tool `read`.
const MAX_TOKENS: usize = 20_000;

/// Returns the template of all pages.
pub fn template() -> ResourceTemplate {
    ResourceTemplate::new("findling://{collection}/{id}", "page")
        .with_title("A page")
        .with_description("A page of a collection, by its id or path, percent-encoded")
        .with_mime_type(MIME_TYPE)
}

/// Lists pages from a cursor on. The cursor is the index of a collection and the index of a page in
/// it. Collections that cannot be opened are skipped; `list_collections` names them.
///
/// # Errors
/// If the cursor is invalid, or a page cannot be read.
pub fn list(call: &Call<'_>, cursor: Option<&str>) -> Result<ListResourcesResult> {
    let names = call.bundles.names()?;
    let (mut at, mut page) = cursor.map_or(Ok((0, 0)), place)?;
    let mut resources = Vec::new();
    while let Some(name) = names.get(at) {
        let Ok(mut asked) = call.bundles.get(name) else {
            (at, page) = (at + 1, 0);
            continue;
        };
        let n_pages = asked.host.manifest().stats.n_pages;
        while page < n_pages && resources.len() < PER_PAGE as usize {
            resources.push(resource(name, &asked.host.page(PageId(page))?));
            page += 1;
        }
        if page < n_pages {
            break;
        }
        (at, page) = (at + 1, 0);
    }
    let mut result = ListResourcesResult::with_all_items(resources);
    result.next_cursor = (at < names.len()).then(|| format!("{at}.{page}"));
    Ok(result)
}

fn place(cursor: &str) -> Result<(usize, u32)> {
    let place = cursor
        .split_once('.')
        .and_then(|(at, page)| Some((at.parse::<usize>().ok()?, page.parse::<u32>().ok()?)));
    place.ok_or_else(|| {
        let message = "expected a cursor that an answer before gave, found another".to_owned();
        UsageError { code: "request", message }.into()
    })
}

fn resource(name: &str, page: &Document) -> Resource {
    let title = if page.title.is_empty() { &page.id } else { &page.title };
    let uri = format!("{SCHEME}{}/{}", encoded(name), encoded(&page.id));
    Resource::new(uri, line(&page.id))
        .with_title(line(title))
        .with_description(url(&page.url))
        .with_mime_type(MIME_TYPE)
}

/// Reads the text of a page, with its address first.
///
/// # Errors
/// If it is not the address of a page.
pub fn read(call: &Call<'_>, uri: &str) -> Result<String> {
    let (name, id) =
        uri.strip_prefix(SCHEME).and_then(|rest| rest.split_once('/')).ok_or_else(|| {
            UsageError {
                code: "request",
                message: "expected findling://COLLECTION/ID, found another URI".to_owned(),
            }
        })?;
    let document = call.page(&percent_decoded(name), &percent_decoded(id))?;
    let (address, text) = text::of(&document, &document.id)?;
    let head =
        format!("# {}\n\nSource: {}\n\n{UNTRUSTED}\n\n", line(&document.title), url(&address));
    let shown = beginning(&text, MAX_TOKENS.saturating_sub(estimate(&head)));
    let rest = if shown.len() < text.len() {
        format!(
            "\n\n(The page goes on: the tool `read` has it, from offset {}.)",
            shown.chars().count()
        )
    } else {
        String::new()
    };
    Ok(format!("{head}{shown}{rest}"))
}

/// Percent-encodes everything but letters, digits and `-._~`.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_survive_a_uri() {
        for text in ["notes", "a b/ç#?.md", "/abs/path", "50%25", "%", "%zz", "ü"] {
            assert_eq!(percent_decoded(&encoded(text)), text);
            assert!(encoded(text).is_ascii() && !encoded(text).contains('/'));
        }
        assert_eq!(percent_decoded("a/b"), "a/b");
    }

    #[test]
    fn a_cursor_is_two_numbers() {
        assert_eq!(place("2.17").unwrap(), (2, 17));
        for wrong in ["", "1", "1.x", "-1.0", "1.2.3"] {
            assert!(place(wrong).is_err(), "{wrong}");
        }
    }
}

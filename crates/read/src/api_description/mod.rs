//! Descriptions of programming interfaces: OpenAPI 2 to 3.2 and AsyncAPI 2 and 3, in JSON or YAML.
//!
//! [`model`] has their common parts: groups of operations with parameters, fields and responses.
//! [`openapi`] and [`asyncapi`] read it, [`schema`] reads the fields of JSON Schema, and [`text`]
//! writes the sections: one for each operation.
//!
//! [`shown`] reads the descriptions that a page shows by a script such as Redoc. [`viewer`] finds
//! them, and the anchors that the script gives to operations.
//!
//! Specifications: <https://spec.openapis.org/oas/latest.html> and
//! <https://www.asyncapi.com/docs/reference/specification/latest>.

mod asyncapi;
mod model;
mod openapi;
mod schema;
pub(super) mod shown;
mod text;
mod viewer;

use std::path::Path;

use serde_json::Value;

use super::tree::Tree;
use findling_page::page::Section;
use model::Api;
use viewer::Viewer;

/// Bytes at the start of a file within which a description names its standard. The order of keys
/// is free, but all known tools write this one first.
const MAX_HEAD_BYTES: u64 = 4096;

/// Returns whether a file is the description of an interface, by its name and its beginning.
pub(super) fn is_one(path: &Path, tree: &Tree) -> bool {
    has_name(path) && names_standard(&String::from_utf8_lossy(&tree.start(path, MAX_HEAD_BYTES)))
}

/// Returns whether a file can be the description of an interface, by its name.
pub(super) fn has_name(path: &Path) -> bool {
    path.extension().is_some_and(|end| {
        ["json", "yaml", "yml"].iter().any(|known| end.eq_ignore_ascii_case(known))
    })
}

/// Returns whether the beginning of a file has `openapi`, `swagger` or `asyncapi` as a key at the
/// top, with a version.
fn names_standard(head: &str) -> bool {
    let is_json = head.trim_start_matches('\u{feff}').trim_start().starts_with('{');
    let keys = ["openapi", "swagger", "asyncapi"];
    keys.iter().any(|key| {
        head.match_indices(key).any(|(at, _)| {
            let (before, after) = (&head[..at], &head[at + key.len()..]);
            let quote = before.chars().next_back().filter(|c| matches!(c, '"' | '\''));
            let before = quote.map_or(before, |quote| &before[..before.len() - quote.len_utf8()]);
            let after = quote.map_or(Some(after), |quote| after.strip_prefix(quote));
            let Some(value) = after.and_then(|rest| rest.trim_start().strip_prefix(':')) else {
                return false;
            };
            let is_at_top = if is_json {
                before.matches(['{', '[']).count() == before.matches(['}', ']']).count() + 1
            } else {
                before.is_empty() || before.ends_with('\n') || before.ends_with('\u{feff}')
            };
            let version = value.trim_start().trim_start_matches(['"', '\'']);
            is_at_top && version.starts_with(|c: char| c.is_ascii_digit())
        })
    })
}

/// The sections of a description.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// The title of the interface.
    pub title: Option<String>,
    pub sections: Vec<Section>,
    /// The number of fields that were left out, since the description has too many.
    n_left_out: usize,
}

impl Read {
    /// Returns the message about fields that were left out, if there are any.
    pub fn left_out(&self) -> Option<String> {
        (self.n_left_out > 0).then(|| {
            format!(
                "describes bodies with very many fields; {} of them are left out, the others are \
                 read",
                self.n_left_out
            )
        })
    }
}

/// Reads a description. The anchor of an operation is its identifier.
///
/// # Errors
/// If the text is not a description: what was expected and what was found.
pub(super) fn read(text: &str) -> Result<Read, String> {
    read_for(text, None)
}

/// Reads a description as a viewer shows it, with the viewer's anchors.
fn read_for(text: &str, viewer: Option<Viewer>) -> Result<Read, String> {
    let value = parse(text.trim_start_matches('\u{feff}'))?;
    let api = api_of(&value).ok_or(
        "expected a description with `openapi`, `swagger` or `asyncapi` and its version, found \
         none of them",
    )?;
    let n_left_out = api.n_left_out;
    let title = Some(api.title.clone()).filter(|title| !title.is_empty());
    Ok(Read { title, sections: text::sections(&api, viewer), n_left_out })
}

fn api_of(value: &Value) -> Option<Api> {
    if value.get("openapi").is_some() || value.get("swagger").is_some() {
        Some(openapi::read(value))
    } else if value.get("asyncapi").is_some() {
        Some(asyncapi::read(value))
    } else {
        None
    }
}

fn parse(text: &str) -> Result<Value, String> {
    if text.trim_start().starts_with('{') {
        // JSON is nearly YAML, but its own parser is faster and has better messages.
        return serde_json::from_str(text)
            .map_err(|error| format!("expected JSON, found an error: {error}"));
    }
    serde_saphyr::from_str_with_options::<Value>(
        text,
        serde_saphyr::options! {
            duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins,
            strict_booleans: true,
        },
    )
    .map_err(|error| {
        let error = error.to_string();
        let first = error.lines().next().unwrap_or_default();
        format!("expected YAML, found an error: {first}")
    })
}

#[cfg(test)]
mod tests;

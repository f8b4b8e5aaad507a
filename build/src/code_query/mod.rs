//! The meaning of queries in source code: a keyword with a name leads to the definition, the name
//! of a file to that file, text in quotes is found literally, and `/…/` is a regular expression.
//!
//! The engine reads words, which is right for prose. This module adjusts the results to what
//! programmers expect, for bundles that have sections of code.

mod definitions;
mod file_names;
mod text_search;

use anyhow::Result;
use findling_bundle::Manifest;
use findling_engine::{Order, Request, Response};

use crate::host::{Cost, Host, QueryEncoder};

/// Words that ask for other code than the program's. The results of a query with such a word are
/// not reordered.
const BESIDE: [&str; 20] = [
    "test",
    "tests",
    "testing",
    "tested",
    "spec",
    "fixture",
    "fixtures",
    "example",
    "examples",
    "demo",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "vendor",
    "vendored",
    "generated",
    "migration",
    "migrations",
    "stub",
];

/// Answers a request over a bundle of any kind.
///
/// # Errors
/// The errors of [`Host::search_as_meant`]; a regular expression that cannot be read.
pub fn search(
    host: &mut Host,
    encoder: Option<&QueryEncoder>,
    mut request: Request,
) -> Result<(Response, Cost)> {
    if !has_code(host.manifest()) || !is_plain(&request) {
        return host.search_as_meant(encoder, request);
    }
    if let Some(text) = text_search::Text::of(&request.query)? {
        let (response, cost) = text_search::search(host, encoder, &request, &text)?;
        return Ok((response, cost));
    }
    if asks_beside(&request.query) && request.order == Order::Relevance {
        request.order = Order::Match;
    }
    let deepened = file_names::deepened(&request);
    let asked = deepened.as_ref().unwrap_or(&request).clone();
    let (mut response, cost) = host.search_as_meant(encoder, asked)?;
    if deepened.is_some() {
        file_names::raise(&request, &mut response);
    }
    definitions::put_first(host, &request, &mut response)?;
    Ok((response, cost))
}

/// Returns whether a bundle has sections of source code.
fn has_code(manifest: &Manifest) -> bool {
    let has = |name: &str| manifest.attributes.iter().any(|attribute| attribute.name == name);
    has("line") && has("end_line")
}

/// Returns whether a request only asks for the results of a query, ordered by relevance.
fn is_plain(request: &Request) -> bool {
    request.similar_to.is_none()
        && request.why.is_none()
        && request.read.is_none()
        && request.sort.is_none()
        && request.prefer.is_none()
        && matches!(request.order, Order::Relevance | Order::Match)
        && !request.query.trim().is_empty()
}

/// Returns whether a query asks for tests, examples or other code outside the program.
fn asks_beside(query: &str) -> bool {
    let words = query.split(|c: char| !c.is_alphanumeric());
    words.map(str::to_lowercase).any(|word| BESIDE.contains(&word.as_str()))
}

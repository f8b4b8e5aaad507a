//! `--group-by`: pages with the same value of an attribute together.

use std::collections::HashMap;

use findling_engine::{PageHit, Response};
use serde_json::Value;

use crate::sources::UNKNOWN;

/// Puts the pages of a group together, after the best of them. The first value of the attribute
/// decides the group.
pub fn group(response: &mut Response, attribute: &str) {
    let mut places: HashMap<String, usize> = HashMap::new();
    for page in &response.results {
        let next = places.len();
        places.entry(name(page, attribute)).or_insert(next);
    }
    response.results.sort_by_key(|page| places.get(&name(page, attribute)).copied());
}

/// Returns the name of a page's group.
pub fn name(page: &PageHit, attribute: &str) -> String {
    match page.attributes.get(attribute) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(values)) => {
            values.first().and_then(Value::as_str).unwrap_or(UNKNOWN).to_owned()
        }
        None | Some(Value::Null) => UNKNOWN.to_owned(),
        Some(other) => other.to_string(),
    }
}

/// Returns the names of the groups above the pages with which they begin, in order.
pub fn headings<'a>(
    pages: &'a [PageHit],
    attribute: Option<&'a str>,
) -> impl Iterator<Item = Option<String>> + 'a {
    let mut last = None;
    pages.iter().map(move |page| {
        let name = name(page, attribute?);
        let begins = last.as_ref() != Some(&name);
        begins.then(|| {
            last = Some(name.clone());
            name
        })
    })
}

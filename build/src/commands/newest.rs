//! The order of a search without a query: all pages, the newest first.

use std::cmp::Ordering;

use findling_bundle::{AttributeKind, Manifest};
use findling_engine::{Mode, PageHit, Request, Sort};
use serde_json::Value;

/// Names of attributes that say when a page was last changed, the best first.
const NAMES: [&str; 6] = ["date", "updated", "modified", "published", "time", "created"];

/// Returns whether a request asks for all pages: it has no query and names no page.
pub(crate) fn asks_for_all(request: &Request) -> bool {
    request.query.trim().is_empty()
        && request.also.iter().all(|text| text.trim().is_empty())
        && request.similar_to.is_none()
}

/// Returns the attribute with the date of a bundle's pages, if they have one.
pub(crate) fn date_of_pages(manifest: &Manifest) -> Option<&str> {
    let dates = || manifest.attributes.iter().filter(|one| one.kind == AttributeKind::Date);
    let named = |name: &&str| dates().any(|one| one.name == **name);
    let best = NAMES.iter().find(|name| named(name)).copied();
    best.or_else(|| dates().next().map(|one| one.name.as_str()))
}

/// Lets a request without a query show the newest pages first, unless it names another order.
/// Without a query there is no meaning to compare, so the search is by words only.
pub(crate) fn order_by_date(request: &mut Request, manifest: &Manifest) {
    if !asks_for_all(request) {
        return;
    }
    request.mode = Mode::Lexical;
    if request.sort.is_some() || request.prefer.is_some() {
        return;
    }
    if let Some(by) = date_of_pages(manifest) {
        request.sort = Some(Sort { by: by.to_owned(), descending: true });
    }
}

/// Compares pages of several bundles by their dates, the newest first; pages without one come last.
pub(crate) fn newest_first(a: &PageHit, b: &PageHit) -> Ordering {
    date(b).cmp(&date(a))
}

/// Returns the date of a page. Dates of pages are in UTC, so comparing their texts compares the
/// dates.
fn date(page: &PageHit) -> Option<&str> {
    let text = |name: &str| page.attributes.get(name).and_then(Value::as_str);
    NAMES.iter().find_map(|name| text(name)).or_else(|| text("started"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_request_for_nothing_asks_for_all() {
        let request = |query: &str| Request { query: query.to_owned(), ..Request::default() };
        assert!(asks_for_all(&request("")) && asks_for_all(&request(" \t")));
        assert!(!asks_for_all(&request("a")));
        let similar = Request { similar_to: Some("a".to_owned()), ..request("") };
        assert!(!asks_for_all(&similar));
        let also = Request { also: vec!["b".to_owned()], ..request("") };
        assert!(!asks_for_all(&also));
    }
}

//! The citation of a paper: the fields that are not attributes, as CSL-JSON.

use serde_json::{Map, Value, json};

use super::paper::Paper;
use crate::outline::fold;

/// The name of the citation in a page's further data.
pub(super) const CSL: &str = "csl";

/// Returns the citation of a paper as CSL-JSON on one line, without the fields of the page itself:
/// its title, its language and its DOI.
pub(super) fn csl(paper: &Paper) -> String {
    let mut item = Map::new();
    let texts = [
        ("id", &paper.key),
        ("container-title", &paper.container),
        ("volume", &paper.volume),
        ("issue", &paper.issue),
        ("page", &paper.pages),
        ("number", &paper.number),
        ("genre", &paper.genre),
        ("edition", &paper.edition),
        ("publisher", &paper.publisher),
        ("publisher-place", &paper.place),
        ("ISBN", &paper.isbn),
        ("URL", &paper.url),
    ];
    for (name, text) in texts {
        let text = fold(text);
        if !text.is_empty() {
            item.insert(name.to_owned(), text.into());
        }
    }
    for (name, people) in [("author", &paper.authors), ("editor", &paper.editors)] {
        if !people.is_empty() {
            item.insert(name.to_owned(), people.iter().map(|one| one.csl()).collect());
        }
    }
    if paper.has_more_authors {
        item.insert("others".to_owned(), true.into());
    }
    for (name, date) in [("issued", &paper.date), ("accessed", &paper.accessed)] {
        if !date.is_empty() {
            item.insert(name.to_owned(), json!({ "date-parts": [date] }));
        }
    }
    Value::Object(item).to_string()
}

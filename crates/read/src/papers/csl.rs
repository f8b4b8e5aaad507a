//! CSL-JSON, and JSON lines of metadata as catalogues of papers export them.

use serde_json::Value;

use super::paper::{self, Kind, Paper};
use crate::notes::Notes;
use crate::outline::fold;
use crate::{Options, Severity};

/// Returns whether a value is the metadata of a paper: it has a title and more that papers have.
pub(super) fn is_paper(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    let known = [
        "author",
        "authors",
        "issued",
        "DOI",
        "doi",
        "abstract",
        "container-title",
        "year",
        "venue",
        "journal",
    ];
    has("title") && known.iter().filter(|name| has(name)).count() >= 2
}

/// Returns whether a JSON text, of which the end may be missing, begins as a list of papers in
/// CSL-JSON.
pub(super) fn is_list_of_papers(text: &str) -> bool {
    let mut values = serde_json::Deserializer::from_str(text.trim_start().trim_start_matches('['))
        .into_iter::<Value>();
    values.next().is_some_and(|first| first.is_ok_and(|value| is_paper(&value)))
}

/// Reads CSL-JSON: a list of papers, or one.
pub(super) fn read(text: &str, notes: &mut Notes) -> Vec<Paper> {
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            let reason = format!("is not JSON ({error}); is the export complete?");
            notes.tell(Severity::Error, Some(error.line() as u64), reason);
            return Vec::new();
        }
    };
    let list = match &value {
        Value::Array(list) => list.as_slice(),
        // `{"items": [...]}` of some exports.
        Value::Object(fields) => match fields.get("items").and_then(Value::as_array) {
            Some(list) => list.as_slice(),
            None => std::slice::from_ref(&value),
        },
        _ => &[],
    };
    let mut papers = Vec::new();
    for (number, value) in (1..).zip(list) {
        match value.is_object() {
            true => papers.push(paper_of(value)),
            false => {
                let reason = format!("element {number} is no object and is left out");
                notes.tell(Severity::Warning, None, reason);
            }
        }
    }
    papers
}

/// Reads JSON lines. Lines that are no object are named and left out.
pub(super) fn read_lines(text: &str, options: &Options, notes: &mut Notes) -> Vec<Paper> {
    let mut papers = Vec::new();
    for (number, line) in (1..).zip(text.split('\n')) {
        let line = line.trim_matches(|c: char| c.is_whitespace() || c == '\0');
        if line.is_empty() {
            continue;
        }
        if line.len() as u64 > options.max_file_bytes {
            notes.malformed(number, &format!("is longer than {} bytes", options.max_file_bytes));
            continue;
        }
        match serde_json::from_str::<Value>(line) {
            Ok(value @ Value::Object(_)) => papers.push(paper_of(&value)),
            Ok(_) => notes.malformed(number, "is no JSON object"),
            Err(_) => notes.malformed(number, "is not JSON"),
        }
    }
    papers
}

fn paper_of(value: &Value) -> Paper {
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| text_of(value.get(*name)?));
        found.unwrap_or_default()
    };
    let found = |names: &[&str]| names.iter().find_map(|name| value.get(*name));
    let people = found(&["author", "authors", "editor"]);
    Paper {
        key: text(&["id", "citation-key", "_id", "key", "paper_id", "paperId"]),
        kind: Kind::of(&text(&["type", "document_type", "publication_type"])),
        title: text(&["title"]),
        authors: people.map(authors).unwrap_or_default(),
        year: found(&["issued", "year", "date", "published", "publication_year", "update_date"])
            .and_then(year),
        venue: text(&[
            "container-title",
            "venue",
            "journal",
            "journal-ref",
            "booktitle",
            "event-title",
            "publisher",
        ]),
        doi: paper::doi(&text(&["DOI", "doi"])),
        url: text(&["URL", "url"]),
        abstract_text: without_tags(&text(&["abstract", "summary"])),
        keywords: match found(&["keyword", "keywords", "categories"]) {
            Some(Value::Array(words)) => words.iter().filter_map(text_of).collect(),
            Some(Value::String(words)) => paper::list(words),
            _ => Vec::new(),
        },
        language: text(&["language"]),
        files: match found(&["file", "files", "pdf"]) {
            Some(Value::Array(files)) => files.iter().filter_map(text_of).collect(),
            Some(file) => text_of(file).into_iter().collect(),
            None => Vec::new(),
        },
    }
}

/// Returns a string or a number as text; of a list the first.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(values) => text_of(values.first()?),
        _ => None,
    }
}

/// Returns names: strings, a string of several, or objects with `family` and `given` or `name`.
fn authors(value: &Value) -> Vec<String> {
    let one = |value: &Value| match value {
        Value::String(name) => Some(paper::name(name)),
        Value::Object(parts) => {
            let part = |name: &str| parts.get(name).and_then(Value::as_str).unwrap_or_default();
            let whole = [part("name"), part("literal")].concat();
            let particle = part("non-dropping-particle");
            let given = [part("given"), part("first")].concat();
            let family = [part("family"), part("last")].concat();
            let parts = [whole.as_str(), given.as_str(), particle, family.as_str()];
            let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            (!parts.is_empty()).then(|| parts.join(" "))
        }
        _ => None,
    };
    match value {
        Value::Array(list) => list.iter().filter_map(one).collect(),
        Value::String(names) => {
            let separator = if names.contains(" and ") { " and " } else { ";" };
            names.split(separator).map(paper::name).filter(|name| !name.is_empty()).collect()
        }
        other => one(other).into_iter().collect(),
    }
}

/// Returns the year of a date: `{"date-parts": [[2019, 5]]}`, `{"raw": "2019"}`, a string or a
/// number.
fn year(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => paper::year(text),
        Value::Object(_) => {
            let parts = value.pointer("/date-parts/0/0");
            let raw = ["raw", "literal"].iter().find_map(|name| value.get(*name));
            parts.and_then(year).or_else(|| raw.and_then(year))
        }
        _ => None,
    }
}

/// Returns a text without tags. Publishers write abstracts with tags of JATS.
fn without_tags(text: &str) -> String {
    if !text.contains("</") {
        return text.to_owned();
    }
    fold(&scraper::Html::parse_fragment(text).root_element().text().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metadata_of_any_type_is_read_or_left_unknown() {
        let paper = paper_of(&json!({
            "id": 7, "type": "article-journal", "title": ["On graphs"], "DOI": "10.1/x",
            "author": [{"family": "Silva", "given": "Ana"}, {"literal": "The Group"}, 3],
            "issued": {"date-parts": [["2019", 5]]}, "container-title": "Graphs",
            "abstract": "<jats:p>We draw &amp; fold.</jats:p>",
        }));
        assert_eq!(paper.authors, ["Ana Silva", "The Group"]);
        assert_eq!((paper.year, paper.key.as_str()), (Some(2019), "7"));
        assert_eq!(paper.abstract_text, "We draw & fold.");
        let wrong = json!({
            "title": {}, "author": 7, "issued": [1], "DOI": false, "keyword": {}, "file": null,
        });
        assert_eq!(paper_of(&wrong), Paper::default());
        let names = paper_of(&json!({"authors": "Silva, Ana and Ben Koch", "year": "c. 1999"}));
        assert_eq!(
            (names.authors, names.year),
            (vec!["Ana Silva".into(), "Ben Koch".into()], Some(1999))
        );
    }
}

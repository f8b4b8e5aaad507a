//! CSL-JSON, and JSON lines of metadata, as exported by catalogues of papers.

use serde_json::Value;

use super::author::{Author, take_others};
use super::markup;
use super::paper::{self, Kind, Paper};
use crate::notes::Notes;
use crate::{Options, Severity};

/// Returns whether a value is the metadata of a paper: it has a title and other fields of papers.
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

/// Returns whether a JSON text, whose end may be missing, begins like a list of papers in CSL-JSON.
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

/// Reads JSON lines. Lines that are not objects are named and left out.
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
    let people = found(&["author", "authors"]).map(authors).unwrap_or_default();
    let mut editors = found(&["editor", "editors"]).map(authors).unwrap_or_default();
    let mut authors = match people.is_empty() {
        true => std::mem::take(&mut editors),
        false => people,
    };
    let has_more_authors = take_others(&mut authors);
    let issued = found(&["issued", "year", "date", "published", "publication_year", "update_date"]);
    Paper {
        key: text(&["id", "citation-key", "_id", "key", "paper_id", "paperId"]),
        kind: Kind::of(&text(&["type", "document_type", "publication_type"])),
        title: markup::of_text(&text(&["title"])),
        authors,
        has_more_authors,
        editors,
        year: issued.and_then(year),
        date: issued.map(date).unwrap_or_default(),
        accessed: found(&["accessed"]).map(date).unwrap_or_default(),
        venue: markup::of_text(&text(&[
            "container-title",
            "venue",
            "journal",
            "journal-ref",
            "booktitle",
            "event-title",
            "publisher",
        ])),
        container: markup::of_text(&text(&["container-title", "venue", "journal", "booktitle"])),
        volume: text(&["volume"]),
        issue: text(&["issue"]),
        pages: text(&["page", "pages"]),
        number: text(&["number"]),
        genre: text(&["genre"]),
        edition: text(&["edition"]),
        publisher: text(&["publisher"]),
        place: text(&["publisher-place"]),
        isbn: text(&["ISBN", "isbn"]),
        doi: paper::doi(&text(&["DOI", "doi"])),
        url: text(&["URL", "url"]),
        abstract_text: markup::of_text(&text(&["abstract", "summary"])),
        keywords: match found(&["keyword", "keywords", "categories"]) {
            Some(Value::Array(words)) => words.iter().filter_map(text_of).collect(),
            Some(Value::String(words)) => paper::list(words),
            _ => Vec::new(),
        },
        groups: match found(&["collections", "groups"]) {
            Some(Value::Array(names)) => names.iter().filter_map(text_of).collect(),
            _ => Vec::new(),
        },
        language: text(&["language"]),
        files: match found(&["file", "files", "pdf"]) {
            Some(Value::Array(files)) => files.iter().filter_map(text_of).collect(),
            Some(file) => text_of(file).into_iter().collect(),
            None => Vec::new(),
        },
        remarks: Vec::new(),
    }
}

/// Returns a string or a number as text; for a list, the first one.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(values) => text_of(values.first()?),
        _ => None,
    }
}

/// Returns names: strings, a string of several, or objects with `family` and `given` or `name`.
fn authors(value: &Value) -> Vec<Author> {
    let one = |value: &Value| match value {
        Value::String(name) => Some(Author::parse(&markup::of_text(name))),
        Value::Object(parts) => {
            let part = |names: &[&str]| {
                let found = names.iter().find_map(|name| parts.get(*name).and_then(Value::as_str));
                found.unwrap_or_default().trim().to_owned()
            };
            let whole = part(&["literal"]);
            let particles = [part(&["dropping-particle"]), part(&["non-dropping-particle"])];
            let author = Author {
                given: part(&["given", "first"]),
                particle: particles.join(" ").trim().to_owned(),
                family: part(&["family", "last"]),
                suffix: part(&["suffix"]),
            };
            match (whole.is_empty(), author.family.is_empty()) {
                (false, _) => Some(Author::named(&whole)),
                (true, false) => Some(author),
                (true, true) => Some(part(&["name"]))
                    .filter(|name| !name.is_empty())
                    .map(|name| Author::parse(&name)),
            }
        }
        _ => None,
    };
    match value {
        Value::Array(list) => list.iter().filter_map(one).collect(),
        Value::String(names) => {
            let separator = if names.contains(" and ") { " and " } else { ";" };
            let names = names.split(separator);
            let names = names.map(|name| Author::parse(&markup::of_text(name)));
            names.filter(|author| !author.name().is_empty()).collect()
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

/// Returns year, month and day of a date, as far as they are known.
fn date(value: &Value) -> Vec<u16> {
    let parts = value.pointer("/date-parts/0").and_then(Value::as_array);
    let numbers = parts.into_iter().flatten().map_while(|part| match part {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        _ => None,
    });
    let written = match value {
        Value::String(text) => text.clone(),
        _ => numbers.collect::<Vec<_>>().join("-"),
    };
    match paper::date(&written) {
        known if !known.is_empty() => known,
        _ => year(value).and_then(|year| u16::try_from(year).ok()).into_iter().collect(),
    }
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
        let names = |paper: &Paper| paper.authors.iter().map(Author::name).collect::<Vec<_>>();
        assert_eq!(names(&paper), ["Ana Silva", "The Group"]);
        assert_eq!((paper.year, paper.key.as_str()), (Some(2019), "7"));
        assert_eq!(paper.abstract_text, "We draw & fold.");
        let wrong = json!({
            "title": {}, "author": 7, "issued": [1], "DOI": false, "keyword": {}, "file": null,
        });
        assert_eq!(paper_of(&wrong), Paper::default());
        let several = paper_of(&json!({"authors": "Silva, Ana and Ben Koch", "year": "c. 1999"}));
        assert_eq!(
            (names(&several), several.year),
            (vec!["Ana Silva".into(), "Ben Koch".into()], Some(1999))
        );
    }
}

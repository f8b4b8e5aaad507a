//! References as data for other programs: CSL-JSON and RIS.

use serde_json::{Map, Value, json};

use super::{Work, csl_date, person};
use crate::sources::PaperKind;

/// Returns a work as CSL-JSON, without unknown fields. `others` is the name that stands for authors
/// who are not named.
pub(super) fn item(work: &Work, others: &str) -> Map<String, Value> {
    let kind = match work.kind {
        PaperKind::Article => "article-journal",
        PaperKind::Conference => "paper-conference",
        PaperKind::Book => "book",
        PaperKind::Chapter => "chapter",
        PaperKind::Thesis => "thesis",
        PaperKind::Report => "report",
        PaperKind::Preprint => "article",
        PaperKind::Dataset => "dataset",
        PaperKind::Software => "software",
        PaperKind::Web | PaperKind::Other | PaperKind::Unknown => "webpage",
    };
    let venue = match work.kind {
        PaperKind::Book | PaperKind::Thesis | PaperKind::Report => "publisher",
        _ => "container-title",
    };
    let mut item = Map::new();
    item.insert("id".into(), work.key.clone().into());
    item.insert("type".into(), kind.into());
    for name in [
        "container-title",
        "volume",
        "issue",
        "page",
        "number",
        "genre",
        "edition",
        "publisher",
        "publisher-place",
        "ISBN",
    ] {
        let text = work.known(name);
        if !text.is_empty() {
            item.insert(name.into(), text.into());
        }
    }
    let has_venue = item.contains_key("container-title")
        || item.get("publisher").and_then(Value::as_str) == Some(&work.venue);
    let venue_text = if has_venue { "" } else { work.venue.as_str() };
    let texts = [
        ("title", work.title.as_str()),
        (venue, venue_text),
        ("DOI", &work.doi),
        ("URL", &work.url),
        ("language", &work.language),
    ];
    for (name, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
        item.insert(name.into(), text.into());
    }
    let accessed = csl_date(&work.csl, "accessed");
    if !accessed.is_empty() {
        item.insert("accessed".into(), json!({ "date-parts": [accessed] }));
    }
    let editors = work.csl.get("editor").and_then(Value::as_array);
    if let Some(editors) = editors.filter(|editors| !editors.is_empty()) {
        item.insert("editor".into(), editors.clone().into());
    }
    if !work.authors.is_empty() {
        let author = |one: &biblatex::Person| match one.given_name.is_empty() {
            true => json!({ "literal": one.name }),
            false => {
                let parts = [
                    ("family", &one.name),
                    ("given", &one.given_name),
                    ("non-dropping-particle", &one.prefix),
                    ("suffix", &one.suffix),
                ];
                let known = parts.into_iter().filter(|(_, part)| !part.is_empty());
                known.map(|(name, part)| (name.to_owned(), Value::from(part.as_str()))).collect()
            }
        };
        let others = work.has_more_authors.then(|| json!({ "literal": others }));
        let authors = work.authors.iter().map(author).chain(others);
        item.insert("author".into(), authors.collect());
    }
    if !work.date.is_empty() {
        item.insert("issued".into(), json!({ "date-parts": [work.date] }));
    }
    item
}

/// Returns a list of works as CSL-JSON.
///
/// # Errors
/// If it cannot be written.
pub(super) fn csl_json(works: &[Work]) -> serde_json::Result<String> {
    let items: Vec<Map<String, Value>> = works.iter().map(|work| item(work, "others")).collect();
    serde_json::to_string_pretty(&items)
}

/// Returns a work as a record of RIS.
pub(super) fn ris(work: &Work) -> String {
    let mut record = String::new();
    let mut add = |tag: &str, value: &str| {
        if !value.is_empty() {
            record.push_str(&format!("{tag}  - {value}\n"));
        }
    };
    add("TY", ris_type(work.kind));
    add("ID", &work.key);
    add("TI", &work.title);
    for author in &work.authors {
        add("AU", &ris_name(author));
    }
    if work.has_more_authors {
        add("AU", "others");
    }
    let editors = work.csl.get("editor").and_then(Value::as_array).into_iter().flatten();
    for editor in editors {
        add("A2", &ris_name(&person(editor)));
    }
    if let [year, rest @ ..] = &work.date[..] {
        add("PY", &year.to_string());
        let rest = rest.iter().map(|part| format!("/{part:02}"));
        add("DA", &std::iter::once(year.to_string()).chain(rest).collect::<String>());
    }
    let publisher = work.known("publisher");
    let container = work.known("container-title");
    let is_told = work.venue == publisher || work.venue == container;
    add("T2", if container.is_empty() && !is_told { &work.venue } else { &container });
    add("VL", &work.known("volume"));
    add("IS", &[work.known("issue"), work.known("number")].concat());
    let pages = work.known("page").replace('–', "-");
    let (first, last) = pages.split_once('-').unwrap_or((&pages, ""));
    add("SP", first.trim());
    add("EP", last.trim_start_matches('-').trim());
    add("ET", &work.known("edition"));
    add("PB", &publisher);
    add("CY", &work.known("publisher-place"));
    add("SN", &work.known("ISBN"));
    add("DO", &work.doi);
    add("UR", &work.url);
    add("LA", &work.language);
    record.push_str("ER  - \n");
    record
}

fn ris_name(one: &biblatex::Person) -> String {
    let family = [one.prefix.as_str(), one.name.as_str()].join(" ");
    let parts = [family.trim(), &one.given_name, &one.suffix];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}

fn ris_type(kind: PaperKind) -> &'static str {
    match kind {
        PaperKind::Article => "JOUR",
        PaperKind::Conference => "CPAPER",
        PaperKind::Book => "BOOK",
        PaperKind::Chapter => "CHAP",
        PaperKind::Thesis => "THES",
        PaperKind::Report => "RPRT",
        PaperKind::Preprint => "UNPB",
        PaperKind::Dataset => "DATA",
        PaperKind::Software => "COMP",
        PaperKind::Web => "ELEC",
        PaperKind::Other | PaperKind::Unknown => "GEN",
    }
}

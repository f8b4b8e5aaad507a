//! An entry of a bibliography as a paper.

use biblatex::{Chunk, ChunksExt, Entry, Person};

use crate::papers::attachments;
use crate::papers::author::{Author, take_others};
use crate::papers::markup;
use crate::papers::paper::{self, Kind, Paper};

/// Returns the paper of an entry.
pub(super) fn paper_of(entry: &Entry) -> Paper {
    let written = |names: &[&str]| {
        let mut found = names.iter().filter_map(|name| entry.get(name));
        found.next().map(written).unwrap_or_default()
    };
    let text = |names: &[&str]| markup::of_bibtex(&written(names)).trim().to_owned();
    let verbatim =
        |name: &str| entry.get(name).map(|chunks| chunks.format_verbatim()).unwrap_or_default();
    let mut title = text(&["title"]);
    if entry.get("subtitle").is_some() {
        title = format!("{title}: {}", text(&["subtitle"]));
    }
    let kind = entry.entry_type.to_string();
    // arXiv and others: `@misc` with an `eprint`.
    let kind = match Kind::of(&kind) {
        Kind::Other if entry.get("eprint").is_some() => Kind::Preprint,
        kind => kind,
    };
    let editors = entry.editors().unwrap_or_default().into_iter().flat_map(|(people, _)| people);
    let mut editors: Vec<Author> = editors.map(|person| author(&person)).collect();
    let mut authors: Vec<Author> = entry.author().unwrap_or_default().iter().map(author).collect();
    let mut has_more_authors = take_others(&mut authors);
    if authors.is_empty() {
        authors = std::mem::take(&mut editors);
        has_more_authors = take_others(&mut authors);
    }
    take_others(&mut editors);
    let (number, is_report) = (text(&["number"]), kind == Kind::Report);
    let when = match text(&["date"]) {
        date if date.is_empty() => dated(&text(&["year"]), &text(&["month"]), &text(&["day"])),
        date => paper::date(&date),
    };
    Paper {
        key: entry.key.clone(),
        kind,
        title,
        authors,
        has_more_authors,
        editors,
        year: paper::year(&text(&["date", "year"])),
        date: when,
        accessed: paper::date(&text(&["urldate"])),
        venue: text(&[
            "journaltitle",
            "journal",
            "booktitle",
            "eventtitle",
            "series",
            "institution",
            "school",
            "publisher",
            "organization",
            "howpublished",
        ]),
        container: text(&["journaltitle", "journal", "booktitle", "maintitle"]),
        volume: text(&["volume"]),
        issue: match text(&["issue"]) {
            issue if issue.is_empty() && !is_report => number.clone(),
            issue => issue,
        },
        pages: text(&["pages", "eid"]),
        number: if is_report { number } else { String::new() },
        genre: genre(&entry.entry_type.to_string(), text(&["type"])),
        edition: text(&["edition"]),
        publisher: text(&["publisher", "institution", "school", "organization"]),
        place: text(&["location", "address"]),
        isbn: text(&["isbn"]),
        doi: paper::doi(&verbatim("doi")),
        url: verbatim("url"),
        abstract_text: text(&["abstract"]),
        keywords: paper::list(&text(&["keywords", "keyword"])),
        groups: paper::list(&text(&["groups", "collection", "collections"])),
        language: String::new(),
        files: attachments::listed(&verbatim("file")),
        remarks: Vec::new(),
    }
}

/// Returns what a thesis or a report calls itself.
fn genre(kind: &str, own: String) -> String {
    match kind {
        _ if !own.is_empty() => own,
        "phdthesis" => "PhD thesis".to_owned(),
        "mastersthesis" => "Master’s thesis".to_owned(),
        _ => String::new(),
    }
}

/// Returns the text of a field as it was written, with the marks of formulas.
fn written(chunks: &[biblatex::Spanned<Chunk>]) -> String {
    let mut out = String::new();
    for chunk in chunks {
        match &chunk.v {
            Chunk::Normal(text) | Chunk::Verbatim(text) => out.push_str(text),
            Chunk::Math(text) => {
                out.push('$');
                out.push_str(text);
                out.push('$');
            }
        }
    }
    out
}

fn author(person: &Person) -> Author {
    let text = |part: &str| markup::of_bibtex(part).trim().to_owned();
    Author {
        given: text(&person.given_name),
        particle: text(&person.prefix),
        family: text(&person.name),
        suffix: text(&person.suffix),
    }
}

/// Returns a date made from its parts; a month may be a name.
fn dated(year: &str, month: &str, day: &str) -> Vec<u16> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let mut date = paper::date(year);
    let lower = month.trim().to_lowercase();
    let named = MONTHS.iter().position(|name| lower.starts_with(name)).map(|at| at as u16 + 1);
    let month = named.or_else(|| lower.parse().ok()).filter(|month| (1..=12).contains(month));
    if date.len() == 1
        && let Some(month) = month
    {
        date.push(month);
        date.extend(day.trim().parse::<u16>().ok().filter(|day| (1..=31).contains(day)));
    }
    date
}

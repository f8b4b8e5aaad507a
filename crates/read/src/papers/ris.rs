//! RIS, the export format of reference managers and publishers.

use biblib::{Citation, CitationParser, RisParser};

use super::author::{Author, take_others};
use super::markup;
use super::paper::{self, Kind, Paper};
use crate::notes::Notes;

/// Reads a file. Records that cannot be read are named and left out.
pub(super) fn read(text: &str, notes: &mut Notes) -> Vec<Paper> {
    let mut papers = Vec::new();
    for (line, record) in records(text) {
        match RisParser::new().parse(&record) {
            Ok(found) if !found.is_empty() => {
                papers.extend(found.iter().map(|one| paper_of(one, &record)));
            }
            Ok(_) => notes.malformed(line, "is no record of RIS"),
            Err(error) => notes.malformed(line, &format!("is no record of RIS ({error})")),
        }
    }
    papers
}

/// Returns the records, which begin with a line `TY  -`, with their lines. A record without an end
/// (`ER  -`) ends where the next begins.
fn records(text: &str) -> Vec<(u64, String)> {
    let mut records: Vec<(u64, String)> = Vec::new();
    let mut is_open = false;
    for (number, line) in (1..).zip(text.lines()) {
        let tag = line.trim_start_matches('\u{feff}').get(..2).unwrap_or_default();
        let is_tag = line
            .trim_start_matches('\u{feff}')
            .get(2..)
            .is_some_and(|rest| rest.trim_start().starts_with('-'));
        if is_tag && tag == "TY" {
            close(&mut records, is_open);
            records.push((number, String::new()));
            is_open = true;
        }
        if !is_open {
            continue;
        }
        if let Some((_, record)) = records.last_mut() {
            record.push_str(line);
            record.push('\n');
        }
        is_open = !(is_tag && tag == "ER");
    }
    close(&mut records, is_open);
    records
}

fn close(records: &mut [(u64, String)], is_open: bool) {
    if let Some((_, record)) = records.last_mut().filter(|_| is_open) {
        record.push_str("ER  - \n");
    }
}

/// Returns the authors of a record. The parser divides the name of an organisation, which has no
/// comma, like the name of a person.
fn authors(record: &str) -> Vec<Author> {
    let name = |line: &str| {
        let line = line.trim_start_matches('\u{feff}');
        let value = line.strip_prefix("AU").or_else(|| line.strip_prefix("A1"))?;
        let name = value.trim_start().strip_prefix('-')?.trim();
        (!name.is_empty()).then(|| Author::parse(name))
    };
    record.lines().filter_map(name).collect()
}

fn paper_of(citation: &Citation, record: &str) -> Paper {
    let extra = |tag: &str| citation.extra_fields.get(tag).cloned().unwrap_or_default();
    let first = |tag: &str| extra(tag).into_iter().next().unwrap_or_default();
    let mut authors = authors(record);
    let has_more_authors = take_others(&mut authors);
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let venue = citation.journal.as_ref().or(citation.journal_abbr.as_ref());
    let kind = Kind::of(citation.citation_type.first().map_or("", String::as_str));
    let date = citation.date.as_ref().map(|date| {
        let parts =
            [u16::try_from(date.year).ok(), date.month.map(u16::from), date.day.map(u16::from)];
        parts.into_iter().map_while(|part| part).collect()
    });
    Paper {
        key: first("ID"),
        kind,
        title: markup::of_text(&citation.title),
        authors,
        has_more_authors,
        year: citation.date.as_ref().map(|date| i64::from(date.year)),
        date: date.unwrap_or_default(),
        accessed: paper::date(&first("Y2")),
        venue: venue.or(citation.publisher.as_ref()).cloned().unwrap_or_default(),
        container: venue.cloned().unwrap_or_default(),
        volume: text(&citation.volume),
        issue: text(&citation.issue),
        pages: text(&citation.pages),
        publisher: text(&citation.publisher),
        place: first("CY"),
        isbn: first("SN"),
        edition: first("ET"),
        doi: paper::doi(&text(&citation.doi)),
        url: citation.urls.first().cloned().unwrap_or_default(),
        abstract_text: markup::of_text(&text(&citation.abstract_text)),
        keywords: citation.keywords.clone(),
        files: [extra("L1"), extra("L2")].concat(),
        ..Paper::default()
    }
}

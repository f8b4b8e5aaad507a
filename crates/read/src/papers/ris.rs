//! RIS, as reference managers and publishers export it.

use biblib::{Citation, CitationParser, RisParser};

use super::paper::{self, Kind, Paper};
use crate::notes::Notes;

/// Reads a file. Records that cannot be read are named and left out.
pub(super) fn read(text: &str, notes: &mut Notes) -> Vec<Paper> {
    let mut papers = Vec::new();
    for (line, record) in records(text) {
        match RisParser::new().parse(&record) {
            Ok(found) if !found.is_empty() => papers.extend(found.iter().map(paper_of)),
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

fn paper_of(citation: &Citation) -> Paper {
    let extra = |tag: &str| citation.extra_fields.get(tag).cloned().unwrap_or_default();
    let authors = citation.authors.iter().map(|author| {
        let given = author.given_name.as_deref().unwrap_or_default();
        paper::name(&format!("{}, {given}", author.name))
    });
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let venue = citation.journal.as_ref().or(citation.journal_abbr.as_ref());
    Paper {
        key: extra("ID").into_iter().next().unwrap_or_default(),
        kind: Kind::of(citation.citation_type.first().map_or("", String::as_str)),
        title: citation.title.clone(),
        authors: authors.collect(),
        year: citation.date.as_ref().map(|date| i64::from(date.year)),
        venue: venue.or(citation.publisher.as_ref()).cloned().unwrap_or_default(),
        doi: paper::doi(&text(&citation.doi)),
        url: citation.urls.first().cloned().unwrap_or_default(),
        abstract_text: text(&citation.abstract_text),
        keywords: citation.keywords.clone(),
        language: String::new(),
        files: [extra("L1"), extra("L2")].concat(),
    }
}

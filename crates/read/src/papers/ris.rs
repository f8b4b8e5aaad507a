//! RIS, the export format of reference managers and publishers.

use biblib::{CitationParser, RisParser};

use super::author::Author;
use super::one_record::{self, Tags};
use super::paper::Paper;
use crate::notes::Notes;

const TAGS: Tags = Tags {
    key: "ID",
    accessed: "Y2",
    place: "CY",
    isbn: "SN",
    edition: "ET",
    files: &["L1", "L2"],
};

/// Reads a file. Records that cannot be read are named and left out.
pub(super) fn read(text: &str, notes: &mut Notes) -> Vec<Paper> {
    let mut papers = Vec::new();
    for (line, record) in records(text) {
        match RisParser::new().parse(&record) {
            Ok(found) if !found.is_empty() => {
                papers.extend(
                    found.iter().map(|one| one_record::paper(one, authors(&record), &TAGS)),
                );
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

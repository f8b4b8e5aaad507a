//! `--format csv` and `--format paths`: a row for each page, a line for each section.

use std::collections::{BTreeSet, HashSet};
use std::io::Write;

use anyhow::Result;
use serde_json::Value;

use super::{Answer, address, snippet, title};
use crate::safe_text::{cell, line, url};

const COLUMNS: [&str; 9] =
    ["rank", "score", "id", "url", "title", "heading", "language", "location", "snippet"];

/// Returns the columns, then one for each attribute that a page has. A missing value is an empty
/// cell.
pub fn csv(answer: &Answer<'_>, out: &mut impl Write) -> Result<()> {
    let attributes: BTreeSet<&String> =
        answer.response.results.iter().flat_map(|page| page.attributes.keys()).collect();
    let mut writer = csv::Writer::from_writer(out);
    let heads = COLUMNS.iter().map(|name| cell(name));
    writer.write_record(
        heads.chain(attributes.iter().map(|name| cell(name))).map(|head| head.into_owned()),
    )?;
    for (rank, page) in answer.pages() {
        let section = page.sections.first();
        let heading = section.map(|section| section.heading_path.join(" › ")).unwrap_or_default();
        let location = answer.sources.locate(page, section).to_string();
        let snippet = section.map(|section| snippet::plain(&section.snippet)).unwrap_or_default();
        let mut row: Vec<String> = vec![rank.to_string(), page.score.to_string()];
        let address = url(address(page));
        let texts =
            [&page.id, &address, title(page), &heading, &page.language, &location, &snippet];
        row.extend(texts.map(|text| cell(text).into_owned()));
        row.extend(attributes.iter().map(|name| value(page.attributes.get(*name))));
        writer.write_record(row)?;
    }
    writer.flush()?;
    Ok(())
}

/// Returns a number as it is; members of a set with a semicolon between.
fn value(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => cell(text).into_owned(),
        Some(Value::Array(values)) => {
            let texts = values.iter().filter_map(Value::as_str);
            cell(&texts.collect::<Vec<_>>().join("; ")).into_owned()
        }
        Some(other) => other.to_string(),
    }
}

/// Returns each location once, for editors and `xargs`.
pub fn paths(answer: &Answer<'_>, out: &mut impl Write) -> Result<()> {
    let mut known = HashSet::new();
    for (_, page) in answer.pages() {
        let sections = page.sections.iter().map(Some);
        for section in sections.chain(page.sections.is_empty().then_some(None)) {
            let location = answer.sources.locate(page, section).to_string();
            if known.insert(location.clone()) {
                writeln!(out, "{}", line(&location))?;
            }
        }
    }
    Ok(())
}

//! References in styles of the Citation Style Language, formatted by hayagriva.

use std::collections::HashMap;

use anyhow::{Context, Result};
use hayagriva::archive::{ArchivedStyle, locales};
use hayagriva::citationberg::Style as Csl;
use hayagriva::citationberg::json::Item;
use hayagriva::{
    BibliographyDriver, BibliographyRequest, BufWriteFormat, CitationItem, CitationRequest,
};
use serde_json::{Map, Value, json};

use super::{Style, Work, csl_date};
use crate::sources::PaperKind;

/// Returns the references in the order of the style's bibliography.
///
/// # Errors
/// If the style cannot be used.
pub fn styled(works: &[Work], style: Style) -> Result<Vec<String>> {
    let archived = match style {
        Style::Apa => ArchivedStyle::AmericanPsychologicalAssociation,
        Style::Chicago => ArchivedStyle::ChicagoAuthorDate,
        Style::Ieee => ArchivedStyle::InstituteOfElectricalAndElectronicsEngineers,
        Style::Bibtex => anyhow::bail!(
            "expected a style of the Citation Style Language, found bibtex, whose entries need none"
        ),
    };
    let Csl::Independent(csl) = archived.get() else {
        anyhow::bail!("expected a style of its own, found one that refers to another");
    };
    let locales = locales();
    let items: Vec<Item> =
        works.iter().map(|work| serde_json::from_value(item(work))).collect::<Result<_, _>>()?;
    let mut driver = BibliographyDriver::new();
    for item in &items {
        let cited = vec![CitationItem::with_entry(item)];
        driver.citation(CitationRequest::from_items(cited, &csl, &locales));
    }
    let done = driver.finish(BibliographyRequest::new(&csl, None, &locales));
    let list = done.bibliography.context("the style has no bibliography")?;
    let by_key: HashMap<&str, &Work> = works.iter().map(|work| (work.key.as_str(), work)).collect();
    let unknown = Work::default();
    let reference = |item: hayagriva::BibliographyItem| -> Result<String> {
        let mut text = String::new();
        if let Some(number) = &item.first_field {
            number.write_buf(&mut text, BufWriteFormat::Plain)?;
            text.push(' ');
        }
        item.content.write_buf(&mut text, BufWriteFormat::Plain)?;
        Ok(mended(text, by_key.get(item.key.as_str()).unwrap_or(&&unknown)))
    };
    list.items.into_iter().map(reference).collect()
}

/// The name that stands for further authors while the reference is formatted.
const OTHERS: &str = "\u{e000}";

/// Returns a reference without the text that styles write around unknown volumes, pages and dates
/// of access, and with "et al." for unnamed authors.
fn mended(text: String, work: &Work) -> String {
    const WITHOUT: [(&str, &str); 4] =
        [(", ahead of print,", ","), (",.", "."), (",)", ")"), ("  ", " ")];
    let mut text = WITHOUT.iter().fold(text, |text, (part, instead)| text.replace(part, instead));
    if !work.csl.contains_key("accessed") {
        text = text.replace(". Retrieved ", ". ");
    }
    for before in [", & ", " & ", ", and ", " and ", ", "] {
        let one = format!("{before}{OTHERS}");
        text = text.replace(&format!("{one}."), ", et al.").replace(&one, ", et al.");
    }
    text.replace(OTHERS, "et al.")
}

/// Returns a work as CSL-JSON, without unknown fields.
fn item(work: &Work) -> Value {
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
        let others = work.has_more_authors.then(|| json!({ "literal": OTHERS }));
        let authors = work.authors.iter().map(author).chain(others);
        item.insert("author".into(), authors.collect());
    }
    if !work.date.is_empty() {
        item.insert("issued".into(), json!({ "date-parts": [work.date] }));
    }
    Value::Object(item)
}

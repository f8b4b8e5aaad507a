//! References in styles of the Citation Style Language, formatted by hayagriva.

use anyhow::{Context, Result};
use hayagriva::archive::{ArchivedStyle, locales};
use hayagriva::citationberg::Style as Csl;
use hayagriva::citationberg::json::Item;
use hayagriva::{
    BibliographyDriver, BibliographyRequest, BufWriteFormat, CitationItem, CitationRequest,
};
use serde_json::{Map, Value, json};

use super::{Style, Work};
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
    let Csl::Independent(style) = archived.get() else {
        anyhow::bail!("expected a style of its own, found one that refers to another");
    };
    let locales = locales();
    let items: Vec<Item> =
        works.iter().map(|work| serde_json::from_value(item(work))).collect::<Result<_, _>>()?;
    let mut driver = BibliographyDriver::new();
    for item in &items {
        let cited = vec![CitationItem::with_entry(item)];
        driver.citation(CitationRequest::from_items(cited, &style, &locales));
    }
    let done = driver.finish(BibliographyRequest::new(&style, None, &locales));
    let list = done.bibliography.context("the style has no bibliography")?;
    let reference = |item: hayagriva::BibliographyItem| -> Result<String> {
        let mut text = String::new();
        if let Some(number) = &item.first_field {
            number.write_buf(&mut text, BufWriteFormat::Plain)?;
            text.push(' ');
        }
        item.content.write_buf(&mut text, BufWriteFormat::Plain)?;
        Ok(mended(text))
    };
    list.items.into_iter().map(reference).collect()
}

/// Returns a reference without what styles write around volumes, pages and dates of access, which
/// are not known here.
fn mended(text: String) -> String {
    const WITHOUT: [(&str, &str); 5] =
        [(", ahead of print,", ","), (". Retrieved ", ". "), (",.", "."), (",)", ")"), ("  ", " ")];
    WITHOUT.iter().fold(text, |text, (part, instead)| text.replace(part, instead))
}

/// Returns a work as CSL-JSON has it, without what is not known.
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
    let texts = [
        ("title", &work.title),
        (venue, &work.venue),
        ("DOI", &work.doi),
        ("URL", &work.url),
        ("language", &work.language),
    ];
    for (name, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
        item.insert(name.into(), text.as_str().into());
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
        item.insert("author".into(), work.authors.iter().map(author).collect());
    }
    if !work.date.is_empty() {
        item.insert("issued".into(), json!({ "date-parts": [work.date] }));
    }
    Value::Object(item)
}

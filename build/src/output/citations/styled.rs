//! References in styles of the Citation Style Language, formatted by hayagriva.

use std::collections::HashMap;

use anyhow::{Context, Result};
use hayagriva::archive::{ArchivedStyle, locales};
use hayagriva::citationberg::Style as Csl;
use hayagriva::citationberg::json::Item;
use hayagriva::{
    BibliographyDriver, BibliographyRequest, BufWriteFormat, CitationItem, CitationRequest,
};

use super::data::item;
use super::{Style, Work};

/// Returns the references in the order of the style's bibliography.
///
/// # Errors
/// If the style cannot be used.
pub fn styled(works: &[Work], style: Style) -> Result<Vec<String>> {
    let archived = match style {
        Style::Apa => ArchivedStyle::AmericanPsychologicalAssociation,
        Style::Chicago => ArchivedStyle::ChicagoAuthorDate,
        Style::Ieee => ArchivedStyle::InstituteOfElectricalAndElectronicsEngineers,
        Style::Bibtex | Style::Ris | Style::CslJson => anyhow::bail!(
            "expected a style of the Citation Style Language, found a format, which needs none"
        ),
    };
    let Csl::Independent(csl) = archived.get() else {
        anyhow::bail!("expected a style of its own, found one that refers to another");
    };
    let locales = locales();
    let items: Vec<Item> = works
        .iter()
        .map(|work| serde_json::from_value(item(work, OTHERS).into()))
        .collect::<Result<_, _>>()?;
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

/// The name that represents further authors while the reference is formatted.
const OTHERS: &str = "\u{e000}";

/// Returns a reference without the text that styles write around unknown volumes, pages and dates
/// of access, and with "et al." for unnamed authors.
fn mended(text: String, work: &Work) -> String {
    const WITHOUT: [(&str, &str); 7] = [
        (", ahead of print,", ","),
        (", Released.", "."),
        (",.", "."),
        (",)", ")"),
        ("  ", " "),
        (".”.", ".”"),
        (".\".", ".\""),
    ];
    // A colon with spaces may be part of the title.
    let mut text = text.replace(" : ", if work.title.contains(" : ") { " : " } else { ": " });
    text = WITHOUT.iter().fold(text, |text, (part, instead)| text.replace(part, instead));
    if !work.csl.contains_key("accessed") {
        text = text.replace(". Retrieved ", ". ");
    }
    for before in [", & ", " & ", ", and ", " and ", ", "] {
        let one = format!("{before}{OTHERS}");
        text = text.replace(&format!("{one}."), ", et al.").replace(&one, ", et al.");
    }
    text.replace(OTHERS, "et al.")
}

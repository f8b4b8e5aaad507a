//! A page or a section of it as one text.

use std::fmt::Write;

use anyhow::Result;

use super::code_text;
use crate::host::{Document, DocumentSection};
use crate::output::UsageError;
use crate::safe_text::{line, lines};

/// Returns the address and the text of a page, or of the section that `address` names by its
/// anchor, with the sections below it.
///
/// # Errors
/// If the page has no such section; the error lists the existing ones.
pub fn of(document: &Document, address: &str) -> Result<(String, String)> {
    let anchor = address.split_once('#').map(|(_, anchor)| anchor);
    // An id may have a `#`.
    let Some(anchor) = anchor.filter(|anchor| !anchor.is_empty() && document.id != address) else {
        let text = code_text::whole(document).map(|text| lines(&text).into_owned());
        return Ok((document.url.clone(), text.unwrap_or_else(|| all(&document.sections))));
    };
    if let Some(text) = code_text::of_fragment(document, anchor) {
        return Ok((format!("{}#{anchor}", document.url), lines(&text).into_owned()));
    }
    let is_meant = |section: &DocumentSection| section.anchor.as_deref() == Some(anchor);
    let Some(at) = document.sections.iter().position(is_meant) else {
        let known = document.sections.iter().filter_map(|section| section.anchor.as_deref());
        let known: Vec<String> = known.take(30).map(|anchor| format!("#{anchor}")).collect();
        let message = format!(
            "expected a section of {}, one of {}; found `#{anchor}`",
            document.url,
            known.join(", ")
        );
        return Err(UsageError { code: "no-such-section", message }.into());
    };
    let section = &document.sections[at];
    let below = document.sections[at + 1..].iter().take_while(|other| {
        other.heading_path.starts_with(&section.heading_path)
            && (other.level > section.level || other.anchor == section.anchor)
    });
    let end = at + 1 + below.count();
    Ok((document.url_of(section), all(&document.sections[at..end])))
}

/// Writes the text of sections, with headings as in Markdown.
fn all(sections: &[DocumentSection]) -> String {
    let mut text = String::new();
    let mut last: Option<&DocumentSection> = None;
    for section in sections {
        // A later part of a long section repeats the heading of the part before it.
        let continues = last.is_some_and(|last| {
            last.heading_path == section.heading_path && last.anchor == section.anchor
        });
        if !continues && let Some(heading) = section.heading_path.last() {
            let marks = "#".repeat(section.level.max(1).into());
            // Writing to a string cannot fail.
            let _ = write!(text, "{marks} {}\n\n", line(heading));
        }
        let own = lines(&section.text);
        if !own.trim().is_empty() {
            let _ = write!(text, "{}\n\n", own.trim_end());
        }
        last = Some(section);
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Document {
        let section = |level, path: &[&str], anchor: &str, text: &str| DocumentSection {
            level,
            heading_path: path.iter().map(ToString::to_string).collect(),
            anchor: (!anchor.is_empty()).then(|| anchor.to_owned()),
            text: text.into(),
            code: vec![],
            passages: vec![],
        };
        Document {
            id: "a".into(),
            url: "/a/".into(),
            sections: vec![
                section(0, &[], "", "Before."),
                section(2, &["One"], "one", "First\u{1b}[2J."),
                section(2, &["One"], "one", "Continued."),
                section(3, &["One", "Below"], "below", "Deeper."),
                section(2, &["Two"], "two", ""),
            ],
            ..Document::default()
        }
    }

    #[test]
    fn a_page_and_a_section_with_what_is_below_it_are_texts() {
        let (url, whole) = of(&page(), "/a/").unwrap();
        assert_eq!(url, "/a/");
        assert_eq!(
            whole,
            "Before.\n\n## One\n\nFirst<U+001B>[2J.\n\nContinued.\n\n### Below\n\nDeeper.\n\n## Two"
        );
        let (url, one) = of(&page(), "https://example.org/a/#one").unwrap();
        assert_eq!(url, "/a/#one");
        assert!(one.starts_with("## One") && one.ends_with("Deeper."), "{one}");
        let error = of(&page(), "/a/#three").unwrap_err();
        assert!(error.is::<UsageError>() && error.to_string().contains("#two"), "{error}");
    }
}

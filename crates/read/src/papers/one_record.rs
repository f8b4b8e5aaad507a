//! A record of a reference manager, as its parser reads it, becomes a paper.

use biblib::Citation;

use super::author::{Author, take_others};
use super::markup;
use super::paper::{self, Kind, Paper};

/// The tags under which a format has what the parser gives no field of its own. A tag that a format
/// does not have is empty.
pub(super) struct Tags {
    pub key: &'static str,
    pub accessed: &'static str,
    pub place: &'static str,
    pub isbn: &'static str,
    pub edition: &'static str,
    pub files: &'static [&'static str],
}

/// The beginnings of addresses that are files beside the library.
const OF_FILES: [&str; 2] = ["internal-pdf://", "file://"];

/// Returns the paper of a record, with the authors that its reader found.
pub(super) fn paper(citation: &Citation, mut authors: Vec<Author>, tags: &Tags) -> Paper {
    let extra = |tag: &str| citation.extra_fields.get(tag).cloned().unwrap_or_default();
    let first = |tag: &str| extra(tag).into_iter().next().unwrap_or_default();
    let has_more_authors = take_others(&mut authors);
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let venue = citation.journal.as_ref().or(citation.journal_abbr.as_ref());
    let date = citation.date.as_ref().map(|date| {
        let parts =
            [u16::try_from(date.year).ok(), date.month.map(u16::from), date.day.map(u16::from)];
        parts.into_iter().map_while(|part| part).collect()
    });
    let mut files: Vec<String> = citation.urls.iter().filter_map(|url| of_file(url)).collect();
    files.extend(tags.files.iter().flat_map(|tag| extra(tag)));
    let url = citation.urls.iter().find(|url| of_file(url).is_none());
    let isbn = Some(first(tags.isbn)).filter(|isbn| !isbn.is_empty());
    Paper {
        key: first(tags.key),
        kind: kind(citation, venue.is_some()),
        title: markup::of_text(&citation.title),
        authors,
        has_more_authors,
        year: citation.date.as_ref().map(|date| i64::from(date.year)),
        date: date.unwrap_or_default(),
        accessed: paper::date(&first(tags.accessed)),
        venue: venue.or(citation.publisher.as_ref()).cloned().unwrap_or_default(),
        container: venue.cloned().unwrap_or_default(),
        volume: text(&citation.volume),
        issue: text(&citation.issue),
        pages: text(&citation.pages),
        publisher: text(&citation.publisher),
        place: first(tags.place),
        isbn: isbn.or_else(|| citation.issn.first().cloned()).unwrap_or_default(),
        edition: first(tags.edition),
        doi: paper::doi(&text(&citation.doi)),
        url: url.cloned().unwrap_or_default(),
        abstract_text: markup::of_text(&text(&citation.abstract_text)),
        keywords: keywords(citation),
        language: text(&citation.language),
        files,
        ..Paper::default()
    }
}

/// Returns the keywords. An asterisk marks the main terms of PubMed's vocabulary.
fn keywords(citation: &Citation) -> Vec<String> {
    let terms = citation.mesh_terms.iter().map(|term| term.replace('*', ""));
    citation.keywords.iter().cloned().chain(terms).collect()
}

/// Returns the kind of the first type that is known. A record of another type in a journal is an
/// article: PubMed has types such as "Clinical Trial".
fn kind(citation: &Citation, has_journal: bool) -> Kind {
    let mut kinds = citation.citation_type.iter().map(|name| Kind::of(name));
    let first = kinds.clone().next().unwrap_or_default();
    let known = kinds.find(|kind| !matches!(kind, Kind::Other | Kind::Unknown));
    let several = citation.citation_type.len() > 1 && has_journal;
    known.unwrap_or(if several { Kind::Article } else { first })
}

/// Returns the path in the address of a file beside the library.
fn of_file(url: &str) -> Option<String> {
    let path = OF_FILES.iter().find_map(|beginning| url.strip_prefix(beginning))?;
    Some(findling_bundle::addresses::percent_decoded(path))
}

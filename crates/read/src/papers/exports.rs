//! The exports of PubMed and EndNote, in lines and as XML. Each record is parsed for itself, so a
//! damaged one costs no other.

use biblib::{
    Citation, CitationParser, EndNoteXmlParser, EnwParser, PubMedParser, PubMedXmlParser,
};
use quick_xml::escape::unescape;

use super::author::Author;
use super::one_record::{self, Tags};
use super::paper::Paper;
use crate::notes::Notes;

const OF_PUBMED: Tags =
    Tags { key: "", accessed: "", place: "PL", isbn: "ISBN", edition: "EN", files: &[] };

const OF_ENDNOTE: Tags =
    Tags { key: "%F", accessed: "%[", place: "%C", isbn: "%@", edition: "%7", files: &["%>"] };

/// Reads an export of PubMed (`.nbib`).
pub(super) fn pubmed(text: &str, notes: &mut Notes) -> Vec<Paper> {
    let mut papers = Vec::new();
    for (line, record) in tagged(text, "PMID-") {
        let found = PubMedParser::new().parse(record).map_err(|error| error.to_string());
        papers.extend(one(found, line, "PubMed", notes).as_ref().map(of_pubmed));
    }
    papers
}

/// Reads an export of EndNote in lines (`.enw`).
pub(super) fn endnote(text: &str, notes: &mut Notes) -> Vec<Paper> {
    let mut papers = Vec::new();
    for (line, record) in tagged(text, "%0") {
        let found = EnwParser::new().parse(record).map_err(|error| error.to_string());
        let Some(citation) = one(found, line, "EndNote", notes) else { continue };
        let named = |tag: &str| {
            let names = record.lines().filter_map(|line| line.strip_prefix(tag));
            names.map(endnote_name).collect()
        };
        papers.push(with_people(&citation, named("%A "), named("%E ")));
    }
    papers
}

/// Reads an export of EndNote or PubMed as XML.
pub(super) fn xml(text: &str, notes: &mut Notes) -> Vec<Paper> {
    let mut papers = Vec::new();
    for (line, record) in elements(text, &["PubmedArticle", "PubmedBookArticle"]) {
        let set = format!("<PubmedArticleSet>{record}</PubmedArticleSet>");
        let found = PubMedXmlParser::new().parse(&set).map_err(|error| error.to_string());
        papers.extend(one(found, line, "PubMed", notes).as_ref().map(of_pubmed));
    }
    for (line, record) in elements(text, &["record"]) {
        let people = |name: &str| -> Vec<Author> {
            let names = [name];
            let people = elements(record, &names).next().map_or("", |(_, people)| people);
            elements(people, &["author"]).map(|(_, one)| endnote_name(&text_of(one))).collect()
        };
        let found = EndNoteXmlParser::new().parse(record).map_err(|error| error.to_string());
        let Some(citation) = one(found, line, "EndNote", notes) else { continue };
        papers.push(with_people(&citation, people("authors"), people("secondary-authors")));
    }
    papers
}

/// Returns the citation of a record; reports a record that has none.
fn one(
    found: Result<Vec<Citation>, String>,
    line: u64,
    program: &str,
    notes: &mut Notes,
) -> Option<Citation> {
    match found {
        Ok(citations) if !citations.is_empty() => citations.into_iter().next(),
        Ok(_) => {
            notes.malformed(line, &format!("is no record of {program}"));
            None
        }
        Err(error) => {
            // The parser's line is that of the record alone.
            let reason = error.split_once(": ").map_or(error.as_str(), |(_, reason)| reason);
            notes.malformed(line, &format!("is no record of {program} ({reason})"));
            None
        }
    }
}

fn of_pubmed(citation: &Citation) -> Paper {
    let authors = citation.authors.iter().map(author).collect();
    let paper = one_record::paper(citation, authors, &OF_PUBMED);
    let id = citation.pmid.clone().unwrap_or_default();
    let url = match (id.as_str(), paper.doi.as_str()) {
        ("", _) => paper.url,
        (id, "") => format!("https://pubmed.ncbi.nlm.nih.gov/{id}/"),
        _ => String::new(),
    };
    Paper { key: id, url, ..paper }
}

/// Returns the paper of a record of EndNote. The editors of a work without authors stand for them.
fn with_people(citation: &Citation, authors: Vec<Author>, mut editors: Vec<Author>) -> Paper {
    let authors = if authors.is_empty() { std::mem::take(&mut editors) } else { authors };
    Paper { editors, ..one_record::paper(citation, authors, &OF_ENDNOTE) }
}

/// Returns an author of PubMed. The name of a group has no given name.
fn author(found: &biblib::Author) -> Author {
    let given = [&found.given_name, &found.middle_name].map(|name| name.as_deref().unwrap_or(""));
    match given.join(" ").trim() {
        "" => Author::named(&found.name),
        given => Author::parse(&format!("{}, {given}", found.name)),
    }
}

/// Returns an author of EndNote. The name of an organisation may end with a comma.
fn endnote_name(name: &str) -> Author {
    match name.trim().strip_suffix(',') {
        Some(name) => Author::named(name),
        None => Author::parse(name),
    }
}

/// Returns the text of an element.
fn text_of(element: &str) -> String {
    let mut text = String::new();
    for part in element.split('<').skip(1) {
        text.push_str(part.split_once('>').map_or("", |(_, text)| text));
    }
    match unescape(&text) {
        Ok(text) => text.into_owned(),
        Err(_) => text,
    }
}

/// Returns the records of a text, each of which begins with a line that begins with `tag`, with the
/// numbers of their first lines.
fn tagged<'a>(text: &'a str, tag: &'a str) -> impl Iterator<Item = (u64, &'a str)> {
    let mut begins = Vec::new();
    let mut at = 0;
    for (number, line) in (1_u64..).zip(text.split_inclusive('\n')) {
        if line.trim_start_matches('\u{feff}').starts_with(tag) {
            begins.push((number, at));
        }
        at += line.len();
    }
    (0..begins.len()).map(move |record| {
        let (number, begin) = begins[record];
        let end = begins.get(record + 1).map_or(text.len(), |&(_, next)| next);
        (number, &text[begin..end])
    })
}

/// Returns the elements of a text with one of these names, none within another, with the numbers of
/// the lines on which they begin. An element without an end reaches to the end of the text.
fn elements<'a>(text: &'a str, names: &'a [&'a str]) -> impl Iterator<Item = (u64, &'a str)> {
    let mut rest = text;
    let mut line = 1_u64;
    std::iter::from_fn(move || {
        let named = |at: usize| names.iter().find(|name| begins_with(&rest[at + 1..], name));
        let (begin, name) = rest.match_indices('<').find_map(|(at, _)| Some((at, named(at)?)))?;
        let closing = format!("</{name}>");
        let end =
            rest[begin..].find(&closing).map_or(rest.len(), |end| begin + end + closing.len());
        let number = line + newlines(&rest[..begin]);
        let element = &rest[begin..end];
        line = number + newlines(element);
        rest = &rest[end..];
        Some((number, element))
    })
}

/// Returns whether the text of a tag begins with a name.
fn begins_with(tag: &str, name: &str) -> bool {
    tag.strip_prefix(name)
        .is_some_and(|rest| rest.starts_with(|c: char| c == '>' || c.is_ascii_whitespace()))
}

fn newlines(text: &str) -> u64 {
    text.bytes().filter(|&byte| byte == b'\n').count() as u64
}

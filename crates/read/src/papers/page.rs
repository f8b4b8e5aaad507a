//! Papers and their texts as pages.

use std::collections::BTreeMap;

use super::super::attributes::Raw;
use super::super::file::File;
use super::super::notes::Notes;
use super::super::outline::{Outline, fold};
use super::super::page_url;
use super::super::{Format, Options, Outcome, RawPage, Severity, titles};
use super::author::Author;
use super::chunk_types::{self, ChunkType};
use super::citation;
use super::paper::{Paper, UNKNOWN};
use findling_page::page::Section;

/// Adds papers of a bibliography as pages.
pub(super) fn add(
    papers: Vec<Paper>,
    file: &File,
    options: &Options,
    notes: &mut Notes,
    outcome: &mut Outcome,
) {
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for (number, mut paper) in (1..).zip(papers) {
        paper.key = fold(&paper.key);
        let key = if paper.key.is_empty() { number.to_string() } else { paper.key.clone() };
        let mut id = format!("{}/{key}", file.id);
        if let Some(first) = known.get(&id) {
            notes.tell(
                Severity::Warning,
                None,
                format!("paper {number} has the key \"{key}\" of paper {first}; both are read"),
            );
            id = format!("{id}/{number}");
        }
        known.insert(id.clone(), number);
        let mut raw = RawPage { format: Some(Format::Papers), ..RawPage::default() };
        raw.path.clone_from(&file.path);
        raw.page.url = url(&paper, &id, options);
        raw.page.id = id;
        raw.page.title = match fold(&paper.title) {
            title if title.is_empty() => key,
            title => title,
        };
        raw.page.language = language(&paper.language);
        own_sections(&paper, &mut raw);
        describe(&paper, &mut raw);
        name(&paper, &mut raw);
        raw.paper = Some(Box::new(paper));
        outcome.pages.push(raw);
    }
}

/// Adds the text of a paper as a page. Its metadata is not known yet.
pub(super) fn add_document(
    mut raw: RawPage,
    file: &File,
    options: &Options,
    outcome: &mut Outcome,
) {
    super::classify(&mut raw, options);
    if raw.page.title.is_empty() {
        raw.page.title = titles::from_path(&file.id);
    }
    raw.path.clone_from(&file.path);
    raw.format = Some(Format::Papers);
    raw.page.id.clone_from(&file.id);
    raw.page.url = page_url::url(&file.id, Format::Papers, options);
    let own = std::mem::take(&mut raw.attributes);
    describe(&Paper::default(), &mut raw);
    // The text's own front matter is better than nothing.
    raw.attributes.extend(own);
    outcome.pages.push(raw);
}

/// Sets the attributes of a page. A missing value is "unknown", and filters can search for that. A
/// missing year is shown as "unknown" too, but no filter finds it, because years are numbers.
fn describe(paper: &Paper, raw: &mut RawPage) {
    let text = |value: &str| match fold(value) {
        value if value.is_empty() => Raw::Text(UNKNOWN.to_owned()),
        value => Raw::Text(value),
    };
    let list = |values: &[String]| -> Vec<String> {
        values.iter().map(|value| fold(value)).filter(|value| !value.is_empty()).collect()
    };
    let names: Vec<String> = paper.authors.iter().map(Author::name).collect();
    let authors = match list(&names) {
        authors if authors.is_empty() => vec![UNKNOWN.to_owned()],
        authors => authors,
    };
    raw.page.meta.push(("authors".to_owned(), authors.join(", ")));
    match paper.year {
        Some(year) => {
            raw.attributes.insert("year".to_owned(), Raw::Number(year as f64));
        }
        None => raw.page.meta.push(("year".to_owned(), UNKNOWN.to_owned())),
    }
    raw.page.meta.push((citation::CSL.to_owned(), citation::csl(paper)));
    raw.attributes.insert("authors".to_owned(), Raw::List(authors));
    raw.attributes.insert("venue".to_owned(), text(&paper.venue));
    raw.attributes.insert("doi".to_owned(), text(&paper.doi));
    raw.attributes.insert("type".to_owned(), Raw::Text(paper.kind.name().to_owned()));
    for (name, values) in [("keywords", &paper.keywords), ("groups", &paper.groups)] {
        let values = list(values);
        if !values.is_empty() {
            raw.attributes.insert(name.to_owned(), Raw::List(values));
        }
    }
}

/// Sets the names by which people remember a paper, which are searched with its title: its key, its
/// DOI, its authors with its year and its venue.
fn name(paper: &Paper, raw: &mut RawPage) {
    let year = paper.year.map(|year| year.to_string()).unwrap_or_default();
    let people = paper.authors.iter().chain(&paper.editors).map(Author::name);
    let people = people.collect::<Vec<_>>().join(", ");
    let known = [people.as_str(), &year, &paper.venue, &paper.publisher]
        .map(fold)
        .into_iter()
        .filter(|part| !part.is_empty());
    let mut remembered: Vec<String> = known.collect();
    remembered.dedup();
    let first = paper.authors.first().map(|author| format!("{} {year}", author.family));
    let names =
        [paper.key.clone(), paper.doi.clone(), first.unwrap_or_default(), remembered.join(", ")];
    for name in names.map(|name| fold(&name)) {
        if !name.is_empty() && !raw.page.aliases.contains(&name) {
            raw.page.aliases.push(name);
        }
    }
}

/// Sets the sections that the bibliography has itself: the abstract and the remarks of a reader.
fn own_sections(paper: &Paper, raw: &mut RawPage) {
    let abstract_text = paper.abstract_text.split("\n\n");
    let mut sections = sections("Abstract", Some("abstract"), abstract_text, ChunkType::Abstract);
    for remark in &paper.remarks {
        let title = if remark.title.is_empty() { "Note" } else { &remark.title };
        let text = remark.text.iter().map(String::as_str);
        // The first line of a note is its title.
        let text = text.skip_while(|line| *line == title);
        sections.extend(self::sections(title, None, text, ChunkType::Note));
    }
    raw.page.sections = sections;
}

fn sections<'a>(
    title: &str,
    anchor: Option<&str>,
    paragraphs: impl Iterator<Item = &'a str>,
    kind: ChunkType,
) -> Vec<Section> {
    let mut outline = Outline::new();
    outline.heading(1, title.to_owned(), anchor.map(str::to_owned));
    for paragraph in paragraphs {
        outline.text().push(paragraph);
        outline.end_block();
    }
    let mut sections = outline.finish();
    sections.retain(|section| !section.blocks.is_empty());
    for section in &mut sections {
        chunk_types::set(&mut section.attributes, kind);
    }
    sections
}

/// Returns the place of a paper: its DOI, its address, or its place in the bibliography.
fn url(paper: &Paper, id: &str, options: &Options) -> String {
    let is_web = |url: &str| url.starts_with("https://") || url.starts_with("http://");
    let escaped = |text: &str| -> String {
        let is_plain = |c: &char| !c.is_whitespace() && !c.is_control() && !"\"<>".contains(*c);
        text.chars().filter(is_plain).collect()
    };
    if !paper.doi.is_empty() {
        format!("https://doi.org/{}", escaped(&paper.doi))
    } else if is_web(paper.url.trim()) {
        escaped(paper.url.trim())
    } else {
        page_url::url(id, Format::Papers, options)
    }
}

/// Returns a language tag, if it is one.
fn language(text: &str) -> String {
    let text = text.trim().replace('_', "-");
    let is_tag = matches!(text.find('-').unwrap_or(text.len()), 2 | 3)
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if is_tag { text } else { String::new() }
}

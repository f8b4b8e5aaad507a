//! `--format citations`: the results as a list of references.
//!
//! A paper is cited by the attributes that [papers](crate::sources) have, any other page by its
//! title, its address and its date. Unknown fields are left out.

mod data;
#[cfg(feature = "citations")]
mod styled;

use std::collections::HashSet;
use std::io::Write;

use anyhow::Result;
use biblatex::{Chunk, Entry, EntryType, Person, Spanned};
use clap::ValueEnum;
use findling_engine::PageHit;
use serde_json::{Map, Value};

#[cfg(feature = "citations")]
use styled::styled;

use super::byline::csl;
use super::{Answer, title};
use crate::safe_text::{line, lines};
use crate::sources::{PaperKind, UNKNOWN};

/// A style of references.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Style {
    /// American Psychological Association
    #[default]
    Apa,
    /// The Chicago Manual of Style, author and date
    Chicago,
    /// Institute of Electrical and Electronics Engineers
    Ieee,
    /// Entries of a BibTeX file
    Bibtex,
    /// Records of a RIS file
    Ris,
    /// A list of CSL-JSON
    CslJson,
}

/// A page as a work that can be cited. All text is harmless.
#[derive(Clone, Debug, Default, PartialEq)]
struct Work {
    /// The key for BibTeX, unique in the list.
    key: String,
    kind: PaperKind,
    title: String,
    authors: Vec<Person>,
    /// Year, month, day, as far as they are known.
    date: Vec<i16>,
    venue: String,
    doi: String,
    url: String,
    language: String,
    /// Whether the list of authors ends with "and others".
    has_more_authors: bool,
    /// Further fields of the entry, as CSL-JSON: volume, issue, page, publisher, dates.
    csl: Map<String, Value>,
}

/// Returns a kind's type in BibTeX, and the field that names where a work of this kind appeared.
fn bibtex(kind: PaperKind) -> (EntryType, &'static str) {
    match kind {
        PaperKind::Article => (EntryType::Article, "journal"),
        PaperKind::Conference => (EntryType::InProceedings, "booktitle"),
        PaperKind::Book => (EntryType::Book, "publisher"),
        PaperKind::Chapter => (EntryType::InCollection, "booktitle"),
        PaperKind::Thesis => (EntryType::PhdThesis, "school"),
        PaperKind::Report => (EntryType::TechReport, "institution"),
        PaperKind::Preprint
        | PaperKind::Dataset
        | PaperKind::Software
        | PaperKind::Web
        | PaperKind::Other
        | PaperKind::Unknown => (EntryType::Misc, "howpublished"),
    }
}

/// Returns the references of answers as one list: keys are unique, and the numbering is continuous.
pub fn list(answers: &[Answer<'_>], style: Style, out: &mut impl Write) -> Result<()> {
    let pages: Vec<&PageHit> =
        answers.iter().flat_map(Answer::pages).map(|(_, page)| page).collect();
    for reference in references(&pages, style)? {
        writeln!(out, "{reference}")?;
    }
    Ok(())
}

/// Returns the reference of a page, harmless.
///
/// # Errors
/// If this program has no such style.
pub fn reference(page: &PageHit, style: Style) -> Result<String> {
    Ok(references(&[page], style)?.pop().unwrap_or_default())
}

/// Returns the references of pages, harmless.
fn references(pages: &[&PageHit], style: Style) -> Result<Vec<String>> {
    let mut keys = HashSet::new();
    let works: Vec<Work> = pages.iter().map(|page| Work::of(page, &mut keys)).collect();
    match style {
        Style::Bibtex => {
            let entry = |work: &Work| -> Result<String> { Ok(lines(&work.bibtex()?).into_owned()) };
            return works.iter().map(entry).collect();
        }
        Style::Ris => {
            return Ok(works.iter().map(|work| lines(&data::ris(work)).into_owned()).collect());
        }
        Style::CslJson => return Ok(vec![lines(&data::csl_json(&works)?).into_owned()]),
        Style::Apa | Style::Chicago | Style::Ieee => {}
    }
    let styled = styled(&works, style)?;
    Ok(styled.iter().map(|reference| line(reference).into_owned()).collect())
}

/// Returns the position of a name in a comma-separated line of names; the end if it is not there.
fn place(line: &str, name: &str) -> usize {
    let is_whole = |(at, _): &(usize, &str)| {
        let (before, behind) = (&line[..*at], &line[at + name.len()..]);
        (before.is_empty() || before.ends_with(", "))
            && (behind.is_empty() || behind.starts_with(", "))
    };
    line.match_indices(name).find(is_whole).map_or(usize::MAX, |(at, _)| at)
}

impl Work {
    fn of(page: &PageHit, keys: &mut HashSet<String>) -> Self {
        let text = |name: &str| page.attributes.get(name).and_then(Value::as_str).unwrap_or("");
        let known = |text: &str| if text == UNKNOWN { String::new() } else { clean(text) };
        let texts = |name: &str| match page.attributes.get(name) {
            Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(value)) => vec![value.as_str()],
            _ => Vec::new(),
        };
        let csl = csl(&page.meta);
        let mut authors = texts("authors");
        if authors.is_empty() {
            authors = texts("author");
        }
        // An attribute's values are sorted alphabetically; the line of authors has the authors' own
        // order.
        let line = page.meta.iter().find(|(name, _)| name == "authors");
        if let Some((_, line)) = line {
            authors.sort_by_key(|name| place(line, name));
        }
        let authors = authors.into_iter().map(known).filter(|name| !name.is_empty());
        let authors: Vec<Person> = match csl.get("author").and_then(Value::as_array) {
            Some(people) => people.iter().map(person).collect(),
            None => authors.map(|name| Person::parse(&chunks(&name.replace('=', " ")))).collect(),
        };
        let year = page.attributes.get("year").and_then(Value::as_f64);
        let issued = csl_date(&csl, "issued");
        let date = match year.and_then(|year| i16::try_from(year as i64).ok()) {
            Some(year) if issued.first() == Some(&year) => issued,
            Some(year) => vec![year],
            None => date(text("date")),
        };
        // The address of a paper's text on this machine is useless to others.
        let url = match csl.is_empty() {
            true => clean(&page.url),
            false => clean(csl.get("URL").and_then(Value::as_str).unwrap_or_default()),
        };
        let mut work = Self {
            key: String::new(),
            kind: PaperKind::named(text("type")),
            title: clean(title(page)),
            authors,
            date,
            venue: known(text("venue")),
            doi: known(text("doi")),
            url,
            language: clean(&page.language),
            has_more_authors: csl.get("others") == Some(&Value::Bool(true)),
            csl,
        };
        work.key = work.free_key(keys);
        work
    }

    /// Returns the entry's own key; without one the first author's name, the year and the first
    /// word of the title. A number is added if another work has that key.
    fn free_key(&self, keys: &mut HashSet<String>) -> String {
        let plain = |text: &str| -> String {
            text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
        };
        let author = self.authors.first().map(|author| plain(&author.name)).unwrap_or_default();
        let year = self.date.first().map(ToString::to_string).unwrap_or_default();
        let mut words = self.title.split_whitespace().map(plain);
        let word = words.find(|word| word.len() > 3).unwrap_or_default();
        let made = format!("{author}{year}{word}");
        // Characters that end a key in BibTeX.
        let is_of_key = |c: &char| !c.is_whitespace() && !"{}(),=\\\"#%~'".contains(*c);
        let own: String = self.known("id").chars().filter(is_of_key).collect();
        let known = [own, made, "page".to_owned()].into_iter().find(|key| !key.is_empty());
        let key = known.unwrap_or_default();
        let mut tries = std::iter::once(key.clone()).chain((2..).map(|n| format!("{key}-{n}")));
        tries.find(|key| keys.insert(key.clone())).unwrap_or(key)
    }

    /// Returns a text of the citation, on one line; empty if it has none.
    fn known(&self, name: &str) -> String {
        clean(self.csl.get(name).and_then(Value::as_str).unwrap_or_default())
    }

    fn bibtex(&self) -> Result<String> {
        let (kind, venue) = bibtex(self.kind);
        let mut entry = Entry::new(self.key.clone(), kind);
        entry.set("title", chunks(&self.title));
        if !self.authors.is_empty() {
            entry.set("author", names(&self.authors, self.has_more_authors));
        }
        let editors = self.csl.get("editor").and_then(Value::as_array).into_iter().flatten();
        let editors: Vec<Person> = editors.map(person).collect();
        if !editors.is_empty() {
            entry.set("editor", names(&editors, false));
        }
        if let [year, rest @ ..] = &self.date[..] {
            entry.set("year", chunks(&year.to_string()));
            if let Some(month) = rest.first() {
                entry.set("month", chunks(&month.to_string()));
            }
        }
        let publisher = self.known("publisher");
        let is_told = publisher == self.venue && venue != "journal" && venue != "booktitle";
        let pages = self.known("page").replace('–', "--");
        let fields = [
            (venue, self.venue.clone()),
            ("publisher", if is_told { String::new() } else { publisher }),
            ("volume", self.known("volume")),
            ("number", [self.known("issue"), self.known("number")].concat()),
            ("pages", pages),
            ("edition", self.known("edition")),
            ("address", self.known("publisher-place")),
            ("isbn", self.known("ISBN")),
            ("doi", self.doi.clone()),
            ("url", self.url.clone()),
            ("language", self.language.clone()),
        ];
        for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
            entry.set(name, chunks(&value));
        }
        Ok(entry.to_bibtex_string()?)
    }
}

/// Returns the names of a field of BibTeX. An organisation is in braces, so that it is not divided.
fn names(people: &[Person], has_more: bool) -> Vec<Spanned<Chunk>> {
    let mut chunks = Vec::new();
    let mut push = |chunk| chunks.push(Spanned::zero(chunk));
    for (at, person) in people.iter().enumerate() {
        if at > 0 {
            push(Chunk::Normal(" and ".to_owned()));
        }
        let Person { name, given_name, prefix, suffix, .. } = person;
        if given_name.is_empty() && name.contains(' ') {
            push(Chunk::Verbatim(name.clone()));
            continue;
        }
        let family = [prefix.as_str(), name.as_str()].join(" ");
        let parts = [family.trim(), suffix.as_str(), given_name.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        push(Chunk::Normal(parts.join(", ")));
    }
    if has_more {
        push(Chunk::Normal(" and others".to_owned()));
    }
    chunks
}

/// Returns a person of CSL-JSON; an organisation has one name.
fn person(value: &Value) -> Person {
    let part = |name: &str| clean(value.get(name).and_then(Value::as_str).unwrap_or_default());
    let name = [part("family"), part("literal")].concat();
    Person {
        name,
        given_name: part("given"),
        prefix: part("non-dropping-particle"),
        suffix: part("suffix"),
        id: None,
        prefix_initials: None,
        given_initials: None,
        use_prefix: None,
    }
}

/// Returns year, month and day of a date of CSL-JSON.
fn csl_date(item: &Map<String, Value>, name: &str) -> Vec<i16> {
    let parts = item.get(name).and_then(|date| date.pointer("/date-parts/0"));
    let numbers = parts.and_then(Value::as_array).into_iter().flatten();
    let numbers: Vec<String> =
        numbers.filter_map(Value::as_i64).map(|number| number.to_string()).collect();
    date(&numbers.join("-"))
}

fn chunks(text: &str) -> Vec<Spanned<Chunk>> {
    vec![Spanned::zero(Chunk::Normal(text.to_owned()))]
}

/// Returns a text on one line, harmless.
fn clean(text: &str) -> String {
    line(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the numbers of a date as attributes have it, `2024-05-01`, up to the first month or day
/// that no calendar has; empty for other texts. The styles refuse numbers that are not dates.
fn date(text: &str) -> Vec<i16> {
    let day = text.split(['T', ' ']).next().unwrap_or_default();
    let numbers: Option<Vec<i16>> = day.split('-').map(|part| part.parse().ok()).collect();
    let numbers = numbers.filter(|numbers| numbers.len() <= 3).unwrap_or_default();
    let possible = [i16::MIN..=i16::MAX, 1..=12, 1..=31];
    let known = numbers.into_iter().zip(possible).take_while(|(number, of)| of.contains(number));
    known.map(|(number, _)| number).collect()
}

/// Refuses every style but BibTeX, since this program is built without styles.
#[cfg(not(feature = "citations"))]
fn styled(_works: &[Work], style: Style) -> Result<Vec<String>> {
    let style = style.to_possible_value();
    let style = style.as_ref().map_or("", clap::builder::PossibleValue::get_name);
    let message = format!(
        "expected --style bibtex, ris or csl-json, found {style}, which this program was built \
         without: build it with the feature `citations`"
    );
    Err(super::UsageError { code: "usage", message }.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::sources;

    fn page(title: &str, url: &str, attributes: Value) -> PageHit {
        let Value::Object(attributes) = attributes else { panic!("an object") };
        PageHit {
            id: url.into(),
            url: url.into(),
            title: title.into(),
            language: "en".into(),
            score: 1.0,
            attributes,
            meta: vec![],
            sections: vec![],
            n_sections: 0,
            copies: 0,
            pinned: false,
        }
    }

    fn pages() -> Vec<PageHit> {
        let paper = json!({
            "type": "article",
            "authors": ["Ada Lovelace", "Charles van der Berg"],
            "year": 1843,
            "venue": "Scientific Memoirs",
            "doi": "10.1000/x",
        });
        let unknown = json!({
            "type": "unknown", "authors": ["unknown"], "venue": "unknown", "doi": "unknown",
        });
        vec![
            page("Sketch of the Engine & notes", "https://doi.org/10.1000/x", paper),
            page("Threads", "https://example.org/threads", json!({"date": "2024-05-01T10:00:00Z"})),
            page("Evil \u{1b}[2J\u{202e} \\input{x} $", "https://example.org/\u{7}", unknown),
            page("", "/untitled/", json!({})),
        ]
    }

    fn printed(style: Style) -> String {
        references(&pages().iter().collect::<Vec<_>>(), style).unwrap().join("\n")
    }

    #[test]
    fn authors_are_in_their_own_order() {
        let attributes = json!({"authors": ["Ada Li", "Ben Ash", "Li"], "type": "article"});
        let mut paper = page("Glazes", "https://example.org/", attributes);
        paper.meta = vec![("authors".into(), "Li, Ben Ash, Ada Li".into())];
        let work = Work::of(&paper, &mut HashSet::new());
        let names: Vec<&str> = work.authors.iter().map(|author| author.name.as_str()).collect();
        assert_eq!(names, ["Li", "Ash", "Li"]);
        assert_eq!(work.authors[2].given_name, "Ada");
    }

    #[test]
    fn entries_of_bibtex_can_be_read_back() {
        assert!(crate::safe_text::is_safe(&printed(Style::Bibtex)));
        let pages = pages();
        let text = references(&[&pages[0], &pages[1]], Style::Bibtex).unwrap().join("\n");
        let read = biblatex::Bibliography::parse(&text).unwrap();
        assert_eq!(read.len(), 2, "{text}");
        let paper = read.get("lovelace1843sketch").unwrap();
        let authors = paper.author().unwrap();
        assert_eq!((authors[0].name.as_str(), authors[0].given_name.as_str()), ("Lovelace", "Ada"));
        assert_eq!((authors[1].name.as_str(), authors[1].prefix.as_str()), ("Berg", "van der"));
        assert_eq!(paper.entry_type, EntryType::Article);
        let page = read.get("2024threads").unwrap();
        assert_eq!(page.entry_type, EntryType::Misc);
        assert!(page.author().is_err() && page.get("howpublished").is_none());
    }

    #[test]
    fn data_for_other_programs_can_be_read_back() {
        let pages = pages();
        for style in [Style::Ris, Style::CslJson] {
            let text = references(&[&pages[0], &pages[1]], style).unwrap().join("\n");
            assert!(crate::safe_text::is_safe(&printed(style)));
            let directory = tempfile::tempdir().unwrap();
            let name = if style == Style::Ris { "a.ris" } else { "a.json" };
            let path = directory.path().join(name);
            std::fs::write(&path, &text).unwrap();
            let options = sources::Options {
                format: Some(sources::Format::Papers),
                ..sources::Options::default()
            };
            let read = sources::read(&[path], &options, &mut |problem| panic!("{problem:?}"));
            let titles: Vec<&str> = read.iter().map(|page| page.title.as_str()).collect();
            assert_eq!(titles, ["Sketch of the Engine & notes", "Threads"], "{text}");
            let authors = read[0].meta.iter().find(|(name, _)| name == "authors").unwrap();
            assert_eq!(authors.1, "Ada Lovelace, Charles van der Berg", "{text}");
            assert_eq!(read[0].url, "https://doi.org/10.1000/x");
            assert_eq!(read[1].url, "https://example.org/threads");
        }
    }

    #[test]
    fn dates_are_taken_as_far_as_they_are_known() {
        assert_eq!(date("2024-05-01T10:00:00Z"), [2024, 5, 1]);
        assert_eq!(date("2024"), [2024]);
        assert_eq!(date("2024-00-00"), [2024]);
        assert_eq!(date("2024-13-01"), [2024]);
        assert_eq!(date("2024-05-32"), [2024, 5]);
        for other in ["", "soon", "1-2-3-4", "20240501"] {
            assert!(date(other).is_empty(), "{other}");
        }
    }

    #[test]
    fn a_year_and_a_day_that_are_none_keep_no_page_from_being_cited() {
        let odd = page("Odd", "/odd/", json!({"year": 20240501, "date": "2024-00-00"}));
        assert_eq!(Work::of(&odd, &mut HashSet::new()).date, [2024]);
        let style = if cfg!(feature = "citations") { Style::Apa } else { Style::Bibtex };
        let references = references(&[&odd], style).unwrap();
        assert_eq!(references.len(), 1);
        assert!(references[0].contains("2024") && !references[0].contains("20240501"));
    }

    #[cfg(feature = "citations")]
    #[test]
    fn styles_cite_papers_and_pages_and_leave_out_what_is_not_known() {
        for (style, paper, page) in [
            (Style::Apa, "Lovelace, A., & ", "Threads. (2024, May 1). https://example.org/threads"),
            (Style::Chicago, "Lovelace, Ada, and ", "https://example.org/threads"),
            (Style::Ieee, "A. Lovelace and ", "https://example.org/threads"),
        ] {
            let text = printed(style);
            let references: Vec<&str> = text.lines().collect();
            assert_eq!(references.len(), 4, "{text}");
            assert!(crate::safe_text::is_safe(&text) && !text.contains("unknown"), "{text}");
            let cited = |part: &str| references.iter().any(|line| line.contains(part));
            assert!(cited(paper) && cited(page), "{style:?}: {text}");
            assert!(cited("1843") && cited("Scientific Memoirs") && cited("10.1000/x"), "{text}");
        }
    }
}

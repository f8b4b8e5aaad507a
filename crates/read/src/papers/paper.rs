//! The metadata of a paper, whatever the format of its source.

use bincode::{Decode, Encode};

use super::author::Author;

/// The value that a filter finds if nothing is known.
pub const UNKNOWN: &str = "unknown";

/// A paper's metadata. Unknown fields are empty.
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
pub(crate) struct Paper {
    /// The key in the file.
    pub key: String,
    pub kind: Kind,
    pub title: String,
    /// The authors in order, or the editors of a work without authors.
    pub authors: Vec<Author>,
    /// Whether the list of authors ends with "and others".
    pub has_more_authors: bool,
    /// The editors of a work that has authors.
    pub editors: Vec<Author>,
    pub year: Option<i64>,
    /// Year, month and day, as far as they are known.
    pub date: Vec<u16>,
    /// The day on which its address was read.
    pub accessed: Vec<u16>,
    /// The journal, conference, book or publisher.
    pub venue: String,
    /// The journal, the proceedings or the book, but not the publisher.
    pub container: String,
    pub volume: String,
    pub issue: String,
    pub pages: String,
    /// The name that a thesis or a report gives itself: "PhD thesis".
    pub genre: String,
    /// The number of a report.
    pub number: String,
    pub edition: String,
    pub publisher: String,
    /// The place of publication.
    pub place: String,
    pub isbn: String,
    /// The DOI without `https://doi.org/`.
    pub doi: String,
    pub url: String,
    pub abstract_text: String,
    pub keywords: Vec<String>,
    /// The groups or collections of the library that it is in.
    pub groups: Vec<String>,
    pub language: String,
    /// Files with its text.
    pub files: Vec<String>,
    /// Notes and annotations of a reader.
    pub remarks: Vec<Remark>,
}

/// A note of a reader, or the annotations of a reader.
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
pub(crate) struct Remark {
    pub title: String,
    /// The paragraphs.
    pub text: Vec<String>,
}

/// Kinds of works: the union of the kinds in all formats, simplified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub enum Kind {
    /// A work in a journal, a magazine or a newspaper.
    Article,
    /// A work in the proceedings of a conference.
    Conference,
    /// A whole book.
    Book,
    /// A part of a book.
    Chapter,
    /// A work for an academic degree.
    Thesis,
    /// A work published by an institution.
    Report,
    /// A work that is not published, or only by its authors.
    Preprint,
    /// Data.
    Dataset,
    /// A program.
    Software,
    /// A page of a site.
    Web,
    /// A kind that is none of these.
    Other,
    /// The kind is not known.
    #[default]
    Unknown,
}

impl Kind {
    const ALL: [Self; 12] = [
        Self::Article,
        Self::Conference,
        Self::Book,
        Self::Chapter,
        Self::Thesis,
        Self::Report,
        Self::Preprint,
        Self::Dataset,
        Self::Software,
        Self::Web,
        Self::Other,
        Self::Unknown,
    ];

    /// Returns the name in filters.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Article => "article",
            Kind::Conference => "conference",
            Kind::Book => "book",
            Kind::Chapter => "chapter",
            Kind::Thesis => "thesis",
            Kind::Report => "report",
            Kind::Preprint => "preprint",
            Kind::Dataset => "dataset",
            Kind::Software => "software",
            Kind::Web => "web",
            Kind::Other => "other",
            Kind::Unknown => UNKNOWN,
        }
    }

    /// Returns the kind that has this name in filters; or the unknown kind.
    pub fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or_default()
    }

    /// Returns the kind that a type of BibTeX, BibLaTeX, CSL-JSON or RIS is.
    pub(super) fn of(name: &str) -> Self {
        match name.trim().to_lowercase().as_str() {
            "" | UNKNOWN => Kind::Unknown,
            "article" | "article-journal" | "article-magazine" | "article-newspaper" | "review"
            | "jour" | "journal article" | "mgzn" | "magazine article" | "news" | "ejour"
            | "journal" | "newspaper" | "in press" | "suppperiodical" => Kind::Article,
            "inproceedings"
            | "conference"
            | "proceedings"
            | "paper-conference"
            | "cpaper"
            | "conf"
            | "mvproceedings"
            | "speech"
            | "conference paper"
            | "conference proceeding"
            | "conference proceedings" => Kind::Conference,
            "book" | "mvbook" | "collection" | "mvcollection" | "edbook" | "ebook" | "manual"
            | "booklet" | "whole book" | "edited book" | "electronic book" => Kind::Book,
            "inbook" | "incollection" | "bookinbook" | "suppbook" | "suppcollection"
            | "chapter" | "chap" | "book section" | "book chapter" | "entry"
            | "entry-encyclopedia" | "inreference" | "echap" => Kind::Chapter,
            "thesis"
            | "phdthesis"
            | "mastersthesis"
            | "thes"
            | "dissertation"
            | "thesis/dissertation" => Kind::Thesis,
            "report" | "techreport" | "rprt" => Kind::Report,
            "preprint" | "eprint" | "manuscript" | "unpublished" | "unpb" | "unpublished work"
            | "online preprint" => Kind::Preprint,
            "dataset" | "data" | "data file" | "dataset record" => Kind::Dataset,
            "software" | "comp" | "computer program" => Kind::Software,
            "online"
            | "www"
            | "electronic"
            | "webpage"
            | "post"
            | "post-weblog"
            | "elec"
            | "web page"
            | "blog"
            | "electronic citation"
            | "internet communication" => Kind::Web,
            _ => Kind::Other,
        }
    }
}

/// Returns the first number of four digits in a date.
pub(super) fn year(text: &str) -> Option<i64> {
    let mut digits = text.split(|c: char| !c.is_ascii_digit()).filter(|part| part.len() == 4);
    digits.next()?.parse().ok()
}

/// Returns a DOI without the address in front of it.
pub(super) fn doi(text: &str) -> String {
    let text = text.trim();
    let start = text.find("10.").filter(|&at| {
        let before = text[..at].to_ascii_lowercase();
        before.is_empty()
            || before.ends_with('/')
            || before.ends_with("doi:")
            || before.ends_with(' ')
    });
    start.map_or(String::new(), |at| text[at..].trim_end_matches(['.', ',']).to_owned())
}

/// Returns year, month and day of a date, `2018/03/01/` or `2018-03-01`, as far as they are known.
/// Other texts have only a year.
pub(super) fn date(text: &str) -> Vec<u16> {
    let day = text.trim().split(['T', ' ']).next().unwrap_or_default();
    let numbers: Vec<Option<u16>> =
        day.trim_end_matches('/').split(['-', '/']).map(|part| part.parse().ok()).collect();
    let known: Vec<u16> = numbers.iter().map_while(|number| *number).take(3).collect();
    let fits = |date: &[u16]| {
        matches!(date, [year, ..] if (1000..=2999).contains(year))
            && date.get(1).is_none_or(|month| (1..=12).contains(month))
            && date.get(2).is_none_or(|day| (1..=31).contains(day))
    };
    match fits(&known) {
        true => known,
        false => year(text).and_then(|year| u16::try_from(year).ok()).into_iter().collect(),
    }
}

/// Splits keywords at commas and semicolons.
pub(super) fn list(text: &str) -> Vec<String> {
    let parts = text.split([',', ';']).map(str::trim);
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_read_in_the_forms_in_which_it_is_written() {
        assert_eq!(year("2019-05"), Some(2019));
        assert_eq!(year("May 3, 1998"), Some(1998));
        assert_eq!(year("in press"), None);
        assert_eq!(doi("https://doi.org/10.1000/x.1."), "10.1000/x.1");
        assert_eq!(doi("doi:10.1000/x"), "10.1000/x");
        assert_eq!(doi("version 3.10.2"), "");
        assert_eq!(date("2018/03/01/"), [2018, 3, 1]);
        assert_eq!(date("2018-03"), [2018, 3]);
        assert_eq!(date("2018-13-40"), [2018]);
        assert_eq!(date("3 May 1998"), [1998]);
        assert!(date("in press").is_empty() && date("").is_empty());
        assert_eq!(Kind::of("article-journal"), Kind::of("JOUR"));
        assert_eq!(Kind::of("Thesis/Dissertation"), Kind::Thesis);
        assert_eq!(Kind::of("patent"), Kind::Other);
    }

    #[test]
    fn a_kind_is_found_by_its_name_alone() {
        for kind in Kind::ALL {
            assert_eq!(Kind::named(kind.name()), kind);
        }
        for other in ["", "Article", "journal", "patent"] {
            assert_eq!(Kind::named(other), Kind::Unknown, "{other}");
        }
    }
}

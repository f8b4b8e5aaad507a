//! The people and organisations that wrote a paper, in the parts that references need.

use bincode::{Decode, Encode};
use serde_json::{Map, Value};

/// A person, or an organisation, whose name is only `family`.
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
pub(crate) struct Author {
    pub given: String,
    /// The words before the surname that sorting ignores: `van der`.
    pub particle: String,
    pub family: String,
    /// `Jr.`, `III`.
    pub suffix: String,
}

/// The name that represents further authors in a list.
const OTHERS: &str = "others";

/// Suffixes of names.
const SUFFIXES: [&str; 7] = ["jr", "sr", "ii", "iii", "iv", "phd", "md"];

/// Words that mark the names of organisations; most names contain one of them.
const OF_ORGANISATIONS: [&str; 27] = [
    "of",
    "for",
    "and",
    "the",
    "&",
    "agency",
    "alliance",
    "association",
    "collaboration",
    "committee",
    "company",
    "consortium",
    "corporation",
    "council",
    "department",
    "foundation",
    "group",
    "inc",
    "initiative",
    "institute",
    "ltd",
    "network",
    "organisation",
    "organization",
    "society",
    "team",
    "university",
];

impl Author {
    /// Returns an organisation, or a person with one name.
    pub fn named(name: &str) -> Self {
        Self { family: name.trim().to_owned(), ..Self::default() }
    }

    /// Reads a name: `Lovelace, Ada`, `Smith, Jr., John`, `Ada Lovelace`, `Ludwig van der Berg`,
    /// `World Health Organization`.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        match parts[..] {
            [family, given] if is_suffix(given) => {
                Self { suffix: given.to_owned(), ..Self::parse(family) }
            }
            [family, given] => Self::of(given, family, ""),
            [family, suffix, given] if is_suffix(suffix) => Self::of(given, family, suffix),
            [family, given, suffix] => Self::of(given, family, suffix),
            [_] if is_organisation(text) => Self::named(text),
            [_] => {
                let words: Vec<&str> = text.split_whitespace().collect();
                let Some(last) = words.len().checked_sub(1) else { return Self::default() };
                let is_small = |at: &usize| words[*at].starts_with(char::is_lowercase);
                let at = (1..last).find(is_small).unwrap_or(last);
                Self::of(&words[..at].join(" "), &words[at..].join(" "), "")
            }
            _ => Self::named(text),
        }
    }

    /// Returns a person whose surname may begin with particles.
    pub fn of(given: &str, family: &str, suffix: &str) -> Self {
        let words: Vec<&str> = family.split_whitespace().collect();
        let small = words.iter().take_while(|word| word.starts_with(char::is_lowercase)).count();
        let at = small.min(words.len().saturating_sub(1));
        let given = given.trim().to_owned();
        let at = if given.is_empty() { 0 } else { at };
        Self {
            given,
            particle: words[..at].join(" "),
            family: words[at..].join(" "),
            suffix: suffix.trim().to_owned(),
        }
    }

    /// Returns the name, given name first.
    pub fn name(&self) -> String {
        let parts = [&self.given, &self.particle, &self.family, &self.suffix];
        let known: Vec<&str> =
            parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
        known.join(" ")
    }

    /// Returns the author in the form of names in CSL-JSON.
    pub fn csl(&self) -> Value {
        if self.given.is_empty() {
            return serde_json::json!({ "literal": self.name() });
        }
        let parts = [
            ("family", &self.family),
            ("given", &self.given),
            ("non-dropping-particle", &self.particle),
            ("suffix", &self.suffix),
        ];
        let known = parts.into_iter().filter(|(_, part)| !part.is_empty());
        let known = known.map(|(name, part)| (name.to_owned(), Value::from(part.as_str())));
        Value::Object(known.collect::<Map<_, _>>())
    }
}

/// Takes the mark for further authors from the end of a list; returns whether it was there.
pub(super) fn take_others(authors: &mut Vec<Author>) -> bool {
    let before = authors.len();
    let is_mark = |author: &Author| {
        let name = author.name().to_lowercase();
        matches!(name.trim_end_matches('.'), OTHERS | "et al")
    };
    authors.retain(|author| !is_mark(author));
    authors.retain(|author| !author.name().is_empty());
    before > 0 && authors.len() < before
}

fn is_suffix(text: &str) -> bool {
    SUFFIXES.contains(&text.trim_end_matches('.').to_lowercase().as_str())
}

fn is_organisation(name: &str) -> bool {
    let is_one = |word: &str| {
        let word = word.trim_matches(['.', ',', '(', ')']).to_lowercase();
        OF_ORGANISATIONS.contains(&word.as_str())
    };
    name.split_whitespace().any(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_divided_into_the_parts_that_references_need() {
        let parts = |text: &str| {
            let Author { given, particle, family, suffix } = Author::parse(text);
            [given, particle, family, suffix].join("|")
        };
        for (text, expect) in [
            ("Lovelace, Ada", "Ada||Lovelace|"),
            ("Ada Lovelace", "Ada||Lovelace|"),
            ("Smith, Jr., John", "John||Smith|Jr."),
            ("Smith, John, III", "John||Smith|III"),
            ("van der Waals, Johannes", "Johannes|van der|Waals|"),
            ("Ludwig van der Berg", "Ludwig|van der|Berg|"),
            ("World Health Organization", "||World Health Organization|"),
            ("The ATLAS Collaboration", "||The ATLAS Collaboration|"),
            (
                "Department of Health, Ireland, Office, 3",
                "||Department of Health, Ireland, Office, 3|",
            ),
            ("Plato", "||Plato|"),
            ("", "|||"),
        ] {
            assert_eq!(parts(text), expect, "{text}");
        }
    }

    #[test]
    fn the_mark_for_further_authors_is_no_author() {
        let mut authors: Vec<Author> =
            ["Kim, Min", "others"].into_iter().map(Author::parse).collect();
        assert!(take_others(&mut authors) && authors.len() == 1);
        assert!(!take_others(&mut authors) && authors.len() == 1);
    }
}

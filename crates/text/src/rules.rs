//! What is particular to a language: its stemmer, its stop words, its spellings; and languages by
//! their BCP 47 tags.

use rust_stemmers::Stemmer;

use crate::languages;
use crate::stop::StopWords;

/// The rules of a language. By default none, as of a language that nobody has written any for.
#[derive(Default)]
pub(crate) struct Rules {
    /// By Snowball.
    pub stemmer: Option<Stemmer>,
    /// Function words.
    pub stop_words: StopWords,
    /// The spelling of a word that the stemmer expects, where there are two.
    pub respell: Option<fn(&str) -> Option<String>>,
}

impl Rules {
    /// The rules of a language by its primary subtag.
    pub fn of(language: &str) -> Self {
        let mut rules = Self::default();
        if let Some((_, fill)) = entry(language) {
            fill(&mut rules);
        }
        rules
    }
}

/// A language and what fills in its rules.
type Entry = ([u8; 2], fn(&mut Rules));

/// The languages that have rules, by their primary subtags.
///
/// In browsers those of each language but English are a part of the engine by itself
/// (`crates/wasm/deferred.txt`). An engine without that part has a function in this table that does
/// nothing; [`crate::conformance`] keeps it from a bundle that needs the part.
const LANGUAGES: [Entry; 18] = [
    (*b"ar", languages::ar),
    (*b"da", languages::da),
    (*b"de", languages::de),
    (*b"el", languages::el),
    (*b"en", languages::en),
    (*b"es", languages::es),
    (*b"fi", languages::fi),
    (*b"fr", languages::fr),
    (*b"hu", languages::hu),
    (*b"it", languages::it),
    (*b"nl", languages::nl),
    (*b"no", languages::no),
    (*b"pt", languages::pt),
    (*b"ro", languages::ro),
    (*b"ru", languages::ru),
    (*b"sv", languages::sv),
    (*b"ta", languages::ta),
    (*b"tr", languages::tr),
];

fn entry(language: &str) -> Option<&'static Entry> {
    let language = match language {
        // Two ways of writing Norwegian, and the tag that is for both.
        "nb" | "nn" => "no",
        other => other,
    };
    LANGUAGES.iter().find(|(tag, _)| tag == language.as_bytes())
}

/// The language by whose rules texts in one are analysed, BCP 47: `pt` for `pt-BR`, `no` for `nb`,
/// none for one without rules.
pub fn rules_for(bcp47: &str) -> Option<&'static str> {
    let (tag, _) = entry(&primary_subtag(bcp47))?;
    std::str::from_utf8(tag).ok()
}

/// The primary subtag of a BCP 47 tag, lower case: `pt` for `pt-BR`.
pub fn primary_subtag(bcp47: &str) -> String {
    bcp47.split(['-', '_']).next().unwrap_or("").trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_reduced_to_their_language() {
        for (tag, expect) in
            [("en", "en"), ("pt-BR", "pt"), ("zh_Hans", "zh"), ("DE-at", "de"), ("", "")]
        {
            assert_eq!(primary_subtag(tag), expect);
        }
        for (tag, expect) in [
            ("pt-BR", Some("pt")),
            ("nb", Some("no")),
            ("nn-NO", Some("no")),
            ("ja", None),
            ("", None),
            ("por", None),
        ] {
            assert_eq!(rules_for(tag), expect, "{tag}");
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(2000))]
        // Stemmers slice strings by byte offsets; no word may make one panic.
        #[test]
        fn no_word_breaks_a_stemmer(word in "[\\p{L}\\p{M}']{1,20}", latin in "[a-zà-ÿ']{1,20}", at in 0usize..LANGUAGES.len()) {
            let language = std::str::from_utf8(&LANGUAGES[at].0).expect("ASCII");
            let stemmer = Rules::of(language).stemmer.expect("all have one");
            stemmer.stem(&word.to_lowercase());
            stemmer.stem(&latin);
        }
    }
}

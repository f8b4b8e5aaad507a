//! The table of languages that have rules, and lookups in it by BCP 47 tags.

use crate::languages;
use crate::rules::Rules;

/// A primary subtag, and the function that fills in the language's rules.
type Entry = ([u8; 2], fn(&mut Rules));

/// The languages that have rules.
///
/// In browsers the rules of each language but English are a separate part of the engine
/// ([`crate::languages`]). An engine without a part has a function in this table that does
/// nothing. [`crate::conformance`] then refuses a bundle that needs the part.
const LANGUAGES: [Entry; 23] = [
    (*b"ar", languages::ar),
    (*b"cs", languages::cs),
    (*b"da", languages::da),
    (*b"de", languages::de),
    (*b"el", languages::el),
    (*b"en", languages::en),
    (*b"es", languages::es),
    (*b"fi", languages::fi),
    (*b"fr", languages::fr),
    (*b"he", languages::he),
    (*b"hi", languages::hi),
    (*b"hu", languages::hu),
    (*b"it", languages::it),
    (*b"nl", languages::nl),
    (*b"no", languages::no),
    (*b"pl", languages::pl),
    (*b"pt", languages::pt),
    (*b"ro", languages::ro),
    (*b"ru", languages::ru),
    (*b"sv", languages::sv),
    (*b"ta", languages::ta),
    (*b"tr", languages::tr),
    (*b"uk", languages::uk),
];

/// Languages that write a compound as one word.
pub const COMPOUNDING: [&str; 8] = ["da", "de", "fi", "hu", "nb", "nl", "no", "sv"];

/// Returns the entry of a language, by its primary subtag.
fn entry(language: &str) -> Option<&'static Entry> {
    let language = match language {
        // The two ways of writing Norwegian share the rules of `no`.
        "nb" | "nn" => "no",
        other => other,
    };
    LANGUAGES.iter().find(|(tag, _)| tag == language.as_bytes())
}

/// Returns the rules of a language, by its primary subtag.
pub(crate) fn rules_of(language: &str) -> Rules {
    let mut rules = Rules::default();
    if let Some((_, fill)) = entry(language) {
        fill(&mut rules);
    }
    rules
}

/// Returns the language whose rules apply to texts with a BCP 47 tag: `pt` for `pt-BR`, `no` for
/// `nb`; `None` for a language without rules.
pub fn rules_for(bcp47: &str) -> Option<&'static str> {
    let (tag, _) = entry(&primary_subtag(bcp47))?;
    std::str::from_utf8(tag).ok()
}

/// Returns the primary subtag of a BCP 47 tag, in lower case: `pt` for `pt-BR`.
pub fn primary_subtag(bcp47: &str) -> String {
    bcp47.split(['-', '_']).next().unwrap_or("").trim().to_ascii_lowercase()
}

/// Returns whether a lower-case word is a stop word of a language (BCP 47).
pub fn is_stop_word(bcp47: &str, word: &str) -> bool {
    rules_of(&primary_subtag(bcp47)).stop_words.contains(word)
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
        // Stemmers slice strings by byte offsets. No word may make one panic.
        #[test]
        fn no_word_breaks_a_stemmer(
            word in "[\\p{L}\\p{M}']{1,20}",
            latin in "[a-zà-ž']{1,20}",
            of_script in "[а-яґєії]{1,20}|[\\u{5b0}-\\u{5ea}\"]{1,12}|[\\u{900}-\\u{963}]{1,12}",
            at in 0usize..LANGUAGES.len(),
        ) {
            let language = std::str::from_utf8(&LANGUAGES[at].0).expect("ASCII");
            let stem = rules_of(language).stem.expect("every language has a stemmer");
            stem(&word.to_lowercase());
            stem(&latin);
            stem(&of_script);
        }
    }
}

//! Stemming, by Snowball (`rust-stemmers`), and languages by their BCP 47 tags.
//!
//! With the feature `stemmers` all eighteen languages, without it English alone: all languages are 36 kB of a wasm module of some
//! 200 (opt-level s, LTO, brotli 11), English is 8. [`crate::conformance`] keeps a module from a bundle that it cannot stem for.

use rust_stemmers::{Algorithm, Stemmer};

/// The primary subtag of a BCP 47 tag, lower case: `pt` for `pt-BR`.
pub(crate) fn primary_subtag(bcp47: &str) -> String {
    bcp47.split(['-', '_']).next().unwrap_or("").trim().to_ascii_lowercase()
}

/// The stemmer of a language by its primary subtag.
pub(crate) fn stemmer(language: &str) -> Option<Stemmer> {
    let algorithm = match language {
        "en" => Algorithm::English,
        _ => other(language)?,
    };
    Some(Stemmer::create(algorithm))
}

/// Whether words of the language are stemmed by builds with the feature `stemmers` alone.
pub fn needs_stemmers(bcp47: &str) -> bool {
    const STEMMED: &str = "ar da de el es fi fr hu it nb nn no nl pt ro ru sv ta tr";
    let asked = primary_subtag(bcp47);
    STEMMED.split(' ').any(|language| language == asked)
}

#[cfg(not(feature = "stemmers"))]
fn other(_language: &str) -> Option<Algorithm> {
    None
}

#[cfg(feature = "stemmers")]
fn other(language: &str) -> Option<Algorithm> {
    Some(match language {
        "ar" => Algorithm::Arabic,
        "da" => Algorithm::Danish,
        "de" => Algorithm::German,
        "el" => Algorithm::Greek,
        "es" => Algorithm::Spanish,
        "fi" => Algorithm::Finnish,
        "fr" => Algorithm::French,
        "hu" => Algorithm::Hungarian,
        "it" => Algorithm::Italian,
        "nb" | "nn" | "no" => Algorithm::Norwegian,
        "nl" => Algorithm::Dutch,
        "pt" => Algorithm::Portuguese,
        "ro" => Algorithm::Romanian,
        "ru" => Algorithm::Russian,
        "sv" => Algorithm::Swedish,
        "ta" => Algorithm::Tamil,
        "tr" => Algorithm::Turkish,
        _ => return None,
    })
}

#[cfg(all(test, feature = "stemmers"))]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_languages_is_that_of_the_stemmers() {
        for first in b'a'..=b'z' {
            for second in b'a'..=b'z' {
                let language = String::from_utf8(vec![first, second]).expect("ASCII");
                assert_eq!(needs_stemmers(&language), other(&language).is_some(), "{language}");
            }
        }
        assert!(needs_stemmers("pt-BR") && !needs_stemmers("en-GB") && !needs_stemmers(""));
    }

    #[test]
    fn tags_are_reduced_to_their_language() {
        for (tag, expect) in [("en", "en"), ("pt-BR", "pt"), ("zh_Hans", "zh"), ("DE-at", "de"), ("", "")] {
            assert_eq!(primary_subtag(tag), expect);
        }
    }

    const ALL: [&str; 18] = [
        "ar", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv", "ta",
        "tr",
    ];

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(2000))]
        // Stemmers slice strings by byte offsets; no word may make one panic.
        #[test]
        fn no_word_breaks_a_stemmer(word in "[\\p{L}\\p{M}']{1,20}", latin in "[a-zà-ÿ']{1,20}", at in 0usize..18) {
            let stemmer = stemmer(ALL[at]).expect("listed");
            stemmer.stem(&word.to_lowercase());
            stemmer.stem(&latin);
        }
    }
}

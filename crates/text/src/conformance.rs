//! A number that tells whether two builds of this crate analyse text in the same way.

use crate::Analyzer;
use crate::fnv::Fnv;
use crate::language_table::rules_for;
use crate::sentences;

/// Raise it with every change of the rules that the samples below might not show.
const VERSION: u64 = 7;

/// One text for each language, with examples of its rules.
const SAMPLE: [(&str, &str); 26] = [
    (
        "",
        "Plain words, Wörter, СЛОВА. HashMap std::sync::Mutex snake_case E0382 3.11.2 \
         --force-with-lease c++ .gitignore",
    ),
    (
        "",
        "64MB 3.5 GHz 1 250 000 2.750.000 5½ 1/2 CO₂ m² jitter¹ 🚀 x => y, a?.b \
         zero\u{200b}width فارسی",
    ),
    ("ar", "مُحَمَّد يكتب الكتب في المكتبات"),
    ("cs", "nejnovější možnosti vyhledávání v dalsich dokumentech"),
    ("da", "bestemmelserne for virksomhederne på øerne"),
    ("de", "Die Häuser an größeren Straßen werden aufgeführt"),
    ("el", "Οι λέξεις και οι ΑΝΑΖΗΤΗΣΕΙΣ των σελίδων"),
    (
        "en",
        "The readers' caching isn't naïve: sharing URLs generously, relational databases, \
         behaviours organised in the centre",
    ),
    ("es", "las búsquedas rápidas de los niños españoles, informacion"),
    ("fi", "hakukoneiden käyttäjille ja kirjastoissa"),
    ("fr", "l'été, les chercheuses appréciaient nationalement"),
    ("he", "וההגדרות של הפרויקטים בספריות"),
    ("hi", "पुस्तकों में खोजने की सेटिंग"),
    ("hu", "a könyvtárakban keresőknek gyűjteményeikből"),
    ("it", "le ricerche dell'università più velocemente"),
    ("ja", "全文検索エンジンのRust言語、가나다 ภาษาไทย"),
    ("nl", "de zoekopdrachten van de lezers zijn mogelijkheden"),
    ("no", "bøkene i bibliotekene ble søkbare"),
    ("pl", "wyszukiwanie najnowszych dokumentow w bibliotekach"),
    ("pt", "as pesquisas rápidas não são informações, duplicacao"),
    ("ro", "căutările rapide ale bibliotecilor românești"),
    ("ru", "Ёлки и поисковые запросы читателей"),
    ("sv", "sökningarna i böckerna är snabbare"),
    ("ta", "தேடல்கள் நூலகங்களில்"),
    ("tr", "IŞIKLARIN aramaları kütüphanelerde hızlıdır"),
    ("uk", "пошукові запити читачів у бібліотеках"),
];

/// Returns a hash of the version of the rules and of the analysis of built-in samples: the samples
/// in `languages` and the samples in no language.
///
/// Two builds with the same number find each other's terms. A build without the rules of a language
/// gives another number.
pub fn conformance<L: AsRef<str>>(languages: &[L]) -> u64 {
    let mut hash = Fnv::default();
    hash.add(&VERSION.to_le_bytes());
    hash.add(&sentences::RULES.to_le_bytes());
    let asked = |language: &str| {
        // Scripts without spaces are analysed in the same way in all languages.
        ["", "ja"].contains(&language)
            || languages.iter().any(|tag| rules_for(tag.as_ref()) == Some(language))
    };
    for (language, text) in SAMPLE.into_iter().filter(|(language, _)| asked(language)) {
        Analyzer::for_language(language).analyze_with_marks(text, |token| {
            hash.add(token.term.as_bytes());
            hash.add(&[0xff, token.kind as u8]);
            for number in [token.start, token.end, token.position] {
                hash.add(&number.to_le_bytes());
            }
        });
    }
    hash.0
}

#[cfg(test)]
mod tests {
    /// Fails on every change of the analysis, after which bundles built before are refused. If the
    /// change is meant, write the new number here and a line in the changelog.
    #[test]
    fn the_analysis_is_that_of_the_recorded_number() {
        let languages = super::SAMPLE.map(|(language, _)| language);
        assert_eq!(super::conformance(&languages), 17_521_139_250_783_940_964);
    }

    #[test]
    fn every_language_with_rules_changes_the_number() {
        let none = super::conformance::<&str>(&[]);
        for (language, _) in
            super::SAMPLE.iter().filter(|(language, _)| !["", "ja"].contains(language))
        {
            assert_ne!(super::conformance(&[language]), none, "{language}");
        }
        assert_eq!(super::conformance(&["nb"]), super::conformance(&["no-NO"]));
        assert_eq!(super::conformance(&["zh-Hans", ""]), none);
    }
}

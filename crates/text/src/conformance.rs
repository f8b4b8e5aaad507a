//! Whether two builds of this crate analyse alike.

use crate::Analyzer;
use crate::rules::rules_for;
use crate::sentences;

/// Raised with every change of the rules that the sample below might not show.
const VERSION: u64 = 5;

/// One text a language, with something for every rule.
const SAMPLE: [(&str, &str); 20] = [
    (
        "",
        "Plain words, Wörter, СЛОВА. HashMap std::sync::Mutex snake_case E0382 3.11.2 --force-with-lease c++ .gitignore",
    ),
    ("ar", "مُحَمَّد يكتب الكتب في المكتبات"),
    ("da", "bestemmelserne for virksomhederne på øerne"),
    ("de", "Die Häuser an größeren Straßen werden aufgeführt"),
    ("el", "Οι λέξεις και οι ΑΝΑΖΗΤΗΣΕΙΣ των σελίδων"),
    (
        "en",
        "The readers' caching isn't naïve: sharing URLs generously, relational databases, behaviours organised in the centre",
    ),
    ("es", "las búsquedas rápidas de los niños españoles"),
    ("fi", "hakukoneiden käyttäjille ja kirjastoissa"),
    ("fr", "l'été, les chercheuses appréciaient nationalement"),
    ("hu", "a könyvtárakban keresőknek gyűjteményeikből"),
    ("it", "le ricerche dell'università più velocemente"),
    ("ja", "全文検索エンジンのRust言語、가나다 ภาษาไทย"),
    ("nl", "de zoekopdrachten van de lezers zijn mogelijkheden"),
    ("no", "bøkene i bibliotekene ble søkbare"),
    ("pt", "as pesquisas rápidas não são informações"),
    ("ro", "căutările rapide ale bibliotecilor românești"),
    ("ru", "Ёлки и поисковые запросы читателей"),
    ("sv", "sökningarna i böckerna är snabbare"),
    ("ta", "தேடல்கள் நூலகங்களில்"),
    ("tr", "IŞIKLARIN aramaları kütüphanelerde hızlıdır"),
];

/// A hash of the rules' version and of the analysis of a built-in sample, as far as it is in these
/// languages or in none. Two builds that give the same number find each other's terms; one without
/// the rules of a language gives another.
pub fn conformance<L: AsRef<str>>(languages: &[L]) -> u64 {
    let mut hash = Fnv::default();
    hash.add(&VERSION.to_le_bytes());
    hash.add(&sentences::RULES.to_le_bytes());
    let asked = |language: &str| {
        // Scripts without spaces are told by their characters, whatever the language.
        ["", "ja"].contains(&language)
            || languages.iter().any(|tag| rules_for(tag.as_ref()) == Some(language))
    };
    for (language, text) in SAMPLE.into_iter().filter(|(language, _)| asked(language)) {
        Analyzer::for_language(language).analyze(text, |token| {
            hash.add(token.term.as_bytes());
            hash.add(&[0xff, token.kind as u8]);
            for number in [token.start, token.end, token.position] {
                hash.add(&number.to_le_bytes());
            }
        });
    }
    hash.0
}

/// FNV-1a, 64 bits.
pub(crate) struct Fnv(pub(crate) u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    /// Fails on every change of the analysis: bundles built before it will be refused. If that is
    /// meant, write the new number here and say so in the changelog.
    #[test]
    fn analysis_is_the_one_released_bundles_were_built_with() {
        let languages = super::SAMPLE.map(|(language, _)| language);
        assert_eq!(super::conformance(&languages), 11_429_723_035_133_196_299);
    }

    #[test]
    fn every_stemmed_language_is_told_apart() {
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

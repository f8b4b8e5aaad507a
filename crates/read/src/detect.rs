//! The language of pages that do not state one, found from their text.

use std::collections::BTreeMap;

use rayon::prelude::*;
use whatlang::Lang;

use super::RawPage;
use findling_page::page::Page;

/// Largest number of bytes of a page's text that are read.
const MAX_BYTES: usize = 1000;

/// Smallest number of bytes of text from which a language is detected. A page with less text gets
/// the language of the other pages.
const MIN_BYTES: usize = 200;

/// Smallest share of the pages, 1 in this number, for a language to count. A language with a
/// smaller share is a mistake: lists of names can look like a language that nobody used.
const MIN_SHARE: usize = 100;

/// Gives these pages the language of their text, if it is certain.
pub(super) fn set_languages(pages: &mut [&mut RawPage]) {
    // Blocks may be in a temporary file. If it cannot be read, the build fails later, when it needs
    // them.
    let of = |raw: &&mut RawPage| language_of(&prose(&*raw.page.whole().ok()?));
    let found: Vec<Option<&'static str>> = pages.par_iter().map(of).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for &language in found.iter().flatten() {
        *counts.entry(language).or_default() += 1;
    }
    let n_found: usize = counts.values().sum();
    for (raw, language) in pages.iter_mut().zip(found) {
        if let Some(language) = language.filter(|found| counts[found] * MIN_SHARE >= n_found) {
            raw.page.language = language.to_owned();
        }
    }
}

/// Returns the language of a page's text, if it is certain.
pub(super) fn certain(page: &Page) -> Option<&'static str> {
    language_of(&prose(&*page.whole().ok()?))
}

/// Returns the beginning of a page's text, without code and without sections that declare a
/// language.
fn prose(page: &Page) -> String {
    let mut text = String::new();
    for section in page.sections.iter().filter(|section| section.language.is_empty()) {
        let blocks = section.blocks.iter().filter(|block| !block.is_code_block);
        for part in [&section.heading].into_iter().chain(blocks.map(|block| &block.text)) {
            text.push_str(part);
            text.push('\n');
            if text.len() >= MAX_BYTES {
                text.truncate(text.floor_char_boundary(MAX_BYTES));
                return text;
            }
        }
    }
    text
}

/// Returns the language of a text; `None` if the text is too short or could be in several
/// languages.
fn language_of(text: &str) -> Option<&'static str> {
    let found = whatlang::detect(text).filter(|_| text.len() >= MIN_BYTES)?;
    subtag(found.lang()).filter(|_| found.is_reliable())
}

/// Returns the subtag of a language in ISO 639-1.
fn subtag(language: Lang) -> Option<&'static str> {
    Some(match language {
        Lang::Afr => "af",
        Lang::Amh => "am",
        Lang::Ara => "ar",
        Lang::Aze => "az",
        Lang::Bel => "be",
        Lang::Ben => "bn",
        Lang::Bul => "bg",
        Lang::Cat => "ca",
        Lang::Ces => "cs",
        Lang::Cmn => "zh",
        Lang::Cym => "cy",
        Lang::Dan => "da",
        Lang::Deu => "de",
        Lang::Ell => "el",
        Lang::Eng => "en",
        Lang::Epo => "eo",
        Lang::Est => "et",
        Lang::Fin => "fi",
        Lang::Fra => "fr",
        Lang::Guj => "gu",
        Lang::Heb => "he",
        Lang::Hin => "hi",
        Lang::Hrv => "hr",
        Lang::Hun => "hu",
        Lang::Hye => "hy",
        Lang::Ind => "id",
        Lang::Ita => "it",
        Lang::Jpn => "ja",
        Lang::Kan => "kn",
        Lang::Kat => "ka",
        Lang::Khm => "km",
        Lang::Kor => "ko",
        Lang::Lav => "lv",
        Lang::Lit => "lt",
        Lang::Mal => "ml",
        Lang::Mar => "mr",
        Lang::Mkd => "mk",
        Lang::Mya => "my",
        Lang::Nep => "ne",
        Lang::Nld => "nl",
        Lang::Nob => "nb",
        Lang::Ori => "or",
        Lang::Pan => "pa",
        Lang::Pes => "fa",
        Lang::Pol => "pl",
        Lang::Por => "pt",
        Lang::Ron => "ro",
        Lang::Rus => "ru",
        Lang::Sin => "si",
        Lang::Slk => "sk",
        Lang::Slv => "sl",
        Lang::Spa => "es",
        Lang::Srp => "sr",
        Lang::Swe => "sv",
        Lang::Tam => "ta",
        Lang::Tel => "te",
        Lang::Tgl => "fil",
        Lang::Tha => "th",
        Lang::Tuk => "tk",
        Lang::Tur => "tr",
        Lang::Ukr => "uk",
        Lang::Urd => "ur",
        Lang::Uzb => "uz",
        Lang::Vie => "vi",
        Lang::Yid => "yi",
        Lang::Zul => "zu",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use findling_page::page::{Block, Section};

    const ENGLISH: &str = "The kiln is heated slowly, because the water in the clay has to leave \
        it before the glaze melts. Open the lid only when the pots are cold enough to be touched. \
        Whoever is in a hurry will find cracks in the glaze, and sometimes in the shelf as well.";
    const POLISH: &str = "Piec nagrzewa się powoli, ponieważ woda musi opuścić glinę, zanim \
        stopi się szkliwo. Pokrywę wolno otworzyć dopiero wtedy, gdy naczynia są na tyle \
        zimne, że można ich dotknąć. Kto się spieszy, znajdzie pęknięcia w szkliwie.";

    fn page(text: &str, is_code_block: bool) -> RawPage {
        let block = Block { text: text.into(), code: Vec::new(), is_code_block, weight: 1.0 };
        let mut raw = RawPage::default();
        raw.page.sections = vec![Section { blocks: vec![block], ..Section::default() }];
        raw
    }

    fn languages(mut pages: Vec<RawPage>) -> Vec<String> {
        set_languages(&mut pages.iter_mut().collect::<Vec<_>>());
        pages.into_iter().map(|raw| raw.page.language).collect()
    }

    #[test]
    fn text_tells_its_language_if_there_is_enough_of_it() {
        let pages = vec![
            page(ENGLISH, false),
            page(POLISH, false),
            page("Piec nagrzewa się powoli.", false),
            page(POLISH, true),
            page("", false),
        ];
        assert_eq!(languages(pages), ["en", "pl", "", "", ""]);
    }

    #[test]
    fn one_page_in_hundreds_is_a_mistake() {
        let mut pages: Vec<RawPage> = (0..150).map(|_| page(ENGLISH, false)).collect();
        pages.push(page(POLISH, false));
        assert_eq!(languages(pages)[150], "");
    }
}

//! The languages in which pages and queries are analysed.

use std::collections::{BTreeMap, BTreeSet};

use findling_bundle::limits::MAX_LANGUAGES;

use findling_page::page::Page;

/// The languages of a corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Languages {
    /// Primary subtags (`pt` of `pt-BR`), the most frequent first.
    pub list: Vec<String>,
    /// The index of each page's language in `list`. `None` if the list is full; the page is then
    /// analysed without a language.
    of_page: Vec<Option<u8>>,
}

impl Languages {
    /// Counts the languages that pages declare. Pages that declare none are taken to be in
    /// `default`, or else in the most frequent language, or else in English.
    pub fn of(pages: &[Page], default: Option<&str>) -> Self {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for page in pages {
            if let Some(language) = primary(&page.language) {
                *counts.entry(language).or_default() += 1;
            }
        }
        let of_sections = pages.iter().flat_map(|page| &page.sections);
        let of_sections: BTreeSet<String> =
            of_sections.filter_map(|section| with_rules(&section.language)).collect();
        let most_frequent =
            || counts.iter().max_by_key(|(_, n)| **n).map(|(language, _)| language.clone());
        let default =
            default.and_then(primary).or_else(most_frequent).unwrap_or_else(|| "en".to_owned());
        let silent = pages.iter().filter(|page| primary(&page.language).is_none()).count();
        if silent > 0 {
            *counts.entry(default.clone()).or_default() += silent;
        }
        for language in of_sections {
            // It comes after all languages of pages.
            counts.entry(language).or_default();
        }
        let mut ordered: Vec<(String, usize)> = counts.into_iter().collect();
        // The sort is stable, so that equally frequent languages stay in alphabetical order.
        ordered.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        ordered.truncate(MAX_LANGUAGES);
        let list: Vec<String> = ordered.into_iter().map(|(language, _)| language).collect();
        let of_page = pages
            .iter()
            .map(|page| {
                let language = primary(&page.language).unwrap_or_else(|| default.clone());
                list.iter().position(|listed| *listed == language).map(|at| at as u8)
            })
            .collect();
        Self { list, of_page }
    }

    /// Returns the language in which a page is analysed; empty for none.
    pub fn of_page(&self, page: usize) -> &str {
        match self.of_page.get(page) {
            Some(Some(at)) => &self.list[usize::from(*at)],
            _ => "",
        }
    }

    /// Returns the language in which a section is analysed. The language that the section declares
    /// is used if it has rules and is in the list, otherwise the language of its page.
    pub fn of_section(&self, page: usize, declared: &str) -> &str {
        let own = with_rules(declared);
        let listed = own.and_then(|own| self.list.iter().find(|listed| **listed == own));
        listed.map_or_else(|| self.of_page(page), String::as_str)
    }
}

/// Returns the primary subtag of a language that has rules. Sections in other languages are
/// analysed like their page.
fn with_rules(tag: &str) -> Option<String> {
    primary(tag).filter(|language| findling_text::rules_for(language).is_some())
}

fn primary(tag: &str) -> Option<String> {
    let subtag = findling_text::primary_subtag(tag);
    (!subtag.is_empty() && subtag.len() <= 8 && subtag.bytes().all(|b| b.is_ascii_alphanumeric()))
        .then_some(subtag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use findling_page::page::Section;

    fn languages(tags: &[&str], default: Option<&str>) -> (Vec<String>, Vec<String>) {
        let pages: Vec<Page> = tags
            .iter()
            .map(|tag| Page { language: (*tag).to_owned(), ..Page::default() })
            .collect();
        let languages = Languages::of(&pages, default);
        let each = (0..pages.len()).map(|page| languages.of_page(page).to_owned()).collect();
        (languages.list, each)
    }

    #[test]
    fn the_most_frequent_comes_first_and_stands_for_the_silent() {
        let (list, each) = languages(&["de", "en-GB", "", "en"], None);
        assert_eq!(list, ["en", "de"]);
        assert_eq!(each, ["de", "en", "en", "en"]);
    }

    #[test]
    fn a_default_is_for_the_silent_alone() {
        let (list, each) = languages(&["", "", "fr"], Some("de-AT"));
        assert_eq!(list, ["de", "fr"]);
        assert_eq!(each, ["de", "de", "fr"]);
    }

    #[test]
    fn sections_have_languages_of_their_own_behind_those_of_pages() {
        let in_language = |tag: &str| Section { language: tag.into(), ..Section::default() };
        let page = Page {
            language: "en".into(),
            sections: vec![in_language("fr-CA"), in_language(""), in_language("xx")],
            ..Page::default()
        };
        let languages = Languages::of(&[page], None);
        assert_eq!(languages.list, ["en", "fr"]);
        let of = |tag| languages.of_section(0, tag);
        assert_eq!([of("fr-CA"), of(""), of("xx"), of("de")], ["fr", "en", "en", "en"]);
    }

    #[test]
    fn nothing_said_means_english() {
        assert_eq!(languages(&["", "???"], None).0, ["en"]);
    }

    #[test]
    fn languages_beyond_the_most_a_query_is_analysed_in_have_no_rules() {
        let tags: Vec<String> = (0..20).map(|i| format!("x{i:02}")).collect();
        let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
        let (list, each) = languages(&tags, None);
        assert_eq!(list.len(), MAX_LANGUAGES);
        assert_eq!(each[19], "");
    }
}

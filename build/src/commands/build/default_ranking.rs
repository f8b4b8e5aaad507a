//! The ranking of a bundle of source code.

use crate::page::Page;
use crate::ranking::{self, Setting};

/// Parameters that differ from the defaults where most sections are symbols of code. The name of a
/// function says what it does, and a part of a long name says as much as a word; in prose neither
/// is so. Meaning counts less: vectors are of models for prose.
/// `docs/experiments/quality-sets.md` has the measurements.
const OF_CODE: [(&str, f32); 4] =
    [("heading", 12.0), ("parts", 0.8), ("meaning", 0.25), ("meaningInSentences", 0.3)];

/// The ranking for these pages, unless it is that of any site.
pub(super) fn ranking_of(pages: &[Page]) -> Option<Setting> {
    let sections = || pages.iter().flat_map(|page| &page.sections);
    let n_symbols = sections().filter(|section| section.attributes.contains_key("symbol")).count();
    (2 * n_symbols > sections().count()).then(of_code)
}

fn of_code() -> Setting {
    let mut setting = ranking::defaults();
    for (value, parameter) in setting.iter_mut().zip(&ranking::PARAMETERS) {
        if let Some((_, of_code)) = OF_CODE.iter().find(|(name, _)| *name == parameter.name) {
            *value = *of_code;
        }
    }
    setting
}

#[cfg(test)]
mod tests {
    use findling_bundle::{AttributeValue, RANKING_MAX};

    use super::*;
    use crate::page::Section;

    #[test]
    fn code_has_a_ranking_of_its_own_and_prose_has_not() {
        let section = |is_symbol: bool| {
            let symbol = ("symbol".to_owned(), AttributeValue::Strings(vec!["f".into()]));
            let attributes = is_symbol.then_some(symbol).into_iter().collect();
            Section { attributes, ..Section::default() }
        };
        let page = |symbols: &[bool]| {
            let sections = symbols.iter().map(|is_symbol| section(*is_symbol)).collect();
            Page { sections, ..Page::default() }
        };
        let setting = ranking_of(&[page(&[true, true]), page(&[false])]).unwrap();
        let changed: Vec<&str> =
            ranking::differences(&ranking::defaults(), &setting).map(|(name, ..)| name).collect();
        assert_eq!(changed.len(), OF_CODE.len(), "{changed:?}");
        assert!(setting.iter().zip(RANKING_MAX).all(|(value, most)| *value <= most));
        assert_eq!(ranking_of(&[page(&[true]), page(&[false])]), None);
        assert_eq!(ranking_of(&[]), None);
    }
}

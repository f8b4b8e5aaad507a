//! The ranking of a bundle whose pages are known to differ from the pages of a usual site.

use findling_page::page::Page;

use crate::ranking::{self, Setting};

/// Parameters that differ from the defaults where most sections are symbols of code. The name of a
/// function describes it, and a part of a long name carries as much meaning as a word; neither
/// holds for prose. Search by meaning counts less, because the models were trained on prose.
/// `docs/experiments/quality-sets.md` has the measurements.
const OF_CODE: [(&str, f32); 4] =
    [("heading", 12.0), ("parts", 0.8), ("meaning", 0.25), ("meaningInSentences", 0.3)];

/// Default ranking of records. Nearly every page is one section, which a transformer has embedded.
/// So there are no other sections as evidence for a page, and meaning counts as much for keywords
/// as for sentences. `docs/experiments/routed-fusion.md` has the measurements.
const OF_RECORDS: [(&str, f32); 1] = [("meaning", 0.45)];

/// Smallest share of pages with one section, in percent, at which pages count as records.
const MIN_RECORDS_PERCENT: usize = 90;

/// Returns the ranking for these pages; `None` for the default one. `by_transformer`: whether a
/// transformer embeds them.
pub(super) fn ranking_of(pages: &[Page], by_transformer: bool) -> Option<Setting> {
    let sections = || pages.iter().flat_map(|page| &page.sections);
    let n_symbols = sections().filter(|section| section.attributes.contains_key("symbol")).count();
    if 2 * n_symbols > sections().count() {
        return Some(with(&OF_CODE));
    }
    let n_records = pages.iter().filter(|page| page.sections.len() == 1).count();
    let are_records = n_records > 0 && 100 * n_records >= MIN_RECORDS_PERCENT * pages.len();
    (by_transformer && are_records).then(|| with(&OF_RECORDS))
}

/// Returns the defaults with some parameters changed.
fn with(changed: &[(&str, f32)]) -> Setting {
    let mut setting = ranking::defaults();
    for (value, parameter) in setting.iter_mut().zip(&ranking::PARAMETERS) {
        if let Some((_, other)) = changed.iter().find(|(name, _)| *name == parameter.name) {
            *value = *other;
        }
    }
    setting
}

#[cfg(test)]
mod tests {
    use findling_bundle::{AttributeValue, RANKING_MAX};

    use super::*;
    use findling_page::page::Section;

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
        let setting = ranking_of(&[page(&[true, true]), page(&[false])], true).unwrap();
        let changed: Vec<&str> =
            ranking::differences(&ranking::defaults(), &setting).map(|(name, ..)| name).collect();
        assert_eq!(changed.len(), OF_CODE.len(), "{changed:?}");
        assert!(setting.iter().zip(RANKING_MAX).all(|(value, most)| *value <= most));
        assert_eq!(ranking_of(&[page(&[true]), page(&[false, false])], true), None);
        assert_eq!(ranking_of(&[], true), None);
    }

    #[test]
    fn meaning_weighs_more_where_nearly_every_page_is_one_section() {
        let page = |n_sections: usize| Page {
            sections: (0..n_sections).map(|_| Section::default()).collect(),
            ..Page::default()
        };
        let pages = |n_records: usize, n_others: usize| {
            let others = (0..n_others).map(|_| page(3));
            (0..n_records).map(|_| page(1)).chain(others).collect::<Vec<_>>()
        };
        let changed = |pages: &[Page], by_transformer| {
            let setting = ranking_of(pages, by_transformer)?;
            let defaults = ranking::defaults();
            let changed = ranking::differences(&defaults, &setting);
            Some(changed.map(|(name, ..)| name.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(changed(&pages(9, 1), true), Some(vec!["meaning".to_owned()]));
        assert_eq!(changed(&pages(9, 1), false), None, "vectors of a static table");
        assert_eq!(changed(&pages(8, 2), true), None, "a site");
    }
}

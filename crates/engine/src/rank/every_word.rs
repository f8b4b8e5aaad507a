//! The pages that have every word of a query, for requests that ask only for these.

#![doc(alias = "deferred")]

use findling_bundle::{PageId, Structure};
use findling_text::TokenKind;

use super::lexical_leg::scorer;
use crate::bitset::Bitset;
use crate::index::Index;
use crate::lexical::Scorer;
use crate::query::Group;
use crate::resolve::ResolvedQuery;

/// Keeps the sections of the pages that have every word of the query, each somewhere on the page.
///
/// If a page writes two words as one, or has a synonym of several words, this counts for each of
/// the words. A word that no page has is not required.
#[inline(never)]
pub(super) fn keep(
    index: &Index,
    asked: &ResolvedQuery,
    structure: &Structure,
    allowed: Option<Bitset>,
) -> Option<Bitset> {
    let scorer = scorer(index, asked, structure);
    let plan = &asked.plan;
    let only_stops = plan.only_stops();
    let weight = |group: &Group| Scorer::group_weight(scorer.params, group, only_stops);
    let mut others = Bitset::none(structure.n_pages());
    for group in plan.groups.iter().filter(|group| group.extra) {
        others.or(&scorer.pages(&scorer.terms(plan, group, weight(group), false)));
    }
    let mut pages: Option<Bitset> = None;
    for (group, related) in plan.groups.iter().zip(plan.related()) {
        if !must_be_there(group) || weight(group) <= 0.0 {
            continue;
        }
        let mut having = scorer.pages(&scorer.terms(plan, group, weight(group), related));
        if having.is_empty() {
            continue;
        }
        having.or(&others);
        match &mut pages {
            Some(pages) => pages.and(&having),
            None => pages = Some(having),
        }
    }
    let Some(pages) = pages else { return allowed };
    let mut sections = Bitset::none(structure.n_sections());
    for page in pages.iter() {
        let range = structure.sections(PageId(page));
        sections.insert_range(range.start, range.end);
    }
    if let Some(allowed) = &allowed {
        sections.and(allowed);
    }
    Some(sections)
}

/// Returns whether a page must have a term of the group. An identifier as a whole is not required,
/// but its parts are, so that pages with other spellings match.
fn must_be_there(group: &Group) -> bool {
    !group.extra && !matches!(group.kind, TokenKind::Whole | TokenKind::Mark)
}

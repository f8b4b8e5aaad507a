//! Orders pages by more than relevance: pins and boosts of the site, preferences of the request
//! (newer pages, several values of an attribute), and copies, one of which represents all.
//!
//! Boosts and copies are attributes, [`crate::BOOST`] and [`COPY`], whose columns are fetched if a
//! bundle has them: 50 bytes a shard and little more than a bit for each page without a value. All
//! of these multiply scores or leave pages out, so the order does not depend on how far a reader
//! pages.

use findling_bundle::{
    Attribute, AttributeKind, AttributeLevel, Column, PageId, SectionId, Structure, order,
};

use super::{Candidate, PageScore};
use crate::api::{COPY, Error, Prefer};
use crate::index::Index;
use crate::resolve::{ResolvedQuery, boosts, number_attribute};

/// Largest boost; larger ones count as this.
const MAX_BOOST: f64 = 100.0;
/// The factor on a page's score for each earlier page with the same value of the spread attribute.
const SPREAD: f32 = 0.85;

/// Data that pages are ordered by.
#[derive(Clone, Copy)]
pub(crate) struct PageOrdering<'a> {
    pub index: &'a Index,
    pub asked: &'a ResolvedQuery,
    pub structure: &'a Structure,
    /// The matching sections.
    pub candidates: &'a [Candidate],
}

/// The values of an attribute by page, as numbers that compare like them.
pub(crate) struct PageValues<'a> {
    column: &'a Column,
    greatest: bool,
    /// Values of an attribute of sections, by page; NaN for none.
    of_sections: Option<Vec<f64>>,
}

impl PageValues<'_> {
    /// Returns a page's value.
    pub fn get(&self, page: u32) -> Option<f64> {
        match &self.of_sections {
            None => ordering_value(self.column, page, self.greatest),
            Some(values) => values.get(page as usize).copied().filter(|value| !value.is_nan()),
        }
    }
}

impl<'a> PageOrdering<'a> {
    /// Reads the smallest or largest value of an attribute for each page. For an attribute of
    /// sections, a page has the values of its matching sections.
    #[doc(alias = "deferred")]
    #[inline(never)]
    pub fn values(&self, name: &str, greatest: bool) -> Result<PageValues<'a>, Error> {
        let attribute = self.index.attribute(name)?;
        let column = column(self.index, attribute)?;
        let of_sections = (attribute.level == AttributeLevel::Section)
            .then(|| self.of_sections(column, greatest));
        Ok(PageValues { column, greatest, of_sections })
    }

    fn of_sections(&self, column: &Column, greatest: bool) -> Vec<f64> {
        let mut values = vec![f64::NAN; self.structure.n_pages() as usize];
        for candidate in self.candidates {
            let page = self.structure.page_of(SectionId(candidate.section)).index();
            if let Some(value) = ordering_value(column, candidate.section, greatest)
                && let Some(best) = values.get_mut(page)
            {
                // Any number goes before NaN.
                *best = if greatest { best.max(value) } else { best.min(value) };
            }
        }
        values
    }
}

/// Returns an item's value as a number that compares like it; for a set of strings, its smallest or
/// largest member. Values of strings ascend with their ids.
pub(super) fn ordering_value(column: &Column, item: u32, greatest: bool) -> Option<f64> {
    match column {
        Column::Strings(strings) => {
            let ids = strings.ids(item);
            (if greatest { ids.last() } else { ids.first() }).map(|&id| f64::from(id))
        }
        other => other.number(item),
    }
}

fn column<'a>(index: &'a Index, attribute: &Attribute) -> Result<&'a Column, Error> {
    index.column(attribute.column).ok_or_else(|| Error::inconsistent("a column is missing"))
}

/// Adds pinned pages that the query does not find, each with its first section that may be found.
pub(crate) fn add_pinned(
    pins: &[u32],
    candidates: &mut Vec<Candidate>,
    structure: &Structure,
    allowed: impl Fn(u32) -> bool,
) {
    for &page in pins {
        let sections = structure.sections(PageId(page));
        if !candidates.iter().any(|candidate| sections.contains(&candidate.section))
            && let Some(section) = sections.clone().find(|&section| allowed(section))
        {
            candidates.push(Candidate { section, ..Candidate::default() });
        }
    }
}

/// Applies boosts, preference and pins to the scores of pages. Pages stay in the order of their
/// ids.
pub(crate) fn weigh(
    ordering: &PageOrdering<'_>,
    pins: &[u32],
    pages: &mut [PageScore],
) -> Result<(), Error> {
    let PageOrdering { index, asked, .. } = *ordering;
    let mut weigh = |factor: Factor<'_>| {
        // A negative score stays as it is: a boost would lower it.
        for page in pages.iter_mut().filter(|page| page.score > 0.0) {
            page.score = (f64::from(page.score) * factor(PageId(page.page))) as f32;
        }
    };
    if let Some(attribute) = boosts(index, &asked.request) {
        let column = column(index, attribute)?;
        weigh(&|page| column.number(page.0).map_or(1.0, |boost| boost.clamp(0.0, MAX_BOOST)));
    }
    if let Some(prefer) = &asked.request.prefer {
        prefer_by(ordering, prefer, &mut weigh)?;
    }
    let best = pages.iter().map(|page| page.score).fold(0.0, f32::max);
    for page in pages.iter_mut().filter(|page| pins.binary_search(&page.page).is_ok()) {
        // Pinned pages come before all others, and are sorted among themselves by score.
        page.pinned = true;
        page.score += best + 1.0;
    }
    Ok(())
}

/// The factors of pages' scores.
type Factor<'a> = &'a dyn Fn(PageId) -> f64;

/// Applies the request's preference to the scores of pages.
#[doc(alias = "deferred")]
#[inline(never)]
fn prefer_by(
    ordering: &PageOrdering<'_>,
    prefer: &Prefer,
    weigh: &mut dyn FnMut(Factor<'_>),
) -> Result<(), Error> {
    let attribute = ordering.index.attribute(&prefer.by)?;
    let column = column(ordering.index, attribute)?;
    let of_pages = ordering.values(&prefer.by, !prefer.ascending)?;
    let sign = if prefer.ascending { -1.0 } else { 1.0 };
    let signed = |item: usize| column.number(item as u32).map(|value| sign * value);
    let items = 0..column.n_items() as usize;
    let values = keyed(items.filter_map(|item| Some((ascending(signed(item)?), item))));
    if let Some(best) = values.last().and_then(|&(_, item)| signed(item)) {
        let unit = if attribute.kind == AttributeKind::Date { 86_400_000.0 } else { 1.0 };
        let middle =
            values.get(values.len() / 2).and_then(|&(_, item)| signed(item)).unwrap_or(best);
        let half = prefer.half.map_or(best - middle, |half| f64::from(half) * unit);
        let share = f64::from(prefer.share);
        weigh(&|page| {
            let far = |value: f64| half / (half + (best - sign * value));
            let near = of_pages.get(page.0).map_or(0.5, far);
            // If both the distance and `half` are 0, this is 0 / 0, and the score does not change.
            1.0 - share * (1.0 - if near.is_nan() { 1.0 } else { near })
        });
    }
    Ok(())
}

/// Returns the numbers of groups of copies, if one page represents each group.
pub(crate) fn copies<'a>(
    index: &'a Index,
    asked: &ResolvedQuery,
) -> Result<Option<&'a Column>, Error> {
    let attribute = number_attribute(index, COPY).filter(|_| !asked.request.copies);
    attribute.map(|attribute| column(index, attribute)).transpose()
}

/// Keeps the best page of each group of copies, with the number of the others. If page `keep` is in
/// a group, it is kept instead.
pub(crate) fn collapse(
    index: &Index,
    asked: &ResolvedQuery,
    keep: Option<u32>,
    pages: &mut Vec<PageScore>,
) -> Result<(), Error> {
    let Some(column) = copies(index, asked)? else { return Ok(()) };
    let all = pages.iter().enumerate();
    let group = |page: &PageScore| column.number(page.page).map(f64::to_bits);
    let grouped = keyed(all.filter_map(|(place, page)| Some((group(page)?, place))));
    for copies in grouped.chunk_by(|a, b| a.0 == b.0) {
        let mut best = usize::MAX;
        for &(_, place) in copies {
            let better = pages.get(best).is_none_or(|best| {
                pages[place].score > best.score && Some(best.page) != keep
                    || Some(pages[place].page) == keep
            });
            best = if better { place } else { best };
        }
        pages[best].copies = copies.len() as u32 - 1;
        for &(_, place) in copies.iter().filter(|(_, place)| *place != best) {
            pages[place].page = u32::MAX;
        }
    }
    pages.retain(|page| page.page != u32::MAX);
    Ok(())
}

/// Spreads pages, best first, over the values of an attribute: each page with the value of an
/// earlier one scores less.
#[doc(alias = "deferred")]
#[inline(never)]
pub(crate) fn spread(ordering: &PageOrdering<'_>, pages: &mut [PageScore]) -> Result<(), Error> {
    let Some(name) = &ordering.asked.request.spread else { return Ok(()) };
    let values = ordering.values(name, false)?;
    let value = |page: &PageScore| values.get(page.page).map(f64::to_bits);
    let all = pages.iter().enumerate();
    let valued = keyed(all.filter_map(|(place, page)| Some((value(page)?, place))));
    for same in valued.chunk_by(|a, b| a.0 == b.0) {
        let mut factor = 1.0;
        for &(_, place) in same {
            if !pages[place].pinned && pages[place].score > 0.0 {
                pages[place].score *= factor;
            }
            factor *= SPREAD;
        }
    }
    Ok(())
}

/// Sorts by key, then by original position.
fn keyed(keyed: impl Iterator<Item = (u64, usize)>) -> Vec<(u64, usize)> {
    let mut keyed: Vec<(u64, usize)> = keyed.collect();
    order::sort(&mut keyed);
    keyed
}

/// Returns a number as an integer that compares like it.
fn ascending(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

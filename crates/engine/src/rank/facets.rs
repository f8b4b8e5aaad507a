//! Counts of attribute values over the pages or sections that match.

use std::cmp::Reverse;

use findling_bundle::{Attribute, AttributeLevel, Column, SectionId, Structure, order};

use crate::api::{Facet, FacetsOf};
use crate::bitset::Bitset;
use crate::filter::{date, number};

/// The items whose values are counted: the matching sections, or their pages.
#[derive(Clone, Copy)]
pub(crate) struct Counted<'a> {
    pub sections: &'a Bitset,
    pub structure: &'a Structure,
    pub of: FacetsOf,
    /// The numbers of groups of copies, each of which counts as one page.
    pub copies: Option<&'a Column>,
}

impl Counted<'_> {
    /// Returns the items of a column, each with the page or section that it counts for. The items
    /// of one page or section follow each other.
    fn items(&self, level: AttributeLevel) -> Vec<(u32, u32)> {
        let items = self.sections.iter().map(move |section| {
            let page = self.structure.page_of(SectionId(section)).0;
            let item = if level == AttributeLevel::Page { page } else { section };
            (item, if self.of == FacetsOf::Pages { page } else { section })
        });
        // Several sections of one page count once.
        let mut last = None;
        let mut items: Vec<_> = items.filter(|&item| last.replace(item) != Some(item)).collect();
        if let Some(copies) = self.copies {
            join_copies(&mut items, self.structure.n_pages(), copies);
        }
        items
    }
}

/// Makes all copies of a page count as one page, because the list shows only one.
#[doc(alias = "deferred")]
#[inline(never)]
fn join_copies(items: &mut [(u32, u32)], n_pages: u32, copies: &Column) {
    for (_, page) in items.iter_mut() {
        if let Some(group) = copies.number(*page) {
            *page = n_pages.saturating_add(group as u32);
        }
    }
    order::sort_by(items, |a, b| (a.1, a.0) < (b.1, b.0));
}

/// Returns the values of an attribute with the number of pages or sections that have each, most
/// frequent first, then by value. Numbers, dates and truth values are counted too, each spelt as in
/// a filter. O(sections + values).
pub(crate) fn count(attribute: &Attribute, column: &Column, counted: Counted<'_>) -> Facet {
    let items = counted.items(attribute.level);
    let mut values: Vec<(String, u32)> = match column {
        Column::Strings(strings) => {
            // For each value: the count, and one more than the number of the last item counted.
            let mut counts = vec![(0u32, 0u32); strings.n_values() as usize];
            for &(item, unit) in &items {
                for &id in strings.ids(item) {
                    if let Some((count, last)) = counts.get_mut(id as usize)
                        && *last != unit + 1
                    {
                        (*count, *last) = (*count + 1, unit + 1);
                    }
                }
            }
            let counted = (0u32..).zip(counts).filter(|&(_, (count, _))| count > 0);
            counted.map(|(id, (count, _))| (strings.value(id).to_owned(), count)).collect()
        }
        other => {
            // Minus zero is a zero.
            let items = items.into_iter();
            let numbers = items.filter_map(|(item, unit)| Some((other.number(item)? + 0.0, unit)));
            let mut numbers: Vec<(f64, u32)> = numbers.collect();
            order::sort_by(&mut numbers, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).is_lt());
            numbers.dedup();
            let runs = numbers
                .chunk_by(|a, b| a.0 == b.0)
                .filter_map(|run| Some((run.first()?.0, run.len() as u32)));
            let spell = |number: f64| match other {
                Column::Date(_) => date::format(number as i64),
                Column::Bool(_) => (number != 0.0).to_string(),
                _ => number::show(number),
            };
            runs.map(|(number, count)| (spell(number), count)).collect()
        }
    };
    // Values with equal counts stay in their own order, which for numbers and dates differs from
    // the order of their spellings.
    let mut places: Vec<(Reverse<u32>, usize)> =
        values.iter().enumerate().map(|(place, &(_, count))| (Reverse(count), place)).collect();
    order::sort(&mut places);
    let values = places.iter().map(|&(_, place)| std::mem::take(&mut values[place])).collect();
    Facet { name: attribute.name.clone(), values }
}

#[cfg(test)]
mod tests {
    use findling_bundle::structure::StructureBuilder;
    use findling_bundle::{AttributeKind, AttributeValue, ShardId};

    use super::*;

    /// Counts values of pages of one section each.
    fn check(
        kind: AttributeKind,
        values: &[Option<AttributeValue>],
        pages: &[u32],
        expect: &[(&str, u32)],
    ) {
        let structure = structure_of(&vec![1; values.len()]);
        let of = (AttributeLevel::Page, FacetsOf::Pages);
        check_in(&structure, kind, of, values, pages, expect);
    }

    fn structure_of(n_sections: &[u32]) -> Structure {
        let mut structure = StructureBuilder::default();
        for &n in n_sections {
            structure.page();
            (0..n).for_each(|_| _ = structure.section(1));
        }
        structure.finish()
    }

    fn check_in(
        structure: &Structure,
        kind: AttributeKind,
        (level, of): (AttributeLevel, FacetsOf),
        values: &[Option<AttributeValue>],
        sections: &[u32],
        expect: &[(&str, u32)],
    ) {
        let column = Column::build(kind, values.iter().map(Option::as_ref)).unwrap();
        let attribute =
            Attribute { name: "a".into(), kind, level, column: ShardId(0), facet: true };
        let mut set = Bitset::none(structure.n_sections());
        sections.iter().for_each(|&section| assert!(set.insert(section)));
        let counted = Counted { sections: &set, structure, of, copies: None };
        let expect = expect.iter().map(|&(value, count)| (value.to_owned(), count)).collect();
        let facet = count(&attribute, &column, counted);
        assert_eq!(facet, Facet { name: "a".into(), values: expect }, "{level:?} {of:?}");
    }

    #[test]
    fn a_page_counts_once_for_each_value_of_its_sections_and_a_section_for_its_own() {
        use AttributeLevel::{Page, Section};
        // Pages of three, one and two sections. The first section of the last page does not match.
        let structure = structure_of(&[3, 1, 2]);
        let matching = [0, 1, 2, 3, 5];
        let check = |kind, of, values: &[Option<AttributeValue>], expect: &[(&str, u32)]| {
            check_in(&structure, kind, of, values, &matching, expect);
        };
        let roles = ["user", "tool", "user", "user", "user", "tool"]
            .map(|role| Some(AttributeValue::String(role.into())));
        let kind = AttributeKind::String;
        check(kind, (Section, FacetsOf::Pages), &roles, &[("tool", 2), ("user", 2)]);
        check(kind, (Section, FacetsOf::Sections), &roles, &[("user", 3), ("tool", 2)]);
        let books = ["a", "b", "b"].map(|book| Some(AttributeValue::String(book.into())));
        check(kind, (Page, FacetsOf::Pages), &books, &[("b", 2), ("a", 1)]);
        check(kind, (Page, FacetsOf::Sections), &books, &[("a", 3), ("b", 2)]);
        let numbers = [1.0, 1.0, 2.0, 1.0, 9.0, 2.0].map(|n| Some(AttributeValue::Number(n)));
        let kind = AttributeKind::Number;
        check(kind, (Section, FacetsOf::Pages), &numbers, &[("1", 2), ("2", 2)]);
        check(kind, (Section, FacetsOf::Sections), &numbers, &[("1", 3), ("2", 2)]);
    }

    #[test]
    fn values_are_counted_over_matching_pages_alone() {
        let strings = ["b", "a", "b", "c", "c"].map(|s| Some(AttributeValue::String(s.into())));
        check(AttributeKind::String, &strings, &[0, 1, 2, 3], &[("b", 2), ("a", 1), ("c", 1)]);
        check(AttributeKind::String, &strings, &[], &[]);
        let sets = [vec!["x", "y"], vec![], vec!["y"]]
            .map(|set| Some(AttributeValue::Strings(set.into_iter().map(str::to_owned).collect())));
        check(AttributeKind::Strings, &sets, &[0, 1, 2], &[("y", 2), ("x", 1)]);
        let numbers = [Some(10.0), None, Some(9.0), Some(9.0), Some(-0.5)]
            .map(|n| n.map(AttributeValue::Number));
        check(
            AttributeKind::Number,
            &numbers,
            &[0, 1, 2, 3, 4],
            &[("9", 2), ("-0.5", 1), ("10", 1)],
        );
        let dates = [Some(0), Some(0), Some(1500), None].map(|d| d.map(AttributeValue::Date));
        check(
            AttributeKind::Date,
            &dates,
            &[0, 1, 2, 3],
            &[("1970-01-01", 2), ("1970-01-01T00:00:01.500Z", 1)],
        );
        let truths =
            [Some(true), Some(false), Some(true), None].map(|t| t.map(AttributeValue::Bool));
        check(AttributeKind::Bool, &truths, &[0, 1, 2, 3], &[("true", 2), ("false", 1)]);
    }
}

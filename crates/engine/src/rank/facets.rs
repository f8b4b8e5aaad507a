//! Counts of attribute values over the pages that match.

use std::cmp::Reverse;

use findling_bundle::{Column, PageId, order};

use crate::api::Facet;
use crate::bitset::Bitset;
use crate::filter::{date, number};

/// The values of an attribute on these pages with the number of pages that have each, most frequent
/// first, then by value. Numbers, dates and truth values are counted too, each spelt as a filter
/// would. O(pages + values).
pub(crate) fn count(name: &str, column: &Column, pages: &Bitset) -> Facet {
    let mut values: Vec<(String, u32)> = match column {
        Column::Strings(strings) => {
            let mut counts = vec![0u32; strings.n_values() as usize];
            for page in pages.iter() {
                for &id in strings.ids(PageId(page)) {
                    if let Some(count) = counts.get_mut(id as usize) {
                        *count += 1;
                    }
                }
            }
            let counted = (0u32..).zip(counts).filter(|&(_, count)| count > 0);
            counted.map(|(id, count)| (strings.value(id).to_owned(), count)).collect()
        }
        other => {
            let mut numbers: Vec<f64> =
                pages.iter().filter_map(|page| other.number(PageId(page))).collect();
            order::sort_by(&mut numbers, |a, b| a.total_cmp(b).is_lt());
            let runs = numbers
                .chunk_by(|a, b| a == b)
                .filter_map(|run| Some((*run.first()?, run.len() as u32)));
            let spell = |number: f64| match other {
                Column::Date(_) => date::format(number as i64),
                Column::Bool(_) => (number != 0.0).to_string(),
                // Minus zero is a zero.
                _ => number::show(number + 0.0),
            };
            runs.map(|(number, count)| (spell(number), count)).collect()
        }
    };
    // Values of one count stay in their own order, which for numbers and dates is not that of their
    // spelling.
    let mut places: Vec<(Reverse<u32>, usize)> =
        values.iter().enumerate().map(|(place, &(_, count))| (Reverse(count), place)).collect();
    order::sort(&mut places);
    let values = places.iter().map(|&(_, place)| std::mem::take(&mut values[place])).collect();
    Facet { name: name.to_owned(), values }
}

#[cfg(test)]
mod tests {
    use findling_bundle::{AttributeKind, AttributeValue};

    use super::*;

    fn check(
        kind: AttributeKind,
        values: &[Option<AttributeValue>],
        pages: &[u32],
        expect: &[(&str, u32)],
    ) {
        let column = Column::build(kind, values.iter().map(Option::as_ref)).unwrap();
        let mut set = Bitset::none(values.len() as u32);
        pages.iter().for_each(|&page| assert!(set.insert(page)));
        let expect = expect.iter().map(|&(value, count)| (value.to_owned(), count)).collect();
        assert_eq!(count("a", &column, &set), Facet { name: "a".into(), values: expect });
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

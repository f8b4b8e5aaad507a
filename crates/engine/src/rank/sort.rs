//! The order of pages by an attribute.

use std::cmp::Ordering;

use findling_bundle::order;

/// Sorts items by the values of their pages, ascending or descending. Items without a value always
/// come last. Items with equal values keep their order, which is by relevance. O(n log n).
#[doc(alias = "deferred")]
#[inline(never)]
pub(crate) fn by_value<T: Copy>(
    items: &mut [T],
    value: impl Fn(&T) -> Option<f64>,
    descending: bool,
) {
    let mut keyed: Vec<(Option<f64>, usize, T)> =
        items.iter().enumerate().map(|(i, &item)| (value(&item), i, item)).collect();
    order::sort_by(&mut keyed, |a, b| {
        let by_key = match (a.0, b.0) {
            (Some(a), Some(b)) if descending => b.total_cmp(&a),
            (Some(a), Some(b)) => a.total_cmp(&b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        };
        by_key.then(a.1.cmp(&b.1)).is_lt()
    });
    for (item, (_, _, sorted)) in items.iter_mut().zip(keyed) {
        *item = sorted;
    }
}

#[cfg(test)]
mod tests {
    use findling_bundle::{AttributeKind, AttributeValue, Column};

    use super::*;
    use crate::rank::order::ordering_value;

    fn check(
        kind: AttributeKind,
        values: &[Option<AttributeValue>],
        ascending: &[u32],
        descending: &[u32],
    ) {
        let column = Column::build(kind, values.iter().map(Option::as_ref)).unwrap();
        for (down, expect) in [(false, ascending), (true, descending)] {
            // By relevance the last page was first.
            let mut pages: Vec<u32> = (0..values.len() as u32).rev().collect();
            by_value(&mut pages, |&page| ordering_value(&column, page, down), down);
            assert_eq!(pages, expect, "{kind:?}, descending: {down}");
        }
    }

    #[test]
    fn missing_values_come_last_and_ties_keep_relevance() {
        let numbers =
            [Some(2.0), None, Some(-1.0), Some(2.0), None].map(|n| n.map(AttributeValue::Number));
        check(AttributeKind::Number, &numbers, &[2, 3, 0, 4, 1], &[3, 0, 2, 4, 1]);
        let dates = [Some(5), Some(-5), None].map(|d| d.map(AttributeValue::Date));
        check(AttributeKind::Date, &dates, &[1, 0, 2], &[0, 1, 2]);
        let strings = [Some("b"), Some("a"), Some("é"), None]
            .map(|s| s.map(|s| AttributeValue::String(s.into())));
        check(AttributeKind::String, &strings, &[1, 0, 2, 3], &[2, 0, 1, 3]);
        let sets = [vec!["a", "z"], vec!["b"], vec![]]
            .map(|set| Some(AttributeValue::Strings(set.into_iter().map(str::to_owned).collect())));
        check(AttributeKind::Strings, &sets, &[0, 1, 2], &[0, 1, 2]);
        let truths = [Some(true), None, Some(false)].map(|t| t.map(AttributeValue::Bool));
        check(AttributeKind::Bool, &truths, &[2, 0, 1], &[0, 2, 1]);
    }
}

//! What to say of a value that no page has.

use findling_bundle::column::Strings;
use findling_bundle::order;

use super::error::quote;
use crate::Notice;

/// Most values named as near to one that is unknown.
const SHOWN: usize = 5;
/// Most values looked through for near ones.
const LOOKED_THROUGH: u32 = 10_000;

/// That no page has a value, and which are near to it, or else which there are.
pub(super) fn unknown_value(attribute: &str, value: &str, strings: &Strings) -> Notice {
    let lower: String = value.to_lowercase().chars().take(64).collect();
    let mut near: Vec<(usize, u32)> = (0..strings.n_values().min(LOOKED_THROUGH))
        .filter_map(|id| {
            let other: String = strings.value(id).to_lowercase().chars().take(64).collect();
            let part =
                !lower.is_empty() && (other.contains(&lower) || !other.is_empty() && lower.contains(&other));
            let distance = if part { 1 } else { distance(&lower, &other) };
            (distance <= 1 + lower.chars().count() / 4).then_some((distance, id))
        })
        .collect();
    order::sort(&mut near);
    let all = strings.n_values() as usize;
    let (intro, ids): (_, Vec<u32>) = match near.is_empty() {
        false => ("near it are", near.iter().map(|&(_, id)| id).collect()),
        true if all == 0 => ("none has any value", Vec::new()),
        true => ("there are", (0..strings.n_values().min(SHOWN as u32 + 1)).collect()),
    };
    let mut names = ids.iter().take(SHOWN).map(|&id| quote(strings.value(id))).collect::<Vec<_>>().join(", ");
    if ids.len() > SHOWN {
        names += " and more";
    }
    let space = if names.is_empty() { "" } else { " " };
    Notice {
        code: "unknown-value".into(),
        message: format!("no page has {} as `{attribute}`; {intro}{space}{names}", quote(value)),
    }
}

/// Levenshtein's: insertions, deletions and replacements of characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use findling_bundle::{AttributeKind, AttributeValue, Column};

    use super::*;

    #[test]
    fn near_values_are_named_and_otherwise_some_there_are() {
        fn check(values: &[&str], asked: &str, expect: &str) {
            let values: Vec<_> =
                values.iter().map(|&value| Some(AttributeValue::String(value.into()))).collect();
            let column = Column::build(AttributeKind::String, values.iter().map(Option::as_ref)).unwrap();
            let Column::Strings(strings) = &column else { panic!("strings") };
            let notice = unknown_value("book", asked, strings);
            assert_eq!(notice.code, "unknown-value");
            assert_eq!(notice.message, format!("no page has `{asked}` as `book`; {expect}"));
        }
        check(&["reference", "nomicon", "book"], "refrence", "near it are `reference`");
        check(&["Reference", "nomicon"], "the nomicon", "near it are `nomicon`");
        check(&["reference", "nomicon", "book"], "xyz", "there are `book`, `nomicon`, `reference`");
        check(
            &["a1", "a2", "a3", "a4", "a5", "a6"],
            "a7",
            "near it are `a1`, `a2`, `a3`, `a4`, `a5` and more",
        );
        check(&[], "a", "none has any value");
    }

    #[test]
    fn distances_are_levenshteins() {
        for (a, b, expect) in [
            ("", "", 0),
            ("abc", "", 3),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("flaw", "lawn", 2),
            ("über", "uber", 1),
        ] {
            assert_eq!(distance(a, b), expect, "{a} {b}");
        }
    }
}

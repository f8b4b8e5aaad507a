//! Notices about values that no page or section has.

use findling_bundle::column::Strings;
use findling_bundle::{Attribute, AttributeKind, AttributeLevel, Column, order};

use super::date;
use super::number::shortest;
use crate::api::Notice;
use crate::messages::{comparable, edit_distance, max_edits, quote};

/// Maximum number of values named as similar to an unknown one.
const SHOWN: usize = 5;
/// Maximum number of values compared with an unknown one.
const LOOKED_THROUGH: u32 = 10_000;

/// A value that no page or section has, and the values that the writer may have meant.
pub(crate) struct Unknown {
    pub attribute: String,
    pub value: String,
    /// The similar values, nearest first, or else the first values of the attribute.
    pub instead: Vec<String>,
}

impl Unknown {
    pub(super) fn new(attribute: &str, value: &str, strings: &Strings) -> Self {
        let instead = candidates(value, strings).1.into_iter().take(SHOWN);
        let instead = instead.map(|id| strings.value(id).to_owned()).collect();
        Self { attribute: attribute.to_owned(), value: value.to_owned(), instead }
    }
}

/// Returns whether the attribute has values similar to `value`, and their ids, nearest first. If
/// there are none, the ids belong to the attribute's first values.
fn candidates(value: &str, strings: &Strings) -> (bool, Vec<u32>) {
    let lower = comparable(value);
    let mut near: Vec<(usize, u32)> = (0..strings.n_values().min(LOOKED_THROUGH))
        .filter_map(|id| {
            let other = comparable(strings.value(id));
            let part = !lower.is_empty()
                && (other.contains(&lower) || !other.is_empty() && lower.contains(&other));
            let distance = if part { 1 } else { edit_distance(&lower, &other) };
            (distance <= max_edits(&lower)).then_some((distance, id))
        })
        .collect();
    order::sort(&mut near);
    match near.is_empty() {
        false => (true, near.iter().map(|&(_, id)| id).collect()),
        true => (false, (0..strings.n_values().min(SHOWN as u32 + 1)).collect()),
    }
}

/// Returns the name of an item that has values of an attribute, in singular and plural.
pub(super) fn items(attribute: &Attribute) -> (&'static str, &'static str) {
    match attribute.level {
        AttributeLevel::Page => ("page", "pages"),
        AttributeLevel::Section => ("section", "sections"),
    }
}

/// Returns the notice that no item has a value. It names similar values, or else the attribute's
/// first values.
pub(super) fn unknown_value(attribute: &Attribute, value: &str, strings: &Strings) -> Notice {
    let (near, ids) = candidates(value, strings);
    let intro = match (near, ids.is_empty()) {
        (true, _) => "near it are",
        (false, true) => "none has any value",
        (false, false) => "there are",
    };
    let names = listed(strings, ids.into_iter());
    let space = if names.is_empty() { "" } else { " " };
    let (item, name) = (items(attribute).0, &attribute.name);
    notice(format!("no {item} has {} as `{name}`; {intro}{space}{names}", quote(value)))
}

/// Returns the values of an attribute in a few words: `2019 to 2024`; `de`, `en` and more. `None`
/// if no item has a value.
pub(super) fn values_of(attribute: &Attribute, column: &Column) -> Option<String> {
    if let Column::Strings(strings) = column {
        return (strings.n_values() > 0).then(|| listed(strings, 0..strings.n_values()));
    }
    let (least, most) = ends(attribute, column)?;
    let between = if attribute.kind == AttributeKind::Bool { "and" } else { "to" };
    Some(if least == most { least } else { format!("{least} {between} {most}") })
}

/// Returns the smallest and the largest of an attribute's numbers.
fn ends(attribute: &Attribute, column: &Column) -> Option<(String, String)> {
    let numbers = (0..column.n_items()).filter_map(|item| column.number(item));
    let ends = numbers.fold(None, |ends, number| match ends {
        None => Some((number, number)),
        Some((least, most)) => Some((number.min(least), number.max(most))),
    });
    let written = |number: f64| match attribute.kind {
        AttributeKind::Date => date::format(number as i64),
        AttributeKind::Bool => (number != 0.0).to_string(),
        _ => shortest(&number),
    };
    ends.map(|(least, most)| (written(least), written(most)))
}

/// Returns at most [`SHOWN`] values as text.
fn listed(strings: &Strings, ids: impl ExactSizeIterator<Item = u32>) -> String {
    let n = ids.len();
    let mut names =
        ids.take(SHOWN).map(|id| quote(strings.value(id))).collect::<Vec<_>>().join(", ");
    if n > SHOWN {
        names += " and more";
    }
    names
}

/// Returns the notice that no item has a number or date in the wanted range, with the range of the
/// existing ones.
pub(super) fn unmet(attribute: &Attribute, column: &Column) -> Notice {
    let there = match ends(attribute, column) {
        None => "none has any value".to_owned(),
        Some((least, most)) if least == most => format!("all there are have {least}"),
        Some((least, most)) => format!("they go from {least} to {most}"),
    };
    notice(format!("no {} has such a `{}`; {there}", items(attribute).0, attribute.name))
}

fn notice(message: String) -> Notice {
    Notice { code: "unknown-value".into(), message }
}

#[cfg(test)]
mod tests {
    use findling_bundle::AttributeValue;

    use super::*;

    fn attribute(name: &str, kind: AttributeKind) -> Attribute {
        let level = AttributeLevel::Page;
        Attribute {
            name: name.into(),
            kind,
            level,
            column: findling_bundle::ShardId(0),
            facet: true,
        }
    }

    #[test]
    fn near_values_are_named_and_otherwise_some_there_are() {
        fn check(values: &[&str], asked: &str, expect: &str) {
            let values: Vec<_> =
                values.iter().map(|&value| Some(AttributeValue::String(value.into()))).collect();
            let column =
                Column::build(AttributeKind::String, values.iter().map(Option::as_ref)).unwrap();
            let Column::Strings(strings) = &column else { panic!("strings") };
            let notice = unknown_value(&attribute("book", AttributeKind::String), asked, strings);
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
    fn notices_about_numbers_and_dates_give_their_range() {
        fn check(kind: AttributeKind, values: &[AttributeValue], expect: &str) {
            let column = Column::build(kind, values.iter().map(Some)).unwrap();
            assert_eq!(
                unmet(&attribute("since", kind), &column).message,
                format!("no page has such a `since`; {expect}")
            );
        }
        use AttributeValue::{Bool, Date, Number};
        check(AttributeKind::Number, &[Number(2.5), Number(-1.0)], "they go from -1 to 2.5");
        check(AttributeKind::Number, &[Number(2.0)], "all there are have 2");
        check(AttributeKind::Number, &[], "none has any value");
        check(AttributeKind::Bool, &[Bool(true)], "all there are have true");
        check(
            AttributeKind::Date,
            &[Date(0), Date(86_400_000)],
            "they go from 1970-01-01 to 1970-01-02",
        );
    }
}

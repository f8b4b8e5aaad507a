//! Attributes: values from sources, and the common type of all values of an attribute.

use std::collections::{BTreeMap, BTreeSet};

use bincode::{Decode, Encode};
use findling_bundle::AttributeValue;
use findling_text::normalise::visible;
use rayon::prelude::*;

/// A value as it is in a source. Its type is decided later, from the values on all pages.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub(super) enum Raw {
    /// A string from a typed format. It can be a date, but no other type.
    Text(String),
    /// A string from an untyped format (an HTML attribute). It can be a number, a date or a truth
    /// value.
    Untyped(String),
    Number(f64),
    /// Milliseconds since 1970-01-01 UTC.
    Date(i64),
    Bool(bool),
    List(Vec<String>),
}

impl From<AttributeValue> for Raw {
    fn from(value: AttributeValue) -> Self {
        match value {
            AttributeValue::String(text) => Self::Text(text),
            AttributeValue::Strings(list) => Self::List(list),
            AttributeValue::Number(number) => Self::Number(number),
            AttributeValue::Date(millis) => Self::Date(millis),
            AttributeValue::Bool(truth) => Self::Bool(truth),
        }
    }
}

impl Raw {
    /// Returns a JSON value (or YAML, read as JSON). `None` for null, objects and lists of them.
    pub fn from_json(value: &serde_json::Value) -> Option<Self> {
        use serde_json::Value;
        match value {
            Value::String(text) => Some(Self::Text(visible(text).into_owned())),
            Value::Number(number) => number.as_f64().filter(|n| n.is_finite()).map(Self::Number),
            Value::Bool(value) => Some(Self::Bool(*value)),
            Value::Array(values) => {
                let mut list = Vec::with_capacity(values.len());
                for value in values {
                    match value {
                        Value::Null => {}
                        Value::Array(_) | Value::Object(_) => return None,
                        Value::String(text) => list.push(visible(text).into_owned()),
                        other => list.push(other.to_string()),
                    }
                }
                Some(Self::List(list))
            }
            Value::Null | Value::Object(_) => None,
        }
    }

    fn kinds(&self) -> u8 {
        match self {
            Self::Text(text) => TEXT | if date(text).is_some() { DATE } else { 0 },
            Self::Untyped(text) => {
                TEXT | if date(text).is_some() { DATE } else { 0 }
                    | if number(text).is_some() { NUMBER } else { 0 }
                    | if matches!(text.as_str(), "true" | "false") { BOOL } else { 0 }
            }
            Self::Number(_) => NUMBER | TEXT,
            Self::Date(_) => DATE | TEXT,
            Self::Bool(_) => BOOL | TEXT,
            Self::List(_) => LIST,
        }
    }

    /// Returns the type of the value without looking at other pages.
    fn natural(&self) -> u8 {
        match self {
            Self::Number(_) => NUMBER,
            Self::Bool(_) => BOOL,
            Self::List(_) => LIST,
            Self::Text(_) | Self::Untyped(_) | Self::Date(_) => TEXT,
        }
    }

    /// Returns the value with its natural type, without regard to other pages; `None` if it is
    /// empty.
    pub fn into_value(self) -> Option<AttributeValue> {
        if let Self::Date(millis) = self {
            return Some(AttributeValue::Date(millis));
        }
        let kind = self.natural();
        convert(self, kind)
    }

    /// Returns the value in words.
    pub fn spelled(self) -> String {
        match self {
            Self::Text(text) | Self::Untyped(text) => text,
            Self::Number(number) => format_number(number),
            Self::Date(millis) => jiff::Timestamp::from_millisecond(millis)
                .map_or_else(|_| millis.to_string(), |instant| instant.to_string()),
            Self::Bool(value) => value.to_string(),
            Self::List(list) => list.join(", "),
        }
    }
}

const TEXT: u8 = 1;
const NUMBER: u8 = 2;
const DATE: u8 = 4;
const BOOL: u8 = 8;
const LIST: u8 = 16;

/// An attribute whose values have different types.
#[derive(Debug, PartialEq)]
pub(super) struct Conflict {
    pub name: String,
    /// The first item that has the attribute.
    pub first: usize,
    /// The types found, for messages: `number, string`.
    pub found: String,
    /// The type chosen.
    pub taken: &'static str,
}

/// Gives all values of an attribute, of pages and of sections, the same type. This is the first of
/// bool, number, date, string and set of strings that can represent all values. Returns the
/// attributes for which a type stated by a source was lost.
pub(super) fn reconcile(
    items: Vec<BTreeMap<String, Raw>>,
) -> (Vec<BTreeMap<String, AttributeValue>>, Vec<Conflict>) {
    let common = common_kinds(&items);
    let chosen: BTreeMap<&String, u8> = common
        .iter()
        .map(|(name, &Kinds { all, natural, .. })| {
            let kind = if natural & LIST != 0 {
                LIST
            } else {
                [BOOL, NUMBER, DATE].into_iter().find(|kind| all & kind != 0).unwrap_or(TEXT)
            };
            (name, kind)
        })
        .collect();
    let conflicts = common
        .iter()
        .filter(|(name, Kinds { natural, .. })| {
            // A single string among sets becomes a set of one, which is not a conflict.
            let stated = natural & !(if chosen[*name] == LIST { LIST | TEXT } else { 0 });
            // A string that is a number loses nothing if it becomes a number.
            let lossy = [TEXT, LIST].contains(&chosen[*name]);
            lossy && stated.count_ones() > 1 || (chosen[*name] == LIST && stated != 0)
        })
        .map(|(name, Kinds { natural, first, .. })| Conflict {
            name: name.clone(),
            first: *first,
            found: [(BOOL, "bool"), (NUMBER, "number"), (TEXT, "string"), (LIST, "list")]
                .iter()
                .filter(|(kind, _)| natural & kind != 0)
                .map(|(_, word)| *word)
                .collect::<Vec<_>>()
                .join(", "),
            taken: if chosen[name] == LIST { "a set of strings" } else { "a string" },
        })
        .collect();
    let values = items
        .into_par_iter()
        .map(|item| {
            item.into_iter()
                .filter_map(|(name, raw)| {
                    let value = convert(raw, *chosen.get(&name)?)?;
                    Some((name, value))
                })
                .collect()
        })
        .collect();
    (values, conflicts)
}

/// The types that the values of an attribute can have.
struct Kinds {
    /// The types that can represent every value.
    all: u8,
    /// The types that the values have without looking at other values.
    natural: u8,
    /// The first item that has the attribute.
    first: usize,
}

fn common_kinds(items: &[BTreeMap<String, Raw>]) -> BTreeMap<String, Kinds> {
    type Common<'a> = BTreeMap<&'a str, Kinds>;
    fn add<'a>(mut common: Common<'a>, name: &'a str, other: Kinds) -> Common<'a> {
        match common.get_mut(name) {
            Some(kinds) => {
                kinds.all &= other.all;
                kinds.natural |= other.natural;
                kinds.first = kinds.first.min(other.first);
            }
            None => drop(common.insert(name, other)),
        }
        common
    }
    let common = items
        .par_iter()
        .enumerate()
        .fold(BTreeMap::new, |common, (first, item)| {
            item.iter().fold(common, |common, (name, value)| {
                let kinds = Kinds { all: value.kinds(), natural: value.natural(), first };
                add(common, name, kinds)
            })
        })
        .reduce(BTreeMap::new, |a, b| {
            b.into_iter().fold(a, |a, (name, kinds)| add(a, name, kinds))
        });
    common.into_iter().map(|(name, kinds)| (name.to_owned(), kinds)).collect()
}

fn convert(raw: Raw, kind: u8) -> Option<AttributeValue> {
    Some(match (kind, raw) {
        (NUMBER, Raw::Number(number)) => AttributeValue::Number(number),
        (NUMBER, raw) => AttributeValue::Number(number(&raw.spelled())?),
        (BOOL, raw) => AttributeValue::Bool(raw.spelled() == "true"),
        (DATE, Raw::Date(millis)) => AttributeValue::Date(millis),
        (DATE, raw) => AttributeValue::Date(date(&raw.spelled())?),
        (LIST, Raw::List(list)) => {
            let set: BTreeSet<String> = list
                .into_iter()
                .map(|item| super::outline::fold(&item))
                .filter(|item| !item.is_empty())
                .collect();
            if set.is_empty() {
                return None;
            }
            AttributeValue::Strings(set.into_iter().collect())
        }
        (LIST, raw) => AttributeValue::Strings(vec![non_empty(raw)?]),
        (_, raw) => AttributeValue::String(non_empty(raw)?),
    })
}

fn non_empty(raw: Raw) -> Option<String> {
    let text = super::outline::fold(&raw.spelled());
    (!text.is_empty()).then_some(text)
}

fn format_number(number: f64) -> String {
    // Rust prints the shortest digits that parse to the same number, and integers without a point.
    format!("{number}")
}

/// Returns a number if it would be printed exactly as it is written: `3.10`, `007` and `1e3` are
/// names, not numbers.
pub(super) fn number(text: &str) -> Option<f64> {
    let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
    (format_number(value) == text).then_some(value)
}

/// Returns an ISO 8601 date or date and time, as milliseconds since 1970-01-01 UTC; a time without
/// an offset is in UTC.
pub(super) fn date(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let dashed = bytes.len() >= 10
        && bytes[..10].iter().enumerate().all(|(at, byte)| {
            if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() }
        })
        && matches!(bytes.get(10), None | Some(b'T' | b't' | b' '));
    if !dashed {
        return None;
    }
    if let Ok(instant) = text.parse::<jiff::Timestamp>() {
        return Some(instant.as_millisecond());
    }
    // Hugo and YAML write a space before the offset.
    let glued;
    let text = match text.rsplit_once(' ') {
        Some((front, offset)) if front.len() > 10 && offset.starts_with(['+', '-', 'Z']) => {
            glued = format!("{front}{offset}");
            if let Ok(instant) = glued.parse::<jiff::Timestamp>() {
                return Some(instant.as_millisecond());
            }
            glued.as_str()
        }
        _ => text,
    };
    let civil: jiff::civil::DateTime = text.parse().ok()?;
    Some(civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(values: &[Raw]) -> (Vec<AttributeValue>, usize) {
        let pages: Vec<_> =
            values.iter().map(|value| BTreeMap::from([("a".to_owned(), value.clone())])).collect();
        let (pages, conflicts) = reconcile(pages);
        (pages.into_iter().filter_map(|mut page| page.remove("a")).collect(), conflicts.len())
    }

    fn untyped(text: &str) -> Raw {
        Raw::Untyped(text.into())
    }

    fn text(text: &str) -> Raw {
        Raw::Text(text.into())
    }

    #[test]
    fn what_html_spells_gets_the_type_that_all_its_values_have() {
        assert_eq!(
            types(&[untyped("1"), untyped("2.5")]),
            (vec![AttributeValue::Number(1.0), AttributeValue::Number(2.5)], 0)
        );
        assert_eq!(types(&[untyped("true")]), (vec![AttributeValue::Bool(true)], 0));
        assert_eq!(
            types(&[untyped("2024-02-01")]),
            (vec![AttributeValue::Date(1_706_745_600_000)], 0)
        );
        // A version is not a number: 3.10 would become 3.1.
        assert_eq!(
            types(&[untyped("3.9"), untyped("3.10")]).0[1],
            AttributeValue::String("3.10".into())
        );
        assert_eq!(
            types(&[untyped("1"), untyped("many")]).0[0],
            AttributeValue::String("1".into())
        );
    }

    #[test]
    fn stated_types_that_disagree_become_strings_and_are_reported() {
        let (values, conflicts) = types(&[Raw::Number(2.0), text("two")]);
        assert_eq!(
            values,
            [AttributeValue::String("2".into()), AttributeValue::String("two".into())]
        );
        assert_eq!(conflicts, 1);
        let (values, conflicts) =
            types(&[Raw::List(vec!["b".into(), "a".into(), "b".into()]), text("c")]);
        assert_eq!(
            values,
            [
                AttributeValue::Strings(vec!["a".into(), "b".into()]),
                AttributeValue::Strings(vec!["c".into()])
            ]
        );
        assert_eq!(conflicts, 0, "one string beside lists is a list of one");
        assert_eq!(types(&[Raw::List(vec!["b".into()]), Raw::Number(1.0)]).1, 1);
        let numbers = vec![AttributeValue::Number(1.0), AttributeValue::Number(2.5)];
        assert_eq!(
            types(&[Raw::Number(1.0), untyped("2.5")]),
            (numbers, 0),
            "spelt alike, and nothing lost"
        );
    }

    #[test]
    fn a_string_in_json_is_a_date_or_a_string_but_never_a_number() {
        assert_eq!(types(&[text("12")]).0, [AttributeValue::String("12".into())]);
        assert_eq!(
            types(&[text("1970-01-02"), text("1970-01-01T00:00:01Z")]).0[1],
            AttributeValue::Date(1000)
        );
        assert_eq!(
            types(&[text("1970-01-02"), text("soon")]).0[0],
            AttributeValue::String("1970-01-02".into())
        );
    }

    #[test]
    fn values_of_sections_have_the_type_of_their_pages() {
        let own = |value: AttributeValue| Raw::from(value);
        let instant = AttributeValue::Date(1_706_745_600_000);
        assert_eq!(
            types(&[own(instant.clone()), text("2024-02-01")]),
            (vec![instant.clone(), instant.clone()], 0)
        );
        assert_eq!(
            types(&[own(instant), text("soon")]).0[0],
            AttributeValue::String("2024-02-01T00:00:00Z".into())
        );
    }

    #[test]
    fn dates() {
        assert_eq!(date("1970-01-01"), Some(0));
        assert_eq!(date("1970-01-01T01:00:00+01:00"), Some(0));
        assert_eq!(date("1970-01-01 01:00:00 +0100"), Some(0));
        assert_eq!(date("1970-01-01T00:00:00.5"), Some(500));
        for wrong in ["", "1970", "19700101", "1970-13-01", "1970-01-01x", "2024-02-30"] {
            assert_eq!(date(wrong), None, "{wrong}");
        }
    }
}

//! One attribute of all items, for filters, facets and sorting. The items are the pages, or the
//! sections; the manifest says which.
//!
//! - all: type, u8 (the numbers of [`AttributeKind`]); number of items, varint
//! - string, strings: number of distinct values, varint; the values, ascending, strings; for each
//!   item: the number of its values, varint; for each item: the ids of its values, ascending:
//!   varints, the distance from the id before less one
//! - number: u8: 1 if all are whole and within ±2^29, else 0. After 1: for each item a varint: 0 if
//!   it has no value, else one more than the zigzag of the difference from the value before (0
//!   before the first). After 0: for each item u8: 1 if it has a value, else 0; then the values,
//!   f64, never NaN
//! - date: for each item u8: 1 if it has a value, else 0; then the values, i64: milliseconds since
//!   1970-01-01 UTC, within ±2^53
//! - bool: for each item, u8: 0 false, 1 true, 2 no value

use std::collections::HashMap;

use crate::codec::{Reader, put_str, put_varint, unzigzag, zigzag};
use crate::{AttributeKind, AttributeValue, Error};

const WHAT: &str = "column";

/// Columns of whole numbers within this are stored as differences.
const MAX_WHOLE: i32 = 1 << 29;

/// Dates within this are exact as an f64.
pub const MAX_DATE: i64 = 1 << 53;

/// An attribute of all items, by type.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// One string or a set of strings for each item.
    Strings(Strings),
    /// Numbers; NaN if an item has none.
    Number(Vec<f64>),
    /// Dates in milliseconds since 1970-01-01 UTC; `None` if an item has none.
    Date(Vec<Option<i64>>),
    /// True or false; `None` if an item has neither.
    Bool(Vec<Option<bool>>),
}

/// Strings: the distinct values, and the values of each item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strings {
    /// Whether an item can have several.
    many: bool,
    /// All values, one after the other.
    text: String,
    /// The start of each value; the last number is the end of the last value.
    ends: Vec<u32>,
    /// Offsets into `ids`; one more than there are items.
    offsets: Vec<u32>,
    ids: Vec<u32>,
}

impl Strings {
    /// Returns the number of distinct values.
    pub fn n_values(&self) -> u32 {
        self.ends.len() as u32 - 1
    }

    /// Returns a value; empty for an id that does not exist. Values ascend with their ids, by
    /// bytes.
    pub fn value(&self, id: u32) -> &str {
        match (self.ends.get(id as usize), self.ends.get(id as usize + 1)) {
            (Some(&start), Some(&end)) => {
                self.text.get(start as usize..end as usize).unwrap_or_default()
            }
            _ => "",
        }
    }

    /// Returns the id of a value.
    pub fn find(&self, value: &str) -> Option<u32> {
        let at = self.lower_bound(value);
        (at < self.n_values() && self.value(at) == value).then_some(at)
    }

    /// Returns the first id whose value is not below `value`.
    pub fn lower_bound(&self, value: &str) -> u32 {
        let (mut low, mut high) = (0, self.n_values());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.value(middle) < value {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Returns the ids of an item's values, ascending.
    #[inline]
    pub fn ids(&self, item: u32) -> &[u32] {
        match (self.offsets.get(item as usize), self.offsets.get(item as usize + 1)) {
            (Some(&start), Some(&end)) => {
                self.ids.get(start as usize..end as usize).unwrap_or_default()
            }
            _ => &[],
        }
    }
}

impl Column {
    /// Makes a column of one value, or none, for each item.
    ///
    /// # Errors
    /// If a value is of another type, NaN, or a date beyond ±2^53.
    pub fn build<'a>(
        kind: AttributeKind,
        values: impl IntoIterator<Item = Option<&'a AttributeValue>>,
    ) -> Result<Self, Error> {
        let wrong =
            || Error::malformed(WHAT, "the type of a value is not the type of its attribute");
        Ok(match kind {
            AttributeKind::Number => Self::Number(
                values
                    .into_iter()
                    .map(|value| match value {
                        None => Ok(f64::NAN),
                        Some(AttributeValue::Number(number)) if !number.is_nan() => Ok(*number),
                        Some(_) => Err(wrong()),
                    })
                    .collect::<Result<_, _>>()?,
            ),
            AttributeKind::Date => Self::Date(
                values
                    .into_iter()
                    .map(|value| match value {
                        None => Ok(None),
                        Some(AttributeValue::Date(date)) => check_date(*date).map(Some),
                        Some(_) => Err(wrong()),
                    })
                    .collect::<Result<_, _>>()?,
            ),
            AttributeKind::Bool => Self::Bool(
                values
                    .into_iter()
                    .map(|value| match value {
                        None => Ok(None),
                        Some(AttributeValue::Bool(truth)) => Ok(Some(*truth)),
                        Some(_) => Err(wrong()),
                    })
                    .collect::<Result<_, _>>()?,
            ),
            AttributeKind::String | AttributeKind::Strings => {
                let many = kind == AttributeKind::Strings;
                let items = values
                    .into_iter()
                    .map(|value| match value {
                        None => Ok(&[][..]),
                        Some(AttributeValue::String(text)) => Ok(core::slice::from_ref(text)),
                        Some(AttributeValue::Strings(texts)) if many => Ok(&texts[..]),
                        Some(_) => Err(wrong()),
                    })
                    .collect::<Result<Vec<&[String]>, _>>()?;
                Self::Strings(strings(many, &items))
            }
        })
    }

    /// Returns the attribute's type.
    pub fn kind(&self) -> AttributeKind {
        match self {
            Self::Strings(strings) if strings.many => AttributeKind::Strings,
            Self::Strings(_) => AttributeKind::String,
            Self::Number(_) => AttributeKind::Number,
            Self::Date(_) => AttributeKind::Date,
            Self::Bool(_) => AttributeKind::Bool,
        }
    }

    /// Returns the number of items, with or without a value.
    pub fn n_items(&self) -> u32 {
        match self {
            Self::Strings(strings) => strings.offsets.len() as u32 - 1,
            Self::Number(values) => values.len() as u32,
            Self::Date(values) => values.len() as u32,
            Self::Bool(values) => values.len() as u32,
        }
    }

    /// Returns an item's value.
    pub fn value(&self, item: u32) -> Option<AttributeValue> {
        match self {
            Self::Strings(strings) => {
                let ids = strings.ids(item);
                if strings.many {
                    let values = ids.iter().map(|&id| strings.value(id).to_owned()).collect();
                    (!ids.is_empty()).then_some(AttributeValue::Strings(values))
                } else {
                    ids.first().map(|&id| AttributeValue::String(strings.value(id).to_owned()))
                }
            }
            Self::Number(_) => self.number(item).map(AttributeValue::Number),
            Self::Date(values) => {
                values.get(item as usize).copied().flatten().map(AttributeValue::Date)
            }
            Self::Bool(values) => {
                values.get(item as usize).copied().flatten().map(AttributeValue::Bool)
            }
        }
    }

    /// Returns an item's number, its date as a number (exact), or its bool as 0 or 1, for ranges
    /// and sorting.
    #[inline]
    pub fn number(&self, item: u32) -> Option<f64> {
        match self {
            Self::Strings(_) => None,
            Self::Number(values) => {
                values.get(item as usize).copied().filter(|value| !value.is_nan())
            }
            Self::Date(values) => {
                values.get(item as usize).copied().flatten().map(|date| date as f64)
            }
            Self::Bool(values) => values.get(item as usize).copied().flatten().map(f64::from),
        }
    }

    /// Returns the bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        match self {
            Self::Strings(s) => s.text.len() + 4 * (s.ends.len() + s.offsets.len() + s.ids.len()),
            Self::Number(values) => values.len() * 8,
            Self::Date(values) => values.len() * 16,
            Self::Bool(values) => values.len(),
        }
    }

    /// Writes the column in the format that this module's documentation describes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![self.kind() as u8];
        put_varint(&mut out, self.n_items());
        match self {
            Self::Strings(strings) => {
                put_varint(&mut out, strings.n_values());
                for id in 0..strings.n_values() {
                    put_str(&mut out, strings.value(id));
                }
                for pair in strings.offsets.windows(2) {
                    put_varint(&mut out, pair[1] - pair[0]);
                }
                for item in 0..self.n_items() {
                    let mut next = 0;
                    for &id in strings.ids(item) {
                        put_varint(&mut out, id - next);
                        next = id + 1;
                    }
                }
            }
            Self::Number(values)
                if values.iter().all(|&value| value.is_nan() || whole(value).is_some()) =>
            {
                out.push(1);
                let mut before = 0;
                for &value in values {
                    match whole(value) {
                        None => out.push(0),
                        Some(value) => {
                            put_varint(&mut out, 1 + zigzag(value - before));
                            before = value;
                        }
                    }
                }
            }
            Self::Number(values) => {
                out.push(0);
                out.extend(values.iter().map(|value| u8::from(!value.is_nan())));
                out.extend(
                    values
                        .iter()
                        .filter(|value| !value.is_nan())
                        .flat_map(|value| value.to_le_bytes()),
                );
            }
            Self::Date(values) => {
                out.extend(values.iter().map(|value| u8::from(value.is_some())));
                out.extend(values.iter().flatten().flat_map(|value| value.to_le_bytes()));
            }
            Self::Bool(values) => out.extend(values.iter().map(|value| value.map_or(2, u8::from))),
        }
        out
    }

    /// Reads the output of [`Column::to_bytes`].
    ///
    /// # Errors
    /// If the bytes break the format, or type or number of items are not the manifest's.
    pub fn from_bytes(raw: &[u8], kind: AttributeKind, n_items: u32) -> Result<Self, Error> {
        let mut reader = Reader::new(raw, WHAT);
        if reader.u8()? != kind as u8 {
            return Err(reader.malformed("the type is not the one in the manifest"));
        }
        let got = reader.count(1)?;
        if got != n_items as usize {
            return Err(Error::Length {
                what: "items of a column",
                expected: n_items.into(),
                got: got as u64,
            });
        }
        let n_items = got;
        let column = match kind {
            AttributeKind::String | AttributeKind::Strings => {
                Self::Strings(read_strings(&mut reader, kind == AttributeKind::Strings, n_items)?)
            }
            AttributeKind::Number if reader.u8()? == 1 => {
                Self::Number(read_whole(&mut reader, n_items)?)
            }
            AttributeKind::Number => Self::Number(
                read_present(&mut reader, n_items, f64::from_le_bytes)?
                    .into_iter()
                    .map(|value| match value {
                        Some(value) if value.is_nan() => {
                            Err(Error::malformed(WHAT, "a number is NaN"))
                        }
                        value => Ok(value.unwrap_or(f64::NAN)),
                    })
                    .collect::<Result<_, _>>()?,
            ),
            AttributeKind::Date => {
                let dates = read_present(&mut reader, n_items, i64::from_le_bytes)?;
                for date in dates.iter().flatten() {
                    check_date(*date)?;
                }
                Self::Date(dates)
            }
            AttributeKind::Bool => Self::Bool(
                reader
                    .take(n_items)?
                    .iter()
                    .map(|byte| match byte {
                        0 => Ok(Some(false)),
                        1 => Ok(Some(true)),
                        2 => Ok(None),
                        _ => Err(Error::malformed(WHAT, "a bool is neither 0, 1 nor 2")),
                    })
                    .collect::<Result<_, _>>()?,
            ),
        };
        reader.finish()?;
        Ok(column)
    }
}

/// Writes one value in the form used in texts: its type, u8; then a string, or a count of strings,
/// varint, and the strings, or an f64, an i64 or a u8.
pub(crate) fn put_value(out: &mut Vec<u8>, value: &AttributeValue) {
    out.push(value.kind() as u8);
    match value {
        AttributeValue::String(text) => put_str(out, text),
        AttributeValue::Strings(texts) => {
            put_varint(out, texts.len() as u32);
            texts.iter().for_each(|text| put_str(out, text));
        }
        AttributeValue::Number(number) => out.extend_from_slice(&number.to_le_bytes()),
        AttributeValue::Date(date) => out.extend_from_slice(&date.to_le_bytes()),
        AttributeValue::Bool(truth) => out.push(u8::from(*truth)),
    }
}

/// Reads the output of [`put_value`].
pub(crate) fn read_value(reader: &mut Reader<'_>) -> Result<AttributeValue, Error> {
    let unknown = reader.malformed("the type of a value is unknown");
    Ok(match AttributeKind::of(reader.u8()?).ok_or(unknown)? {
        AttributeKind::String => AttributeValue::String(reader.str()?.into()),
        AttributeKind::Strings => {
            let n = reader.count(1)?;
            let texts = (0..n).map(|_| Ok(reader.str()?.into()));
            AttributeValue::Strings(texts.collect::<Result<_, Error>>()?)
        }
        AttributeKind::Number => {
            let number = f64::from_le_bytes(reader.array()?);
            if number.is_nan() {
                return Err(reader.malformed("a number is NaN"));
            }
            AttributeValue::Number(number)
        }
        AttributeKind::Date => {
            AttributeValue::Date(check_date(i64::from_le_bytes(reader.array()?))?)
        }
        AttributeKind::Bool => match reader.u8()? {
            truth @ 0..=1 => AttributeValue::Bool(truth == 1),
            _ => return Err(reader.malformed("a bool is neither 0 nor 1")),
        },
    })
}

fn check_date(date: i64) -> Result<i64, Error> {
    if (-MAX_DATE..=MAX_DATE).contains(&date) {
        Ok(date)
    } else {
        Err(Error::malformed(WHAT, "a date is beyond 2^53 milliseconds"))
    }
}

fn strings(many: bool, items: &[&[String]]) -> Strings {
    // Numbers of values in the order in which they are first seen.
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let mut values: Vec<&str> = Vec::new();
    let mut ids: Vec<u32> = Vec::with_capacity(items.len());
    let mut last: Option<(&str, u32)> = None;
    for value in items.iter().flat_map(|item| item.iter()) {
        // Sections of a page follow each other, and often have the same value.
        let id = match last {
            Some((text, id)) if text == value => id,
            _ => *seen.entry(value).or_insert_with(|| {
                values.push(value);
                values.len() as u32 - 1
            }),
        };
        last = Some((value, id));
        ids.push(id);
    }
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_unstable_by_key(|&id| values[id as usize]);
    let mut places = vec![0; values.len()];
    let (mut text, mut ends) = (String::new(), Vec::with_capacity(values.len() + 1));
    ends.push(0);
    for (place, &id) in (0..).zip(&order) {
        places[id as usize] = place;
        text.push_str(values[id as usize]);
        ends.push(text.len() as u32);
    }
    let mut offsets = Vec::with_capacity(items.len() + 1);
    offsets.push(0);
    // Each item's places ascend, each once.
    let (mut from, mut kept) = (0, 0);
    for item in items {
        let end = from + item.len();
        let start = kept;
        ids[from..end].iter_mut().for_each(|id| *id = places[*id as usize]);
        ids[from..end].sort_unstable();
        for i in from..end {
            if kept == start || ids[i] != ids[kept - 1] {
                ids[kept] = ids[i];
                kept += 1;
            }
        }
        offsets.push(kept as u32);
        from = end;
    }
    ids.truncate(kept);
    Strings { many, text, ends, offsets, ids }
}

fn read_strings(reader: &mut Reader<'_>, many: bool, n_items: usize) -> Result<Strings, Error> {
    let n_values = reader.count(1)?;
    let mut text = String::new();
    let mut ends = Vec::with_capacity(n_values + 1);
    ends.push(0);
    let mut last = None;
    for _ in 0..n_values {
        let value = reader.str()?;
        if last.is_some_and(|last| value <= last) {
            return Err(reader.malformed("values do not ascend"));
        }
        last = Some(value);
        text.push_str(value);
        ends.push(text.len() as u32);
    }
    reader.fits(n_items, 1)?;
    let mut offsets = Vec::with_capacity(n_items + 1);
    let mut sum = 0u64;
    offsets.push(0);
    for _ in 0..n_items {
        let n = reader.varint()?;
        if n > 1 && !many {
            return Err(
                reader.malformed("an item has several values of an attribute with at most one")
            );
        }
        sum += u64::from(n);
        if sum > reader.remaining() as u64 {
            return Err(Error::Truncated {
                what: WHAT,
                needed: sum,
                left: reader.remaining() as u64,
            });
        }
        offsets.push(sum as u32);
    }
    let mut ids = Vec::with_capacity(sum as usize);
    for pair in offsets.windows(2) {
        let mut next = 0u64;
        for _ in pair[0]..pair[1] {
            let id = next + u64::from(reader.varint()?);
            if id >= n_values as u64 {
                return Err(reader.malformed("the id of a value is beyond the last"));
            }
            ids.push(id as u32);
            next = id + 1;
        }
    }
    Ok(Strings { many, text, ends, offsets, ids })
}

/// Returns a number that can be stored as a difference: whole, within [`MAX_WHOLE`], and not
/// negative zero.
fn whole(value: f64) -> Option<i32> {
    let whole = value as i32;
    (f64::from(whole).to_bits() == value.to_bits() && (-MAX_WHOLE..=MAX_WHOLE).contains(&whole))
        .then_some(whole)
}

fn read_whole(reader: &mut Reader<'_>, n_items: usize) -> Result<Vec<f64>, Error> {
    reader.fits(n_items, 1)?;
    let mut before = 0i32;
    let mut values = Vec::with_capacity(n_items);
    for _ in 0..n_items {
        values.push(match reader.varint()?.checked_sub(1) {
            None => f64::NAN,
            Some(distance) => {
                before = before.wrapping_add(unzigzag(distance));
                if !(-MAX_WHOLE..=MAX_WHOLE).contains(&before) {
                    return Err(reader.malformed("a whole number is beyond 2^29"));
                }
                f64::from(before)
            }
        });
    }
    Ok(values)
}

fn read_present<T>(
    reader: &mut Reader<'_>,
    n_items: usize,
    decode: fn([u8; 8]) -> T,
) -> Result<Vec<Option<T>>, Error> {
    let present = reader.take(n_items)?;
    let mut values = Vec::with_capacity(n_items);
    for &byte in present {
        values.push(match byte {
            0 => None,
            1 => Some(decode(reader.array()?)),
            _ => return Err(reader.malformed("a presence byte is neither 0 nor 1")),
        });
    }
    Ok(values)
}

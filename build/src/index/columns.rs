//! Attributes: one type for each name, one column for each attribute.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use findling_bundle::limits::MAX_NAME_LEN;
use findling_bundle::{AttributeKind, AttributeValue, Column, Error, PageId};
use findling_engine::{BOOST, COPY};

use crate::page::Page;

/// An attribute of the corpus with its uncompressed column.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The name that filters use.
    pub name: String,
    /// The type that can represent every page's value.
    pub kind: AttributeKind,
    /// Whether it is a facet: a page marks it for more than sorting, or it has a useful number of
    /// values.
    pub facet: bool,
    /// Every page's value.
    pub column: Column,
}

/// Numbers of values with which an unmarked attribute becomes a facet. A single value narrows
/// nothing. Nobody reads a list of hundreds, and every search would fetch the column to count them.
const FEW: std::ops::RangeInclusive<usize> = 2..=100;

/// Builds the columns, sorted by name. Calls `warn` for attributes whose values have several types.
pub fn build(pages: &[Page], warn: &mut dyn FnMut(String)) -> Result<Vec<Built>, Error> {
    let mut kinds: BTreeMap<&str, BTreeSet<u8>> = BTreeMap::new();
    let (mut facets, mut unmarked) = (BTreeSet::<&str>::new(), BTreeSet::<&str>::new());
    let sort_only: BTreeSet<&str> =
        pages.iter().flat_map(|page| &page.sort_only).map(String::as_str).collect();
    for page in pages {
        for (name, value) in &page.attributes {
            kinds.entry(name).or_default().insert(value.kind() as u8);
            if !page.sort_only.contains(name) && ![BOOST, COPY].contains(&name.as_str()) {
                if page.unmarked { &mut unmarked } else { &mut facets }.insert(name);
            }
        }
    }
    let mut built = Vec::with_capacity(kinds.len());
    for (name, seen) in kinds {
        if name.is_empty() || name.len() > MAX_NAME_LEN {
            warn(format!(
                "an attribute is left out: expected a name of 1 to {MAX_NAME_LEN} bytes, found {}",
                name.len()
            ));
            continue;
        }
        let (common, mixed) = common_kind(&seen);
        if mixed {
            warn(format!(
                "attribute `{name}` has values of several types, so all become strings; use one \
                 type on all pages to filter by range"
            ));
        }
        let values: Vec<Option<Cow<'_, AttributeValue>>> = pages
            .iter()
            .map(|page| page.attributes.get(name).map(|value| convert(value, common)))
            .collect();
        let column = Column::build(common, values.iter().map(Option::as_deref))?;
        // A mark on a page has precedence.
        let by_itself = unmarked.contains(name) && !sort_only.contains(name);
        let facet = facets.contains(name) || by_itself && FEW.contains(&n_values(&column));
        built.push(Built { name: name.to_owned(), kind: common, facet, column });
    }
    Ok(built)
}

/// Distinct values.
fn n_values(column: &Column) -> usize {
    match column {
        Column::Strings(strings) => strings.n_values() as usize,
        other => {
            let numbers = (0..other.n_pages()).filter_map(|page| other.number(PageId(page)));
            // -0.0 and 0.0 are one value.
            numbers.map(|number| (number + 0.0).to_bits()).collect::<BTreeSet<u64>>().len()
        }
    }
}

/// The type that can represent all values, and whether some must become strings.
fn common_kind(seen: &BTreeSet<u8>) -> (AttributeKind, bool) {
    let has = |kind: AttributeKind| seen.contains(&(kind as u8));
    let typed = [AttributeKind::Number, AttributeKind::Date, AttributeKind::Bool];
    if let Some(&only) = typed.iter().find(|&&kind| has(kind))
        && seen.len() == 1
    {
        return (only, false);
    }
    let kind =
        if has(AttributeKind::Strings) { AttributeKind::Strings } else { AttributeKind::String };
    (kind, typed.into_iter().any(has))
}

fn convert(value: &AttributeValue, to: AttributeKind) -> Cow<'_, AttributeValue> {
    if value.kind() == to
        || (to == AttributeKind::Strings && matches!(value, AttributeValue::String(_)))
    {
        return Cow::Borrowed(value);
    }
    let text = match value {
        AttributeValue::Number(number) => number.to_string(),
        AttributeValue::Date(millis) => jiff::Timestamp::from_millisecond(*millis)
            .map_or_else(|_| millis.to_string(), |timestamp| timestamp.to_string()),
        AttributeValue::Bool(truth) => truth.to_string(),
        AttributeValue::String(_) | AttributeValue::Strings(_) => return Cow::Borrowed(value),
    };
    Cow::Owned(AttributeValue::String(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(attributes: &[(&str, AttributeValue)], sort_only: &[&str]) -> Page {
        Page {
            attributes: attributes
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
            sort_only: sort_only.iter().map(|name| (*name).to_owned()).collect(),
            ..Page::default()
        }
    }

    #[test]
    fn one_type_for_each_name() {
        let string = |s: &str| AttributeValue::String(s.to_owned());
        let pages = [
            page(
                &[
                    ("a", string("x")),
                    ("n", AttributeValue::Number(2.0)),
                    ("m", AttributeValue::Number(1.5)),
                ],
                &["n"],
            ),
            page(
                &[
                    ("a", AttributeValue::Strings(vec!["x".into(), "y".into()])),
                    ("m", string("one")),
                    ("n", AttributeValue::Number(1.0)),
                ],
                &["n"],
            ),
            page(&[("m", AttributeValue::Date(0))], &[]),
        ];
        let mut warnings = Vec::new();
        let built = build(&pages, &mut |warning| warnings.push(warning)).unwrap();
        let summary: Vec<_> = built.iter().map(|b| (b.name.as_str(), b.kind, b.facet)).collect();
        assert_eq!(
            summary,
            [
                ("a", AttributeKind::Strings, true),
                ("m", AttributeKind::String, true),
                ("n", AttributeKind::Number, false)
            ]
        );
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains("`m`"));
        let m = &built[1].column;
        assert_eq!(m.value(PageId(0)), Some(string("1.5")));
        assert_eq!(m.value(PageId(2)), Some(string("1970-01-01T00:00:00Z")));
    }

    #[test]
    fn what_nobody_marked_is_a_filter_where_it_has_a_few_values() {
        let string = |s: &str| AttributeValue::String(s.to_owned());
        let pages: Vec<Page> = (0..300)
            .map(|i| {
                let of = |n: u32| string(&(i % n).to_string());
                let number = AttributeValue::Number(f64::from(i % 3));
                let values =
                    [("one", of(1)), ("few", of(7)), ("many", of(200)), ("number", number)];
                Page { unmarked: i > 0, ..page(&values[..if i == 0 { 0 } else { 4 }], &[]) }
            })
            .collect();
        let facets = |pages: &[Page]| -> Vec<String> {
            let built = build(pages, &mut |_| ()).unwrap();
            built.into_iter().filter(|built| built.facet).map(|built| built.name).collect()
        };
        assert_eq!(facets(&pages), ["few", "number"]);
        let marked = page(&[("many", string("x")), ("one", string("0"))], &["one"]);
        assert_eq!(facets(&[&pages[..], &[marked]].concat()), ["few", "many", "number"]);
    }
}

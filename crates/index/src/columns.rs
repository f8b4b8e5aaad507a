//! Attributes: one type for each name, one column for each attribute.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use findling_bundle::limits::MAX_NAME_LEN;
use findling_bundle::{AttributeKind, AttributeLevel, AttributeValue, Column, Error};
use findling_engine::{BOOST, COPY};
use rayon::prelude::*;

use super::chunks::Chunks;
use findling_page::page::Page;

/// An attribute of the corpus with its uncompressed column.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The name that filters use.
    pub name: String,
    /// The type that can represent every value.
    pub kind: AttributeKind,
    /// Sections, if any section has a value of its own.
    pub level: AttributeLevel,
    /// Whether it is a facet: a page marks it for more than sorting, or it has a useful number of
    /// values.
    pub facet: bool,
    /// The value of every page or section.
    pub column: Column,
}

impl Built {
    /// Returns a page's or section's own value, as results show it.
    pub fn own_value(&self, own: &BTreeMap<String, AttributeValue>) -> Option<AttributeValue> {
        match convert(own.get(&self.name)?, self.kind).into_owned() {
            AttributeValue::String(text) if self.kind == AttributeKind::Strings => {
                Some(AttributeValue::Strings(vec![text]))
            }
            AttributeValue::Strings(mut texts) => {
                texts.sort_unstable();
                texts.dedup();
                (!texts.is_empty()).then_some(AttributeValue::Strings(texts))
            }
            value => Some(value),
        }
    }
}

/// Numbers of values with which an unmarked attribute becomes a facet. A single value cannot narrow
/// a search. Nobody reads a list of hundreds of values, and every search would fetch the column to
/// count them.
const FEW: std::ops::RangeInclusive<usize> = 2..=100;

/// Maximum number of stored bytes of the columns of facets, all together. Every first query fetches
/// them, since the search box counts all facets.
const MAX_FACET_BYTES: usize = 128 << 10;

/// Keeps only the attributes with the shortest columns as facets, up to [`MAX_FACET_BYTES`] in all.
/// `lens` are the stored bytes of the columns. Calls `warn` for the others: they are counted if a
/// request names them.
pub fn limit_facets(built: &mut [Built], lens: &[usize], warn: &mut dyn FnMut(String)) {
    let mut facets: Vec<(usize, &mut Built)> =
        lens.iter().copied().zip(built).filter(|(_, built)| built.facet).collect();
    facets.sort_by_key(|(len, _)| *len);
    let mut sum = 0;
    for (len, built) in facets {
        sum += len;
        if sum <= MAX_FACET_BYTES {
            continue;
        }
        built.facet = false;
        warn(format!(
            "attribute `{}` is not counted by itself: expected columns of at most {} kB for all \
             counted attributes, since each reader fetches them, found {} kB for this one; name it \
             where it is to be counted (<findling-search facets=\"{0}\">)",
            built.name,
            MAX_FACET_BYTES / 1000,
            len / 1000
        ));
    }
}

/// Facts about an attribute, collected from pages and sections.
#[derive(Default)]
struct Said {
    kinds: BTreeSet<u8>,
    /// Whether a page marks it for more than sorting.
    marked: bool,
    /// Whether a page has it only for sorting.
    sort_only: bool,
    /// Whether it occurs in a page or a section that does not say whether it is a facet.
    unmarked: bool,
    of_sections: bool,
}

/// Builds the columns, sorted by name. A section without a value of its own has its page's. Calls
/// `warn` for attributes whose values have several types.
pub fn build(
    pages: &[Page],
    chunks: &Chunks,
    warn: &mut dyn FnMut(String),
) -> Result<Vec<Built>, Error> {
    let mut wanted = Vec::new();
    for (name, said) in said(pages, chunks) {
        if name.is_empty() || name.len() > MAX_NAME_LEN {
            warn(format!(
                "an attribute is left out: expected a name of 1 to {MAX_NAME_LEN} bytes, found {}",
                name.len()
            ));
            continue;
        }
        let (kind, mixed) = common_kind(&said.kinds);
        if mixed {
            warn(format!(
                "attribute `{name}` has values of several types, so all become strings; use one \
                 type everywhere to filter by range"
            ));
        }
        wanted.push((name, said, kind, mixed));
    }
    let built = wanted.into_par_iter().map(|(name, said, kind, mixed)| {
        let values = values(name, said.of_sections, pages, chunks);
        let column = match mixed {
            false => Column::build(kind, values)?,
            true => {
                let converted = values.map(|value| value.map(|value| convert(value, kind)));
                let converted: Vec<Option<Cow<'_, AttributeValue>>> = converted.collect();
                Column::build(kind, converted.iter().map(Option::as_deref))?
            }
        };
        // A page's mark takes precedence.
        let by_itself = said.unmarked && !said.sort_only && FEW.contains(&n_values(&column));
        let level = if said.of_sections { AttributeLevel::Section } else { AttributeLevel::Page };
        let facet = said.marked || by_itself;
        Ok(Built { name: name.to_owned(), kind, level, facet, column })
    });
    built.collect()
}

/// Returns the value of an attribute of each page, or of each section. A section without a value of
/// its own has its page's.
fn values<'a>(
    name: &'a str,
    of_sections: bool,
    pages: &'a [Page],
    chunks: &'a Chunks,
) -> Box<dyn Iterator<Item = Option<&'a AttributeValue>> + 'a> {
    let of_page = pages.iter().map(move |page| page.attributes.get(name));
    if !of_sections {
        return Box::new(of_page);
    }
    Box::new(of_page.enumerate().flat_map(move |(page, of_page)| {
        chunks.attributes(page).map(move |own| own.get(name).or(of_page))
    }))
}

fn said<'a>(pages: &'a [Page], chunks: &'a Chunks) -> BTreeMap<&'a str, Said> {
    let mut said: BTreeMap<&str, Said> = BTreeMap::new();
    // Such attributes order pages.
    let of_pages = |name: &str| [BOOST, COPY].contains(&name);
    for page in pages {
        for name in &page.sort_only {
            said.entry(name).or_default().sort_only = true;
        }
        for (name, value) in &page.attributes {
            let said = said.entry(name).or_default();
            said.kinds.insert(value.kind() as u8);
            if !page.sort_only.contains(name) && !of_pages(name) {
                *if page.unmarked { &mut said.unmarked } else { &mut said.marked } = true;
            }
        }
    }
    for own in (0..chunks.n_pages()).flat_map(|page| chunks.attributes(page)) {
        for (name, value) in own.iter().filter(|(name, _)| !of_pages(name)) {
            let said = said.entry(name).or_default();
            said.kinds.insert(value.kind() as u8);
            said.unmarked = true;
            said.of_sections = true;
        }
    }
    said.retain(|_, said| !said.kinds.is_empty());
    said
}

/// Returns the number of distinct values.
fn n_values(column: &Column) -> usize {
    match column {
        Column::Strings(strings) => strings.n_values() as usize,
        other => {
            let numbers = (0..other.n_items()).filter_map(|item| other.number(item));
            // -0.0 and 0.0 are one value.
            numbers.map(|number| (number + 0.0).to_bits()).collect::<BTreeSet<u64>>().len()
        }
    }
}

/// Returns the type that can represent all values, and whether some must become strings.
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
    use findling_page::chunk::{ChunkedPage, ChunkedSection};

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
        let built =
            build(&pages, &Chunks::default(), &mut |warning| warnings.push(warning)).unwrap();
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
        assert_eq!(m.value(0), Some(string("1.5")));
        assert_eq!(m.value(2), Some(string("1970-01-01T00:00:00Z")));
    }

    #[test]
    fn the_shortest_columns_are_facets_as_far_as_readers_can_fetch_them() {
        let facets = |lens: [usize; 4]| {
            let built = |name: &str| Built {
                name: name.to_owned(),
                kind: AttributeKind::Bool,
                level: AttributeLevel::Page,
                facet: name != "d",
                column: Column::build(AttributeKind::Bool, std::iter::empty()).unwrap(),
            };
            let mut all = ["a", "b", "c", "d"].map(built);
            let mut n_told = 0;
            limit_facets(&mut all, &lens, &mut |_| n_told += 1);
            let facets = all.iter().filter(|built| built.facet);
            (facets.map(|built| &*built.name).collect::<String>(), n_told)
        };
        let most = MAX_FACET_BYTES;
        assert_eq!(facets([10, most - 30, 20, 10 * most]), ("abc".to_owned(), 0));
        assert_eq!(facets([10, most - 29, 20, 10]), ("ac".to_owned(), 1));
        assert_eq!(facets([most + 1, most + 2, 5, 10]), ("c".to_owned(), 2));
    }

    #[test]
    fn a_section_without_a_value_of_its_own_has_its_pages() {
        let string = |s: &str| AttributeValue::String(s.to_owned());
        let section = |attributes: &[(&str, AttributeValue)]| ChunkedSection {
            attributes: page(attributes, &[]).attributes,
            ..ChunkedSection::default()
        };
        let pages = [
            page(&[("role", string("all")), ("year", AttributeValue::Number(1.0))], &[]),
            page(&[("search_boost", AttributeValue::Number(2.0))], &[]),
        ];
        let boost = ("search_boost", AttributeValue::Number(3.0));
        let chunks = [
            ChunkedPage {
                sections: vec![section(&[("role", string("user")), boost]), section(&[])],
            },
            ChunkedPage { sections: vec![section(&[]), section(&[("line", string("7"))])] },
        ];
        let built =
            build(&pages, &Chunks::from(chunks.to_vec()), &mut |warning| panic!("{warning}"))
                .unwrap();
        let told: Vec<_> = built.iter().map(|b| (&*b.name, b.level, b.facet)).collect();
        use AttributeLevel::{Page, Section};
        let expected = [
            ("line", Section, false),
            ("role", Section, true),
            ("search_boost", Page, false),
            ("year", Page, true),
        ];
        assert_eq!(told, expected);
        let values: Vec<_> = (0..4).map(|item| built[1].column.value(item)).collect();
        assert_eq!(values, [Some(string("user")), Some(string("all")), None, None]);
        assert_eq!(built[1].own_value(&chunks[0].sections[1].attributes), None);
        assert_eq!(built[2].column.value(1), Some(AttributeValue::Number(2.0)));
    }

    #[test]
    fn unmarked_attributes_with_few_values_are_facets() {
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
            let built = build(pages, &Chunks::default(), &mut |_| ()).unwrap();
            built.into_iter().filter(|built| built.facet).map(|built| built.name).collect()
        };
        assert_eq!(facets(&pages), ["few", "number"]);
        let marked = page(&[("many", string("x")), ("one", string("0"))], &["one"]);
        assert_eq!(facets(&[&pages[..], &[marked]].concat()), ["few", "many", "number"]);
    }
}

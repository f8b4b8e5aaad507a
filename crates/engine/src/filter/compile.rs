//! Compilation of a condition to the sections that meet it.

use findling_bundle::column::Strings;
use findling_bundle::{
    Attribute, AttributeKind, AttributeLevel, Column, PageId, ShardId, Structure, order,
};

use super::unknown_value::{Unknown, unknown_value, unmet};
use super::{Bound, Condition, FilterError, Predicate, Test, date, number};
use crate::api::{Error, Notice};
use crate::bitset::Bitset;
use crate::messages::quote;

/// The sections that meet a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Matched {
    /// A set over all sections.
    pub sections: Bitset,
    /// Notices about strings that no page or section has.
    pub notices: Vec<Notice>,
}

impl Condition {
    /// Returns the shards of the columns it reads, ascending. Checks names and, as far as types
    /// tell, operators and values, so that an invalid filter is refused before anything is fetched.
    ///
    /// # Errors
    /// [`Error::UnknownAttribute`]; [`Error::Filter`] if an attribute's type does not allow a test
    /// or a value.
    pub fn shards(&self, attributes: &[Attribute]) -> Result<Vec<ShardId>, Error> {
        let mut shards = Vec::new();
        for test in self.tests() {
            let attribute = find(attributes, &test.attribute)?;
            Check::new(test, attribute.kind)?;
            shards.push(attribute.column);
        }
        order::sort(&mut shards);
        shards.dedup();
        Ok(shards)
    }

    /// Returns the first test that its attribute's type does not allow; also `None` if there is no
    /// such attribute.
    pub(super) fn mismatch<'a>(
        &self,
        attributes: &'a [Attribute],
    ) -> Option<(&'a Attribute, FilterError)> {
        self.tests().into_iter().find_map(|test| {
            let attribute = attributes.iter().find(|attribute| attribute.name == test.attribute)?;
            Some((attribute, Check::new(test, attribute.kind).err()?))
        })
    }

    /// Returns the sections that meet the condition. An attribute of pages holds for all sections
    /// of a page. `column` gives the column of a shard that [`Condition::shards`] names. Takes
    /// O(pages) for each test, or O(sections) if any attribute is of sections.
    ///
    /// # Errors
    /// The errors of [`Condition::shards`]; [`Error::Inconsistent`] if `column` returns none or one
    /// of another type.
    pub fn evaluate<'a>(
        &self,
        attributes: &[Attribute],
        structure: &Structure,
        column: impl Fn(ShardId) -> Option<&'a Column>,
    ) -> Result<Matched, Error> {
        let of_sections = |test: &&Test| {
            let attribute = attributes.iter().find(|attribute| attribute.name == test.attribute);
            attribute.is_some_and(|attribute| attribute.level == AttributeLevel::Section)
        };
        let level = match self.tests().iter().any(of_sections) {
            true => AttributeLevel::Section,
            false => AttributeLevel::Page,
        };
        let mut run = Run { attributes, structure, level, column, notices: Vec::new() };
        let items = run.condition(self)?;
        let sections = match level {
            AttributeLevel::Page => sections_of(&items, structure),
            AttributeLevel::Section => items,
        };
        Ok(Matched { sections, notices: run.notices })
    }
}

/// Returns the sections of pages.
fn sections_of(pages: &Bitset, structure: &Structure) -> Bitset {
    let mut sections = Bitset::none(structure.n_sections());
    for page in pages.iter() {
        let range = structure.sections(PageId(page));
        sections.insert_range(range.start, range.end);
    }
    sections
}

/// Returns an attribute by name.
///
/// # Errors
/// [`Error::UnknownAttribute`], which names the existing ones.
pub(crate) fn find<'a>(attributes: &'a [Attribute], name: &str) -> Result<&'a Attribute, Error> {
    attributes.iter().find(|attribute| attribute.name == name).ok_or_else(|| {
        Error::UnknownAttribute {
            name: name.to_owned(),
            known: attributes.iter().map(|attribute| attribute.name.clone()).collect(),
        }
    })
}

/// A test, interpreted by its attribute's type.
enum Check<'a> {
    /// The string has one of these ids.
    Strings(&'a [String]),
    /// The string has this part, in lower case.
    Contains(String),
    /// The number (or the date, or 0 or 1) lies in one of these ranges, ends included.
    Within(Vec<(f64, f64)>),
}

impl<'a> Check<'a> {
    fn new(test: &'a Test, kind: AttributeKind) -> Result<Self, FilterError> {
        let refuse = |expected: &str, found: String, remedy: &str| {
            let position = format!("`{}`", test.attribute);
            Err(FilterError { position, expected: expected.into(), found, remedy: remedy.into() })
        };
        let strings = matches!(kind, AttributeKind::String | AttributeKind::Strings);
        match &test.predicate {
            Predicate::In(values) if strings => Ok(Self::Strings(values)),
            Predicate::Contains(part) if strings => Ok(Self::Contains(part.to_lowercase())),
            Predicate::Contains(_) => refuse(
                "an operator for a number, a date or a truth value",
                "`contains`".into(),
                "use eq, ne or in, or gt, gte, lt and lte for numbers and dates",
            ),
            Predicate::Compare(bound, _) if strings || kind == AttributeKind::Bool => refuse(
                "an operator for strings or truth values, which have no order",
                format!("`{}`", bound.name()),
                "use eq, ne, in or contains, or declare the attribute as a number or date when \
                 building",
            ),
            Predicate::Compare(bound, value) => match span(kind, value) {
                // A date means its whole day, month or year. A later time is after the end of this
                // period.
                Some((start, end)) => Ok(Self::Within(vec![match bound {
                    Bound::Gt => (next_up(end), f64::INFINITY),
                    Bound::Gte => (start, f64::INFINITY),
                    Bound::Lt => (f64::NEG_INFINITY, next_down(start)),
                    Bound::Lte => (f64::NEG_INFINITY, end),
                }])),
                None => refuse(expected(kind).0, quote(value), expected(kind).1),
            },
            Predicate::In(values) => {
                let mut spans = Vec::with_capacity(values.len());
                for value in values {
                    match span(kind, value) {
                        Some(span) => spans.push(span),
                        None => return refuse(expected(kind).0, quote(value), expected(kind).1),
                    }
                }
                Ok(Self::Within(spans))
            }
        }
    }
}

/// Returns the form of a value of a type, and the remedy for other forms.
fn expected(kind: AttributeKind) -> (&'static str, &'static str) {
    match kind {
        AttributeKind::Number => {
            ("a number", "write it with a point and without separators, such as 1234.5")
        }
        AttributeKind::Date => (
            "a date",
            "write it in ISO 8601, such as 2024, 2024-05, 2024-05-17 or 2024-05-17T10:20:30Z",
        ),
        AttributeKind::Bool => ("true or false", "write one of these"),
        AttributeKind::String | AttributeKind::Strings => ("a string", "write one"),
    }
}

/// Returns the first and last number that a value covers. `None` if it is not of its type.
fn span(kind: AttributeKind, value: &str) -> Option<(f64, f64)> {
    let value = value.trim();
    match kind {
        AttributeKind::Number => number::parse(value).map(|number| (number, number)),
        AttributeKind::Date => {
            date::parse(value).map(|span| (span.start as f64, (span.end - 1) as f64))
        }
        AttributeKind::Bool => {
            let truth = ["true", "1", "yes"].iter().any(|word| value.eq_ignore_ascii_case(word));
            let falsehood =
                ["false", "0", "no"].iter().any(|word| value.eq_ignore_ascii_case(word));
            (truth || falsehood).then_some(if truth { (1.0, 1.0) } else { (0.0, 0.0) })
        }
        AttributeKind::String | AttributeKind::Strings => None,
    }
}

/// Returns the next number above; nothing lies above infinity.
fn next_up(x: f64) -> f64 {
    if x == f64::INFINITY { f64::NAN } else { x.next_up() }
}

/// Returns the next number below; nothing lies below minus infinity.
fn next_down(x: f64) -> f64 {
    if x == f64::NEG_INFINITY { f64::NAN } else { x.next_down() }
}

/// One evaluation, over sets of all pages, or of all sections.
struct Run<'b, F> {
    attributes: &'b [Attribute],
    structure: &'b Structure,
    level: AttributeLevel,
    column: F,
    notices: Vec<Notice>,
}

impl<'a, F: Fn(ShardId) -> Option<&'a Column>> Run<'_, F> {
    fn count(&self, level: AttributeLevel) -> u32 {
        match level {
            AttributeLevel::Page => self.structure.n_pages(),
            AttributeLevel::Section => self.structure.n_sections(),
        }
    }

    fn condition(&mut self, condition: &Condition) -> Result<Bitset, Error> {
        Ok(match condition {
            Condition::All(parts) => {
                let mut all = Bitset::all(self.count(self.level));
                for part in parts {
                    all.and(&self.condition(part)?);
                }
                all
            }
            Condition::Any(parts) => {
                let mut any = Bitset::none(self.count(self.level));
                for part in parts {
                    any.or(&self.condition(part)?);
                }
                any
            }
            Condition::Not(inner) => {
                let mut not = self.condition(inner)?;
                not.negate();
                not
            }
            Condition::Test(test) => self.test(test)?,
        })
    }

    fn test(&mut self, test: &Test) -> Result<Bitset, Error> {
        let attribute = find(self.attributes, &test.attribute)?;
        let check = Check::new(test, attribute.kind)?;
        let n_items = self.count(attribute.level);
        let column = (self.column)(attribute.column)
            .filter(|column| column.kind() == attribute.kind && column.n_items() == n_items)
            .ok_or_else(|| {
                Error::inconsistent(format!(
                    "the column of `{}` is not the one listed",
                    attribute.name
                ))
            })?;
        let mut items = Bitset::none(n_items);
        match (check, column) {
            (Check::Within(spans), column) => {
                for item in 0..n_items {
                    if let Some(number) = column.number(item)
                        && spans.iter().any(|&(from, to)| from <= number && number <= to)
                    {
                        items.insert(item);
                    }
                }
                if items.is_empty() {
                    self.notices.push(unmet(attribute, column));
                }
            }
            (Check::Contains(part), Column::Strings(strings)) => {
                let mut wanted = Bitset::none(strings.n_values());
                for id in (0..strings.n_values())
                    .filter(|&id| strings.value(id).to_lowercase().contains(&part))
                {
                    wanted.insert(id);
                }
                if wanted.is_empty() {
                    self.notices.push(unknown_value(attribute, &part, strings));
                }
                mark(strings, &wanted, &mut items);
            }
            (Check::Strings(values), Column::Strings(strings)) => {
                let mut wanted = Bitset::none(strings.n_values());
                for value in values {
                    if !want(strings, value, &mut wanted) {
                        self.notices.push(unknown_value(attribute, value, strings));
                    }
                }
                mark(strings, &wanted, &mut items);
            }
            // The kinds were compared above.
            _ => {}
        }
        Ok(match (attribute.level, self.level) {
            (AttributeLevel::Page, AttributeLevel::Section) => sections_of(&items, self.structure),
            _ => items,
        })
    }
}

/// Returns the strings in tests that no page or section has, for attributes whose columns are in
/// memory.
pub(crate) fn unknown_values<'a>(
    condition: &Condition,
    attributes: &[Attribute],
    column: impl Fn(ShardId) -> Option<&'a Column>,
) -> Vec<Unknown> {
    let mut unknown = Vec::new();
    for test in condition.tests() {
        let attribute = attributes.iter().find(|attribute| attribute.name == test.attribute);
        let (Some(Column::Strings(strings)), Predicate::In(values)) =
            (attribute.and_then(|attribute| column(attribute.column)), &test.predicate)
        else {
            continue;
        };
        let is_unknown =
            |value: &&String| !want(strings, value, &mut Bitset::none(strings.n_values()));
        unknown.extend(
            values.iter().filter(is_unknown).map(|v| Unknown::new(&test.attribute, v, strings)),
        );
    }
    unknown
}

/// Inserts the id of a value into `wanted`. If there is none, inserts the values that differ only
/// in case, or else the values that differ only in case and punctuation: `getting started` for
/// `Getting-Started`. Returns whether there are any.
fn want(strings: &Strings, value: &str, wanted: &mut Bitset) -> bool {
    if let Some(id) = strings.find(value) {
        wanted.insert(id);
        return true;
    }
    let lower = value.to_lowercase();
    let has_letters = lower.contains(char::is_alphanumeric);
    let mut found = false;
    for by_letters in [false, true] {
        for id in 0..strings.n_values() {
            let other = strings.value(id).to_lowercase();
            let kept = |c: &char| !by_letters || c.is_alphanumeric();
            if other.chars().filter(kept).eq(lower.chars().filter(kept)) {
                wanted.insert(id);
                found = true;
            }
        }
        if found || !has_letters {
            break;
        }
    }
    found
}

/// Inserts the items that have one of the wanted values.
fn mark(strings: &Strings, wanted: &Bitset, items: &mut Bitset) {
    if wanted.is_empty() {
        return;
    }
    for item in 0..items.len() {
        if strings.ids(item).iter().any(|&id| wanted.contains(id)) {
            items.insert(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use findling_bundle::AttributeValue;
    use findling_bundle::structure::StructureBuilder;
    use proptest::prelude::*;

    use super::*;
    use crate::filter::parse;

    type Page = BTreeMap<&'static str, AttributeValue>;

    const KINDS: [(&str, AttributeKind); 5] = [
        ("date", AttributeKind::Date),
        ("draft", AttributeKind::Bool),
        ("lang", AttributeKind::String),
        ("tags", AttributeKind::Strings),
        ("year", AttributeKind::Number),
    ];

    /// Attributes, some of them of sections, and their columns.
    struct Bundle {
        attributes: Vec<Attribute>,
        columns: Vec<Column>,
        structure: Structure,
    }

    impl Bundle {
        /// Returns pages of one section.
        fn new(pages: &[Page]) -> Self {
            let sections: Vec<Vec<Page>> = pages.iter().map(|_| vec![Page::new()]).collect();
            Self::with_sections(pages, &sections, &[])
        }

        /// Returns pages and their sections. `of_sections`: the names of attributes that sections
        /// have; a section without a value has its page's.
        fn with_sections(pages: &[Page], sections: &[Vec<Page>], of_sections: &[&str]) -> Self {
            let mut structure = StructureBuilder::default();
            for sections in sections {
                structure.page();
                sections.iter().for_each(|_| _ = structure.section(1));
            }
            let level = |name: &str| match of_sections.contains(&name) {
                true => AttributeLevel::Section,
                false => AttributeLevel::Page,
            };
            let attribute = |(i, &(name, kind)): (usize, &(&str, AttributeKind))| Attribute {
                name: name.into(),
                kind,
                level: level(name),
                column: ShardId(i as u32),
                facet: true,
            };
            let column = |&(name, kind): &(&str, AttributeKind)| {
                let values: Vec<Option<&AttributeValue>> = match level(name) {
                    AttributeLevel::Page => pages.iter().map(|page| page.get(name)).collect(),
                    AttributeLevel::Section => pages
                        .iter()
                        .zip(sections)
                        .flat_map(|(page, sections)| {
                            sections.iter().map(move |own| own.get(name).or(page.get(name)))
                        })
                        .collect(),
                };
                Column::build(kind, values).expect("values of the kind")
            };
            Self {
                attributes: KINDS.iter().enumerate().map(attribute).collect(),
                columns: KINDS.iter().map(column).collect(),
                structure: structure.finish(),
            }
        }

        fn evaluate(&self, condition: &Condition) -> Result<Matched, Error> {
            let column = |shard: ShardId| self.columns.get(shard.index());
            condition.evaluate(&self.attributes, &self.structure, column)
        }
    }

    /// Evaluates the condition in the slow and obvious way: item by item, value by value.
    fn naive(condition: &Condition, page: &Page, pages: &[Page]) -> bool {
        match condition {
            Condition::All(parts) => parts.iter().all(|part| naive(part, page, pages)),
            Condition::Any(parts) => parts.iter().any(|part| naive(part, page, pages)),
            Condition::Not(inner) => !naive(inner, page, pages),
            Condition::Test(test) => {
                let strings = |page: &Page| match page.get(test.attribute.as_str()) {
                    Some(AttributeValue::String(text)) => vec![text.clone()],
                    Some(AttributeValue::Strings(texts)) => texts.clone(),
                    _ => vec![],
                };
                match (&test.predicate, page.get(test.attribute.as_str())) {
                    (_, None) => false,
                    (Predicate::In(values), Some(AttributeValue::Number(n))) => {
                        values.iter().any(|v| v.parse() == Ok(*n))
                    }
                    (Predicate::In(values), Some(AttributeValue::Bool(b))) => {
                        values.iter().any(|v| v.parse() == Ok(*b))
                    }
                    (Predicate::In(values), Some(AttributeValue::Date(d))) => {
                        values.iter().any(|v| {
                            let span = date::parse(v).expect("a date");
                            (span.start..span.end).contains(d)
                        })
                    }
                    (Predicate::In(values), Some(_)) => values.iter().any(|value| {
                        let known = pages.iter().any(|page| strings(page).contains(value));
                        let same = |s: &String| {
                            if known {
                                s == value
                            } else {
                                s.to_lowercase() == value.to_lowercase()
                            }
                        };
                        strings(page).iter().any(same)
                    }),
                    (Predicate::Contains(part), _) => strings(page)
                        .iter()
                        .any(|s| s.to_lowercase().contains(&part.to_lowercase())),
                    (Predicate::Compare(bound, value), Some(AttributeValue::Number(n))) => {
                        let value: f64 = value.parse().expect("a number");
                        match bound {
                            Bound::Gt => *n > value,
                            Bound::Gte => *n >= value,
                            Bound::Lt => *n < value,
                            Bound::Lte => *n <= value,
                        }
                    }
                    (Predicate::Compare(bound, value), Some(AttributeValue::Date(d))) => {
                        let span = date::parse(value).expect("a date");
                        match bound {
                            Bound::Gt => *d >= span.end,
                            Bound::Gte => *d >= span.start,
                            Bound::Lt => *d < span.start,
                            Bound::Lte => *d < span.end,
                        }
                    }
                    (Predicate::Compare(..), Some(_)) => unreachable!("not made"),
                }
            }
        }
    }

    const WORDS: [&str; 6] = ["en", "EN", "de", "Deutsch", "", "fr"];
    const NUMBERS: [&str; 5] = ["0", "-1.5", "2020", "2021.25", "inf"];
    const DATES: [&str; 6] = [
        "2023",
        "2023-12",
        "2023-12-31",
        "2023-12-31T23:59:59.999Z",
        "2024-01-01T00:00Z",
        "1704067200000",
    ];

    fn page() -> impl Strategy<Value = Page> {
        let word = || prop::sample::select(&WORDS[..5]).prop_map(str::to_owned);
        let date = prop::sample::select(&DATES[..])
            .prop_map(|text| date::parse(text).expect("a date").start);
        let page = (
            prop::option::of(date.prop_map(AttributeValue::Date)),
            prop::option::of(any::<bool>().prop_map(AttributeValue::Bool)),
            prop::option::of(word().prop_map(AttributeValue::String)),
            prop::option::of(
                prop::collection::btree_set(word(), 1..3)
                    .prop_map(|s| AttributeValue::Strings(s.into_iter().collect())),
            ),
            prop::option::of(
                prop::sample::select(&NUMBERS[..])
                    .prop_map(|n| AttributeValue::Number(n.parse().expect("a number"))),
            ),
        );
        page.prop_map(|(date, draft, lang, tags, year)| {
            let values =
                [("date", date), ("draft", draft), ("lang", lang), ("tags", tags), ("year", year)];
            values.into_iter().filter_map(|(name, value)| Some((name, value?))).collect::<Page>()
        })
    }

    fn conditions() -> impl Strategy<Value = Condition> {
        let some = |from: &'static [&'static str]| {
            prop::collection::vec(prop::sample::select(from).prop_map(str::to_owned), 1..3)
                .prop_map(Predicate::In)
        };
        let bound = || prop::sample::select(vec![Bound::Gt, Bound::Gte, Bound::Lt, Bound::Lte]);
        let compare = move |from: &'static [&'static str]| {
            (bound(), prop::sample::select(from))
                .prop_map(|(bound, value)| Predicate::Compare(bound, value.into()))
        };
        let strings = || {
            prop_oneof![
                some(&WORDS),
                prop::sample::select(vec!["e", "DEU", "", "x"])
                    .prop_map(|part| Predicate::Contains(part.into())),
            ]
        };
        let test = prop_oneof![
            strings().prop_map(|p| Condition::test("lang", p)),
            strings().prop_map(|p| Condition::test("tags", p)),
            prop_oneof![some(&NUMBERS), compare(&NUMBERS)].prop_map(|p| Condition::test("year", p)),
            prop_oneof![some(&DATES), compare(&DATES)].prop_map(|p| Condition::test("date", p)),
            some(&["true", "false"]).prop_map(|p| Condition::test("draft", p)),
        ];
        test.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Condition::all),
                prop::collection::vec(inner.clone(), 0..4).prop_map(Condition::any),
                inner.prop_map(Condition::not),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_condition_finds_what_looking_at_each_page_finds(
            pages in prop::collection::vec(page(), 0..80),
            condition in conditions(),
        ) {
            let bundle = Bundle::new(&pages);
            let expect: Vec<u32> = (0..)
                .zip(&pages)
                .filter(|(_, page)| naive(&condition, page, &pages))
                .map(|(i, _)| i)
                .collect();
            let matched = bundle.evaluate(&condition).unwrap();
            prop_assert_eq!(matched.sections.iter().collect::<Vec<_>>(), expect, "{}", condition);
            let known = condition.shards(&bundle.attributes).unwrap();
            prop_assert!(known.is_sorted_by(|a, b| a < b));
        }

        #[test]
        fn a_condition_finds_what_looking_at_each_section_finds(
            pages in prop::collection::vec((page(), prop::collection::vec(page(), 1..4)), 0..24),
            of_sections in prop::sample::subsequence(vec!["date", "lang", "tags", "year"], 0..4),
            condition in conditions(),
        ) {
            let (pages, mut sections): (Vec<Page>, Vec<Vec<Page>>) = pages.into_iter().unzip();
            // Only attributes of sections give a section values of its own.
            for section in sections.iter_mut().flatten() {
                section.retain(|name, _| of_sections.contains(name));
            }
            let bundle = Bundle::with_sections(&pages, &sections, &of_sections);
            // All values that apply to a section, in page order.
            let whole: Vec<Page> = pages
                .iter()
                .zip(&sections)
                .flat_map(|(page, sections)| {
                    sections.iter().map(move |own| {
                        let own = own.iter().map(|(name, value)| (*name, value.clone()));
                        page.clone().into_iter().chain(own).collect()
                    })
                })
                .collect();
            let expect: Vec<u32> = (0..)
                .zip(&whole)
                .filter(|(_, section)| naive(&condition, section, &whole))
                .map(|(i, _)| i)
                .collect();
            let matched = bundle.evaluate(&condition).unwrap();
            prop_assert_eq!(matched.sections.iter().collect::<Vec<_>>(), expect, "{}", condition);
        }
    }

    fn books() -> Bundle {
        let text = |text: &str| AttributeValue::String(text.into());
        let page = |lang: &str, year: f64| {
            Page::from([("lang", text(lang)), ("year", AttributeValue::Number(year))])
        };
        Bundle::new(&[page("en", 2020.0), page("En", 2021.0), page("de", 2022.0), Page::new()])
    }

    fn matches(text: &str) -> Vec<u32> {
        books().evaluate(&parse(text).unwrap()).unwrap().sections.iter().collect()
    }

    #[test]
    fn case_matters_only_where_it_can() {
        assert_eq!(matches("lang=en"), [0], "exactly this one is there");
        assert_eq!(matches("lang=EN"), [0, 1], "this one is not, and two differ by case alone");
        assert_eq!(matches("lang=[E] n"), [0, 1], "nor is this one, and two have its letters");
        assert_eq!(matches("lang=en,lang=DE"), [0, 2], "each value for itself");
    }

    #[test]
    fn a_page_without_the_attribute_passes_only_what_denies() {
        assert_eq!(matches("lang:ne:en"), [1, 2, 3]);
        assert_eq!(matches("year:gte:0"), [0, 1, 2]);
        assert_eq!(matches("lang:contains:\"\""), [0, 1, 2]);
    }

    #[test]
    fn an_unknown_value_is_a_notice_and_an_unknown_attribute_an_error() {
        let bundle = books();
        let matched = bundle.evaluate(&parse("lang:in:ed|de").unwrap()).unwrap();
        assert_eq!(matched.sections.iter().collect::<Vec<_>>(), [2]);
        assert_eq!(matched.notices.len(), 1);
        assert_eq!(matched.notices[0].code, "unknown-value");
        let message = &matched.notices[0].message;
        let named: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        assert_eq!(named, ["ed", "lang", "En", "en"]);
        let error = parse("language=en").unwrap().shards(&bundle.attributes).unwrap_err();
        let known = ["date", "draft", "lang", "tags", "year"].map(String::from).into();
        assert_eq!(error, Error::UnknownAttribute { name: "language".into(), known });
    }

    #[test]
    fn tests_that_types_do_not_allow_are_refused_without_columns() {
        fn check(text: &str, named: &[&str]) {
            let error = parse(text).unwrap().shards(&books().attributes).expect_err(text);
            assert_eq!(error.code(), "filter", "{text}");
            assert!(error.is_request());
            let message = error.to_string();
            for part in named {
                assert!(message.contains(part), "{text}: {part} in {message}");
            }
        }
        check("lang:gt:en", &["`lang`", "strings", "`gt`"]);
        check("draft:lte:true", &["`draft`", "truth values", "`lte`"]);
        check("year:contains:20", &["`year`", "number", "`contains`"]);
        check("year=new", &["`year`", "number", "`new`"]);
        check("year=NaN", &["`year`", "number", "`NaN`"]);
        check("date:gte:yesterday", &["`date`", "date", "`yesterday`"]);
        check("draft=maybe", &["`draft`", "true or false", "`maybe`"]);
    }

    #[test]
    fn a_missing_or_foreign_column_contradicts_the_bundle() {
        let bundle = books();
        let condition = parse("lang=en").unwrap();
        let check = |structure: &Structure, column: &dyn Fn(ShardId) -> Option<&'static Column>| {
            let error = condition.evaluate(&bundle.attributes, structure, column).unwrap_err();
            assert!(matches!(error, Error::Inconsistent { .. }));
        };
        check(&bundle.structure, &|_| None);
        let columns: &'static [Column] = Vec::leak(bundle.columns.clone());
        check(&bundle.structure, &|_| columns.first());
        let mut short = StructureBuilder::default();
        (0..3).for_each(|_| _ = short.page());
        check(&short.finish(), &|shard| columns.get(shard.index()));
    }

    #[test]
    fn pages_become_their_sections() {
        let mut builder = StructureBuilder::default();
        for n_sections in [2, 0, 3] {
            builder.page();
            for _ in 0..n_sections {
                builder.section(1);
            }
        }
        let structure = builder.finish();
        let mut pages = Bitset::none(3);
        pages.insert_range(1, 3);
        assert_eq!(sections_of(&pages, &structure).iter().collect::<Vec<_>>(), [2, 3, 4]);
        assert_eq!(sections_of(&Bitset::all(3), &structure).count(), 5);
    }
}

//! From a condition to the pages that meet it, and from those to their sections.

use findling_bundle::column::Strings;
use findling_bundle::{Attribute, AttributeKind, Column, PageId, ShardId, Structure};

use super::error::quote;
use super::{Bitset, Bound, Condition, FilterError, Predicate, Test, date};
use crate::{Error, Notice};

/// The pages that meet a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Matched {
    /// Over all pages.
    pub pages: Bitset,
    /// What to tell: strings that no page has.
    pub notices: Vec<Notice>,
}

impl Condition {
    /// The shards of the columns it reads, ascending. Checks names and, as far as types tell, operators and values, so that a wrong
    /// filter is refused before anything is fetched.
    ///
    /// # Errors
    /// [`Error::UnknownAttribute`]; [`Error::Filter`] where an attribute's type does not allow a test or a value.
    pub fn shards(&self, attributes: &[Attribute]) -> Result<Vec<ShardId>, Error> {
        let mut shards = Vec::new();
        for test in self.tests() {
            let attribute = find(attributes, &test.attribute)?;
            Check::new(test, attribute.kind)?;
            shards.push(attribute.column);
        }
        shards.sort_unstable();
        shards.dedup();
        Ok(shards)
    }

    /// The pages that meet it. `column` gives the column of a shard that [`Condition::shards`] names. O(pages) for each
    /// test.
    ///
    /// # Errors
    /// Those of [`Condition::shards`]; [`Error::Inconsistent`] where `column` lacks one or gives one of another type.
    pub fn evaluate<'a>(
        &self,
        attributes: &[Attribute],
        n_pages: u32,
        column: impl Fn(ShardId) -> Option<&'a Column>,
    ) -> Result<Matched, Error> {
        let mut run = Run { attributes, n_pages, column, notices: Vec::new() };
        let pages = run.condition(self)?;
        Ok(Matched { pages, notices: run.notices })
    }
}

/// The sections of pages.
pub fn sections_of(pages: &Bitset, structure: &Structure) -> Bitset {
    let mut sections = Bitset::none(structure.n_sections());
    for page in pages.iter() {
        let range = structure.sections(PageId(page));
        sections.insert_range(range.start, range.end);
    }
    sections
}

/// An attribute by name.
///
/// # Errors
/// [`Error::UnknownAttribute`], which names those there are.
pub(crate) fn find<'a>(attributes: &'a [Attribute], name: &str) -> Result<&'a Attribute, Error> {
    attributes.iter().find(|attribute| attribute.name == name).ok_or_else(|| Error::UnknownAttribute {
        name: name.to_owned(),
        known: attributes.iter().map(|attribute| attribute.name.clone()).collect(),
    })
}

/// A test read in the light of its attribute's type.
enum Check<'a> {
    /// The string is one of these.
    Strings(&'a [String]),
    /// The string has this part, in lower case.
    Contains(String),
    /// The number (or the date, or 0 or 1) lies in one of these, ends included.
    Within(Vec<(f64, f64)>),
}

impl<'a> Check<'a> {
    fn new(test: &'a Test, kind: AttributeKind) -> Result<Self, Error> {
        let refuse = |expected: &str, found: String, remedy: &str| {
            let position = format!("`{}`", test.attribute);
            Err(FilterError { position, expected: expected.into(), found, remedy: remedy.into() }.into())
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
                "use eq, ne, in or contains, or declare the attribute as a number or date when building",
            ),
            Predicate::Compare(bound, value) => match span(kind, value) {
                // A date stands for all of its day, month or year: what is after it comes after its end.
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

/// What a value of a type looks like, and what to do where one does not.
fn expected(kind: AttributeKind) -> (&'static str, &'static str) {
    match kind {
        AttributeKind::Number => ("a number", "write it with a point and without separators, such as 1234.5"),
        AttributeKind::Date => {
            ("a date", "write it in ISO 8601, such as 2024, 2024-05, 2024-05-17 or 2024-05-17T10:20:30Z")
        }
        AttributeKind::Bool => ("true or false", "write one of these"),
        AttributeKind::String | AttributeKind::Strings => ("a string", "write one"),
    }
}

/// The numbers that a value stands for, ends included. `None` where it is none of its type.
fn span(kind: AttributeKind, value: &str) -> Option<(f64, f64)> {
    let value = value.trim();
    match kind {
        AttributeKind::Number => {
            value.parse().ok().filter(|number: &f64| !number.is_nan()).map(|number| (number, number))
        }
        AttributeKind::Date => date::parse(value).map(|span| (span.start as f64, (span.end - 1) as f64)),
        AttributeKind::Bool => {
            let truth = ["true", "1", "yes"].iter().any(|word| value.eq_ignore_ascii_case(word));
            let falsehood = ["false", "0", "no"].iter().any(|word| value.eq_ignore_ascii_case(word));
            (truth || falsehood).then_some(if truth { (1.0, 1.0) } else { (0.0, 0.0) })
        }
        AttributeKind::String | AttributeKind::Strings => None,
    }
}

/// The next number above; nothing lies above infinity.
fn next_up(x: f64) -> f64 {
    if x == f64::INFINITY { f64::NAN } else { x.next_up() }
}

/// The next number below; nothing lies below minus infinity.
fn next_down(x: f64) -> f64 {
    if x == f64::NEG_INFINITY { f64::NAN } else { x.next_down() }
}

/// One evaluation.
struct Run<'b, F> {
    attributes: &'b [Attribute],
    n_pages: u32,
    column: F,
    notices: Vec<Notice>,
}

impl<'a, F: Fn(ShardId) -> Option<&'a Column>> Run<'_, F> {
    fn condition(&mut self, condition: &Condition) -> Result<Bitset, Error> {
        Ok(match condition {
            Condition::All(parts) => {
                let mut all = Bitset::all(self.n_pages);
                for part in parts {
                    all.and(&self.condition(part)?);
                }
                all
            }
            Condition::Any(parts) => {
                let mut any = Bitset::none(self.n_pages);
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
        let column = (self.column)(attribute.column)
            .filter(|column| column.kind() == attribute.kind && column.n_pages() == self.n_pages)
            .ok_or_else(|| {
                Error::inconsistent(format!("the column of `{}` is not the one listed", attribute.name))
            })?;
        let mut pages = Bitset::none(self.n_pages);
        match (check, column) {
            (Check::Within(spans), column) => {
                for page in 0..self.n_pages {
                    if let Some(number) = column.number(PageId(page))
                        && spans.iter().any(|&(from, to)| from <= number && number <= to)
                    {
                        pages.insert(page);
                    }
                }
            }
            (Check::Contains(part), Column::Strings(strings)) => {
                let mut wanted = Bitset::none(strings.n_values());
                for id in
                    (0..strings.n_values()).filter(|&id| strings.value(id).to_lowercase().contains(&part))
                {
                    wanted.insert(id);
                }
                mark(strings, &wanted, &mut pages);
            }
            (Check::Strings(values), Column::Strings(strings)) => {
                let mut wanted = Bitset::none(strings.n_values());
                for value in values {
                    if !want(strings, value, &mut wanted) {
                        self.notices.push(unknown_value(&attribute.name, value, strings));
                    }
                }
                mark(strings, &wanted, &mut pages);
            }
            // The kinds were compared above.
            _ => {}
        }
        Ok(pages)
    }
}

/// Puts in the id of a value, or else the ids of those that differ from it by case alone. Whether there are any.
fn want(strings: &Strings, value: &str, wanted: &mut Bitset) -> bool {
    if let Some(id) = strings.find(value) {
        wanted.insert(id);
        return true;
    }
    let lower = value.to_lowercase();
    let mut found = false;
    for id in (0..strings.n_values()).filter(|&id| strings.value(id).to_lowercase() == lower) {
        wanted.insert(id);
        found = true;
    }
    found
}

/// Puts in the pages that have one of the wanted values.
fn mark(strings: &Strings, wanted: &Bitset, pages: &mut Bitset) {
    if wanted.is_empty() {
        return;
    }
    for page in 0..pages.len() {
        if strings.ids(PageId(page)).iter().any(|&id| wanted.contains(id)) {
            pages.insert(page);
        }
    }
}

/// Most values named as near to one that is unknown.
const SHOWN: usize = 5;
/// Most values looked through for near ones.
const LOOKED_THROUGH: u32 = 10_000;

fn unknown_value(attribute: &str, value: &str, strings: &Strings) -> Notice {
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
    near.sort_unstable();
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

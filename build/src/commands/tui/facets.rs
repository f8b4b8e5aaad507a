//! Values of attributes with their counts, and the values that the reader has chosen.

use std::collections::{BTreeMap, BTreeSet};

use findling_engine::Facet;
use findling_engine::filter::{Condition, Predicate};
use serde::{Deserialize, Serialize};

/// Maximum number of values of an attribute that are listed.
const MAX_VALUES: usize = 12;

/// The values that the reader has chosen, by attribute.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Chosen(BTreeMap<String, BTreeSet<String>>);

impl Chosen {
    /// Chooses a value, or takes the choice back.
    pub fn toggle(&mut self, name: &str, value: &str) {
        let values = self.0.entry(name.to_owned()).or_default();
        if !values.remove(value) {
            values.insert(value.to_owned());
        }
        self.0.retain(|_, values| !values.is_empty());
    }

    /// Returns whether a value is chosen.
    pub fn has(&self, name: &str, value: &str) -> bool {
        self.0.get(name).is_some_and(|values| values.contains(value))
    }

    /// Returns whether nothing is chosen.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns each attribute with its chosen values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Vec<&str>)> {
        self.0.iter().map(|(name, values)| (&**name, values.iter().map(|one| &**one).collect()))
    }

    /// Returns the filter: pages need one of the chosen values of each attribute.
    pub fn condition(&self) -> Option<Condition> {
        let tests = self.0.iter().map(|(name, values)| {
            Condition::test(name, Predicate::In(values.iter().cloned().collect()))
        });
        let tests: Vec<Condition> = tests.collect();
        (!tests.is_empty()).then(|| Condition::all(tests))
    }
}

/// A line of the list of facets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry<'a> {
    Name(&'a str),
    Value { name: &'a str, value: &'a str, count: u32, chosen: bool },
}

/// Returns the lines of the list. Values that are chosen stay in it even if nothing has them.
pub fn entries<'a>(facets: &'a [Facet], chosen: &'a Chosen) -> Vec<Entry<'a>> {
    let mut lines = Vec::new();
    for Facet { name, values } in facets {
        lines.push(Entry::Name(name));
        for (at, (value, count)) in values.iter().enumerate() {
            let (count, chosen) = (*count, chosen.has(name, value));
            if at < MAX_VALUES || chosen {
                lines.push(Entry::Value { name, value, count, chosen });
            }
        }
    }
    for (name, values) in chosen.iter() {
        let counted = |value: &str| {
            let facet = facets.iter().find(|facet| facet.name == name);
            facet.is_some_and(|facet| facet.values.iter().any(|(known, _)| known == value))
        };
        for value in values.into_iter().filter(|value| !counted(value)) {
            lines.push(Entry::Value { name, value, count: 0, chosen: true });
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facet(name: &str, values: &[(&str, u32)]) -> Facet {
        let values = values.iter().map(|(value, count)| ((*value).to_owned(), *count)).collect();
        Facet { name: name.into(), values }
    }

    #[test]
    fn chosen_values_are_a_filter_and_stay_in_the_list() {
        let mut chosen = Chosen::default();
        assert_eq!(chosen.condition(), None);
        for value in ["a", "gone", "b", "b"] {
            chosen.toggle("book", value);
        }
        let expect = Predicate::In(vec!["a".into(), "gone".into()]);
        assert_eq!(chosen.condition(), Some(Condition::test("book", expect)));
        let facets = [facet("book", &[("a", 2)])];
        let value = |value, count| Entry::Value { name: "book", value, count, chosen: true };
        assert_eq!(
            entries(&facets, &chosen),
            [Entry::Name("book"), value("a", 2), value("gone", 0)]
        );
        chosen.toggle("book", "a");
        chosen.toggle("book", "gone");
        assert!(chosen.is_empty());
    }
}

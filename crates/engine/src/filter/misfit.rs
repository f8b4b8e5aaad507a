//! Conditions that readers type, `year:>2020`, and what to say of values that are none of their attribute's type: what was
//! expected, and what there is.

use findling_bundle::{Attribute, AttributeKind, ShardId};

use super::near::values_of;
use super::{Bound, Condition, FilterError, Predicate};
use crate::{Error, Index, Notice};

/// A test that the type of its attribute does not allow.
#[derive(Clone, Debug)]
pub(crate) struct Misfit {
    pub attribute: Attribute,
    pub error: FilterError,
}

/// The condition that `name:value` in a query stands for. Of numbers and dates a value may have a sign in front (`>2020`, `<=2020-05`) or
/// two dots within (`2019..2021`, `2019..`).
pub(crate) fn typed(name: &str, kind: AttributeKind, value: &str) -> Condition {
    let compare = |bound, value: &str| Condition::test(name, Predicate::Compare(bound, value.to_owned()));
    if matches!(kind, AttributeKind::Number | AttributeKind::Date) {
        let signs = [(">=", Bound::Gte), ("<=", Bound::Lte), (">", Bound::Gt), ("<", Bound::Lt)];
        for (sign, bound) in signs {
            if let Some(value) = value.strip_prefix(sign) {
                return compare(bound, value);
            }
        }
        if let Some((from, to)) = value.split_once("..").filter(|ends| *ends != ("", "")) {
            let ends = [(Bound::Gte, from), (Bound::Lte, to)].into_iter().filter(|(_, end)| !end.is_empty());
            return Condition::all(ends.map(|(bound, end)| compare(bound, end)));
        }
    }
    Condition::test(name, Predicate::In(vec![value.to_owned()]))
}

/// Refuses a filter, and says what values there are: their column is all that is fetched for it, and what is given where it is missing.
pub(crate) fn refuse(index: &Index, misfit: &Misfit) -> Result<Vec<ShardId>, Error> {
    let Misfit { attribute, error } = misfit;
    if !index.has(attribute.column) {
        return Ok(vec![attribute.column]);
    }
    Err(Error::Filter { message: format!("{error}; {}", there_are(index, attribute)) })
}

/// That a value which a reader typed is none, and was searched as words.
pub(crate) fn not_a_value(index: &Index, misfit: &Misfit) -> Notice {
    let Misfit { attribute, error: FilterError { expected, found, .. } } = misfit;
    let message = format!(
        "expected {expected} as `{}`, found {found}, which was searched as words; {}",
        attribute.name,
        there_are(index, attribute)
    );
    Notice { code: "not-a-value".into(), message }
}

fn there_are(index: &Index, attribute: &Attribute) -> String {
    match index.column(attribute.column).and_then(|column| values_of(attribute, column)) {
        Some(values) => format!("the pages have {values}"),
        None => "no page has any".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_and_dots_are_bounds_of_what_has_an_order() {
        let check = |kind, value: &str, expect: &str| {
            assert_eq!(typed("year", kind, value).to_string(), expect, "{value}");
        };
        use AttributeKind::{Date, Number, String};
        check(Number, "2020", "year=2020");
        check(Number, ">2020", "year:gt:2020");
        check(Date, ">=2020-05", "year:gte:2020-05");
        check(Date, "<2020", "year:lt:2020");
        check(Number, "<=-1.5", "year:lte:-1.5");
        check(Number, "2019..2021", "year:gte:2019,year:lte:2021");
        check(Date, "2019..", "year:gte:2019");
        check(Date, "..2019", "year:lte:2019");
        check(Number, "..", "year=..");
        check(String, ">2020", "year=>2020");
        check(String, "a..b", "year=a..b");
    }
}

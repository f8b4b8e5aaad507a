//! The filter of a request and the conditions that readers type, `year:>2020`; and what to say of
//! values that are none of their attribute's type: what was expected, and what there is.

use findling_bundle::{AttributeKind, ShardId};

use super::unknown_value::{items, values_of};
use super::{Bound, Condition, FilterError, Predicate};
use crate::api::{Error, Notice, Request};
use crate::index::Index;
use crate::query::{self, Clause, ClauseKind, Query};

/// A test that the type of its attribute does not allow.
#[derive(Clone)]
pub(crate) struct TypeMismatch {
    pub column: ShardId,
    /// Whether a filter says so, which is refused; what a reader types becomes words.
    pub refused: bool,
    /// What was expected, and what was found.
    message: String,
}

/// The request's filter, parsed.
pub(crate) fn filter_of(request: &Request) -> Result<Option<Condition>, Error> {
    match &request.filter {
        None | Some(serde_json::Value::Null) => Ok(None),
        Some(serde_json::Value::String(text)) if text.trim().is_empty() => Ok(None),
        Some(serde_json::Value::String(text)) => Ok(Some(super::parse(text)?)),
        Some(other) => Ok(Some(super::from_json(other)?)),
    }
}

/// The request's filter and the query's own conditions. What looks like a condition in the query
/// but cannot be met by an attribute of its type becomes words again. Of that and of what types do
/// not allow in the filter there are `misfits`.
#[inline(never)]
pub(crate) fn asked_for(
    index: &Index,
    request: &Request,
    query: &mut Query,
    misfits: &mut Vec<TypeMismatch>,
) -> Result<Option<Condition>, Error> {
    let attributes = &index.manifest().attributes;
    let mut conditions = Vec::new();
    if let Some(condition) = filter_of(request)? {
        if let Some((attribute, error)) = condition.misfit(attributes) {
            misfits.push(TypeMismatch {
                column: attribute.column,
                refused: true,
                message: error.to_string(),
            });
            return Ok(None);
        }
        // What else is wrong with the filter is said before anything is fetched.
        condition.shards(attributes)?;
        conditions.push(condition);
    }
    for query::Condition { attribute: name, value, excluded } in
        std::mem::take(&mut query.conditions)
    {
        let test = typed(&name, index.attribute(&name)?.kind, &value);
        let Some((attribute, FilterError { expected, found, .. })) = test.misfit(attributes) else {
            conditions.push(if excluded { Condition::not(test) } else { test });
            continue;
        };
        let message =
            format!("expected {expected} as `{name}`, found {found}, which was searched as words");
        misfits.push(TypeMismatch { column: attribute.column, refused: false, message });
        query.clauses.push(Clause {
            kind: ClauseKind::Word,
            text: format!("{name}:{value}"),
            excluded,
        });
        query.open_end = false;
    }
    let all = Condition::all(conditions);
    Ok((!all.is_everything()).then_some(all))
}

/// The condition that `name:value` in a query stands for. Of numbers and dates a value may have a
/// sign in front (`>2020`, `<=2020-05`) or two dots within (`2019..2021`, `2019..`).
fn typed(name: &str, kind: AttributeKind, value: &str) -> Condition {
    let compare =
        |bound, value: &str| Condition::test(name, Predicate::Compare(bound, value.to_owned()));
    if matches!(kind, AttributeKind::Number | AttributeKind::Date) {
        let signs = [(">=", Bound::Gte), ("<=", Bound::Lte), (">", Bound::Gt), ("<", Bound::Lt)];
        for (sign, bound) in signs {
            if let Some(value) = value.strip_prefix(sign) {
                return compare(bound, value);
            }
        }
        if let Some((from, to)) = value.split_once("..").filter(|ends| *ends != ("", "")) {
            let ends = [(Bound::Gte, from), (Bound::Lte, to)]
                .into_iter()
                .filter(|(_, end)| !end.is_empty());
            return Condition::all(ends.map(|(bound, end)| compare(bound, end)));
        }
    }
    Condition::test(name, Predicate::In(vec![value.to_owned()]))
}

/// Refuses a filter, and says what values there are: their column is all that is fetched for it,
/// and what is given where it is missing.
#[inline(never)]
pub(crate) fn refuse(index: &Index, misfits: &[TypeMismatch]) -> Result<Vec<ShardId>, Error> {
    match misfits.iter().find(|misfit| misfit.refused) {
        Some(misfit) if index.has(misfit.column) => {
            Err(Error::Filter { message: misfit.in_full(index) })
        }
        misfit => Ok(misfit.map(|misfit| misfit.column).into_iter().collect()),
    }
}

/// That a value which a reader typed is none, and was searched as words.
#[inline(never)]
pub(crate) fn not_a_value(index: &Index, misfit: &TypeMismatch) -> Notice {
    Notice { code: "not-a-value".into(), message: misfit.in_full(index) }
}

impl TypeMismatch {
    /// With what there is.
    fn in_full(&self, index: &Index) -> String {
        let attribute =
            index.manifest().attributes.iter().find(|attribute| attribute.column == self.column);
        let column = index.column(self.column);
        let (item, all) = attribute.map_or(("page", "pages"), items);
        match attribute.zip(column).and_then(|(attribute, column)| values_of(attribute, column)) {
            Some(values) => format!("{}; the {all} have {values}", self.message),
            None => format!("{}; no {item} has any", self.message),
        }
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

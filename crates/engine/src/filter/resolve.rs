//! The filter of a request and the conditions that readers type, `year:>2020`; and the errors for
//! values that do not fit their attribute's type.

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
    /// Whether the test is in a filter, which is refused. A condition in the query becomes words.
    pub refused: bool,
    /// The expected and the found value.
    message: String,
}

/// Returns the request's filter, parsed.
pub(crate) fn filter_of(request: &Request) -> Result<Option<Condition>, Error> {
    parsed(&request.filter)
}

/// Parses the request's second filter ([`Request::post_filter`]); `None` if everything passes.
///
/// # Errors
/// The errors of [`filter_of`], and [`Error::UnknownAttribute`].
#[inline(never)]
pub(crate) fn post_filter_of(index: &Index, request: &Request) -> Result<Option<Condition>, Error> {
    let Some(condition) = parsed(&request.post_filter)? else { return Ok(None) };
    let attributes = &index.manifest().attributes;
    if let Some((_, error)) = condition.mismatch(attributes) {
        return Err(Error::Filter { message: error.to_string() });
    }
    condition.shards(attributes)?;
    Ok(Some(condition).filter(|condition| !condition.is_everything()))
}

fn parsed(filter: &Option<serde_json::Value>) -> Result<Option<Condition>, Error> {
    match filter {
        None | Some(serde_json::Value::Null) => Ok(None),
        Some(serde_json::Value::String(text)) if text.trim().is_empty() => Ok(None),
        Some(serde_json::Value::String(text)) => Ok(Some(super::parse(text)?)),
        Some(other) => Ok(Some(super::from_json(other)?)),
    }
}

/// A request's filter joined with the conditions of its query.
pub(crate) struct ResolvedFilter {
    /// `None` if every page passes.
    pub condition: Option<Condition>,
    /// The query without its conditions. Conditions that an attribute's type does not allow become
    /// words.
    pub query: Query,
    /// The tests that types do not allow: one test of the filter, or the tests of the query.
    pub mismatches: Vec<TypeMismatch>,
}

/// Joins the request's filter with the conditions of its query.
///
/// # Errors
/// The errors of [`filter_of`], and [`Error::UnknownAttribute`].
#[inline(never)]
pub(crate) fn resolve(
    index: &Index,
    request: &Request,
    mut query: Query,
) -> Result<ResolvedFilter, Error> {
    let attributes = &index.manifest().attributes;
    let (mut conditions, mut mismatches) = (Vec::new(), Vec::new());
    if let Some(condition) = filter_of(request)? {
        if let Some((attribute, error)) = condition.mismatch(attributes) {
            mismatches.push(TypeMismatch {
                column: attribute.column,
                refused: true,
                message: error.to_string(),
            });
            return Ok(ResolvedFilter { condition: None, query, mismatches });
        }
        // Other errors in the filter are reported before anything is fetched.
        condition.shards(attributes)?;
        conditions.push(condition);
    }
    for query::Condition { attribute: name, value, excluded } in
        std::mem::take(&mut query.conditions)
    {
        let test = typed(&name, index.attribute(&name)?.kind, &value);
        let Some((attribute, FilterError { expected, found, .. })) = test.mismatch(attributes)
        else {
            conditions.push(if excluded { Condition::not(test) } else { test });
            continue;
        };
        let message =
            format!("expected {expected} as `{name}`, found {found}, which was searched as words");
        mismatches.push(TypeMismatch { column: attribute.column, refused: false, message });
        query.clauses.push(Clause {
            kind: ClauseKind::Word,
            text: format!("{name}:{value}"),
            excluded,
        });
        query.open_end = false;
    }
    let all = Condition::all(conditions);
    let condition = (!all.is_everything()).then_some(all);
    Ok(ResolvedFilter { condition, query, mismatches })
}

/// Returns the condition for `name:value` in a query. The value of a number or date may begin with
/// a sign (`>2020`, `<=2020-05`) or have two dots (`2019..2021`, `2019..`).
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

/// Refuses a filter and names the existing values. Returns the shard of their column if it is
/// missing.
#[inline(never)]
pub(crate) fn refuse(index: &Index, mismatches: &[TypeMismatch]) -> Result<Vec<ShardId>, Error> {
    match mismatches.iter().find(|mismatch| mismatch.refused) {
        Some(mismatch) if index.has(mismatch.column) => {
            Err(Error::Filter { message: mismatch.in_full(index) })
        }
        mismatch => Ok(mismatch.map(|mismatch| mismatch.column).into_iter().collect()),
    }
}

/// Returns the notice that a typed value does not fit its attribute's type and was searched as
/// words.
#[inline(never)]
pub(crate) fn not_a_value(index: &Index, mismatch: &TypeMismatch) -> Notice {
    Notice { code: "not-a-value".into(), message: mismatch.in_full(index) }
}

impl TypeMismatch {
    /// Returns the message with the existing values.
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

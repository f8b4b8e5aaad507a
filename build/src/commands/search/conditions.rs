//! Options that are filters under another name: `--since`, `--year-min`, `--type`, `--author`.

use findling_bundle::{Attribute, AttributeKind, Manifest};
use findling_engine::Request;
use findling_engine::filter::{self, Bound, Condition, Predicate};
use jiff::{Span, Zoned};
use serde_json::Value;

use crate::commands::newest::date_of_pages;
use crate::output::UsageError;

/// Conditions on common attributes.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Conditions {
    /// Show only pages since a date (2024-05-01, 2024-05, 2024, yesterday), or of the last days,
    /// weeks, months or years: 10d, 2w, 3m, 1y
    #[arg(long, value_name = "WHEN", value_parser = since)]
    pub since: Option<String>,
    /// Show only pages of this year or later
    #[arg(long, value_name = "YEAR")]
    pub year_min: Option<i16>,
    /// Show only pages of this year or earlier
    #[arg(long, value_name = "YEAR")]
    pub year_max: Option<i16>,
    /// Show only pages of this type, by the attribute `type` or `kind`. Repeatable
    #[arg(long = "type", value_name = "TYPE")]
    pub types: Vec<String>,
    /// Show only papers of this author, in any spelling of the name. Repeatable
    #[arg(long = "author", value_name = "NAME")]
    pub authors: Vec<String>,
    /// Show only conversations with this program: codex, claude-code. Repeatable
    #[arg(long = "agent", value_name = "NAME")]
    pub agents: Vec<String>,
    /// Show only conversations of this project, by its path or the end of it. Repeatable
    #[arg(long = "project", value_name = "PATH")]
    pub projects: Vec<String>,
}

impl Conditions {
    /// Returns the conditions on people, programs and projects: the attributes that may have them,
    /// the values, and the words of an error.
    fn named(&self) -> impl Iterator<Item = ([&'static str; 2], &Vec<String>, &'static str)> {
        let named = [
            (["authors", "author"], &self.authors, "authors"),
            (["agent", "agents"], &self.agents, "an agent"),
            (["project", "projects"], &self.projects, "a project"),
        ];
        named.into_iter().filter(|(_, values, _)| !values.is_empty())
    }

    /// Returns whether a bundle has the attributes for the requested people, programs and projects.
    /// If one of several bundles lacks them, none of its pages can match.
    pub fn may_fit(&self, manifest: &Manifest) -> bool {
        self.named().all(|(names, ..)| names.iter().any(|name| manifest.attribute(name).is_some()))
    }

    /// Adds the conditions to the filter of a request to a bundle.
    ///
    /// # Errors
    /// If the bundle has no such attribute, or the filter cannot be read.
    pub fn add_to(&self, request: &mut Request, manifest: &Manifest) -> anyhow::Result<()> {
        let mut parts = Vec::new();
        if let Some(since) = &self.since {
            let date = date_of(manifest)?;
            parts.push(compare(&date.name, Bound::Gte, since));
        }
        let years = [(self.year_min, Bound::Gte), (self.year_max, Bound::Lte)];
        for (year, bound) in years {
            let Some(year) = year else { continue };
            let attribute = manifest
                .attribute("year")
                .or_else(|| of_kind(manifest, "date"))
                .ok_or_else(|| lacks(manifest, "a year or a date"))?;
            parts.push(compare(&attribute.name, bound, &year.to_string()));
        }
        if !self.types.is_empty() {
            let attribute = manifest.attribute("type").or_else(|| manifest.attribute("kind"));
            let attribute = attribute.ok_or_else(|| lacks(manifest, "a type"))?;
            let values = Predicate::In(self.types.clone());
            parts.push(Condition::test(attribute.name.clone(), values));
        }
        for (names, values, what) in self.named() {
            let attribute = names.iter().find_map(|name| manifest.attribute(name));
            let attribute = attribute.ok_or_else(|| lacks(manifest, what))?;
            parts.push(Condition::test(attribute.name.clone(), Predicate::In(values.clone())));
        }
        request.filter = with_conditions(request.filter.take(), parts)?;
        Ok(())
    }
}

/// Returns a filter with more conditions, all of which must hold.
///
/// # Errors
/// If the filter cannot be read. Without more conditions it is not parsed.
pub(crate) fn with_conditions(
    filter: Option<Value>,
    mut more: Vec<Condition>,
) -> Result<Option<Value>, UsageError> {
    if more.is_empty() {
        return Ok(filter);
    }
    if let Some(filter) = filter {
        more.push(condition(&filter)?);
    }
    Ok(Some(Condition::all(more).to_json()))
}

/// Returns a filter of a request as a condition.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn condition(filter: &Value) -> Result<Condition, UsageError> {
    let read = match filter {
        Value::String(text) => filter::parse(text),
        json => filter::from_json(json),
    };
    read.map_err(|error| UsageError { code: "filter", message: error.to_string() })
}

fn compare(name: &str, bound: Bound, value: &str) -> Condition {
    Condition::test(name, Predicate::Compare(bound, value.to_owned()))
}

/// Returns the date of pages: the attribute of this name, or else the first date.
fn of_kind<'a>(manifest: &'a Manifest, name: &str) -> Option<&'a Attribute> {
    let dates = || manifest.attributes.iter().filter(|one| one.kind == AttributeKind::Date);
    dates().find(|one| one.name == name).or_else(|| {
        let best = date_of_pages(manifest)?;
        dates().find(|one| one.name == best)
    })
}

/// Returns the date of a bundle's pages.
///
/// # Errors
/// If they have none.
pub(super) fn date_of(manifest: &Manifest) -> Result<&Attribute, UsageError> {
    of_kind(manifest, "date").ok_or_else(|| lacks(manifest, "a date"))
}

/// Returns the error for an attribute that a bundle does not have.
fn lacks(manifest: &Manifest, what: &str) -> UsageError {
    let names: Vec<&str> = manifest.attributes.iter().map(|one| one.name.as_str()).collect();
    let has = if names.is_empty() { "none at all".to_owned() } else { names.join(", ") };
    let message = format!("expected an attribute with {what}, found {has}; use --filter");
    UsageError { code: "unknown-attribute", message }
}

/// Returns a date as it is, or a time span before now as a date.
fn since(text: &str) -> Result<String, String> {
    let before = |text: &str| {
        let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
        let number: i64 = number.parse().ok().filter(|number| *number >= 0)?;
        let span = match unit {
            "d" => Span::new().try_days(number),
            "w" => Span::new().try_weeks(number),
            "m" => Span::new().try_months(number),
            "y" => Span::new().try_years(number),
            _ => return None,
        };
        Some(Zoned::now().checked_sub(span.ok()?).ok()?.date().to_string())
    };
    let text = match text {
        "today" => "0d",
        "yesterday" => "1d",
        other => other,
    };
    if let Some(date) = before(text) {
        return Ok(date);
    }
    filter::date::parse(text).map(|_| text.to_owned()).ok_or_else(|| {
        format!("expected a date such as 2024-05-01, or 10d, 2w, 3m, 1y, found `{text}`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_now_become_dates_and_dates_stay() {
        for text in ["10d", "2w", "3m", "1y", "0d"] {
            let date = since(text).unwrap();
            assert!(filter::date::parse(&date).is_some(), "{text}: {date}");
        }
        assert_eq!(since("2024-05"), Ok("2024-05".into()));
        assert_eq!(since("yesterday"), since("1d"));
        for wrong in ["", "w", "2x", "-1d", "tomorrow", "99999999999y", "é"] {
            assert!(since(wrong).is_err(), "{wrong}");
        }
    }
}

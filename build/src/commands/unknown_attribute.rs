//! The error for an attribute that a bundle does not have: names the attributes that it has, the
//! most similar first, with the number of pages that have each.

use findling_engine::{BOOST, COPY, Error};

use crate::forgiving_names::likeness;
use crate::host::Host;
use crate::output::UsageError;
use crate::ui::count;

/// The largest number of attributes that the error names.
const MAX_NAMED: usize = 8;

/// Adds the counts to an error about an unknown attribute. Other errors stay as they are. So does
/// this error if the attributes cannot be read.
pub(crate) fn with_counts(host: &Host, error: anyhow::Error) -> anyhow::Error {
    let Some(Error::UnknownAttribute { name, known }) = error.downcast_ref() else { return error };
    match describe(host, name, known) {
        Ok(Some(message)) => UsageError { code: "unknown-attribute", message }.into(),
        _ => error,
    }
}

/// Returns the message; `None` if the bundle has no attributes.
fn describe(host: &Host, name: &str, known: &[String]) -> anyhow::Result<Option<String>> {
    // Boosts and copies are attributes too, but not for readers.
    let known = known.iter().filter(|known| !matches!(known.as_str(), BOOST | COPY));
    let mut known: Vec<(f64, &str)> =
        known.map(|known| (likeness(name, known), known.as_str())).collect();
    if known.is_empty() {
        return Ok(None);
    }
    known.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let mut named = Vec::new();
    for (_, known) in known.iter().take(MAX_NAMED) {
        let pages = match host.manifest().attribute(known) {
            Some(attribute) => host.pages_with(attribute)?,
            None => 0,
        };
        named.push(format!("`{known}` ({})", count(pages as u64, "pages")));
    }
    let more = match known.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Ok(Some(format!(
        "expected an attribute of the bundle, found `{name}`; it has, the most similar first, \
         {}{more}",
        named.join(", ")
    )))
}

//! Replaces attributes and values in a request by the bundle's spelling of them
//! ([`crate::forgiving_names`]), before the engine reads the request.

use anyhow::Result;
use findling_bundle::{AttributeKind, Manifest};
use findling_engine::filter::{Condition, Predicate, Test};
use findling_engine::{Notice, Request};

use super::conditions::condition;
use crate::forgiving_names::{
    NameKind, NameMatch, find_name, kind_of_values, listed, other_spellings,
};
use crate::host::Host;
use crate::output::UsageError;

/// The code of the notice that a name was found in another spelling.
pub(crate) const READ_AS: &str = "read-as";

/// Replaces names in a request: in its filter, and the attributes that pages are ordered by, spread
/// over and counted by. Returns a notice for each replaced name. Names that the engine finds stay,
/// and so do names that match nothing: the engine reports these.
///
/// # Errors
/// If a name is ambiguous, or the attribute's values cannot be read.
pub(crate) fn forgive(host: &mut Host, request: &mut Request) -> Result<Vec<Notice>> {
    let mut notices = Vec::new();
    {
        let Request { sort, prefer, spread, facets, .. } = request;
        let sort = sort.iter_mut().map(|sort| ("sort", &mut sort.by));
        let prefer = prefer.iter_mut().map(|prefer| ("prefer", &mut prefer.by));
        let spread = spread.iter_mut().map(|spread| ("spread", spread));
        let facets = facets.iter_mut().filter(|name| *name != "*").map(|name| ("facet", name));
        for (what, typed) in sort.chain(prefer).chain(spread).chain(facets) {
            let name = attribute(host.manifest(), what, typed)?;
            notices.extend(name.and_then(|name| replace(typed, name)));
        }
    }
    let Some(filter) = &request.filter else { return Ok(notices) };
    let Ok(mut whole) = condition(filter) else { return Ok(notices) };
    let mut reader = Reader { host, notices: Vec::new() };
    reader.condition(&mut whole)?;
    let of_filter = reader.notices;
    if !of_filter.is_empty() {
        request.filter = Some(whole.to_json());
    }
    notices.extend(of_filter);
    Ok(notices)
}

/// Returns the attribute of a bundle that a typed name means; `None` if there is none. `what` names
/// the option in the error.
///
/// # Errors
/// If several fit.
pub(crate) fn attribute(
    manifest: &Manifest,
    what: &str,
    typed: &str,
) -> Result<Option<String>, UsageError> {
    let names = manifest.attributes.iter().map(|attribute| attribute.name.as_str());
    match find_name(typed, NameKind::Attribute, names) {
        NameMatch::One(name) => Ok(Some(name.to_owned())),
        NameMatch::None => Ok(None),
        NameMatch::Several(all) => {
            let all = listed(&all);
            let message = format!(
                "{what}: expected one attribute, found `{typed}`, which fits {all}; write the \
                 exact name"
            );
            Err(UsageError { code: "ambiguous", message })
        }
    }
}

/// Replaces the name of an attribute; returns a notice if the spelling differs.
pub(crate) fn replace(typed: &mut String, name: String) -> Option<Notice> {
    if *typed == name {
        return None;
    }
    let message = format!("the attribute `{typed}` was read as `{name}`");
    *typed = name;
    Some(Notice { code: READ_AS.into(), message })
}

struct Reader<'a> {
    host: &'a mut Host,
    notices: Vec<Notice>,
}

impl Reader<'_> {
    fn condition(&mut self, condition: &mut Condition) -> Result<()> {
        match condition {
            Condition::All(parts) | Condition::Any(parts) => {
                parts.iter_mut().try_for_each(|part| self.condition(part))
            }
            Condition::Not(inner) => self.condition(inner),
            Condition::Test(test) => self.test(test),
        }
    }

    fn test(&mut self, test: &mut Test) -> Result<()> {
        let Some(name) = attribute(self.host.manifest(), "filter", &test.attribute)? else {
            return Ok(());
        };
        self.notices.extend(replace(&mut test.attribute, name));
        match &mut test.predicate {
            Predicate::In(values) => self.values(&test.attribute, values),
            Predicate::Compare(..) | Predicate::Contains(_) => Ok(()),
        }
    }

    fn values(&mut self, name: &str, values: &mut Vec<String>) -> Result<()> {
        let Some(attribute) = self.host.manifest().attribute(name).cloned() else { return Ok(()) };
        if !matches!(attribute.kind, AttributeKind::String | AttributeKind::Strings) {
            return Ok(());
        }
        let known = self.host.strings(&attribute)?;
        let kind = kind_of_values(name);
        let names = || known.iter().map(String::as_str);
        let mut more: Vec<String> = Vec::new();
        for value in values.iter_mut() {
            if is_found(&known, value) {
                if kind == NameKind::Person {
                    let others = other_spellings(value, names());
                    if !others.is_empty() {
                        let all = listed(&others);
                        self.tell(format!("`{value}` takes the other spellings too: {all}"));
                    }
                    more.extend(others.into_iter().map(str::to_owned));
                }
                continue;
            }
            match find_name(value, kind, names()) {
                NameMatch::One(one) => {
                    self.tell(format!("`{value}` was read as `{one}`, a value of `{name}`"));
                    one.clone_into(value);
                }
                NameMatch::Several(all) if kind.takes_all() => {
                    let told = listed(&all);
                    self.tell(format!("`{value}` takes all that fit it: {told}"));
                    more.extend(all.iter().skip(1).map(|one| (*one).to_owned()));
                    if let Some(first) = all.first() {
                        (*first).clone_into(value);
                    }
                }
                NameMatch::Several(all) => {
                    let all = listed(&all);
                    let message = format!(
                        "filter: expected one value of `{name}`, found `{value}`, which fits \
                         {all}; write the exact value, or {name}~part for all values with that part"
                    );
                    return Err(UsageError { code: "ambiguous", message }.into());
                }
                NameMatch::None => {}
            }
        }
        values.extend(more);
        Ok(())
    }

    fn tell(&mut self, message: String) {
        self.notices.push(Notice { code: READ_AS.into(), message });
    }
}

/// Returns whether the engine itself finds a value: it ignores case, and everything but letters and
/// digits.
fn is_found(known: &[String], value: &str) -> bool {
    if known.iter().any(|known| known == value) {
        return true;
    }
    let letters = |text: &str| {
        text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect::<String>()
    };
    let (lower, wanted) = (value.to_lowercase(), letters(value));
    known.iter().any(|known| known.to_lowercase() == lower)
        || (!wanted.is_empty() && known.iter().any(|known| letters(known) == wanted))
}

//! Filters as they are meant: attributes and values that a person typed become those of the bundle
//! by the rules of [`mod@crate::meant`], before the engine reads them.

use anyhow::Result;
use findling_bundle::AttributeKind;
use findling_engine::filter::{Condition, Predicate, Test};
use findling_engine::{Notice, Request};

use super::conditions::condition;
use crate::host::Host;
use crate::meant::{Meant, Names, listed, meant, names_of};
use crate::output::Asked;

/// Reads the filter of a request as it is meant, and tells how. What is spelt as the engine finds
/// it stays as it is, and what means nothing too: the engine then says what is wrong.
///
/// # Errors
/// If several attributes or values may be meant; if values cannot be read.
pub(crate) fn filter_as_meant(host: &mut Host, request: &mut Request) -> Result<Vec<Notice>> {
    let Some(filter) = &request.filter else { return Ok(Vec::new()) };
    let Ok(mut whole) = condition(filter) else { return Ok(Vec::new()) };
    let mut reader = Reader { host, notices: Vec::new() };
    reader.condition(&mut whole)?;
    let notices = reader.notices;
    if !notices.is_empty() {
        request.filter = Some(whole.to_json());
    }
    Ok(notices)
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
        let attributes = &self.host.manifest().attributes;
        let names = attributes.iter().map(|attribute| attribute.name.as_str());
        let name = match meant(&test.attribute, Names::Attributes, names) {
            Meant::One(name) => name.to_owned(),
            Meant::Several(all) => {
                let (typed, all) = (&test.attribute, listed(&all));
                let message = format!(
                    "filter: expected an attribute, found that `{typed}` may be {all}; write its \
                     name as it is"
                );
                return Err(Asked { code: "ambiguous", message }.into());
            }
            Meant::Nothing => return Ok(()),
        };
        if name != test.attribute {
            self.tell(format!("the attribute `{}` was read as `{name}`", test.attribute));
            test.attribute = name;
        }
        match &mut test.predicate {
            Predicate::In(values) => self.values(&test.attribute, values),
            Predicate::Compare(..) | Predicate::Contains(_) => Ok(()),
        }
    }

    fn values(&mut self, name: &str, values: &mut [String]) -> Result<()> {
        let Some(attribute) = self.host.manifest().attribute(name).cloned() else { return Ok(()) };
        if !matches!(attribute.kind, AttributeKind::String | AttributeKind::Strings) {
            return Ok(());
        }
        let known = self.host.strings(&attribute)?;
        for value in values {
            if is_found(&known, value) {
                continue;
            }
            match meant(value, names_of(name), known.iter().map(String::as_str)) {
                Meant::One(one) => {
                    self.tell(format!("`{value}` was read as `{one}`, a value of `{name}`"));
                    one.clone_into(value);
                }
                Meant::Several(all) => {
                    let all = listed(&all);
                    let message = format!(
                        "filter: expected a value of `{name}`, found that `{value}` may be {all}; \
                         write it as it is, or {name}~part for all values with a part"
                    );
                    return Err(Asked { code: "ambiguous", message }.into());
                }
                Meant::Nothing => {}
            }
        }
        Ok(())
    }

    fn tell(&mut self, message: String) {
        self.notices.push(Notice { code: "read-as".into(), message });
    }
}

/// Whether the engine finds a value itself: as it is, in another case, or with something else
/// between letters and digits.
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

//! A parsed condition, independent of its spelling, and its canonical spelling.

use std::borrow::Cow;
use std::fmt;

use findling_text::normalise::visible;

/// A condition on the attributes of a page.
///
/// In the form that the parsers give it: `All` holds no `All`, `Any` no `Any` and `Not` no `Not`
/// directly, and `All` and `Any` never hold exactly one condition. Build it with
/// [`Condition::all`], [`Condition::any`] and [`Condition::not`], which keep these rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// All of these conditions. An empty list: every page.
    All(Vec<Condition>),
    /// At least one of these conditions. An empty list: no page.
    Any(Vec<Condition>),
    /// Not this condition. Pages without the attributes it tests pass.
    Not(Box<Condition>),
    /// One test of one attribute.
    Test(Test),
}

/// One test of one attribute. Values are text until the attribute's type is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The attribute's name.
    pub attribute: String,
    /// The test of its value.
    pub predicate: Predicate,
}

/// A test of a value. A set of strings passes if one of its members passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// Whether the value is one of these.
    In(Vec<String>),
    /// Whether the value lies on this side of a number or date.
    Compare(Bound, String),
    /// Whether the value is a string that contains this text, ignoring case.
    Contains(String),
}

/// The sides of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Above.
    Gt,
    /// At or above.
    Gte,
    /// Below.
    Lt,
    /// At or below.
    Lte,
}

impl Bound {
    /// Returns the operator's name in filters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gt => "gt",
            Self::Gte => "gte",
            Self::Lt => "lt",
            Self::Lte => "lte",
        }
    }
}

impl Condition {
    /// Returns each of these conditions.
    #[doc(alias = "not deferred")]
    pub fn all(conditions: impl IntoIterator<Item = Self>) -> Self {
        let mut parts = Vec::new();
        for condition in conditions {
            match condition {
                Self::All(nested) => parts.extend(nested),
                other => parts.push(other),
            }
        }
        if parts.len() == 1 { parts.remove(0) } else { Self::All(parts) }
    }

    /// Returns a condition that holds if at least one of these conditions holds.
    pub fn any(conditions: impl IntoIterator<Item = Self>) -> Self {
        let mut parts = Vec::new();
        for condition in conditions {
            match condition {
                Self::Any(nested) => parts.extend(nested),
                other => parts.push(other),
            }
        }
        if parts.len() == 1 { parts.remove(0) } else { Self::Any(parts) }
    }

    /// Returns the opposite condition.
    #[allow(clippy::should_implement_trait)]
    pub fn not(condition: Self) -> Self {
        match condition {
            Self::Not(inner) => *inner,
            Self::All(parts) if parts.is_empty() => Self::Any(parts),
            Self::Any(parts) if parts.is_empty() => Self::All(parts),
            other => Self::Not(Box::new(other)),
        }
    }

    /// Returns the test of one attribute. Invisible characters are removed from its values, as from
    /// the pages' attributes.
    pub fn test(attribute: impl Into<String>, mut predicate: Predicate) -> Self {
        let clean = |value: &mut String| {
            if let Cow::Owned(clean) = visible(value) {
                *value = clean;
            }
        };
        match &mut predicate {
            Predicate::In(values) => values.iter_mut().for_each(clean),
            Predicate::Compare(_, value) | Predicate::Contains(value) => clean(value),
        }
        Self::Test(Test { attribute: attribute.into(), predicate })
    }

    /// Returns whether every page passes, regardless of its attributes.
    pub fn is_everything(&self) -> bool {
        matches!(self, Self::All(parts) if parts.is_empty())
    }

    /// Returns the condition without its part about one attribute. `None` if it has no such part,
    /// or the part cannot be separated.
    pub fn without(&self, attribute: &str) -> Option<Self> {
        let is_of = |part: &Self| part.tests().iter().all(|test| test.attribute == attribute);
        let parts = match self {
            Self::All(parts) => &parts[..],
            one => std::slice::from_ref(one),
        };
        let others: Vec<Self> = parts.iter().filter(|part| !is_of(part)).cloned().collect();
        (others.len() < parts.len()).then(|| Self::all(others))
    }

    /// Returns every test in the condition, in order.
    pub fn tests(&self) -> Vec<&Test> {
        let mut tests = Vec::new();
        self.visit(&mut |test| tests.push(test));
        tests
    }

    fn visit<'a>(&'a self, f: &mut impl FnMut(&'a Test)) {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.visit(f)),
            Self::Not(inner) => inner.visit(f),
            Self::Test(test) => f(test),
        }
    }
}

/// The canonical spelling: text if the condition is a list of tests that must all hold, JSON
/// otherwise.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_terms() {
            Some(terms) => {
                for (i, &(test, negated)) in terms.iter().enumerate() {
                    let repeated = terms
                        .iter()
                        .filter(|(other, _)| pair(other) && other.attribute == test.attribute)
                        .count()
                        > 1;
                    let comma = if i == 0 { "" } else { "," };
                    write!(f, "{comma}{}", Term { test, negated, repeated })?;
                }
                Ok(())
            }
            None => write!(f, "{}", self.to_json()),
        }
    }
}

impl Condition {
    /// Returns the tests, and whether each is negated, if text can express the condition.
    fn as_terms(&self) -> Option<Vec<(&Test, bool)>> {
        let term = |condition: &'_ Self| match condition {
            Self::Test(_) => true,
            Self::Not(inner) => matches!(&**inner, Self::Test(test) if pair(test)),
            _ => false,
        };
        let parts = match self {
            Self::All(parts) => parts.as_slice(),
            other => std::slice::from_ref(other),
        };
        parts.iter().all(term).then(|| {
            parts
                .iter()
                .filter_map(|part| match part {
                    Self::Test(test) => Some((test, false)),
                    Self::Not(inner) => match &**inner {
                        Self::Test(test) => Some((test, true)),
                        _ => None,
                    },
                    _ => None,
                })
                .collect()
        })
    }

    /// Returns the condition as JSON that [`super::from_json`] reads back.
    pub fn to_json(&self) -> serde_json::Value {
        let object = |key: &str, value: serde_json::Value| {
            serde_json::Value::Object([(key.to_owned(), value)].into_iter().collect())
        };
        let array = |parts: &[Self]| parts.iter().map(Self::to_json).collect::<serde_json::Value>();
        match self {
            Self::All(parts) => object("must", array(parts)),
            // At least one of an empty list: no page passes.
            Self::Any(parts) if parts.is_empty() => {
                object("must_not", Self::All(Vec::new()).to_json())
            }
            Self::Any(parts) => object("should", array(parts)),
            Self::Not(inner) => object("must_not", inner.to_json()),
            Self::Test(Test { attribute, predicate }) => match predicate {
                Predicate::In(values) if values.len() == 1 => {
                    object("match", object(attribute, values[0].as_str().into()))
                }
                Predicate::In(values) => {
                    object("any", object(attribute, values.iter().map(String::as_str).collect()))
                }
                Predicate::Compare(bound, value) => {
                    object("range", object(attribute, object(bound.name(), value.as_str().into())))
                }
                Predicate::Contains(part) => {
                    object("text", object(attribute, part.as_str().into()))
                }
            },
        }
    }
}

/// Returns whether a test can be spelt `key=value`.
fn pair(test: &Test) -> bool {
    matches!(&test.predicate, Predicate::In(values) if values.len() == 1)
}

struct Term<'a> {
    test: &'a Test,
    negated: bool,
    /// Whether another `key=value` has the same key, so that the two would be read as alternatives.
    repeated: bool,
}

impl fmt::Display for Term<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = Quoted(&self.test.attribute, "=:,");
        match &self.test.predicate {
            Predicate::In(values) if values.len() == 1 => {
                let op = match (self.negated, self.repeated) {
                    (true, _) => ":ne:",
                    (_, true) => ":eq:",
                    _ => "=",
                };
                write!(f, "{key}{op}{}", Quoted(&values[0], ","))
            }
            Predicate::In(values) => {
                write!(f, "{key}:in:")?;
                for (i, value) in values.iter().enumerate() {
                    write!(f, "{}{}", if i == 0 { "" } else { "|" }, Quoted(value, ",|"))?;
                }
                Ok(())
            }
            Predicate::Compare(bound, value) => {
                write!(f, "{key}:{}:{}", bound.name(), Quoted(value, ","))
            }
            Predicate::Contains(part) => write!(f, "{key}:contains:{}", Quoted(part, ",")),
        }
    }
}

/// Text, quoted if it would otherwise be read as something else: if it contains one of the given
/// characters, is empty, begins with a quote or has white space at an end.
struct Quoted<'a>(&'a str, &'static str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(text, special) = *self;
        let plain = !text.is_empty()
            && text.trim() == text
            && !text.starts_with(['"', '\'', '{'])
            && !text.contains(|c| special.contains(c));
        if plain {
            return f.write_str(text);
        }
        f.write_str("\"")?;
        for c in text.chars() {
            if matches!(c, '"' | '\\') {
                f.write_str("\\")?;
            }
            write!(f, "{c}")?;
        }
        f.write_str("\"")
    }
}

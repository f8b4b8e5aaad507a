//! The parameters of the routes. Their description, `openapi.json`, is the same as for the endpoint
//! for Workers and Node: `npm run openapi` writes it from the endpoint's table of parameters. So
//! both accept and refuse the same requests.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use findling_bundle::addresses::percent_decoded;
use serde_json::Value;

use crate::output::UsageError;

static DESCRIPTION: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("openapi.json")).unwrap_or_default());

/// Returns the description of all routes: OpenAPI 3.1.
pub fn description() -> &'static Value {
    &DESCRIPTION
}

/// The values of a request's parameters, each of the type that its description has.
#[derive(Debug, Default, PartialEq)]
pub struct Values(BTreeMap<String, Given>);

#[derive(Debug, PartialEq)]
enum Given {
    Text(String),
    Number(u32),
    Truth(bool),
    Texts(Vec<String>),
}

impl Values {
    /// Returns a text or a choice.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.0.get(name)? {
            Given::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a text that is not empty.
    pub fn filled(&self, name: &str) -> Option<&str> {
        self.text(name).filter(|text| !text.is_empty())
    }

    /// Returns a whole number.
    pub fn number(&self, name: &str) -> Option<u32> {
        match self.0.get(name)? {
            Given::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns a flag.
    pub fn truth(&self, name: &str) -> Option<bool> {
        match self.0.get(name)? {
            Given::Truth(truth) => Some(*truth),
            _ => None,
        }
    }

    /// Returns the texts of a parameter that may be given several times.
    pub fn texts(&self, name: &str) -> &[String] {
        match self.0.get(name) {
            Some(Given::Texts(texts)) => texts,
            _ => &[],
        }
    }
}

/// Reads the query string of a request for a route.
///
/// # Errors
/// If a parameter is not known, not valid or missing; names the first of them.
pub fn read(route: &str, query: &str) -> Result<Values, UsageError> {
    let known = parameters_of(route);
    let mut given: Vec<(String, Vec<String>)> = Vec::new();
    for (name, value) in pairs(query) {
        match given.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => values.push(value),
            None => given.push((name, vec![value])),
        }
    }
    let mut values = Values::default();
    for (name, texts) in given {
        let Some(parameter) = known.iter().find(|parameter| parameter.name == name) else {
            let known: Vec<&str> = known.iter().map(|parameter| parameter.name).collect();
            let known = known.join(", ");
            return Err(request(format!("unknown parameter `{name}`; expected one of {known}")));
        };
        values.0.insert(name, parameter.value(texts)?);
    }
    let missing = known.iter().find(|one| one.is_required && !values.0.contains_key(one.name));
    match missing {
        Some(parameter) => Err(parameter.refuse("no such parameter")),
        None => Ok(values),
    }
}

fn request(message: String) -> UsageError {
    UsageError { code: "request", message }
}

/// Returns the names and values of a query string.
fn pairs(query: &str) -> impl Iterator<Item = (String, String)> {
    let parts = query.split('&').filter(|part| !part.is_empty());
    parts.map(|part| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let plain = |text: &str| percent_decoded(&text.replace('+', " "));
        (plain(name), plain(value))
    })
}

/// A parameter and its description.
struct Parameter<'a> {
    name: &'a str,
    is_required: bool,
    description: &'a str,
    schema: &'a Value,
}

fn parameters_of(route: &str) -> Vec<Parameter<'static>> {
    let listed = DESCRIPTION["paths"][route]["get"]["parameters"].as_array();
    let one = |parameter: &'static Value| Parameter {
        name: parameter["name"].as_str().unwrap_or_default(),
        is_required: parameter["required"].as_bool().unwrap_or_default(),
        description: parameter["description"].as_str().unwrap_or_default(),
        schema: &parameter["schema"],
    };
    listed.into_iter().flatten().map(one).collect()
}

impl Parameter<'_> {
    fn value(&self, mut texts: Vec<String>) -> Result<Given, UsageError> {
        let kind = self.schema["type"].as_str().unwrap_or_default();
        if kind == "array" {
            let longest = self.schema["items"]["maxLength"].as_u64();
            texts.iter().try_for_each(|text| self.check_length(text, longest))?;
            texts.retain(|text| !text.trim().is_empty());
            let most = self.schema["maxItems"].as_u64().unwrap_or(u64::MAX);
            if texts.len() as u64 > most {
                return Err(self.expected(&format!("at most {most} of them"), texts.len()));
            }
            return Ok(Given::Texts(texts));
        }
        let n = texts.len();
        let Some(text) = texts.pop().filter(|_| n == 1) else {
            return Err(self.expected("the parameter once", format!("it {n} times")));
        };
        if kind == "integer" {
            return self.integer(&text).map(Given::Number);
        }
        let choices = self.schema["enum"].as_array().map(|list| list.iter().map(Value::as_str));
        let choices: Vec<&str> = choices.into_iter().flatten().flatten().collect();
        match choices.as_slice() {
            [] => {
                self.check_length(&text, self.schema["maxLength"].as_u64())?;
                Ok(Given::Text(text))
            }
            ["0", "1"] => match text.as_str() {
                "" | "1" | "true" => Ok(Given::Truth(true)),
                "0" | "false" => Ok(Given::Truth(false)),
                _ => Err(self.expected("1 or 0", format!("`{text}`"))),
            },
            choices if choices.contains(&text.as_str()) => Ok(Given::Text(text)),
            choices => Err(self.expected(&choices.join(" or "), format!("`{text}`"))),
        }
    }

    fn integer(&self, text: &str) -> Result<u32, UsageError> {
        let bound = |name: &str| self.schema[name].as_u64();
        let (least, most) = (bound("minimum").unwrap_or(0), bound("maximum").unwrap_or(u64::MAX));
        let is_number = (1..=9).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        let number = text.parse().ok().filter(|_| is_number);
        number.filter(|&number: &u32| (least..=most).contains(&number.into())).ok_or_else(|| {
            let expected = format!("a whole number from {least} to {most}");
            self.expected(&expected, format!("`{text}`"))
        })
    }

    /// Checks the characters of a text, as JavaScript counts them.
    fn check_length(&self, text: &str, most: Option<u64>) -> Result<(), UsageError> {
        let length = text.encode_utf16().count();
        match most {
            Some(most) if length as u64 > most => {
                Err(self.expected(&format!("at most {most} characters"), length))
            }
            _ => Ok(()),
        }
    }

    fn expected(&self, expected: &str, found: impl std::fmt::Display) -> UsageError {
        let name = self.name;
        let message =
            format!("the parameter `{name}` is not valid: expected {expected}, found {found}");
        request(message)
    }

    fn refuse(&self, found: &str) -> UsageError {
        self.expected(&format!("a value ({})", self.description.trim_end_matches('.')), found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_by_their_description() {
        let read = |query: &str| super::read("/search", query).unwrap();
        let values =
            read("q=a+b%2Bc%C3%BC&k=3&explain&suggest=0&also=x&also=+&also=y&mode=lexical");
        assert_eq!(values.text("q"), Some("a b+cü"));
        assert_eq!(values.number("k"), Some(3));
        assert_eq!((values.truth("explain"), values.truth("suggest")), (Some(true), Some(false)));
        assert_eq!(values.texts("also"), ["x", "y"]);
        assert_eq!(values.text("mode"), Some("lexical"));
        assert_eq!((values.number("offset"), values.truth("prefix")), (None, None));
        assert_eq!(values.texts("facets"), [""; 0]);
        assert_eq!(read("q=&filter=").filled("filter"), None);
    }

    #[test]
    fn what_is_not_valid_is_refused_by_name() {
        let long = format!("q={}", "a".repeat(1001));
        for (route, query, name) in [
            ("/search", "", "q"),
            ("/search", "k=3", "q"),
            ("/search", "q=a&k=101", "k"),
            ("/search", "q=a&k=-1", "k"),
            ("/search", "q=a&k=", "k"),
            ("/search", "q=a&k=1e1", "k"),
            ("/search", "q=a&sections=0", "sections"),
            ("/search", "q=a&offset=10001", "offset"),
            ("/search", "q=a&q=b", "q"),
            ("/search", "q=a&mode=psychic", "mode"),
            ("/search", "q=a&explain=perhaps", "explain"),
            ("/search", "q=a&limit=3", "limit"),
            ("/search", "q=a&also=1&also=2&also=3&also=4&also=5", "also"),
            ("/search", long.as_str(), "q"),
            ("/similar", "q=a", "q"),
            ("/suggest", "q=a&k=21", "k"),
            ("/page", "", "url"),
            ("/health", "q=a", "q"),
        ] {
            let error = read(route, query).unwrap_err();
            assert_eq!(error.code, "request");
            let message = &error.message;
            assert!(message.contains(&format!("`{name}`")), "{route} {query}: {message}");
        }
    }

    #[test]
    fn every_route_is_described() {
        for route in ["/search", "/similar", "/suggest", "/page", "/health", "/openapi.json"] {
            assert!(description()["paths"][route]["get"].is_object(), "{route}");
        }
    }
}

//! Front matter: YAML between `---` lines, TOML between `+++` lines.

use serde_json::{Map, Value};

/// The two languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Syntax {
    Yaml,
    Toml,
}

/// A page's front matter, not parsed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrontMatter<'a> {
    syntax: Syntax,
    text: &'a str,
}

/// Splits the front matter from a page.
pub(super) fn split(page: &str) -> (Option<FrontMatter<'_>>, &str) {
    let page = page.trim_start_matches('\u{feff}');
    let (first, rest) = page.split_once('\n').unwrap_or((page, ""));
    let (syntax, ends): (_, &[&str]) = match first.trim_end() {
        "---" => (Syntax::Yaml, &["---", "..."]),
        "+++" => (Syntax::Toml, &["+++"]),
        _ => return (None, page),
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if ends.contains(&line.trim_end()) {
            return (Some(FrontMatter { syntax, text: &rest[..at] }), &rest[at + line.len()..]);
        }
        at += line.len();
    }
    // This is only a thematic break at the beginning.
    (None, page)
}

impl FrontMatter<'_> {
    /// Parses the fields; dates become strings. The error has the line in the file, if known.
    pub fn parse(&self) -> Result<Map<String, Value>, (Option<u64>, String)> {
        match self.syntax {
            _ if self.text.trim().is_empty() => Ok(Map::new()),
            // As in generators, the last of repeated fields counts.
            Syntax::Yaml => match serde_saphyr::from_str_with_options::<Value>(
                self.text,
                serde_saphyr::options! {
                    duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins,
                    strict_booleans: true,
                },
            ) {
                Ok(Value::Object(fields)) => Ok(fields),
                Ok(Value::Null) => Ok(Map::new()),
                Ok(_) => Err((Some(2), "expected lines `name: value`".to_owned())),
                Err(error) => {
                    let line = error.location().map(|location| location.line() + 1);
                    Err((line, first_line(&error.to_string())))
                }
            },
            Syntax::Toml => match self.text.parse::<toml::Table>() {
                Ok(table) => {
                    Ok(table.into_iter().map(|(name, value)| (name, json(value))).collect())
                }
                Err(error) => {
                    let line = error.span().map(|span| {
                        self.text[..span.start.min(self.text.len())].matches('\n').count() as u64
                            + 2
                    });
                    Err((line, first_line(error.message())))
                }
            },
        }
    }
}

fn first_line(message: &str) -> String {
    message
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("unknown error")
        .trim()
        .to_owned()
}

fn json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => Value::from(number),
        toml::Value::Float(number) => {
            serde_json::Number::from_f64(number).map_or(Value::Null, Value::Number)
        }
        toml::Value::Boolean(value) => Value::Bool(value),
        toml::Value::Datetime(date) => Value::String(date.to_string()),
        toml::Value::Array(values) => Value::Array(values.into_iter().map(json).collect()),
        toml::Value::Table(table) => {
            Value::Object(table.into_iter().map(|(name, value)| (name, json(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(page: &str, fields: &str, body: &str) {
        let (front, rest) = split(page);
        let found = front.map(|front| front.parse().expect("front matter")).unwrap_or_default();
        assert_eq!(
            Value::Object(found),
            serde_json::from_str::<Value>(fields).expect("JSON"),
            "{page:?}"
        );
        assert_eq!(rest, body);
    }

    #[test]
    fn both_languages() {
        check(
            "---\ntitle: A\ntags: [x, y]\nn: 3\ndate: 2024-01-02\n---\nbody",
            r#"{"title":"A","tags":["x","y"],"n":3,"date":"2024-01-02"}"#,
            "body",
        );
        check(
            "+++\r\ntitle = 'A'\r\ndate = 2024-01-02T03:04:05Z\r\n+++\r\nbody",
            r#"{"title":"A","date":"2024-01-02T03:04:05Z"}"#,
            "body",
        );
        check("---\n---\nbody", "{}", "body");
        check("---\na: 1\na: 2\n---\n", r#"{"a":2}"#, "");
    }

    #[test]
    fn pages_without_any() {
        check("# Title\n---\n", "{}", "# Title\n---\n");
        check("---\nA rule above.", "{}", "---\nA rule above.");
    }

    #[test]
    fn errors_have_the_line_in_the_file() {
        let (front, _) = split("---\ntitle: A\nb: [1\n---\n");
        assert!(front.expect("front matter").parse().is_err());
        let (front, _) = split("+++\ntitle = 'A'\nb = \n+++\n");
        assert_eq!(front.expect("front matter").parse().expect_err("an error").0, Some(3));
    }
}

//! Conditions as text: `key=value,key:op:value`.

use serde_json::Value;

use super::{
    Bound, Condition, FilterError, MAX_LEN, MAX_TESTS, MAX_VALUES, Predicate, Test, from_json,
};
use crate::messages::quote;

/// Parses a condition in any of its spellings. Text that is only white space is the condition that
/// every page meets.
///
/// # Errors
/// If the text is not a condition; the error names the place and what was expected.
pub fn parse(text: &str) -> Result<Condition, FilterError> {
    if text.len() > MAX_LEN {
        return Err(FilterError {
            position: format!("character {}", MAX_LEN + 1),
            expected: format!("at most {MAX_LEN} bytes"),
            found: format!("{}", text.len()),
            remedy: "ask for fewer values, or mark the pages meant by an attribute of their own"
                .into(),
        });
    }
    match read_json(text)? {
        Some(value) => from_json(&value),
        None => terms(text),
    }
}

/// Returns the JSON that a text is, if it begins like an object.
pub(super) fn read_json(text: &str) -> Result<Option<Value>, FilterError> {
    if !text.trim_start().starts_with('{') {
        return Ok(None);
    }
    serde_json::from_str(text).map(Some).map_err(|error| FilterError {
        position: format!("line {}, column {} of the JSON", error.line(), error.column()),
        expected: "a JSON object".into(),
        found: error.to_string(),
        remedy: "correct the JSON, or write `key=value`".into(),
    })
}

/// Parses text that is not JSON.
pub(super) fn terms(text: &str) -> Result<Condition, FilterError> {
    if text.trim().is_empty() {
        return Ok(Condition::all([]));
    }
    Terms { text, at: 0 }.all()
}

/// The operators of `key:op:value`.
const OPERATORS: &str = "eq, ne, in, gt, gte, lt, lte or contains";

/// A cursor over the text of a condition.
struct Terms<'a> {
    text: &'a str,
    /// The position in bytes.
    at: usize,
}

impl<'a> Terms<'a> {
    fn all(mut self) -> Result<Condition, FilterError> {
        let mut parts: Vec<Condition> = Vec::new();
        // Indices of the tests of each `key=` among the parts, so that the next one with the same
        // key can join it.
        let mut pairs: Vec<(String, usize)> = Vec::new();
        let mut n_values = 0;
        loop {
            if parts.len() == MAX_TESTS || n_values > MAX_VALUES {
                return Err(self.error(
                    &format!("at most {MAX_TESTS} tests and {MAX_VALUES} values"),
                    "mark the pages meant by an attribute of their own",
                ));
            }
            let key = self.word(
                "an attribute's name",
                "=:,",
                "write `key=value` or `key:operator:value`",
            )?;
            if self.take('=') {
                let value = self.value(",")?;
                n_values += 1;
                match pairs.iter().find(|(known, _)| *known == key) {
                    Some(&(_, i)) => {
                        if let Condition::Test(Test { predicate: Predicate::In(values), .. }) =
                            &mut parts[i]
                            && !values.contains(&value)
                        {
                            values.push(value);
                        }
                    }
                    None => {
                        pairs.push((key.clone(), parts.len()));
                        parts.push(Condition::test(key, Predicate::In(vec![value])));
                    }
                }
            } else if self.take(':') {
                let condition = self.operator(key)?;
                if let Condition::Test(Test { predicate: Predicate::In(values), .. }) = &condition {
                    n_values += values.len();
                }
                parts.push(condition);
            } else {
                return Err(self.error(
                    &format!("`=` or `:` after `{key}`"),
                    &format!(
                        "write `{key}=value` or `{key}:operator:value`, and quote values that \
                         contain a comma"
                    ),
                ));
            }
            self.space();
            if self.rest().is_empty() {
                return Ok(Condition::all(parts));
            }
            if !self.take(',') {
                return Err(self.error(
                    "a comma or the end",
                    "quote the whole value, or separate conditions by commas",
                ));
            }
        }
    }

    /// Parses the text after `key:`.
    fn operator(&mut self, key: String) -> Result<Condition, FilterError> {
        let start = self.at;
        let name = self.bare(":,").trim();
        let compare = match name {
            "gt" => Some(Bound::Gt),
            "gte" => Some(Bound::Gte),
            "lt" => Some(Bound::Lt),
            "lte" => Some(Bound::Lte),
            _ => None,
        };
        let known = compare.is_some() || matches!(name, "eq" | "ne" | "in" | "contains");
        if !known || !self.take(':') {
            let known = if known {
                format!("`:` and a value after `{name}`")
            } else {
                format!("an operator, {OPERATORS}")
            };
            self.at = start;
            return Err(self.error(
                &known,
                &format!("write `{key}:operator:value`, or `{key}={name}` for equality"),
            ));
        }
        if let Some(bound) = compare {
            return Ok(Condition::test(key, Predicate::Compare(bound, self.value(",")?)));
        }
        Ok(match name {
            "in" => {
                let mut values = Vec::new();
                loop {
                    let value = self.value(",|")?;
                    if !values.contains(&value) {
                        values.push(value);
                    }
                    self.space();
                    if !self.take('|') {
                        break Condition::test(key, Predicate::In(values));
                    }
                }
            }
            "contains" => Condition::test(key, Predicate::Contains(self.value(",")?)),
            "ne" => Condition::not(Condition::test(key, Predicate::In(vec![self.value(",")?]))),
            _ => Condition::test(key, Predicate::In(vec![self.value(",")?])),
        })
    }

    fn value(&mut self, end: &str) -> Result<String, FilterError> {
        self.word(
            "a value",
            end,
            "write one, or `\"\"` for the empty string; quote values with commas",
        )
    }

    /// Returns a quoted or bare word, not empty unless quoted, up to one of the given characters.
    fn word(&mut self, what: &str, end: &str, remedy: &str) -> Result<String, FilterError> {
        self.space();
        let quoted = self.rest().chars().next().filter(|c| matches!(c, '"' | '\''));
        if let Some(mark) = quoted {
            return self.quoted(mark);
        }
        let word = self.bare(end).trim_end();
        if word.is_empty() {
            return Err(self.error(what, remedy));
        }
        Ok(word.to_owned())
    }

    fn quoted(&mut self, mark: char) -> Result<String, FilterError> {
        let mut word = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((i, c)) = chars.next() {
            if c == mark {
                self.at += i + 1;
                self.space();
                return Ok(word);
            }
            // Before any other character, a backslash is a plain backslash, as in Windows paths.
            if c == '\\' && self.rest()[i + 1..].starts_with([mark, '\\']) {
                word.extend(chars.next().map(|(_, c)| c));
            } else {
                word.push(c);
            }
        }
        Err(self.error(
            &format!("a closing {mark}"),
            &format!("end the value with {mark}, and write \\{mark} for one inside"),
        ))
    }

    fn bare(&mut self, end: &str) -> &'a str {
        let rest = self.rest();
        let len = rest.find(|c| end.contains(c)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn take(&mut self, c: char) -> bool {
        let taken = self.rest().starts_with(c);
        if taken {
            self.at += c.len_utf8();
        }
        taken
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn error(&self, expected: &str, remedy: &str) -> FilterError {
        FilterError {
            position: format!("character {}", self.text[..self.at].chars().count() + 1),
            expected: expected.into(),
            found: quote(self.rest()),
            remedy: remedy.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(key: &str, values: &[&str]) -> Condition {
        Condition::test(key, Predicate::In(values.iter().map(|v| v.to_string()).collect()))
    }

    #[test]
    fn pairs_and_operators_become_conditions() {
        fn check(text: &str, expect: Condition, canonical: &str) {
            let parsed = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(parsed, expect, "{text}");
            assert_eq!(parsed.to_string(), canonical);
            assert_eq!(parse(canonical).as_ref(), Ok(&parsed), "{canonical} parses back");
        }
        let compare = |key: &str, bound, value: &str| {
            Condition::test(key, Predicate::Compare(bound, value.into()))
        };
        check("", Condition::All(vec![]), "");
        check("book=book", is("book", &["book"]), "book=book");
        check(
            " book = the book , lang=en",
            Condition::all([is("book", &["the book"]), is("lang", &["en"])]),
            "book=the book,lang=en",
        );
        check("lang=en,lang=de,lang=en", is("lang", &["en", "de"]), "lang:in:en|de");
        check(
            "tags:eq:a,tags:eq:b",
            Condition::all([is("tags", &["a"]), is("tags", &["b"])]),
            "tags:eq:a,tags:eq:b",
        );
        check(
            "lang:in: en | \"d|e\" |'x'",
            is("lang", &["en", "d|e", "x"]),
            "lang:in:en|\"d|e\"|x",
        );
        check(
            "year:gte:2020,year:lt:2022",
            Condition::all([
                compare("year", Bound::Gte, "2020"),
                compare("year", Bound::Lt, "2022"),
            ]),
            "year:gte:2020,year:lt:2022",
        );
        check(
            "date:gt:2024-05-17T10:20:30Z",
            compare("date", Bound::Gt, "2024-05-17T10:20:30Z"),
            "date:gt:2024-05-17T10:20:30Z",
        );
        check("a:lte:-1.5", compare("a", Bound::Lte, "-1.5"), "a:lte:-1.5");
        check("a:ne:b", Condition::not(is("a", &["b"])), "a:ne:b");
        check(
            "t:contains:a b",
            Condition::test("t", Predicate::Contains("a b".into())),
            "t:contains:a b",
        );
        check(
            r#"t="say \"hi\", a\b\\""#,
            is("t", &[r#"say "hi", a\b\"#]),
            r#"t="say \"hi\", a\\b\\""#,
        );
        check("t=''", is("t", &[""]), "t=\"\"");
        check("t=5\" disk", is("t", &["5\" disk"]), "t=5\" disk");
        check("url=https://a.b/c?d=e", is("url", &["https://a.b/c?d=e"]), "url=https://a.b/c?d=e");
        check("'a:b'=c", is("a:b", &["c"]), "\"a:b\"=c");
        check("größe=ü", is("größe", &["ü"]), "größe=ü");
        check("v=\"{\"", is("v", &["{"]), "v=\"{\"");
    }

    #[test]
    fn errors_say_where_what_and_what_to_do() {
        fn check(text: &str, position: &str, expected: &str, found: &str) {
            let error = parse(text).expect_err(text);
            assert_eq!(error.position, position, "{text}: {error}");
            assert!(error.expected.contains(expected), "{text}: {error}");
            assert_eq!(error.found, found, "{text}: {error}");
            assert!(!error.remedy.is_empty());
        }
        check("book", "character 5", "`=` or `:` after `book`", "nothing");
        check("=a", "character 1", "an attribute's name", "`=a`");
        check("a=b,", "character 5", "an attribute's name", "nothing");
        check("a=b,,c=d", "character 5", "an attribute's name", "`,c=d`");
        check("a=", "character 3", "a value", "nothing");
        check("größe:xx:1", "character 7", "an operator, eq", "`xx:1`");
        check("lang:en", "character 6", "an operator", "`en`");
        check("a:gt", "character 3", "`:` and a value after `gt`", "`gt`");
        check("a:in:b||c", "character 8", "a value", "`|c`");
        check("a=\"b", "character 3", "a closing \"", "`\"b`");
        check("a=\"b\"c", "character 6", "a comma or the end", "`c`");
        check(
            "{\"a\": }",
            "line 1, column 7 of the JSON",
            "a JSON object",
            "expected value at line 1 column 7",
        );
    }

    #[test]
    fn limits_hold() {
        assert!(parse(&"a".repeat(MAX_LEN + 1)).is_err());
        let many = |n: usize| (0..n).map(|i| format!("k{i}=v")).collect::<Vec<_>>().join(",");
        assert!(parse(&many(MAX_TESTS)).is_ok());
        assert!(parse(&many(MAX_TESTS + 1)).is_err());
        assert!(parse(&"[".repeat(50_000)).is_err());
        assert!(parse(&"{\"must\":".repeat(7_000)).is_err());
    }
}

//! Filters as people write them, beside the spellings that the engine parses.
//!
//! | spelling | means |
//! |---|---|
//! | `key=value`, `key!=value` | it is this, it is not this |
//! | `key>=2020`, `key>2020`, `key<=2020`, `key<2020` | it lies on this side |
//! | `key in a, b, c`, `key:in:a, b, c` | it is one of these |
//! | `key~part` | it has this part |
//! | `a and b`, `a, b`, `a or b`, `not a`, `(a or b) and c` | all, one, none of them |
//!
//! `not` binds more strongly than `and`, and `and` more strongly than `or`. A term that the engine
//! knows (`key:op:value`) may stand anywhere. Values with commas, brackets or these words are
//! quoted.

use findling_engine::filter::{Bound, Condition, Predicate, Test, parse};
use serde_json::Value;

/// Maximum number of nested brackets and negations.
const MAX_DEPTH: usize = 12;
/// Maximum number of bytes of an expression. The engine reads longer filters in its own spelling.
const MAX_LEN: usize = 8 << 10;

/// Parses a filter: JSON, or an expression.
///
/// # Errors
/// The error: what was expected and what was found.
pub fn parse_filter(text: &str) -> Result<Value, String> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| {
            format!(
                "expected a filter in JSON, because it begins with {{, found invalid JSON: {error}"
            )
        });
    }
    // The start of a long filter is enough to recognise it.
    if !is_expression(&text[..text.floor_char_boundary(MAX_LEN)]) {
        // The engine parses its own spelling and reports errors itself.
        return Ok(text.into());
    }
    if text.len() > MAX_LEN {
        return Err(format!(
            "expected at most {MAX_LEN} bytes with `and`, `or` or `not`, found {}: ask for fewer \
             values, or write `key:in:a|b|c`",
            text.len()
        ));
    }
    let mut parser = Parser { rest: text, depth: 0 };
    let condition = parser.any()?;
    match parser.rest.trim_start() {
        "" => Ok(condition.to_json()),
        rest => Err(format!("expected `and`, `or` or the end, found `{}`", short(rest))),
    }
}

/// Returns whether a filter uses syntax that the engine's own spelling does not have.
fn is_expression(text: &str) -> bool {
    let mut parser = Parser { rest: text, depth: 0 };
    loop {
        let rest = parser.rest.trim_start();
        if rest.starts_with('(') || word(rest, "not").is_some() {
            return true;
        }
        let Ok((_, operator)) = parser.key_and_operator() else { return false };
        if !matches!(operator, Operator::Equal | Operator::Named) || parser.after_in().is_some() {
            return true;
        }
        if parser.value(&[',']).is_err() {
            return false;
        }
        let rest = parser.rest.trim_start();
        if word(rest, "and").or_else(|| word(rest, "or")).is_some() {
            return true;
        }
        match rest.strip_prefix(',') {
            Some(next) => parser.rest = next,
            None => return false,
        }
    }
}

/// The operator between a key and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Compare(Bound),
    Part,
    In,
    /// `:`, before the name of an operator of the engine.
    Named,
}

/// A cursor over a filter.
struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn any(&mut self) -> Result<Condition, String> {
        let mut parts = vec![self.all()?];
        while self.take_word("or") {
            parts.push(self.all()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Condition::any(parts) })
    }

    /// Returns terms that must all hold. `key=a, key=b` asks for any of the two, as in the engine's
    /// spelling.
    fn all(&mut self) -> Result<Condition, String> {
        let mut parts: Vec<Condition> = Vec::new();
        let mut pairs: Vec<usize> = Vec::new();
        loop {
            let (condition, is_pair) = self.term()?;
            let earlier = pairs.iter().copied().filter(|_| is_pair).find(|&at| {
                matches!((&parts[at], &condition),
                    (Condition::Test(a), Condition::Test(b)) if a.attribute == b.attribute)
            });
            match (earlier, condition) {
                (Some(at), Condition::Test(Test { predicate: Predicate::In(more), .. })) => {
                    if let Condition::Test(Test { predicate: Predicate::In(values), .. }) =
                        &mut parts[at]
                    {
                        values.extend(more);
                    }
                }
                (_, condition) => {
                    pairs.extend(is_pair.then_some(parts.len()));
                    parts.push(condition);
                }
            }
            if !(self.take(',') || self.take_word("and")) {
                return Ok(Condition::all(parts));
            }
        }
    }

    /// Returns a term, and whether it is `key=value`.
    fn term(&mut self) -> Result<(Condition, bool), String> {
        if self.depth >= MAX_DEPTH {
            return Err(format!("expected at most {MAX_DEPTH} levels of brackets, found more"));
        }
        if self.take_word("not") {
            self.depth += 1;
            let (condition, _) = self.term()?;
            self.depth -= 1;
            return Ok((Condition::not(condition), false));
        }
        if self.take('(') {
            self.depth += 1;
            let condition = self.any()?;
            self.depth -= 1;
            if !self.take(')') {
                return Err(format!("expected `)`, found `{}`", short(self.rest)));
            }
            return Ok((condition, false));
        }
        let start = self.rest;
        let (key, operator) = self.key_and_operator()?;
        let values = |value| Predicate::In(vec![value]);
        let condition = match operator {
            Operator::Named => match self.after_in() {
                Some(rest) => {
                    self.rest = rest;
                    Condition::test(key, Predicate::In(self.values(&[',', ')', '|'])?))
                }
                None => return Ok((self.of_engine(start)?, false)),
            },
            Operator::Equal => Condition::test(key, values(self.value(&[',', ')'])?)),
            Operator::NotEqual => {
                Condition::not(Condition::test(key, values(self.value(&[',', ')'])?)))
            }
            Operator::Compare(bound) => {
                Condition::test(key, Predicate::Compare(bound, self.value(&[',', ')'])?))
            }
            Operator::Part => Condition::test(key, Predicate::Contains(self.value(&[',', ')'])?)),
            Operator::In => Condition::test(key, Predicate::In(self.values(&[',', ')'])?)),
        };
        Ok((condition, operator == Operator::Equal))
    }

    /// Returns a term that the engine parses.
    fn of_engine(&mut self, start: &'a str) -> Result<Condition, String> {
        self.value(&[',', ')'])?;
        let text = &start[..start.len() - self.rest.len()];
        parse(text).map_err(|error| error.to_string())
    }

    /// Parses the values after `in:`, if it follows.
    fn after_in(&self) -> Option<&'a str> {
        self.rest.trim_start().strip_prefix("in:")
    }

    /// Parses `a, b, c`, up to text that begins another term. A value ends at one of `ends`.
    fn values(&mut self, ends: &[char]) -> Result<Vec<String>, String> {
        let mut values = vec![self.value(ends)?];
        loop {
            let before = self.rest;
            if self.take('|') {
                values.push(self.value(ends)?);
                continue;
            }
            if !self.take(',') {
                return Ok(values);
            }
            let mut ahead = Parser { rest: self.rest, depth: 0 };
            let is_term = ahead.key_and_operator().is_ok()
                || ahead.rest.trim_start().starts_with('(')
                || word(self.rest.trim_start(), "not").is_some();
            if is_term {
                self.rest = before;
                return Ok(values);
            }
            values.push(self.value(ends)?);
        }
    }

    fn key_and_operator(&mut self) -> Result<(String, Operator), String> {
        let start = self.rest.trim_start();
        let mut parser = Parser { rest: start, depth: 0 };
        let key = match parser.quoted()? {
            Some(key) => key,
            None => {
                let end = start
                    .find(|c: char| {
                        matches!(c, '=' | ':' | '!' | '<' | '>' | '~' | ',' | '(' | ')')
                    })
                    .unwrap_or(start.len());
                let end = start[..end].find(" in ").unwrap_or(end);
                parser.rest = &start[end..];
                start[..end].trim().to_owned()
            }
        };
        let rest = parser.rest.trim_start();
        const OPERATORS: [(&str, Operator); 9] = [
            ("!=", Operator::NotEqual),
            (">=", Operator::Compare(Bound::Gte)),
            ("<=", Operator::Compare(Bound::Lte)),
            (">", Operator::Compare(Bound::Gt)),
            ("<", Operator::Compare(Bound::Lt)),
            ("~", Operator::Part),
            ("=", Operator::Equal),
            (":", Operator::Named),
            ("in ", Operator::In),
        ];
        let found = OPERATORS.iter().find_map(|(sign, operator)| {
            Some((rest.strip_prefix(sign)?, *operator)).filter(|_| !key.is_empty())
        });
        let Some((rest, operator)) = found else {
            return Err(format!(
                "expected `key=value`, `key!=value`, `key>=value`, `key~part` or `key in a,b`, \
                 found `{}`",
                short(start)
            ));
        };
        self.rest = rest;
        Ok((key, operator))
    }

    /// Returns a value: quoted, or up to one of `ends`, or up to `and` or `or` before another term.
    fn value(&mut self, ends: &[char]) -> Result<String, String> {
        if let Some(value) = self.quoted()? {
            return Ok(value);
        }
        let start = self.rest;
        let mut end = start.find(|c| ends.contains(&c)).unwrap_or(start.len());
        for (at, _) in start[..end].match_indices(' ') {
            let rest = &start[at + 1..];
            let next = word(rest, "and").or_else(|| word(rest, "or"));
            if next.is_some_and(begins_term) {
                end = at;
                break;
            }
        }
        let value = start[..end].trim();
        if value.is_empty() {
            return Err(format!(
                "expected a value, found `{}`; write `\"\"` for the empty one",
                short(start)
            ));
        }
        self.rest = &start[end..];
        Ok(value.to_owned())
    }

    /// Returns a quoted text, with `\` before a quote or a backslash in it.
    fn quoted(&mut self) -> Result<Option<String>, String> {
        let start = self.rest.trim_start();
        let Some(mark) = start.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            return Ok(None);
        };
        let (mut text, mut escaped) = (String::new(), false);
        for (at, c) in start.char_indices().skip(1) {
            match (escaped, c) {
                (false, '\\') => escaped = true,
                (false, c) if c == mark => {
                    self.rest = &start[at + 1..];
                    return Ok(Some(text));
                }
                (_, c) => {
                    text.push(c);
                    escaped = false;
                }
            }
        }
        Err(format!("expected {mark} at the end of a quoted text, found `{}`", short(start)))
    }

    fn take(&mut self, sign: char) -> bool {
        match self.rest.trim_start().strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn take_word(&mut self, wanted: &str) -> bool {
        match word(self.rest.trim_start(), wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

/// Returns the text after a keyword, which may be in any case and must be followed by white space
/// or a bracket.
fn word<'a>(text: &'a str, wanted: &str) -> Option<&'a str> {
    let head = text.get(..wanted.len())?;
    let rest = &text[wanted.len()..];
    (head.eq_ignore_ascii_case(wanted) && rest.starts_with([' ', '('])).then_some(rest)
}

fn begins_term(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with('(')
        || word(text, "not").is_some()
        || Parser { rest: text, depth: 0 }.key_and_operator().is_ok()
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        let value = parse_filter(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let condition = match &value {
            Value::String(text) => parse(text).unwrap_or_else(|error| panic!("{text}: {error}")),
            json => findling_engine::filter::from_json(json).unwrap(),
        };
        condition.to_string()
    }

    #[test]
    fn an_expression_that_is_too_long_is_an_error_and_no_value() {
        let joined = |n: usize, by: &str| vec!["book=one"; n].join(by);
        assert!(parse_filter(&joined(100, " and ")).is_ok());
        for by in [" and ", " or ", " AND ", " and not "] {
            assert!(parse_filter(&joined(1_200, by)).is_err(), "{by}");
        }
        // The engine reports errors in its own spelling.
        assert!(matches!(parse_filter(&joined(1_200, ",")), Ok(Value::String(_))));
    }

    #[test]
    fn every_spelling_has_a_canonical_one() {
        for (text, expect) in [
            ("year>=2020", "year:gte:2020"),
            ("year > 2020 and year<2024", "year:gt:2020,year:lt:2024"),
            ("year<=2020,lang=en", "year:lte:2020,lang=en"),
            ("lang!=en", "lang:ne:en"),
            ("lang in en, de", "lang:in:en|de"),
            ("lang in en, de, year>2000", "lang:in:en|de,year:gt:2000"),
            ("lang:in:en,de", "lang:in:en|de"),
            ("lang:in:in:en,de", "lang:in:in:en|de"),
            ("lang:in:en|de, fr, year:gte:2000", "lang:in:en|de|fr,year:gte:2000"),
            ("path~/src/", "path:contains:/src/"),
            ("not lang=en", "lang:ne:en"),
            ("year>2000 and lang:in:en|de", "year:gt:2000,lang:in:en|de"),
            ("not (lang=en)", "lang:ne:en"),
            ("year>1, lang=en, lang=de", "year:gt:1,lang:in:en|de"),
            ("title!=\"a, b\"", "title:ne:\"a, b\""),
            ("title=war and peace", "title=war and peace"),
        ] {
            assert_eq!(canonical(text), expect, "{text}");
        }
        let either = canonical("(lang=en or lang=de) and year>=2020");
        let json: Value = serde_json::from_str(&either).unwrap();
        assert_eq!(json["must"][0]["should"].as_array().unwrap().len(), 2, "{either}");
        assert_eq!(canonical("a=1 or b=2 and c=3"), canonical("a=1 or (b=2, c=3)"));
    }

    #[test]
    fn what_the_engine_parses_stays_as_it_is() {
        for text in ["lang=en,lang=de", "year:gte:2020", "title=a>b", "", "colour"] {
            assert_eq!(parse_filter(text), Ok(text.into()));
        }
        assert_eq!(parse_filter(" {\"must\": []}"), Ok(serde_json::json!({"must": []})));
        assert!(parse_filter("{book").is_err());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, expect) in [
            ("(lang=en", "expected `)`"),
            ("year>=", "expected a value"),
            ("not", "expected"),
            ("year>\"2000", "at the end of a quoted text"),
        ] {
            match parse_filter(text) {
                // The engine refuses it with its own message.
                Ok(value) => assert!(parse(value.as_str().unwrap()).is_err(), "{text}"),
                Err(error) => assert!(error.contains(expect), "{text}: {error}"),
            }
        }
        let deep = format!("{}a=1{}", "(".repeat(200), ")".repeat(200));
        assert!(parse_filter(&deep).unwrap_err().contains("levels"));
    }
}

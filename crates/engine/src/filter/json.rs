//! Conditions as JSON: must, should and must_not over leaves, or a plain object of keys and values.

use findling_bundle::order;
use serde_json::{Map, Value};

use super::{
    Bound, Condition, FilterError, MAX_DEPTH, MAX_TESTS, MAX_VALUES, Predicate, number, parse, text,
};
use crate::messages::quote;

/// The words that make an object something other than a plain one.
const GROUPS: [&str; 3] = ["must", "should", "must_not"];
const LEAVES: [&str; 4] = ["match", "any", "range", "text"];

/// Takes a condition from a JSON value: an object in either form, or a string in any spelling.
/// `null` is the condition that every page meets.
///
/// # Errors
/// If the value is not a condition; the error names the place and what was expected.
pub fn from_json(value: &Value) -> Result<Condition, FilterError> {
    match value {
        Value::Null => Ok(Condition::all([])),
        Value::String(text) => parse(text),
        _ => Objects { path: Vec::new(), depth: 0, n_tests: 0, n_values: 0 }.object(value),
    }
}

/// A cursor that descends through the objects of a condition.
struct Objects {
    /// The place in the JSON: keys and `[index]`.
    path: Vec<String>,
    depth: usize,
    n_tests: usize,
    n_values: usize,
}

impl Objects {
    fn object(&mut self, value: &Value) -> Result<Condition, FilterError> {
        let Value::Object(object) = value else {
            return Err(self.error(
                "an object",
                &quote(&value.to_string()),
                "write {\"key\": \"value\"}, or {\"must\": [...]} for more than that",
            ));
        };
        if self.depth == MAX_DEPTH {
            return Err(self.error(
                &format!("at most {MAX_DEPTH} levels"),
                "one more",
                "flatten the condition",
            ));
        }
        let word = |key: &str| GROUPS.contains(&key) || LEAVES.contains(&key) || key == "key";
        if !object.keys().any(|key| word(key)) {
            return self.plain(object);
        }
        if let Some(other) = object.keys().find(|key| !word(key)) {
            return Err(self.error(
                "must, should, must_not, match, any, range or text",
                &quote(other),
                &format!("put {{\"{other}\": ...}} as an object of its own into `must`"),
            ));
        }
        self.depth += 1;
        let condition = self.groups(object);
        self.depth -= 1;
        condition
    }

    /// Reads an object of must, should, must_not and leaves. All of them must hold.
    fn groups(&mut self, object: &Map<String, Value>) -> Result<Condition, FilterError> {
        let key = match object.get("key") {
            None => None,
            Some(Value::String(key)) if LEAVES.iter().any(|leaf| object.contains_key(*leaf)) => {
                Some(key.as_str())
            }
            Some(_) => {
                return Err(self.error(
                    "an attribute's name under `key`, and match, any, range or text beside it",
                    &quote(&Value::from(object.clone()).to_string()),
                    "write {\"key\": \"name\", \"match\": \"value\"}; \
                     an attribute called `key` is {\"match\": {\"key\": \"value\"}}",
                ));
            }
        };
        let mut parts = Vec::new();
        // The order is fixed, because the object's order may be alphabetical or the writer's.
        if let Some(value) = object.get("must") {
            parts.extend(self.list("must", value)?);
        }
        if let Some(value) = object.get("should") {
            let some = self.list("should", value)?;
            if !some.is_empty() {
                parts.push(Condition::any(some));
            }
        }
        if let Some(value) = object.get("must_not") {
            parts.extend(self.list("must_not", value)?.into_iter().map(Condition::not));
        }
        for leaf in LEAVES {
            let Some(value) = object.get(leaf) else { continue };
            match key {
                Some(key) => parts.push(self.at(leaf, |this| this.leaf(leaf, key, value))?),
                None => parts.extend(self.at(leaf, |this| this.leaves(leaf, value))?),
            }
        }
        Ok(Condition::all(parts))
    }

    /// Parses the contents of a group: an array of objects and texts, or one of them.
    fn list(&mut self, group: &str, value: &Value) -> Result<Vec<Condition>, FilterError> {
        self.at(group, |this| match value {
            Value::Array(items) => items
                .iter()
                .enumerate()
                .map(|(i, item)| this.at(&format!("[{i}]"), |this| this.part(item)))
                .collect(),
            one => Ok(vec![this.part(one)?]),
        })
    }

    /// Reads one condition of a group. Text is read as it would be alone, within the limits of the
    /// whole condition.
    fn part(&mut self, value: &Value) -> Result<Condition, FilterError> {
        let Value::String(text) = value else { return self.object(value) };
        let inside = |error: FilterError| FilterError {
            position: format!("{}, {}", self.position(), error.position),
            ..error
        };
        if let Some(value) = text::read_json(text).map_err(inside)? {
            return self.object(&value);
        }
        let condition = text::terms(text).map_err(inside)?;
        for test in condition.tests() {
            self.count(if let Predicate::In(values) = &test.predicate { values.len() } else { 1 })?;
        }
        Ok(condition)
    }

    /// Reads `{"match": {"a": 1, "b": 2}}`: one leaf for each key.
    fn leaves(&mut self, leaf: &str, value: &Value) -> Result<Vec<Condition>, FilterError> {
        let Value::Object(object) = value else {
            return Err(self.error(
                "an object of attribute names",
                &quote(&value.to_string()),
                &format!(
                    "write {{\"{leaf}\": {{\"name\": ...}}}} \
                     or {{\"key\": \"name\", \"{leaf}\": ...}}"
                ),
            ));
        };
        sorted(object)
            .map(|(key, value)| self.at(key, |this| this.leaf(leaf, key, value)))
            .collect()
    }

    fn leaf(&mut self, leaf: &str, key: &str, value: &Value) -> Result<Condition, FilterError> {
        match (leaf, value) {
            ("range", Value::Object(bounds)) => {
                if let Some(other) = bounds.keys().find(|op| bound(op).is_none()) {
                    return Err(self.error(
                        "gt, gte, lt or lte",
                        &quote(other),
                        "bound the range by those",
                    ));
                }
                self.operators(key, bounds)
            }
            ("range", other) => Err(self.error(
                "an object of bounds",
                &quote(&other.to_string()),
                &format!("write {{\"range\": {{\"{key}\": {{\"gte\": ..., \"lt\": ...}}}}}}"),
            )),
            ("text", value) => self.one(key, value, Predicate::Contains),
            // The value of a match under `key` may name its kind itself: {"value": 1}, {"any": [1,
            // 2]}, {"text": "part"}.
            ("match", Value::Object(kind)) if kind.len() == 1 => match kind.iter().next() {
                Some((word, value)) if word == "value" => self.values(key, value),
                Some((word, value)) if word == "any" => self.values(key, value),
                Some((word, value)) if word == "text" => self.one(key, value, Predicate::Contains),
                _ => Err(self.not_a_value(value)),
            },
            (_, value) => self.values(key, value),
        }
    }

    /// Reads `{"book": "book", "lang": ["en", "de"], "year": {"gte": 2020}}`.
    fn plain(&mut self, object: &Map<String, Value>) -> Result<Condition, FilterError> {
        let parts: Result<Vec<_>, _> = sorted(object)
            .map(|(key, value)| {
                self.at(key, |this| match value {
                    Value::Object(operators) => this.operators(key, operators),
                    value => this.values(key, value),
                })
            })
            .collect();
        Ok(Condition::all(parts?))
    }

    fn operators(
        &mut self,
        key: &str,
        operators: &Map<String, Value>,
    ) -> Result<Condition, FilterError> {
        if operators.is_empty() {
            return Err(self.error(
                "an operator and a value",
                "{}",
                "write {\"gte\": ...}, or leave the attribute out",
            ));
        }
        let parts: Result<Vec<_>, _> = sorted(operators)
            .map(|(op, value)| {
                self.at(op, |this| match (bound(op), op) {
                    (Some(bound), _) => {
                        this.one(key, value, |value| Predicate::Compare(bound, value))
                    }
                    (None, "eq" | "in") => this.values(key, value),
                    (None, "ne") => this.values(key, value).map(Condition::not),
                    (None, "contains") => this.one(key, value, Predicate::Contains),
                    _ => Err(this.error(
                        "an operator: eq, ne, in, gt, gte, lt, lte or contains",
                        &quote(op),
                        "use one of those; nested attributes are not known",
                    )),
                })
            })
            .collect();
        Ok(Condition::all(parts?))
    }

    fn one(
        &mut self,
        key: &str,
        value: &Value,
        predicate: impl FnOnce(String) -> Predicate,
    ) -> Result<Condition, FilterError> {
        self.count(1)?;
        Ok(Condition::test(key, predicate(self.scalar(value)?)))
    }

    fn values(&mut self, key: &str, value: &Value) -> Result<Condition, FilterError> {
        let Value::Array(items) = value else {
            return self.one(key, value, |value| Predicate::In(vec![value]));
        };
        self.count(items.len())?;
        let mut values = Vec::new();
        for (i, item) in items.iter().enumerate() {
            let value = self.at(&format!("[{i}]"), |this| this.scalar(item))?;
            if !values.contains(&value) {
                values.push(value);
            }
        }
        if values.is_empty() {
            return Err(self.error(
                "at least one value",
                "[]",
                "leave the attribute out to let every page through",
            ));
        }
        Ok(Condition::test(key, Predicate::In(values)))
    }

    /// Returns a value as text, as the other spellings would have it.
    fn scalar(&self, value: &Value) -> Result<String, FilterError> {
        match value {
            Value::String(text) => Ok(text.clone()),
            Value::Bool(value) => Ok(value.to_string()),
            // 2020.0 and 2020 are the same number.
            Value::Number(number) => Ok(match (number.as_i64(), number.as_f64()) {
                (None, Some(float)) => number::show(float),
                _ => number.to_string(),
            }),
            other => Err(self.not_a_value(other)),
        }
    }

    fn not_a_value(&self, found: &Value) -> FilterError {
        self.error(
            "a string, a number, true or false",
            &quote(&found.to_string()),
            "give a value, or leave the attribute out to let every page through",
        )
    }

    fn count(&mut self, n_values: usize) -> Result<(), FilterError> {
        self.n_tests += 1;
        self.n_values += n_values;
        if self.n_tests > MAX_TESTS || self.n_values > MAX_VALUES {
            return Err(self.error(
                &format!("at most {MAX_TESTS} tests and {MAX_VALUES} values"),
                "more",
                "mark the pages meant by an attribute of their own",
            ));
        }
        Ok(())
    }

    fn at<T>(
        &mut self,
        step: &str,
        f: impl FnOnce(&mut Self) -> Result<T, FilterError>,
    ) -> Result<T, FilterError> {
        self.path.push(step.to_owned());
        let result = f(self);
        self.path.pop();
        result
    }

    fn position(&self) -> String {
        let mut position = String::new();
        for step in &self.path {
            if !position.is_empty() && !step.starts_with('[') {
                position.push('.');
            }
            position += step;
        }
        if position.is_empty() { "the JSON".into() } else { position }
    }

    fn error(&self, expected: &str, found: &str, remedy: &str) -> FilterError {
        FilterError {
            position: self.position(),
            expected: expected.into(),
            found: found.into(),
            remedy: remedy.into(),
        }
    }
}

fn bound(op: &str) -> Option<Bound> {
    [Bound::Gt, Bound::Gte, Bound::Lt, Bound::Lte].into_iter().find(|bound| bound.name() == op)
}

/// Sorts by key: whether a map keeps the writer's order depends on how serde_json was built, and
/// hosts must agree.
fn sorted(object: &Map<String, Value>) -> impl Iterator<Item = (&str, &Value)> {
    let mut entries: Vec<_> = object.iter().map(|(key, value)| (key.as_str(), value)).collect();
    order::sort_by(&mut entries, |a, b| a.0 < b.0);
    entries.into_iter()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_spellings_meet() {
        fn check(json: &str, text: &str) {
            let from_json = parse(json).unwrap_or_else(|error| panic!("{json}: {error}"));
            assert_eq!(from_json.to_string(), text, "{json}");
            assert_eq!(parse(text), Ok(from_json), "{json} and {text}");
        }
        check("{}", "");
        check(r#"{"book": "book", "lang": ["en", "de"]}"#, "book=book,lang:in:en|de");
        check(
            r#"{"year": {"gte": 2020, "lt": 2022.5}, "draft": false, "n": 3.0}"#,
            "draft=false,n=3,year:gte:2020,year:lt:2022.5",
        );
        check(r#"{"must": [{"match": {"lang": "en"}}]}"#, "lang=en");
        check(r#"{"must": {"match": {"lang": "en"}}}"#, "lang=en");
        check(r#"{"match": {"lang": "en", "book": "a"}}"#, "book=a,lang=en");
        check(r#"{"any": {"lang": ["en", "de"]}}"#, "lang:in:en|de");
        check(
            r#"{"range": {"year": {"gt": "2020", "lte": "2022"}}}"#,
            "year:gt:2020,year:lte:2022",
        );
        check(r#"{"text": {"title": "the book"}}"#, "title:contains:the book");
        check(r#"{"key": "lang", "match": "en"}"#, "lang=en");
        check(r#"{"key": "lang", "match": {"value": "en"}}"#, "lang=en");
        check(r#"{"key": "lang", "match": {"any": ["en", "de"]}}"#, "lang:in:en|de");
        check(r#"{"key": "lang", "match": {"text": "e"}}"#, "lang:contains:e");
        check(r#"{"key": "year", "range": {"gte": 2020}}"#, "year:gte:2020");
        check(r#"{"must_not": [{"match": {"lang": "en"}}]}"#, "lang:ne:en");
        check(r#"{"lang": {"ne": "en"}}"#, "lang:ne:en");
        check(r#"{"must": [{"tags": "a"}, {"tags": "b"}]}"#, "tags:eq:a,tags:eq:b");
        check(r#"{"should": [{"lang": "en"}]}"#, "lang=en");
        check(r#"{"should": [], "must": []}"#, "");
        check(r#"{"must": ["lang=en,lang=de", "lang=de,lang=fr"]}"#, "lang:in:en|de,lang:in:de|fr");
        check(r#"{"must": ["", " ", {"lang": "en"}]}"#, "lang=en");
        check(r#"{"must_not": "lang=en"}"#, "lang:ne:en");
        check(r#"{"must": ["{\"must\": [\"lang=en\"]}", "book=a"]}"#, "lang=en,book=a");
        check(r#"{"match": {"must": "a"}}"#, "must=a");
        check(
            r#"{"must": [{"should": [{"lang": "en"}, {"book": "a"}]}, {"must": [{"x": 1}]}],
                "must_not": {"y": true}}"#,
            concat!(
                r#"{"must":[{"should":[{"match":{"lang":"en"}},{"match":{"book":"a"}}]},"#,
                r#"{"match":{"x":"1"}},{"must_not":{"match":{"y":"true"}}}]}"#,
            ),
        );
        assert_eq!(from_json(&Value::from("a=b")), parse("a=b"));
        assert_eq!(from_json(&Value::Null), parse(""));
    }

    #[test]
    fn errors_say_where() {
        fn check(json: &str, position: &str, expected: &str) {
            let error = parse(json).expect_err(json);
            assert_eq!(error.position, position, "{json}: {error}");
            assert!(error.expected.contains(expected), "{json}: {error}");
        }
        check(r#"{"must": [{"a": 1}, {"b": null}]}"#, "must[1].b", "a string, a number");
        check(r#"{"a": []}"#, "a", "at least one value");
        check(r#"{"a": {}}"#, "a", "an operator");
        check(r#"{"a": {"b": 1}}"#, "a.b", "an operator");
        check(r#"{"a": ["x", ["y"]]}"#, "a[1]", "a string");
        check(r#"{"must": [3]}"#, "must[0]", "an object");
        check(r#"{"must": ["a=b", "a"]}"#, "must[1], character 2", "`=` or `:` after `a`");
        check(
            r#"{"must": [{"must": "{"}]}"#,
            "must[0].must, line 1, column 1 of the JSON",
            "a JSON object",
        );
        check(r#"{"must": ["{\"a\": null}"]}"#, "must[0].a", "a string, a number");
        check(r#"{"must": [], "lang": "en"}"#, "the JSON", "must, should");
        check(r#"{"range": {"a": {"eq": 1}}}"#, "range.a", "gt, gte");
        check(r#"{"range": {"a": 1}}"#, "range.a", "bounds");
        check(r#"{"match": "en"}"#, "match", "an object of attribute names");
        check(r#"{"key": "lang"}"#, "the JSON", "an attribute's name under `key`");
        assert!(from_json(&Value::from(3)).is_err());
        assert!(from_json(&serde_json::json!([{"a": 1}])).is_err());
    }

    #[test]
    fn limits_hold() {
        let nest = |n: usize| {
            (0..n).fold(serde_json::json!({"a": 1}), |inner, _| serde_json::json!({"must": inner}))
        };
        assert!(from_json(&nest(MAX_DEPTH - 1)).is_ok());
        assert!(from_json(&nest(MAX_DEPTH)).is_err());
        let values = |n: usize| serde_json::json!({"a": (0..n).collect::<Vec<_>>()});
        assert!(from_json(&values(MAX_VALUES)).is_ok());
        assert!(from_json(&values(MAX_VALUES + 1)).is_err());
        let tests =
            |n: usize| (0..n).map(|i| (format!("k{i}"), Value::from(1))).collect::<Map<_, _>>();
        assert!(from_json(&tests(MAX_TESTS).into()).is_ok());
        assert!(from_json(&tests(MAX_TESTS + 1).into()).is_err());

        let texts = |parts: &[usize]| {
            let text = |&n: &usize| (0..n).map(|i| format!("k{i}=v")).collect::<Vec<_>>().join(",");
            from_json(&serde_json::json!({"must": parts.iter().map(text).collect::<Vec<_>>()}))
        };
        assert!(texts(&[MAX_TESTS - 1, 1]).is_ok());
        assert!(texts(&[MAX_TESTS - 1, 2]).is_err());
        let in_text = |inner: String| format!(r#"{{"must": {}}}"#, Value::from(inner));
        let nested = |n: usize| parse(&(1..n).fold(r#"{"a": 1}"#.into(), |s, _| in_text(s)));
        assert!(nested(5).is_ok());
        assert!(parse(&in_text(nest(MAX_DEPTH - 2).to_string())).is_ok());
        assert!(parse(&in_text(nest(MAX_DEPTH - 1).to_string())).is_err());
    }

    fn conditions() -> impl Strategy<Value = Condition> {
        let word = "[a-c=:,|\"'\\\\ {é]{0,4}";
        let predicate = prop_oneof![
            prop::collection::hash_set(word, 1..4)
                .prop_map(|values| Predicate::In(values.into_iter().collect())),
            (prop::sample::select(vec![Bound::Gt, Bound::Gte, Bound::Lt, Bound::Lte]), word)
                .prop_map(|(b, v)| Predicate::Compare(b, v)),
            word.prop_map(Predicate::Contains),
        ];
        let test = (word, predicate).prop_map(|(key, predicate)| Condition::test(key, predicate));
        test.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Condition::all),
                prop::collection::vec(inner.clone(), 0..4).prop_map(Condition::any),
                inner.prop_map(Condition::not),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_canonical_spelling_parses_back(condition in conditions()) {
            let text = condition.to_string();
            let parsed = parse(&text);
            prop_assert_eq!(parsed.as_ref(), Ok(&condition), "{}", text);
            prop_assert_eq!(from_json(&condition.to_json()), Ok(condition));
        }

        /// Checks that text in a group has the same meaning as alone.
        #[test]
        fn a_text_is_a_part_of_a_group(
            one in ".{0,30}|[a-c=:,|\"'\\\\{}\\[\\] eqntigl]{0,30}",
            condition in conditions(),
        ) {
            let both = from_json(&serde_json::json!({"must": [one, condition.to_string()]}));
            match (parse(&one), both) {
                (Ok(one), Ok(both)) => prop_assert_eq!(both, Condition::all([one, condition])),
                (Err(one), Err(both)) => prop_assert_eq!(one.expected, both.expected),
                (alone, both) => prop_assert!(false, "{:?} alone, {:?} in a group", alone, both),
            }
        }

        /// Checks any text, and text made of the characters of the grammar.
        #[test]
        fn any_text_is_refused_or_gives_a_condition_whose_spellings_parse_back(
            text in ".{0,60}|[a-c=:,|\"'\\\\{}\\[\\] eqntigl]{0,40}",
        ) {
            match parse(&text) {
                Ok(condition) => {
                    let parsed = parse(&condition.to_string());
                    prop_assert_eq!(parsed.as_ref(), Ok(&condition));
                    prop_assert_eq!(from_json(&condition.to_json()), Ok(condition));
                }
                Err(FilterError { position, expected, found, remedy }) => {
                    prop_assert!([position, expected, found, remedy].iter().all(|s| !s.is_empty()));
                }
            }
        }
    }
}

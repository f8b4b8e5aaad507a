//! Requests as JSON, read field by field. Derived code would do the same in six times the bytes,
//! and every reader of a site downloads it; and errors here give the place, what was expected and
//! what was found.

use serde_json::Value;

use super::{
    EncoderChoice, FacetsOf, Fusion, Limit, Mode, Order, Prefer, QueryVector, Request,
    SectionsPerPage, Sort, Suggest,
};
use crate::api::Error;
use crate::messages::quote;

pub(super) type Read<T> = Result<T, Error>;

/// Reads a request. `shared` takes the request's data for several bundles, if the host supports
/// that.
#[inline]
pub(super) fn request(json: &str, shared: Option<&mut Option<Value>>) -> Read<Request> {
    let value: Value = serde_json::from_str(json)
        .map_err(|error| wrong(format!("the request is not JSON: {error}")))?;
    let mut fields = Fields::of("", value)?;
    let mut request = Request::default();
    read(&mut request, &mut fields)?;
    if let Some(shared) = shared {
        *shared = fields.take("shared");
    }
    fields.end()?;
    Ok(request)
}

/// Reads each field into its place.
#[inline(never)]
fn read(request: &mut Request, fields: &mut Fields) -> Read<()> {
    request.query = fields.text("query")?.unwrap_or_default();
    request.mode = fields.word("mode", MODES.0, MODES.1)?.unwrap_or_default();
    request.limit = fields.number("limit")?.map_or_else(Limit::default, Limit);
    request.offset = fields.number("offset")?.unwrap_or_default();
    request.filter = fields.take("filter");
    request.post_filter = fields.take("postFilter");
    request.vector = fields.take("vector").map(|value| vector("vector", value)).transpose()?;
    request.encoder = fields.word("encoder", ENCODERS.0, ENCODERS.1)?.unwrap_or_default();
    request.fusion = fields.take("fusion").map(fusion).transpose()?.unwrap_or_default();
    request.prefix = fields.truth("prefix")?;
    request.single_letter = fields.truth("singleLetter")?;
    request.every_word = fields.truth("everyWord")?;
    request.verbatim = fields.truth("verbatim")?;
    request.suggest = Suggest(fields.truth_or("suggest", true)?);
    request.sort = fields.take("sort").map(sort).transpose()?;
    request.prefer = fields.take("prefer").map(prefer).transpose()?;
    request.order = fields.word("order", ORDERS.0, ORDERS.1)?.unwrap_or_default();
    request.spread = fields.text("spread")?;
    request.copies = fields.truth("copies")?;
    request.facets = fields.list("facets", text)?;
    request.facets_of = fields.word("facetsOf", FACETS_OF.0, FACETS_OF.1)?.unwrap_or_default();
    request.facets_instead = fields.truth("facetsInstead")?;
    let sections_per_page = fields.number("sectionsPerPage")?;
    request.sections_per_page =
        sections_per_page.map_or_else(SectionsPerPage::default, SectionsPerPage);
    request.explain = fields.truth("explain")?;
    request.why = fields.text("why")?;
    request.also = fields.list("also", text)?;
    // An empty list does not call the deferred function that reads vectors.
    let also_vectors = fields
        .take("alsoVectors")
        .filter(|value| value.as_array().is_none_or(|list| !list.is_empty()));
    request.also_vectors = also_vectors.map_or(Ok(Vec::new()), vectors)?;
    request.similar_to = fields.text("similarTo")?;
    request.read = fields.text("read")?;
    Ok(())
}

const MODES: (&[&str], &[Mode]) =
    (&["hybrid", "lexical", "semantic"], &[Mode::Hybrid, Mode::Lexical, Mode::Semantic]);
const FACETS_OF: (&[&str], &[FacetsOf]) =
    (&["pages", "sections"], &[FacetsOf::Pages, FacetsOf::Sections]);
const ORDERS: (&[&str], &[Order]) = (
    &["relevance", "recent", "balanced", "match"],
    &[Order::Relevance, Order::Recent, Order::Balanced, Order::Match],
);
const ENCODERS: (&[&str], &[EncoderChoice]) = (
    &["auto", "static", "none"],
    &[EncoderChoice::Auto, EncoderChoice::Static, EncoderChoice::None],
);

/// Reads the method by which the legs become one list.
#[doc(alias = "deferred")]
#[inline(never)]
pub(super) fn fusion(value: Value) -> Read<Fusion> {
    let mut fields = Fields::of("fusion", value)?;
    let method = fields.word("method", &["rrf", "convex"], &[true, false])?;
    let fusion = match method {
        Some(true) => {
            let dense = fields.float("denseWeight")?.or(fields.float("dense_weight")?);
            Fusion::Rrf {
                k: fields.float("k")?.unwrap_or(super::DEFAULT_RRF_K),
                dense_weight: dense.unwrap_or(super::DEFAULT_RRF_DENSE_WEIGHT),
            }
        }
        Some(false) => Fusion::Convex { alpha: fields.float("alpha")? },
        None => return Err(expected("fusion.method", "`rrf` or `convex`", "nothing")),
    };
    fields.end()?;
    Ok(fusion)
}

#[doc(alias = "deferred")]
#[inline(never)]
fn sort(value: Value) -> Read<Sort> {
    let mut fields = Fields::of("sort", value)?;
    let by =
        fields.text("by")?.ok_or_else(|| expected("sort.by", "an attribute's name", "nothing"))?;
    let sort = Sort { by, descending: fields.truth("descending")? };
    fields.end()?;
    Ok(sort)
}

#[doc(alias = "deferred")]
#[inline(never)]
fn prefer(value: Value) -> Read<Prefer> {
    let mut fields = Fields::of("prefer", value)?;
    let by = fields
        .text("by")?
        .ok_or_else(|| expected("prefer.by", "an attribute's name", "nothing"))?;
    let prefer = Prefer {
        by,
        share: fields.float("share")?.unwrap_or(super::DEFAULT_PREFER_SHARE),
        half: fields.float("half")?,
        ascending: fields.truth("ascending")?,
    };
    fields.end()?;
    Ok(prefer)
}

#[doc(alias = "deferred")]
#[inline(never)]
fn vector(at: &str, value: Value) -> Read<QueryVector> {
    let mut fields = Fields::of(at, value)?;
    let vector = QueryVector {
        values: fields.list("values", float)?,
        encoder: fields.text("encoder")?.ok_or_else(|| {
            expected(&format!("{at}.encoder"), "the name of what made the vector", "nothing")
        })?,
        truncated: fields.truth("truncated")?,
    };
    fields.end()?;
    Ok(vector)
}

#[doc(alias = "deferred")]
#[inline(never)]
fn vectors(value: Value) -> Read<Vec<Option<QueryVector>>> {
    items("alsoVectors", value, |at, value| match value {
        Value::Null => Ok(None),
        value => vector(at, value).map(Some),
    })
}

/// Returns a list, each of its items read.
pub(super) fn items<T>(
    at: &str,
    value: Value,
    item: impl Fn(&str, Value) -> Read<T>,
) -> Read<Vec<T>> {
    match value {
        Value::Array(items) => items.into_iter().map(|value| item(at, value)).collect(),
        other => Err(unlike(at, "a list", &other)),
    }
}

pub(super) fn text(at: &str, value: Value) -> Read<String> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(unlike(at, "a string", &other)),
    }
}

pub(super) fn float(at: &str, value: Value) -> Read<f32> {
    value.as_f64().map(|number| number as f32).ok_or_else(|| unlike(at, "a number", &value))
}

/// An object whose fields are taken one by one. A field that is null counts as absent.
pub(super) struct Fields {
    /// The object's name in errors.
    of: String,
    object: Vec<(String, Value)>,
    /// The fields read so far; errors about unknown fields list them.
    known: Vec<&'static str>,
}

impl Fields {
    pub(super) fn of(name: &str, value: Value) -> Read<Self> {
        match value {
            Value::Object(object) => Ok(Self {
                of: name.to_owned(),
                object: object.into_iter().collect(),
                known: Vec::new(),
            }),
            other => Err(unlike(name, "an object", &other)),
        }
    }

    /// Returns a field's name in errors.
    fn at(&self, name: &str) -> String {
        if self.of.is_empty() { name.to_owned() } else { format!("{}.{name}", self.of) }
    }

    pub(super) fn take(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        let place = self.object.iter().position(|(field, _)| field == name)?;
        Some(self.object.remove(place).1).filter(|value| !value.is_null())
    }

    pub(super) fn text(&mut self, name: &'static str) -> Read<Option<String>> {
        self.take(name).map(|value| text(&self.at(name), value)).transpose()
    }

    pub(super) fn float(&mut self, name: &'static str) -> Read<Option<f32>> {
        self.take(name).map(|value| float(&self.at(name), value)).transpose()
    }

    pub(super) fn number(&mut self, name: &'static str) -> Read<Option<u32>> {
        let Some(value) = self.take(name) else { return Ok(None) };
        match value.as_u64().and_then(|number| u32::try_from(number).ok()) {
            Some(number) => Ok(Some(number)),
            None => Err(unlike(&self.at(name), "a whole number from 0 to 4294967295", &value)),
        }
    }

    pub(super) fn truth(&mut self, name: &'static str) -> Read<bool> {
        self.truth_or(name, false)
    }

    fn truth_or(&mut self, name: &'static str, otherwise: bool) -> Read<bool> {
        match self.take(name) {
            None => Ok(otherwise),
            Some(Value::Bool(truth)) => Ok(truth),
            Some(other) => Err(unlike(&self.at(name), "true or false", &other)),
        }
    }

    pub(super) fn word<T: Copy>(
        &mut self,
        name: &'static str,
        words: &[&str],
        meanings: &[T],
    ) -> Read<Option<T>> {
        Ok(self.place(name, words)?.and_then(|place| meanings.get(place).copied()))
    }

    /// Returns the index of a field's value in a list of words. Not generic, so that browsers
    /// download one copy.
    fn place(&mut self, name: &'static str, words: &[&str]) -> Read<Option<usize>> {
        let Some(value) = self.take(name) else { return Ok(None) };
        match words.iter().position(|word| value.as_str() == Some(word)) {
            Some(place) => Ok(Some(place)),
            None => Err(unlike(&self.at(name), &words.join(" or "), &value)),
        }
    }

    pub(super) fn list<T>(
        &mut self,
        name: &'static str,
        item: impl Fn(&str, Value) -> Read<T>,
    ) -> Read<Vec<T>> {
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(value) => items(&self.at(name), value, item),
        }
    }

    /// Refuses unknown fields: a misspelled one would be ignored silently.
    pub(super) fn end(self) -> Read<()> {
        match self.object.first() {
            Some((other, _)) => Err(wrong(format!(
                "{} has a field {}, which is unknown; there are {}",
                if self.of.is_empty() { "the request" } else { &self.of },
                quote(other),
                self.known.join(", ")
            ))),
            None => Ok(()),
        }
    }
}

#[doc(alias = "deferred")]
#[inline(never)]
fn unlike(at: &str, what: &str, found: &Value) -> Error {
    expected(at, what, &quote(&found.to_string()))
}

#[doc(alias = "deferred")]
#[inline(never)]
pub(super) fn expected(at: &str, what: &str, found: &str) -> Error {
    let place = if at.is_empty() { "" } else { ", " };
    wrong(format!("the request{place}{at}: expected {what}, found {found}"))
}

fn wrong(message: String) -> Error {
    Error::Request { message }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read_all(json: &str) -> Read<Request> {
        request(json, None)
    }

    #[test]
    fn every_field_is_read() {
        let json = r#"{"query": "a", "mode": "lexical", "limit": 3, "offset": 2, "filter": {"x": 1},
            "vector": {"values": [1, 0.5], "encoder": "supplied", "truncated": true},
            "encoder": "none", "fusion": {"method": "rrf", "denseWeight": 0.25},
            "prefix": true, "singleLetter": true, "everyWord": true,
            "verbatim": true, "suggest": false,
            "sort": {"by": "year", "descending": true}, "prefer": {"by": "d", "half": 2},
            "order": "recent", "spread": "e", "copies": true,
            "facets": ["*"], "facetsOf": "sections", "facetsInstead": true,
            "postFilter": "y=2",
            "sectionsPerPage": 1, "explain": true,
            "why": "b", "also": ["c"], "alsoVectors": [null, {"values": [], "encoder": "e"}],
            "similarTo": "d", "read": "e"}"#;
        let vector = |values: &[f32], encoder: &str, truncated| QueryVector {
            values: values.to_vec(),
            encoder: encoder.into(),
            truncated,
        };
        let expect = Request {
            query: "a".into(),
            mode: Mode::Lexical,
            limit: Limit(3),
            offset: 2,
            filter: Some(serde_json::json!({"x": 1})),
            post_filter: Some(serde_json::json!("y=2")),
            vector: Some(vector(&[1.0, 0.5], "supplied", true)),
            encoder: EncoderChoice::None,
            fusion: Fusion::Rrf { k: 5.0, dense_weight: 0.25 },
            prefix: true,
            single_letter: true,
            every_word: true,
            verbatim: true,
            suggest: Suggest(false),
            sort: Some(Sort { by: "year".into(), descending: true }),
            prefer: Some(Prefer { by: "d".into(), share: 0.3, half: Some(2.0), ascending: false }),
            order: Order::Recent,
            spread: Some("e".into()),
            copies: true,
            facets: vec!["*".into()],
            facets_of: FacetsOf::Sections,
            facets_instead: true,
            sections_per_page: SectionsPerPage(1),
            explain: true,
            why: Some("b".into()),
            also: vec!["c".into()],
            also_vectors: vec![None, Some(vector(&[], "e", false))],
            similar_to: Some("d".into()),
            read: Some("e".into()),
        };
        assert_eq!(read_all(json).unwrap(), expect);
        assert_eq!(read_all(&expect.to_json()).unwrap(), expect);
        assert_eq!(read_all(&Request::default().to_json()).unwrap(), Request::default());
        assert_eq!(read_all("{}").unwrap(), Request::default());
        assert_eq!(read_all(r#"{"limit": null, "vector": null}"#).unwrap(), Request::default());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        // What is named: the place, what was expected there if it is a choice, what was found.
        let cases: [(&str, &[&str]); 18] = [
            ("", &["JSON"]),
            ("[]", &["object", "`[]`"]),
            (r#"{"limits": 3}"#, &["`limits`", "query, mode, limit"]),
            (r#"{"query": 3}"#, &["query:", "`3`"]),
            (r#"{"limit": -1}"#, &["limit:", "0 to 4294967295", "`-1`"]),
            (r#"{"limit": 1.5}"#, &["limit:", "`1.5`"]),
            (r#"{"mode": "words"}"#, &["mode:", "hybrid", "lexical", "semantic", "`\"words\"`"]),
            (r#"{"fusion": {}}"#, &["fusion.method:", "`rrf`", "`convex`"]),
            (r#"{"fusion": {"method": "convex", "k": 1}}"#, &["fusion", "`k`"]),
            (r#"{"sort": {"descending": true}}"#, &["sort.by:"]),
            (r#"{"vector": {"values": [1, "x"], "encoder": "e"}}"#, &["vector.values:", "`\"x\"`"]),
            (r#"{"vector": {"values": [1]}}"#, &["vector.encoder:"]),
            (r#"{"prefer": {"by": "d", "share": "x"}}"#, &["prefer.share:"]),
            (r#"{"sort": {"by": 1}}"#, &["sort.by:", "`1`"]),
            (r#"{"alsoVectors": [{"values": 1}]}"#, &["alsoVectors.values:", "`1`"]),
            (r#"{"order": "newest"}"#, &["order:", "relevance", "recent", "balanced"]),
            (r#"{"also": "a"}"#, &["also:", "`\"a\"`"]),
            (r#"{"prefix": 1}"#, &["prefix:", "`1`"]),
        ];
        for (json, named) in cases {
            let error = read_all(json).expect_err(json);
            assert_eq!(error.code(), "request", "{json}");
            let message = error.to_string();
            for part in named {
                assert!(message.contains(part), "{json}: {part} in {message}");
            }
        }
    }

    /// Fields with a value of the type that each takes. Fields whose values have fields of their
    /// own are in the tests above.
    const FIELDS: [(&str, &str); 16] = [
        ("query", "\"a\""),
        ("mode", "\"lexical\""),
        ("limit", "3"),
        ("offset", "3"),
        ("encoder", "\"none\""),
        ("prefix", "true"),
        ("verbatim", "true"),
        ("suggest", "true"),
        ("order", "\"recent\""),
        ("spread", "\"a\""),
        ("copies", "true"),
        ("facets", "[\"a\"]"),
        ("sectionsPerPage", "3"),
        ("explain", "true"),
        ("why", "\"a\""),
        ("also", "[\"a\"]"),
    ];
    const WORDS: [&str; 3] = ["mode", "encoder", "order"];

    proptest! {
        /// Checks that a field takes values of its own type, and null. `a` is not a value of any
        /// field.
        #[test]
        fn a_field_takes_values_of_its_type_only(
            (field, valid) in prop::sample::select(&FIELDS[..]),
            value in prop::sample::select(
                &["null", "true", "3", "-1", "\"a\"", "[]", "[\"a\"]", "[3]", "{}"][..]
            ),
        ) {
            let is_list = value == "[]" && valid.starts_with('[');
            let takes = match value {
                "null" => true,
                _ => (value == valid || is_list) && !WORDS.contains(&field),
            };
            let json = format!("{{\"{field}\": {value}}}");
            match read_all(&json) {
                Ok(_) => prop_assert!(takes, "{}", json),
                Err(error) => {
                    prop_assert!(!takes && error.is_request(), "{}: {}", json, error);
                    prop_assert!(error.to_string().contains(field), "{}: {}", json, error);
                }
            }
            let json = format!("{{\"{field}\": {valid}}}");
            prop_assert!(read_all(&json).is_ok(), "{}", json);
        }

        /// Checks text other than a JSON object, and objects with an unknown field.
        #[test]
        fn other_texts_are_refused(text in "\\PC{0,80}", name in "[a-z]{1,8}") {
            let is_object = matches!(serde_json::from_str(&text), Ok(Value::Object(_)));
            prop_assert!(is_object || read_all(&text).is_err_and(|error| error.is_request()));
            let name = format!("{name}Of");
            let json = format!("{{\"query\": \"a\", \"{name}\": 1}}");
            prop_assert!(read_all(&json).is_err_and(|error| error.to_string().contains(&name)));
        }
    }
}

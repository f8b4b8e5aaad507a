//! Translation of a request's parameters into a question to the engine, and the form of the answer.

use findling_engine::{Request, Response};
use serde_json::{Map, Value, json};

use super::parameters::Values;
use crate::output::UsageError;

/// Maximum number of anchors that an error names.
const MAX_ANCHORS: usize = 30;

/// A route that is answered by the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// Pages for a query.
    Search,
    /// Pages similar to a page.
    Similar,
    /// Titles while somebody types.
    Suggest,
    /// The text of a page.
    Page,
}

/// A question to the engine.
pub struct Question {
    /// The request's JSON, which names the question.
    pub json: String,
    /// The media type of the answer.
    pub media_type: &'static str,
    shape: Shape,
}

enum Shape {
    AsItIs,
    Suggestions,
    OpenSearch,
    Document { url: String },
}

impl Question {
    /// Returns the question of a route's parameters.
    pub fn new(asks: Asks, values: &Values) -> Self {
        let (mut request, mut shape) = (Map::new(), Shape::AsItIs);
        let mut media_type = "application/json; charset=utf-8";
        match asks {
            Asks::Search => search(values, &mut request),
            Asks::Similar => {
                add_common(values, &mut request);
                request.insert("query".into(), "".into());
                request.insert("similarTo".into(), values.text("url").into());
            }
            Asks::Suggest => {
                suggest(values, &mut request);
                shape = Shape::Suggestions;
                if values.text("format") == Some("opensearch") {
                    shape = Shape::OpenSearch;
                    media_type = "application/x-suggestions+json; charset=utf-8";
                }
            }
            Asks::Page => {
                let url = values.text("url").unwrap_or_default().to_owned();
                let reads = json!({"query": "", "mode": "lexical", "limit": 0, "read": url});
                request.extend(reads.as_object().cloned().unwrap_or_default());
                shape = Shape::Document { url };
            }
        }
        Self { json: Value::Object(request).to_string(), media_type, shape }
    }

    /// Returns the request for the engine.
    ///
    /// # Errors
    /// The engine's error, if it does not accept a value.
    pub fn request(&self) -> Result<Request, findling_engine::Error> {
        Request::from_json(&self.json)
    }

    /// Returns the body of the answer.
    ///
    /// # Errors
    /// If a page has no section with the requested anchor.
    pub fn body(&self, response: &Response) -> Result<String, UsageError> {
        match &self.shape {
            Shape::AsItIs => Ok(response.to_json()),
            Shape::Suggestions => {
                let suggestions = suggestions(response)
                    .map(|[text, detail, url]| json!({"text": text, "detail": detail, "url": url}));
                let suggestions: Vec<Value> = suggestions.collect();
                Ok(json!({"query": response.query, "suggestions": suggestions}).to_string())
            }
            Shape::OpenSearch => {
                let all: Vec<[&str; 3]> = suggestions(response).collect();
                let column = |at: usize| all.iter().map(|one| one[at]).collect::<Vec<_>>();
                Ok(json!([response.query, column(0), column(1), column(2)]).to_string())
            }
            Shape::Document { url } => document(response, url),
        }
    }
}

fn search(values: &Values, request: &mut Map<String, Value>) {
    add_common(values, request);
    let mut put = |name: &str, value: Value| request.insert(name.into(), value);
    put("query", values.text("q").into());
    for name in ["encoder", "why"] {
        if let Some(text) = values.filled(name) {
            put(name, text.into());
        }
    }
    if let Some(method) = values.text("fusion") {
        put("fusion", json!({"method": method}));
    }
    for (name, field) in [
        ("prefix", "prefix"),
        ("every-word", "everyWord"),
        ("verbatim", "verbatim"),
        ("instead", "facetsInstead"),
    ] {
        if values.truth(name) == Some(true) {
            put(field, true.into());
        }
    }
    if values.truth("suggest") == Some(false) {
        put("suggest", false.into());
    }
    if !values.texts("also").is_empty() {
        put("also", values.texts("also").into());
    }
}

fn suggest(values: &Values, request: &mut Map<String, Value>) {
    let asks = json!({
        "query": values.text("q"),
        "mode": "lexical",
        "prefix": true,
        "singleLetter": true,
        "limit": values.number("k").unwrap_or(8),
        "sectionsPerPage": 1,
    });
    request.extend(asks.as_object().cloned().unwrap_or_default());
    if let Some(filter) = values.filled("filter") {
        request.insert("filter".into(), filter.into());
    }
}

/// Adds the fields that `/search` and `/similar` share.
fn add_common(values: &Values, request: &mut Map<String, Value>) {
    let mut put = |name: &str, value: Value| request.insert(name.into(), value);
    put("limit", values.number("k").unwrap_or(10).into());
    for (name, field) in [("offset", "offset"), ("sections", "sectionsPerPage")] {
        if let Some(number) = values.number(name).filter(|&number| number > 0) {
            put(field, number.into());
        }
    }
    for name in ["mode", "filter", "facetsOf", "order", "spread"] {
        if let Some(text) = values.filled(name) {
            put(name, text.into());
        }
    }
    if let Some(facets) = values.filled("facets") {
        put("facets", facets.split(',').collect::<Vec<_>>().into());
    }
    for name in ["copies", "explain"] {
        if values.truth(name) == Some(true) {
            put(name, true.into());
        }
    }
    if let Some(sort) = values.filled("sort") {
        put(
            "sort",
            match sort.strip_prefix('-') {
                Some(by) => json!({"by": by, "descending": true}),
                None => json!({"by": sort}),
            },
        );
    }
    if let Some(prefer) = values.filled("prefer") {
        put("prefer", prefer_of(prefer));
    }
}

/// Parses `attribute` or `attribute:share`, with `-` in front to prefer the smallest.
fn prefer_of(text: &str) -> Value {
    let (ascending, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let is_share = |share: &str| {
        !share.is_empty() && share.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    let cut = rest.rsplit_once(':').filter(|(_, share)| is_share(share));
    let mut prefer = json!({"by": cut.map_or(rest, |(by, _)| by)});
    if ascending {
        prefer["ascending"] = true.into();
    }
    if let Some((_, share)) = cut {
        // Anything but a number becomes null, which the engine refuses.
        prefer["share"] = share.parse::<f64>().ok().into();
    }
    prefer
}

/// Returns title, heading and address of each page.
fn suggestions(response: &Response) -> impl Iterator<Item = [&str; 3]> {
    response.results.iter().map(|page| {
        let section = page.sections.first();
        let heading = section.and_then(|section| section.heading_path.last());
        let url = section.map_or(&page.url, |section| &section.url);
        [page.title.as_str(), heading.map_or("", |heading| heading.as_str()), url.as_str()]
    })
}

/// Returns the page that was read, or the section that the address names, with its subsections.
fn document(response: &Response, address: &str) -> Result<String, UsageError> {
    let mut whole: Value = serde_json::from_str(&response.to_json()).unwrap_or_default();
    let mut document = whole["document"].take();
    let anchor = address.split_once('#').map(|(_, anchor)| anchor);
    let anchor = anchor.filter(|anchor| !anchor.is_empty() && document["id"] != address);
    let (Some(anchor), Some(sections)) = (anchor, document["sections"].as_array()) else {
        return Ok(document.to_string());
    };
    let Some(at) = sections.iter().position(|section| section["anchor"] == anchor) else {
        let known = sections.iter().filter_map(|section| section["anchor"].as_str());
        let known = known.take(MAX_ANCHORS).collect::<Vec<_>>().join(", ");
        let message = format!("expected an anchor of the page, one of {known}; found `{anchor}`");
        return Err(UsageError { code: "request", message });
    };
    let first = &sections[at];
    let path = |section: &Value| section["headingPath"].as_array().cloned().unwrap_or_default();
    let is_below = |section: &&Value| {
        path(section).starts_with(&path(first))
            && (section["level"].as_u64() > first["level"].as_u64()
                || section["anchor"] == first["anchor"])
    };
    let below = sections[at + 1..].iter().take_while(is_below).count();
    let shown: Vec<Value> = sections[at..=at + below].to_vec();
    document["url"] = format!("{}#{anchor}", document["url"].as_str().unwrap_or_default()).into();
    document["sections"] = shown.into();
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::parameters::read;
    use super::*;

    fn json_of(asks: Asks, route: &str, query: &str) -> Value {
        let question = Question::new(asks, &read(route, query).unwrap());
        serde_json::from_str(&question.json).unwrap()
    }

    #[test]
    fn parameters_become_a_request() {
        let search = |query: &str| json_of(Asks::Search, "/search", query);
        assert_eq!(search("q=a"), json!({"query": "a", "limit": 10}));
        assert_eq!(
            search("q=a&k=0&offset=2&facets=x,y&sort=-date&prefer=-size:0.5&every-word&suggest=0"),
            json!({
                "query": "a", "limit": 0, "offset": 2, "facets": ["x", "y"],
                "sort": {"by": "date", "descending": true},
                "prefer": {"by": "size", "ascending": true, "share": 0.5},
                "everyWord": true, "suggest": false,
            })
        );
        assert_eq!(prefer_of("a:b"), json!({"by": "a:b"}));
        assert_eq!(prefer_of("date:0.9"), json!({"by": "date", "share": 0.9}));
        assert_eq!(
            json_of(Asks::Similar, "/similar", "url=a%23b&k=2"),
            json!({"query": "", "similarTo": "a#b", "limit": 2})
        );
    }
}

//! A search of several collections, in one order.

use std::cmp::Ordering;
use std::collections::HashSet;

use anyhow::Result;
use findling_engine::{
    Correction, Facet, Limit, Mode, Notice, PageHit, Request, Response, Sort, Suggestion, Total,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{address, usage};
use crate::commands::bundles::Bundles;
use crate::commands::merged_facets::merge;
use crate::commands::newest::{asks_for_all, newest_first};
use crate::commands::open_bundle::OpenBundle;
use crate::output::byline::byline;
use crate::output::{Failure, comparable};
use crate::safe_text;
use crate::ui::Ui;

/// The attribute whose value is the name of a page's collection. It hides an attribute of the same
/// name in a collection.
const COLLECTION: &str = "collection";
/// All attributes that are facets.
const ALL: &str = "*";
/// Maximum number of pages of a request to one collection.
const MAX_PAGES: u32 = 1_000;

/// The answer: like the answer of one bundle, with the collection of each page.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    query: String,
    mode: Mode,
    encoder: Option<String>,
    notices: Vec<Notice>,
    corrections: Vec<Correction>,
    suggestions: Vec<Suggestion>,
    answerable: Option<f32>,
    total: Total,
    results: Vec<Value>,
    facets: Vec<Facet>,
    plan: Option<()>,
    /// Collections that could not be searched.
    failed: Vec<Failed>,
}

#[derive(Serialize)]
struct Failed {
    name: String,
    error: Failure,
}

/// The request that is sent to every collection.
struct Question {
    request: Request,
    /// The collections to show; all if the list is empty.
    chosen: Option<HashSet<String>>,
    /// Whether the pages of each collection are counted, even of collections that are not chosen.
    counts: bool,
}

/// Returns the answer to `search`: `input` is a request to the engine.
///
/// # Errors
/// If it is not a request, or no collection can answer.
pub fn answer(bundles: &Bundles, input: Value) -> Result<String> {
    let Question { request, chosen, counts } = Question::read(input)?;
    let (mut answers, mut failures, mut counted) = (Vec::new(), Vec::new(), Vec::new());
    for name in bundles.names()? {
        let is_chosen = chosen.as_ref().is_none_or(|chosen| chosen.contains(&name));
        if !is_chosen && !counts {
            continue;
        }
        match ask(bundles, &name, &request, is_chosen) {
            Ok(None) => {}
            Ok(Some(response)) => {
                counted.push((name.clone(), response.total.pages));
                if is_chosen {
                    answers.push((name, response));
                }
            }
            Err(error) => failures.push((name, error)),
        }
    }
    if answers.is_empty() && !failures.is_empty() {
        return Err(failures.remove(0).1);
    }
    let failed = failures.iter().map(|(name, error)| (name.clone(), Failure::of(error)));
    let failed = failed.map(|(name, error)| Failed { name, error }).collect();
    let mut found = merged(&request, answers);
    found.failed = failed;
    if counts {
        counted.retain(|(_, pages)| *pages > 0);
        counted.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        found.facets.insert(0, Facet { name: COLLECTION.to_owned(), values: counted });
    }
    Ok(safe_text::json(&found)?)
}

impl Question {
    fn read(mut input: Value) -> Result<Self> {
        let chosen = match input.get_mut("filter") {
            Some(Value::Object(filter)) => filter.remove(COLLECTION).map(names).transpose()?,
            _ => None,
        };
        let filter = input.get("filter").and_then(Value::as_object);
        if filter.is_some_and(Map::is_empty)
            && let Some(fields) = input.as_object_mut()
        {
            fields.remove("filter");
        }
        let mut request = Request::from_json(&input.to_string())?;
        let counts = request.facets.iter().any(|name| name == COLLECTION || name == ALL);
        request.facets.retain(|name| name != COLLECTION);
        Ok(Self { request, chosen, counts })
    }
}

/// Returns the names in a condition on the collection.
fn names(condition: Value) -> Result<HashSet<String>> {
    let name = |value: &Value| value.as_str().map(ToOwned::to_owned);
    let names = match &condition {
        Value::Array(values) => values.iter().map(name).collect(),
        value => name(value).map(|name| HashSet::from([name])),
    };
    names.ok_or_else(|| usage("filter", "expected names of collections, found something else"))
}

/// Returns the answer of a collection; `None` if it lacks a requested attribute, so that none of
/// its pages can match.
fn ask(
    bundles: &Bundles,
    name: &str,
    request: &Request,
    is_chosen: bool,
) -> Result<Option<Response>> {
    let mut asked = bundles.get(name)?;
    let Some(mut request) = request_for(request, &asked) else { return Ok(None) };
    // The pages to skip are known only after all have answered.
    request.limit = Limit(request.limit.0.saturating_add(request.offset).min(MAX_PAGES));
    request.offset = 0;
    if !is_chosen {
        request.limit = Limit(0);
        request.facets.clear();
    }
    match asked.answer(request, bundles.encoders(), &Ui::silent()) {
        Ok((response, _)) => Ok(Some(response)),
        Err(error) if Failure::of(&error).code == "unknown-attribute" => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the request without the attributes that a collection lacks; `None` if the filter needs
/// such an attribute.
fn request_for(request: &Request, asked: &OpenBundle) -> Option<Request> {
    let has = |name: &str| asked.host.manifest().attributes.iter().any(|one| one.name == name);
    if let Some(Value::Object(filter)) = &request.filter {
        let is_known =
            |name: &String| ["must", "should", "must_not"].contains(&name.as_str()) || has(name);
        if !filter.keys().all(is_known) {
            return None;
        }
    }
    let mut request = request.clone();
    request.facets.retain(|name| name == ALL || has(name));
    request.sort = request.sort.filter(|sort| has(&sort.by));
    request.prefer = request.prefer.filter(|prefer| has(&prefer.by));
    request.spread = request.spread.filter(|name| has(name));
    Some(request)
}

/// Merges the answers of several collections into one.
fn merged(request: &Request, answers: Vec<(String, Response)>) -> Found {
    let mut found = Found {
        query: request.query.clone(),
        mode: Mode::Lexical,
        encoder: None,
        notices: Vec::new(),
        corrections: Vec::new(),
        suggestions: Vec::new(),
        answerable: None,
        total: Total::default(),
        results: Vec::new(),
        facets: Vec::new(),
        plan: None,
        failed: Vec::new(),
    };
    let mut pages: Vec<(f32, usize, PageHit)> = Vec::new();
    let mut asked = Vec::new();
    for (at, (name, mut response)) in answers.into_iter().enumerate() {
        let results = std::mem::take(&mut response.results);
        let scored = results.into_iter().map(|page| (comparable(&response, &page), at, page));
        pages.extend(scored);
        asked.push((name, as_meant(&response), response.answerable));
        add(&mut found, response);
    }
    match &request.sort {
        Some(sort) => pages.sort_by(|a, b| by_attribute(sort, &a.2, &b.2)),
        None if asks_for_all(request) => {
            pages.sort_by(|a, b| newest_first(&a.2, &b.2).then_with(|| b.0.total_cmp(&a.0)));
        }
        None => pages.sort_by(|a, b| b.0.total_cmp(&a.0)),
    }
    let wanted = pages.into_iter().skip(request.offset as usize).take(request.limit.0 as usize);
    let wanted: Vec<_> = wanted.collect();
    found.answerable = wanted.first().and_then(|(_, at, _)| asked[*at].2);
    found.results = wanted
        .into_iter()
        .map(|(score, at, page)| result(&asked[at].0, &asked[at].1, score, page))
        .collect();
    if found.total.pages > 0 {
        found.suggestions.clear();
    }
    found
}

/// Adds everything in an answer except its pages.
fn add(found: &mut Found, response: Response) {
    if response.mode != Mode::Lexical {
        found.mode = response.mode;
        found.encoder = found.encoder.take().or(response.encoder);
    }
    merge(&mut found.facets, &response.facets);
    found.total.pages += response.total.pages;
    found.total.sections += response.total.sections;
    found.total.at_least |= response.total.at_least;
    for notice in response.notices {
        if found.notices.iter().all(|known| known.message != notice.message) {
            found.notices.push(notice);
        }
    }
    // A word that one collection lacks is corrected there, but may be right in another collection.
    if response.total.pages > 0 {
        for correction in response.corrections {
            if !found.corrections.contains(&correction) {
                found.corrections.push(correction);
            }
        }
    }
    for suggestion in response.suggestions {
        let is_known = |known: &Suggestion| {
            known.query == suggestion.query && known.filter == suggestion.filter
        };
        if !found.suggestions.iter().any(is_known) {
            found.suggestions.push(suggestion);
        }
    }
}

/// Returns the query with the corrections of an answer: the words to mark in the reader.
fn as_meant(response: &Response) -> String {
    response.corrections.iter().fold(response.query.clone(), |query, correction| {
        query.replace(&correction.word, &correction.replacement)
    })
}

/// Compares pages by a value; pages without a value come last.
fn by_attribute(sort: &Sort, a: &PageHit, b: &PageHit) -> Ordering {
    let order = match (a.attributes.get(&sort.by), b.attributes.get(&sort.by)) {
        (None, None) => return Ordering::Equal,
        (None, Some(_)) => return Ordering::Greater,
        (Some(_), None) => return Ordering::Less,
        (Some(a), Some(b)) => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            _ => text(a).cmp(&text(b)),
        },
    };
    if sort.descending { order.reverse() } else { order }
}

/// Returns a value as text: a date as ISO 8601, the first of several values.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.first().map(text).unwrap_or_default(),
        other => other.to_string(),
    }
}

/// Returns a page with its collection, and with the addresses at which the page and its sections
/// are read.
fn result(collection: &str, query: &str, score: f32, page: PageHit) -> Value {
    let href = |url: &str, anchor: Option<&str>| {
        Value::from(address::of(collection, &page.id, url, anchor, &page.attributes, query))
    };
    let sections = page.sections.iter().map(|section| {
        let mut value = object(section);
        value.insert("href".to_owned(), href(&section.url, section.anchor.as_deref()));
        Value::Object(value)
    });
    let sections: Value = sections.collect();
    let mut value = object(&page);
    value.insert("sections".to_owned(), sections);
    value.insert("href".to_owned(), href(&page.url, None));
    value.insert("score".to_owned(), Value::from(score));
    // Two collections may have pages of the same id.
    value.insert("id".to_owned(), Value::from(format!("{collection}/{}", page.id)));
    // A row shows this attribute beside its title: it also shows what distinguishes papers and
    // conversations. Filters take the counted values, not this one.
    let shown = match byline(&page, page.sections.first()) {
        Some(line) => format!("{collection} · {line}"),
        None => collection.to_owned(),
    };
    if let Some(Value::Object(attributes)) = value.get_mut("attributes") {
        attributes.insert(COLLECTION.to_owned(), Value::from(shown));
    }
    Value::Object(value)
}

fn object(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => object,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn page(id: &str, score: f32, attributes: Value) -> PageHit {
        let Value::Object(attributes) = attributes else { panic!("an object") };
        PageHit {
            id: id.into(),
            url: format!("/{id}"),
            title: id.into(),
            language: "en".into(),
            score,
            attributes,
            meta: vec![],
            sections: vec![],
            n_sections: 1,
            copies: 0,
            pinned: false,
        }
    }

    fn response(mode: Mode, results: Vec<PageHit>) -> Response {
        Response {
            query: "thraeds".into(),
            mode,
            encoder: None,
            notices: vec![],
            corrections: vec![Correction { word: "thraeds".into(), replacement: "threads".into() }],
            suggestions: vec![],
            answerable: Some(0.5),
            total: Total { pages: results.len() as u32, ..Total::default() },
            results,
            facets: vec![],
            plan: None,
            why: None,
            document: None,
        }
    }

    fn ids(found: &Found) -> Vec<&str> {
        found.results.iter().filter_map(|page| page["id"].as_str()).collect()
    }

    fn both(request: &Request) -> Found {
        let a = response(
            Mode::Hybrid,
            vec![page("a1", 0.9, json!({"year": 2001})), page("a2", 0.2, json!({}))],
        );
        let b = response(
            Mode::Hybrid,
            vec![page("b1", 0.5, json!({"year": 2020})), page("b2", 0.1, json!({"year": 1999}))],
        );
        merged(request, vec![("a".into(), a), ("b".into(), b)])
    }

    #[test]
    fn pages_of_collections_are_one_list_that_can_be_paged() {
        let found = both(&Request { limit: Limit(3), ..Request::default() });
        assert_eq!(ids(&found), ["a/a1", "b/b1", "a/a2"]);
        assert_eq!(found.total.pages, 4);
        assert_eq!(found.corrections.len(), 1);
        let first = &found.results[0];
        assert_eq!(first["href"], "/read?in=a&page=a1&q=threads");
        assert_eq!(first["attributes"]["collection"], "a");
        let rest = both(&Request { limit: Limit(3), offset: 3, ..Request::default() });
        assert_eq!(ids(&rest), ["b/b2"]);
    }

    #[test]
    fn pages_in_the_order_of_an_attribute_have_those_without_it_last() {
        let sort = |descending| Some(Sort { by: "year".into(), descending });
        let found = both(&Request { sort: sort(true), ..Request::default() });
        assert_eq!(ids(&found), ["b/b1", "a/a1", "b/b2", "a/a2"]);
        let found = both(&Request { sort: sort(false), ..Request::default() });
        assert_eq!(ids(&found), ["b/b2", "a/a1", "b/b1", "a/a2"]);
    }

    #[test]
    fn the_collection_is_filtered_by_like_an_attribute() {
        let read = |input: Value| Question::read(input).unwrap();
        let question = read(json!({"query": "x", "filter": {"collection": ["a"], "year": 1}}));
        assert_eq!(question.chosen, Some(HashSet::from(["a".to_owned()])));
        assert_eq!(question.request.filter, Some(json!({"year": 1})));
        let question = read(json!({"filter": {"collection": "a"}, "facets": ["collection"]}));
        assert_eq!((question.request.filter, question.counts), (None, true));
        assert!(question.request.facets.is_empty());
        assert!(!read(json!({"query": "x"})).counts);
        assert!(Question::read(json!({"filter": {"collection": 7}})).is_err());
        assert!(Question::read(json!({"query": 7})).is_err());
    }
}

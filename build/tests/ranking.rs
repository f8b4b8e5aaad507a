//! Tests that results have the order that a reader expects: the cases of `tests/ranking`, by words
//! alone.
//!
//! A topic is a directory of pages and a file of cases, each of which says in words why its order
//! must be so; README.md there has the keys. `tests/e2e/browser/ranking.test.mjs` runs the same
//! cases with the client in a browser.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use findling_build::host::Host;
use findling_engine::Request;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Number of requested pages if a case does not give one. No topic has so many.
const LIMIT: usize = 100;

/// Fields of the request that a case may set.
const REQUEST: [&str; 14] = [
    "prefix",
    "filter",
    "sort",
    "limit",
    "offset",
    "sectionsPerPage",
    "prefer",
    "order",
    "verbatim",
    "spread",
    "copies",
    "facets",
    "facetsOf",
    "facetsInstead",
];

/// A file of cases.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Topic {
    about: String,
    /// Further arguments of `findling build`; files are named from the topic's directory.
    #[serde(default)]
    build: Vec<String>,
    cases: Vec<Case>,
}

/// A query and the results that a reader expects.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    query: String,
    #[serde(default)]
    request: Map<String, Value>,
    typed: Option<usize>,
    why: String,
    source: Option<String>,
    /// The reason why the engine does not do so yet. The case must then fail.
    open: Option<String>,
    first: Option<String>,
    order: Option<Vec<String>>,
    only: Option<Vec<String>>,
    #[serde(default)]
    absent: Vec<String>,
    #[serde(default)]
    none: bool,
    snippet: Option<String>,
    marked: Option<Vec<String>>,
    corrections: Option<Vec<Value>>,
    facets: Option<Value>,
    copies: Option<u64>,
    notice: Option<String>,
    suggests: Option<Vec<String>>,
    #[serde(default)]
    same: Vec<String>,
    paged: Option<usize>,
}

impl Case {
    /// Returns the mistakes in the case itself.
    fn mistakes(&self, pages: &BTreeSet<String>) -> Vec<String> {
        let mut wrong = Vec::new();
        if self.why.is_empty() {
            wrong.push("nothing says why".to_owned());
        }
        for key in self.request.keys().filter(|key| !REQUEST.contains(&key.as_str())) {
            wrong.push(format!("unknown key {key:?} of the request"));
        }
        let of_pages = self.first.is_some()
            || self.order.is_some()
            || self.only.is_some()
            || self.snippet.is_some()
            || self.marked.is_some()
            || self.copies.is_some();
        let of_answers = !self.absent.is_empty()
            || self.none
            || self.corrections.is_some()
            || self.facets.is_some()
            || self.notice.is_some()
            || self.suggests.is_some();
        if !of_pages && !of_answers && self.same.is_empty() && self.paged.is_none() {
            wrong.push("it expects nothing".to_owned());
        }
        let first = self.first.as_deref().map(|first| split(first).0);
        let lists = [&self.order, &self.only].into_iter().flatten().flatten().chain(&self.absent);
        for page in first.into_iter().chain(lists.map(String::as_str)) {
            if !pages.contains(page) {
                wrong.push(format!("there is no page {page}"));
            }
        }
        if self.order.as_ref().is_some_and(|order| order.len() < 2) {
            wrong.push("an order is of two pages at least".to_owned());
        }
        if self.none && of_pages {
            wrong.push("it expects pages and none".to_owned());
        }
        if self.paged.is_some()
            && ["limit", "offset"].iter().any(|key| self.request.contains_key(*key))
        {
            wrong.push("\"paged\" sets limit and offset itself".to_owned());
        }
        wrong
    }

    /// Returns the request for one spelling of the query.
    fn request(&self, query: &str, more: Value) -> Value {
        let mut request = json!({"limit": LIMIT});
        for fields in [Value::Object(self.request.clone()), more, json!({"query": query})] {
            if let (Value::Object(request), Value::Object(fields)) = (&mut request, fields) {
                request.extend(fields);
            }
        }
        request
    }

    /// Compares the answers of `ask` with the expected ones. Returns the differences.
    fn failures(
        &self,
        n_pages: usize,
        mut ask: impl FnMut(Value) -> Result<Value, String>,
    ) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut answer = |query: &str, more: Value, wrong: &mut Vec<String>| match ask(
            self.request(query, more)
        ) {
            Ok(response) => Some(response),
            Err(error) => {
                wrong.push(format!("{query:?}: expected an answer\n      found an error: {error}"));
                None
            }
        };
        // If the query is typed, each beginning; the whole query comes last.
        let ends: Vec<usize> =
            self.query.char_indices().map(|(at, _)| at).skip(1).chain([self.query.len()]).collect();
        let beginnings = match self.typed {
            Some(from) => &ends[from.saturating_sub(1).min(ends.len() - 1)..],
            None => &ends[ends.len() - 1..],
        };
        let mut list = Vec::new();
        for &end in beginnings {
            let query = &self.query[..end];
            let more = if self.typed.is_some() { json!({"prefix": true}) } else { json!({}) };
            let Some(response) = answer(query, more, &mut wrong) else { continue };
            self.expect(&response, |expected| {
                wrong.push(format!(
                    "{query:?}: expected {expected}\n      found {}",
                    shown(&response)
                ));
            });
            list = ids(&response);
        }
        for query in &self.same {
            if let Some(response) = answer(query, json!({}), &mut wrong)
                && ids(&response) != list
            {
                let expected =
                    format!("the same pages as for {:?}: {}", self.query, list.join(" "));
                wrong.push(format!(
                    "{query:?}: expected {expected}\n      found {}",
                    shown(&response)
                ));
            }
        }
        if let Some(step) = self.paged {
            let mut together = Vec::new();
            for offset in (0..=n_pages).step_by(step.max(1)) {
                let more = json!({"limit": step, "offset": offset});
                if let Some(response) = answer(&self.query, more, &mut wrong) {
                    together.extend(ids(&response));
                }
            }
            if together != list {
                let (query, list, found) = (&self.query, list.join(" "), together.join(" "));
                wrong.push(format!(
                    "{query:?}: expected each page once, in order, by {step}: {list}\n      found \
                     {found}"
                ));
            }
        }
        wrong
    }

    /// Returns the missing parts of a response.
    fn expect(&self, response: &Value, mut say: impl FnMut(String)) {
        let list = ids(response);
        let section = &response["results"][0]["sections"][0];
        if let Some(first) = &self.first {
            let (page, anchor) = split(first);
            if list.first().is_none_or(|found| found != page) {
                say(format!("{page} first"));
            } else if let Some(anchor) = anchor
                && section["anchor"] != anchor
            {
                say(format!("section #{anchor} of {page}, not {}", section["anchor"]));
            }
        }
        if let Some(order) = &self.order {
            let places: Vec<_> =
                order.iter().map(|page| list.iter().position(|found| found == page)).collect();
            if places.contains(&None) || !places.is_sorted() {
                say(format!("in this order: {}", order.join(" ")));
            }
        }
        if let Some(only) = &self.only
            && list != *only
        {
            say(format!("only {}", only.join(" ")));
        }
        for page in self.absent.iter().filter(|page| list.contains(page)) {
            say(format!("no {page}"));
        }
        if self.none && !list.is_empty() {
            say("nothing".to_owned());
        }
        let text = section["snippet"]["text"].as_str().unwrap_or_default();
        if let Some(snippet) = &self.snippet
            && !text.contains(snippet.as_str())
        {
            say(format!("a snippet with {snippet:?}, not {text:?}"));
        }
        if let Some(expected) = &self.marked {
            let marked = marked(text, &section["snippet"]["ranges"]);
            if marked != *expected {
                say(format!("marked {expected:?}, not {marked:?} in {text:?}"));
            }
        }
        if let Some(copies) = self.copies
            && response["results"][0]["copies"].as_u64().unwrap_or_default() != copies
        {
            say(format!(
                "{copies} copies of the first page, not {}",
                response["results"][0]["copies"]
            ));
        }
        if let Some(facets) = &self.facets {
            let counted = response["facets"].as_array().into_iter().flatten();
            let counted: Map<String, Value> = counted
                .map(|facet| {
                    let values = facet["values"].as_array().into_iter().flatten();
                    let values: Map<String, Value> = values
                        .filter_map(|value| Some((value[0].as_str()?.to_owned(), value[1].clone())))
                        .collect();
                    (facet["name"].as_str().unwrap_or_default().to_owned(), Value::Object(values))
                })
                .collect();
            if Value::Object(counted.clone()) != *facets {
                say(format!("counts {facets}, not {}", Value::Object(counted)));
            }
        }
        if let Some(notice) = &self.notice {
            let said = response["notices"].to_string();
            if !said.contains(notice.as_str()) {
                say(format!("a notice with {notice:?}, not {said}"));
            }
        }
        if let Some(expected) = &self.suggests {
            let made = response["suggestions"].as_array().cloned().unwrap_or_default();
            let made: Vec<String> = made
                .iter()
                .map(|one| one["query"].as_str().unwrap_or_default().to_owned())
                .collect();
            if made != *expected {
                say(format!("suggestions {expected:?}, not {made:?}"));
            }
        }
        if let Some(expected) = &self.corrections {
            let made = response["corrections"].as_array().cloned().unwrap_or_default();
            let same = made.len() == expected.len()
                && made.iter().zip(expected).all(|(made, expected)| {
                    made["word"] == expected["word"]
                        && made["replacement"] == expected["replacement"]
                });
            if !same {
                let (expected, made) = (json!(expected), json!(made));
                say(format!("corrections {expected}, not {made}"));
            }
        }
    }
}

/// Splits `page.md#anchor`.
fn split(first: &str) -> (&str, Option<&str>) {
    first.split_once('#').map_or((first, None), |(page, anchor)| (page, Some(anchor)))
}

fn ids(response: &Value) -> Vec<String> {
    let results = response["results"].as_array().into_iter().flatten();
    results.filter_map(|page| page["id"].as_str().map(str::to_owned)).collect()
}

/// Returns the marked stretches of a snippet, whose ranges count UTF-16.
fn marked(text: &str, ranges: &Value) -> Vec<String> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let at = |range: &Value, i: usize| range[i].as_u64().unwrap_or_default() as usize;
    let ranges = ranges.as_array().into_iter().flatten();
    ranges.map(|range| String::from_utf16_lossy(&units[at(range, 0)..at(range, 1)])).collect()
}

/// Writes pages with their best sections and scores, for people.
fn shown(response: &Value) -> String {
    let results = response["results"].as_array().into_iter().flatten();
    let pages: Vec<String> = results
        .map(|page| {
            let anchor = page["sections"][0]["anchor"].as_str().map(|anchor| format!("#{anchor}"));
            let score = page["score"].as_f64().unwrap_or_default();
            let id = page["id"].as_str().unwrap_or_default();
            format!("{id}{} ({score:.3})", anchor.unwrap_or_default())
        })
        .collect();
    if pages.is_empty() { "nothing".to_owned() } else { pages.join(", ") }
}

/// Adds the paths of all files below a directory to `found`, relative to it.
fn files(directory: &Path, below: &str, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(directory).expect("a directory").flatten() {
        let name = entry.file_name().into_string().expect("UTF-8");
        let path = format!("{below}{name}");
        if entry.path().is_dir() {
            files(&entry.path(), &format!("{path}/"), found);
        } else {
            found.insert(path);
        }
    }
}

/// Builds a topic's bundle and opens it; the error is the tool's message.
fn build(directory: &Path, topic: &Topic, out: &Path) -> Result<Host, String> {
    let out = out.join("bundle");
    let output = Command::new(env!("CARGO_BIN_EXE_findling"))
        .current_dir(directory)
        .args(["build", "pages", "--no-client", "--quiet", "--encoder", "none", "--output"])
        .arg(&out)
        .args(&topic.build)
        .output()
        .expect("findling runs");
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Host::open(&out).map_err(|error| format!("{error:#}"))
}

#[test]
fn readers_find_what_they_mean() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/ranking");
    let entries = std::fs::read_dir(&root).expect("the cases").flatten();
    let mut directories: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    directories.sort();
    let (mut mistakes, mut failed, mut n_cases, mut n_open) = (Vec::new(), Vec::new(), 0, 0);
    for directory in &directories {
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(directory.join("cases.json")).expect("cases.json");
        let topic: Topic = match serde_json::from_str(&text) {
            Ok(topic) => topic,
            Err(error) => {
                mistakes.push(format!("{name}: {error}"));
                continue;
            }
        };
        if topic.about.is_empty() {
            mistakes.push(format!("{name}: \"about\" is missing"));
        }
        let mut pages = BTreeSet::new();
        files(&directory.join("pages"), "", &mut pages);
        for case in &topic.cases {
            let wrong = case.mistakes(&pages);
            mistakes.extend(
                wrong.into_iter().map(|wrong| format!("{name}: {:?}: {wrong}", case.query)),
            );
        }
        n_cases += topic.cases.len();
        let out = tempfile::tempdir().expect("a temporary directory");
        let mut host = match build(directory, &topic, out.path()) {
            Ok(host) => host,
            Err(said) => {
                failed.push(format!("{name}: {} cases: no bundle: {said}", topic.cases.len()));
                continue;
            }
        };
        for case in &topic.cases {
            let wrong = case.failures(pages.len(), |request| {
                let request =
                    Request::from_json(&request.to_string()).map_err(|error| error.to_string())?;
                let (response, _) = host.search(request).map_err(|error| format!("{error:#}"))?;
                serde_json::from_str(&response.to_json()).map_err(|error| error.to_string())
            });
            if case.open.is_some() {
                n_open += 1;
                if wrong.is_empty() {
                    failed
                        .push(format!("{name}: {:?}: it is done: take \"open\" away", case.query));
                }
            } else if !wrong.is_empty() {
                let source = case.source.as_ref().map(|source| format!(" [{source}]"));
                let (query, why, source) = (&case.query, &case.why, source.unwrap_or_default());
                failed.push(format!(
                    "{name}: {query:?}: {why}{source}\n    {}",
                    wrong.join("\n    ")
                ));
            }
        }
    }
    assert!(mistakes.is_empty(), "mistakes in the cases:\n{}", mistakes.join("\n"));
    println!("{n_cases} cases in {} topics, {n_open} of them open", directories.len());
    assert!(failed.is_empty(), "{} of {n_cases} cases:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn a_wrong_order_is_told() {
    let page = |id: &str| {
        json!({"id": id, "score": 1.0, "sections": [{"anchor": "a", "snippet": {"text": "😀 \
         lock it", "ranges": [[3, 7]]}}]})
    };
    let response = json!({"results": [page("b.md"), page("a.md")]});
    let check = |case: Value, n_failures: usize| {
        let mut case = case;
        case["query"] = json!("lock");
        case["why"] = json!("it must");
        let case: Case = serde_json::from_value(case).expect("a case");
        let found = case.failures(2, |_| Ok(response.clone()));
        assert_eq!(found.len(), n_failures, "{found:?}");
    };
    check(
        json!({
            "first": "b.md#a",
            "order": ["b.md", "a.md"],
            "only": ["b.md", "a.md"],
            "absent": ["c.md"],
        }),
        0,
    );
    check(json!({"snippet": "lock", "marked": ["lock"], "same": ["Lock"], "corrections": []}), 0);
    check(
        json!({"first": "a.md", "order": ["a.md", "b.md"], "only": ["b.md"], "absent": ["b.md"]}),
        4,
    );
    check(json!({"first": "b.md#b", "order": ["b.md", "c.md"], "none": true, "paged": 1}), 4);
    check(
        json!({
            "snippet": "key",
            "marked": ["it"],
            "corrections": [{"word": "lok", "replacement": "lock"}],
        }),
        3,
    );
    check(json!({"typed": 3, "first": "a.md"}), 2);
    let mistakes = |case: Value| {
        let pages = BTreeSet::from(["a.md".to_owned()]);
        serde_json::from_value::<Case>(case).map(|case| case.mistakes(&pages).len()).ok()
    };
    assert_eq!(mistakes(json!({"query": "x", "why": "y", "first": "a.md#b"})), Some(0));
    assert_eq!(mistakes(json!({"query": "x", "why": "y"})), Some(1));
    assert_eq!(
        mistakes(json!({"query": "x", "why": "y", "first": "b.md", "request": {"mode": "hybrid"}})),
        Some(2)
    );
    assert_eq!(mistakes(json!({"query": "x", "why": "y", "last": "a.md"})), None);
}

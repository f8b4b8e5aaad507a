//! The findings of a report: searches in which readers found nothing.

use std::collections::{BTreeMap, HashMap};

use findling_bundle::addresses::percent_decoded;
use jiff::SignedDuration;
use serde::Serialize;

use super::log::Search;
use crate::output::NOTHING_BELOW;

/// Longest pause after which a choice still belongs to a search, or a search to the previous
/// search.
const MAX_PAUSE: SignedDuration = SignedDuration::from_mins(2);

/// Longest pause between two requests of a reader who is typing.
const MAX_TYPING_PAUSE: SignedDuration = SignedDuration::from_secs(5);

/// Fewest choices of a page, for a query, that make it the page to pin.
const MIN_CHOICES: u64 = 3;

/// First row from which a chosen result is far down the list.
const FAR_DOWN: u64 = 4;

/// Fewest searches of a query without a choice, or with the same other words, that are no chance.
const MIN_REPEATS: u64 = 2;

/// Maximum number of words of a query that can be a synonym.
const MAX_SYNONYM_WORDS: usize = 3;

/// The answer of today's site to a query.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Now {
    /// Whether there is an answer.
    pub is_answered: bool,
    /// The title of the first page.
    pub title: Option<String>,
    /// The address of the first page.
    pub url: Option<String>,
}

/// The report.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Findings {
    pub searches: u64,
    pub queries: u64,
    /// The number of searches without an answer.
    pub without_answer_searches: u64,
    /// The number of searches after which a result was chosen; `None` if the log does not say.
    pub chosen_searches: Option<u64>,
    /// Queries that nothing answered, the most frequent first.
    pub without_answer: Vec<Row>,
    /// Queries with answers that nobody chose.
    pub without_choice: Vec<Row>,
    /// Pages that readers chose far down the list.
    pub pins: Vec<Pin>,
    /// Words that readers replaced by others, which led to a choice.
    pub synonyms: Vec<Synonym>,
    /// Addresses without a page that readers asked for, in access logs.
    pub redirects: Vec<Redirect>,
}

/// A query.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    pub query: String,
    pub searches: u64,
    /// The answer of today's site, if a bundle was given.
    pub now: Option<Now>,
}

/// A line for the file of pins.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pin {
    pub query: String,
    /// The path of the page.
    pub page: String,
    pub choices: u64,
    /// The middle one of the rows in which it stood.
    pub position: u64,
}

/// A line for the file of synonyms.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Synonym {
    pub from: String,
    pub to: String,
    pub readers: u64,
}

/// An address without a page, and the page that answers its words.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Redirect {
    pub from: String,
    /// The path of the page; `None` if nothing answers, or without a bundle.
    pub to: Option<String>,
    pub requests: u64,
}

impl Redirect {
    /// Returns the line of the address, as hosts read it in `_redirects`.
    pub fn line(&self) -> String {
        let Self { from, to, requests } = self;
        match to {
            Some(to) => format!("{from} {to} 301   # {requests} requests"),
            None => format!("# {from}   {requests} requests, no page answers it"),
        }
    }
}

/// Returns the words of a path, which are a query; empty if it has none.
pub fn words_of(path: &str) -> String {
    let path = percent_decoded(path);
    let ends = [".html", ".htm", ".md"];
    let path = ends.iter().find_map(|end| path.strip_suffix(end)).unwrap_or(&path);
    let words = path.split(|c: char| !c.is_alphanumeric()).filter(|word| {
        word.chars().any(char::is_alphabetic) && !matches!(*word, "index" | "docs" | "www")
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the addresses that were asked for several times, most first. `now` has what the site
/// answers to the words of each.
pub fn redirects(missing: &BTreeMap<String, u64>, now: &HashMap<String, Now>) -> Vec<Redirect> {
    let repeated = missing.iter().filter(|(_, requests)| **requests >= MIN_REPEATS);
    let mut all: Vec<Redirect> = repeated
        .filter(|(path, _)| !words_of(path).is_empty())
        .map(|(path, requests)| {
            let now = now.get(&key(&words_of(path))).filter(|now| now.is_answered);
            let to = now.and_then(|now| now.url.as_deref()).map(path_of);
            // A page that exists by now needs no redirect to itself.
            let is_there = to.as_deref().is_some_and(|to| bare(to) == bare(path));
            Redirect { from: path.clone(), to: to.filter(|_| !is_there), requests: *requests }
        })
        .collect();
    all.sort_by(|a, b| (b.requests, &a.from).cmp(&(a.requests, &b.from)));
    all
}

/// Returns a path without the endings that lead to the same page.
fn bare(path: &str) -> &str {
    path.trim_end_matches(".html").trim_end_matches("index").trim_end_matches('/')
}

/// Returns queries as they count as the same: in small letters.
pub fn key(query: &str) -> String {
    query.to_lowercase()
}

/// Joins the lines that are one search: a choice and the search that it ends, and requests while a
/// reader types.
pub fn joined(searches: Vec<Search>) -> Vec<Search> {
    let mut done: Vec<Search> = Vec::with_capacity(searches.len());
    // The last search of each client.
    let mut last: HashMap<Option<String>, usize> = HashMap::new();
    for search in searches {
        let place = last.get(&search.client).copied();
        if let Some(before) = place.map(|place| &mut done[place]) {
            let is_within = |most| is_soon(before, &search, most);
            if key(&before.query) == key(&search.query) && is_within(MAX_PAUSE) {
                before.chosen.extend(search.chosen);
                before.pages = search.pages.or(before.pages);
                before.answerable = search.answerable.or(before.answerable);
                before.time = search.time.or(before.time);
                continue;
            }
            let is_typed = search.client.is_some()
                && before.chosen.is_empty()
                && key(&search.query).starts_with(&key(&before.query))
                && is_within(MAX_TYPING_PAUSE);
            if is_typed {
                *before = search;
                continue;
            }
        }
        last.insert(search.client.clone(), done.len());
        done.push(search);
    }
    done
}

/// Returns whether a search follows another after at most this time. Tables have no times.
fn is_soon(before: &Search, after: &Search, most: SignedDuration) -> bool {
    match (before.time, after.time) {
        (Some(first), Some(second)) => {
            let pause = second.duration_since(first);
            pause >= SignedDuration::ZERO && pause <= most
        }
        _ => false,
    }
}

/// Returns whether a search had an answer, if the log or the site of today says it.
fn is_answered(search: &Search, now: Option<&Now>) -> Option<bool> {
    if !search.chosen.is_empty() {
        return Some(true);
    }
    match (search.pages, search.answerable) {
        (Some(0), _) => Some(false),
        (_, Some(chance)) => Some(chance >= NOTHING_BELOW),
        (Some(_), None) => Some(true),
        (None, None) => now.map(|now| now.is_answered),
    }
}

/// Returns the report on searches. `now` has today's answers of the site, by [`key`].
pub fn findings(searches: &[Search], now: &HashMap<String, Now>) -> Findings {
    let mut found = Findings::default();
    let tells_choices = searches.iter().any(|search| search.tells_choices);
    // A query is shown as it was spelled first.
    let mut queries: BTreeMap<String, Query> = BTreeMap::new();
    for search in searches {
        let key = key(&search.query);
        let today = now.get(&key);
        let query = queries.entry(key).or_insert_with(|| Query::new(&search.query));
        query.searches += search.count;
        if is_answered(search, today) == Some(false) {
            query.unanswered += search.count;
        }
        query.chosen += u64::from(!search.chosen.is_empty());
        for choice in &search.chosen {
            let rows = query.choices.entry(path_of(&choice.href)).or_default();
            rows.push(choice.position.unwrap_or(0));
        }
    }
    found.searches = queries.values().map(|query| query.searches).sum();
    found.queries = queries.len() as u64;
    found.without_answer_searches = queries.values().map(|query| query.unanswered).sum();
    found.chosen_searches = tells_choices.then(|| queries.values().map(|it| it.chosen).sum());
    for (key, query) in &queries {
        let row =
            |searches| Row { query: query.text.clone(), searches, now: now.get(key).cloned() };
        // A query that was answered most of the time has become answerable, or was mistyped.
        if query.unanswered * 2 > query.searches {
            found.without_answer.push(row(query.unanswered));
        } else if tells_choices && query.chosen == 0 && query.searches >= MIN_REPEATS {
            found.without_choice.push(row(query.searches));
        }
        found.pins.extend(query.pin());
    }
    let most_first = |a: &Row, b: &Row| (b.searches, &a.query).cmp(&(a.searches, &b.query));
    found.without_answer.sort_by(most_first);
    found.without_choice.sort_by(most_first);
    found.pins.sort_by(|a, b| (b.choices, &a.query).cmp(&(a.choices, &b.query)));
    found.synonyms = synonyms(searches, &queries);
    found
}

/// The searches of one query, and the choices after them.
#[derive(Default)]
struct Query {
    text: String,
    searches: u64,
    unanswered: u64,
    /// Searches after which a result was chosen.
    chosen: u64,
    /// The rows in which each chosen page stood; 0 if the log does not say.
    choices: BTreeMap<String, Vec<u64>>,
}

impl Query {
    fn new(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// Returns the page that most readers choose, if it is far down the list.
    fn pin(&self) -> Option<Pin> {
        let all: usize = self.choices.values().map(Vec::len).sum();
        let (page, rows) = self.choices.iter().max_by_key(|(_, rows)| rows.len())?;
        let mut rows: Vec<u64> = rows.iter().copied().filter(|&row| row > 0).collect();
        rows.sort_unstable();
        let position = *rows.get(rows.len() / 2)?;
        let choices = rows.len() as u64;
        let is_most = rows.len() * 5 >= all * 3;
        (choices >= MIN_CHOICES && is_most && position >= FAR_DOWN).then(|| Pin {
            query: self.text.clone(),
            page: page.clone(),
            choices,
            position,
        })
    }
}

/// Returns the path of an address, without the section.
fn path_of(href: &str) -> String {
    let path = href.split(['#', '?']).next().unwrap_or_default();
    match path.split_once("://") {
        Some((_, rest)) => {
            let (_, path) = rest.split_once('/').unwrap_or_default();
            format!("/{path}")
        }
        None => path.to_owned(),
    }
}

/// Returns the words that readers replaced by others at once, when the others led to a choice and
/// the first ones never do.
fn synonyms(searches: &[Search], queries: &BTreeMap<String, Query>) -> Vec<Synonym> {
    let mut found: BTreeMap<(String, String), u64> = BTreeMap::new();
    let mut last: HashMap<&Option<String>, &Search> = HashMap::new();
    for search in searches {
        if let Some(before) = last.insert(&search.client, search)
            && before.chosen.is_empty()
            && !search.chosen.is_empty()
            && is_soon(before, search, MAX_PAUSE)
        {
            let (from, to) = (key(&before.query), key(&search.query));
            let is_short = |text: &str| text.split(' ').count() <= MAX_SYNONYM_WORDS;
            // Words that are added or completed are no synonyms.
            let is_longer = to.contains(&from) || from.contains(&to);
            let never = queries.get(&from).is_none_or(|query| query.chosen == 0);
            if is_short(&from) && is_short(&to) && !is_longer && never {
                *found.entry((from, to)).or_default() += 1;
            }
        }
    }
    let often = found.into_iter().filter(|(_, readers)| *readers >= MIN_REPEATS);
    let mut all: Vec<Synonym> =
        often.map(|((from, to), readers)| Synonym { from, to, readers }).collect();
    all.sort_by(|a, b| (b.readers, &a.from).cmp(&(a.readers, &b.from)));
    all
}

//! Searches in the logs that a site has: events of the search box, access logs of servers, and
//! tables of statistics programs.
//!
//! | a line | is |
//! |---|---|
//! | JSON with `query` | an event `findling-settled`, or one that `findling-log.js` exported |
//! | JSON with `uri`, `url` or `path` | a request, as Caddy and nginx log it |
//! | another line with `"GET /search?q=…` | a request in the Common Log Format |
//! | a request in such a log that the server answered with 404 or 410 | a page that is missing |
//! | a line of a table with a column of queries | a query with the number of its searches |

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result};
use findling_bundle::addresses::percent_decoded;
use jiff::Timestamp;
use jiff::fmt::strtime;
use serde_json::Value;

use crate::output::UsageError;
use crate::regular_file;
use crate::safe_text;

/// Largest line that is read.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// Longest query that is kept, in characters. Longer queries are pasted by mistake.
const MAX_QUERY_CHARS: usize = 300;

/// Most missing paths that are kept: programs that look for holes ask for many.
const MAX_MISSING: usize = 10_000;

/// A search with what became of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Search {
    /// The query as it was typed.
    pub query: String,
    /// When it ended.
    pub time: Option<Timestamp>,
    /// The client, if the log distinguishes clients.
    pub client: Option<String>,
    /// The number of pages found, if the log says it.
    pub pages: Option<u64>,
    /// The estimate that the site answers the query.
    pub answerable: Option<f32>,
    /// The chosen results.
    pub chosen: Vec<Choice>,
    /// How often the query was searched. Above 1 for a line of a table.
    pub count: u64,
    /// Whether the log says which results were chosen.
    pub tells_choices: bool,
}

/// A result that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The address of the result.
    pub href: String,
    /// The row of the result, from 1, if the log says it.
    pub position: Option<u64>,
}

/// The content of logs.
#[derive(Debug, Default)]
pub struct Log {
    /// The searches, in the order of the files.
    pub searches: Vec<Search>,
    /// The requests for each path that has no page.
    pub missing: BTreeMap<String, u64>,
    /// The number of lines without a search.
    pub n_other: u64,
}

/// Reads a log. `parameter` is the parameter of an address that has the query.
///
/// # Errors
/// If the file cannot be read, or no line has a search.
pub fn read(path: &Path, parameter: &str, log: &mut Log) -> Result<()> {
    let file = regular_file::open(path).with_context(|| path.display().to_string())?;
    let before = (log.searches.len(), log.missing.len());
    read_from(file, parameter, log).with_context(|| path.display().to_string())?;
    if (log.searches.len(), log.missing.len()) == before {
        let message = format!(
            "{}: expected searches: JSON lines with `query`, an access log with addresses that \
             have `{parameter}=`, or a table (CSV) with a column of queries; found none. \
             --parameter names the parameter of the query",
            path.display()
        );
        return Err(UsageError { code: "log", message }.into());
    }
    Ok(())
}

fn read_from(file: impl Read, parameter: &str, log: &mut Log) -> Result<()> {
    let mut lines = BufReader::new(file);
    let mut first = true;
    let mut table: Option<Columns> = None;
    loop {
        let mut line = Vec::new();
        if lines.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() {
            continue;
        }
        if std::mem::take(&mut first) {
            table = Columns::of(line);
            if table.is_some() {
                continue;
            }
        }
        let json = || serde_json::from_str::<Value>(line).ok();
        let (search, missing) = match &table {
            Some(columns) => (columns.search(line), None),
            None if line.starts_with('{') => {
                let value = json().unwrap_or_default();
                (of_json(&value, parameter), missing_in_json(&value))
            }
            None => (of_request_line(line, parameter), missing_in_line(line)),
        };
        match (search, missing) {
            (_, Some(path)) if log.missing.len() < MAX_MISSING => {
                *log.missing.entry(path).or_default() += 1;
            }
            (Some(search), None) => log.searches.push(search),
            _ => log.n_other += 1,
        }
    }
}

/// Returns a query in one line, or `None` if it is empty or too long.
fn query_of(text: &str) -> Option<String> {
    let query = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!query.is_empty() && query.chars().count() <= MAX_QUERY_CHARS).then_some(query)
}

/// Reads an event of the search box, or a request of a log in JSON.
fn of_json(value: &Value, parameter: &str) -> Option<Search> {
    // Some servers wrap the events that a browser sends.
    let value = ["detail", "event_data", "data"]
        .iter()
        .find_map(|name| value.get(name).filter(|inner| inner.get("query").is_some()))
        .map_or(value, |inner| inner);
    let Some(query) = value["query"].as_str() else { return of_json_request(value, parameter) };
    let choice = value["href"]
        .as_str()
        .map(|href| Choice { href: href.to_owned(), position: value["position"].as_u64() });
    Some(Search {
        query: query_of(query)?,
        time: time_of(&value["time"]),
        client: value["client"].as_str().map(str::to_owned),
        pages: value["pages"].as_u64(),
        answerable: value["answerable"].as_f64().map(|chance| chance as f32),
        chosen: choice.into_iter().collect(),
        count: 1,
        tells_choices: true,
    })
}

fn of_json_request(value: &Value, parameter: &str) -> Option<Search> {
    let request = if value["request"].is_object() { &value["request"] } else { value };
    let names = ["uri", "url", "path", "request_uri", "request"];
    let address = names.iter().find_map(|name| request[*name].as_str())?;
    // nginx logs the whole line of the request.
    let address = address.split(' ').find(|part| part.contains('?')).unwrap_or(address);
    let client = ["remote_ip", "client_ip", "remote_addr", "ip"];
    let time = ["time", "ts", "time_iso8601", "timestamp", "time_local"];
    Some(Search {
        query: of_address(address, parameter)?,
        time: time.iter().find_map(|name| time_of(&value[*name])),
        client: client.iter().find_map(|name| request[*name].as_str()).map(str::to_owned),
        count: 1,
        ..Search::default()
    })
}

/// Returns the path of a request in JSON that found no page.
fn missing_in_json(value: &Value) -> Option<String> {
    let status = [&value["status"], &value["request"]["status"]];
    let is_missing =
        |status: &&Value| status.as_u64().is_some_and(is_gone) || is_gone_text(status.as_str());
    status.iter().find(|status| is_missing(status))?;
    let request = if value["request"].is_object() { &value["request"] } else { value };
    let names = ["uri", "url", "path", "request_uri", "request"];
    let address = names.iter().find_map(|name| request[*name].as_str())?;
    page_path(address.split(' ').find(|part| part.starts_with(['/', 'h'])).unwrap_or(address))
}

/// Returns the path of a request in the Common Log Format that found no page.
fn missing_in_line(line: &str) -> Option<String> {
    let mut parts = line.split('"').skip(1);
    let (request, rest) = (parts.next()?, parts.next()?);
    is_gone_text(rest.split_whitespace().next()).then_some(())?;
    let mut words = request.split(' ');
    (words.next() == Some("GET")).then(|| words.next()).flatten().and_then(page_path)
}

fn is_gone(status: u64) -> bool {
    matches!(status, 404 | 410)
}

fn is_gone_text(status: Option<&str>) -> bool {
    status.and_then(|status| status.parse().ok()).is_some_and(is_gone)
}

/// Returns the path of an address, if it can be that of a page: not a script, not a picture.
fn page_path(address: &str) -> Option<String> {
    let path = address.split(['?', '#']).next()?;
    let path = match path.split_once("://") {
        Some((_, rest)) => &rest[rest.find('/')?..],
        None => path,
    };
    let name = path.rsplit('/').next()?;
    let is_page = match name.rsplit_once('.') {
        None => true,
        Some((_, end)) => matches!(end, "html" | "htm" | "md") || end.parse::<u32>().is_ok(),
    };
    (is_page && path.starts_with('/') && path.chars().count() <= MAX_QUERY_CHARS)
        .then(|| safe_text::url(path))
}

fn time_of(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => text.parse().ok().or_else(|| time_of_log(text)),
        // Seconds, or milliseconds.
        Value::Number(number) => {
            let number = number.as_f64()?;
            let seconds = if number > 1e11 { number / 1000.0 } else { number };
            Timestamp::from_millisecond((seconds * 1000.0) as i64).ok()
        }
        _ => None,
    }
}

/// Reads a time such as `10/Oct/2026:13:55:36 +0200`.
fn time_of_log(text: &str) -> Option<Timestamp> {
    strtime::parse("%d/%b/%Y:%H:%M:%S %z", text).ok()?.to_timestamp().ok()
}

/// Reads a line of the Common Log Format: `ADDRESS - - [TIME] "GET /search?q=… HTTP/1.1" 200 …`.
fn of_request_line(line: &str, parameter: &str) -> Option<Search> {
    let (_, request) = line.split_once('"')?;
    let address = request.split('"').next()?.split(' ').nth(1)?;
    let time = line.split_once('[').and_then(|(_, rest)| rest.split(']').next());
    Some(Search {
        query: of_address(address, parameter)?,
        time: time.and_then(time_of_log),
        client: line.split(' ').next().map(str::to_owned),
        count: 1,
        ..Search::default()
    })
}

/// Returns the query of an address.
fn of_address(address: &str, parameter: &str) -> Option<String> {
    let (_, rest) = address.split_once('?')?;
    let rest = rest.split('#').next()?;
    let mut pairs = rest.split('&').filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(name, _)| *name == parameter)?;
    query_of(&percent_decoded(&value.replace('+', " ")))
}

/// The columns of a table.
#[derive(Debug, PartialEq, Eq)]
struct Columns {
    query: usize,
    count: Option<usize>,
    pages: Option<usize>,
    separator: u8,
}

/// Names of columns in the exports of statistics programs, in the order in which they are looked
/// for.
const QUERIES: [&str; 7] =
    ["query", "search term", "search_term", "keyword", "search keyword", "search", "label"];
const COUNTS: [&str; 8] =
    ["count", "searches", "nb_visits", "visits", "events", "visitors", "total", "hits"];
const PAGES: [&str; 5] = ["pages", "results", "pages found", "nb_results", "search results"];

impl Columns {
    /// Returns the columns, if the line is the head of a table.
    fn of(line: &str) -> Option<Self> {
        if line.starts_with('{') {
            return None;
        }
        let separator = [b',', b';', b'\t']
            .into_iter()
            .max_by_key(|&mark| line.bytes().filter(|&b| b == mark).count())?;
        let names = cells(line, separator)?;
        let names: Vec<String> = names.iter().map(|name| name.trim().to_lowercase()).collect();
        let place = |known: &[&str]| {
            known.iter().find_map(|known| names.iter().position(|name| name == known))
        };
        let (count, pages) = (place(&COUNTS), place(&PAGES));
        Some(Self { query: place(&QUERIES)?, count, pages, separator })
    }

    fn search(&self, line: &str) -> Option<Search> {
        let cells = cells(line, self.separator)?;
        let number = |place: Option<usize>| {
            let digits = cells.get(place?)?.replace([',', '.', ' ', '\u{a0}'], "");
            digits.parse::<u64>().ok()
        };
        Some(Search {
            query: query_of(cells.get(self.query)?)?,
            pages: number(self.pages),
            count: number(self.count).unwrap_or(1),
            ..Search::default()
        })
    }
}

/// Returns the cells of a line of a table.
fn cells(line: &str, separator: u8) -> Option<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .delimiter(separator)
        .from_reader(line.as_bytes());
    let record = reader.records().next()?.ok()?;
    Some(record.iter().map(str::to_owned).collect())
}

//! Queries and judgements in the BEIR layout.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, bail};
use serde::Deserialize;

use super::metrics::Judgements;

/// A query with its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The id.
    pub id: String,
    /// The text.
    pub text: String,
}

/// Reads `queries.jsonl`: one object on each line with `_id` (a string or a number) and `text`;
/// other fields are ignored.
///
/// # Errors
/// If a line is malformed or repeats an id; the error has the number of the line.
pub fn read_queries(path: &Path) -> anyhow::Result<Vec<Query>> {
    parse_queries(open(path)?)
        .with_context(|| format!("cannot read queries from {}", path.display()))
}

/// Reads `qrels.tsv`: query id, document id and grade between tabs, under a header line; also
/// TREC's four columns.
///
/// # Errors
/// If a line is malformed; the error has the number of the line.
pub fn read_qrels(path: &Path) -> anyhow::Result<BTreeMap<String, Judgements>> {
    parse_qrels(open(path)?)
        .with_context(|| format!("cannot read judgements from {}", path.display()))
}

fn open(path: &Path) -> anyhow::Result<BufReader<File>> {
    Ok(BufReader::new(File::open(path).with_context(|| format!("cannot open {}", path.display()))?))
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "_id")]
    id: serde_json::Value,
    text: String,
}

fn parse_queries(lines: impl BufRead) -> anyhow::Result<Vec<Query>> {
    let mut queries = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for (n, line) in lines.lines().enumerate() {
        let line = line.with_context(|| format!("line {}", n + 1))?;
        if line.trim().is_empty() {
            continue;
        }
        let read: Line = serde_json::from_str(&line)
            .with_context(|| format!("line {}: expected {{\"_id\": ..., \"text\": ...}}", n + 1))?;
        let id = match read.id {
            serde_json::Value::String(id) => id,
            serde_json::Value::Number(id) => id.to_string(),
            other => bail!("line {}: expected a string or a number as _id, found {other}", n + 1),
        };
        if !seen.insert(id.clone()) {
            bail!("line {}: expected a new _id, found {id:?} again: give each its own", n + 1);
        }
        queries.push(Query { id, text: read.text });
    }
    Ok(queries)
}

fn parse_qrels(lines: impl BufRead) -> anyhow::Result<BTreeMap<String, Judgements>> {
    let mut qrels: BTreeMap<String, Judgements> = BTreeMap::new();
    for (n, line) in lines.lines().enumerate() {
        let line = line.with_context(|| format!("line {}", n + 1))?;
        let line = line.trim_end_matches('\r');
        let columns: Vec<&str> = if line.contains('\t') {
            line.split('\t').collect()
        } else {
            line.split_whitespace().collect()
        };
        let (query, document, grade) = match columns[..] {
            [] | [""] => continue,
            [query, document, grade] | [query, _, document, grade] => {
                (query, document, grade.trim())
            }
            _ => bail!(
                "line {}: expected query-id, corpus-id and score between tabs, found {line:?}",
                n + 1
            ),
        };
        // Grades are whole numbers; some sets write them as 1.0.
        match grade.parse::<f64>() {
            Ok(value) if value.fract() == 0.0 && value.abs() < 1e6 => {
                qrels
                    .entry(query.to_owned())
                    .or_default()
                    .insert(document.to_owned(), value as i32);
            }
            // The header.
            Err(_) if n == 0 => {}
            _ => bail!("line {}: expected a whole number as score, found {grade:?}", n + 1),
        }
    }
    Ok(qrels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_read() {
        let got = parse_queries(
            "{\"_id\": \"a\", \"text\": \"x y\", \"more\": 1}\n\n{\"_id\": 7, \"text\": \"z\"}\n"
                .as_bytes(),
        );
        let query = |id: &str, text: &str| Query { id: id.into(), text: text.into() };
        assert_eq!(got.expect("read"), [query("a", "x y"), query("7", "z")]);
        for (text, expect) in [
            ("{\"_id\": \"a\", \"text\": \"x\"}\n{}", "line 2"),
            ("{\"_id\": [], \"text\": \"x\"}", "string or a number"),
            ("{\"_id\": \"a\", \"text\": \"x\"}\n{\"_id\": \"a\", \"text\": \"y\"}", "again"),
        ] {
            let error = format!("{:#}", parse_queries(text.as_bytes()).expect_err("refused"));
            assert!(error.contains(expect), "{error}");
        }
    }

    #[test]
    fn qrels_are_read_with_header_and_without() {
        let check = |text: &str| {
            let got = parse_qrels(text.as_bytes()).expect("read");
            assert_eq!(got["q1"]["d 1"], 2);
            assert_eq!(got["q1"]["d2"], 0);
            assert_eq!(got.len(), 2);
        };
        check("query-id\tcorpus-id\tscore\nq1\td 1\t2\nq1\td2\t0\r\nq2\td2\t1.0\n");
        check("q1\td 1\t2\nq1\td2\t0\nq2\td2\t1\n");
        assert_eq!(parse_qrels("1 0 184 1\n".as_bytes()).expect("read")["1"]["184"], 1);
        for (text, expect) in [
            ("a\tb\tc\nq\td\tx\n", "line 2"),
            ("a\tb\n", "line 1"),
            ("q\td\t1\nq\td\t0.5\n", "whole"),
        ] {
            let error = format!("{:#}", parse_qrels(text.as_bytes()).expect_err("refused"));
            assert!(error.contains(expect), "{error}");
        }
    }
}

//! `--format json` and `--format jsonl`.

use std::io::Write;

use anyhow::Result;
use serde::Serialize;

use super::vectors::{PageBody, page_body};
use super::{Answer, Body, Location, Meta, Timings, body, comparable};
use crate::safe_text;

/// The fields of the response, and its metadata.
#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    response: Body<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timings: Option<&'a Timings>,
    #[serde(rename = "_meta")]
    meta: &'a Meta,
}

/// Writes an answer as one object.
pub fn whole(answer: &Answer<'_>, out: &mut impl Write) -> Result<()> {
    let Answer { response, meta, .. } = *answer;
    let timings = answer.timings.then_some(&meta.timings);
    let whole = Whole { response: body(response, answer.vectors, answer.sources), timings, meta };
    // With indentation, each number of a vector would take a line.
    let text = match answer.vectors {
        None => safe_text::json_pretty(&whole)?,
        Some(_) => safe_text::json(&whole)?,
    };
    Ok(writeln!(out, "{text}")?)
}

/// A page of the response.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<&'a str>,
    rank: usize,
    /// From 0 to 1.
    relevance: f32,
    location: Location,
    #[serde(flatten)]
    page: PageBody<'a>,
}

/// Returns an object for each page.
pub fn lines(answer: &Answer<'_>, out: &mut impl Write) -> Result<()> {
    for (rank, page) in answer.pages() {
        let location = answer.sources.locate(page, page.sections.first());
        let relevance = comparable(answer.response, page);
        let page = page_body(page, answer.vectors, answer.sources);
        let line = Line { collection: answer.collection, rank, relevance, location, page };
        writeln!(out, "{}", safe_text::json(&line)?)?;
    }
    Ok(())
}

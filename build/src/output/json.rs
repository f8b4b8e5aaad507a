//! `--format json` and `--format jsonl`.

use std::io::Write;

use anyhow::Result;
use findling_engine::{PageHit, Response};
use serde::Serialize;

use super::{Answer, Location, Meta, Timings};
use crate::safe_text;

/// The fields of the response, and what is known about it.
#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    response: &'a Response,
    #[serde(skip_serializing_if = "Option::is_none")]
    timings: Option<&'a Timings>,
    #[serde(rename = "_meta")]
    meta: &'a Meta,
}

/// One object.
pub fn whole(answer: &Answer<'_>, out: &mut impl Write) -> Result<()> {
    let Answer { response, meta, .. } = *answer;
    let timings = answer.timings.then_some(&meta.timings);
    let whole = Whole { response, timings, meta };
    Ok(writeln!(out, "{}", safe_text::json_pretty(&whole)?)?)
}

/// A page of the response.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<&'a str>,
    rank: usize,
    location: Location,
    #[serde(flatten)]
    page: &'a PageHit,
}

/// An object for each page.
pub fn lines(answer: &Answer<'_>, out: &mut impl Write) -> Result<()> {
    for (rank, page) in answer.pages() {
        let location = answer.sources.locate(page, page.sections.first());
        let line = Line { collection: answer.collection, rank, location, page };
        writeln!(out, "{}", safe_text::json(&line)?)?;
    }
    Ok(())
}

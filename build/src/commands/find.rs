//! `findling find`: searches the repository of the working directory, then every collection.

use std::path::PathBuf;
use std::process::ExitCode;

use findling_engine::{Limit, Request};
use serde::Serialize;

use super::ask::{Group, ask};
use super::dependencies::OfDependencies;
use super::open_bundle::tell_if_stale;
use super::search::{Output, SearchOptions, Sections, exit, finish, keep, write_to};
use crate::output::{
    self, Answer, Body, Exit, Failure, Format, Meta, SCHEMA, UsageError, Vectors, body,
};
use crate::safe_text;
use crate::ui::Ui;

/// Search the repository one stands in, and all collections
///
/// If the working directory is in a git repository that no collection has, the repository is
/// indexed by words, and its index is kept in the cache. Its answers come first. Without
/// collections the files of any directory are searched.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The query
    pub query: String,
    /// The bundles; without any, this repository and all collections
    #[arg(
        long = "in",
        value_name = "BUNDLE",
        help = concat!("Search only this bundle: ", bundle_forms!(), ". Repeatable")
    )]
    pub targets: Vec<PathBuf>,
    /// Whether dependencies are searched.
    #[command(flatten)]
    pub of: OfDependencies,
    /// Number of pages to show of each collection
    #[arg(short = 'k', long = "limit", value_name = "N", default_value_t = 5)]
    pub limit: u32,
    /// Number of pages to skip first in each collection
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub offset: u32,
    /// Number of sections to show of each page.
    #[command(flatten)]
    pub sections: Sections,
    /// Another phrasing of the query. Each page counts with the phrasing that finds it best.
    /// Repeatable, at most four times
    #[arg(long, value_name = "QUERY")]
    pub also: Vec<String>,
    /// Explain the scores and the query plan of each collection
    #[arg(long)]
    pub explain: bool,
    /// Add the vectors of the sections found and of the query, for programs that rank again. With
    /// --json or --format jsonl
    #[arg(long)]
    pub include_vectors: bool,
    /// How the query is searched.
    #[command(flatten)]
    pub options: SearchOptions,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
}

/// The output of `--format json`.
#[derive(Serialize)]
struct Printed<'a> {
    query: &'a str,
    collections: Vec<Collection<'a>>,
    failed: Vec<Failed<'a>>,
    #[serde(rename = "_meta")]
    meta: Schema,
}

#[derive(Serialize)]
struct Collection<'a> {
    name: &'a str,
    #[serde(flatten)]
    response: Body<'a>,
    #[serde(rename = "_meta")]
    meta: Option<&'a Meta>,
}

/// A collection that could not be searched.
#[derive(Serialize)]
pub(super) struct Failed<'a> {
    pub name: &'a str,
    pub error: &'a Failure,
}

#[derive(Serialize)]
pub(super) struct Schema {
    pub schema: u32,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> anyhow::Result<ExitCode> {
    let output = args.output.clone();
    finish(&output, ui, || find(&args, ui))
}

fn find(args: &Args, ui: &Ui) -> anyhow::Result<Exit> {
    let format = args.output.format()?;
    args.output.check_vectors(args.include_vectors)?;
    if format == Format::Csv {
        let message = "--format csv: expected one bundle to search, found several; use jsonl, or \
                       `findling search`";
        return Err(UsageError { code: "usage", message: message.into() }.into());
    }
    let request = Request {
        limit: Limit(args.limit),
        offset: args.offset,
        sections_per_page: args.sections.of_search(),
        also: args.also.clone(),
        explain: args.explain,
        ..args.options.request(&args.query)
    };
    let asked = args.of.asked(&args.targets);
    let (groups, failed) = ask(asked, &args.options, &request, args.include_vectors, ui)?;
    // A collection shows no pages if the offset is beyond its last page, but it has some.
    let found: Vec<&Group> =
        groups.iter().filter(|group| exit(&group.response) == Exit::Found).collect();
    let metas: Vec<Option<Meta>> =
        found.iter().map(|group| meta(group, request.filter.as_ref())).collect();
    let group_by: Vec<Option<String>> =
        found.iter().map(|group| args.options.group_by_in(group.asked.host.manifest())).collect();
    let (unknown, mut offset) = (Meta::default(), args.offset);
    let mut answers = Vec::new();
    for ((group, meta), group_by) in found.iter().zip(&metas).zip(&group_by) {
        answers.push(Answer {
            response: &group.response,
            // Hits are numbered across collections, because `open` takes the numbers.
            offset,
            meta: meta.as_ref().unwrap_or(&unknown),
            sources: &group.asked.sources,
            collection: Some(&group.asked.name),
            group_by: group_by.as_deref(),
            timings: false,
            vectors: group.vectors.as_ref(),
        });
        offset += group.response.results.len() as u32;
    }
    if format.is_for_people() {
        for group in &found {
            if let Some(target) = &group.asked.target {
                tell_if_stale(target, &group.asked.host, ui);
            }
        }
    }
    keep(&args.query, &answers, &args.output, ui)?;
    write_to(&args.output, ui, |ui, out| {
        if format == Format::Json {
            let printed = Printed {
                query: &args.query,
                collections: found.iter().zip(&metas).map(collection).collect(),
                failed: failed.iter().map(|(name, error)| Failed { name, error }).collect(),
                meta: Schema { schema: SCHEMA },
            };
            // With indentation, each number of a vector would take a line.
            let text = match args.include_vectors {
                false => safe_text::json_pretty(&printed)?,
                true => safe_text::json(&printed)?,
            };
            return Ok(writeln!(out, "{text}")?);
        }
        output::write_all(&answers, format, ui, out)
    })?;
    Ok(Exit::of(!found.is_empty(), failed.is_empty()))
}

/// Returns the metadata of an answer; `None` for a directory that was indexed for this search.
fn meta(group: &Group, filter: Option<&serde_json::Value>) -> Option<Meta> {
    let Group { asked, timings, vectors, response } = group;
    let meta = Meta::new(asked.target.as_ref()?, &asked.host, *timings);
    let meta = meta.of_answer(filter.cloned(), response);
    Some(Meta { vectors: vectors.as_ref().map(Vectors::about), ..meta })
}

fn collection<'a>((group, meta): (&&'a Group, &'a Option<Meta>)) -> Collection<'a> {
    let response = body(&group.response, group.vectors.as_ref(), &group.asked.sources);
    Collection { name: &group.asked.name, response, meta: meta.as_ref() }
}

//! `findling find`: searches every collection, or the directory one stands in.

use std::path::PathBuf;
use std::process::ExitCode;

use findling_engine::{Limit, Request, Response};
use serde::Serialize;

use super::asked::{Group, ask};
use super::search::{Output, SearchOptions, finish, keep, write_to};
use crate::output::{Answer, Asked as Question, Exit, Failure, Format, Meta, SCHEMA};
use crate::safe_text;
use crate::ui::{Paint, Ui};

/// Search all collections; if there are none, the files of this directory
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The query
    pub query: String,
    /// Search only this bundle: a directory, a .findling file, or the name of a collection.
    /// Repeatable
    #[arg(long = "in", value_name = "BUNDLE")]
    pub targets: Vec<PathBuf>,
    /// Number of pages to show of each collection
    #[arg(short = 'k', long = "limit", value_name = "N", default_value_t = 5)]
    pub limit: u32,
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
    response: &'a Response,
    #[serde(rename = "_meta")]
    meta: Option<Meta>,
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
    if format == Format::Csv {
        let message = "--format csv: expected one bundle to search, found several; use jsonl, or \
                       `findling search`";
        return Err(Question { code: "usage", message: message.into() }.into());
    }
    let request = Request { limit: Limit(args.limit), ..args.options.request(&args.query) };
    let (groups, failed) = ask(&args.targets, &args.options, &request, ui)?;
    let found: Vec<&Group> =
        groups.iter().filter(|group| !group.response.results.is_empty()).collect();
    let (meta, mut offset) = (Meta::default(), 0);
    let mut answers = Vec::new();
    for group in &found {
        answers.push(Answer {
            response: &group.response,
            // Numbers go on from one collection to the next, so that `open` knows which is meant.
            offset,
            meta: &meta,
            sources: &group.asked.sources,
            collection: Some(&group.asked.name),
            timings: false,
        });
        offset += group.response.results.len() as u32;
    }
    keep(&args.query, &answers, format, ui);
    write_to(&args.output, ui, |ui, mut out| {
        if format == Format::Json {
            let printed = Printed {
                query: &args.query,
                collections: found.iter().map(|group| collection(group)).collect(),
                failed: failed.iter().map(|(name, error)| Failed { name, error }).collect(),
                meta: Schema { schema: SCHEMA },
            };
            return Ok(writeln!(out, "{}", safe_text::json_pretty(&printed)?)?);
        }
        for (group, answer) in found.iter().zip(&answers) {
            let name = safe_text::line(&group.asked.name);
            match format {
                Format::Text => writeln!(out, "{}\n", ui.paint(Paint::Green, &name))?,
                Format::Markdown => writeln!(out, "## {}\n", safe_text::markdown(&name))?,
                _ => {}
            }
            answer.write(format, ui, &mut out)?;
            if format == Format::Text {
                writeln!(out)?;
            }
        }
        if format == Format::Text && found.is_empty() {
            writeln!(out, "{}", ui.paint(Paint::Dim, "nothing matches"))?;
        }
        Ok(())
    })?;
    Ok(Exit::of(!found.is_empty(), failed.is_empty()))
}

fn collection(group: &Group) -> Collection<'_> {
    let Group { asked, response, timings } = group;
    let meta = asked.target.as_ref().map(|target| Meta::new(target, &asked.host, *timings));
    Collection { name: &asked.name, response, meta }
}

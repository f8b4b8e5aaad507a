//! `findling find`: searches every collection, or the directory one stands in.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use findling_engine::{Limit, Request, Response};
use serde::Serialize;

use super::asked::{self, Asked, Encoders, Failures, Opened};
use super::search::{Conditions, ModeArg, Output, Ranking, finish, keep, write_to};
use crate::host::Cost;
use crate::output::{
    Answer, Asked as Question, Exit, Failure, Format, Meta, SCHEMA, Timings, comparable,
};
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
    /// Options of ranking.
    #[command(flatten)]
    pub ranking: Ranking,
    /// Conditions on common attributes.
    #[command(flatten)]
    pub conditions: Conditions,
    /// Search by words, by meaning, or both
    #[arg(long, value_enum, default_value_t = ModeArg::Hybrid)]
    pub mode: ModeArg,
    /// What is printed.
    #[command(flatten)]
    pub output: Output,
}

/// What one collection answers.
pub(super) struct Group {
    pub asked: Asked,
    pub response: Response,
    pub timings: Timings,
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
    let request = Request {
        mode: args.mode.into(),
        limit: Limit(args.limit),
        ..args.ranking.request(&args.query)
    };
    let (groups, failed) = ask(&args.targets, &args.ranking, &args.conditions, &request, ui)?;
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
    Ok(match (found.is_empty(), failed.is_empty()) {
        (true, true) => Exit::Nothing,
        (false, true) => Exit::Found,
        (_, false) => Exit::Partial,
    })
}

fn collection(group: &Group) -> Collection<'_> {
    let Group { asked, response, timings } = group;
    let meta = asked.target.as_ref().map(|target| Meta::new(target, &asked.host, *timings));
    Collection { name: &asked.name, response, meta }
}

/// Asks each bundle. The one with the best page comes first. A collection that cannot answer the
/// request (it has no such attribute) is a failure if others can.
pub(super) fn ask(
    targets: &[PathBuf],
    ranking: &Ranking,
    conditions: &Conditions,
    request: &Request,
    ui: &Ui,
) -> anyhow::Result<(Vec<Group>, Failures)> {
    let Opened { asked, mut failed } = asked::open(targets, ui)?;
    let mut encoders = Encoders::new(ranking.query_encoder.clone());
    let mut groups = Vec::new();
    let mut first = None;
    for mut asked in asked {
        let started = Instant::now();
        asked.host.set_streamed(ranking.streamed);
        let mut request = request.clone();
        let answered = conditions
            .add_to(&mut request, asked.host.manifest())
            .and_then(|()| asked.answer(request, &mut encoders, ui));
        match answered {
            Ok((response, cost)) => {
                let timings = timings(started, &asked, &cost);
                groups.push(Group { asked, response, timings });
            }
            Err(error) => {
                ui.warn(format!("{}: {error:#}", asked.name));
                failed.push((asked.name.clone(), Failure::of(&error)));
                first = first.or(Some(error));
            }
        }
    }
    if let (true, Some(error)) = (groups.is_empty(), first) {
        return Err(error);
    }
    let best = |Group { response, .. }: &Group| {
        response.results.first().map_or(0.0, |page| comparable(response, page))
    };
    groups.sort_by(|a, b| best(b).total_cmp(&best(a)));
    Ok((groups, failed))
}

fn timings(started: Instant, asked: &Asked, cost: &Cost) -> Timings {
    Timings::new(started, asked.host.open_time(), Duration::ZERO, Duration::ZERO, cost)
}

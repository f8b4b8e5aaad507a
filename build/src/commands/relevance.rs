//! `findling relevance`: which collections are likely to answer a query, and why.

use std::path::PathBuf;
use std::process::ExitCode;

use findling_engine::{Limit, Request, SectionsPerPage};
use serde::Serialize;

use super::ask::{Group, ask};
use super::dependencies::Searched;
use super::find::{Failed, Schema};
use super::search::{Output, SearchOptions, finish, write_to};
use crate::output::{Exit, Format, SCHEMA, UsageError, best, title};
use crate::safe_text::{self, line};
use crate::ui::{Paint, Ui, count, thousands};

/// List the collections that are likely to answer a query
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The query
    pub query: String,
    /// The bundles; without any, all collections
    #[arg(
        long = "in",
        value_name = "BUNDLE",
        help = concat!("Look only at this bundle: ", bundle_forms!(), ". Repeatable")
    )]
    pub targets: Vec<PathBuf>,
    /// How the query is searched.
    #[command(flatten)]
    pub options: SearchOptions,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The output of `--json`.
#[derive(Serialize)]
struct Printed<'a> {
    query: &'a str,
    collections: Vec<Row>,
    failed: Vec<Failed<'a>>,
    #[serde(rename = "_meta")]
    meta: Schema,
}

/// A collection.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    /// The score of its best page, from 0 to 1.
    score: f32,
    /// Pages that match.
    pages: u32,
    /// All its pages.
    of_pages: u32,
    /// Words of the query that it does not have.
    missing: Vec<String>,
    /// The best page.
    best: Option<Best>,
}

#[derive(Serialize)]
struct Best {
    title: String,
    url: String,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> anyhow::Result<ExitCode> {
    let output = Output { json: args.json, ..Output::default() };
    finish(&output, ui, || relevance(&args, &output, ui))
}

fn relevance(args: &Args, output: &Output, ui: &Ui) -> anyhow::Result<Exit> {
    if args.query.trim().is_empty() {
        let message = "expected a query, found an empty one".to_owned();
        return Err(UsageError { code: "query", message }.into());
    }
    let request = Request {
        limit: Limit(1),
        sections_per_page: SectionsPerPage(1),
        ..args.options.request(&args.query)
    };
    let (groups, failed) = ask(Searched::Named(&args.targets), &args.options, &request, false, ui)?;
    let rows: Vec<Row> = groups.iter().map(row).filter(|row| row.pages > 0).collect();
    let is_found = !rows.is_empty();
    write_to(output, ui, |ui, out| {
        if output.format()? == Format::Json {
            let printed = Printed {
                query: &args.query,
                collections: rows,
                failed: failed.iter().map(|(name, error)| Failed { name, error }).collect(),
                meta: Schema { schema: SCHEMA },
            };
            return Ok(writeln!(out, "{}", safe_text::json_pretty(&printed)?)?);
        }
        for row in &rows {
            let name = ui.paint(Paint::Bold, &line(&row.name));
            writeln!(out, "{:.4}  {name}  {}", row.score, reason(row))?;
        }
        if rows.is_empty() {
            writeln!(out, "{}", ui.paint(Paint::Dim, "nothing matches"))?;
        }
        Ok(())
    })?;
    Ok(Exit::of(is_found, failed.is_empty()))
}

fn row(group: &Group) -> Row {
    let Group { asked, response, .. } = group;
    let first = response.results.first();
    Row {
        name: asked.name.clone(),
        score: best(response),
        pages: response.total.pages,
        of_pages: asked.host.manifest().stats.n_pages,
        missing: response.corrections.iter().map(|slip| slip.word.clone()).collect(),
        best: first.map(|page| Best { title: title(page).to_owned(), url: page.url.clone() }),
    }
}

/// Explains the score of a collection.
fn reason(row: &Row) -> String {
    let pages = thousands(row.pages.into());
    let mut reason = format!("{pages} of {} match", count(row.of_pages.into(), "pages"));
    if let Some(best) = &row.best {
        reason += &format!("; the best is {}", line(&best.title));
    }
    if !row.missing.is_empty() {
        let missing: Vec<_> = row.missing.iter().map(|word| line(word)).collect();
        reason += &format!("; it does not have {}", missing.join(", "));
    }
    reason
}

//! `findling context`: the best passages for a query within a number of tokens.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use findling_engine::{Limit, Request};
use serde::Serialize;

use super::ask::{Group, ask};
use super::dependencies::OfDependencies;
use super::search::{Output, SearchOptions, Sections, finish, write_to};
use crate::output::{Exit, SCHEMA};
use crate::passages::{self, Passages, candidates, fill, merged};
use crate::safe_text;
use crate::ui::Ui;

/// Pages that are looked at.
const PAGES: u32 = 20;

/// Print the best passages for a query, within a number of tokens
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The query
    pub query: String,
    /// Bundles: directories, .findling files, https addresses, or names of collections. Without
    /// any: all collections; if there are none, the files of this directory
    #[arg(value_name = "BUNDLE")]
    pub targets: Vec<PathBuf>,
    /// Whether dependencies are searched.
    #[command(flatten)]
    pub of: OfDependencies,
    /// Most tokens of the passages with their headings, estimated: four letters, or a sign
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub tokens: usize,
    /// Most pages to take passages from
    #[arg(short = 'k', long = "limit", value_name = "N", default_value_t = PAGES)]
    pub limit: u32,
    /// Number of sections to show of each page.
    #[command(flatten)]
    pub sections: Sections,
    /// How the query is searched.
    #[command(flatten)]
    pub options: SearchOptions,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = ContextFormat::Markdown)]
    pub format: ContextFormat,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Write to a file instead of standard output
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub file: Option<PathBuf>,
}

/// Format of passages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ContextFormat {
    /// A heading, the address and the text of each passage
    Markdown,
    /// One JSON object
    Json,
}

/// The output of `--format json`.
#[derive(Serialize)]
struct Printed<'a> {
    query: &'a str,
    budget: usize,
    #[serde(flatten)]
    passages: &'a Passages,
    #[serde(rename = "_meta")]
    meta: Meta,
}

#[derive(Serialize)]
struct Meta {
    schema: u32,
    bundles: Vec<String>,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> anyhow::Result<ExitCode> {
    let json = args.json || args.format == ContextFormat::Json;
    let output = Output { json, file: args.file.clone(), ..Output::default() };
    finish(&output, ui, || context(&args, &output, ui))
}

fn context(args: &Args, output: &Output, ui: &Ui) -> anyhow::Result<Exit> {
    let request = Request {
        limit: Limit(args.limit),
        sections_per_page: args.sections.per_page(u32::MAX),
        ..args.options.request(&args.query)
    };
    let asked = args.of.asked(&args.targets);
    let (mut groups, failed) = ask(asked, &args.options, &request, false, ui)?;
    let several = groups.len() + failed.len() > 1;
    let mut lists = Vec::new();
    for Group { asked, response, .. } in &mut groups {
        let name = several.then_some(asked.name.as_str());
        lists.push(candidates(&mut asked.host, response, 0, &asked.sources, name)?);
    }
    let found = if several { merged(lists) } else { lists.pop().unwrap_or_default() };
    let is_found = !found.is_empty();
    let passages = fill(found, args.tokens);
    write_to(output, ui, |_, out| {
        if output.is_json() {
            let bundles = groups.iter().map(|group| group.asked.name.clone()).collect();
            let meta = Meta { schema: SCHEMA, bundles };
            let printed =
                Printed { query: &args.query, budget: args.tokens, passages: &passages, meta };
            writeln!(out, "{}", safe_text::json_pretty(&printed)?)?;
        } else {
            write!(out, "{}", passages::markdown(&passages))?;
        }
        Ok(())
    })?;
    Ok(Exit::of(is_found, failed.is_empty()))
}

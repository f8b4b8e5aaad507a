//! `findling report`: what readers of a site search for and do not find.
//!
//! The searches come from logs that the site has already. With a bundle, each query is searched
//! again, so the report also has today's answers. Nothing is sent anywhere.

mod findings;
mod log;
mod page;
mod print;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use findling_engine::{Limit, Request, SectionsPerPage};

use super::learned;
use super::open_bundle::find_target;
use super::search::{ModeArg, Output, by_words_alone, finish, load_encoder};
use super::vector_name::VectorName;
use crate::output::{Exit, answers_nothing, title};
use crate::replace_file::replace_by;
use crate::standard_streams::{is_closed, stdout};
use crate::ui::{Ui, print_json};
use findings::{Now, findings, joined, key, redirects, words_of};
use log::Log;

/// Maximum number of queries that are searched again, in the order of the alphabet.
const MAX_QUERIES: usize = 20_000;

/// Report what readers search for and do not find, from the logs that a site has
///
/// Reads events of the search box (JSON lines), access logs of servers, and tables (CSV) of
/// statistics programs. Names queries without an answer, queries whose results nobody chose, pages
/// to pin, words that mean the same, and addresses without a page. With a bundle, says what the
/// site answers today. Nothing is sent anywhere.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The bundle of the site
    #[arg(help = super::BUNDLE_HELP)]
    pub bundle: Option<PathBuf>,
    /// A log: JSON lines of events, an access log, or a table (CSV). Repeatable
    #[arg(long, value_name = "FILE", required = true)]
    pub from: Vec<PathBuf>,
    /// The parameter of an address that has the query, in access logs
    #[arg(long, value_name = "NAME", default_value = "q")]
    pub parameter: String,
    /// Name only queries of at least this many searches
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub min_searches: u64,
    /// Write the report as a page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Search by words, by meaning, or both
    #[arg(long, value_enum, default_value_t = ModeArg::Hybrid)]
    pub mode: ModeArg,
    /// Which vectors are searched.
    #[command(flatten)]
    pub vectors: VectorName,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> anyhow::Result<ExitCode> {
    let output = Output { json: args.json, ..Output::default() };
    finish(&output, ui, || report(&args, ui))
}

fn report(args: &Args, ui: &Ui) -> anyhow::Result<Exit> {
    let mut read = Log::default();
    for path in &args.from {
        log::read(path, &args.parameter, &mut read)?;
    }
    let searches = joined(read.searches);
    let mut queries: BTreeSet<String> = searches.iter().map(|search| key(&search.query)).collect();
    queries.extend(read.missing.keys().map(|path| key(&words_of(path))));
    queries.remove("");
    let now = match &args.bundle {
        Some(bundle) => answers_today(bundle, args, &queries, ui)?,
        None => HashMap::new(),
    };
    let mut found = findings(&searches, &now);
    found.redirects = redirects(&read.missing, &now);
    for rows in [&mut found.without_answer, &mut found.without_choice] {
        rows.retain(|row| row.searches >= args.min_searches);
    }
    found.redirects.retain(|it| it.requests >= args.min_searches);
    if let Some(path) = &args.html {
        replace_by(path, |file| file.write_all(page::page(&found).as_bytes()))
            .with_context(|| format!("{} cannot be written", path.display()))?;
        ui.status("Wrote", path.display().to_string());
    }
    if args.json {
        print_json(&found)?;
    } else if args.html.is_none() {
        stdout().write_all(print::text(&found, read.n_other, ui).as_bytes())?;
    }
    Ok(Exit::Found)
}

/// Searches queries in the bundle. Returns the answers by query.
fn answers_today(
    bundle: &Path,
    args: &Args,
    queries: &BTreeSet<String>,
    ui: &Ui,
) -> anyhow::Result<HashMap<String, Now>> {
    let target = find_target(bundle, &args.vectors, ui)?;
    let mut host = learned::open(&target)?;
    let encoder = load_encoder(&host, &Default::default(), args.mode.into(), ui)?;
    let mut now = HashMap::new();
    let bar = ui.bar("Searching", queries.len().min(MAX_QUERIES) as u64, "queries");
    for query in queries.iter().take(MAX_QUERIES) {
        if is_closed() {
            break;
        }
        let mut request = Request {
            query: query.clone(),
            mode: args.mode.into(),
            limit: Limit(1),
            sections_per_page: SectionsPerPage(1),
            ..Request::default()
        };
        by_words_alone(&mut request, &host);
        if let Some(encoder) = &encoder {
            encoder.embed(&mut request)?;
        }
        // A query such as `a:b` can be a filter of an attribute that the site lacks.
        let Ok((response, _)) = host.search_as_meant(encoder.as_ref(), request) else { continue };
        let is_answered = !response.results.is_empty() && !answers_nothing(&response);
        let first = response.results.first();
        now.insert(
            query.clone(),
            Now {
                is_answered,
                title: first.map(|page| title(page).to_owned()),
                url: first.map(|page| page.url.clone()),
            },
        );
        bar.add(1);
    }
    Ok(now)
}

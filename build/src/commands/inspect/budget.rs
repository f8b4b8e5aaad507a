//! `findling inspect --budget`: prints the downloads of a reader, and fails if they exceed a limit.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use serde::Serialize;

use crate::budget::{
    Budget, Bytes, BytesSpread, Download, LIMIT, Part, Queries, Spread, measure, own_queries,
};
use crate::bundle_files::Location;
use crate::eval::judged::read_queries;
use crate::host::Host;
use crate::serve::BROTLI_QUALITY;
use crate::standard_streams::stdout;
use crate::ui::{Paint, Ui, bytes, parse_bytes, print_json, thousands};

/// The title of the table of downloads for opening the search.
const OPENING: &str = "to open";

/// Options of `--budget`.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Budget")]
pub(super) struct BudgetArgs {
    /// Measure what a reader downloads instead: to open the search, for a first query, and for
    /// later queries. Shards that no query needs are not verified
    #[arg(long)]
    pub budget: bool,
    /// Fail if opening the search and the median first query download more than this, such as
    /// 300kB, from a host that compresses
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, requires = "budget")]
    max_first_query: Option<u64>,
    /// File of queries, one {"_id", "text"} on each line [default: made from the site's headings
    /// and sentences]
    #[arg(long, value_name = "JSONL", requires = "budget")]
    queries: Option<PathBuf>,
}

/// The output of `--json`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    path: &'a Path,
    /// The file of queries; `None` for the site's own headings and sentences.
    queries_from: Option<&'a Path>,
    /// Pages that each query asks for.
    limit: u32,
    /// The quality of brotli.
    brotli_quality: i32,
    /// Opening and the median first query together, which `--max-first-query` limits.
    first_with_opening: Bytes,
    #[serde(flatten)]
    budget: &'a Budget,
}

/// Measures and prints.
///
/// # Errors
/// If the bundle or the queries cannot be read, or more is downloaded than allowed.
pub(super) fn run(bundle: Location, args: &BudgetArgs, json: bool, ui: &Ui) -> Result<ExitCode> {
    let mut host = Host::open(bundle)?;
    let queries = match &args.queries {
        Some(path) => read_queries(path)?.into_iter().map(|query| query.text).collect(),
        None => own_queries(host.files())?,
    };
    let budget = measure(&mut host, &queries, ui)?;
    let report = Report {
        path: host.files().path(),
        queries_from: args.queries.as_deref(),
        limit: LIMIT,
        brotli_quality: BROTLI_QUALITY,
        first_with_opening: budget.first_with_opening(),
        budget: &budget,
    };
    if json {
        print_json(&report)?;
    } else {
        print(&report, ui, &mut stdout())?;
    }
    if let Some(allowed) = args.max_first_query {
        check(&budget, allowed)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Checks the limit for opening and the median first query together.
fn check(budget: &Budget, allowed: u64) -> Result<()> {
    let found = budget.first_with_opening();
    if found.brotli <= allowed {
        return Ok(());
    }
    bail!(
        "expected opening the search and the median first query to download at most {} \
         (--max-first-query), found {} ({} from a host that does not compress); {}",
        bytes(allowed),
        bytes(found.brotli),
        bytes(found.stored),
        advice(budget)
    );
}

/// Returns advice on making the largest part of a first query smaller.
fn advice(budget: &Budget) -> String {
    let opening = budget.opening.total.brotli;
    let (largest, size) = Part::ALL
        .map(|part| (part, budget.first.part(part).brotli.median))
        .into_iter()
        .max_by_key(|&(_, size)| size)
        .unwrap_or((Part::Words, 0));
    if opening > size {
        let mut files: Vec<&Download> = budget.opening.files.iter().collect();
        files.sort_by_key(|file| std::cmp::Reverse(file.bytes.brotli));
        let name = files.first().map_or("", |file| &file.name);
        let what = if name == "manifest" {
            "the manifest grows with the site: leave pages out of the build with --exclude"
        } else {
            "the client and the engine have this size in every bundle"
        };
        return format!(
            "opening takes most of it ({}, of which {name} {}): {what}, or allow more",
            bytes(opening),
            bytes(files.first().map_or(0, |file| file.bytes.brotli))
        );
    }
    let what = match largest {
        Part::Words => "leave pages out of the build with --exclude",
        Part::Rows => "keep fewer rows with --rows-budget",
        Part::Vectors => {
            "leave pages out of the build with --exclude, or search by words alone with --encoder \
             none"
        }
        Part::Texts => "build with fewer attributes",
    };
    format!(
        "the largest part of the query is {} ({}): {what}, or allow \
         more",
        largest.name(),
        bytes(size)
    )
}

fn print(report: &Report<'_>, ui: &Ui, out: &mut dyn Write) -> io::Result<()> {
    let Budget { has_client, opening, later_engine, encoder, later_encoder, first, later, .. } =
        report.budget;
    let mut field = |name: &str, value: String| {
        writeln!(out, "{}{value}", ui.paint(Paint::Bold, &format!("{name:<12}")))
    };
    field("bundle", report.path.display().to_string())?;
    field(
        "hosts",
        format!(
            "stored: not compressed by the host; brotli: compressed by the host (quality \
             {BROTLI_QUALITY})"
        ),
    )?;
    let from = match report.queries_from {
        None => "made from headings and sentences of the site".to_owned(),
        Some(path) => format!("of {}", path.display()),
    };
    let meaning = match (encoder, later_encoder) {
        (Some(kind), _) => format!("by words and meaning ({kind} encoder)"),
        (None, Some(_)) => "by words only, as before the transformer is loaded".to_owned(),
        (None, None) => "by words only: the bundle has no query encoder".to_owned(),
    };
    field(
        "queries",
        format!(
            "{} {from}, {} pages each, {meaning}",
            thousands(first.n_queries as u64),
            thousands(report.limit.into())
        ),
    )?;

    let mut table = |title: &str, files: &[Download], total: Bytes| {
        let head = format!("{title:<28}{:>11}{:>11}", "stored", "brotli");
        writeln!(out, "\n{}", ui.paint(Paint::Bold, &head))?;
        let mut line = |name: &str, size: Bytes| {
            writeln!(out, "{name:<28}{:>11}{:>11}", bytes(size.stored), bytes(size.brotli))
        };
        files.iter().try_for_each(|file| line(&file.name, file.bytes))?;
        line("total", total)?;
        if title == OPENING && !has_client {
            let note = "there is no client beside the bundle; its files are not counted";
            writeln!(out, "{}", ui.paint(Paint::Dim, note))?;
        }
        io::Result::Ok(())
    };
    table(OPENING, &opening.files, opening.total)?;
    if !later_engine.files.is_empty() {
        table("to filter, correct, explain", &later_engine.files, later_engine.total)?;
    }
    if let Some(later) = later_encoder {
        table("transformer, afterwards", &later.files, later.total)?;
    }
    print_queries("first query", first, ui, out)?;
    print_queries("later queries", later, ui, out)?;
    print_queries("box, by words", &report.budget.box_words, ui, out)?;
    print_queries("box, whole", &report.budget.box_whole, ui, out)?;
    let name = ui.paint(Paint::Bold, "first query with opening");
    let Bytes { stored, brotli } = report.first_with_opening;
    writeln!(out, "\n{name}  {} stored, {} brotli (median)", bytes(stored), bytes(brotli))?;
    let notes = "Response bodies only. The search box shows results by words before the whole \
         answer, which takes other texts too: what it fetches by then for a first query, and in \
         all. Later queries reuse the shards of earlier queries. Shards \
         are already deflated, so `findling serve` and similar hosts send them as stored and \
         compress only the client. Each line has its own percentiles, so lines do not add up.";
    writeln!(out, "{}", ui.paint(Paint::Dim, notes))
}

fn print_queries(title: &str, queries: &Queries, ui: &Ui, out: &mut dyn Write) -> io::Result<()> {
    if queries.n_queries == 0 {
        return Ok(());
    }
    let columns = |column: &str| format!("{column:>18}{:>11}{:>11}", "p95", "worst");
    let head = format!("{title:<18}{}{}", columns("stored median"), columns("brotli median"));
    writeln!(out, "\n{}", ui.paint(Paint::Bold, &head))?;
    let sizes = |spread: Spread| {
        format!("{:>18}{:>11}{:>11}", bytes(spread.median), bytes(spread.p95), bytes(spread.worst))
    };
    let mut line = |name: &str, BytesSpread { stored, brotli }: BytesSpread| {
        writeln!(out, "{name:<18}{}{}", sizes(stored), sizes(brotli))
    };
    for part in Part::ALL {
        line(part.name(), queries.part(part))?;
    }
    line("total", queries.total)?;
    for (name, Spread { median, p95, worst }) in
        [("requests", queries.requests), ("rounds", queries.rounds)]
    {
        writeln!(
            out,
            "{name:<18}{:>18}{:>11}{:>11}",
            thousands(median),
            thousands(p95),
            thousands(worst)
        )?;
    }
    Ok(())
}

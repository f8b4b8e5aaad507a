//! `findling inspect --budget`: prints what a reader downloads, and fails where that is more than
//! allowed.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use serde::Serialize;

use crate::budget::{
    Budget, Bytes, BytesSpread, Download, LIMIT, Part, Queries, Spread, measure, own_queries,
};
use crate::eval::judged::read_queries;
use crate::host::Host;
use crate::serve::BROTLI_QUALITY;
use crate::ui::{Paint, Ui, bytes, parse_bytes, thousands};

/// What a reader downloads.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Budget")]
pub(super) struct BudgetArgs {
    /// Print what a reader downloads instead: to open the search, for a first query, for later
    /// ones. Shards that no query asks for are not verified
    #[arg(long)]
    pub budget: bool,
    /// Fail where opening and the median first query take more, such as 300kB; hosts that compress
    /// are meant
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, requires = "budget")]
    max_first_query: Option<u64>,
    /// Queries to ask, {"_id", "text"} a line, instead of ones made of the site's own headings and
    /// sentences
    #[arg(long, value_name = "JSONL", requires = "budget")]
    queries: Option<PathBuf>,
}

/// What is printed as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    path: &'a Path,
    /// Where the queries are from; none for the site's own headings and sentences.
    queries_from: Option<&'a Path>,
    /// Pages that each asks for.
    limit: u32,
    /// What `brotli` is compressed with.
    brotli_quality: i32,
    /// The median first query with what opening takes: what `--max-first-query` looks at.
    first_with_opening: Bytes,
    #[serde(flatten)]
    budget: &'a Budget,
}

/// Measures and prints.
///
/// # Errors
/// Where the bundle or the queries cannot be read, or more is downloaded than allowed.
pub(super) fn run(bundle: &Path, args: &BudgetArgs, json: bool, ui: &Ui) -> Result<ExitCode> {
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
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print(&report, ui);
    }
    if let Some(allowed) = args.max_first_query {
        check(&budget, allowed)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether the median first query with what opening takes is within what is allowed.
fn check(budget: &Budget, allowed: u64) -> Result<()> {
    let found = budget.first_with_opening();
    if found.brotli <= allowed {
        return Ok(());
    }
    bail!(
        "a first query takes {} with opening the search (median; {} from a host that does not compress), but --max-first-query \
         allows {}; {}",
        bytes(found.brotli),
        bytes(found.stored),
        bytes(allowed),
        advice(budget)
    );
}

/// What to do about the largest part of a first query.
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
            "client and engine are the same for every bundle: they set the least that can be asked for"
        };
        return format!(
            "most is for opening ({}, of which {name} {}): {what}, or allow more",
            bytes(opening),
            bytes(files.first().map_or(0, |file| file.bytes.brotli))
        );
    }
    let what = match largest {
        Part::Words => "leave pages out of the build with --exclude",
        Part::Rows => "keep fewer rows with --rows-budget",
        Part::Vectors => {
            "leave pages out of the build with --exclude, or search by words alone with --encoder none"
        }
        Part::Texts => "build with fewer attributes",
    };
    format!("most of the query is {} ({}): {what}, or allow more", largest.name(), bytes(size))
}

fn print(report: &Report<'_>, ui: &Ui) {
    let Budget { has_client, opening, later_engine, encoder, later_encoder, first, later } =
        report.budget;
    let field = |name: &str, value: String| {
        println!("{}{value}", ui.paint(Paint::Bold, &format!("{name:<12}")))
    };
    field("bundle", report.path.display().to_string());
    field(
        "hosts",
        format!(
            "stored: files as they are; brotli: each compressed by the host (quality {BROTLI_QUALITY})"
        ),
    );
    let from = match report.queries_from {
        None => "made of headings and sentences of the site".to_owned(),
        Some(path) => format!("of {}", path.display()),
    };
    let meaning = match (encoder, later_encoder) {
        (Some(kind), _) => format!("by words and meaning ({kind} encoder)"),
        (None, Some(_)) => "by words alone, as before the transformer has come".to_owned(),
        (None, None) => "by words alone: the bundle embeds no queries".to_owned(),
    };
    field(
        "queries",
        format!(
            "{} {from}, {} pages each, {meaning}",
            thousands(first.n_queries as u64),
            thousands(report.limit.into())
        ),
    );

    let table = |title: &str, files: &[Download], total: Bytes| {
        println!();
        head(&format!("{title:<28}{:>11}{:>11}", "stored", "brotli"), ui);
        let line = |name: &str, size: Bytes| {
            println!("{name:<28}{:>11}{:>11}", bytes(size.stored), bytes(size.brotli))
        };
        files.iter().for_each(|file| line(&file.name, file.bytes));
        line("total", total);
    };
    table("to open", &opening.files, opening.total);
    if !has_client {
        println!(
            "{}",
            ui.paint(Paint::Dim, "no client lies beside the bundle; its files are not counted")
        );
    }
    if !later_engine.files.is_empty() {
        table("to filter, correct, explain", &later_engine.files, later_engine.total);
    }
    if let Some(later) = later_encoder {
        table("transformer, afterwards", &later.files, later.total);
    }
    print_queries("first query", first, ui);
    print_queries("later queries", later, ui);
    println!();
    field(
        "first query with opening",
        format!(
            "  {} stored, {} brotli (median)",
            bytes(report.first_with_opening.stored),
            bytes(report.first_with_opening.brotli)
        ),
    );
    let notes = "Bodies alone; later queries have the shards of those before them. Shards are deflated already: a host that \
                 does as `findling serve` sends them as stored and compresses the client alone. Each line is spread by itself.";
    println!("{}", ui.paint(Paint::Dim, notes));
}

fn head(line: &str, ui: &Ui) {
    println!("{}", ui.paint(Paint::Bold, line));
}

fn print_queries(title: &str, queries: &Queries, ui: &Ui) {
    if queries.n_queries == 0 {
        return;
    }
    println!();
    let columns = |column: &str| format!("{column:>18}{:>11}{:>11}", "p95", "worst");
    head(&format!("{title:<18}{}{}", columns("stored median"), columns("brotli median")), ui);
    let sizes = |spread: Spread| {
        format!("{:>18}{:>11}{:>11}", bytes(spread.median), bytes(spread.p95), bytes(spread.worst))
    };
    let line = |name: &str, BytesSpread { stored, brotli }: BytesSpread| {
        println!("{name:<18}{}{}", sizes(stored), sizes(brotli));
    };
    for part in Part::ALL {
        line(part.name(), queries.part(part));
    }
    line("total", queries.total);
    for (name, Spread { median, p95, worst }) in
        [("requests", queries.requests), ("rounds", queries.rounds)]
    {
        println!(
            "{name:<18}{:>18}{:>11}{:>11}",
            thousands(median),
            thousands(p95),
            thousands(worst)
        );
    }
}

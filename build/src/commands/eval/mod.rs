//! `findling eval`: measures retrieval on judged queries, and chooses parameters for them.

mod names;
pub(super) mod tune;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use findling_engine::{Limit, Mode, Request, SectionsPerPage, Suggest};
use serde::Serialize;

use super::open_bundle::find_target;
use super::search::{ModeArg, Ranking, load_encoder};
use super::vector_name::VectorName;
use crate::eval::judged::{Query, read_qrels, read_queries};
use crate::eval::metrics::{Judgements, Latency, Measures};
use crate::eval::own_names::heading_queries;
use crate::host::{EncoderChoice, Host, QueryEncoder};
use crate::output::UsageError;
use crate::ranking;
use crate::standard_streams::stdout;
use crate::ui::{Paint, Ui, print_json, thousands};

/// Number of pages ranked for each query, for recall@100.
const DEPTH: u32 = 100;

/// Measure retrieval on judged queries
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The bundle
    #[arg(help = crate::commands::BUNDLE_HELP)]
    pub bundle: PathBuf,
    /// File of queries, one {"_id", "text"} on each line [default: up to 200 of the site's own
    /// headings, which favour search by words]
    #[arg(long, value_name = "JSONL", requires = "qrels")]
    pub queries: Option<PathBuf>,
    /// File of judgements: query id, document id and grade, separated by tabs
    #[arg(long, value_name = "TSV", requires = "queries")]
    pub qrels: Option<PathBuf>,
    /// Ask for pages by their own names: titles, headings and, with --site, texts of links. Prints
    /// how often the page is first and among the first ten, and lists the pages that their title
    /// does not find
    #[arg(long, conflicts_with_all = ["queries", "tune", "per_query"])]
    pub synthetic: bool,
    /// With --synthetic, the directory that the bundle was built from, for the texts of links in
    /// its HTML files
    #[arg(long, value_name = "DIR", requires = "synthetic")]
    pub site: Option<PathBuf>,
    /// Search by words, by meaning, or both. Repeatable [default: all that are possible]
    #[arg(long, value_enum)]
    pub mode: Vec<ModeArg>,
    /// Type only the first PERCENT of each query's letters, and search as while typing: the last
    /// word may be the beginning of a longer one
    #[arg(long, value_name = "PERCENT", conflicts_with = "tune")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=100))]
    pub typed: Option<u8>,
    /// Options of ranking.
    #[command(flatten)]
    pub ranking: Ranking,
    /// Rank with the parameters of a file instead of those of the bundle
    #[arg(long = "ranking", value_name = "FILE")]
    pub parameters: Option<PathBuf>,
    /// Choose ranking parameters for these queries by coordinate search. They are kept only if
    /// cross-validation shows a gain. Uses hybrid search if the queries can be embedded, unless
    /// --mode is given
    #[arg(long, conflicts_with = "per_query")]
    pub tune: bool,
    /// Write the parameters that --tune chose to this file, for `findling build --ranking FILE`
    #[arg(short, long, value_name = "FILE", requires = "tune")]
    pub output: Option<PathBuf>,
    /// Which vectors are searched.
    #[command(flatten)]
    pub vectors: VectorName,
    /// Print the figures as JSON
    #[arg(long)]
    pub json: bool,
    /// With --json, also print the figures of each query
    #[arg(long, requires = "json")]
    pub per_query: bool,
}

/// The results of the command.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// Queries with a relevant document; means are taken over these.
    n_queries: usize,
    /// Judged queries that are not in the file of queries or have no relevant document.
    n_left_out: usize,
    /// Pages of the bundle. Relevant documents that are not in the bundle count as not found; this
    /// number helps to notice it.
    n_pages: u32,
    encoder: Option<&'static str>,
    /// Time for embedding a query, in milliseconds.
    embedding_ms: Option<Latency>,
    modes: Vec<ModeReport>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ModeReport {
    mode: Mode,
    #[serde(flatten)]
    measures: Measures,
    /// The engine's time for ten results with all shards in memory, in milliseconds.
    search_ms: Latency,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    queries: Vec<QueryReport>,
}

#[derive(Debug, Serialize)]
struct QueryReport {
    #[serde(rename = "_id")]
    id: String,
    #[serde(flatten)]
    measures: Measures,
}

/// A query with its judgements and its embedding.
pub(super) struct Judged {
    pub query: Query,
    pub judgements: Judgements,
    pub vector: Option<findling_engine::QueryVector>,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> anyhow::Result<ExitCode> {
    let target = find_target(&args.bundle, &args.vectors, ui)?;
    let mut host = Host::open(target.location())?;
    host.set_streamed(args.ranking.streamed);
    if let Some(path) = &args.parameters {
        host.index_mut().set_rank_params(ranking::params(&ranking::read(path)?));
    }
    let encoder = if args.mode.iter().any(|mode| *mode != ModeArg::Lexical) || args.mode.is_empty()
    {
        load_encoder(&host, &args.ranking.query_encoder, Mode::Hybrid, ui)?
    } else {
        None
    };
    let mut modes = modes(&args, encoder.as_ref())?;
    if args.synthetic {
        names::run(&mut host, encoder.as_ref(), &modes, &args, ui)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (mut judged, n_left_out) = match (&args.queries, &args.qrels) {
        (Some(queries), Some(qrels)) => read(queries, qrels)?,
        _ => {
            ui.warn(
                "the queries are headings of the site: they use the words of the pages, which \
                 favours search by words",
            );
            let own = heading_queries(host.files())?.into_iter();
            (own.map(|(query, judgements)| Judged { query, judgements, vector: None }).collect(), 0)
        }
    };
    shorten(&mut judged, args.typed);
    if args.tune {
        if let Some(encoder) = &encoder {
            embed(encoder, &mut judged, ui)?;
        }
        if args.mode.is_empty() {
            // The last mode is the most complete one.
            modes.drain(..modes.len() - 1);
        }
        let choice = tune::choose(&mut host, modes, &judged, &args.ranking, |_| true, ui)?;
        choice.print(args.json, ui)?;
        keep(&choice, args.output.as_deref(), ui)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut report = Report {
        n_queries: judged.len(),
        n_left_out,
        n_pages: host.manifest().stats.n_pages,
        encoder: encoder.as_ref().map(QueryEncoder::kind),
        embedding_ms: None,
        modes: Vec::new(),
    };
    if let Some(encoder) = &encoder {
        report.embedding_ms = Some(embed(encoder, &mut judged, ui)?);
    }
    for mode in modes {
        report.modes.push(measure(&mut host, encoder.as_ref(), mode, &judged, &args, ui)?);
    }
    if args.json {
        print_json(&report)?;
    } else {
        print(&report, ui)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the setting that was chosen, if a file is named.
fn keep(choice: &tune::Choice, path: Option<&Path>, ui: &Ui) -> anyhow::Result<()> {
    let Some(path) = path else {
        if choice.holds() {
            ui.status("Found", "give --output FILE to keep it, then build with --ranking FILE");
        }
        return Ok(());
    };
    ranking::write(path, &choice.setting)?;
    let path = path.display();
    ui.status("Written", format!("{path}; use it with `findling build --ranking {path}`"));
    Ok(())
}

fn read(queries: &Path, qrels: &Path) -> anyhow::Result<(Vec<Judged>, usize)> {
    let mut grades = read_qrels(qrels)?;
    let n_judged = grades.len();
    let mut judged = Vec::new();
    for query in read_queries(queries)? {
        if let Some(judgements) = grades.remove(&query.id)
            && judgements.values().any(|&grade| grade > 0)
        {
            judged.push(Judged { query, judgements, vector: None });
        }
    }
    if judged.is_empty() {
        bail!(
            "no query of {} has a relevant document in {}; do they belong to the same set?",
            queries.display(),
            qrels.display()
        );
    }
    let n_left_out = n_judged - judged.len();
    Ok((judged, n_left_out))
}

fn modes(args: &Args, encoder: Option<&QueryEncoder>) -> anyhow::Result<Vec<Mode>> {
    let all = [ModeArg::Lexical, ModeArg::Semantic, ModeArg::Hybrid];
    if encoder.is_some() {
        let wanted = |mode: &ModeArg| args.mode.is_empty() || args.mode.contains(mode);
        return Ok(all.into_iter().filter(wanted).map(Mode::from).collect());
    }
    // A search that would fall back to words must not be reported as another mode.
    if args.mode.iter().any(|mode| *mode != ModeArg::Lexical) {
        let why = if args.ranking.query_encoder == EncoderChoice::None {
            ": --query-encoder none"
        } else {
            ""
        };
        let message = format!(
            "hybrid and semantic search cannot be measured without an encoder for the queries{why}"
        );
        return Err(UsageError::new("query-encoder", message).into());
    }
    Ok(vec![Mode::Lexical])
}

pub(super) fn embed(
    encoder: &QueryEncoder,
    judged: &mut [Judged],
    ui: &Ui,
) -> anyhow::Result<Latency> {
    let bar = ui.bar("Embedding", judged.len() as u64, "queries");
    let mut times = Vec::with_capacity(judged.len());
    for one in judged {
        let (vector, time) = encoder.encode(&one.query.text)?;
        one.vector = vector;
        times.push(time);
        bar.add(1);
    }
    bar.finish();
    Ok(Latency::of(&times))
}

fn measure(
    host: &mut Host,
    encoder: Option<&QueryEncoder>,
    mode: Mode,
    judged: &[Judged],
    args: &Args,
    ui: &Ui,
) -> anyhow::Result<ModeReport> {
    let bar = ui.bar("Searching", judged.len() as u64, "queries");
    let mut measured = Vec::with_capacity(judged.len());
    let mut times: Vec<Duration> = Vec::with_capacity(judged.len());
    for one in judged {
        let request = |limit, sections| Request {
            limit: Limit(limit),
            sections_per_page: SectionsPerPage(sections),
            suggest: Suggest(false),
            prefix: args.typed.is_some(),
            ..self::one(&args.ranking, mode, one)
        };
        let which = || format!("query {}", one.query.id);
        let (response, _) = host.search_as_meant(encoder, request(DEPTH, 1)).with_context(which)?;
        let ranked: Vec<&str> = response.results.iter().map(|page| page.id.as_str()).collect();
        measured.push(Measures::of(&ranked, &one.judgements));
        // Timed separately, with the default options and all shards in memory.
        let defaults = Request::default();
        let request = request(defaults.limit.0, defaults.sections_per_page.0);
        let (_, cost) = host.search(request).with_context(which)?;
        times.push(cost.engine);
        bar.add(1);
    }
    bar.finish();
    let queries = if args.per_query {
        let ids = judged.iter().map(|one| one.query.id.clone());
        ids.zip(&measured).map(|(id, &measures)| QueryReport { id, measures }).collect()
    } else {
        Vec::new()
    };
    Ok(ModeReport {
        mode,
        measures: Measures::mean(&measured),
        search_ms: Latency::of(&times),
        queries,
    })
}

/// Leaves the first `typed` percent of each query's letters, one at least.
fn shorten(judged: &mut [Judged], typed: Option<u8>) {
    let Some(percent) = typed.map(usize::from) else { return };
    for Judged { query, .. } in judged {
        let n = (query.text.chars().count() * percent).div_ceil(100);
        query.text = query.text.chars().take(n).collect();
    }
}

/// Returns the request for a query.
fn one(ranking: &Ranking, mode: Mode, one: &Judged) -> Request {
    Request {
        mode,
        vector: one.vector.clone(),
        // The judged page may be any of its copies.
        copies: true,
        ..ranking.request(&one.query.text)
    }
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Lexical => "lexical",
        Mode::Semantic => "semantic",
        Mode::Hybrid => "hybrid",
    }
}

fn print(report: &Report, ui: &Ui) -> anyhow::Result<()> {
    let mut out = stdout();
    let head = format!(
        "{:<9} {:>8} {:>10} {:>11} {:>7}   {:>8} {:>8} {:>8}",
        "mode", "nDCG@10", "recall@10", "recall@100", "MRR@10", "p50 ms", "p95 ms", "p99 ms"
    );
    writeln!(out, "{}", ui.paint(Paint::Bold, &head))?;
    for ModeReport { mode, measures, search_ms, .. } in &report.modes {
        let name = mode_name(*mode);
        writeln!(
            out,
            "{name:<9} {:>8.4} {:>10.4} {:>11.4} {:>7.4}   {:>8.2} {:>8.2} {:>8.2}",
            measures.ndcg_10,
            measures.recall_10,
            measures.recall_100,
            measures.mrr_10,
            search_ms.p50,
            search_ms.p95,
            search_ms.p99,
        )?;
    }
    let mut tail = format!(
        "{} queries over {} pages; times are the engine's for ten results with all shards in \
         memory",
        thousands(report.n_queries as u64),
        thousands(report.n_pages.into())
    );
    if let (Some(encoder), Some(times)) = (report.encoder, report.embedding_ms) {
        tail += &format!(
            "; embedding a query ({encoder}) p50 {:.2} ms, p95 {:.2} ms",
            times.p50, times.p95
        );
    }
    if report.n_left_out > 0 {
        let n = thousands(report.n_left_out as u64);
        tail += &format!(
            "; {n} judged queries left out: not in the file, or without a relevant document"
        );
    }
    writeln!(out, "{}", ui.paint(Paint::Dim, &tail))?;
    Ok(())
}

//! `findling similar`: finds the pages most similar to a page.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use findling_engine::{Limit, MAX_LIMIT, Request};

use super::open_bundle::find_target;
use super::require_fresh::RequireFresh;
use super::search::{
    ModeArg, Output, answer, exit, finish, is_no_page, keep, meta, parse_filter, write_to,
};
use super::show::named;
use super::vector_name::VectorName;
use crate::host::Host;
use crate::output::{Answer, Exit, Sources, Timings};
use crate::ui::Ui;

/// Find the pages most similar to a page
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The bundle
    #[arg(help = super::BUNDLE_HELP)]
    pub bundle: PathBuf,
    /// The page: its URL, path, document id, key or title
    #[arg(value_name = "URL_OR_ID")]
    pub page: String,
    /// Number of pages to show
    #[arg(
        short = 'k',
        long = "limit",
        value_name = "N",
        default_value_t = 10,
        value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_LIMIT))
    )]
    pub limit: u32,
    /// Show only pages that meet a condition: key=value,key=value, key:op:value, or JSON
    #[arg(long, value_name = "EXPR", value_parser = parse_filter)]
    pub filter: Option<serde_json::Value>,
    /// Compare the page's vectors if there are any (hybrid, semantic), or only its words (lexical)
    #[arg(long, value_enum, default_value_t = ModeArg::Hybrid)]
    pub mode: ModeArg,
    /// Search as a browser does: in the cells near the page's vectors instead of in all vectors
    #[arg(long)]
    pub streamed: bool,
    /// Which vectors are searched.
    #[command(flatten)]
    pub vectors: VectorName,
    /// How old the index may be.
    #[command(flatten)]
    pub fresh: RequireFresh,
    /// What is printed
    #[command(flatten)]
    pub output: Output,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> anyhow::Result<ExitCode> {
    let output = args.output.clone();
    finish(&output, ui, || similar(args, ui))
}

fn similar(args: Args, ui: &Ui) -> anyhow::Result<Exit> {
    let started = Instant::now();
    let format = args.output.format()?;
    let target = find_target(&args.bundle, &args.vectors, ui)?;
    args.fresh.check(&target)?;
    let mut host = Host::open(target.location())?;
    host.set_streamed(args.streamed);
    let page = match named(&mut host, &args.page) {
        Ok(id) => id,
        // The error of the search names pages that are similar.
        Err(error) if is_no_page(&error) => args.page,
        Err(error) => return Err(error),
    };
    let request = Request {
        mode: args.mode.into(),
        limit: Limit(args.limit),
        filter: args.filter,
        similar_to: Some(page),
        ..Request::default()
    };
    let (response, cost) = answer(&mut host, None, request, ui)?;
    let timings = Timings::new(started, host.open_time(), Duration::ZERO, Duration::ZERO, &cost);
    let meta = meta(&target, &host, timings, format)?;
    let sources = Sources::of(&target);
    let answer = Answer {
        response: &response,
        offset: 0,
        meta: &meta,
        sources: &sources,
        collection: None,
        group_by: None,
        timings: false,
        vectors: None,
    };
    // A page is no query.
    keep("", &[answer], &args.output, ui)?;
    write_to(&args.output, ui, |ui, mut out| answer.write(format, ui, &mut out))?;
    ui.detail(cost.to_string());
    Ok(exit(&response))
}

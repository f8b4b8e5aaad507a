//! `findling explain`: explains why a page is not first.

mod print;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use findling_engine::{Limit, Request};

use super::learned;
use super::open_bundle::find_target;
use super::search::{ModeArg, Ranking, answer, load_encoder};
use super::vector_name::VectorName;
use crate::safe_text;
use crate::standard_streams::stdout;
use crate::ui::Ui;

/// Explain why a page is not first for a query
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The bundle
    #[arg(help = crate::commands::BUNDLE_HELP)]
    pub bundle: PathBuf,
    /// The query
    pub query: String,
    /// The page: its URL (with an anchor for one of its sections), path or document id
    #[arg(value_name = "URL_OR_ID")]
    pub page: String,
    /// Options of ranking.
    #[command(flatten)]
    pub ranking: Ranking,
    /// Search by words, by meaning, or both
    #[arg(long, value_enum, default_value_t = ModeArg::Hybrid)]
    pub mode: ModeArg,
    /// Which vectors are searched.
    #[command(flatten)]
    pub vectors: VectorName,
    /// Print the comparison as JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> anyhow::Result<ExitCode> {
    let target = find_target(&args.bundle, &args.vectors, ui)?;
    let mut host = learned::open(&target)?;
    host.set_streamed(args.ranking.streamed);
    let encoder = load_encoder(&host, &args.ranking.query_encoder, args.mode.into(), ui)?;
    let mut request = Request {
        mode: args.mode.into(),
        // Other results are not shown.
        limit: Limit(0),
        why: Some(args.page.clone()),
        ..args.ranking.request(&args.query)
    };
    if let Some(encoder) = &encoder {
        request.vector = encoder.encode(&args.query)?.0;
    }
    let (response, _) = answer(&mut host, encoder.as_ref(), request, ui)?;
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", safe_text::json_pretty(&response)?)?;
    } else {
        let why = response.why.as_ref().context("the engine returned no explanation")?;
        print::why(why, &response, ui, &mut out)?;
    }
    Ok(ExitCode::SUCCESS)
}

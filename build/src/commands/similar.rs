//! `findling similar`: finds the pages most similar to a page.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use findling_engine::{Limit, MAX_LIMIT, Request};

use super::search::{ModeArg, answer, parse_filter, print};
use crate::collections::Target;
use crate::host::Host;
use crate::ui::Ui;

/// Find the pages most similar to a page
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bundle: a directory, a .findling file, or the name of a collection
    pub bundle: PathBuf,
    /// The page: its URL, path or document id
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
    /// Print the response as JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> anyhow::Result<ExitCode> {
    let target = Target::find(&args.bundle)?;
    let mut host = Host::open(target.path())?;
    host.set_streamed(args.streamed);
    let request = Request {
        mode: args.mode.into(),
        limit: Limit(args.limit),
        filter: args.filter,
        similar_to: Some(args.page),
        ..Request::default()
    };
    let (response, cost) = answer(&mut host, None, request, ui)?;
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&response)?)?;
    } else {
        print::response(&response, 0, ui, &mut out)?;
    }
    ui.detail(cost.to_string());
    Ok(ExitCode::SUCCESS)
}

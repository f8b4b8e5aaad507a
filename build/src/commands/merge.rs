//! `findling merge`: joins the parts of a build.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;

use super::build::{client, report};
use super::format_values::hosts;
use super::run_args::RunArgs;
use crate::index::retired_shards;
use crate::site::{self, Form, Hosting, MEMORY, Options};
use crate::ui::Ui;

/// Join the parts that `findling build --part` wrote to a bundle
///
/// The bundle has the same bytes as one that a single `findling build` writes. What the parts were
/// built with is in them: only what concerns the output is said here.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// All parts of a site, in any order
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,
    /// Output: a directory used for nothing else, or with --single-file also a file whose name ends
    /// in .findling
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Write one file instead of many: OUT if its name ends in .findling, otherwise
    /// OUT/bundle.findling
    #[arg(long)]
    single_file: bool,
    /// Where the bundle will be: whether shards are packed into few files, of which browsers fetch
    /// ranges, and how large these may be
    #[arg(long, value_parser = hosts(), value_name = "HOST", default_value = "auto")]
    host: Hosting,
    /// Keep unused shards of earlier builds for this many days. 0 deletes them at once
    #[arg(
        long,
        value_name = "DAYS",
        default_value_t = retired_shards::GRACE.as_secs() / 86_400
    )]
    prune: u64,
    /// Ignore the previous build in OUT
    #[arg(long)]
    fresh: bool,
    /// Do not write the web client (scripts and WebAssembly)
    #[arg(long)]
    no_client: bool,
    /// Write the web client from this directory instead of the one in this program
    #[arg(long, value_name = "DIR", conflicts_with = "no_client")]
    client: Option<PathBuf>,
    /// Memory in MB for texts and terms. What is beyond it waits in a temporary file
    #[arg(long, value_name = "MB", default_value_t = MEMORY >> 20)]
    memory: u64,
    #[command(flatten)]
    running: RunArgs,
    /// Print a report as JSON at the end
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// If a part cannot be read or does not fit the others, or the output cannot be written.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    let options = Options {
        output: args.output,
        form: if args.single_file { Form::SingleFile } else { Form::Files },
        host: args.host,
        grace: Duration::from_secs(args.prune.saturating_mul(86_400)),
        fresh: args.fresh,
        client: client(args.no_client, args.client),
        memory: args.memory.saturating_mul(1 << 20),
        threads: args.running.jobs,
        install: args.running.yes,
        ..Options::default()
    };
    report(&site::build_parts(&args.parts, &options, ui)?, args.json, ui)
}

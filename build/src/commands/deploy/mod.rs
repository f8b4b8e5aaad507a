//! `findling deploy`: prepares the upload of a site with its bundles. The upload itself is done by
//! the host's own program.

mod cloudflare;
mod files;

use std::process::ExitCode;

use clap::Subcommand;

use super::search::{Output, finish};
use crate::ui::Ui;

/// Write a host's configuration, check its limits, and show what an upload would change
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    host: Host,
}

#[derive(Debug, Subcommand)]
enum Host {
    Cloudflare(cloudflare::Args),
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> anyhow::Result<ExitCode> {
    finish(&Output::default(), ui, || match args.host {
        Host::Cloudflare(args) => cloudflare::run(&args, ui),
    })
}

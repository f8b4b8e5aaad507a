//! `findling build`: builds a bundle from a site, Markdown or records.

use std::process::ExitCode;

use crate::ui::Ui;

/// Builds a bundle from a site, Markdown or records
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the command.
pub fn run(_args: Args, _ui: &Ui) -> anyhow::Result<ExitCode> {
    anyhow::bail!("being written")
}

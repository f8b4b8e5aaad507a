//! `findling serve`: serves a bundle, or a site with its bundle, on this machine.

use std::process::ExitCode;

use crate::ui::Ui;

/// Serves a bundle, or a site with its bundle, on this machine
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the command.
pub fn run(_args: Args, _ui: &Ui) -> anyhow::Result<ExitCode> {
    anyhow::bail!("being written")
}

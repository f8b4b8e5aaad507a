//! `findling search`: searches a bundle.

use std::process::ExitCode;

use crate::ui::Ui;

/// Searches a bundle
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the command.
pub fn run(_args: Args, _ui: &Ui) -> anyhow::Result<ExitCode> {
    anyhow::bail!("being written")
}

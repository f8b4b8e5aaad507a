//! `findling models`: lists, installs, verifies and removes models.

use std::process::ExitCode;

use crate::ui::Ui;

/// Lists, installs, verifies and removes models
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the command.
pub fn run(_args: Args, _ui: &Ui) -> anyhow::Result<ExitCode> {
    anyhow::bail!("being written")
}

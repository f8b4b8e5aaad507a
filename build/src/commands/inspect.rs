//! `findling inspect`: shows what is inside a bundle and verifies it.

use std::process::ExitCode;

use crate::ui::Ui;

/// Shows what is inside a bundle and verifies it
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the command.
pub fn run(_args: Args, _ui: &Ui) -> anyhow::Result<ExitCode> {
    anyhow::bail!("being written")
}

//! `findling eval`: measures retrieval on judged queries.

use std::process::ExitCode;

use crate::ui::Ui;

/// Measures retrieval on judged queries
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the command.
pub fn run(_args: Args, _ui: &Ui) -> anyhow::Result<ExitCode> {
    anyhow::bail!("being written")
}

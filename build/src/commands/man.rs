//! `findling man`: writes the manual pages.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::ui::Ui;

/// Write the manual pages, one for each command
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Directory to write to, such as /usr/local/share/man/man1
    directory: PathBuf,
}

/// Writes the manual pages of `command`, the whole command line.
///
/// # Errors
/// If the directory cannot be written.
pub fn run(args: Args, command: clap::Command, ui: &Ui) -> Result<ExitCode> {
    let Args { directory } = args;
    std::fs::create_dir_all(&directory)
        .and_then(|()| clap_mangen::generate_to(command, &directory))
        .with_context(|| format!("{}: the manual pages cannot be written", directory.display()))?;
    ui.status("Wrote", format!("the manual pages to {}", directory.display()));
    Ok(ExitCode::SUCCESS)
}

//! `findling man`: writes the manual pages, or the reference of all options.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::reference;
use crate::ui::Ui;

/// Write the manual pages, one for each command
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Directory to write to, such as /usr/local/share/man/man1
    #[arg(required_unless_present = "markdown")]
    directory: Option<PathBuf>,
    /// Write all commands and options to one Markdown file instead
    #[arg(long, value_name = "FILE", conflicts_with = "directory")]
    markdown: Option<PathBuf>,
}

/// Writes the manual pages of `command`, the whole command line.
///
/// # Errors
/// If the directory or the file cannot be written.
pub fn run(args: Args, command: clap::Command, ui: &Ui) -> Result<ExitCode> {
    if let Some(file) = args.markdown {
        std::fs::write(&file, reference::markdown(command.clone()))
            .with_context(|| format!("{} cannot be written", file.display()))?;
        ui.status("Wrote", file.display());
    }
    if let Some(directory) = args.directory {
        std::fs::create_dir_all(&directory)
            .and_then(|()| clap_mangen::generate_to(command, &directory))
            .with_context(|| {
                format!("{}: the manual pages cannot be written", directory.display())
            })?;
        ui.status("Wrote", format!("the manual pages to {}", directory.display()));
    }
    Ok(ExitCode::SUCCESS)
}

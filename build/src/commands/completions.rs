//! `findling completions`: prints the completions of a shell.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap_complete::Shell;

use crate::standard_streams::stdout;

/// Print the completions of a shell
///
/// Load them in the shell's configuration, for example `source <(findling completions bash)`. The
/// packages for Debian install them.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the completions of `command`, the whole command line.
///
/// # Errors
/// If standard output cannot be written.
pub fn run(args: Args, mut command: clap::Command) -> Result<ExitCode> {
    let name = command.get_name().to_owned();
    // The generator panics when its output is closed, so it gets a buffer.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    stdout().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

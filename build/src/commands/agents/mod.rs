//! `findling agents`: tells the coding assistants that work in a directory how to search.

mod files;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Subcommand;

use super::confirmed;
use super::search::{Output, finish};
use crate::output::{Exit, UsageError};
use crate::replace_file::keep;
use crate::safe_text::{line, lines};
use crate::standard_streams::stdout;
use crate::ui::{Paint, Ui};
use files::Change;

/// Tell the coding assistants that work in a directory how to search
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Init(Init),
}

/// Write what coding assistants read in a repository, after showing it: a section of AGENTS.md, a
/// skill, and the configuration of the server `findling mcp`
///
/// What others have written stays: a section is added to AGENTS.md, and a server to the
/// configuration. Running it again changes only what it wrote itself. A server that it wrote for
/// other bundles stays as it is: remove it first.
#[derive(Debug, clap::Args)]
struct Init {
    /// The directory
    #[arg(default_value = ".")]
    directory: PathBuf,
    /// Bundles that assistants search: directories, .findling files, https addresses, or names of
    /// collections. Repeatable [default: all collections]
    #[arg(long = "in", value_name = "BUNDLE")]
    targets: Vec<String>,
    /// Only show what would be written
    #[arg(long, conflicts_with = "yes")]
    print: bool,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    let Action::Init(init) = args.action;
    finish(&Output::default(), ui, || self::init(&init, ui))
}

fn init(args: &Init, ui: &Ui) -> Result<Exit> {
    let directory = args
        .directory
        .canonicalize()
        .with_context(|| format!("{} cannot be read", args.directory.display()))?;
    let plans = files::plans(&args.targets);
    let (mut wanted, mut out) = (Vec::new(), stdout());
    for plan in &plans {
        let path = directory.join(plan.path);
        let there = read(&path, &directory)?;
        match plan.change(there.as_deref()) {
            Change::None => ui.status("Unchanged", plan.path),
            Change::Foreign(reason) => {
                ui.warn(format!("{}: left as it is, since {reason}", plan.path));
            }
            Change::Write { shown, text } => {
                let what = if there.is_some() { "change" } else { "write" };
                let head = ui.paint(Paint::Bold, &format!("{what} {}", plan.path));
                writeln!(out, "{head}")?;
                for shown in lines(&shown).lines() {
                    writeln!(out, "  {shown}")?;
                }
                writeln!(out)?;
                wanted.push((plan, path, text));
            }
        }
    }
    if wanted.is_empty() || args.print {
        return Ok(Exit::Found);
    }
    confirmed(args.yes, "Write these files?", "nothing was written", ui)?;
    for (plan, path, text) in wanted {
        keep(&path, text.as_bytes()).with_context(|| format!("{} cannot be written", plan.path))?;
        ui.status("Wrote", plan.path);
    }
    Ok(Exit::Found)
}

/// Returns a file's text; `None` if there is no file.
///
/// # Errors
/// If it cannot be read, or a link leads it out of the directory.
fn read(path: &Path, directory: &Path) -> Result<Option<String>> {
    let nearest = path.ancestors().find(|path| path.symlink_metadata().is_ok());
    let real = nearest.and_then(|path| path.canonicalize().ok());
    if !real.is_some_and(|real| real.starts_with(directory)) {
        let message = format!(
            "{}: expected a file in {}, found a link that leads elsewhere: remove it first",
            line(&path.to_string_lossy()),
            line(&directory.to_string_lossy())
        );
        return Err(UsageError { code: "link", message }.into());
    }
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            Err(error).with_context(|| format!("{} cannot be read", line(&path.to_string_lossy())))
        }
    }
}

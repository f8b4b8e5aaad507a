//! `findling feedback`: says whether a hit was the right one.

use std::process::ExitCode;

use anyhow::Result;
use clap::ValueEnum;

use super::database::History;
use crate::collections::{Home, Name};
use crate::commands::search::{Output, finish};
use crate::output::{Exit, Last, UsageError};
use crate::safe_text::line;
use crate::ui::Ui;

/// Say whether a hit of the last search answered it, for `findling learn`
///
/// The judgement is kept on this machine, whether or not searches are remembered.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The number of the hit
    number: usize,
    /// What it was
    verdict: Verdict,
    /// Judge a hit of a search that was saved
    #[arg(long, value_name = "NAME")]
    of: Option<Name>,
}

/// A judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Verdict {
    /// It answers the query
    Good,
    /// It does not
    Bad,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    finish(&Output::default(), ui, || {
        let last = Last::read(args.of.as_ref())?;
        let hit = last.hit(args.number)?;
        let missing = if hit.bundle.is_empty() { "a bundle" } else { "a query" };
        if hit.bundle.is_empty() || last.query.trim().is_empty() {
            let message = format!(
                "expected a hit of a query to a bundle or a collection, found one without \
                 {missing}: add the files with `findling collection add` and search again"
            );
            return Err(UsageError { code: "usage", message }.into());
        }
        let good = args.verdict == Verdict::Good;
        History::create(&Home::default_location()?)?.judge(&last.query, hit, good)?;
        let verdict = if good { "a good" } else { "a bad" };
        let (query, page) = (line(&last.query), line(&hit.id));
        ui.status("Kept", format!("{page} is {verdict} answer to {query}"));
        Ok(Exit::Found)
    })
}

//! The commands. Each has a module with its arguments and a function that runs it.

/// The forms of a bundle that commands take, for the help of their arguments.
macro_rules! bundle_forms {
    () => {
        "a directory, a .findling file, an https address, or the name of a collection"
    };
}

pub mod agents;
mod application;
mod ask;
pub mod build;
mod bundles;
pub mod collection;
pub mod completions;
pub mod config;
pub mod context;
mod dependencies;
pub mod deploy;
#[cfg(feature = "transformer")]
pub mod distill;
pub mod eval;
pub mod explain;
pub mod find;
mod format_values;
pub mod front_help;
mod here;
mod highlight;
#[cfg(feature = "history")]
pub mod history;
pub mod init;
pub mod inspect;
pub mod last;
mod learned;
pub mod man;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod merge;
mod merged_facets;
pub mod models;
mod newest;
pub mod note;
mod ocr;
mod open_bundle;
pub mod pagefind;
mod reference;
pub mod relevance;
#[cfg(feature = "tui")]
pub mod repl;
pub mod report;
mod require_fresh;
mod run_args;
pub mod search;
pub mod serve;
pub mod show;
pub mod similar;
#[cfg(feature = "tui")]
mod state_directory;
pub mod sync;
#[cfg(feature = "tui")]
pub mod tui;
mod unknown_attribute;
mod vector_name;

use crate::output::UsageError;
use crate::ui::Ui;

/// The help of an argument that is a bundle.
const BUNDLE_HELP: &str = concat!("Bundle: ", bundle_forms!());

/// Asks a question, unless `yes` has answered it. `outcome` describes the result of any answer but
/// yes.
///
/// # Errors
/// If the answer is not yes.
fn confirmed(yes: bool, question: &str, outcome: &str, ui: &Ui) -> anyhow::Result<()> {
    if yes || ui.confirm(question) {
        return Ok(());
    }
    let message =
        format!("expected yes, found another answer or none: {outcome}; --yes does not ask");
    Err(UsageError { code: "not-confirmed", message }.into())
}

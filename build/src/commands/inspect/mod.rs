//! `findling inspect`: shows what a bundle contains and verifies it, or shows a page as it is
//! indexed.

mod budget;
mod contents;
mod extraction;
mod print;
mod site_report;
mod site_summary;
#[cfg(test)]
mod tests;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;

use super::open_bundle::find_target;
use super::vector_name::VectorName;
use crate::bundle_files::BundleFiles;
use crate::standard_streams::stdout;
use crate::ui::{Ui, print_json};
use contents::inspect;

/// Show what a bundle contains, and verify it
///
/// Reads, decodes and checks every shard. The exit status is 1 if a file is missing or damaged.
/// With --budget, measures what a reader downloads instead. With --extraction, shows a page as it
/// is indexed: its sections, and what each rule left out; of a directory it shows a summary.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The bundle, or the page
    #[arg(help = concat!(
        "Bundle: ", bundle_forms!(), "; with --extraction a page, a file or an address, or the \
         directory of a site"
    ))]
    bundle: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    budget: budget::BudgetArgs,
    #[command(flatten)]
    extraction: extraction::ExtractionArgs,
    /// Which vectors are looked at.
    #[command(flatten)]
    vectors: VectorName,
}

/// Reads, decodes and checks every shard of a bundle. Returns the faults.
pub(super) fn damage(files: &BundleFiles, ui: &Ui) -> Vec<String> {
    inspect(files, ui).damage
}

/// Runs the command.
///
/// # Errors
/// If there is no bundle, or its entry file or manifest cannot be read. With `--budget`, if more is
/// downloaded than allowed.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    if args.extraction.extraction {
        return extraction::run(&args.bundle, &args.extraction, args.json, ui);
    }
    let target = find_target(&args.bundle, &args.vectors, ui)?;
    if args.budget.budget {
        return budget::run(target.location(), &args.budget, args.json, ui);
    }
    let files = BundleFiles::open(target.location())?;
    let contents = inspect(&files, ui);
    if args.json {
        print_json(&contents)?;
    } else {
        print::print(&contents, ui, &mut stdout())?;
    }
    for damage in &contents.damage {
        ui.warn(damage);
    }
    Ok(if contents.damage.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

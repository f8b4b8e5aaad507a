//! `findling collection export` and `import`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use serde_json::json;

use crate::bundle_files::BundleFiles;
use crate::collections::{Home, Name, Target, export, import};
use crate::commands::inspect;
use crate::commands::vector_name::VectorName;
use crate::ui::{Ui, bytes, count, print_json};

/// Write a collection's bundle as one file
///
/// The file can be searched as it is, and imported on another machine. Sources and settings are not
/// in it.
#[derive(Debug, clap::Args)]
pub struct Export {
    /// Collection
    name: Name,
    /// Output, such as notes.findling
    file: PathBuf,
    /// Which vectors are exported.
    #[command(flatten)]
    vectors: VectorName,
    /// Print a report as JSON
    #[arg(long)]
    json: bool,
}

/// Make a single-file bundle a collection
///
/// Every part of the file is checked first. The collection has no sources, so it is not synced;
/// import a newer file with --replace.
#[derive(Debug, clap::Args)]
pub struct Import {
    /// File from `findling collection export` or `findling build --single-file`
    file: PathBuf,
    /// Name of the new collection
    name: Name,
    /// Give an imported collection of this name the new bundle
    #[arg(long)]
    replace: bool,
    /// Print a report as JSON
    #[arg(long)]
    json: bool,
}

/// Runs `export`.
pub fn run_export(home: &Home, args: &Export, ui: &Ui) -> Result<ExitCode> {
    let target = args.vectors.of(Target::of_collection(home, &args.name)?)?;
    let n_bytes = export(&BundleFiles::open(target.path())?, &args.file)?;
    ui.status("Exported", format!("{} to {}, {}", args.name, args.file.display(), bytes(n_bytes)));
    if args.json {
        let report = json!({ "name": args.name, "status": "exported", "bundleBytes": n_bytes });
        print_json(&report)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs `import`.
pub fn run_import(home: &Home, args: &Import, ui: &Ui) -> Result<ExitCode> {
    let damage = inspect::damage(&BundleFiles::open(&args.file)?, ui);
    if let Some(first) = damage.first() {
        bail!(
            "{}: expected a whole bundle, found {}: {first}",
            args.file.display(),
            count(damage.len() as u64, "damaged parts")
        );
    }
    let built = import(home, &args.name, &args.file, args.replace)?;
    ui.status("Imported", format!("{}: {}", args.name, count(built.pages.into(), "pages")));
    if args.json {
        let report = json!({
            "name": args.name, "status": "imported", "pages": built.pages,
            "sections": built.sections, "bundleBytes": built.bundle_bytes,
        });
        print_json(&report)?;
    }
    Ok(ExitCode::SUCCESS)
}

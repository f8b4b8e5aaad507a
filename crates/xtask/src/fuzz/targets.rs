//! The fuzz targets, each with its program and its limits.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// A fuzz target.
pub struct Target {
    /// The name of the target, of its corpus and of its directories of seeds and regressions.
    pub name: String,
    /// The program in `tests/fuzz/targets`. One program serves several targets: it is started under
    /// the target's name.
    pub program: &'static str,
    /// The limits of an input.
    pub limits: Limits,
}

/// The limits above which an input is a finding.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Largest length of an input in bytes.
    pub bytes: u32,
    /// Seconds for an input.
    pub seconds: u32,
    /// Megabytes of the process.
    pub megabytes: u32,
}

/// The limits for bytes of a bundle and for requests to it. The bundle under test has three pages.
const BUNDLE: Limits = Limits { bytes: 4096, seconds: 5, megabytes: 512 };

/// The limits for a file. The libraries that parse PDF and source code keep tables of tens of
/// megabytes.
const FILE: Limits = Limits { bytes: 16_384, seconds: 10, megabytes: 1024 };

/// Returns the targets: several for bundles, and one for each kind of file. `seeds` has a directory
/// for each kind, as `crates/read/tests/hostile_files.rs` checks.
///
/// # Errors
/// If the directory cannot be read.
pub fn all(seeds: &Path) -> Result<Vec<Target>> {
    let of_bundle =
        |name: &'static str| Target { name: name.to_owned(), program: name, limits: BUNDLE };
    let mut targets = Vec::from(["shards", "bytes", "requests"].map(of_bundle));
    let unreadable = || format!("{} cannot be read", seeds.display());
    let mut kinds = Vec::new();
    for entry in fs::read_dir(seeds).with_context(unreadable)? {
        kinds.push(entry.with_context(unreadable)?.file_name().to_string_lossy().into_owned());
    }
    kinds.sort();
    let of_file = |name| Target { name, program: "sources", limits: FILE };
    targets.extend(kinds.into_iter().map(of_file));
    Ok(targets)
}

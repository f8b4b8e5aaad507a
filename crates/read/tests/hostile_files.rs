//! Inputs of the fuzz targets: small valid files of each kind, and files that once made a parser
//! fail. Each is read without a panic, whole and with its end cut off.

use std::fs;
use std::path::{Path, PathBuf};

use kinds::KINDS;

#[path = "../../../tests/fuzz/kinds/mod.rs"]
mod kinds;

fn inputs(directory: &str, kind: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz");
    let Ok(entries) = fs::read_dir(root.join(directory).join(kind)) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn every_kind_has_first_inputs_for_the_fuzzer() {
    let names = KINDS.iter().map(|kind| kind.name);
    let without: Vec<_> = names.filter(|kind| inputs("seeds", kind).is_empty()).collect();
    assert!(without.is_empty(), "add a small valid file to tests/fuzz/seeds/ for {without:?}");
    // `cargo xtask fuzz` has a target for each directory.
    let directories = inputs("seeds", "");
    let is_kind = |path: &PathBuf| KINDS.iter().any(|kind| path.ends_with(kind.name));
    let unknown: Vec<_> = directories.iter().filter(|path| !is_kind(path)).collect();
    assert!(unknown.is_empty(), "name these in tests/fuzz/kinds: {unknown:?}");
}

#[test]
fn first_inputs_and_former_findings_are_read_without_a_panic() {
    for kind in KINDS {
        for path in inputs("seeds", kind.name).iter().chain(&inputs("regressions", kind.name)) {
            let bytes = fs::read(path).unwrap();
            println!("{}", path.display());
            kinds::read(kind, &bytes);
            for end in [bytes.len() / 3, bytes.len() / 2, bytes.len().saturating_sub(1)] {
                kinds::read(kind, &bytes[..end]);
            }
        }
    }
}

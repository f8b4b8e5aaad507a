//! Embeds the pages of the local application into the program.
//!
//! `cargo xtask client` writes them to `app/`; this lists them in a table. In the repository the
//! program also compiles without them, because most tests need none; the application then says that
//! it lacks them.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The endings of the files.
const ENDINGS: [&str; 4] = [".css", ".html", ".js", ".svg"];

fn main() {
    let app = directory("CARGO_MANIFEST_DIR").join("app");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", app.display());
    let entries: String = files(&app)
        .iter()
        .map(|name| format!("    ({name:?}, include_bytes!({:?})),\n", app.join(name)))
        .collect();
    let path = directory("OUT_DIR").join("app_files.rs");
    fs::write(path, format!("&[\n{entries}]\n")).expect("OUT_DIR is writable");
}

/// Returns a directory that cargo names to build scripts.
fn directory(variable: &str) -> PathBuf {
    env::var_os(variable).unwrap_or_else(|| panic!("cargo sets {variable}")).into()
}

/// Returns the names of the files in a directory, sorted; none if it does not exist.
fn files(dir: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| ENDINGS.iter().any(|ending| name.ends_with(ending)))
        .collect();
    names.sort();
    names
}

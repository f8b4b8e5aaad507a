//! Embeds the web client, which `findling build` writes beside a bundle, and the pages of the local
//! application into the program.
//!
//! `cargo xtask client` writes the client's files to `client/`; this lists them in a table. A
//! package that is published must contain them. In the repository the program also compiles without
//! them, because most tests need no client; it then asks for a client when it needs one.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The file without which there is no client.
const ENTRY: &str = "findling.js";

fn main() {
    let package = directory("CARGO_MANIFEST_DIR");
    let client = package.join("client");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", client.display());
    let names = files(&client, &[".css", ".js", ".wasm"]);
    if !names.iter().any(|name| name == ENTRY) {
        // Cargo adds this file to packages.
        if package.join("Cargo.toml.orig").exists() {
            println!(
                "cargo::error=expected the web client in {}, found no {ENTRY}: run `cargo xtask \
                 client` in the repository before `cargo package` or `cargo publish`",
                client.display()
            );
        } else {
            println!(
                "cargo::warning=this `findling` gets no web client, because {} has no {ENTRY}; run \
                 `cargo xtask wasm` and `cargo xtask client` before the build to include it",
                client.display()
            );
        }
    }
    write_table("client_files.rs", &client, &names);
    // The pages of the local application, which no bundle has.
    let app = client.join("app");
    write_table("app_files.rs", &app, &files(&app, &[".css", ".html", ".js", ".svg"]));
}

/// Writes a table of files, which the program includes.
fn write_table(table: &str, dir: &Path, names: &[String]) {
    let entries: String = names
        .iter()
        .map(|name| format!("    ({name:?}, include_bytes!({:?})),\n", dir.join(name)))
        .collect();
    let path = directory("OUT_DIR").join(table);
    fs::write(path, format!("&[\n{entries}]\n")).expect("OUT_DIR is writable");
}

/// Returns a directory that cargo names to build scripts.
fn directory(variable: &str) -> PathBuf {
    env::var_os(variable).unwrap_or_else(|| panic!("cargo sets {variable}")).into()
}

/// Returns the names in a directory with one of these endings, sorted; none if it does not exist.
fn files(dir: &Path, endings: &[&str]) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| endings.iter().any(|ending| name.ends_with(ending)))
        .collect();
    names.sort();
    names
}

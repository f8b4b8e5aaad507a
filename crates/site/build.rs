//! Embeds the web client, which a build writes beside a bundle.
//!
//! `cargo xtask client` writes the client's files to `client/`; this lists them in a table. A
//! package that is published must contain them. In the repository the crate also compiles without
//! them, because most tests need no client; it then asks for a client when it needs one.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The file without which there is no client.
const ENTRY: &str = "findling.js";

/// The endings of the files.
const ENDINGS: [&str; 3] = [".css", ".js", ".wasm"];

fn main() {
    let package = directory("CARGO_MANIFEST_DIR");
    let client = package.join("client");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", client.display());
    let names = files(&client);
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
    let entries: String = names
        .iter()
        .map(|name| format!("    ({name:?}, include_bytes!({:?})),\n", client.join(name)))
        .collect();
    let path = directory("OUT_DIR").join("client_files.rs");
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

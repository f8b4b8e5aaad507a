//! Puts the web client into the binary, if it has been built: what `findling build` lays beside a
//! bundle.
//!
//! The files of `www/dist` that a page loads are copied to the build's own directory and listed in
//! a table. Without them (`cargo build` before `cargo xtask client`) the table is empty, and the
//! tool says so when it would need them.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let dist =
        Path::new(&env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"))
            .join("../www/dist");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut names: Vec<String> = fs::read_dir(&dist)
        .map(|entries| {
            entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect()
        })
        .unwrap_or_default();
    names.retain(|name| is_client_file(name));
    names.sort();
    let mut table = String::from("&[\n");
    for name in &names {
        let copy = out.join(name);
        fs::copy(dist.join(name), &copy)
            .unwrap_or_else(|error| panic!("{}: {error}", dist.join(name).display()));
        table.push_str(&format!("    ({name:?}, include_bytes!({:?})),\n", copy));
    }
    table.push_str("]\n");
    fs::write(out.join("client_files.rs"), table).expect("OUT_DIR can be written");
}

/// Scripts and modules of the page; not types, and not the handler for Workers, which is bundled by
/// its users. The same rule as in `src/index/client.rs`.
fn is_client_file(name: &str) -> bool {
    [".js", ".wasm"].iter().any(|end| name.ends_with(end)) && !name.starts_with("findling-edge")
}

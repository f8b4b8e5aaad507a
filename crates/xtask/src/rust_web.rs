//! The example of a page in Rust (`examples/rust-web`), which the tests in a browser load.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::cmd::{Cmd, heading, note};
use crate::paths::{self, Paths};
use crate::setup;
use crate::wasm;

/// The example's crate.
const PACKAGE: &str = "example-rust-web";
/// The name that wasm-bindgen gives the files.
const NAME: &str = "example_rust_web";

/// Builds the example into `target/rust-web/app`, and returns `target/rust-web`.
pub fn build(paths: &Paths) -> Result<PathBuf> {
    heading("Rust front end");
    let node = setup::node(paths)?;
    let rustc = setup::wasm_rustc(paths)?;
    // The directory and the profile of the other modules, whose dependencies it shares.
    let target = paths.target.join("wasm");
    let command = Cmd::new(paths::cargo())
        .args(["build", "--package", PACKAGE, "--profile", "wasm"])
        .args(["--target", wasm::TARGET])
        .dir(&paths.root)
        .env("CARGO_TARGET_DIR", &target);
    rustc.apply(command).run()?;
    let built = target.join(wasm::TARGET).join("wasm").join(format!("{NAME}.wasm"));
    let out = paths.target.join("rust-web");
    let app = out.join("app");
    let _ = fs::remove_dir_all(&app);
    fs::create_dir_all(&app).with_context(|| app.display().to_string())?;
    wasm::run_bindgen(paths, &built, &app, NAME, None)?;
    let module = app.join(format!("{NAME}_bg.wasm"));
    let raw = fs::metadata(&module)?.len();
    let sent = wasm::brotli_len(&node, &module)?;
    note(format!("{:.1} kB raw, {:.1} kB brotli", raw as f64 / 1000.0, sent as f64 / 1000.0));
    Ok(out)
}

//! `cargo xtask component`: the endpoint as a WASI component, into `target/component`.
//!
//! cargo -> component -> linked with the handler's component, which is made of the TypeScript of
//! `www/src/edge` by `www/component/build.mjs`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::cmd::{Cmd, heading, note};
use crate::paths::{self, Paths};
use crate::setup;
use crate::wasm::{self, Size};

/// Bytes after brotli that the component may have. Most are its JavaScript engine.
const MAX_COMPONENT: u64 = 3_900_000;
/// The same of the engine's component without the handler.
const MAX_ENGINE: u64 = 440_000;

/// The names of what is built.
const COMPONENT: &str = "findling-endpoint.wasm";
const ENGINE: &str = "findling-engine.wasm";

/// Builds the component, and returns its file.
pub fn run(paths: &Paths) -> Result<PathBuf> {
    heading("WASI component");
    let node = setup::node_for_tests(paths)?;
    let scripts = paths.www.join("component");
    setup::node_modules(&node, &paths.www)?;
    setup::node_modules(&node, &scripts)?;
    let rustc = setup::wasm_rustc(paths)?;
    let (profile, target) = ("wasm-fast", paths.target.join("wasm"));
    let engine = Cmd::new(paths::cargo())
        .args(["rustc", "--package", "findling-wasm", "--profile", profile])
        .args(["--target", wasm::TARGET, "--no-default-features", "--features", "component"])
        .args(["--crate-type", "cdylib"])
        .dir(&paths.root)
        // Beside the module for JavaScript, which has the same name.
        .env("CARGO_TARGET_DIR", target.join("component"));
    rustc.apply(engine).run()?;
    let module = target.join("component").join(wasm::TARGET).join(profile);
    let out = paths.target.join("component");
    node.command("node")
        .arg("build.mjs")
        .arg(module.join("findling_wasm.wasm"))
        .arg(&out)
        .dir(&scripts)
        .run()?;
    let component = out.join(COMPONENT);
    Cmd::new(paths::cargo())
        .args(["run", "--release", "--quiet", "--package", "xtask", "--features", "compose"])
        .args(["--bin", "xtask-compose", "--"])
        .args([out.join(ENGINE), out.join("handler.wasm")])
        .arg(&component)
        .dir(&paths.root)
        .run()?;
    for (name, budget) in [(ENGINE, MAX_ENGINE), (COMPONENT, MAX_COMPONENT)] {
        let file = out.join(name);
        let size = Size {
            name: name.trim_end_matches(".wasm").to_owned(),
            raw: fs::metadata(&file)?.len(),
            sent: wasm::brotli_len(&node, &file)?,
            budget,
            binding: true,
        };
        note(size.line());
        if !size.within() {
            bail!("{name} is larger than its budget in crates/xtask/src/component.rs");
        }
    }
    Ok(component)
}

/// Not every installer keeps the mode of the program in the package.
const MAKE_EXECUTABLE: &str = "import os, wasmtime_cli\n\
    os.chmod(os.path.join(os.path.dirname(wasmtime_cli.__file__), 'wasmtime'), 0o755)";

/// Returns the tests of the component in wasmtime, which is a package of PyPI.
pub fn tests(paths: &Paths) -> Result<Cmd> {
    let component = run(paths)?;
    let node = setup::node_for_tests(paths)?;
    setup::node_modules(&node, &paths.e2e)?;
    let requirements = paths.e2e.join("component/requirements.txt");
    let python = setup::python(paths, "wasmtime-python", &requirements)?;
    Cmd::new(&python).args(["-c", MAKE_EXECUTABLE]).run()?;
    let tests = node.command("node").args(["run.mjs", "component"]).dir(&paths.e2e);
    Ok(tests
        .env("FINDLING_BIN", paths.findling())
        .env("FINDLING_COMPONENT", component)
        .env("FINDLING_WASMTIME", python.with_file_name("wasmtime")))
}

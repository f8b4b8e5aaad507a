//! `cargo xtask test`: runs every test and lists the skipped tests.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::cmd::{Cmd, heading, note, which};
use crate::paths::{self, Paths};
use crate::setup::{self, Node};
use crate::{assistants, client, component, demo, integrations, rust_web, wasm};

mod report;

use report::{ALLOWED_SKIPS, Report, SKIPS};

/// The arguments of `cargo xtask test`.
#[derive(Default)]
pub struct Options {
    /// Only run tests that need neither tract nor a browser.
    pub fast: bool,
    /// Only run the integrations that take minutes, with the tool and the client that are built.
    pub nightly: bool,
    /// Whether a skipped test that [`ALLOWED_SKIPS`] does not name is a failure.
    pub deny_skips: bool,
}

/// Runs the tests. Returns whether everything passed.
pub fn run(paths: &Paths, options: &Options) -> bool {
    let mut report = Report::default();
    run_steps(paths, options, &mut report);
    if options.deny_skips {
        match std::fs::read_to_string(paths.root.join(ALLOWED_SKIPS)) {
            Ok(list) => report.check_skips(&list),
            Err(error) => {
                let why = format!("{ALLOWED_SKIPS} cannot be read: {error}");
                report.failed(SKIPS, Instant::now(), why);
            }
        }
    }
    report.print()
}

fn run_steps(paths: &Paths, options: &Options, report: &mut Report) {
    if options.nightly {
        integrations(paths, report, integrations::Which::Nightly);
        wasi_component(paths, report);
        screen_reader(paths, report);
        return hostile_inputs(paths, report);
    }
    let cargo = |args: &[&str]| Cmd::new(paths::cargo()).args(args).dir(&paths.root);
    report.step("format", cargo(&["fmt", "--all", "--check"]));
    if options.fast {
        report.step(
            "lints",
            cargo(&["clippy", "--release", "--all-targets", "--", "-D", "warnings"]),
        );
        report.step(
            "native tests",
            cargo(&["test", "--release", "--no-fail-fast", "--", "--show-output"]),
        );
        lint_scripts(paths, report);
        for name in ["wasm", "client", "end to end"] {
            report.skip(name, "--fast was asked for");
        }
        return;
    }
    report.step(
        "lints",
        cargo(&[
            "clippy",
            "--release",
            "--workspace",
            "--all-targets",
            "--features",
            "findling-wasm/component,xtask/bindgen,xtask/compose",
            "--",
            "-D",
            "warnings",
        ]),
    );
    supply_chain(paths, report);
    // The program that README's first command compiles: the tool without its default features.
    report.step(
        "lints, small tool",
        cargo(&[
            "clippy",
            "--release",
            "-p",
            "findling",
            "--no-default-features",
            "--bin",
            "findling",
            "--",
            "-D",
            "warnings",
        ]),
    );
    // The wasm modules and the client are built first, because the command-line tool contains them.
    let sizes = report.work("wasm", || wasm::run(paths, wasm::Which::Both));
    let client = if let Some(sizes) = sizes {
        // A module that is too large works, so the tests go on with it.
        report.work("wasm budgets", || check_budgets(sizes));
        report.work("client", || client::run(paths)).is_some()
    } else {
        report.skip("client", "the wasm modules could not be built");
        false
    };
    report.work("playground", || wasm::check_playground(paths));
    // The tool and the tests share one compilation of tract (see build/Cargo.toml).
    let tool = report.step("compile", cargo(&["test", "--release", "--workspace", "--no-run"]));
    // Without a model, the tests that need it are skipped, which is not a failure.
    if tool && let Err(error) = demo::install_model(paths) {
        report.skip("model", format!("{error:#}"));
    }
    // Without it, the test of scans is skipped with a message.
    if let Err(error) = setup::tesseract() {
        note(format!("no text recognition: {error:#}"));
    }
    let native =
        cargo(&["test", "--release", "--workspace", "--no-fail-fast", "--", "--show-output"]);
    report.step("native tests", with_model(paths, native));
    if report.work("derived types", || types_are_current(paths)).is_none() {
        println!("    `cargo xtask types` writes them anew");
    }
    end_to_end(paths, report, tool, client);
    if tool {
        official_clients(paths, report);
    }
    if tool && client {
        integrations(paths, report, integrations::Which::Quick);
    }
}

/// Checks licences and origins of the crates, if cargo-deny is installed.
fn supply_chain(paths: &Paths, report: &mut Report) {
    if which("cargo-deny").is_none() {
        let why = "needs cargo-deny: `cargo install --locked cargo-deny@0.20.2`";
        return report.skip("supply chain", why);
    }
    let deny = Cmd::new(paths::cargo()).args(["deny", "--locked", "check"]).dir(&paths.root);
    report.step("supply chain", deny.args(["bans", "licenses", "sources"]));
}

/// Searches sites that documentation generators have built.
fn integrations(paths: &Paths, report: &mut Report, which: integrations::Which) {
    let tests = packages_and_node(paths).and_then(|node| integrations::tests(paths, &node, which));
    match tests {
        Ok(tests) => {
            report.step("integrations", tests);
        }
        Err(error) => report.skip("integrations", format!("{error:#}")),
    }
}

/// Asks the endpoint as a WASI component in wasmtime.
fn wasi_component(paths: &Paths, report: &mut Report) {
    match component::tests(paths) {
        Ok(tests) => {
            report.step("WASI component", tests);
        }
        Err(error) => report.skip("WASI component", format!("{error:#}")),
    }
}

/// Walks through the search dialog with a screen reader, if the machine has one.
fn screen_reader(paths: &Paths, report: &mut Report) {
    let tests = packages_and_node(paths).and_then(|node| {
        let tests = node.command("node").args(["run.mjs", "orca"]).dir(&paths.e2e);
        let tests = tests.env("FINDLING_BIN", paths.findling());
        Ok(tests.env("FINDLING_CHROMIUM", setup::chromium()?))
    });
    match tests {
        Ok(tests) => {
            report.step("screen reader", tests);
        }
        Err(error) => report.skip("screen reader", format!("{error:#}")),
    }
}

/// Number of bundles that each of the three properties of hostile bundles damages.
const NIGHTLY_CASES: &str = "34000";

/// Number of requests to each server, and of lines of an assistant, that are damaged.
const NIGHTLY_REQUESTS: &str = "3000";

/// Tests a hundred thousand damaged bundles, twelve thousand damaged requests, and failures of the
/// disk at a thousand writes.
fn hostile_inputs(paths: &Paths, report: &mut Report) {
    let cargo = |args: &[&str]| {
        Cmd::new(paths::cargo()).args(["test", "--release"]).args(args).dir(&paths.root)
    };
    let bundles = cargo(&["-p", "findling-engine", "--test", "hostile"]);
    report.step("damaged bundles", bundles.env("FINDLING_CASES", NIGHTLY_CASES));
    // The features are the same as in the tests of every push, so that nothing is compiled twice.
    let requests = cargo(&["--workspace", "--test", "hostile_program"]);
    report.step("damaged requests", requests.env("FINDLING_CASES", NIGHTLY_REQUESTS));
    let args = ["--workspace", "--test", "collections", "--", "--ignored", "--show-output"];
    report.step("failing disks", cargo(&args));
}

/// Tests the server for assistants with the protocol's official clients.
fn official_clients(paths: &Paths, report: &mut Report) {
    let typescript = setup::node(paths).and_then(|node| assistants::typescript(paths, &node));
    for (name, tests) in
        [("mcp, TypeScript", typescript), ("mcp, Python", assistants::python(paths))]
    {
        match tests {
            Ok(tests) => {
                report.step(name, tests);
            }
            Err(error) => report.skip(name, format!("{error:#}")),
        }
    }
}

/// Formats and lints of TypeScript, style sheets and `.mjs`, if the linter is installed already.
fn lint_scripts(paths: &Paths, report: &mut Report) {
    if !paths.www.join("node_modules/@biomejs").is_dir() {
        return report.skip("lint", "www/node_modules has no linter: run `npm ci` in www");
    }
    match setup::node(paths) {
        Ok(node) => {
            report.step("lint", lint(paths, &node));
        }
        Err(error) => report.skip("lint", format!("{error:#}")),
    }
}

/// Returns the command that checks TypeScript, style sheets and `.mjs`.
fn lint(paths: &Paths, node: &Node) -> Cmd {
    node.command("npm").args(["run", "--silent", "lint"]).dir(&paths.www)
}

/// Checks that the TypeScript types of requests and responses are the ones derived from the Rust
/// types.
fn types_are_current(paths: &Paths) -> Result<()> {
    heading("derived types");
    let derived = paths.target.join("engine-types.ts");
    client::write_types(paths, &derived)?;
    let committed = paths.www.join(client::TYPES);
    if std::fs::read(&derived)? != std::fs::read(&committed)? {
        anyhow::bail!("{} is not what the engine's types derive", committed.display());
    }
    Ok(())
}

/// Fails if a module exceeds a binding budget.
fn check_budgets(sizes: Vec<wasm::Size>) -> Result<()> {
    match sizes.iter().find(|size| size.binding && !size.within()) {
        Some(size) => anyhow::bail!("{}", size.line()),
        None => Ok(()),
    }
}

/// Runs the tests in Node, Chromium and workerd.
fn end_to_end(paths: &Paths, report: &mut Report, tool: bool, client: bool) {
    let Some(node) = report.work("node packages", || packages_and_node(paths)) else {
        for name in ["lint", "encoder parity", "type check", "browser", "firefox", "worker"] {
            report.skip(name, "the npm packages could not be installed");
        }
        return;
    };
    report.step("lint", lint(paths, &node));
    if !client {
        for name in ["encoder parity", "type check", "browser", "firefox", "worker"] {
            report.skip(name, "the client could not be built; see above");
        }
        return;
    }
    report
        .step("type check", node.command("npm").args(["run", "--silent", "check"]).dir(&paths.www));
    encoder_parity(paths, report, &node);
    if !tool {
        for name in ["browser", "firefox", "worker"] {
            report.skip(name, "the command-line tool could not be built; see above");
        }
        return;
    }
    let e2e = |script: &str| {
        node.command("npm")
            .args(["run", "--silent", script])
            .dir(&paths.e2e)
            .env("FINDLING_BIN", paths.findling())
    };
    match setup::chromium() {
        Ok(chromium) => {
            let example = report.work("Rust front end", || rust_web::build(paths));
            let tests = e2e("test:browser").env("FINDLING_CHROMIUM", chromium);
            report.step(
                "browser",
                match example {
                    Some(example) => tests.env("FINDLING_RUST_WEB", example),
                    None => tests,
                },
            );
        }
        Err(error) => report.skip("browser", format!("{error:#}")),
    }
    match setup::firefox() {
        Ok(firefox) => {
            report.step("firefox", e2e("test:firefox").env("FINDLING_FIREFOX", firefox));
        }
        Err(error) => report.skip("firefox", format!("{error:#}")),
    }
    if node.runs_tests() {
        report.step("worker", e2e("test:worker"));
    } else {
        report.skip("worker", format!("wrangler needs Node 22, this machine has {}", node.version));
    }
}

/// Compares the encoder in wasm with the native one: with the tiny model in the repository and, if
/// it is installed, with the real model.
fn encoder_parity(paths: &Paths, report: &mut Report, node: &Node) {
    let parity = node.command("node").args([
        "--test",
        "--test-reporter=spec",
        "crates/wasm-encoder/tests/parity.mjs",
    ]);
    let parity = parity.dir(&paths.root);
    let parity = match artefact(paths) {
        Ok(artefact) => parity.env("FINDLING_ENCODER_ARTEFACT", artefact),
        Err(error) => {
            report.skip("encoder parity, model", format!("{error:#}"));
            parity
        }
    };
    report.step("encoder parity", parity);
}

/// Sets the environment variables of tests that need the installed model.
fn with_model(paths: &Paths, tests: Cmd) -> Cmd {
    match model_dir(paths) {
        Ok(model) => tests
            .env("FINDLING_TOKENIZER", model.join("tokenizer.json"))
            .env("FINDLING_MODEL_DIR", model),
        Err(_) => tests,
    }
}

/// Returns the directory of the installed model.
fn model_dir(paths: &Paths) -> Result<PathBuf> {
    let json =
        Cmd::new(paths.findling()).args(["models", "status", demo::MODEL, "--json"]).read()?;
    let status: serde_json::Value = serde_json::from_str(&json)?;
    Ok(status[0]["path"].as_str().context("the model is not installed")?.into())
}

/// Makes the installed model's artefact.
fn artefact(paths: &Paths) -> Result<PathBuf> {
    let artefact = paths.target.join("encoder-artefact.bin");
    // Examples are compiled with the tests.
    Cmd::new(paths.target.join("release/examples/artefact"))
        .arg(model_dir(paths)?)
        .arg(&artefact)
        .run()?;
    Ok(artefact)
}

/// Returns the packages of the client and of the tests, and the Node to run the tests with.
fn packages_and_node(paths: &Paths) -> Result<Node> {
    heading("node packages");
    let node = setup::node_for_tests(paths)?;
    setup::node_modules(&node, &paths.www)?;
    setup::node_modules(&node, &paths.e2e)?;
    Ok(node)
}

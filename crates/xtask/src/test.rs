//! `cargo xtask test`: runs every test and lists those that were skipped.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::cmd::{Cmd, heading, note, which};
use crate::paths::{self, Paths};
use crate::setup::{self, Node};
use crate::tally::{self, Skip, Tally};
use crate::{assistants, client, component, demo, integrations, rust_web, wasm};

/// Time limit of a step; enough for a first build on two cores.
const STEP_LIMIT: Duration = Duration::from_secs(40 * 60);

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

/// The list of tests that may be skipped: lines `name: reason`, where the name is that of a test or
/// a step.
const ALLOWED_SKIPS: &str = "tests/allowed-skips.txt";

/// The step that fails for skipped tests.
const SKIPS: &str = "skipped tests";

/// The result of a step.
enum Outcome {
    Passed,
    Failed(String),
    Skipped(String),
}

struct Row {
    name: &'static str,
    outcome: Outcome,
    tally: Tally,
    closing: Vec<String>,
    skips: Vec<Skip>,
    took: Duration,
}

/// The steps so far.
#[derive(Default)]
struct Report {
    rows: Vec<Row>,
}

impl Report {
    /// Runs a program and reads the results in its output.
    fn step(&mut self, name: &'static str, command: Cmd) -> bool {
        heading(name);
        let started = Instant::now();
        let heard = match command.limit(STEP_LIMIT).listen() {
            Ok(heard) => heard,
            Err(error) => return self.failed(name, started, format!("{error:#}")),
        };
        let reading = tally::read(&heard.lines);
        let outcome = match (heard.ok && reading.tally.failed == 0, heard.timed_out) {
            (true, _) => Outcome::Passed,
            (_, true) => Outcome::Failed(format!("stopped after {} s", STEP_LIMIT.as_secs())),
            _ => Outcome::Failed("see above".to_owned()),
        };
        let ok = matches!(outcome, Outcome::Passed);
        let took = started.elapsed();
        let (tally, closing, skips) = (reading.tally, reading.closing, reading.skips);
        self.rows.push(Row { name, outcome, tally, closing, skips, took });
        ok
    }

    /// Runs a step that is not a test runner. Returns its result, and records a failure.
    fn work<T>(&mut self, name: &'static str, work: impl FnOnce() -> Result<T>) -> Option<T> {
        let started = Instant::now();
        match work() {
            Ok(value) => {
                self.push(name, Outcome::Passed, started.elapsed());
                Some(value)
            }
            Err(error) => {
                println!("    failed: {error:#}");
                self.failed(name, started, format!("{error:#}"));
                None
            }
        }
    }

    fn failed(&mut self, name: &'static str, started: Instant, why: String) -> bool {
        self.push(name, Outcome::Failed(why), started.elapsed());
        false
    }

    fn skip(&mut self, name: &'static str, why: impl Into<String>) {
        self.push(name, Outcome::Skipped(why.into()), Duration::ZERO);
    }

    fn push(&mut self, name: &'static str, outcome: Outcome, took: Duration) {
        let (tally, closing, skips) = Default::default();
        self.rows.push(Row { name, outcome, tally, closing, skips, took });
    }

    /// Returns the steps that were skipped, and the tests that other steps skipped, each with its
    /// step.
    fn skips(&self) -> Vec<(&'static str, Skip)> {
        let own = |row: &Row| match &row.outcome {
            Outcome::Skipped(why) => Some(Skip { test: String::new(), reason: why.clone() }),
            _ => None,
        };
        let of = |row: &Row| -> Vec<_> {
            own(row)
                .into_iter()
                .chain(row.skips.iter().cloned())
                .map(|skip| (row.name, skip))
                .collect()
        };
        self.rows.iter().flat_map(of).collect()
    }

    /// Adds a failure for each skipped test that the list does not allow.
    fn check_skips(&mut self, list: &str) {
        let allowed = match allowed_skips(list) {
            Ok(allowed) => allowed,
            Err(error) => {
                self.failed(SKIPS, Instant::now(), format!("{error:#}"));
                return;
            }
        };
        for (step, Skip { test, reason }) in self.skips() {
            let name = if test.is_empty() { step } else { &test };
            // Cargo prints the modules of a test before its name.
            let last = name.rsplit("::").next().unwrap_or(name);
            if !allowed.contains(&name) && !allowed.contains(&last) {
                let why = format!(
                    "`{name}` was skipped: {reason}. Provide what the test needs, \
                     or name it in {ALLOWED_SKIPS}"
                );
                self.failed(SKIPS, Instant::now(), why);
            }
        }
    }

    /// Prints the table. Returns whether everything passed.
    fn print(&self) -> bool {
        println!("\n==> what the runners said");
        for row in &self.rows {
            for line in &row.closing {
                println!("    {:<22} {line}", row.name);
            }
        }
        println!("\n==> what was skipped");
        let skips = self.skips();
        for (step, skip) in &skips {
            println!(
                "    {step:<22} {}",
                [skip.test.as_str(), &skip.reason].join(" ").trim_start()
            );
        }
        if skips.is_empty() {
            println!("    nothing");
        }
        println!("\n==> summary");
        println!(
            "    {:<22} {:>7} {:>7} {:>7} {:>8}",
            "step", "passed", "failed", "skipped", "time"
        );
        let mut all = Tally::default();
        for row in &self.rows {
            let mut tally = row.tally;
            // A step without tests counts as one test.
            match row.outcome {
                Outcome::Passed if tally == Tally::default() => tally.passed = 1,
                Outcome::Failed(_) if tally.failed == 0 => tally.failed = 1,
                Outcome::Skipped(_) => tally.skipped = 1,
                _ => {}
            }
            // Cargo counts tests that skip themselves as passed, so they are counted by the reasons
            // they print.
            let secs = row.took.as_secs();
            let took = format!("{}:{:02}", secs / 60, secs % 60);
            let why = if let Outcome::Failed(why) = &row.outcome {
                format!("  FAILED: {why}")
            } else {
                String::new()
            };
            println!(
                "    {:<22} {:>7} {:>7} {:>7} {took:>8}{why}",
                row.name, tally.passed, tally.failed, tally.skipped
            );
            all += tally;
        }
        println!("\n{} passed, {} failed, {} skipped", all.passed, all.failed, all.skipped);
        all.failed == 0
    }
}

/// Returns the names on the list of tests that may be skipped.
fn allowed_skips(list: &str) -> Result<Vec<&str>> {
    list.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| match line.split_once(": ") {
            Some((name, _)) => Ok(name),
            None => anyhow::bail!("{ALLOWED_SKIPS}: expected `name: reason`, found `{line}`"),
        })
        .collect()
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

/// Walks through the search dialog with a screen reader, where the machine has one.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the failures of a report whose native tests skipped `test`, with a list of allowed
    /// skips.
    fn failures(test: &str, list: &str) -> usize {
        let mut report = Report::default();
        report.push("native tests", Outcome::Passed, Duration::ZERO);
        report.rows[0].skips.push(Skip { test: test.into(), reason: "no model".into() });
        report.check_skips(list);
        report.rows.iter().filter(|row| matches!(row.outcome, Outcome::Failed(_))).count()
    }

    #[test]
    fn a_skipped_test_fails_unless_it_is_listed() {
        assert_eq!(failures("encoder::tests::reads", "# a comment\n\nreads: no model"), 0);
        assert_eq!(failures("encoder::tests::reads", "encoder::tests::reads: no model"), 0);
        assert_eq!(failures("encoder::tests::reads", "tests::writes: no model"), 1);
        assert_eq!(failures("", "native tests: no model"), 0);
        assert_eq!(failures("", ""), 1);
    }

    #[test]
    fn a_skipped_step_fails_unless_it_is_listed() {
        let mut report = Report::default();
        report.skip("browser", "no Chromium");
        report.check_skips("worker: no Node");
        assert_eq!(report.rows.len(), 2);
    }

    #[test]
    fn an_allowed_skip_has_a_reason() {
        assert_eq!(failures("reads", "reads: no model\nwrites"), 1);
    }
}

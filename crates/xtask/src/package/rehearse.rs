//! The rehearsal of a release: packages are published to registries on this machine, and a stranger
//! installs each by its name.
//!
//! `tests/registries/serve.mjs` is npm's registry, to which `npm publish` publishes, and pip's
//! index. Cargo's packages, with the crates that they need, are a directory that takes the place of
//! crates.io (<https://doc.rust-lang.org/cargo/reference/source-replacement.html>), because
//! `cargo publish` resolves what it publishes by crates.io itself.

use std::fs;
use std::path::Path;
use std::process::Child;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::{Made, Package, TOOL, search_with, wheel};
use crate::cmd::{Cmd, heading, note};
use crate::paths::{self, Paths};
use crate::setup::Node;

/// A program that searches a bundle from Rust: the example on the library's front page.
const PROGRAM: &str = "crates/host/examples/search.rs";

/// The library that this program needs.
const LIBRARY: &str = "findling-host";

/// A program that imports the npm package in Node.
const MODULE: &str = "import { open } from \"findling\";\n\
                      const index = await open(process.argv[2]);\n\
                      const { results } = await index.search(\"fired kiln\");\n\
                      console.log(results[0].title);\n\
                      index.close();\n";

/// The registries, which end with this value.
struct Registries {
    server: Child,
    address: String,
}

impl Registries {
    fn start(paths: &Paths, node: &Node, wheels: &Path) -> Result<Self> {
        let script = paths.root.join("tests/registries/serve.mjs");
        let (server, address) = node.command("node").arg(script).arg(wheels).serve()?;
        let started = Self { server, address };
        ensure!(started.address.starts_with("http://127.0.0.1:"), "the registries gave no address");
        Ok(started)
    }

    /// Returns a command of npm that knows no other registry, and nothing of earlier installations.
    fn npm(&self, node: &Node, program: &str, dir: &Path, cache: &Path) -> Cmd {
        let token = format!("npm_config_//{}/:_authToken", &self.address["http://".len()..]);
        node.command(program)
            .env("npm_config_registry", &self.address)
            .env("npm_config_cache", cache)
            .env("npm_config_audit", "false")
            .env("npm_config_fund", "false")
            .env("npm_config_update_notifier", "false")
            .env(&token, "rehearsal")
            .dir(dir)
    }
}

impl Drop for Registries {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Publishes the packages to registries on this machine and installs each by its name.
pub fn run(paths: &Paths, node: &Node, made: &Made, scratch: &Path) -> Result<()> {
    let wheels = scratch.join("wheels");
    super::copy(&made.wheel, &wheels.join(made.wheel.file_name().context("a wheel's name")?))?;
    let registries = Registries::start(paths, node, &wheels)?;
    npm(&registries, node, made, scratch)?;
    pip(&registries, scratch)?;
    drop(registries);
    cargo(paths, scratch)
}

fn npm(registries: &Registries, node: &Node, made: &Made, scratch: &Path) -> Result<()> {
    heading("npm: published, and installed by name");
    let cache = scratch.join("npm-cache");
    for package in [&made.program, &made.client] {
        let publish = ["publish", "--access", "public", "--ignore-scripts"];
        registries.npm(node, "npm", scratch, &cache).args(publish).arg(package).run()?;
    }
    let dir = scratch.join("npm-stranger");
    fs::create_dir(&dir)?;
    fs::write(dir.join("package.json"), r#"{ "private": true, "type": "module" }"#)?;
    registries.npm(node, "npm", &dir, &cache).args(["install", TOOL]).run()?;
    search_with(|| node.command(dir.join("node_modules/.bin").join(TOOL)), scratch, "npm-by-name")?;
    fs::write(dir.join("search.js"), MODULE)?;
    let bundle = scratch.join("npm-by-name");
    let found = node.command("node").arg("search.js").arg(&bundle).dir(&dir).read()?;
    ensure!(found == "Kilns", "expected the page Kilns from `open` in Node, found {found:?}");

    let dir = scratch.join("npx-stranger");
    fs::create_dir(&dir)?;
    let out = dir.join("out");
    let build = ["--yes", TOOL, "build", "../site", "--output", "out"];
    registries.npm(node, "npx", &dir, &cache).args(build).run()?;
    ensure!(out.join("findling.idx").is_file(), "`npx findling build` wrote no bundle");
    note("`npm install findling`, `import { open } from \"findling\"` and `npx findling` work");
    Ok(())
}

fn pip(registries: &Registries, scratch: &Path) -> Result<()> {
    heading("pip: installed by name from an index");
    let environment = scratch.join("python-stranger");
    let python = wheel::venv(&environment)?;
    Cmd::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-cache-dir"])
        .args(["--index-url", &format!("{}/simple/", registries.address), TOOL])
        .env("PIP_CONFIG_FILE", "/dev/null")
        .env("PIP_EXTRA_INDEX_URL", "")
        .dir(scratch)
        .run()?;
    search_with(|| Cmd::new(wheel::script(&environment, TOOL)), scratch, "pip-by-name")?;
    note("`pip install findling` and `findling` work");
    Ok(())
}

/// Makes a directory that takes the place of crates.io: the crates of `Cargo.lock`, and ours. Then
/// somebody adds the library by its name to a new project and runs the documented program.
fn cargo(paths: &Paths, scratch: &Path) -> Result<()> {
    heading("cargo: added by name from a directory in the place of crates.io");
    let source = scratch.join("crates");
    let vendor = ["vendor", "--locked", "--quiet", "--versioned-dirs"];
    Cmd::new(paths::cargo()).args(vendor).arg(&source).dir(&paths.root).read()?;
    let packages = super::published(paths)?;
    super::pack_crates(paths, &packages)?;
    for package in &packages {
        add(paths, package, &source)?;
    }
    let dir = scratch.join("cargo-stranger");
    let cargo = |dir: &Path| {
        let target = paths.target.join("package-rehearsal");
        Cmd::new(paths::cargo()).dir(dir).env("CARGO_TARGET_DIR", target)
    };
    cargo(scratch).args(["new", "--quiet", "--vcs", "none", "cargo-stranger"]).run()?;
    let config = format!(
        "[source.crates-io]\nreplace-with = \"rehearsal\"\n\n\
         [source.rehearsal]\ndirectory = {source:?}\n"
    );
    fs::create_dir(dir.join(".cargo"))?;
    fs::write(dir.join(".cargo/config.toml"), config)?;
    cargo(&dir).args(["add", "--quiet", "--offline", LIBRARY, "anyhow"]).run()?;
    super::copy(&paths.root.join(PROGRAM), &dir.join("src/main.rs"))?;
    let run = ["run", "--quiet", "--offline", "--"];
    let bundle = scratch.join("pip-by-name");
    let found = cargo(&dir).args(run).arg(&bundle).arg("fired kiln").read()?;
    ensure!(found.contains("Kilns"), "expected the page Kilns, found {found:?}");
    note(format!("`cargo add {LIBRARY}` and the program of its page work"));
    Ok(())
}

/// Unpacks a package into a directory in the place of a registry. Cargo asks there for hashes of
/// files, and compares those that are listed.
fn add(paths: &Paths, package: &Package, source: &Path) -> Result<()> {
    let unpacked = package.unpack(paths, source)?;
    let sums = json!({ "files": {}, "package": null });
    fs::write(unpacked.join(".cargo-checksum.json"), sums.to_string())?;
    Ok(())
}

//! `cargo xtask package`: shows that the published packages work without the repository.
//! `cargo xtask pack`: makes the packages that carry a program, for a release.
//!
//! Cargo's packages are made, unpacked outside of the repository and installed from there. The
//! installed tool then builds a bundle with its client and searches it. The npm packages, the wheel
//! and the archive carry that tool. Each is installed from its file into an empty directory without
//! the network, builds a bundle and searches it. A rehearsal publishes the packages to registries
//! on this machine instead, and installs each by its name.

mod archive;
mod debian;
mod npm;
mod platform;
mod rehearse;
mod third_party;
mod wheel;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::cmd::{Cmd, heading, note};
use crate::paths::{self, Paths};
use crate::{client, setup, wasm};
use platform::Platform;

/// The package with the command-line tool.
const TOOL: &str = "findling";

/// The files that `findling build` writes for a site in English whose queries need no transformer,
/// without those of [`LOCALE`].
const WRITTEN: [&str; 15] = [
    "findling-assistant.js",
    "findling-highlight.js",
    "findling-history.js",
    "findling-log.js",
    "findling-related.js",
    "findling-results.js",
    "findling-several.js",
    "findling-ui.js",
    "findling-worker.js",
    "findling.css",
    "findling.idx",
    "findling.js",
    "findling_engine.wasm",
    "findling_engine_rest.wasm",
    "shards",
];

/// Beginning of the names of the files with the texts of a language.
const LOCALE: &str = "findling-locale-";

/// A page of the site that the installed tool indexes.
const PAGE: &str = "<!doctype html><html lang=en><title>Kilns</title><main><h1>Kilns</h1>\
                    <p>A kiln is fired to a thousand degrees.</p></main></html>";

/// A program to put into packages.
struct Program {
    file: PathBuf,
    platform: &'static Platform,
    /// The licences of the parts that other people wrote.
    notices: PathBuf,
}

/// The options of `cargo xtask package`.
#[derive(Default)]
pub struct TryOptions {
    /// A tool of this machine's platform: Cargo's packages are left out, and the others carry it.
    pub program: Option<PathBuf>,
    /// Whether the packages are published to registries on this machine and installed by name,
    /// instead of from their files.
    pub rehearse: bool,
}

/// The options of `cargo xtask pack`.
#[derive(Default)]
pub struct PackOptions {
    /// The program.
    pub program: Option<PathBuf>,
    /// Rust's name of its platform; by default, this machine's.
    pub target: Option<String>,
    /// The directory for packages; by default, `target/packages`.
    pub out: Option<PathBuf>,
}

/// Makes the packages and tries them. Needs the modules of `cargo xtask wasm`.
pub fn run(paths: &Paths, options: TryOptions) -> Result<()> {
    make_client(paths)?;
    let scratch = Scratch::new()?;
    let outside = &scratch.0;
    fs::create_dir(outside.join("site"))?;
    fs::write(outside.join("site/kilns.html"), PAGE)?;
    let program = match options.program {
        Some(program) => program,
        None => try_crates(paths, outside)?,
    };
    let pack = PackOptions { program: Some(program), ..PackOptions::default() };
    let made = pack_into(paths, &pack, outside)?;
    let node = setup::node(paths)?;
    if options.rehearse {
        return rehearse::run(paths, &node, &made, outside);
    }
    npm::try_packages(&node, &made.client, &made.program, outside)?;
    wheel::try_wheel(&made.wheel, outside)?;
    archive::try_archive(&made.archive, outside)?;
    match &made.debian {
        Some(package) => debian::try_package(package, outside),
        None => Ok(()),
    }
}

/// Makes Cargo's packages, installs the tool from them and tries it. Returns the tool.
fn try_crates(paths: &Paths, outside: &Path) -> Result<PathBuf> {
    heading("cargo packages");
    let packages = published(paths)?;
    pack_crates(paths, &packages)?;
    let mut unpacked = Vec::new();
    for package in &packages {
        unpacked.push((package, package.unpack(paths, outside)?));
    }
    heading("the tool from its package");
    let tool = install(paths, outside, &unpacked)?;
    for encoder in ["none", "hash"] {
        build_and_search(|| Cmd::new(&tool), encoder, outside, encoder)?;
    }
    note("the installed tool writes the client, and its bundles can be searched");
    Ok(tool)
}

/// Writes the licences of others and the list of parts for a platform.
pub fn notices(paths: &Paths, target: Option<String>) -> Result<()> {
    let target = target.map_or_else(host_target, Ok)?;
    let out = paths.target.join("packages");
    third_party::write(paths, &target, &version(paths)?, &out).map(drop)
}

/// Makes the packages that carry a program.
pub fn pack(paths: &Paths, options: &PackOptions) -> Result<()> {
    make_client(paths)?;
    pack_into(paths, options, &Scratch::new()?.0).map(drop)
}

/// Makes the client as it is published, unless it was made elsewhere and only copied here. A demo
/// leaves a client with an engine that is not optimised, without the transformer.
fn make_client(paths: &Paths) -> Result<()> {
    let is_whole = ["findling-edge-semantic.js", "module/findling.js"]
        .iter()
        .all(|file| paths.www.join("dist").join(file).is_file());
    if is_whole && !paths.www.join("wasm").is_dir() {
        return Ok(());
    }
    wasm::run(paths, wasm::Which::Both)?;
    client::run(paths)
}

/// The files of packages.
struct Made {
    client: PathBuf,
    program: PathBuf,
    wheel: PathBuf,
    archive: PathBuf,
    debian: Option<PathBuf>,
}

fn pack_into(paths: &Paths, options: &PackOptions, scratch: &Path) -> Result<Made> {
    let target = match &options.target {
        Some(target) => target.clone(),
        None => host_target()?,
    };
    let file = options.program.clone().unwrap_or_else(|| paths.findling());
    ensure!(
        file.is_file(),
        "expected the program at {}, found none: build it by `cargo xtask cli`, or name it by \
         --program",
        file.display()
    );
    let out = std::path::absolute(match &options.out {
        Some(out) => out.clone(),
        None => paths.target.join("packages"),
    })?;
    fs::create_dir_all(&out).with_context(|| out.display().to_string())?;
    let notices = third_party::write(paths, &target, &version(paths)?, &out)?;
    let file = std::path::absolute(file)?;
    let program = Program { file, platform: Platform::of(&target)?, notices };
    // A program for another platform cannot write its completions here; `target/assets` then has
    // the completions of an earlier call.
    let is_own = target == host_target()?;
    if is_own {
        archive::write_assets(paths, &program)?;
    }
    let is_debian = is_own && program.platform.libc == Some("glibc");
    let node = setup::node(paths)?;
    Ok(Made {
        archive: archive::pack(paths, &program, scratch, &out)?,
        debian: if is_debian { debian::pack(paths, &out)? } else { None },
        client: npm::pack_client(paths, &node, &program, scratch, &out)?,
        program: npm::pack_program(paths, &node, &program, scratch, &out)?,
        wheel: wheel::pack(paths, &program, scratch, &out)?,
    })
}

/// Returns Rust's name of this machine's platform.
pub fn host_target() -> Result<String> {
    let version = Cmd::new(paths::rustc()).arg("-vV").read()?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("`rustc -vV` names no host")?.to_owned())
}

/// Returns the version of all packages.
fn version(paths: &Paths) -> Result<String> {
    let packages = published(paths)?;
    let tool = packages.into_iter().find(|package| package.name == TOOL);
    Ok(tool.with_context(|| format!("the workspace has no package `{TOOL}`"))?.version)
}

/// A package that is published.
struct Package {
    name: String,
    version: String,
}

impl Package {
    fn full_name(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }

    /// Returns where cargo packs it.
    fn file(&self, paths: &Paths) -> PathBuf {
        paths.target.join(format!("package/{}.crate", self.full_name()))
    }

    /// Unpacks it into a directory and returns where its files are.
    fn unpack(&self, paths: &Paths, into: &Path) -> Result<PathBuf> {
        let (name, file) = (self.full_name(), self.file(paths));
        Cmd::new("tar").arg("-xzf").arg(&file).arg("-C").arg(into).run()?;
        note(format!("{name}: {} kB packed", fs::metadata(&file)?.len().div_ceil(1000)));
        Ok(into.join(name))
    }
}

/// Returns the packages of the workspace that do not say `publish = false`.
fn published(paths: &Paths) -> Result<Vec<Package>> {
    let json = Cmd::new(paths::cargo())
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .dir(&paths.root)
        .read()?;
    let metadata: Value = serde_json::from_str(&json)?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let text = |value: &Value| value.as_str().map(str::to_owned).context("cargo metadata");
    packages
        .iter()
        .filter(|package| package["publish"].is_null())
        .map(|package| {
            Ok(Package { name: text(&package["name"])?, version: text(&package["version"])? })
        })
        .collect()
}

/// Writes the packages into `target/package`.
fn pack_crates(paths: &Paths, packages: &[Package]) -> Result<()> {
    let names = packages.iter().flat_map(|package| ["--package", &package.name]);
    Cmd::new(paths::cargo())
        .args(["package", "--no-verify", "--allow-dirty"])
        .args(names)
        .dir(&paths.root)
        .run()
}

/// Installs the tool from the unpacked packages. The others replace the packages on crates.io,
/// which may not have this version yet. Without optimisation and without the transformer, to save
/// time.
fn install(paths: &Paths, outside: &Path, unpacked: &[(&Package, PathBuf)]) -> Result<PathBuf> {
    let mut install = Cmd::new(paths::cargo())
        .args(["install", "--quiet", "--debug", "--no-default-features", "--root"])
        .arg(outside.join("installed"))
        .arg("--target-dir")
        .arg(paths.target.join("package-install"));
    let mut tool = None;
    for (package, dir) in unpacked {
        if package.name == TOOL {
            tool = Some(dir);
        } else {
            let patch = format!("patch.crates-io.{}.path={:?}", package.name, dir);
            install = install.arg("--config").arg(patch);
        }
    }
    let tool = tool.with_context(|| format!("the workspace has no package `{TOOL}`"))?;
    install.arg("--path").arg(tool).dir(outside).run()?;
    Ok(outside.join(format!("installed/bin/{TOOL}{}", std::env::consts::EXE_SUFFIX)))
}

/// Builds a bundle of `site` in `scratch` with an installed tool, checks the files, and searches.
/// `name` is the bundle's.
fn search_with(tool: impl Fn() -> Cmd, scratch: &Path, name: &str) -> Result<()> {
    build_and_search(|| offline(tool()), "hash", scratch, name)
}

fn build_and_search(
    tool: impl Fn() -> Cmd,
    encoder: &str,
    scratch: &Path,
    name: &str,
) -> Result<()> {
    let out = scratch.join(name);
    tool()
        .args(["build", "site", "--no-cache", "--encoder", encoder, "--output"])
        .arg(&out)
        .dir(scratch)
        .run()?;
    let written: BTreeSet<String> = fs::read_dir(&out)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_>>()?;
    ensure!(
        written.iter().filter(|name| !name.starts_with(LOCALE)).eq(WRITTEN),
        "{name}: expected the files {}, found {written:?}",
        WRITTEN.join(", ")
    );
    for file in &written {
        ensure!(fs::metadata(out.join(file))?.len() > 0, "{file} is empty");
    }
    tool().arg("inspect").arg(&out).dir(scratch).run()?;
    let json = tool().arg("search").arg(&out).args(["fired kiln", "--json"]).dir(scratch).read()?;
    let answer: Value = serde_json::from_str(&json)?;
    let found = answer["results"][0]["title"].as_str();
    ensure!(found == Some("Kilns"), "{name}: expected the page Kilns, found {found:?}");
    Ok(())
}

/// Returns a command that cannot reach the network through proxies or package managers.
fn offline(command: Cmd) -> Cmd {
    // Nothing listens at this port.
    const NOWHERE: &str = "http://127.0.0.1:9";
    ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"]
        .into_iter()
        .fold(command, |command, name| command.env(name, NOWHERE))
        .env("npm_config_offline", "true")
        .env("PIP_NO_INDEX", "1")
}

/// Copies a file, or a directory with what it contains.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let failed = || format!("{} cannot be copied to {}", from.display(), to.display());
    if from.is_dir() {
        for entry in fs::read_dir(from).with_context(failed)? {
            let name = entry?.file_name();
            copy(&from.join(&name), &to.join(&name))?;
        }
        return Ok(());
    }
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).with_context(failed)?;
    }
    fs::copy(from, to).with_context(failed)?;
    Ok(())
}

/// A directory outside of the repository, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self> {
        let dir = std::env::temp_dir().join(format!("findling-package-{}", std::process::id()));
        fs::create_dir(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
        Ok(Self(dir))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

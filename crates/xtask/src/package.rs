//! `cargo xtask package`: shows that the published packages work without the repository.
//!
//! Cargo's packages are made, unpacked outside of the repository and installed from there. The
//! installed tool then builds a bundle with its client and searches it. Of the npm package, the
//! list of files is checked.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::cmd::{Cmd, heading, note};
use crate::paths::{self, Paths};
use crate::{client, setup};

/// The package with the command-line tool.
const TOOL: &str = "findling";

/// What `findling build` writes for a site in English whose queries need no transformer.
const WRITTEN: [&str; 7] = [
    "findling-ui.js",
    "findling-worker.js",
    "findling.idx",
    "findling.js",
    "findling_engine.wasm",
    "findling_engine_rest.wasm",
    "shards",
];

/// A page of the site that the installed tool indexes.
const PAGE: &str = "<!doctype html><html lang=en><title>Kilns</title><main><h1>Kilns</h1>\
                    <p>A kiln is fired to a thousand degrees.</p></main></html>";

/// Makes the packages and tries them. Needs the modules of `cargo xtask wasm`.
pub fn run(paths: &Paths) -> Result<()> {
    client::run(paths)?;
    heading("cargo packages");
    let packages = published(paths)?;
    pack(paths, &packages)?;
    let outside = Outside::new()?;
    let mut unpacked = Vec::new();
    for package in &packages {
        unpacked.push((package, package.unpack(paths, &outside.0)?));
    }
    heading("the tool from its package");
    let tool = install(paths, &outside.0, &unpacked)?;
    try_tool(&tool, &outside.0)?;
    check_npm_package(paths)
}

/// A package that is published.
struct Package {
    name: String,
    version: String,
}

impl Package {
    /// Unpacks it into a directory and returns where its files are.
    fn unpack(&self, paths: &Paths, into: &Path) -> Result<PathBuf> {
        let name = format!("{}-{}", self.name, self.version);
        let file = paths.target.join(format!("package/{name}.crate"));
        Cmd::new("tar").arg("-xzf").arg(&file).arg("-C").arg(into).run()?;
        note(format!("{name}: {} kB packed", fs::metadata(&file)?.len().div_ceil(1000)));
        Ok(into.join(name))
    }
}

/// The packages of the workspace that do not say `publish = false`.
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
fn pack(paths: &Paths, packages: &[Package]) -> Result<()> {
    let names = packages.iter().flat_map(|package| ["--package", &package.name]);
    Cmd::new(paths::cargo())
        .args(["package", "--no-verify", "--allow-dirty"])
        .args(names)
        .dir(&paths.root)
        .run()
}

/// Installs the tool from the unpacked packages. The others take the place of those on crates.io,
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

/// Builds bundles with the installed tool, checks the files, and searches.
fn try_tool(tool: &Path, outside: &Path) -> Result<()> {
    fs::create_dir(outside.join("site"))?;
    fs::write(outside.join("site/kilns.html"), PAGE)?;
    for encoder in ["none", "hash"] {
        let out = outside.join(encoder);
        Cmd::new(tool)
            .args(["build", "site", "--no-cache", "--encoder", encoder, "--output"])
            .arg(&out)
            .dir(outside)
            .run()?;
        let written: BTreeSet<String> = fs::read_dir(&out)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect::<Result<_>>()?;
        ensure!(
            written.iter().eq(WRITTEN),
            "--encoder {encoder}: expected the files {}, found {written:?}",
            WRITTEN.join(", ")
        );
        for name in &written {
            ensure!(fs::metadata(out.join(name))?.len() > 0, "{name} is empty");
        }
        Cmd::new(tool).arg("inspect").arg(&out).dir(outside).run()?;
        let json = Cmd::new(tool).arg("search").arg(&out).args(["fired kiln", "--json"]);
        let answer: Value = serde_json::from_str(&json.dir(outside).read()?)?;
        let found = answer["results"][0]["title"].as_str();
        ensure!(found == Some("Kilns"), "expected the page Kilns, found {found:?}");
    }
    note("the installed tool writes the client, and its bundles can be searched");
    Ok(())
}

/// Checks the files of the npm package: its entry points, and nothing but the client, the licences
/// and the description.
fn check_npm_package(paths: &Paths) -> Result<()> {
    heading("npm package");
    let node = setup::node(paths)?;
    let json = node.command("npm").args(["pack", "--dry-run", "--json"]).dir(&paths.www).read()?;
    let packed: Value = serde_json::from_str(&json).context("`npm pack --json` gave no JSON")?;
    let files = packed[0]["files"].as_array().context("`npm pack --json` lists no files")?;
    let names: BTreeSet<&str> = files.iter().filter_map(|file| file["path"].as_str()).collect();
    let package: Value = serde_json::from_slice(&fs::read(paths.www.join("package.json"))?)?;
    for needed in entry_points(&package["exports"]) {
        ensure!(names.contains(needed), "the npm package lacks {needed}: run `cargo xtask wasm`");
    }
    for name in &names {
        let is_expected = name.starts_with("dist/")
            || ["package.json", "README.md", "LICENSE-APACHE", "LICENSE-MIT"].contains(name);
        if !is_expected {
            bail!("the npm package has a file that does not belong there: {name}");
        }
    }
    note(format!(
        "{} files, {} kB packed",
        names.len(),
        packed[0]["size"].as_u64().unwrap_or(0) / 1000
    ));
    Ok(())
}

/// The files that `exports` of a package.json names, without the patterns.
fn entry_points(exports: &Value) -> Vec<&str> {
    match exports {
        Value::String(path) if !path.contains('*') => vec![path.trim_start_matches("./")],
        Value::Object(fields) => fields.values().flat_map(entry_points).collect(),
        _ => Vec::new(),
    }
}

/// A directory outside of the repository, removed at the end.
struct Outside(PathBuf);

impl Outside {
    fn new() -> Result<Self> {
        let dir = std::env::temp_dir().join(format!("findling-package-{}", std::process::id()));
        fs::create_dir(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
        Ok(Self(dir))
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_points_are_the_files_that_exports_names() {
        let exports = serde_json::json!({
            ".": { "types": "./dist/a.d.ts", "default": "./dist/a.js" },
            "./b": "./dist/b.js",
            "./dist/*": "./dist/*",
        });
        let mut found = entry_points(&exports);
        found.sort_unstable();
        assert_eq!(found, ["dist/a.d.ts", "dist/a.js", "dist/b.js"]);
    }
}

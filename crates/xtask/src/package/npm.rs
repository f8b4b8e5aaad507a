//! The npm packages: `findling`, and one package with the program for each platform.
//!
//! `findling` names the packages of the platforms as optional dependencies. npm installs the one
//! that fits; nothing is downloaded by a script. The names are added here and not in
//! `www/package.json`, because the registry has them only after a release.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::platform::{ALL, Platform};
use super::third_party::NOTICES;
use super::{Program, TOOL, copy, offline, search_with};
use crate::cmd::{heading, note};
use crate::paths::Paths;
use crate::setup::Node;

/// The directories of `www` that the package contains, and its other files.
const CONTENTS: [&str; 7] =
    ["bin", "dist", "integrations", "package.json", "README.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Makes the package `findling`. Returns its file.
pub fn pack_client(
    paths: &Paths,
    node: &Node,
    program: &Program,
    scratch: &Path,
    out: &Path,
) -> Result<PathBuf> {
    heading("npm package findling");
    let stage = scratch.join("npm-findling");
    for name in CONTENTS {
        copy(&paths.www.join(name), &stage.join(name))?;
    }
    let package: Value = serde_json::from_slice(&fs::read(stage.join("package.json"))?)?;
    copy(&program.notices, &stage.join(NOTICES))?;
    let version = package["version"].as_str().context("package.json has no version")?.to_owned();
    ensure!(version == super::version(paths)?, "package.json and Cargo.toml differ in the version");
    // npm keeps the order of conditions, and the first condition that holds counts.
    let of_platforms =
        ALL.iter().map(|to| format!("optionalDependencies[{}]={version}", name_of(to)));
    node.command("npm").args(["pkg", "set"]).args(of_platforms).dir(&stage).run()?;
    let unwanted = ["pkg", "delete", "scripts", "devDependencies"];
    node.command("npm").args(unwanted).dir(&stage).run()?;
    let (packed, files) = pack(node, &stage, out)?;
    check_files(&files, &package)?;
    Ok(packed)
}

/// Makes the package with the program for a platform. Returns its file.
pub fn pack_program(
    paths: &Paths,
    node: &Node,
    program: &Program,
    scratch: &Path,
    out: &Path,
) -> Result<PathBuf> {
    let platform = program.platform;
    let name = name_of(platform);
    heading(&format!("npm package {name}"));
    let stage = scratch.join(format!("npm-{}", platform.npm));
    copy(&program.file, &stage.join("bin").join(platform.program()))?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&paths.root.join(licence), &stage.join(licence))?;
    }
    copy(&program.notices, &stage.join(NOTICES))?;
    let mut package = json!({
        "name": name,
        "version": super::version(paths)?,
        "description": format!("The program `findling` for {}", platform.target),
        "license": "MIT OR Apache-2.0",
        "repository": "https://github.com/findling-search/findling",
        "os": [platform.os],
        "cpu": [platform.cpu],
        "files": ["bin", "LICENSE-APACHE", "LICENSE-MIT", NOTICES],
        "preferUnplugged": true,
    });
    if let Some(libc) = platform.libc {
        package["libc"] = json!([libc]);
    }
    fs::write(stage.join("package.json"), serde_json::to_string_pretty(&package)? + "\n")?;
    let readme = format!(
        "# {name}\n\nThe program of the npm package \
         [findling](https://www.npmjs.com/package/findling) for {}. Install `findling`; npm then \
         installs this package.\n",
        platform.target
    );
    fs::write(stage.join("README.md"), readme)?;
    Ok(pack(node, &stage, out)?.0)
}

/// Installs the packages into an empty directory without the network, builds and searches.
pub fn try_packages(node: &Node, client: &Path, program: &Path, scratch: &Path) -> Result<()> {
    heading("npm packages, installed without the network");
    let dir = scratch.join("npm-installed");
    fs::create_dir(&dir)?;
    fs::write(dir.join("package.json"), r#"{ "private": true }"#)?;
    let install = node
        .command("npm")
        .args(["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts"])
        .arg(client)
        .arg(program);
    offline(install).dir(&dir).run()?;
    let command = dir.join(format!("node_modules/.bin/{TOOL}"));
    search_with(|| node.command(&command), scratch, "npm")?;
    let failed = node.command(&command).args(["search", "nowhere", "kiln"]).dir(&dir);
    ensure!(failed.read().is_err(), "expected the status of the program, found success");
    // The imports of a site's bundler.
    let found = "import('findling').then((module) => console.log(typeof module.open))";
    let found = node.command("node").args(["--input-type=module", "--eval", found]).dir(&dir);
    ensure!(found.read()? == "function", "the package findling exports no `open`");
    note("`findling` builds a bundle and searches it; `import \"findling\"` finds the client");
    Ok(())
}

fn name_of(platform: &Platform) -> String {
    format!("@findling/cli-{}", platform.npm)
}

/// Packs a directory. Returns the package's file and the names of the files in it.
fn pack(node: &Node, stage: &Path, out: &Path) -> Result<(PathBuf, BTreeSet<String>)> {
    let json = node
        .command("npm")
        .args(["pack", "--json", "--ignore-scripts", "--pack-destination"])
        .arg(out)
        .dir(stage)
        .read()?;
    let packed: Value = serde_json::from_str(&json).context("`npm pack --json` gave no JSON")?;
    let packed = &packed[0];
    let files = packed["files"].as_array().context("`npm pack --json` lists no files")?;
    let files = files.iter().filter_map(|file| Some(file["path"].as_str()?.to_owned())).collect();
    let name = packed["filename"].as_str().context("`npm pack --json` names no file")?;
    note(format!("{name}: {} kB packed", packed["size"].as_u64().unwrap_or(0) / 1000));
    Ok((out.join(name), files))
}

/// Checks the files of the package `findling`: its entry points, and nothing but the client, the
/// command, the licences and the description.
fn check_files(files: &BTreeSet<String>, package: &Value) -> Result<()> {
    let exports = entry_points(&package["exports"]);
    ensure!(files.contains(NOTICES), "the npm package lacks {NOTICES}");
    for needed in exports.into_iter().chain(entry_points(&package["bin"])) {
        ensure!(files.contains(needed), "the npm package lacks {needed}: run `cargo xtask wasm`");
    }
    for name in files {
        let top = name.split('/').next().unwrap_or_default();
        if !CONTENTS.contains(&top) && top != NOTICES {
            bail!("the npm package has a file that does not belong there: {name}");
        }
    }
    Ok(())
}

/// Returns the files that `exports` or `bin` of a package.json names, without the patterns.
fn entry_points(exports: &Value) -> Vec<&str> {
    match exports {
        Value::String(path) if !path.contains('*') => vec![path.trim_start_matches("./")],
        Value::Object(fields) => fields.values().flat_map(entry_points).collect(),
        _ => Vec::new(),
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

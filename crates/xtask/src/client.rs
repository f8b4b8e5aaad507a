//! `cargo xtask client`: the npm package in `www/dist`, and the files that the command-line tool
//! contains, in [`FOR_BUNDLES`] and [`APP`].

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use findling_wasm_parts as parts;
use xtask::deferred::{self, typescript};

use crate::cmd::{Cmd, heading};
use crate::paths::{self, Paths};
use crate::setup;

/// The file with the types of requests and responses, in the npm package.
pub const TYPES: &str = "src/engine-types.ts";

/// The files that a build puts beside a bundle: the scripts and modules that pages load.
pub const FOR_BUNDLES: &str = "crates/site/client";

/// The pages of the local application, which are in no bundle.
pub const APP: &str = "build/app";

/// Builds the client from TypeScript and the modules in `www/wasm`.
pub fn run(paths: &Paths) -> Result<()> {
    heading("client");
    let node = setup::node(paths)?;
    setup::node_modules(&node, &paths.www)?;
    node.command("npm").args(["run", "--silent", "build"]).dir(&paths.www).run()?;
    copy_for_tool(&paths.www.join("dist"), &paths.root)
}

/// Copies the files that the tool contains into their directories below `root`.
fn copy_for_tool(dist: &Path, root: &Path) -> Result<()> {
    copy(dist, &root.join(FOR_BUNDLES), parts::is_loaded_by_pages)?;
    copy(&dist.join("app"), &root.join(APP), |name| name != ".gitignore")
}

/// Copies the wanted files of a directory. A file that has not changed is left alone, so that cargo
/// does not compile the tool again.
fn copy(dist: &Path, to: &Path, is_wanted: fn(&str) -> bool) -> Result<()> {
    let names = |dir: &Path| -> Result<Vec<String>> {
        let entries = fs::read_dir(dir).with_context(|| dir.display().to_string())?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        Ok(names.filter(|name| is_wanted(name)).collect())
    };
    let new = names(dist)?;
    for name in names(to)?.iter().filter(|name| !new.contains(name)) {
        fs::remove_file(to.join(name))?;
    }
    for name in &new {
        let contents = fs::read(dist.join(name))?;
        if fs::read(to.join(name)).ok().as_ref() != Some(&contents) {
            fs::write(to.join(name), contents)?;
        }
    }
    Ok(())
}

/// Derives the TypeScript types of requests and responses from the engine's.
pub fn write_types(paths: &Paths, to: &Path) -> Result<()> {
    Cmd::new(paths::cargo())
        .args(["run", "--release", "--quiet", "--package", "findling-engine", "--features", "ts"])
        .args(["--example", "types", "--"])
        .arg(to)
        .dir(&paths.root)
        .run()
}

/// Writes the list of requests that need the engine's deferred part, as declared in the engine's
/// source.
pub fn write_deferred_requests(paths: &Paths) -> Result<()> {
    let declaration = deferred::read(&paths.root)?;
    let file = paths.root.join(typescript::FILE);
    fs::write(&file, typescript::write(&declaration)).with_context(|| file.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tool_gets_what_pages_load() {
        let dir = std::env::temp_dir().join(format!("findling-client-{}", std::process::id()));
        let dist = dir.join("dist");
        let [client, pages] = [FOR_BUNDLES, APP].map(|directory| dir.join(directory));
        for made in [&dist.join("types"), &dist.join("app"), &client, &pages] {
            fs::create_dir_all(made).unwrap();
        }
        for name in ["findling.js", "engine.wasm", "findling.d.ts", "findling-edge.js"] {
            fs::write(dist.join(name), name).unwrap();
        }
        for name in ["index.html", "app.js"] {
            fs::write(dist.join("app").join(name), name).unwrap();
        }
        for to in [&client, &pages] {
            fs::write(to.join("old.js"), "old").unwrap();
            fs::write(to.join(".gitignore"), "*").unwrap();
        }
        copy_for_tool(&dist, &dir).unwrap();
        let names = |dir: &Path| {
            let entries = fs::read_dir(dir).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let (copied, app) = (names(&client), names(&pages));
        fs::remove_dir_all(&dir).unwrap();
        assert_eq!(copied, [".gitignore", "engine.wasm", "findling.js"]);
        assert_eq!(app, [".gitignore", "app.js", "index.html"]);
    }
}

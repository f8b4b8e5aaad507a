//! `cargo xtask site`: the project's own documentation, built by VitePress, searched by Findling.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::cmd::{Cmd, heading, note};
use crate::paths::Paths;
use crate::setup::{self, Node};
use crate::{client, demo, wasm};

/// Returns the directory of the site's configuration and of the pages that only the site has.
pub fn directory(paths: &Paths) -> PathBuf {
    paths.root.join("site")
}

/// Builds the site, or serves it while it is written.
pub fn run(paths: &Paths, args: &[String]) -> Result<()> {
    let task = match args {
        [] => "build",
        [flag] if flag == "--dev" => "dev",
        _ => bail!("`{}` is not understood; only `--dev` is", args.join(" ")),
    };
    if !paths.www.join("dist/findling.js").exists() {
        wasm::run(paths, wasm::Which::Engine)?;
        client::run(paths)?;
    }
    wasm::run(paths, wasm::Which::Playground)?;
    demo::build_cli(paths)?;
    let node = setup::node(paths)?;
    setup::node_modules(&node, &directory(paths))?;
    heading("site");
    npm(paths, &node, task).run()?;
    if task == "build" {
        note(format!("built {}", directory(paths).join(".vitepress/dist").display()));
    }
    Ok(())
}

/// Returns a script of the site's package, which indexes the pages with the tool that is built.
fn npm(paths: &Paths, node: &Node, task: &str) -> Cmd {
    node.command("npm")
        .args(["run", "--silent", task])
        .dir(&directory(paths))
        .env("FINDLING_BINARY_PATH", paths.findling())
}

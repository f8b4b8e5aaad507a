//! `cargo xtask client`: the npm package, `www/dist`.

use std::path::Path;

use anyhow::Result;

use crate::cmd::{Cmd, heading};
use crate::paths::{self, Paths};
use crate::setup;

/// Where the types of requests and responses are in the npm package.
pub const TYPES: &str = "src/engine-types.ts";

/// Builds the client from TypeScript and the modules in `www/wasm`.
pub fn run(paths: &Paths) -> Result<()> {
    heading("client");
    let node = setup::node(paths)?;
    setup::node_modules(&node, &paths.www)?;
    node.command("npm").args(["run", "--silent", "build"]).dir(&paths.www).run()
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

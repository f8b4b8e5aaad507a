//! `cargo xtask client`: the npm package, `www/dist`.

use anyhow::Result;

use crate::cmd::heading;
use crate::paths::Paths;
use crate::setup;

/// Builds the client from TypeScript and the modules in `www/wasm`.
pub fn run(paths: &Paths) -> Result<()> {
    heading("client");
    let node = setup::node(paths)?;
    setup::node_modules(&node, &paths.www)?;
    node.command("npm").args(["run", "--silent", "build"]).dir(&paths.www).run()
}

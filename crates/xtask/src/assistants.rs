//! The tests of the server for assistants, by the protocol's official clients.

use std::path::PathBuf;

use anyhow::Result;

use crate::cmd::Cmd;
use crate::paths::Paths;
use crate::setup::{self, Node};

/// Returns the directory of the tests.
fn directory(paths: &Paths) -> PathBuf {
    paths.root.join("tests/mcp")
}

/// Returns the tests of the TypeScript client.
pub fn typescript(paths: &Paths, node: &Node) -> Result<Cmd> {
    let directory = directory(paths);
    setup::node_modules(node, &directory)?;
    let tests = node.command("npm").args(["run", "--silent", "test"]).dir(&directory);
    Ok(tests.env("FINDLING_BIN", paths.findling()))
}

/// Returns the tests of the Python client.
pub fn python(paths: &Paths) -> Result<Cmd> {
    let directory = directory(paths);
    let python = setup::python(paths, "mcp-python", &directory.join("requirements.txt"))?;
    let tests = Cmd::new(python).arg("client_test.py").dir(&directory);
    Ok(tests.env("FINDLING_BIN", paths.findling()))
}

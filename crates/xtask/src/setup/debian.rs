//! Debian and Ubuntu packages.

use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::will_install;
use crate::cmd::{Cmd, as_root, which};

/// Returns whether this machine has apt.
pub fn has_apt() -> bool {
    which("apt-get").is_some() && which("dpkg-query").is_some()
}

/// Returns the version that would be installed.
pub fn candidate(package: &str) -> Option<String> {
    let policy = Cmd::new("apt-cache").args(["policy", package]).env("LC_ALL", "C").read().ok()?;
    let line =
        policy.lines().find_map(|line| line.trim().strip_prefix("Candidate:"))?.trim().to_owned();
    (line != "(none)").then_some(line)
}

/// Returns the direct dependencies of a package.
pub fn depends(package: &str) -> Vec<String> {
    let listed = Cmd::new("apt-cache")
        .args(["depends", package])
        .env("LC_ALL", "C")
        .read()
        .unwrap_or_default();
    listed
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Depends: "))
        .map(str::to_owned)
        .collect()
}

/// Returns the `packages` that are not installed.
pub fn missing<'a>(packages: &[&'a str]) -> Vec<&'a str> {
    let installed = |package: &str| {
        let status =
            Cmd::new("dpkg-query").args(["-W", "-f", "${db:Status-Status}", package]).read();
        status.is_ok_and(|status| status == "installed")
    };
    packages.iter().copied().filter(|package| !installed(package)).collect()
}

/// Updates the lists of packages, which may be empty on a new machine. A failure is ignored,
/// because the existing lists may be good enough.
pub fn update() {
    if let Some(command) = as_root("apt-get") {
        let _ = command.args(["update", "-q"]).limit(Duration::from_secs(180)).run();
    }
}

/// Installs the missing `packages` without removing other packages.
pub fn install(packages: &[&str], why: &str) -> Result<()> {
    let missing = missing(packages);
    if missing.is_empty() {
        return Ok(());
    }
    will_install(&format!("Debian packages {} ({why})", missing.join(" ")));
    let by_hand = format!("apt-get install --no-install-recommends {}", missing.join(" "));
    let command = as_root("apt-get").with_context(|| {
        format!(
            "installing packages needs root and there is no sudo; as root, run `{by_hand}`, then \
             try again"
        )
    })?;
    let outcome = command
        .args(["install", "-y", "-q", "--no-remove", "--no-install-recommends"])
        .args(&missing)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .limit(Duration::from_secs(900))
        .run();
    if let Err(error) = outcome {
        bail!("{error:#}; to see why, run `{by_hand}` as root");
    }
    Ok(())
}

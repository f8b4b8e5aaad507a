//! Python packages for tests, in an environment of their own.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::will_install;
use crate::cmd::{Cmd, which};
use crate::paths::Paths;

/// Returns a Python that has the packages of a file of requirements.
pub fn python(paths: &Paths, name: &str, requirements: &Path) -> Result<PathBuf> {
    if which("python3").is_none() {
        bail!("python3 is not on this machine; install Python 3.10 or newer, then try again");
    }
    let wanted = std::fs::read(requirements).with_context(|| requirements.display().to_string())?;
    let dir = paths.cache.join(name);
    let (program, stamp) = (dir.join("bin/python"), dir.join(".installed-requirements.txt"));
    if std::fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(program);
    }
    will_install(&format!("{} into {}", requirements.display(), dir.display()));
    Cmd::new("python3").args(["-m", "venv"]).arg(&dir).run()?;
    Cmd::new(&program)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
        .arg(requirements)
        .limit(Duration::from_secs(600))
        .run()
        .context("pip could not install the packages")?;
    std::fs::write(&stamp, wanted).with_context(|| stamp.display().to_string())?;
    Ok(program)
}

//! The Debian package.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::{TOOL, offline, search_with};
use crate::cmd::{Cmd, heading, note, which};
use crate::paths::Paths;

/// The files that the package installs, besides the program.
const INSTALLED: [&str; 6] = [
    "usr/share/bash-completion/completions/findling",
    "usr/share/zsh/vendor-completions/_findling",
    "usr/share/fish/vendor_completions.d/findling.fish",
    "usr/share/man/man1/findling-build.1.gz",
    "usr/share/doc/findling/LICENSE-MIT",
    "usr/share/doc/findling/THIRD-PARTY-NOTICES.txt",
];

/// Makes the package of this machine's program, which is in `target/assets`. Returns its file;
/// `None` if it cannot be made.
pub fn pack(paths: &Paths, out: &Path) -> Result<Option<PathBuf>> {
    heading("Debian package");
    if which("cargo-deb").is_none() {
        note("skipped: needs cargo-deb; install it by `cargo install --locked cargo-deb@3.8.0`");
        return Ok(None);
    }
    let made = Cmd::new(crate::paths::cargo())
        .args(["deb", "--no-build", "--no-strip", "--quiet", "--package", TOOL, "--output"])
        .arg(out)
        .dir(&paths.root)
        .read()?;
    let file = made.lines().last().context("cargo-deb names no package")?;
    note(file);
    Ok(Some(PathBuf::from(file)))
}

/// Unpacks the package, like an installation, builds and searches.
pub fn try_package(package: &Path, scratch: &Path) -> Result<()> {
    heading("Debian package, unpacked without the network");
    if which("dpkg-deb").is_none() {
        note("skipped: needs dpkg-deb");
        return Ok(());
    }
    let root = scratch.join("debian-installed");
    offline(Cmd::new("dpkg-deb")).arg("--extract").arg(package).arg(&root).run()?;
    for file in INSTALLED {
        ensure!(root.join(file).is_file(), "the Debian package lacks {file}");
    }
    search_with(|| Cmd::new(root.join("usr/bin").join(TOOL)), scratch, "debian")?;
    note("its `findling` builds a bundle and searches it");
    Ok(())
}

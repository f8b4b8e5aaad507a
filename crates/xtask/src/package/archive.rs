//! The archive of a platform: the program with its completions, manual pages and licences.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::third_party::NOTICES;
use super::{Program, TOOL, copy, search_with};
use crate::cmd::{Cmd, heading, note};
use crate::paths::Paths;

/// Shells with the names of their completions' files.
const SHELLS: [(&str, &str); 4] = [
    ("bash", "findling.bash"),
    ("zsh", "_findling"),
    ("fish", "findling.fish"),
    ("powershell", "findling.ps1"),
];

/// Writes a program that runs on this machine to `target/assets`, with its completions and manual
/// pages. The Debian package takes them from there.
pub fn write_assets(paths: &Paths, program: &Program) -> Result<()> {
    let assets = paths.target.join("assets");
    copy(&program.notices, &assets.join(NOTICES))?;
    let program = &program.file;
    copy(program, &assets.join(TOOL))?;
    let completions = assets.join("completions");
    fs::create_dir_all(&completions).with_context(|| completions.display().to_string())?;
    for (shell, name) in SHELLS {
        let script = Cmd::new(program).args(["completions", shell]).read()?;
        ensure!(script.contains(TOOL), "the completions of {shell} do not name the program");
        fs::write(completions.join(name), script + "\n")?;
    }
    let man = assets.join("man");
    Cmd::new(program).args(["--quiet", "man"]).arg(&man).run()?;
    ensure!(man.join("findling-build.1").is_file(), "there is no manual page of findling build");
    Ok(())
}

/// Packs the archive. Returns its file.
pub fn pack(paths: &Paths, program: &Program, scratch: &Path, out: &Path) -> Result<PathBuf> {
    heading("archive");
    let name = format!("findling-{}-{}", super::version(paths)?, program.platform.target);
    let stage = scratch.join("archive").join(&name);
    copy(&program.file, &stage.join(program.platform.program()))?;
    for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md"] {
        copy(&paths.root.join(file), &stage.join(file))?;
    }
    copy(&program.notices, &stage.join(NOTICES))?;
    let assets = paths.target.join("assets");
    for directory in ["completions", "man"] {
        copy(&assets.join(directory), &stage.join(directory))?;
    }
    let file = out.join(format!("{name}.tar.gz"));
    let packed = Cmd::new("tar").arg("-czf").arg(&file).arg("-C").arg(scratch.join("archive"));
    packed.arg(&name).run()?;
    note(format!("{name}.tar.gz: {} kB", fs::metadata(&file)?.len() / 1000));
    Ok(file)
}

/// Unpacks the archive, builds and searches.
pub fn try_archive(archive: &Path, scratch: &Path) -> Result<()> {
    heading("archive, unpacked without the network");
    let root = scratch.join("archive-unpacked");
    fs::create_dir(&root)?;
    Cmd::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&root).run()?;
    let unpacked = fs::read_dir(&root)?.next().context("the archive is empty")??.path();
    ensure!(unpacked.join(NOTICES).is_file(), "the archive lacks {NOTICES}");
    search_with(|| Cmd::new(unpacked.join(TOOL)), scratch, "archive-bundle")
}

//! The wheel for PyPI: the module `findling` with the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::{Program, copy, offline, search_with};
use crate::cmd::{Cmd, heading, note, which};
use crate::paths::Paths;

/// The package that builds wheels, with its version.
const BACKEND: &str = "hatchling==1.33.0";

/// Makes the wheel. Returns its file.
pub fn pack(paths: &Paths, program: &Program, scratch: &Path, out: &Path) -> Result<PathBuf> {
    heading("wheel");
    let python = backend(paths)?;
    // The file of the program becomes the command's name.
    let file = scratch.join("wheel").join(program.platform.program());
    copy(&program.file, &file)?;
    let tag = program.platform.wheel(&fs::read(&file)?);
    let dist = scratch.join("wheel/dist");
    Cmd::new(python)
        .args(["-m", "hatchling", "build", "--target", "wheel", "--directory"])
        .arg(&dist)
        .env("FINDLING_WHEEL_BINARY", &file)
        .env("FINDLING_WHEEL_PLATFORM", &tag)
        .env("FINDLING_WHEEL_NOTICES", &program.notices)
        .dir(&paths.root.join("python"))
        .run()?;
    let made = fs::read_dir(&dist)?.next().context("hatchling made no wheel")??;
    let wheel = out.join(made.file_name());
    copy(&made.path(), &wheel)?;
    note(format!(
        "{}: {} kB",
        made.file_name().to_string_lossy(),
        fs::metadata(&wheel)?.len() / 1000
    ));
    Ok(wheel)
}

/// Installs the wheel into an environment of its own without the network, builds and searches: by
/// the command, the module, and the functions.
pub fn try_wheel(wheel: &Path, scratch: &Path) -> Result<()> {
    heading("wheel, installed without the network");
    let environment = scratch.join("python-installed");
    let python = venv(&environment)?;
    let install = Cmd::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check"])
        .arg(wheel);
    offline(install).dir(scratch).run()?;
    search_with(|| Cmd::new(script(&environment, "findling")), scratch, "python-command")?;
    search_with(|| Cmd::new(&python).args(["-m", "findling"]), scratch, "python-module")?;
    let code = "import findling\n\
                report = findling.build('site', 'python-api', encoder='hash')\n\
                assert report['pages'] == 1, report\n\
                index = findling.open('python-api')\n\
                found = index.search('fired kiln', limit=1, explain=True)\n\
                assert found['results'][0]['sections'][0]['explain'], found\n\
                try:\n    index.search('kiln', filter='no-such-attribute=1')\n\
                except findling.FindlingError as error:\n    print(type(error).__name__)\n\
                print(found['results'][0]['title'])\n";
    let printed = offline(Cmd::new(&python)).args(["-c", code]).dir(scratch).read()?;
    ensure!(printed == "FindlingError\nKilns", "expected the page Kilns, found {printed:?}");
    note("`findling`, `python -m findling` and the module build a bundle and search it");
    Ok(())
}

/// Returns a Python that builds wheels, in the cache directory.
fn backend(paths: &Paths) -> Result<PathBuf> {
    let dir = paths.cache.join(format!("wheel-{BACKEND}"));
    let python = script(&dir, "python");
    if Cmd::new(&python).args(["-c", "import hatchling"]).read().is_ok() {
        return Ok(python);
    }
    note(format!("will install: {BACKEND} from PyPI, into {}", dir.display()));
    let python = venv(&dir)?;
    Cmd::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", BACKEND])
        .limit(Duration::from_secs(300))
        .run()?;
    Ok(python)
}

/// Makes an environment. Returns its Python.
pub fn venv(dir: &Path) -> Result<PathBuf> {
    let python = ["python3", "python"].into_iter().find_map(which);
    let python = python.context("wheels need Python 3.9 or newer; install it, then try again")?;
    Cmd::new(python).args(["-m", "venv"]).arg(dir).run()?;
    Ok(script(dir, "python"))
}

/// Returns a program of an environment.
pub fn script(environment: &Path, name: &str) -> PathBuf {
    let dir = if cfg!(windows) { "Scripts" } else { "bin" };
    environment.join(dir).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

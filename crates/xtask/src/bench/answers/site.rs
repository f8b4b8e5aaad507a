//! Sources of the files of a site: `sites.json` beside the questions names their packages.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::cmd::{Cmd, note};
use crate::demo;
use crate::paths::Paths;

/// A site to build.
pub struct Site {
    pub directory: PathBuf,
    /// Options of `findling build`.
    pub build_options: &'static [&'static str],
}

impl Site {
    /// Returns a directory that is built without options.
    pub fn at(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), build_options: &[] }
    }
}

/// Returns the site called `name`; its package is fetched if it is missing. `questions` is the
/// directory with `sites.json`.
pub fn find(paths: &Paths, questions: &Path, name: &str) -> Result<Site> {
    let file = questions.join("sites.json");
    let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let value: Value = serde_json::from_str(&text).with_context(|| file.display().to_string())?;
    let sites = value["sites"].as_array().into_iter().flatten();
    let site = sites
        .into_iter()
        .find(|site| site["name"] == name)
        .with_context(|| format!("{}: there is no site `{name}`", file.display()))?;
    let field = |key: &str| {
        let text = site[key].as_str();
        text.with_context(|| format!("{}: `{name}` has no text `{key}`", file.display()))
    };
    let kind = field("package_kind")?;
    if kind == "rustup component" {
        // The site of the demo: the books, without pages that contain a whole book.
        let documents = demo::documents(paths)?;
        let [directory] = documents.as_slice() else {
            bail!("the component rust-docs of rustup is not installed");
        };
        return Ok(Site {
            directory: directory.clone(),
            build_options: &["--attribute-from-path", "book"],
        });
    }
    let unpacked = paths.cache.join("answers").join(name);
    let root = unpacked.join(field("root")?.trim_start_matches('/'));
    if !root.is_dir() {
        let (package, version) = (field("package")?, field("version")?);
        note(format!("{name}: fetching {kind} {package} {version}"));
        fetch(kind, package, version, &unpacked)?;
    }
    ensure!(root.is_dir(), "{}: expected the files of the site here", root.display());
    Ok(Site::at(&root))
}

/// Fetches a package by its registry's own program and unpacks it.
fn fetch(kind: &str, package: &str, version: &str, into: &Path) -> Result<()> {
    let _ = fs::remove_dir_all(into);
    let packed = into.join("packed");
    fs::create_dir_all(&packed).with_context(|| packed.display().to_string())?;
    match kind {
        "debian" => {
            Cmd::new("apt-get").args(["download", package]).dir(&packed).run()?;
            Cmd::new("dpkg-deb").arg("-x").arg(only_file(&packed)?).arg(into).run()
        }
        "npm" => {
            let spec = format!("{package}@{version}");
            Cmd::new("npm").args(["pack", "--silent", &spec]).dir(&packed).run()?;
            Cmd::new("tar").arg("-xzf").arg(only_file(&packed)?).arg("-C").arg(into).run()
        }
        other => bail!("expected a package of the kind debian or npm, found `{other}`"),
    }
}

/// Returns the one file of a directory.
fn only_file(directory: &Path) -> Result<PathBuf> {
    let files: Vec<PathBuf> =
        fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    match <[PathBuf; 1]>::try_from(files) {
        Ok([file]) => Ok(file),
        Err(files) => bail!("{}: expected one file, found {}", directory.display(), files.len()),
    }
}

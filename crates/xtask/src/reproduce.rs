//! `cargo xtask reproduce`: shows that a package is the same program regardless of where it is
//! built.
//!
//! The files that git has are copied into two directories with names of different lengths. In each,
//! the package is built from scratch with the flags of releases, and the results are compared byte
//! for byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::client;
use crate::cmd::{Cmd, heading, note};
use crate::paths::{self, Paths};

/// Directories of the copies, below `target/reproduce`.
const PLACES: [&str; 2] = ["a", "another/place/with-a-longer-name"];

/// Options of the command.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    /// The package.
    pub package: String,
    /// Arguments of `cargo build`, such as `--no-default-features`.
    pub arguments: Vec<String>,
}

/// Returns the flags of the compiler that keep the paths of this machine out of its output.
/// `.github/workflows/release.yml` sets the same.
fn flags(source: &Path, cargo_home: &Path) -> String {
    let renamed = [(source, "/findling"), (cargo_home, "/cargo")];
    let flag = |(from, to): &(&Path, &str)| format!("--remap-path-prefix={}={to}", from.display());
    // Cargo divides them here.
    renamed.iter().map(flag).collect::<Vec<_>>().join("\u{1f}")
}

/// Builds the package twice and compares.
///
/// # Errors
/// If a build fails, or the two differ.
pub fn run(paths: &Paths, options: &Options) -> Result<()> {
    let root = paths.target.join("reproduce");
    if root.exists() {
        fs::remove_dir_all(&root).with_context(|| root.display().to_string())?;
    }
    let mut made = Vec::new();
    for place in PLACES {
        let source = root.join(place);
        heading(&format!("{} in {}", options.package, source.display()));
        copy_tracked(paths, &source)?;
        made.push(build(&source, options)?);
    }
    let [first, second] = &made[..] else { bail!("expected two builds, found {}", made.len()) };
    compare(first, second)?;
    for (name, bytes) in first {
        note(format!("{name}: {} bytes, the same in both places", bytes.len()));
    }
    fs::remove_dir_all(&root).with_context(|| root.display().to_string())
}

/// Copies the files that git has, and the files of the client that the tool contains.
fn copy_tracked(paths: &Paths, to: &Path) -> Result<()> {
    let names = Cmd::new("git").args(["ls-files", "-z"]).dir(&paths.root).read()?;
    let mut files: Vec<PathBuf> =
        names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect();
    for directory in [client::FOR_BUNDLES, client::APP] {
        let directory = paths.root.join(directory);
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let own = entries.filter(|entry| entry.path().is_file());
        files.extend(own.filter_map(|e| Some(e.path().strip_prefix(&paths.root).ok()?.to_owned())));
    }
    for file in files {
        let (from, to) = (paths.root.join(&file), to.join(&file));
        // A file that is deleted but still tracked by git.
        if !from.is_file() {
            continue;
        }
        fs::create_dir_all(to.parent().context("a directory")?)?;
        fs::copy(&from, &to).with_context(|| from.display().to_string())?;
    }
    Ok(())
}

/// The files of a build: their bytes by name.
type Made = BTreeMap<String, Vec<u8>>;

fn build(source: &Path, options: &Options) -> Result<Made> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let home = home.context("expected cargo's directory, found no home: set CARGO_HOME")?;
    let messages = Cmd::new(paths::cargo())
        .args(["build", "--release", "--locked", "--message-format", "json", "--package"])
        .arg(&options.package)
        .args(&options.arguments)
        .arg("--target-dir")
        .arg(source.join("target"))
        .env("CARGO_ENCODED_RUSTFLAGS", flags(source, &home))
        .env("SOURCE_DATE_EPOCH", "0")
        .dir(source)
        .read()?;
    let mut made = Made::new();
    for line in messages.lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
        let is_own = message["manifest_path"]
            .as_str()
            .is_some_and(|path| Path::new(path).starts_with(source));
        if message["reason"] != "compiler-artifact" || !is_own {
            continue;
        }
        for file in message["filenames"].as_array().into_iter().flatten() {
            let path = Path::new(file.as_str().context("a file")?);
            let is_compared = path.extension().is_none_or(|ending| ending != "rmeta")
                && !path.components().any(|part| part.as_os_str() == "build");
            if is_compared {
                let name = path.file_name().context("a name")?.to_string_lossy().into_owned();
                made.insert(name, fs::read(path).with_context(|| path.display().to_string())?);
            }
        }
    }
    ensure!(!made.is_empty(), "expected files of {}, found none", options.package);
    Ok(made)
}

fn compare(first: &Made, second: &Made) -> Result<()> {
    ensure!(
        first.keys().eq(second.keys()),
        "expected the same files, found {:?} and {:?}",
        first.keys(),
        second.keys()
    );
    for (name, bytes) in first {
        let other = &second[name];
        let at = bytes.iter().zip(other).position(|(a, b)| a != b);
        ensure!(
            bytes == other,
            "{name}: expected the same bytes in both places, found {} and {} bytes that differ \
             first at {}: look there for a path, a date or an order that is not fixed",
            bytes.len(),
            other.len(),
            at.unwrap_or_else(|| bytes.len().min(other.len()))
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_found() {
        let made = |bytes: &[u8]| Made::from([("a".to_owned(), bytes.to_vec())]);
        assert!(compare(&made(b"same"), &made(b"same")).is_ok());
        assert!(compare(&made(b"same"), &made(b"sane")).is_err());
        assert!(compare(&made(b"same"), &made(b"sam")).is_err());
        assert!(compare(&made(b"same"), &Made::new()).is_err());
    }
}

//! The places where package managers keep packages on this machine.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The directories of packages that projects share, and the environments of one project.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The homes of Cargo, with `registry/src` and `git/checkouts` in them.
    pub cargo_homes: Vec<PathBuf>,
    /// The module caches of Go: `GOMODCACHE`.
    pub module_caches: Vec<PathBuf>,
    /// Environments of Python, or their `site-packages`. They are searched before those beside a
    /// lock file (`.venv`, `venv`, `env`).
    pub environments: Vec<PathBuf>,
    /// Directories of environments that tools of Python keep for all projects. A package in one of
    /// them counts if it has exactly the version of the lock file.
    pub shared_environments: Vec<PathBuf>,
}

impl Places {
    /// Returns the places of this user, by the environment and by the tools' defaults.
    pub fn of_user() -> Self {
        let home = env::home_dir();
        let of =
            |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let below = |path: &str| home.as_ref().map(|home| home.join(path));
        let cache = of("XDG_CACHE_HOME").or_else(|| below(".cache"));
        let cached = |path: &str| cache.as_ref().map(|cache| cache.join(path));
        let go_path = of("GOPATH").map(|path| path.join("pkg/mod"));
        let poetry = of("POETRY_CACHE_DIR").or_else(|| cached("pypoetry"));
        let uv = of("UV_CACHE_DIR").or_else(|| cached("uv"));
        Self {
            cargo_homes: of("CARGO_HOME").or_else(|| below(".cargo")).into_iter().collect(),
            module_caches: of("GOMODCACHE")
                .or(go_path)
                .or_else(|| below("go/pkg/mod"))
                .into_iter()
                .collect(),
            environments: of("VIRTUAL_ENV").into_iter().collect(),
            shared_environments: [
                poetry.map(|path| path.join("virtualenvs")),
                uv.map(|path| path.join("archive-v0")),
            ]
            .into_iter()
            .flatten()
            .collect(),
        }
    }
}

/// Returns the directories in a directory, in the order of their names. Links are left out: they
/// may lead anywhere.
pub(crate) fn directories(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let is_directory = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let mut found: Vec<PathBuf> =
        entries.filter(is_directory).take(MAX_ENTRIES).map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// Returns whether a path is a directory and no link.
pub(crate) fn is_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|data| data.is_dir())
}

/// Most directories in a directory that are looked at.
const MAX_ENTRIES: usize = 100_000;

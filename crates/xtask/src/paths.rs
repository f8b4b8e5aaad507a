//! Directories and programs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::cmd::Cmd;

/// The profile of the tool for a first look, which compiles fast (Cargo.toml).
pub const FIRST_LOOK: &str = "first-look";

/// The repository's directories.
pub struct Paths {
    /// The workspace's root.
    pub root: PathBuf,
    /// Cargo's target directory, as the user's settings define it.
    pub target: PathBuf,
    /// The npm package.
    pub www: PathBuf,
    /// The end-to-end tests, an npm package too.
    pub e2e: PathBuf,
    /// The cache directory, which `cargo clean` does not delete.
    pub cache: PathBuf,
}

impl Paths {
    pub fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .nth(2)
            .context("no workspace")?
            .to_owned();
        let json = Cmd::new(cargo())
            .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
            .dir(&root)
            .read()?;
        let metadata: serde_json::Value = serde_json::from_str(&json)?;
        let target = metadata["target_directory"]
            .as_str()
            .context("cargo metadata names no target directory")?;
        let cache = std::env::var_os("XDG_CACHE_HOME").filter(|v| !v.is_empty()).map(PathBuf::from);
        let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
        let cache =
            cache.or_else(home).context("neither XDG_CACHE_HOME nor HOME is set")?.join("findling");
        Ok(Self {
            www: root.join("www"),
            e2e: root.join("tests/e2e"),
            target: PathBuf::from(target),
            cache,
            root,
        })
    }

    /// Returns the command-line tool, once built.
    pub fn findling(&self) -> PathBuf {
        self.program("release")
    }

    /// Returns the command-line tool of a first look, once built.
    pub fn first_look(&self) -> PathBuf {
        self.program(FIRST_LOOK)
    }

    fn program(&self, profile: &str) -> PathBuf {
        self.target.join(profile).join(format!("findling{}", std::env::consts::EXE_SUFFIX))
    }
}

/// Returns the cargo that runs this program.
pub fn cargo() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from)
}

/// Returns the compiler that cargo uses here.
pub fn rustc() -> PathBuf {
    std::env::var_os("RUSTC").map_or_else(|| "rustc".into(), PathBuf::from)
}

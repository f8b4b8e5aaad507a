//! A package of a lock file: its registry, its name and its version.

use std::fmt;

/// Longest name or version that is accepted, in bytes.
const MAX_BYTES: usize = 256;

/// A registry of packages, and the tools that use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ecosystem {
    /// Rust: crates.
    Cargo,
    /// JavaScript and TypeScript: packages of npm, pnpm and Yarn.
    Npm,
    /// Python: distributions.
    Pypi,
    /// Go: modules.
    Go,
}

impl Ecosystem {
    /// Returns the value of the attribute `ecosystem`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cargo => "cargo",
            Self::Npm => "npm",
            Self::Pypi => "pypi",
            Self::Go => "go",
        }
    }
}

impl fmt::Display for Ecosystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A package of a lock file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Package {
    /// The registry.
    pub ecosystem: Ecosystem,
    /// The name, as the lock file has it.
    pub name: String,
    /// The version; empty if the lock file pins none, as `requests>=2` in `requirements.txt`.
    pub version: String,
    /// Whether the project works without it, for example on another platform.
    pub is_optional: bool,
    /// The commit, of a package from a git repository.
    pub commit: Option<String>,
}

impl Package {
    /// Returns a package with a version; `None` if the name or the version could lead out of a
    /// directory of packages.
    pub fn new(ecosystem: Ecosystem, name: &str, version: &str) -> Option<Self> {
        let is_name = match ecosystem {
            Ecosystem::Go => name.split('/').all(is_component),
            Ecosystem::Npm => match name.strip_prefix('@').map(|name| name.split_once('/')) {
                Some(Some((scope, name))) => is_component(scope) && is_component(name),
                Some(None) => false,
                None => is_component(name),
            },
            Ecosystem::Cargo | Ecosystem::Pypi => is_component(name),
        };
        (is_name && name.len() <= MAX_BYTES && (version.is_empty() || is_component(version))).then(
            || Self {
                ecosystem,
                name: name.to_owned(),
                version: version.to_owned(),
                is_optional: false,
                commit: None,
            },
        )
    }

    /// Returns the name and the version, as people write them: `serde@1.0.219`.
    pub fn label(&self) -> String {
        match self.version.as_str() {
            "" => self.name.clone(),
            version => format!("{}@{version}", self.name),
        }
    }
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label())
    }
}

/// Returns whether a text is one name in a path on every system.
fn is_component(text: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.+~!".contains(c);
    !text.is_empty()
        && text.len() <= MAX_BYTES
        && text.chars().all(is_plain)
        && !text.starts_with('.')
        && !text.ends_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_no_packages() {
        for (ecosystem, name) in [
            (Ecosystem::Cargo, "serde"),
            (Ecosystem::Npm, "@types/node"),
            (Ecosystem::Npm, "lodash.merge"),
            (Ecosystem::Pypi, "ruamel.yaml"),
            (Ecosystem::Go, "github.com/BurntSushi/toml"),
        ] {
            assert!(Package::new(ecosystem, name, "1.0.0+build").is_some(), "{name}");
        }
        for name in
            ["", "..", ".", "../../etc", "/etc", "a/../b", "a\\b", "c:", "a\0", ".git", "a/b"]
        {
            for ecosystem in [Ecosystem::Cargo, Ecosystem::Npm, Ecosystem::Pypi] {
                assert_eq!(Package::new(ecosystem, name, "1"), None, "{name}");
            }
        }
        for name in ["github.com/../etc", "/etc", "a//b", "a/.git"] {
            assert_eq!(Package::new(Ecosystem::Go, name, "v1.0.0"), None, "{name}");
        }
        assert_eq!(Package::new(Ecosystem::Npm, "@../etc", "1"), None);
        assert_eq!(Package::new(Ecosystem::Cargo, "a", "../1"), None);
        assert_eq!(Package::new(Ecosystem::Cargo, &"a".repeat(300), "1"), None);
    }
}

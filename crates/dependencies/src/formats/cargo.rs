//! `Cargo.lock`.

use serde::Deserialize;

use super::{Content, listed};
use crate::package::{Ecosystem, Package};

#[derive(Deserialize)]
struct Entry {
    name: String,
    version: String,
    source: Option<String>,
}

/// Parses a `Cargo.lock` of any version.
pub(crate) fn parse(text: &str) -> Result<Content, String> {
    let mut content = Content::default();
    for entry in listed::<Entry>(text)? {
        // Without a source it is a package of the project.
        let Some(source) = entry.source else { continue };
        let package = Package::new(Ecosystem::Cargo, &entry.name, &entry.version);
        let commit = source.strip_prefix("git+").and_then(|source| source.rsplit_once('#'));
        let commit = commit.map(|(_, commit)| commit.to_owned());
        content.push(package.map(|package| Package { commit, ..package }), &entry.name);
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_of_registries_and_repositories_are_packages() {
        let text = r#"
            version = 4
            [[package]]
            name = "own"
            version = "0.1.0"
            dependencies = ["adler2"]
            [[package]]
            name = "adler2"
            version = "2.0.1"
            source = "registry+https://github.com/rust-lang/crates.io-index"
            checksum = "320119579fcad9c21884f5c4861d16174d0e06250625266f50fe6898340abefa"
            [[package]]
            name = "../../etc"
            version = "1.0.0"
            source = "registry+https://github.com/rust-lang/crates.io-index"
            [[package]]
            name = "patched"
            version = "1.0.0-alpha.1"
            source = "git+https://example.org/patched?branch=a#0123456789abcdef0123456789abcdef"
        "#;
        let content = parse(text).unwrap();
        let labels: Vec<String> = content.packages.iter().map(Package::label).collect();
        assert_eq!(labels, ["adler2@2.0.1", "patched@1.0.0-alpha.1"]);
        assert_eq!(content.refused, ["../../etc"]);
        assert!(content.packages[1].commit.as_deref().unwrap().starts_with("01234567"));
        assert!(parse("[[package]]\nname = 1").is_err());
        assert!(parse("{").is_err());
    }
}

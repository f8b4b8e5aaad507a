//! `go.sum`, and the versions of the `go.mod` beside it.

use std::collections::BTreeMap;

use super::Content;
use crate::package::{Ecosystem, Package};

/// Parses a `go.sum`. It lists all versions that were ever needed; those of the build are in
/// `go_mod`, the file beside it. A module that is not in there counts with its last version.
pub(crate) fn parse(text: &str, go_mod: Option<&str>) -> Result<Content, String> {
    let mut content = Content::default();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let mut words = line.split_whitespace();
        let (Some(module), Some(version), Some(_)) = (words.next(), words.next(), words.next())
        else {
            return Err(format!("line {}: not a module, a version and a hash", number + 1));
        };
        // Only the description of such a version was needed.
        if !version.ends_with("/go.mod") {
            versions.entry(module).or_default().push(version);
        }
    }
    let required = go_mod.map(required).unwrap_or_default();
    for (module, mut known) in versions {
        known.sort_by_key(|version| order(version));
        let wanted = required.get(module).copied().filter(|version| known.contains(version));
        let Some(version) = wanted.or(known.last().copied()) else { continue };
        content.push(Package::new(Ecosystem::Go, module, version), module);
    }
    Ok(content)
}

/// Returns the versions that a `go.mod` requires.
fn required(text: &str) -> BTreeMap<&str, &str> {
    let mut versions = BTreeMap::new();
    let mut is_inside = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or(line).trim();
        let mut words = line.split_whitespace();
        match line {
            ")" => is_inside = false,
            _ if line.starts_with("require") => {
                words.next();
                is_inside = line.ends_with('(');
            }
            _ if !is_inside => continue,
            _ => {}
        }
        if let (Some(module), Some(version)) = (words.next(), words.next()) {
            versions.insert(module, version);
        }
    }
    versions
}

/// Returns the parts of a version in their order; a release follows its own previews.
fn order(version: &str) -> (Vec<u64>, bool, String) {
    let version = version.trim_start_matches('v').split('+').next().unwrap_or_default();
    let (numbers, preview) = version.split_once('-').unwrap_or((version, ""));
    let numbers = numbers.split('.').map(|number| number.parse().unwrap_or(0)).collect();
    (numbers, preview.is_empty(), preview.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUM: &str = "\
        github.com/BurntSushi/toml v0.3.1 h1:W=\n\
        github.com/BurntSushi/toml v0.3.1/go.mod h1:x=\n\
        golang.org/x/text v0.3.0/go.mod h1:x=\n\
        golang.org/x/text v0.9.0 h1:x=\n\
        golang.org/x/text v0.14.0 h1:x=\n\
        golang.org/x/sys v0.1.0 h1:x=\n\
        golang.org/x/sys v0.20.0 h1:x=\n\
        only/described v1.0.0/go.mod h1:x=\n";

    fn labels(go_mod: Option<&str>) -> Vec<String> {
        parse(SUM, go_mod).unwrap().packages.iter().map(Package::label).collect()
    }

    #[test]
    fn versions_are_those_that_the_build_uses() {
        let last = [
            "github.com/BurntSushi/toml@v0.3.1",
            "golang.org/x/sys@v0.20.0",
            "golang.org/x/text@v0.14.0",
        ];
        assert_eq!(labels(None), last);
        let go_mod = "module own\n\nrequire github.com/BurntSushi/toml v0.3.1\n\nrequire (\n\t\
                      golang.org/x/text v0.9.0 // indirect\n)\n";
        assert_eq!(labels(Some(go_mod))[2], "golang.org/x/text@v0.9.0");
        assert!(parse("one two\n", None).is_err());
        assert_eq!(parse("../../etc v1.0.0 h1:x=\n", None).unwrap().refused, ["../../etc"]);
    }
}

//! `package-lock.json` and `npm-shrinkwrap.json`, of versions 1 to 3.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Content;
use crate::package::{Ecosystem, Package};

/// Deepest nesting of dependencies in version 1 that is followed.
const MAX_DEPTH: usize = 64;

#[derive(Deserialize)]
struct File {
    packages: Option<BTreeMap<String, Entry>>,
    dependencies: Option<BTreeMap<String, Nested>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Entry {
    /// The name, if the directory is called otherwise: `npm install a@npm:b`.
    name: Option<String>,
    version: Option<String>,
    link: bool,
    optional: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Nested {
    version: Option<String>,
    optional: bool,
    dependencies: BTreeMap<String, Nested>,
}

/// Parses a lock file of npm.
pub(crate) fn parse(text: &str) -> Result<Content, String> {
    let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut content = Content::default();
    match (file.packages, file.dependencies) {
        (Some(packages), _) => {
            for (path, entry) in packages {
                // Other paths are directories of the project.
                let Some((_, name)) = path.rsplit_once("node_modules/") else { continue };
                let Some(version) = entry.version.filter(|_| !entry.link) else { continue };
                let name = entry.name.as_deref().unwrap_or(name);
                add(name, &version, entry.optional, &mut content);
            }
        }
        (None, Some(dependencies)) => add_all(dependencies, 0, &mut content),
        (None, None) => {
            return Err("neither `packages` nor `dependencies` in it".to_owned());
        }
    }
    Ok(content)
}

fn add(name: &str, version: &str, is_optional: bool, content: &mut Content) {
    // `npm:b@1.0.0` names another package; an address of git or of an archive is no version.
    let alias = version.strip_prefix("npm:").and_then(|package| package.rsplit_once('@'));
    let (name, version) = alias.unwrap_or((name, version));
    let package = Package::new(Ecosystem::Npm, name, version);
    content.push(package.map(|package| Package { is_optional, ..package }), name);
}

fn add_all(dependencies: BTreeMap<String, Nested>, depth: usize, content: &mut Content) {
    for (name, nested) in dependencies {
        if let Some(version) = nested.version {
            add(&name, &version, nested.optional, content);
        }
        if depth < MAX_DEPTH {
            add_all(nested.dependencies, depth + 1, content);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Vec<String> {
        parse(text).unwrap().packages.iter().map(Package::label).collect()
    }

    #[test]
    fn packages_of_all_versions_of_the_format_are_found() {
        let newest = r#"{"lockfileVersion": 3, "packages": {
            "": {"name": "own", "version": "1.0.0"},
            "packages/part": {"version": "1.0.0"},
            "node_modules/part": {"resolved": "packages/part", "link": true},
            "node_modules/@types/node": {"version": "22.20.5", "dev": true},
            "node_modules/a/node_modules/b": {"version": "2.0.0"},
            "node_modules/esbuild-linux": {"version": "1.0.0", "optional": true},
            "node_modules/renamed": {"name": "real", "version": "3.0.0"}}}"#;
        let expected = ["@types/node@22.20.5", "b@2.0.0", "esbuild-linux@1.0.0", "real@3.0.0"];
        assert_eq!(labels(newest), expected);
        assert!(parse(newest).unwrap().packages[2].is_optional);
        let oldest = r#"{"lockfileVersion": 1, "dependencies": {
            "a": {"version": "1.0.0", "dependencies": {"b": {"version": "2.0.0"}}},
            "c": {"version": "npm:d@4.0.0"}}}"#;
        assert_eq!(labels(oldest), ["a@1.0.0", "b@2.0.0", "d@4.0.0"]);
    }

    #[test]
    fn paths_and_addresses_are_no_packages() {
        let text = r#"{"packages": {
            "node_modules/../../etc": {"version": "1.0.0"},
            "node_modules/ok": {"version": "git+ssh://git@example.org/a.git#0123"}}}"#;
        let content = parse(text).unwrap();
        assert_eq!((content.packages.len(), content.refused.len()), (0, 2));
        assert!(parse("{}").is_err());
        assert!(parse("[").is_err());
    }
}

//! `pnpm-lock.yaml`, of versions 5 to 9.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Content, first_line};
use crate::package::{Ecosystem, Package};

#[derive(Deserialize)]
struct File {
    #[serde(rename = "lockfileVersion")]
    version: serde_json::Value,
    #[serde(default)]
    packages: BTreeMap<String, Entry>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Entry {
    name: Option<String>,
    version: Option<String>,
    optional: bool,
}

/// Parses a lock file of pnpm.
pub(crate) fn parse(text: &str) -> Result<Content, String> {
    let file: File =
        serde_saphyr::from_str(text).map_err(|error| first_line(&error.to_string()))?;
    let is_old = match &file.version {
        serde_json::Value::Number(version) => version.as_f64().is_some_and(|at| at < 6.0),
        version => version.as_str().is_some_and(|version| version.starts_with('5')),
    };
    let mut content = Content::default();
    for (key, entry) in file.packages {
        let parts = match (&entry.name, &entry.version) {
            // An archive or a repository, with the name and version of its package.json.
            (Some(name), Some(version)) => Some((name.clone(), version.clone())),
            _ => split(&key, is_old),
        };
        let package = parts.and_then(|(name, version)| {
            let package = Package::new(Ecosystem::Npm, &name, &version)?;
            Some(Package { is_optional: entry.optional, ..package })
        });
        content.push(package, &key);
    }
    Ok(content)
}

/// Returns the name and version in a key: `/a/1.0.0`, `/@b/a@1.0.0(peer@2)` or `a@1.0.0`.
fn split(key: &str, is_old: bool) -> Option<(String, String)> {
    let key = key.strip_prefix('/').unwrap_or(key);
    let key = key.split('(').next().unwrap_or(key);
    let (name, version) = match is_old {
        true => {
            let (name, version) = key.rsplit_once('/')?;
            // The versions of its peers follow.
            (name, version.split('_').next().unwrap_or(version))
        }
        false => key.rsplit_once('@').filter(|(name, _)| !name.is_empty())?,
    };
    Some((name.to_owned(), version.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Vec<String> {
        parse(text).unwrap().packages.iter().map(Package::label).collect()
    }

    #[test]
    fn packages_of_all_versions_of_the_format_are_found() {
        let nine = "lockfileVersion: '9.0'\n\nsettings:\n  autoInstallPeers: true\n\n\
                    importers:\n\n  .:\n    dependencies:\n      express:\n        specifier: ^4\n\
                    \x20       version: 4.19.2\n\npackages:\n\n  '@types/node@20.1.0':\n\
                    \x20   resolution: {integrity: sha512-x}\n    engines: {node: '>= 8'}\n\n\
                    \x20 fsevents@2.3.3:\n    resolution: {integrity: sha512-y}\n    os: [darwin]\n\
                    \nsnapshots:\n\n  '@types/node@20.1.0': {}\n\n  fsevents@2.3.3:\n\
                    \x20   optional: true\n";
        assert_eq!(labels(nine), ["@types/node@20.1.0", "fsevents@2.3.3"]);
        let six = "lockfileVersion: '6.0'\npackages:\n  /@b/a@1.0.0(peer@2.0.0):\n    dev: true\n";
        assert_eq!(labels(six), ["@b/a@1.0.0"]);
        let five = "lockfileVersion: 5.4\npackages:\n  /@b/a/1.0.0_peer@2.0.0:\n    dev: true\n";
        assert_eq!(labels(five), ["@b/a@1.0.0"]);
        assert!(labels("lockfileVersion: '9.0'\n").is_empty());
    }

    #[test]
    fn paths_are_no_packages_and_other_files_are_refused() {
        let text = "lockfileVersion: '9.0'\npackages:\n  ../../etc@1.0.0: {}\n  file:../x: {}\n";
        let content = parse(text).unwrap();
        assert_eq!((content.packages.len(), content.refused.len()), (0, 2));
        assert!(parse("packages: {}\n").is_err());
        assert!(parse("- a\n- b\n").is_err());
    }
}

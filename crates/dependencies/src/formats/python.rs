//! `poetry.lock` and `uv.lock`: TOML with a list of packages.

use serde::Deserialize;

use super::{Content, listed};
use crate::package::{Ecosystem, Package};

#[derive(Deserialize)]
struct Entry {
    name: String,
    version: Option<String>,
    #[serde(default)]
    optional: bool,
    source: Option<toml::Table>,
}

/// Parses a lock file of Poetry or of uv.
pub(crate) fn parse(text: &str) -> Result<Content, String> {
    let mut content = Content::default();
    for entry in listed::<Entry>(text)? {
        if entry.source.as_ref().is_some_and(is_own) {
            continue;
        }
        let version = entry.version.unwrap_or_default();
        let package = Package::new(Ecosystem::Pypi, &entry.name, &version);
        let package = package.map(|package| Package { is_optional: entry.optional, ..package });
        content.push(package, &entry.name);
    }
    Ok(content)
}

/// Returns whether a source is a directory of the project.
fn is_own(source: &toml::Table) -> bool {
    let kind = source.get("type").and_then(toml::Value::as_str);
    kind == Some("directory")
        || ["editable", "virtual", "directory"].iter().any(|name| source.contains_key(*name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Vec<String> {
        parse(text).unwrap().packages.iter().map(Package::label).collect()
    }

    #[test]
    fn packages_of_both_tools_are_found() {
        let poetry = "[[package]]\nname = \"requests\"\nversion = \"2.32.3\"\ndescription = \
                      \"Python HTTP for Humans.\"\noptional = false\npython-versions = \">=3.8\"\n\
                      files = [\n    {file = \"requests.whl\", hash = \"sha256:1\"},\n]\n\n\
                      [package.dependencies]\ncertifi = \">=2017.4.17\"\n\n[[package]]\nname = \
                      \"own\"\nversion = \"1.0\"\noptional = false\n[package.source]\ntype = \
                      \"directory\"\nurl = \"../own\"\n\n[metadata]\nlock-version = \"2.0\"\n";
        assert_eq!(labels(poetry), ["requests@2.32.3"]);
        let uv = "version = 1\nrequires-python = \">=3.12\"\n\n[[package]]\nname = \"anyio\"\n\
                  version = \"4.4.0\"\nsource = { registry = \"https://example.org/simple\" }\n\
                  dependencies = [\n    { name = \"idna\" },\n]\n\n[[package]]\nname = \"own\"\n\
                  version = \"0.1.0\"\nsource = { editable = \".\" }\n";
        assert_eq!(labels(uv), ["anyio@4.4.0"]);
        assert!(parse("package = 1").is_err());
    }
}

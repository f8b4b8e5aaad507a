//! Contents of the packages that others wrote: their licences as a text, and a list of parts (SBOM)
//! in the form of CycloneDX 1.5. their licences as a text, and a list of parts (SBOM) in the form
//! of CycloneDX 1.5. Both are made from cargo's own metadata and the sources that cargo has
//! unpacked, and the same sources give the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::TOOL;
use crate::cmd::{Cmd, heading, note};
use crate::paths::{self, Paths};

/// The name of the file with the licences.
pub const NOTICES: &str = "THIRD-PARTY-NOTICES.txt";

/// The target of the modules in the client.
const WASM: &str = "wasm32-unknown-unknown";
/// The packages that are compiled into the client's modules.
const IN_CLIENT: [&str; 2] = ["findling-wasm", "findling-wasm-encoder"];

/// Beginnings of the names of files with licences, in capitals.
const LICENCE_FILES: [&str; 6] =
    ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
/// Longest file that is taken for a licence, in bytes.
const MAX_LICENCE: u64 = 200_000;

/// A crate that other people wrote.
#[derive(Clone, Debug)]
struct Crate {
    name: String,
    version: String,
    /// The expression of SPDX.
    licence: String,
    authors: Vec<String>,
    repository: Option<String>,
    /// SHA-256 of its package.
    hash: Option<String>,
    /// The texts of its licences.
    texts: Vec<String>,
}

/// Writes the licences for a platform below `target/third-party`, and the list of parts into a
/// directory. Returns the file of the licences.
pub fn write(paths: &Paths, target: &str, version: &str, out: &Path) -> Result<PathBuf> {
    heading("licences and parts of others");
    let mut names = shipped(paths, TOOL, target)?;
    for package in IN_CLIENT {
        names.extend(shipped(paths, package, WASM)?);
    }
    let crates = crates(paths, &names)?;
    let missing: Vec<&str> =
        crates.iter().filter(|one| one.licence.is_empty()).map(|one| one.name.as_str()).collect();
    ensure!(missing.is_empty(), "expected a licence of each crate, found none of {missing:?}");
    let directory = paths.target.join("third-party").join(target);
    for made in [directory.as_path(), out] {
        fs::create_dir_all(made).with_context(|| made.display().to_string())?;
    }
    let notices = directory.join(NOTICES);
    fs::write(&notices, text(&crates))?;
    let list = out.join(format!("{TOOL}-{version}-{target}.cdx.json"));
    fs::write(&list, serde_json::to_string_pretty(&bill(&crates, target, version))? + "\n")?;
    note(format!("{} crates: {}, {}", crates.len(), notices.display(), list.display()));
    Ok(notices)
}

/// Returns names and versions of the crates that are compiled into a package for a target.
fn shipped(paths: &Paths, package: &str, target: &str) -> Result<BTreeSet<(String, String)>> {
    let tree = Cmd::new(paths::cargo())
        .args(["tree", "--locked", "--edges", "normal,no-proc-macro", "--prefix", "none"])
        .args(["--format", "{p}", "--package", package, "--target", target])
        .dir(&paths.root)
        .read()?;
    Ok(tree.lines().filter_map(name_and_version).collect())
}

/// Reads the name and the version in a line of `cargo tree`: `name v1.2.3 (path)`.
fn name_and_version(line: &str) -> Option<(String, String)> {
    let mut words = line.split(' ');
    let (name, version) = (words.next()?, words.next()?);
    Some((name.to_owned(), version.strip_prefix('v')?.to_owned()))
}

/// Finds the crates of these names that come from a registry, in order.
fn crates(paths: &Paths, names: &BTreeSet<(String, String)>) -> Result<Vec<Crate>> {
    let metadata = Cmd::new(paths::cargo())
        .args(["metadata", "--locked", "--format-version", "1"])
        .dir(&paths.root)
        .read()?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo metadata")?;
    let lock = fs::read_to_string(paths.root.join("Cargo.lock")).context("Cargo.lock")?;
    let hashes = hashes(&lock);
    let mut crates = Vec::new();
    for package in metadata["packages"].as_array().context("cargo metadata lists no packages")? {
        let text = |field: &str| package[field].as_str().map(str::to_owned);
        let key = (text("name").context("a name")?, text("version").context("a version")?);
        if package["source"].is_null() || !names.contains(&key) {
            continue;
        }
        let manifest = PathBuf::from(text("manifest_path").context("a manifest")?);
        let directory = manifest.parent().context("a directory")?;
        let authors = package["authors"].as_array().into_iter().flatten();
        crates.push(Crate {
            licence: expression(&text("license").unwrap_or_default()),
            authors: authors.filter_map(|name| Some(name.as_str()?.to_owned())).collect(),
            repository: text("repository"),
            hash: hashes.get(&key).cloned(),
            texts: licence_texts(directory, package["license_file"].as_str())?,
            name: key.0,
            version: key.1,
        });
    }
    crates.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(crates)
}

/// Returns an expression of SPDX. Old packages write `MIT/Apache-2.0`.
fn expression(licence: &str) -> String {
    licence.split('/').map(str::trim).collect::<Vec<_>>().join(" OR ")
}

/// Reads the hashes of packages in `Cargo.lock`.
fn hashes(lock: &str) -> BTreeMap<(String, String), String> {
    let field = |package: &str, name: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(&format!("{name} = \"")))?;
        Some(line.trim_end_matches('"').to_owned())
    };
    let packages = lock.split("[[package]]").skip(1);
    packages
        .filter_map(|package| {
            let key = (field(package, "name")?, field(package, "version")?);
            Some((key, field(package, "checksum")?))
        })
        .collect()
}

/// Reads the files of a package with the names of licences.
fn licence_texts(directory: &Path, named: Option<&str>) -> Result<Vec<String>> {
    let mut files: BTreeSet<PathBuf> = named.map(|name| directory.join(name)).into_iter().collect();
    for entry in fs::read_dir(directory).with_context(|| directory.display().to_string())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_ascii_uppercase();
        let is_licence = LICENCE_FILES.iter().any(|begin| name.starts_with(begin));
        if is_licence && entry.metadata()?.is_file() && entry.metadata()?.len() <= MAX_LICENCE {
            files.insert(entry.path());
        }
    }
    let mut texts = Vec::new();
    for file in files.iter().filter(|file| file.is_file()) {
        let bytes = fs::read(file).with_context(|| file.display().to_string())?;
        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
        texts.push(text.trim_matches('\n').to_owned());
    }
    Ok(texts)
}

const RULE: &str =
    "--------------------------------------------------------------------------------\n";

/// Writes the licences: a list of the crates, then each text once with its crates.
fn text(crates: &[Crate]) -> String {
    let mut out = String::from(
        "Findling contains parts of these packages. Each is under the licence that stands beside \
         it;\ntheir texts follow.\n\n",
    );
    let mut of_texts: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for one in crates {
        let from = one.repository.as_deref().unwrap_or("https://crates.io");
        let name = format!("{} {}", one.name, one.version);
        let _ = writeln!(out, "{name}: {} ({from})", one.licence);
        if one.texts.is_empty() {
            let by = match one.authors.is_empty() {
                true => format!("the authors of {}", one.name),
                false => one.authors.join(", "),
            };
            let _ = writeln!(out, "    its package has no text of the licence; copyright {by}");
        }
        for text in &one.texts {
            of_texts.entry(text).or_default().push(name.clone());
        }
    }
    let mut texts: Vec<(&str, Vec<String>)> = of_texts.into_iter().collect();
    texts.sort_by(|a, b| a.1.cmp(&b.1));
    for (text, names) in texts {
        let _ = write!(out, "\n{RULE}{}\n{RULE}\n{text}\n", names.join(", "));
    }
    out
}

/// Makes the list of parts.
fn bill(crates: &[Crate], target: &str, version: &str) -> Value {
    let purl = |name: &str, version: &str| format!("pkg:cargo/{name}@{version}");
    let component = |one: &Crate| {
        let id = purl(&one.name, &one.version);
        let mut component = json!({
            "type": "library",
            "bom-ref": id,
            "name": one.name,
            "version": one.version,
            "purl": id,
            "licenses": [{ "expression": one.licence }],
        });
        if let Some(hash) = &one.hash {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": hash }]);
        }
        if let Some(url) = &one.repository {
            component["externalReferences"] = json!([{ "type": "vcs", "url": url }]);
        }
        component
    };
    let id = purl(TOOL, version);
    let parts: Vec<String> = crates.iter().map(|one| purl(&one.name, &one.version)).collect();
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": id,
                "name": TOOL,
                "version": version,
                "purl": id,
                "licenses": [{ "expression": "MIT OR Apache-2.0" }],
                "properties": [{ "name": "cargo:target", "value": target }],
            },
        },
        "components": crates.iter().map(component).collect::<Vec<_>>(),
        "dependencies": [{ "ref": id, "dependsOn": parts }],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, licence: &str, texts: &[&str]) -> Crate {
        Crate {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: expression(licence),
            authors: vec!["A. Uthor".to_owned()],
            repository: None,
            hash: Some("ab".repeat(32)),
            texts: texts.iter().map(|&text| text.to_owned()).collect(),
        }
    }

    #[test]
    fn a_text_that_several_have_is_there_once() {
        let crates = [
            one("a", "MIT", &["MIT of A"]),
            one("b", "MIT", &["MIT of A"]),
            one("c", "BSD-2-Clause", &[]),
        ];
        let text = text(&crates);
        assert_eq!(text.matches("MIT of A").count(), 1);
        assert!(text.contains("a 1.0.0, b 1.0.0") && text.contains("copyright A. Uthor"), "{text}");
    }

    #[test]
    fn the_list_names_each_part_with_licence_and_hash() {
        let bill = bill(&[one("a", "MIT/Apache-2.0", &[])], "x86_64-unknown-linux-gnu", "0.1.0");
        let part = &bill["components"][0];
        assert_eq!(part["purl"], "pkg:cargo/a@1.0.0");
        assert_eq!(part["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(part["hashes"][0]["content"], "ab".repeat(32));
        assert_eq!(bill["dependencies"][0]["dependsOn"][0], part["bom-ref"]);
    }

    #[test]
    fn lines_of_cargo_are_read() {
        let read = |line: &str| name_and_version(line);
        let pair = |name: &str, version: &str| Some((name.to_owned(), version.to_owned()));
        assert_eq!(read("serde v1.0.2"), pair("serde", "1.0.2"));
        assert_eq!(read("findling v0.1.0 (/a/b) (*)"), pair("findling", "0.1.0"));
        assert_eq!(read(""), None);
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"x\"\n\
                    checksum = \"ff\"\n\n[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n";
        let hashes = hashes(lock);
        assert_eq!(hashes.len(), 1);
        assert_eq!(hashes[&("a".to_owned(), "1.0.0".to_owned())], "ff");
    }
}

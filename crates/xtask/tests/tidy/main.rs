//! Tests for rules of the repository, so that reviews need not check them.

mod deferred;
mod doc_comments;
mod layers;
mod shape;
mod skips;
mod supply_chain;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("a workspace above the crate")
        .to_owned()
}

/// Returns cargo's metadata of the workspace's packages.
fn metadata() -> serde_json::Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo metadata runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo metadata speaks JSON")
}

/// Returns files that git tracks, and new files that it does not ignore.
fn tracked() -> Vec<PathBuf> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git runs");
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect()
}

/// The crates of the workspace that each crate may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("findling-bundle", &[]),
    ("findling-text", &[]),
    ("findling-engine", &["findling-bundle", "findling-text"]),
    ("findling-encoder", &["findling-bundle", "findling-text"]),
    ("findling-base", &["findling-bundle"]),
    ("findling-dependencies", &["findling-base"]),
    ("findling-page", &["findling-base", "findling-bundle"]),
    (
        "findling-read",
        &["findling-base", "findling-bundle", "findling-engine", "findling-page", "findling-text"],
    ),
    (
        "findling-index",
        &[
            "findling-base",
            "findling-bundle",
            "findling-encoder",
            "findling-engine",
            "findling-page",
            "findling-text",
        ],
    ),
    ("findling-models", &["findling-base", "findling-bundle", "findling-encoder", "findling-text"]),
    (
        "findling-host",
        &[
            "findling-base",
            "findling-bundle",
            "findling-encoder",
            "findling-engine",
            "findling-models",
            "findling-text",
        ],
    ),
    (
        "findling-site",
        &[
            "findling-base",
            "findling-bundle",
            "findling-encoder",
            "findling-engine",
            "findling-index",
            "findling-models",
            "findling-page",
            "findling-read",
            "findling-text",
            "findling-wasm-parts",
        ],
    ),
    ("findling-wasm", &["findling-bundle", "findling-text", "findling-engine", "findling-encoder"]),
    ("findling-wasm-encoder", &["findling-bundle", "findling-text", "findling-encoder"]),
    (
        "findling",
        &[
            "findling-base",
            "findling-bundle",
            "findling-dependencies",
            "findling-host",
            "findling-index",
            "findling-models",
            "findling-page",
            "findling-read",
            "findling-site",
            "findling-text",
            "findling-engine",
            "findling-encoder",
        ],
    ),
    ("findling-playground", &["findling-base", "findling-index", "findling-page", "findling-read"]),
    ("findling-wasm-parts", &[]),
    ("findling-web", &["findling-bundle", "findling-engine", "findling-encoder"]),
    ("xtask", &["findling-wasm-parts"]),
    ("example-rust-engine", &["findling-bundle", "findling-engine"]),
    ("example-rust-web", &["findling-web"]),
];

#[test]
fn dependencies_between_crates_point_one_way() {
    let allowed: BTreeMap<&str, &[&str]> = MAY_USE.iter().copied().collect();
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let ours: BTreeSet<&str> =
        packages.iter().filter_map(|package| package["name"].as_str()).collect();
    for package in packages {
        let name = package["name"].as_str().expect("a name");
        let may = allowed
            .get(name)
            .unwrap_or_else(|| panic!("{name} is new: say in this test what it may use"));
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            // Tests may use a crate of a higher layer.
            let (other, kind) =
                (dependency["name"].as_str().unwrap_or_default(), dependency["kind"].as_str());
            let fine = kind == Some("dev") || !ours.contains(other) || may.contains(&other);
            assert!(fine, "{name} must not depend on {other}: dependencies point one way");
        }
    }
}

#[test]
fn the_inner_crates_do_no_io_and_know_no_clock_thread_or_javascript() {
    let forbidden = [
        "std::fs",
        "std::net",
        "std::thread",
        "std::time",
        "std::process",
        "wasm_bindgen",
        "js_sys",
    ];
    for file in tracked() {
        let inner = ["crates/bundle/src", "crates/text/src", "crates/engine/src"]
            .iter()
            .any(|dir| file.starts_with(dir));
        if !inner || file.extension().is_none_or(|e| e != "rs") {
            continue;
        }
        let text = fs::read_to_string(root().join(&file)).unwrap_or_default();
        // Test modules, which are at the end of a file, may do these things.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (i, line) in code.lines().enumerate() {
            let line = line.split("//").next().unwrap_or_default();
            for word in forbidden {
                assert!(
                    !line.contains(word),
                    "{}:{}: {word} has no place here",
                    file.display(),
                    i + 1
                );
            }
        }
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut broken = Vec::new();
    for file in tracked().iter().filter(|file| file.extension().is_some_and(|e| e == "md")) {
        // Fixtures are pages of other projects.
        if file.starts_with("tests")
            || file.starts_with("build/tests")
            || file.components().any(|part| part.as_os_str() == "fixtures")
        {
            continue;
        }
        let path = root().join(file);
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for target in local_links(&text) {
            let target_path = path.parent().expect("a file has a directory").join(&target);
            if !target_path.exists() {
                broken.push(format!("{}: {target}", file.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links to files that are not there:\n{}", broken.join("\n"));
}

/// Returns the targets of `[text](target)` that are local files, without fragments.
fn local_links(markdown: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut in_code = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        for rest in line.split("](").skip(1) {
            let target = rest.split([')', ' ', '#']).next().unwrap_or_default();
            if !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:") {
                links.push(target.to_owned());
            }
        }
    }
    links
}

#[test]
fn links_are_found_and_code_is_not_taken_for_links() {
    let text = "[a](docs/a.md#part) and [b](https://example.org) `x`\n```\n[c](c.md)\n```\n[d](#here) [e](e.md \"title\")";
    assert_eq!(local_links(text), ["docs/a.md", "e.md"]);
}

#[test]
fn nothing_outside_the_repository_is_required() {
    // Tests may use data beside the repository, if they report that they skip without it.
    for file in tracked() {
        let in_code = file
            .extension()
            .is_some_and(|e| ["rs", "ts", "mjs", "toml", "json"].iter().any(|x| e == *x));
        let is_test = file.components().any(|part| {
            ["tests", "examples", "benches"].iter().any(|dir| part.as_os_str() == *dir)
        });
        if !in_code || is_test || file.ends_with("package-lock.json") {
            continue;
        }
        let text = fs::read_to_string(root().join(&file)).unwrap_or_default();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        // Concatenated, so that the test does not find this line.
        let outside = ["../", "shared"].concat();
        assert!(
            !code.contains(&outside),
            "{}: needs a directory beside the repository",
            file.display()
        );
    }
}

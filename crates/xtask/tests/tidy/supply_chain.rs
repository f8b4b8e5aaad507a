//! Checks that foreign code, which this project runs or ships, has names that pin it: actions by
//! their commit, packages by their hash, tools by their version.

use std::fs;
use std::path::Path;

use super::{root, tracked};

/// Returns the tracked files with this ending below a directory, with their texts.
fn files(below: &str, ending: &str) -> Vec<(String, String)> {
    let wanted = |path: &Path| path.starts_with(below) && path.to_string_lossy().ends_with(ending);
    let paths = tracked().into_iter().filter(|path| wanted(path) && root().join(path).is_file());
    let read = |path: &Path| fs::read_to_string(root().join(path)).expect("text");
    paths.map(|path| (path.display().to_string(), read(&path))).collect()
}

fn workflows() -> Vec<(String, String)> {
    let mut all = files(".github", ".yml");
    all.extend(files("action.yml", ".yml"));
    assert!(all.len() > 3);
    all
}

/// Returns whether a reference names a commit, and a comment its version.
fn is_pinned(used: &str) -> bool {
    let (used, comment) = used.split_once(" # ").unwrap_or((used, ""));
    // An action of this repository.
    used.starts_with("./")
        || used.split_once('@').is_some_and(|(_, commit)| {
            commit.len() == 40
                && commit.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
                && comment.starts_with('v')
        })
}

#[test]
fn actions_are_pinned_by_commit() {
    for (used, expect) in [
        ("./.github/action", true),
        ("actions/checkout@v4", false),
        ("actions/checkout@main", false),
        ("actions/checkout@11d5960a326750d5838078e36cf38b85af677262", false),
        ("actions/checkout@11d5960a326750d5838078e36cf38b85af677262 # v4.4.0", true),
        ("docker://alpine:3", false),
    ] {
        assert_eq!(is_pinned(used), expect, "{used}");
    }
    let mut loose = Vec::new();
    let mut n_used = 0;
    for (file, text) in workflows() {
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_start().trim_start_matches("- ");
            let Some(used) = line.strip_prefix("uses:") else { continue };
            n_used += 1;
            if !is_pinned(used.trim().trim_matches(['"', '\''])) {
                loose.push(format!("{file}:{}: {line}", number + 1));
            }
        }
    }
    assert!(n_used > 20 && loose.is_empty(), "name the commit and the version: {loose:#?}");
}

#[test]
fn tools_that_workflows_install_have_a_version() {
    for (file, text) in workflows() {
        for line in text.lines().filter(|line| line.contains("cargo install ")) {
            assert!(line.contains("--locked") && line.contains("@"), "{file}: {}", line.trim());
        }
    }
}

#[test]
fn locked_npm_packages_have_hashes_and_no_other_registry() {
    let locks = files("", "package-lock.json");
    assert!(locks.len() > 5);
    for (file, text) in locks {
        let lock: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        for (name, package) in lock["packages"].as_object().expect("packages") {
            // The package itself, and a package that is a directory of this repository.
            if name.is_empty() || package["link"] == true || !name.contains("node_modules/") {
                continue;
            }
            let is_inside_another = package["inBundle"] == true;
            let hash = package["integrity"].as_str().unwrap_or_default();
            assert!(hash.starts_with("sha512-") || is_inside_another, "{file}: {name}: no hash");
            let from = package["resolved"].as_str().unwrap_or("https://registry.npmjs.org/");
            assert!(from.starts_with("https://registry.npmjs.org/"), "{file}: {name}: {from}");
        }
    }
}

#[test]
fn locked_crates_have_hashes_and_no_other_registry() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).expect("Cargo.lock");
    let registry = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
    for package in lock.split("[[package]]").skip(1) {
        let source = package.lines().find(|line| line.starts_with("source = "));
        let Some(source) = source else { continue };
        assert_eq!(source, registry, "{package}");
        assert!(package.contains("checksum = "), "{package}");
    }
}

//! Collections of the packages that lock files pin.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::home::{Done, Home, tree};

/// The source of a crate, with a public function and a private one.
const KILN: &str = "/// Fires the kiln until it glows.\npub fn fire(hours: u32) -> u32 {\n    \
                    heat(hours)\n}\n\nfn heat(hours: u32) -> u32 {\n    hours\n}\n";

/// Makes a home with the places of package managers below it, and two projects.
fn projects() -> Home {
    let home = Home::new();
    let registry = "cargo/registry/src/index.crates.io-1";
    home.write(&format!("{registry}/kiln-1.2.0/src/lib.rs"), KILN);
    home.write(&format!("{registry}/kiln-1.2.0/README.md"), "# Kiln\n\nBurns clay.\n");
    home.write(&format!("{registry}/kiln-1.2.0/tests/all.rs"), "fn fire_in_a_test() {}\n");
    home.write(&format!("{registry}/kiln-2.0.0/src/lib.rs"), "/// Smoulders.\npub fn fire() {}\n");
    home.write(&format!("{registry}/clay-0.3.1/src/lib.rs"), "/// Kneads.\npub fn knead() {}\n");
    lock(&home, "app", &[("kiln", "1.2.0"), ("clay", "0.3.1"), ("gone", "9.0.0")]);
    lock(&home, "other", &[("kiln", "1.2.0")]);
    home
}

fn lock(home: &Home, project: &str, packages: &[(&str, &str)]) {
    let package = |(name, version): &(&str, &str)| {
        format!(
            "[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \
             \"registry+https://github.com/rust-lang/crates.io-index\"\n\n"
        )
    };
    let own = "[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n\n".to_owned();
    let text: String = [own].into_iter().chain(packages.iter().map(package)).collect();
    home.write(&format!("{project}/Cargo.lock"), &format!("version = 4\n\n{text}"));
}

/// Returns a command that finds packages only below the home.
fn command(home: &Home, args: &[&str]) -> Command {
    let mut command = home.command(args);
    command.env("CARGO_HOME", home.path("cargo")).env("HOME", home.path("nobody"));
    command
}

fn run(home: &Home, args: &[&str]) -> Done {
    Done::of(command(home, args).output().unwrap())
}

fn json(home: &Home, args: &[&str]) -> Value {
    let done = run(home, args);
    assert_eq!(done.code, 0, "{args:?}: {}", done.err);
    serde_json::from_str(&done.out).unwrap()
}

fn added(home: &Home, name: &str, project: &str) -> Value {
    let lock = format!("--lock={project}/Cargo.lock");
    json(home, &["collection", "add", name, &lock, "--encoder=none", "--json"])
}

/// Returns the ids of the pages of an answer.
fn ids(answer: &Value) -> Vec<&str> {
    let pages = answer["results"].as_array().unwrap();
    pages.iter().map(|page| page["id"].as_str().unwrap()).collect()
}

#[test]
fn the_packages_of_a_lock_are_searched_in_exactly_its_versions() {
    let home = projects();
    let report = added(&home, "deps", "app");
    assert_eq!(
        (&report["packages"], &report["missingPackages"], &report["pages"]),
        (&json!(2), &json!(1), &json!(3))
    );
    let answer = json(&home, &["search", "deps", "fire the kiln", "--json"]);
    let page = &answer["results"][0];
    assert_eq!(page["id"], "kiln@1.2.0/src/lib.rs");
    let attributes = &page["attributes"];
    assert_eq!(
        (&attributes["package"], &attributes["version"], &attributes["ecosystem"]),
        (&json!("kiln"), &json!("1.2.0"), &json!("cargo"))
    );
    let section = &page["sections"][0];
    let file = home.path("cargo/registry/src/index.crates.io-1/kiln-1.2.0/src/lib.rs");
    assert_eq!((&section["file"], &section["line"]), (&json!(file), &json!(1)));
    assert_eq!(section["attributes"]["visibility"], "public");
    assert!(!answer.to_string().contains("2.0.0"), "another version is another package");
    let private = ["search", "deps", "heat visibility:private", "--json"];
    assert_eq!(ids(&json(&home, &private)), ["kiln@1.2.0/src/lib.rs"]);
    let filtered = ["search", "deps", "", "--filter=package=clay", "--json"];
    assert_eq!(ids(&json(&home, &filtered)), ["clay@0.3.1/src/lib.rs"]);
    let quoted = run(&home, &["context", "fire the kiln", "deps"]).out;
    assert!(quoted.contains("pub fn fire(hours: u32) -> u32 {"), "{quoted}");
    assert!(!quoted.contains("fire_in_a_test"));
}

#[test]
fn a_sync_follows_the_lock_and_names_what_is_not_there() {
    let home = projects();
    added(&home, "deps", "app");
    let again = run(&home, &["sync", "deps"]);
    assert!(again.err.contains("1 package not on this disk: gone@9.0.0"), "{}", again.err);
    assert!(again.err.contains("Up to date"), "{}", again.err);
    let verbose = run(&home, &["--verbose", "sync", "deps"]).err;
    assert!(verbose.contains("gone@9.0.0: is not on this disk; `cargo fetch`"), "{verbose}");
    lock(&home, "app", &[("kiln", "2.0.0"), ("clay", "0.3.1")]);
    let synced = json(&home, &["sync", "deps", "--json"]);
    let synced = &synced["collections"][0];
    assert_eq!((&synced["status"], &synced["packages"]), (&json!("built"), &json!(2)));
    assert!(synced.get("missingPackages").is_none(), "{synced}");
    let answer = json(&home, &["search", "deps", "fire", "--json"]);
    assert_eq!(ids(&answer), ["kiln@2.0.0/src/lib.rs"]);
    // The packages vanish, as after a cache was emptied: the last bundle stays.
    fs::rename(home.path("cargo"), home.path("away")).unwrap();
    let failed = run(&home, &["sync", "deps", "--json"]);
    assert_eq!(failed.code, 1);
    let failed: Value = serde_json::from_str(&failed.out).unwrap();
    assert_eq!(failed["collections"][0]["code"], "no-packages");
    assert_eq!(ids(&json(&home, &["search", "deps", "fire", "--json"])), ["kiln@2.0.0/src/lib.rs"]);
}

#[test]
fn a_package_of_two_projects_is_kept_once() {
    let home = projects();
    added(&home, "deps", "app");
    let log = home.data().join("packages/pages");
    let before = fs::read(&log).unwrap();
    let report = added(&home, "more", "other");
    assert_eq!(report["packages"], 1);
    assert_eq!(fs::read(&log).unwrap(), before, "nothing was parsed again");
    let of = |name: &str| tree(&home.collection(name)).into_iter().map(|(path, _)| path);
    assert!(!of("deps").chain(of("more")).any(|path| path.ends_with("pages")));
    let nothing = run(&home, &["search", "more", "knead", "--json"]);
    assert_eq!(nothing.code, 1, "it is no package of that project");
    assert!(ids(&serde_json::from_str(&nothing.out).unwrap()).is_empty());
}

#[test]
fn find_asks_the_dependencies_of_the_project_one_stands_in() {
    let home = projects();
    fs::create_dir_all(home.path("app/src/deep")).unwrap();
    let find = |args: &[&str], directory: &str| {
        let mut command = command(&home, args);
        Done::of(command.current_dir(home.path(directory)).output().unwrap())
    };
    let found = find(&["find", "--deps", "fire the kiln", "--json"], "app/src/deep");
    assert_eq!(found.code, 0, "{}", found.err);
    let answer: Value = serde_json::from_str(&found.out).unwrap();
    let group = &answer["collections"][0];
    assert!(group["name"].as_str().unwrap().ends_with("app/Cargo.lock"), "{}", group["name"]);
    assert_eq!(ids(group)[0], "kiln@1.2.0/src/lib.rs");
    assert_eq!(group["results"][0]["sections"][0]["line"], 1);
    // A collection of that lock file is used instead of the index in the cache.
    added(&home, "deps", "app");
    let found = find(&["find", "--deps", "fire the kiln", "--json"], "app");
    let answer: Value = serde_json::from_str(&found.out).unwrap();
    assert_eq!(answer["collections"][0]["name"], "deps");
    let context = find(&["context", "--deps", "fire the kiln"], "app");
    assert!(context.out.contains("pub fn fire"), "{}", context.err);
    fs::create_dir_all(home.path("bare/.git")).unwrap();
    assert_eq!(find(&["find", "--deps", "fire"], "bare").code, 2);
}

#[test]
fn names_that_lead_elsewhere_and_damaged_locks_are_refused() {
    let home = projects();
    home.write("cargo/secret/src/lib.rs", "/// Secret.\npub fn secret() {}\n");
    lock(&home, "bad", &[("../../../secret", "1.0.0"), ("clay", "0.3.1")]);
    let report = added(&home, "bad", "bad");
    assert_eq!((&report["packages"], &report["pages"]), (&json!(1), &json!(1)));
    let added = |lock: &str| {
        let lock = format!("--lock={lock}");
        run(&home, &["collection", "add", "wrong", &lock, "--encoder=none"])
    };
    home.write("torn/Cargo.lock", "[[package]\nname");
    assert_eq!(added("torn/Cargo.lock").code, 1);
    home.write("torn/notes.txt", "notes");
    assert_eq!(added("torn/notes.txt").code, 1);
    assert_ne!(added("absent/Cargo.lock").code, 0);
    fs::create_dir_all(home.path("empty")).unwrap();
    assert_eq!(added("empty").code, 1);
    assert!(!fs::read_to_string(home.registry()).unwrap().contains("[collections.wrong]"));
}

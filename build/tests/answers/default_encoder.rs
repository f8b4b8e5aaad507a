//! The encoder of a build without `--encoder`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;

use super::home::{Done, Home};

/// The option that every message about a transformer names.
const ASKING: &str = "--encoder all-minilm-l6-v2";

/// Builds without a terminal and without input. The home has no model.
fn build(home: &Home, args: &[&str]) -> Done {
    let all = [&["build", "site", "--no-client", "-o"], args].concat();
    let done = Done::of(home.command(&all).stdin(Stdio::null()).output().unwrap());
    assert_eq!(done.code, 0, "{args:?}: {done:?}");
    done
}

fn n_advised(done: &Done) -> usize {
    done.err.lines().filter(|line| line.contains(ASKING)).count()
}

/// Returns all files of a directory with their contents.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut left = vec![directory.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                left.push(entry.path());
            } else {
                let name = entry.file_name().into_string().unwrap();
                files.insert(name, std::fs::read(entry.path()).unwrap());
            }
        }
    }
    files
}

#[test]
fn a_build_that_names_no_encoder_uses_the_table_and_says_once_what_a_transformer_gains() {
    let home = Home::with_site();
    let done = build(&home, &["out"]);
    assert_eq!(n_advised(&done), 1, "{done:?}");
    assert!(!done.err.contains("warning"), "{done:?}");
    let done = build(&home, &["out"]);
    assert_eq!(n_advised(&done), 0, "the bundle is by the table already: {done:?}");
    // A bundle that had another encoder gets the advice.
    build(&home, &["other", "--encoder=hash"]);
    assert_eq!(n_advised(&build(&home, &["other"])), 1);

    let named = build(&home, &["named", "--encoder=static"]);
    assert_eq!(n_advised(&named), 0, "{named:?}");
    assert!(!named.err.contains("warning"), "{named:?}");
    assert_eq!(files(&home.path("out")), files(&home.path("named")));
}

#[test]
fn what_is_installed_changes_nothing() {
    let home = Home::with_site();
    build(&home, &["before"]);
    for name in ["all-minilm-l6-v2", "static"] {
        home.write(&format!("data/models/{name}/model.json"), "{}");
        home.write(&format!("data/models/{name}/static.table"), "no table");
    }
    build(&home, &["after"]);
    assert_eq!(files(&home.path("before")), files(&home.path("after")));
}

#[test]
fn an_encoder_in_the_settings_is_named_and_the_file_of_init_names_one() {
    let home = Home::with_site();
    for encoder in ["static", "none"] {
        home.write("findling.toml", &format!("[build]\nencoder = \"{encoder}\"\n"));
        let done = build(&home, &["out"]);
        assert_eq!(n_advised(&done), 0, "{encoder}: {done:?}");
    }
    assert_eq!(home.run(&["init", "--force"]).code, 0);
    assert_eq!(n_advised(&build(&home, &["another"])), 0);
}

#[test]
fn the_report_has_the_encoder_and_the_notice() {
    let home = Home::with_site();
    let report = |args: &[&str]| {
        let args = [&["build", "site", "--quiet", "--json", "--no-client"], args].concat();
        home.json(&args)
    };
    let by_default = report(&["-o", "out"]);
    assert_eq!(by_default["encoder"], "static");
    assert_eq!(by_default["notices"][0]["code"], "default-encoder");
    for (encoder, name) in [("static", "static".into()), ("none", serde_json::Value::Null)] {
        let named = report(&["-o", encoder, "--encoder", encoder]);
        assert_eq!(named["encoder"], name);
        assert!(named["notices"].as_array().unwrap().is_empty(), "{named}");
    }
}

#[test]
fn collections_parts_and_tables_have_the_same_default() {
    let home = Home::with_site();
    let added = home.run(&["collection", "add", "site", "site"]);
    assert_eq!((added.code, n_advised(&added)), (0, 1), "{added:?}");
    let registry = std::fs::read_to_string(home.registry()).unwrap();
    assert!(registry.contains("encoder = \"static\""), "{registry}");
    let synced = home.run(&["sync", "site"]);
    assert_eq!((synced.code, n_advised(&synced)), (0, 0), "{synced:?}");

    // A part that names the default encoder can be joined with a part that names none.
    for (share, encoder) in [("1/2", None), ("2/2", Some("--encoder=static"))] {
        let part = format!("{}.part", &share[..1]);
        let args = ["build", "site", "--part", share, "-o", &part];
        let done = home.run(&[&args[..], encoder.as_slice()].concat());
        assert_eq!(done.code, 0, "{done:?}");
    }
    let merged = home.run(&["merge", "1.part", "2.part", "-o", "merged", "--no-client"]);
    assert_eq!(merged.code, 0, "{merged:?}");
    assert_eq!(home.run(&["sections", "site"]).code, 0);
}

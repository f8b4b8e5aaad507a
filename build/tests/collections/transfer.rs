//! Collections that are verified, exported to a file and imported from one.

use std::fs;

use serde_json::{Value, json};

use super::home::Home;

/// Returns a home with a collection of some pages with vectors.
fn home() -> Home {
    let home = Home::new();
    for page in 0..40 {
        let text =
            format!("# Page {page}\n\nA mutex guards word{page}.\n\n## More\n\nSalt {page}.\n");
        home.write(&format!("site/{page}.md"), &text);
    }
    let args = ["collection", "add", "site", "site", "--encoder=hash"];
    assert_eq!(home.run(&args).code, 0);
    home
}

fn answers(home: &Home, target: &str) -> Vec<Value> {
    ["mutex", "\"guards word7\"", "salt mutx"]
        .map(|query| {
            let mut response = home.json(&["search", target, query, "--json", "-k50"]);
            let mut results = response["results"].take();
            Home::without_places(&mut results);
            results
        })
        .to_vec()
}

#[test]
fn an_exported_collection_answers_alike_as_a_file_and_imported() {
    let home = home();
    let exported = home.json(&["collection", "export", "site", "site.findling", "--json"]);
    assert_eq!(exported["bundleBytes"], fs::metadata(home.path("site.findling")).unwrap().len());
    let imported = home.json(&["collection", "import", "site.findling", "copy", "--json"]);
    assert_eq!((&imported["status"], &imported["pages"]), (&json!("imported"), &json!(40)));
    let expected = answers(&home, "site");
    assert!(expected.iter().all(|results| !results.as_array().unwrap().is_empty()));
    assert_eq!(answers(&home, "site.findling"), expected);
    assert_eq!(answers(&home, "copy"), expected);
    assert_eq!(home.run(&["inspect", "site.findling"]).code, 0);
    // A second export gives the same file.
    home.json(&["collection", "export", "copy", "again.findling", "--json"]);
    assert!(
        fs::read(home.path("site.findling")).unwrap()
            == fs::read(home.path("again.findling")).unwrap()
    );

    // It has no sources, so a `sync` of all collections skips it, and a `sync` by name is refused.
    assert_eq!(home.json(&["sync", "--json"])["collections"].as_array().unwrap().len(), 1);
    let sync = home.run(&["sync", "copy", "--json"]);
    let report: Value = serde_json::from_str(&sync.out).unwrap();
    assert_eq!((sync.code, &report["collections"][0]["code"]), (1, &json!("no-sources")));
}

#[test]
fn a_name_is_imported_over_only_on_purpose() {
    let home = home();
    home.json(&["collection", "export", "site", "site.findling", "--json"]);
    let import = |name: &str, more: &[&str]| {
        home.run(&[&["collection", "import", "site.findling", name][..], more].concat()).code
    };
    assert_eq!(import("site", &[]), 1);
    assert_eq!(import("site", &["--replace"]), 1, "it has sources");
    assert_eq!(import("copy", &[]), 0);
    assert_eq!(import("copy", &[]), 1);
    assert_eq!(import("copy", &["--replace"]), 0);
    assert_eq!(home.generations("copy"), ["000002"]);
    assert_eq!(import("../x", &[]), 2);
}

#[test]
fn what_is_no_whole_bundle_is_not_imported() {
    let home = home();
    home.json(&["collection", "export", "site", "site.findling", "--json"]);
    let good = fs::read(home.path("site.findling")).unwrap();
    let mut flipped = good.clone();
    let last = flipped.len() - 9;
    flipped[last] ^= 0x55;
    for (bad, name) in [
        (&good[..good.len() - 1], "cut"),
        (&good[..100], "short"),
        (&b"not a bundle"[..], "text"),
        (&[], "empty"),
        (&flipped, "flipped"),
    ] {
        fs::write(home.path("bad.findling"), bad).unwrap();
        let done = home.run(&["collection", "import", "bad.findling", "bad"]);
        assert!(done.code == 1 && done.err.contains("bad.findling"), "{name}: {done:?}");
    }
    assert_eq!(home.run(&["collection", "import", "absent.findling", "bad"]).code, 1);
    assert_eq!(home.run(&["collection", "import", "site", "bad"]).code, 1);
    assert_eq!(home.run(&["collection", "show", "bad"]).code, 1, "nothing was registered");
    assert_eq!(home.run(&["collection", "export", "absent", "x.findling"]).code, 1);
    assert_eq!(home.run(&["collection", "export", "site", "site"]).code, 1, "a directory");
    assert_eq!(home.run(&["collection", "export", "site", "no/where.findling"]).code, 1);
    assert!(fs::read(home.path("site.findling")).unwrap() == good);
}

#[test]
fn verify_names_what_is_wrong() {
    let home = home();
    let verify = |more: &[&str]| {
        let done = home.run(&[&["collection", "verify", "--json"][..], more].concat());
        let report: Value = serde_json::from_str(&done.out).unwrap();
        (done.code, report)
    };
    for deep in [&[][..], &["--deep"]] {
        let (code, report) = verify(deep);
        assert_eq!(code, 0);
        let whole = json!([{"name": "site", "status": "whole", "damage": []}]);
        assert_eq!(report, json!({"collections": whole, "orphans": []}));
    }
    // A byte of a file is changed; only --deep reads it. No other file shares it by a link.
    let shards = home.collection("site").join("000001/bundle/shards");
    let shard = fs::read_dir(&shards).unwrap().flatten().map(|entry| entry.path()).min().unwrap();
    let mut bytes = fs::read(&shard).unwrap();
    bytes[0] ^= 1;
    fs::write(&shard, bytes).unwrap();
    assert_eq!(verify(&["--deep"]).0, 1);
    fs::remove_file(&shard).unwrap();
    assert_eq!(verify(&["--deep"]).1["collections"][0]["status"], "damaged");
    assert_eq!(
        home.json(&["sync", "site", "--fresh", "--json"])["collections"][0]["status"],
        "built"
    );
    assert_eq!(verify(&["--deep"]).0, 0);

    fs::create_dir(home.data().join("collections/stray")).unwrap();
    let args = ["collection", "add", "new", "site", "--no-sync"];
    assert_eq!(home.run(&args).code, 0);
    let (code, report) = verify(&[]);
    assert_eq!((code, &report["orphans"]), (0, &json!(["stray"])));
    assert_eq!(report["collections"][0]["status"], "not-built");
    assert_eq!(home.run(&["collection", "verify", "absent"]).code, 1);
    fs::write(home.collection("site").join("000002/bundle/findling.idx"), "x").unwrap();
    assert_eq!(verify(&["site"]).0, 1);
}

//! Collections as a person uses them: the program, its registry, and bundles that it keeps.

mod archives;
mod chats;
#[path = "../support/counting_service.rs"]
mod counting_service;
mod dependencies;
mod disk_faults;
mod documented;
mod edits;
mod full_disk;
mod home;
mod included;
mod kill;
mod packs;
mod papers;
mod refused;
mod sites;
mod targets;
mod transfer;
mod trust;
mod vectors;
mod watching;

use std::fs;

use home::Home;
use serde_json::json;

#[test]
fn a_collection_is_added_searched_synced_renamed_and_removed() {
    let home = Home::new();
    home.write("book/a.md", "# Threads\n\nA mutex guards data.\n");
    home.write("book/b.md", "# Cargo\n\nBuild a package.\n");
    let added = home.json(&["collection", "add", "book", "book", "--encoder=none", "--json"]);
    assert_eq!((&added["status"], &added["reason"]), (&json!("built"), &json!("first")));
    assert_eq!(
        (&added["new"], &added["pages"], &added["unreadable"]),
        (&json!(2), &json!(2), &json!(0))
    );
    assert_eq!(home.found("book", "mutex"), ["/a/"]);

    let synced = home.sync("book");
    assert_eq!((&synced["status"], &synced["generation"]), (&json!("unchanged"), &json!(1)));
    home.write("book/c.md", "# Channels\n\nThreads send messages.\n");
    home.write("book/a.md", "# Threads\n\nA lock guards data.\n");
    fs::rename(home.path("book/b.md"), home.path("book/d.md")).unwrap();
    let synced = home.sync("book");
    assert_eq!((&synced["status"], &synced["reason"]), (&json!("built"), &json!("sources")));
    let counts = ["new", "changed", "moved", "deleted"].map(|what| synced[what].as_u64().unwrap());
    assert_eq!(counts, [1, 1, 1, 0]);
    assert_eq!(home.found("book", "mutex"), [""; 0]);
    assert_eq!(home.found("book", "messages"), ["/c/"]);

    let renamed = home.json(&["collection", "rename", "book", "manual", "--json"]);
    assert_eq!(renamed, json!({"name": "manual", "status": "renamed"}));
    assert_eq!(home.found("manual", "package"), ["/d/"]);
    fs::remove_file(home.path("book/d.md")).unwrap();
    assert_eq!(home.sync("manual")["deleted"], 1);

    let list = home.json(&["collection", "list", "--json"]);
    let row = &list["collections"][0];
    assert_eq!(
        (&row["name"], &row["pages"], &row["files"]),
        (&json!("manual"), &json!(2), &json!(2))
    );
    assert_eq!(row["settings"]["encoder"], "none");
    let show = home.json(&["collection", "show", "manual", "--json"]);
    assert_eq!(&show, row);

    let removed = home.json(&["collection", "remove", "manual", "--yes", "--json"]);
    assert_eq!(removed, json!({"name": "manual", "status": "removed"}));
    assert_eq!(home.json(&["collection", "list", "--json"])["collections"], json!([]));
    assert_eq!(fs::read_dir(home.data().join("collections")).unwrap().count(), 0);
    assert!(home.path("book/a.md").exists(), "sources stay");
}

#[test]
fn text_output_says_the_same() {
    let home = Home::new();
    home.write("notes/a.md", "# One\n\nText.\n");
    let args = ["--encoder=none", "--exclude=drafts", "--base-url=/n/", "--language=en"];
    let add = home.run(&[&["collection", "add", "notes", "notes"][..], &args].concat());
    assert_eq!(add.code, 0, "{add:?}");
    assert!(add.out.is_empty() && add.err.contains("1 new"), "{add:?}");
    let list = home.run(&["collection", "list"]).out;
    assert!(list.starts_with("notes  1 page, 1 section, "), "{list}");
    let show = home.run(&["collection", "show", "notes"]).out;
    for line in [
        "kind      auto",
        "encoder   none",
        "exclude   drafts",
        "base-url  /n/",
        "files     1 file",
    ] {
        assert!(show.contains(line), "{line} in {show}");
    }
    let again = home.run(&["sync"]);
    assert!(again.out.is_empty() && again.err.contains("Up to date notes"), "{again:?}");
    let quiet = home.run(&["--quiet", "sync"]);
    assert!(quiet.out.is_empty() && quiet.err.is_empty() && quiet.code == 0, "{quiet:?}");
}

#[test]
fn progress_can_be_json() {
    let home = Home::new();
    home.write("notes/a.md", "# One\n\nText.\n");
    let args = ["collection", "add", "notes", "notes", "--encoder=none", "--quiet"];
    let add = home.run(&[&args[..], &["--json-progress"]].concat());
    let stages: Vec<serde_json::Value> =
        add.err.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (stage, unit) in [("Reading", "files"), ("Chunking", "pages"), ("Analysing", "pages")] {
        let told = stages.iter().find(|told| told["progress"] == stage);
        let told = told.unwrap_or_else(|| panic!("{stage} in {stages:?}"));
        assert_eq!((&told["unit"], &told["done"]), (&json!(unit), &json!(0)), "{told}");
        assert!(told["perSecond"].is_number() && told.get("secondsLeft").is_some(), "{told}");
    }
}

#[test]
fn settings_edited_in_the_registry_hold_from_the_next_sync_on() {
    let home = Home::new();
    home.write("site/a.md", "# One\n\nAlpha.\n");
    home.write("site/drafts/b.md", "# Two\n\nAlpha beta.\n");
    home.add("site");
    assert_eq!(home.found("site", "beta"), ["/drafts/b/"]);
    let registry = fs::read_to_string(home.registry()).unwrap();
    let edited =
        registry.replace("\nencoder = \"none\"", "\nencoder = \"none\"\nexclude = [\"drafts\"]");
    assert_ne!(registry, edited);
    fs::write(home.registry(), edited).unwrap();
    let synced = home.sync("site");
    assert_eq!((&synced["reason"], &synced["deleted"]), (&json!("settings"), &json!(1)));
    assert_eq!(home.found("site", "beta"), [""; 0]);
    assert_eq!(home.found("site", "alpha"), ["/a/"]);
    assert_eq!(home.sync("site")["status"], "unchanged");
}

#[test]
fn every_kind_of_source_can_be_named() {
    let home = Home::new();
    home.write("html/a.html", "<title>A</title><main><p>Word html.</p></main>");
    home.write("markdown/a.md", "# A\n\nWord markdown.\n");
    home.write("jsonl/a.jsonl", "{\"_id\": \"a\", \"title\": \"A\", \"text\": \"Word jsonl.\"}\n");
    for (name, kind) in [("html", "site"), ("markdown", "markdown"), ("jsonl", "jsonl")] {
        let kind = format!("--kind={kind}");
        let added =
            home.json(&["collection", "add", name, name, &kind, "--encoder=none", "--json"]);
        assert_eq!(added["pages"], 1, "{name}");
        assert_eq!(home.found(name, "word").len(), 1, "{name}");
    }
}

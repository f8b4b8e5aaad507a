//! Collections with several vectors of the same pages, each searched by its name.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use super::home::{Home, tree};

fn page(home: &Home, at: usize, text: &str) {
    let words: String = (0..60).map(|i| format!("word{} ", (at * 31 + i * i * 7) % 97)).collect();
    let text = format!("# Page {at}\n\nA mutex guards data. {words}\n\n## More\n\n{text}\n");
    home.write(&format!("site/{at}.md"), &text);
}

fn home() -> Home {
    let home = Home::new();
    (0..40).for_each(|at| page(&home, at, "Salt."));
    home
}

fn add(home: &Home, name: &str, vectors: &[&str]) -> Value {
    let args = ["collection", "add", name, "site", "--encoder=hash", "--json"];
    home.json(&[&args[..], vectors].concat())
}

const VECTORS: [&str; 2] = ["--vectors=table=static", "--vectors=words=none"];

fn first(home: &Home, name: &str) -> PathBuf {
    let show = home.json(&["collection", "show", name, "--json"]);
    show["bundle"].as_str().unwrap().into()
}

fn further(home: &Home, name: &str, vectors: &str) -> PathBuf {
    first(home, name).with_file_name("vectors").join(vectors)
}

/// Returns whether all files that two bundles have in common are the same files on disk, and the
/// number of such files.
#[cfg(unix)]
fn shared(one: &Path, other: &Path) -> usize {
    use std::os::unix::fs::MetadataExt;

    let inode = |path: PathBuf| fs::metadata(path).unwrap().ino();
    let both: Vec<PathBuf> = tree(one)
        .into_iter()
        .map(|(path, _)| path)
        .filter(|path| other.join(path).is_file())
        .collect();
    let is_one = |path: &&PathBuf| inode(one.join(path)) == inode(other.join(path));
    // The entry file has the same name in each bundle.
    let others: Vec<_> = both.iter().filter(|path| !is_one(path)).collect();
    assert_eq!(others, [Path::new("findling.idx")]);
    both.len() - 1
}

#[test]
fn vectors_are_chosen_by_name() {
    let home = home();
    let added = add(&home, "site", &VECTORS);
    let names: Vec<&String> = added["vectors"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["table", "words"]);
    let encoder = |args: &[&str]| {
        let common = ["search", "site", "mutex", "--json"];
        home.json(&[&common[..], args].concat())["_meta"]["encoder"].clone()
    };
    let of_hash = encoder(&[]);
    assert!(of_hash.is_string());
    assert_eq!(encoder(&["--vector-name=default"]), of_hash);
    assert!(encoder(&["--vector-name=table"]) != of_hash);
    assert_eq!(encoder(&["--vector-name=words"]), Value::Null);
    let find = ["find", "mutex", "--json", "--vector-name=table"];
    assert!(home.json(&find)["collections"][0]["_meta"]["encoder"] != of_hash);
    assert_eq!(home.run(&["context", "mutex", "site", "--vector-name=table"]).code, 0);

    let unknown = home.run(&["search", "site", "mutex", "--json", "--vector-name=other"]);
    let error: Value = serde_json::from_str(&unknown.out).unwrap();
    assert_eq!(error["error"]["code"], "unknown-vectors", "{unknown:?}");
    let path = first(&home, "site");
    let args = ["search", path.to_str().unwrap(), "mutex", "--json", "--vector-name=table"];
    assert_ne!(home.run(&args).code, 0, "a bundle at a path has one kind of vectors");
    let show = home.run(&["collection", "show", "site"]).out;
    assert!(show.contains("vectors   table, by static, "), "{show}");
    for wrong in ["table", "default=hash", "table="] {
        let args = ["collection", "add", "more", "site", "--no-sync", "--vectors", wrong];
        assert_eq!(home.run(&args).code, 2, "{wrong}");
    }
}

#[test]
fn pages_and_words_are_kept_once() {
    let home = home();
    let added = add(&home, "site", &VECTORS);
    let bytes = |of: &str, what: &str| added["vectors"][of][what].as_u64().unwrap();
    for vectors in ["table", "words"] {
        assert!(bytes(vectors, "ownBytes") < bytes(vectors, "bundleBytes"), "{added}");
    }
    #[cfg(unix)]
    for vectors in ["table", "words"] {
        let (first, other) = (first(&home, "site"), further(&home, "site", vectors));
        let n = shared(&first, &other);
        assert!(n > 1, "{n} files are shared");
    }
    // Each set of vectors is exported as a whole bundle.
    let args = ["collection", "export", "site", "table.findling", "--vector-name=table"];
    assert_eq!(home.run(&args).code, 0);
    assert_eq!(home.found("table.findling", "mutex").len(), 40);
}

#[test]
fn edits_reach_all_vectors_and_every_file_in_common_stays_shared() {
    let home = home();
    add(&home, "site", &VECTORS);
    add(&home, "twin", &VECTORS);
    let trees = |name: &str| {
        let others = ["table", "words"].map(|vectors| tree(&further(&home, name, vectors)));
        (tree(&first(&home, name)), others)
    };
    let edits: [&dyn Fn(); 4] = [
        &|| page(&home, 7, "A zebra."),
        &|| fs::remove_file(home.path("site/3.md")).unwrap(),
        &|| page(&home, 90, "A new page."),
        &|| (0..40).step_by(9).for_each(|at| page(&home, at, "Pepper.")),
    ];
    for (number, edit) in edits.iter().enumerate() {
        edit();
        for log in ["pages", "analyses", "shards", "shards-table", "shards-words"] {
            fs::remove_file(home.collection("twin").join(log)).unwrap();
        }
        home.sync("site");
        home.sync("twin");
        assert!(trees("site") == trees("twin"), "after edit {number}");
        #[cfg(unix)]
        shared(&first(&home, "site"), &further(&home, "site", "table"));
    }
    assert_eq!(home.sync("site")["status"], "unchanged");
    let verified = home.json(&["collection", "verify", "site", "--deep", "--json"]);
    assert_eq!(verified["collections"][0]["status"], "whole");

    // A bundle that is damaged is built again.
    fs::remove_file(further(&home, "site", "table").join("findling.idx")).unwrap();
    assert_eq!(home.run(&["collection", "verify", "site"]).code, 1);
    assert_eq!(home.sync("site")["reason"], "damaged");
    assert_eq!(home.run(&["collection", "verify", "site", "--deep"]).code, 0);

    // Vectors that the registry no longer lists are removed by the next sync.
    let registry = fs::read_to_string(home.registry()).unwrap();
    let edited = registry.replacen(", words = \"none\"", "", 1);
    assert_ne!(registry, edited);
    fs::write(home.registry(), edited).unwrap();
    assert_eq!(home.sync("site")["reason"], "settings");
    assert!(!further(&home, "site", "words").exists());
    assert!(!home.collection("site").join("shards-words").exists());
}

#[test]
fn a_sync_that_is_killed_leaves_all_vectors_of_one_generation() {
    let home = home();
    add(&home, "site", &VECTORS);
    for moment in 0..6 {
        let (old, new) = (format!("marker{moment}"), format!("marker{}", moment + 1));
        (0..40).for_each(|at| page(&home, at, &new));
        let mut sync = home
            .command(&["sync", "site"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(40 * moment));
        sync.kill().unwrap();
        sync.wait().unwrap();
        let found = |vectors: &str, word: &str| {
            let name = format!("--vector-name={vectors}");
            let args = ["search", "site", word, "--json", "--mode=lexical", "--verbatim", "-k100"];
            home.json(&[&args[..], &[&name]].concat())["results"].as_array().unwrap().len()
        };
        let of = |word: &str| ["default", "table", "words"].map(|vectors| found(vectors, word));
        let before = if moment == 0 { "salt" } else { &old };
        let all = (of(before), of(&new));
        assert!(all == ([40; 3], [0; 3]) || all == ([0; 3], [40; 3]), "{all:?}");
        home.sync("site");
        assert_eq!(of(&new), [40; 3]);
        assert_eq!(home.generations("site").len(), 1);
    }
    assert_eq!(home.json(&["collection", "list", "--json"])["collections"][0]["pages"], json!(40));
}

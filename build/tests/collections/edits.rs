//! Tests that a collection with edited sources answers like a collection that is built from
//! scratch.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::Value;

use super::home::{Home, tree};

const WORDS: [&str; 6] = ["mutex", "thread", "channel", "oven", "flour", "salt"];

/// An edit of one of a few files.
#[derive(Clone, Debug)]
enum Edit {
    Write(u8, Vec<usize>),
    Delete(u8),
    Move(u8, u8),
    /// Another date, but the same contents.
    Touch(u8),
}

fn edit() -> impl Strategy<Value = Edit> {
    let file = || 0..8u8;
    prop_oneof![
        4 => (file(), prop::collection::vec(0..WORDS.len(), 1..12))
            .prop_map(|(at, words)| Edit::Write(at, words)),
        1 => file().prop_map(Edit::Delete),
        1 => (file(), file()).prop_map(|(from, to)| Edit::Move(from, to)),
        1 => file().prop_map(Edit::Touch),
    ]
}

fn make(home: &Home, edit: &Edit) {
    let path = |at: &u8| home.path(&format!("site/part{}/page{at}.md", at % 3));
    match edit {
        Edit::Write(at, words) => {
            let text: Vec<&str> = words.iter().map(|word| WORDS[*word]).collect();
            let half = text.len() / 2;
            let text = format!(
                "# Page {at}\n\n{}\n\n## Part\n\n{}\n",
                text[..half].join(" "),
                text[half..].join(" ")
            );
            home.write(&format!("site/part{}/page{at}.md", at % 3), &text);
        }
        Edit::Delete(at) => drop(fs::remove_file(path(at))),
        Edit::Move(from, to) => drop(fs::rename(path(from), path(to))),
        Edit::Touch(at) => {
            if let Ok(file) = fs::File::options().append(true).open(path(at)) {
                file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
            }
        }
    }
}

/// Returns address, sections and score of all that each word finds. Pages of equal score have no
/// order of their own, so results are sorted by address.
fn answers(home: &Home, target: &str) -> Vec<Vec<(String, String, String)>> {
    let results = |query: &str| {
        let response = home.json(&["search", target, query, "--json", "--verbatim", "-k100"]);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut results: Vec<_> = response["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|page| {
                let sections = page["sections"].as_array().unwrap();
                let urls: Vec<String> =
                    sections.iter().map(|section| text(&section["url"])).collect();
                (text(&page["url"]), urls.join(" "), page["score"].to_string())
            })
            .collect();
        results.sort();
        results
    };
    ["mutex", "oven salt", "\"thread channel\""].map(results).to_vec()
}

fn check(batches: &[Vec<Edit>]) {
    let home = Home::new();
    home.write("site/index.md", "# Index\n\nA mutex, an oven, salt.\n");
    let add = |name: &str, more: &[&str]| {
        let args = ["collection", "add", name, "site", "--encoder=hash"];
        assert_eq!(home.run(&[&args[..], more].concat()).code, 0);
    };
    add("c", &[]);
    add("twin", &["--no-sync"]);
    for edits in batches {
        edits.iter().for_each(|edit| make(&home, edit));
        home.sync("c");
        home.json(&["sync", "twin", "--fresh", "--json"]);
        assert_eq!(answers(&home, "c"), answers(&home, "twin"), "{edits:?}");
        assert_eq!(home.sync("c")["status"], "unchanged");
    }
    // A collection that is built from scratch has the same bytes as a bundle that is built from
    // scratch.
    home.json(&["sync", "c", "--fresh", "--json"]);
    let args = [
        &["build", "site", "-o", "out"],
        &["--encoder=hash", "--no-client", "--no-fit", "--host=files"][..],
    ]
    .concat();
    assert_eq!(home.run(&args).code, 0);
    assert!(bundle(&home, "c") == tree(&home.path("out")));
}

/// Returns the files of a collection's bundle.
fn bundle(home: &Home, name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let show = home.json(&["collection", "show", name, "--json"]);
    tree(show["bundle"].as_str().unwrap().as_ref())
}

/// Removes the results that earlier syncs of a collection computed.
fn forget(home: &Home, name: &str) {
    for log in ["pages", "analyses", "shards"] {
        fs::remove_file(home.collection(name).join(log)).unwrap();
    }
}

#[test]
fn what_earlier_syncs_computed_changes_no_byte() {
    let home = Home::new();
    // Enough for several batches of pages, ranges of terms and blocks of positions.
    let page = |at: usize, more: &str| {
        let words = |n: usize| -> String {
            (0..n)
                .map(|i| format!("word{} {} ", (at * 31 + i * i * 7) % 997, WORDS[i % 6]))
                .collect()
        };
        let (first, second) = (words(40 + at % 30), words(20));
        let text = format!("# Page {at}\n\n{first}\n\n## Part of {at}\n\n{second}\n{more}");
        home.write(&format!("site/part{}/page{at}.md", at % 7), &text);
    };
    (0..300).for_each(|at| page(at, ""));
    home.add("site");
    let args = ["collection", "add", "twin", "site", "--encoder=none"];
    assert_eq!(home.run(&args).code, 0);
    assert!(bundle(&home, "site") == bundle(&home, "twin"));
    let edits: [&dyn Fn(); 6] = [
        &|| page(150, "\n## Another section\n\nA word that was not there: zebra.\n"),
        &|| page(150, ""),
        &|| page(3, "One more sentence in the second section."),
        &|| page(300, "A new page."),
        &|| fs::remove_file(home.path("site/part1/page8.md")).unwrap(),
        &|| (0..300).step_by(90).for_each(|at| page(at, "The same in several pages.")),
    ];
    for (number, edit) in edits.iter().enumerate() {
        edit();
        forget(&home, "twin");
        home.sync("site");
        home.sync("twin");
        assert!(bundle(&home, "site") == bundle(&home, "twin"), "after edit {number}");
    }
    // A log with damage in any place counts as no log.
    for log in ["pages", "analyses", "shards"] {
        let path = home.collection("site").join(log);
        let mut bytes = fs::read(&path).unwrap();
        for byte in bytes.iter_mut().skip(200).step_by(1000) {
            *byte ^= 0x20;
        }
        fs::write(&path, bytes).unwrap();
        page(77, &format!("After {log} was spoilt."));
        home.sync("site");
        home.sync("twin");
        assert!(bundle(&home, "site") == bundle(&home, "twin"), "{log} spoilt");
    }
}

#[test]
#[cfg(unix)]
fn shards_that_stay_are_the_same_files() {
    use std::os::unix::fs::MetadataExt;

    let home = Home::new();
    for page in 0..60 {
        let words: String =
            (0..90).map(|i| format!("word{} ", (page * 31 + i * i * 7) % 997)).collect();
        home.write(&format!("site/{page}.md"), &format!("# Page {page}\n\n{words}\n"));
    }
    home.add("site");
    let files = || -> HashMap<PathBuf, u64> {
        let show = home.json(&["collection", "show", "site", "--json"]);
        let directory = Path::new(show["bundle"].as_str().unwrap()).join("shards");
        let entries = fs::read_dir(directory).unwrap().flatten();
        entries.map(|entry| (entry.file_name().into(), entry.metadata().unwrap().ino())).collect()
    };
    let before = files();
    home.write("site/new.md", "# New\n\nA zebra.\n");
    home.sync("site");
    let after = files();
    let stayed: Vec<&PathBuf> = after.keys().filter(|name| before.contains_key(*name)).collect();
    assert!(!stayed.is_empty() && stayed.len() < after.len());
    assert!(stayed.iter().all(|name| before[*name] == after[*name]));
}

#[test]
fn a_spoilt_shard_is_made_anew() {
    let home = Home::new();
    let page = |edit: usize| home.write("site/b.md", &format!("# B\n\nEdit {edit} with salt.\n"));
    home.write("site/a.md", "# A\n\nA mutex, an oven.\n");
    page(0);
    home.add("site");
    let mut n_spoilt = 0;
    loop {
        let shards: Vec<PathBuf> = bundle(&home, "site")
            .into_iter()
            .map(|(path, _)| path)
            .filter(|path| path.starts_with("shards"))
            .collect();
        let Some(shard) = shards.get(n_spoilt) else { break };
        let show = home.json(&["collection", "show", "site", "--json"]);
        let file = Path::new(show["bundle"].as_str().unwrap()).join(shard);
        let mut bytes = fs::read(&file).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&file, bytes).unwrap();
        n_spoilt += 1;
        page(n_spoilt);
        home.sync("site");
        let verified = home.json(&["collection", "verify", "--deep", "--json"]);
        assert_eq!(verified["collections"][0]["status"], "whole", "{shard:?} spoilt");
        assert_eq!(home.found("site", "mutex").len(), 1);
        assert_eq!(home.found("site", &n_spoilt.to_string()).len(), 1);
    }
    assert!(n_spoilt > 4, "{n_spoilt}");
}

fn batches(n: usize) -> impl Strategy<Value = Vec<Vec<Edit>>> {
    prop::collection::vec(prop::collection::vec(edit(), 1..6), n)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_few_random_edits_give_the_results_of_a_fresh_build(batches in batches(3)) {
        check(&batches);
    }

    /// `cargo test -p findling --test collections -- --ignored two_hundred`
    #[test]
    #[ignore = "two hundred edits take a minute"]
    fn two_hundred_random_edits_give_the_results_of_a_fresh_build(batches in batches(66)) {
        check(&batches);
    }
}

//! `findling history`, `feedback` and `learn`.

use super::home::Home;

fn home() -> Home {
    let home = Home::new();
    home.write("notes/a.md", "# Threads\n\nA mutex guards data.\n");
    home.add("notes");
    home
}

fn queries(home: &Home) -> Vec<String> {
    let done = home.run(&["history", "--json"]);
    let searches: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    let searches = searches.as_array().unwrap();
    assert_eq!(done.code, i32::from(searches.is_empty()), "{done:?}");
    searches.iter().map(|one| one["query"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn searches_are_remembered_only_where_that_is_wanted() {
    let home = home();
    home.run(&["search", "notes", "mutex"]);
    assert!(queries(&home).is_empty());
    assert!(!home.data().join("history.sqlite").exists(), "it is off by default");
    home.write("findling.toml", "history = true\n\n[search]\nlimit = 3\n");
    home.run(&["search", "notes", "mutex"]);
    home.run(&["find", "evil \u{1b}[2J"]);
    home.json(&["search", "notes", "threads", "--json"]);
    // Searches without words, further pages of a search, and searches for similar pages are not
    // queries.
    for args in [
        &["search", "notes", ""][..],
        &["search", "notes", "mutex", "--offset=1"],
        &["similar", "notes", "/a/"],
    ] {
        home.run(args);
    }
    assert_eq!(queries(&home), ["evil \u{1b}[2J", "mutex"], "what programs read is not");
    let shown = home.run(&["history"]);
    assert!(findling_build::safe_text::is_safe(&shown.out), "{shown:?}");
    // The file in the data directory applies to all directories; a nearer file takes precedence.
    home.write("data/findling.toml", "history = true\n");
    home.write("findling.toml", "history = false\n");
    home.run(&["search", "notes", "guards"]);
    assert_eq!(queries(&home).len(), 2);
    std::fs::remove_file(home.path("findling.toml")).unwrap();
    home.run(&["search", "notes", "guards"]);
    assert_eq!(queries(&home)[0], "guards");
    home.write("findling.toml", "history = \"yes\"\n");
    let done = home.run(&["history"]);
    assert_eq!(done.code, 0, "{done:?}");
    let done = home.run(&["search", "notes", "mutex"]);
    assert_eq!(done.code, 0, "a search does not fail for it: {done:?}");
    assert!(done.err.contains("findling.toml:1"), "{done:?}");
    assert_eq!(home.run(&["history", "clear"]).code, 2, "nobody has agreed");
    assert_eq!(home.run(&["history", "clear", "--yes"]).code, 0);
    assert!(!home.data().join("history.sqlite").exists());
}

#[cfg(unix)]
#[test]
fn nobody_else_reads_the_history_and_a_damaged_one_is_named() {
    use std::os::unix::fs::PermissionsExt;

    let home = home();
    home.write("findling.toml", "history = true\n");
    home.run(&["search", "notes", "mutex"]);
    let file = home.data().join("history.sqlite");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::write(&file, "no database at all, but long enough to be read as one".repeat(40))
        .unwrap();
    let done = home.run(&["history", "--json"]);
    assert_eq!(done.code, 3, "{done:?}");
    assert_eq!(home.run(&["search", "notes", "mutex"]).code, 0);
    assert_eq!(home.run(&["history", "clear", "--yes"]).code, 0);
    assert!(queries(&home).is_empty());
}

/// Returns a home with a collection of two pages for each topic. One page has the topic's name in
/// its text and is first by default; the other has it in a block of code.
fn topics() -> Home {
    let home = Home::new();
    let rest = "Other words that say little about it. ".repeat(3);
    for topic in 0..40 {
        let word = format!("topic{topic:02}");
        let page = |kind: &str, text: &str| {
            home.write(&format!("notes/{topic}-{kind}.md"), &format!("# Page\n\n{text}\n"));
        };
        page("text", &format!("The {word} is here. {rest}"));
        page("code", &format!("Text. {rest}\n\n```\n{word}\n```"));
    }
    home.add("notes");
    home
}

fn first(home: &Home, query: &str) -> String {
    home.found("notes", query)[0].clone()
}

#[test]
fn ranking_learned_from_feedback_is_local_and_can_be_forgotten() {
    let home = topics();
    assert_eq!(home.run(&["feedback", "1", "good"]).code, 2, "there was no search");
    let few = home.run(&["learn", "notes", "--json"]);
    assert_eq!(few.code, 2, "{few:?}");
    assert!(few.out.contains("\"feedback\""), "{few:?}");
    let query = |topic: usize| format!("topic{topic:02}");
    assert!(first(&home, &query(39)).contains("text"));
    for topic in 0..30 {
        assert_eq!(home.run(&["search", "notes", &query(topic), "--mode=lexical"]).code, 0);
        let hits = home.json(&["last", "--json"])["hits"].clone();
        let rank_of = |part: &str| {
            let hit = hits
                .as_array()
                .unwrap()
                .iter()
                .find(|hit| hit["id"].as_str().unwrap().contains(part));
            hit.unwrap()["rank"].to_string()
        };
        assert_eq!(home.run(&["feedback", &rank_of("code"), "good"]).code, 0);
        assert_eq!(home.run(&["feedback", &rank_of("text"), "bad"]).code, 0);
    }
    let asked = home.run(&["learn", "notes"]);
    assert_eq!(asked.code, 2, "nobody has agreed: {asked:?}");
    assert!(asked.out.contains("the gain holds"), "it is shown before: {asked:?}");
    assert!(first(&home, &query(39)).contains("text"));
    let learned = home.run(&["learn", "notes", "--yes"]);
    assert_eq!(learned.code, 0, "{learned:?}");
    // A page of a topic that was not judged.
    assert!(first(&home, &query(39)).contains("code"));
    // A measurement belongs to the bundle.
    home.write("queries.jsonl", "{\"_id\": \"q\", \"text\": \"topic39\"}\n");
    home.write("qrels.tsv", "query-id\tcorpus-id\tscore\nq\t39-text.md\t1\n");
    let files = ["--queries=queries.jsonl", "--qrels=qrels.tsv", "--mode=lexical", "--json"];
    let report = home.json(&[&["eval", "notes"][..], &files].concat());
    assert_eq!(report["modes"][0]["mrr@10"], 1.0, "{report}");
    assert_eq!(home.run(&["learn", "notes", "--forget"]).code, 0);
    assert!(first(&home, &query(39)).contains("text"));
}

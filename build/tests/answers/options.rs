//! Orders, thresholds, groups and likeness.

use serde_json::Value;

use super::home::{Done, Home};

fn home() -> Home {
    let home = Home::new();
    let record = |id: &str, year: u32, topic: &str, text: &str| {
        serde_json::json!({
            "_id": id, "title": id, "text": text, "url": format!("https://example.org/{id}"),
            "date": format!("{year}-05-01"), "year": year, "topic": topic,
        })
        .to_string()
    };
    let records = [
        record("old", 2001, "locks", "A mutex guards data. A mutex, a mutex."),
        record("mid", 2015, "threads", "A mutex is here, among many other words of this text."),
        record("new", 2024, "locks", "Of all the long words in this text one is mutex, at last."),
    ];
    home.write("records.jsonl", &records.join("\n"));
    let built = home.run(&["build", "records.jsonl", "-o", "bundle", "--encoder=none"]);
    assert_eq!(built.code, 0, "{built:?}");
    home
}

fn search(home: &Home, query: &str, more: &[&str]) -> Value {
    home.json(&[&["search", "bundle", query, "--json"], more].concat())
}

fn ids_of(response: &Value) -> Vec<String> {
    ids(response).into_iter().map(str::to_owned).collect()
}

fn ids(response: &Value) -> Vec<&str> {
    let pages = response["results"].as_array().unwrap();
    pages.iter().map(|page| page["id"].as_str().unwrap()).collect()
}

/// Returns the code of an error in JSON, and the quoted names in its message, in order.
fn refusal(done: &Done) -> (String, Vec<String>) {
    let json: Value = serde_json::from_str(&done.out).unwrap();
    let text = |name: &str| json["error"][name].as_str().unwrap().to_owned();
    let message = text("message");
    (text("code"), message.split('`').skip(1).step_by(2).map(ToOwned::to_owned).collect())
}

#[test]
fn every_order_works_in_every_mode() {
    let home = home();
    for mode in ["lexical", "semantic", "hybrid"] {
        let mode = format!("--mode={mode}");
        for (order, expect) in [
            ("--order=recent", ["new", "mid", "old"]),
            ("--order=newest", ["new", "mid", "old"]),
            ("--order=oldest", ["old", "mid", "new"]),
            ("--sort=year", ["new", "mid", "old"]),
            ("--sort=-year", ["old", "mid", "new"]),
        ] {
            assert_eq!(ids(&search(&home, "mutex", &[order, &mode])), expect, "{order} {mode}");
        }
        assert_eq!(ids(&search(&home, "mutex", &["--order=balanced", &mode])).len(), 3);
    }
    let done = home.run(&["search", "bundle", "mutex", "--sort=nosuch", "--json"]);
    assert_eq!(done.code, 2, "{done:?}");
}

#[test]
fn the_order_by_match_ignores_boosts_and_pins() {
    let home = Home::new();
    let records = [
        serde_json::json!({
            "_id": "pinned", "title": "Kilns", "text": "Fire pots.", "search_pin": "mutex",
        }),
        serde_json::json!({
            "_id": "boosted", "title": "Words", "search_boost": 50,
            "text": "Of all the long words in this text one is mutex, at last.",
        }),
        serde_json::json!({
            "_id": "best", "title": "Mutex", "text": "A mutex guards data. A mutex, a mutex.",
        }),
    ];
    home.write("records.jsonl", &records.map(|record| record.to_string()).join("\n"));
    let built = home.run(&["build", "records.jsonl", "-o", "bundle", "--encoder=none"]);
    assert_eq!(built.code, 0, "{built:?}");
    for mode in ["--mode=lexical", "--mode=hybrid"] {
        let all = ids_of(&search(&home, "mutex", &[mode]));
        assert_eq!(all, ["pinned", "boosted", "best"], "{mode}: as the site prefers");
        for order in ["--order=match", "--order=match-quality"] {
            let all = ids_of(&search(&home, "mutex", &[mode, order]));
            assert_eq!(all, ["best", "boosted"], "{mode} {order}: as the texts match");
        }
    }
}

#[test]
fn an_empty_query_lists_what_is_newest() {
    let home = home();
    assert_eq!(ids(&search(&home, "", &[])), ["new", "mid", "old"]);
    assert_eq!(ids(&search(&home, "", &["--filter=topic=locks"])), ["new", "old"]);
    assert_eq!(ids(&search(&home, "", &["--order=oldest"])), ["old", "mid", "new"]);
}

#[test]
fn pages_below_the_threshold_are_left_out() {
    let home = home();
    let all = search(&home, "mutex", &[]);
    let score = all["_meta"]["relevance"][0].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&score), "{score}");
    let best = search(&home, "mutex", &["--threshold", &(score - 1e-4).to_string()]);
    assert_eq!(ids(&best), ids(&all)[..1]);
    let done = home.run(&["search", "bundle", "mutex", "--threshold=1000"]);
    assert_eq!(done.code, 1, "{done:?}");
}

#[test]
fn pages_of_a_group_are_together_below_its_name() {
    let home = home();
    let grouped = search(&home, "mutex", &["--group-by=topic"]);
    let topics: Vec<&str> = grouped["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["attributes"]["topic"].as_str().unwrap())
        .collect();
    assert_eq!(topics, ["locks", "locks", "threads"]);
    let text = home.run(&["search", "bundle", "mutex", "--group-by=topic"]).out;
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(text.starts_with("locks\n") && place("\nthreads\n") > place(" 2. "), "{text}");
    let done = home.run(&["search", "bundle", "mutex", "--group-by=nosuch", "--json"]);
    assert_eq!(done.code, 2, "{done:?}");
    assert!(done.out.contains("unknown-attribute"), "{done:?}");
}

#[test]
fn pages_like_a_page_or_like_a_file_are_found() {
    let home = home();
    let like = search_like(&home, "old");
    assert!(!ids(&like).contains(&"old") && !ids(&like).is_empty(), "{like}");
    home.write("draft.txt", "\"guards\" -mutex topic:threads data");
    assert_eq!(ids(&search_like(&home, "draft.txt"))[0], "old", "signs of a query are words");
    let done = home.run(&["search", "bundle", "--similar-to=nosuch", "--json"]);
    assert_eq!(done.code, 2, "{done:?}");
    assert!(done.out.contains("no-such-page"), "{done:?}");
}

fn search_like(home: &Home, like: &str) -> Value {
    home.json(&["search", "bundle", "--json", "--similar-to", like])
}

#[test]
fn filters_say_what_was_meant_and_what_would_be_kept() {
    let home = home();
    let done = home.run(&["search", "bundle", "mutex", "--filter=topc=locks", "--json"]);
    assert_eq!(done.code, 2, "{done:?}");
    let (code, named) = refusal(&done);
    assert_eq!((&*code, &*named[0], &*named[1]), ("unknown-attribute", "topc", "topic"));
    let done = home.run(&["search", "bundle", "mutex", "--filter=topic=lock"]);
    assert!(done.err.contains("locks"), "the nearest value: {done:?}");
    let none = home.run(&["search", "bundle", "mutex", "--filter=topic=locks and year=2015"]);
    assert_eq!(none.code, 1, "{none:?}");
    assert!(none.err.contains("`year`"), "which part: {none:?}");
    for filter in ["topic:in:locks,threads", "year:gte:2001", "topic:contains:lock", "topic~lock"] {
        assert!(!ids(&search(&home, "mutex", &["--filter", filter])).is_empty(), "{filter}");
    }
}

#[cfg(feature = "code")]
#[test]
fn an_unknown_attribute_names_those_of_sections_with_the_pages_that_have_them() {
    let home = Home::new();
    for name in ["a", "b"] {
        let text =
            "/// Takes a mutex.\npub fn lock() {}\n\n/// Gives it back.\npub fn unlock() {}\n";
        home.write(&format!("tool/{name}.rs"), text);
    }
    home.json(&["collection", "add", "tool", "tool", "--kind=code", "--encoder=none", "--json"]);
    for option in ["--filter=knd=function", "--group-by=knd"] {
        let done = home.run(&["search", "tool", "mutex", option, "--json"]);
        assert_eq!(done.code, 2, "{option}: {done:?}");
        let (code, named) = refusal(&done);
        assert_eq!((&*code, &*named[0], &*named[1]), ("unknown-attribute", "knd", "kind"));
        assert!(done.out.contains("`kind` (2 pages)"), "{option}: {done:?}");
    }
    let done = home.run(&["find", "mutex", "--filter=knd=function"]);
    assert!(done.code == 2 && done.err.contains("`kind` (2 pages)"), "{done:?}");
}

#[test]
fn names_are_matched_whatever_their_case() {
    let home = home();
    home.write("notes/a.md", "---\nauthors: [Ada Lovelace]\n---\n\n# A\n\nmutex\n");
    home.add("notes");
    for target in ["Notes", "NÖTES"] {
        let done = home.run(&["search", target, "mutex", "--filter", "authors=ADA LOVELACE"]);
        assert_eq!(done.code, 0, "{target}: {done:?}");
    }
}

//! `findling find` and `relevance`: many collections, or none.

use super::home::Home;

fn home() -> Home {
    let home = Home::new();
    home.write("notes/threads.md", "# Threads\n\nA mutex guards data that threads share.\n");
    home.write("recipes/bread.md", "# Bread\n\nAn oven bakes bread; a mutex does not.\n");
    home
}

fn names(found: &serde_json::Value) -> Vec<&str> {
    let collections = found["collections"].as_array().unwrap();
    collections.iter().map(|one| one["name"].as_str().unwrap()).collect()
}

#[test]
fn every_collection_is_asked_and_the_best_comes_first() {
    let home = home();
    home.add("notes");
    home.add("recipes");
    let found = home.json(&["find", "bread oven", "--verbatim", "--json"]);
    assert_eq!(names(&found), ["recipes"]);
    let found = home.json(&["find", "mutex threads", "--json"]);
    assert_eq!(names(&found)[0], "notes");
    let found = home.json(&["find", "mutex", "--in", "recipes", "--json"]);
    assert_eq!(names(&found), ["recipes"]);
    let text = home.run(&["find", "mutex threads"]);
    assert!(text.out.starts_with("notes\n") && text.out.contains("notes/threads.md:1"), "{text:?}");
    assert_eq!(home.run(&["find", "xylophone", "--verbatim"]).code, 1);
    let likely = home.json(&["relevance", "oven bread", "--verbatim", "--json"]);
    assert_eq!(names(&likely), ["recipes"]);
    assert_eq!(likely["collections"][0]["ofPages"], 1);
}

#[test]
fn an_offset_skips_pages_of_each_collection() {
    let home = home();
    home.write("notes/locks.md", "# Locks\n\nOne lock is a mutex.\n");
    home.add("notes");
    home.add("recipes");
    let pages = |offset: &str| {
        let found = home.json(&["find", "mutex", "--limit=1", "--offset", offset, "--json"]);
        let collections = found["collections"].as_array().unwrap().clone();
        let pages = collections.iter().map(|one| {
            let urls = one["results"].as_array().unwrap().iter();
            let urls: Vec<String> = urls.map(|page| page["url"].to_string()).collect();
            (one["name"].as_str().unwrap().to_owned(), urls)
        });
        pages.collect::<std::collections::BTreeMap<_, _>>()
    };
    let (first, second) = (pages("0"), pages("1"));
    assert_eq!((first["notes"].len(), first["recipes"].len()), (1, 1), "{first:?}");
    assert_eq!((second["notes"].len(), second["recipes"].len()), (1, 0), "{second:?}");
    assert_ne!(first["notes"], second["notes"]);
    let text = home.run(&["find", "mutex", "--limit=1", "--offset=1"]);
    assert!(text.out.contains(" 2. ") && !text.out.contains(" 1. "), "{text:?}");
    assert!(text.out.contains("1 page found, none shown"), "{text:?}");
    let behind = home.run(&["find", "mutex", "--offset=9"]);
    assert_eq!(behind.code, 0, "pages are found, though none is shown: {behind:?}");
}

#[test]
fn every_collection_is_asked_in_other_words_and_explains_its_answer() {
    let home = home();
    home.add("notes");
    home.add("recipes");
    let ask = ["find", "xylophone", "--verbatim"];
    assert_eq!(home.run(&ask).code, 1);
    let also = [&ask[..], &["--also=oven", "--also=threads", "--json"]].concat();
    let found = home.json(&also);
    let mut found = names(&found);
    found.sort_unstable();
    assert_eq!(found, ["notes", "recipes"]);
    let text = home.run(&["find", "mutex", "--explain"]);
    assert!(text.out.matches("BM25F").count() >= 2, "{text:?}");
    let found = home.json(&["find", "mutex", "--explain", "--json"]);
    for collection in found["collections"].as_array().unwrap() {
        assert!(collection["plan"].is_object(), "{collection}");
        assert!(collection["results"][0]["sections"][0]["explain"].is_object(), "{collection}");
    }
}

#[test]
fn a_collection_that_cannot_be_read_makes_the_answer_partial() {
    let home = home();
    home.add("notes");
    home.add("recipes");
    let generation = home.generations("recipes").remove(0);
    std::fs::remove_dir_all(home.collection("recipes").join(generation).join("bundle")).unwrap();
    let done = home.run(&["find", "mutex", "--json"]);
    assert_eq!(done.code, 4, "{done:?}");
    let found: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(names(&found), ["notes"]);
    assert_eq!(found["failed"][0]["name"], "recipes");
    assert_eq!(found["failed"][0]["error"]["code"], "bundle-gone");
    for query in ["mutex", "zzyzx"] {
        let done = home.run(&["context", query, "--verbatim", "--json"]);
        assert_eq!(done.code, 4, "{query}: {done:?}");
    }
}

#[test]
fn without_collections_the_directory_is_indexed_for_the_search() {
    let home = home();
    let done = home.run(&["find", "oven"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains("recipes/bread.md:1") && done.err.contains("Indexing"), "{done:?}");
    std::fs::remove_dir_all(home.path("notes")).unwrap();
    std::fs::remove_dir_all(home.path("recipes")).unwrap();
    let done = home.run(&["find", "oven", "--json"]);
    assert_eq!(done.code, 2, "{done:?}");
    assert!(done.out.contains("nothing-to-search"), "{done:?}");
}

#[test]
fn a_hit_of_the_last_search_is_opened_by_its_number() {
    let home = home();
    home.add("notes");
    home.add("recipes");
    assert_eq!(home.run(&["last"]).code, 2, "there was no search yet");
    assert_eq!(home.run(&["find", "mutex"]).code, 0);
    let last = home.json(&["last", "--json"]);
    let ranks: Vec<u64> =
        last["hits"].as_array().unwrap().iter().map(|hit| hit["rank"].as_u64().unwrap()).collect();
    assert_eq!(ranks, [1, 2], "numbers go on from one collection to the next");
    let open = |number: &str, editor: &str| {
        let mut command = home.command(&["open", number, "--print"]);
        super::home::Done::of(command.env_remove("VISUAL").env("EDITOR", editor).output().unwrap())
    };
    let path = last["hits"][1]["path"].as_str().unwrap();
    assert_eq!(open("2", "vim").out, format!("vim +1 {path}\n"));
    assert_eq!(open("2", "code --wait").out, format!("code --wait -g {path}:1\n"));
    assert_eq!(open("3", "vim").code, 2);
    // Output for programs does not change the last search.
    home.json(&["search", "notes", "mutex", "--json"]);
    assert_eq!(home.json(&["last", "--json"]), last);
}

#[test]
fn of_several_named_bundles_one_that_cannot_be_read_makes_the_answer_partial() {
    let home = home();
    home.add("notes");
    home.add("recipes");
    let generation = &home.generations("recipes")[0];
    let bundle = home.collection("recipes").join(generation).join("bundle");
    for entry in std::fs::read_dir(bundle).unwrap().flatten() {
        if entry.path().is_dir() {
            std::fs::remove_dir_all(entry.path()).unwrap();
        }
    }
    let ask = |bundles: &[&str]| {
        let bundles = bundles.iter().flat_map(|name| ["--in", *name]);
        let done =
            home.run(&["find", "mutex", "--json"].into_iter().chain(bundles).collect::<Vec<_>>());
        let json = serde_json::from_str::<serde_json::Value>(&done.out).unwrap();
        (done.code, json)
    };
    let (code, found) = ask(&["notes", "recipes"]);
    assert_eq!((code, names(&found)), (4, vec!["notes"]), "{found}");
    assert_eq!(found["failed"][0]["name"], "recipes");
    // A collection that cannot even be opened.
    let (code, found) = ask(&["notes", "./nowhere"]);
    assert_eq!((code, names(&found)), (4, vec!["notes"]), "{found}");
    assert_eq!(found["failed"][0]["error"]["code"], "no-bundle");
    let (code, found) = ask(&["./nowhere", "./nowhere-else"]);
    assert_eq!((code, &found["error"]["code"]), (3, &"no-bundle".into()), "{found}");
}

/// Returns a home with a corpus in two directories, and both together.
fn corpus() -> Home {
    let home = Home::new();
    let words = ["violin", "harbour", "glacier", "lantern", "copper", "meadow", "orbit"];
    for i in 0..40usize {
        let (a, b, c) = (words[i % 7], words[i * i % 5], words[i % 3]);
        let text = format!(
            "# {a} {i}\n\n## About {b}\n\nThe {c} and the {a} near a {b}. {}\n",
            "It is said often. ".repeat(i % 6)
        );
        let side = if i % 3 == 0 { "left" } else { "right" };
        home.write(&format!("all/{side}/{i}.md"), &text);
    }
    for (name, path) in [("left", "all/left"), ("right", "all/right"), ("whole", "all")] {
        home.json(&["collection", "add", name, path, "--encoder=hash", "--json"]);
    }
    home
}

/// Returns titles with their scores, best first, of all collections.
fn scores(home: &Home, args: &[&str]) -> Vec<(f64, String)> {
    let found = home.json(&[&["find", "-k100", "--json"], args].concat());
    let collections = found["collections"].as_array().unwrap().iter();
    let mut pages: Vec<(f64, String)> = collections
        .flat_map(|one| one["results"].as_array().unwrap().clone())
        .map(|page| (page["score"].as_f64().unwrap(), page["title"].as_str().unwrap().to_owned()))
        .collect();
    pages.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    pages
}

#[test]
fn several_collections_score_as_one_that_has_all_of_their_pages() {
    let home = corpus();
    for query in ["violin harbour", "glacier meadow copper", "lantern", "violn orbit", "about"] {
        for mode in ["lexical", "hybrid"] {
            let mode = format!("--mode={mode}");
            let whole = scores(&home, &[query, "--in=whole", &mode]);
            let parts = scores(&home, &[query, "--in=left", "--in=right", &mode]);
            assert!(!whole.is_empty());
            for (rank, (whole, part)) in whole.iter().zip(&parts).take(10).enumerate() {
                let near = (whole.0 - part.0).abs() < 1e-3;
                assert!(near, "{query} {mode} {rank}: {whole:?}, {part:?}");
            }
        }
    }
}

#[test]
fn a_phrase_that_one_of_several_collections_has_is_not_relaxed_in_the_others() {
    let home = corpus();
    home.write("notes/one.md", "# Sum\n\nThe quick violin harbour rests.\n");
    home.add("notes");
    let ask = |query: &str| {
        let found = home.json(&["find", query, "--json", "--mode=lexical"]);
        names(&found).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(ask("\"quick violin harbour rests\" violin harbour"), ["notes"]);
    // No collection has this attribute, so the condition is read as words in all of them.
    assert!(ask("\"rests quick orbit\" violin harbour").len() > 1);
}

//! Names in other spellings: of collections, attributes and their values.

use serde_json::{Value, json};

use super::home::Home;

/// Returns a home with papers of people whose names are alike, in the collection `rust-book`.
fn home() -> Home {
    let home = Home::new();
    let record = |id: &str, authors: &[&str], topic: &str| {
        json!({"_id": id, "title": id, "text": "A mutex guards data.", "authors": authors,
               "topic": topic})
        .to_string()
    };
    let records = [
        record("one", &["Jane Mary Smith", "Ben van den Berg"], "Café"),
        record("two", &["John Smith"], "locks"),
        record("three", &["Jürgen Müller"], "Locks-and-threads"),
        record("four", &["Koch"], "locks"),
        record("five", &["Eva Koch"], "locks"),
    ];
    home.write("papers/all.jsonl", &records.join("\n"));
    home.json(&[
        "collection",
        "add",
        "rust-book",
        "papers",
        "--kind=jsonl",
        "--encoder=none",
        "--json",
    ]);
    home
}

/// Returns the ids of the pages that pass a filter, in order, and the notices of how it was read.
fn pass(home: &Home, filter: &str) -> (Vec<String>, Vec<String>) {
    let args = ["search", "rust-book", "mutex", "--json", "--mode=lexical", "--filter", filter];
    let found = home.json(&args);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let pages = found["results"].as_array().unwrap().iter();
    let mut ids: Vec<String> = pages.map(|page| text(&page["id"])).collect();
    ids.sort();
    let notices = found["notices"].as_array().unwrap().iter();
    let read = notices.filter(|notice| notice["code"] == "read-as");
    (ids, read.map(|notice| text(&notice["message"])).collect())
}

fn refused(home: &Home, args: &[&str]) -> String {
    let done = home.run(&[args, &["--json"]].concat());
    assert_eq!(done.code, 2, "{args:?}: {done:?}");
    let json: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(json["error"]["code"], "ambiguous", "{args:?}: {json}");
    json["error"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn attributes_and_values_are_found_in_other_spellings_and_the_answer_says_so() {
    let home = home();
    for (filter, ids, notes) in [
        ("authors=J. M. Smith", &["one"][..], &["`Jane Mary Smith`"][..]),
        ("Author=\"Smith, John\"", &["two"], &["read as `authors`", "`John Smith`"]),
        ("AUTHORS=van den berg", &["one"], &["read as `authors`", "`Ben van den Berg`"]),
        ("authors in muller, B Berg", &["one", "three"], &["`Jürgen Müller`", "van den Berg"]),
        ("topic=cafe", &["one"], &["`Café`"]),
        ("not topic=CAFE and Topic!=locks", &["three"], &["`Café`", "read as `topic`"]),
        (
            "{\"must\": [{\"match\": {\"author\": \"Muller\"}}]}",
            &["three"],
            &["`authors`", "Jürgen"],
        ),
    ] {
        let (found, read) = pass(&home, filter);
        assert_eq!(found, ids, "{filter}: {read:?}");
        assert_eq!(read.len(), notes.len(), "{filter}: {read:?}");
        assert!(notes.iter().all(|note| read.iter().any(|read| read.contains(note))), "{read:?}");
    }
}

#[test]
fn a_warning_says_how_a_name_was_read() {
    let home = home();
    for args in [
        &["search", "rust-book", "mutex"][..],
        &["find", "mutex"],
        &["context", "mutex"],
        &["similar", "rust-book", "three"],
    ] {
        let done = home.run(&[args, &["--filter", "author=muller"]].concat());
        assert!(done.err.contains("`Jürgen Müller`"), "{args:?}: {done:?}");
    }
}

#[test]
fn attributes_to_sort_group_spread_and_count_by_are_found_in_other_spellings() {
    let home = home();
    let search = |args: &[&str]| {
        home.json(&[&["search", "rust-book", "mutex", "--json", "--mode=lexical"], args].concat())
    };
    let notes = |found: &Value| -> Vec<String> {
        let notices = found["notices"].as_array().unwrap().iter();
        let read = notices.filter(|notice| notice["code"] == "read-as");
        read.map(|notice| notice["message"].to_string()).collect()
    };
    let ids = |found: &Value| -> Vec<String> {
        let pages = found["results"].as_array().unwrap().iter();
        pages.map(|page| page["id"].to_string()).collect()
    };
    for (typed, exact, of) in [
        (&["--sort", "-Tópic"][..], &["--sort", "-topic"][..], "`topic`"),
        (&["--group-by", "Author"], &["--group-by", "authors"], "`authors`"),
        (&["--spread", "TOPICS"], &["--spread", "topic"], "`topic`"),
        (&["--facet", "AUTHOR"], &["--facet", "authors"], "`authors`"),
    ] {
        let (typed, exact) = (search(typed), search(exact));
        assert_eq!(ids(&typed), ids(&exact), "{typed}");
        assert_eq!(typed["facets"], exact["facets"]);
        assert_eq!(notes(&exact), [""; 0]);
        let said = notes(&typed);
        assert!(said.len() == 1 && said[0].contains(of), "{said:?}");
    }
    // Grouped by the attribute, results of every collection show the values above the pages.
    for args in [&["search", "rust-book", "mutex"][..], &["find", "mutex"]] {
        let typed = home.run(&[args, &["--group-by", "TOPIC"]].concat());
        let exact = home.run(&[args, &["--group-by", "topic"]].concat());
        assert_eq!(typed.out, exact.out);
        assert!(typed.err.contains("`TOPIC`") && typed.err.contains("`topic`"), "{typed:?}");
    }
    let unknown = home.run(&["search", "rust-book", "mutex", "--sort", "colour"]);
    assert!(unknown.code == 2 && unknown.err.contains("`topic`"), "{unknown:?}");
}

#[test]
fn an_ambiguous_attribute_to_sort_or_group_by_is_an_error() {
    let home = Home::new();
    let record = json!({"_id": "a", "title": "a", "text": "A mutex.", "topic": "x", "Topic": "y"});
    home.write("papers/all.jsonl", &record.to_string());
    home.json(&["collection", "add", "p", "papers", "--kind=jsonl", "--encoder=none", "--json"]);
    for option in ["--sort", "--group-by", "--spread", "--facet"] {
        let message = refused(&home, &["search", "p", "mutex", option, "TOPIC"]);
        assert!(message.contains("`topic`") && message.contains("`Topic`"), "{message}");
    }
}

#[test]
fn an_exact_name_finds_only_itself() {
    let home = home();
    for (filter, ids) in [
        ("authors=Koch", &["four"][..]),
        ("authors=koch", &["four"]),
        ("topic=LOCKS", &["five", "four", "two"]),
        ("topic=locks and threads", &["three"]),
    ] {
        assert_eq!(pass(&home, filter), (ids.iter().map(ToString::to_string).collect(), vec![]));
    }
    // Topics are not people, and a part of a name is not a name.
    for filter in ["topic=threads", "authors=Jane", "authors=Smi"] {
        assert_eq!(pass(&home, filter), (vec![], vec![]), "{filter}");
    }
}

#[test]
fn a_name_that_fits_several_people_takes_all_of_them_and_says_so() {
    let home = home();
    for args in [
        &["search", "rust-book", "mutex", "--filter", "authors=J. Smith"][..],
        &["find", "mutex", "--filter", "author=smith"],
        &["context", "mutex", "--filter", "author=smith"],
        &["similar", "rust-book", "three", "--filter", "author=smith"],
    ] {
        let done = home.run(args);
        assert!(done.code < 2, "{args:?}: {done:?}");
        for name in ["`Jane Mary Smith`", "`John Smith`"] {
            assert!(done.err.contains(name), "{args:?}: {done:?}");
        }
    }
    let (ids, _) = pass(&home, "authors=smith");
    assert_eq!(ids, ["one", "two"]);
}

#[test]
fn collections_are_found_by_names_in_another_spelling() {
    let home = home();
    for name in ["rust-book", "Rust-Book", "rust book", "RUST_BOOK", "Rúst Book"] {
        assert_eq!(home.found(name, "mutex").len(), 5, "{name}");
        let found = home.json(&["find", "mutex", "--in", name, "--json"]);
        assert_eq!(found["collections"][0]["name"], "rust-book", "{name}");
    }
    let done = home.run(&["search", "rust/book", "mutex"]);
    assert_eq!(done.code, 3, "a path is no name: {done:?}");
    assert_eq!(home.run(&["search", "rust", "mutex"]).code, 2, "a part of a name is no name");
    home.json(&[
        "collection",
        "add",
        "rust_book",
        "papers",
        "--kind=jsonl",
        "--encoder=none",
        "--json",
    ]);
    assert_eq!(home.found("RUST_BOOK", "mutex").len(), 5, "the one with this sign");
    let message = refused(&home, &["search", "Rust Book", "mutex"]);
    assert!(message.contains("rust-book or rust_book"), "{message}");
    // Commands that change a collection take its exact name.
    assert_eq!(home.run(&["collection", "remove", "Rust Book", "--yes"]).code, 2);
}

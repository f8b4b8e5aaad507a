//! Queries of marks alone in the default mode: no encoder can embed them, so words answer.

use serde_json::{Value, json};

use super::home::Home;

/// Returns a home with a site that has marks in code and in text. Its encoder runs in the host
/// (`hash`) or in the engine (`static`).
fn home(encoder: &str) -> Home {
    let home = Home::new();
    for (file, text) in [
        ("arrow.md", "# Short functions\n\nWrite `=>` between the parameters and the body.\n"),
        ("ship.md", "# Commit signs\n\n🚀 marks releases.\n"),
        ("spread.md", "# Spread\n\nWith `...` a list is spread into another.\n"),
        ("bread.md", "# Bread\n\nKnead the dough, and bake it until the crust is brown.\n"),
    ] {
        home.write(&format!("site/{file}"), text);
    }
    let encoder = format!("--encoder={encoder}");
    let done = home.run(&["build", "site", "-o", "out", &encoder, "--no-client"]);
    assert_eq!(done.code, 0, "{done:?}");
    home
}

/// Returns the pages of a response and the codes of its notices.
fn read(response: &Value) -> (Vec<&str>, Vec<&str>) {
    let texts = |list: &str, key: &str| {
        let list = response[list].as_array().unwrap();
        list.iter().map(|one| one[key].as_str().unwrap()).collect()
    };
    (texts("results", "id"), texts("notices", "code"))
}

const EXPECT: [(&str, &[&str], &[&str]); 4] = [
    ("=>", &["arrow.md"], &["query-unknown"]),
    ("🚀", &["ship.md"], &["query-unknown"]),
    ("::", &[], &["query-unknown", "no-words"]),
    ("?!", &[], &["query-unknown", "no-words"]),
];

#[test]
fn marks_alone_are_answered_by_words_in_the_default_mode() {
    for encoder in ["hash", "static"] {
        let home = home(encoder);
        for (query, pages, notices) in EXPECT {
            let response = home.json(&["search", "out", query, "--json"]);
            assert_eq!(read(&response), (pages.to_vec(), notices.to_vec()), "{encoder}: {query}");
            assert_eq!(response["mode"], "lexical", "{encoder}: {query}");
        }
    }
}

#[test]
fn a_batch_goes_on_behind_a_query_of_marks_alone() {
    for encoder in ["hash", "static"] {
        let home = home(encoder);
        let queries = EXPECT.iter().map(|(query, ..)| *query).chain(["spread"]);
        let lines = queries.map(|query| json!({"_id": query, "text": query}).to_string());
        home.write("queries.jsonl", &lines.collect::<Vec<_>>().join("\n"));
        let done =
            home.run(&["search", "out", "--batch", "queries.jsonl", "--format", "json", "-k", "1"]);
        assert_eq!(done.code, 0, "{encoder}: {done:?}");
        let answers: Vec<Value> =
            done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(answers.len(), EXPECT.len() + 1, "{encoder}: {done:?}");
        for (answer, (query, pages, _)) in answers.iter().zip(EXPECT) {
            assert_eq!((&answer["_id"], read(answer).0), (&json!(query), pages.to_vec()));
        }
        assert_eq!(read(&answers[EXPECT.len()]).0, ["spread.md"], "{encoder}");
    }
}

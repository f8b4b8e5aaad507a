//! `--include-vectors`: its additions to JSON, and the commands that refuse it.

use serde_json::Value;

use super::home::Home;

/// Returns a home with two collections of the same pages: one with vectors, one searched by words.
fn home(encoder: &str) -> Home {
    let home = Home::with_site();
    let page = "# Kilns\n\nFire pots slowly.\n\n## Glazes\n\nDip pots into glaze. No mutex here.\n";
    home.write("site/kilns.md", page);
    let encoder = format!("--encoder={encoder}");
    home.json(&["collection", "add", "site", "site", &encoder, "--json"]);
    home.write("words/kilns.md", page);
    home.add("words");
    home
}

fn numbers(vector: &Value) -> Vec<f64> {
    let numbers = vector.as_array().unwrap_or_else(|| panic!("expected a vector, found {vector}"));
    numbers.iter().map(|number| number.as_f64().unwrap()).collect()
}

/// Returns every section of a response with its vector.
fn sections(response: &Value) -> Vec<(&Value, Vec<f64>)> {
    let pages = response["results"].as_array().unwrap().iter();
    let sections = pages.flat_map(|page| page["sections"].as_array().unwrap());
    sections.map(|section| (section, numbers(&section["vector"]))).collect()
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn the_product_of_two_vectors_is_the_similarity_that_the_answer_names() {
    // The engine embeds queries by rows, the tool by feature hashing.
    for encoder in ["static", "hash"] {
        let home = home(encoder);
        let args = ["search", "site", "mutex of threads", "--json", "--include-vectors"];
        let found = home.json(&args);
        let about = &found["_meta"]["vectors"];
        assert_eq!(about["encoder"], found["_meta"]["encoder"], "{encoder}");
        assert!(!about["fingerprint"].as_str().unwrap().is_empty());
        let query = numbers(&about["query"]);
        assert_eq!(Some(query.len() as u64), about["dimensions"].as_u64());
        let sections = sections(&found);
        assert!(sections.len() >= 2, "{encoder}: {found}");
        let mut compared = 0;
        for (section, vector) in sections {
            assert_eq!(vector.len(), query.len());
            let Some(similarity) = section["legs"]["similarity"].as_f64() else { continue };
            let product = product(&query, &vector);
            assert!((product - similarity).abs() < 1e-3, "{encoder}: {product} {similarity}");
            compared += 1;
        }
        assert!(compared >= 2, "{encoder}: {found}");
    }
}

#[test]
fn nothing_else_of_an_answer_changes() {
    let home = home("hash");
    let plain = ["search", "site", "mutx guards", "--json"];
    let with = [&plain[..], &["--include-vectors"]].concat();
    let (mut plain, mut with) = (home.json(&plain), home.json(&with));
    for page in with["results"].as_array_mut().unwrap() {
        for section in page["sections"].as_array_mut().unwrap() {
            assert!(section.as_object_mut().unwrap().remove("vector").is_some());
        }
    }
    for answer in [&mut plain, &mut with] {
        answer.as_object_mut().unwrap().remove("_meta");
    }
    assert_eq!(with, plain);
    assert!(!with["corrections"].as_array().unwrap().is_empty(), "{with}");
}

#[test]
fn pages_that_are_put_together_or_left_out_keep_their_own_vectors() {
    let home = home("hash");
    let args = ["search", "site", "mutex", "--json", "--include-vectors"];
    let by_url = |found: &Value| {
        let sections = sections(found).into_iter();
        let mut all: Vec<_> = sections.map(|(one, v)| (one["url"].to_string(), v)).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    };
    let all = home.json(&args);
    let scores = all["_meta"]["relevance"].as_array().unwrap().iter().map(Value::as_f64);
    let least = scores.flatten().nth(1).unwrap().to_string();
    let some = home.json(&[&args[..], &["--threshold", &least]].concat());
    let (all, some) = (by_url(&all), by_url(&some));
    assert!(!some.is_empty() && some.len() < all.len(), "{least}: {some:?}");
    assert!(some.iter().all(|one| all.contains(one)));
}

#[test]
fn lines_and_many_collections_have_them_too() {
    let home = home("hash");
    let args = ["search", "site", "mutex", "--format=jsonl", "--include-vectors"];
    let done = home.run(&args);
    assert_eq!(done.code, 0, "{done:?}");
    for line in done.out.lines() {
        let page: Value = serde_json::from_str(line).unwrap();
        assert!(!numbers(&page["sections"][0]["vector"]).is_empty(), "{line}");
    }
    let done = home.run(&["find", "mutex", "--json", "--include-vectors"]);
    assert_eq!(done.code, 4, "one collection has no vectors: {done:?}");
    let found: Value = serde_json::from_str(&done.out).unwrap();
    let [site] = &found["collections"].as_array().unwrap()[..] else { panic!("{found}") };
    assert!(!sections(site).is_empty() && site["_meta"]["vectors"]["query"].is_array(), "{site}");
    assert_eq!(found["failed"][0]["name"], "words");
    assert_eq!(found["failed"][0]["error"]["code"], "vector");
}

#[test]
fn without_a_vector_of_the_query_those_of_sections_are_still_there() {
    let home = home("hash");
    let args = ["search", "site", "mutex", "--json", "--include-vectors", "--mode=lexical"];
    let found = home.json(&args);
    assert!(found["_meta"]["vectors"]["query"].is_null(), "{found}");
    assert!(!sections(&found).is_empty());
}

#[test]
fn formats_for_people_and_bundles_without_vectors_are_refused() {
    let home = home("hash");
    for format in ["text", "markdown", "brief", "csv", "paths", "citations"] {
        for args in [vec!["search", "site", "mutex"], vec!["find", "mutex"]] {
            let args = [&args[..], &["--include-vectors", "--format", format]].concat();
            let done = home.run(&args);
            assert_eq!(done.code, 2, "{args:?}: {done:?}");
            assert!(done.err.contains("--json") && done.err.contains(format), "{done:?}");
        }
    }
    let done = home.run(&["search", "words", "mutex", "--json", "--include-vectors"]);
    assert_eq!(done.code, 2, "{done:?}");
    let json: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(json["error"]["code"], "vector");
    assert!(json["error"]["message"].as_str().unwrap().contains("words"), "{json}");
}

//! `findling context`.

use super::home::Home;

fn home() -> Home {
    let home = Home::new();
    let filler = "Other words that have little to say about the matter at hand. ".repeat(60);
    home.write(
        "notes/threads.md",
        &format!(
            "# Threads\n\n{filler}\n\nA mutex is poisoned when a thread panics.\n\n{filler}\n\n\
             ## Short\n\nA poisoned mutex can be cleared.\n"
        ),
    );
    home.add("notes");
    home
}

#[test]
fn passages_keep_the_budget_and_have_the_answer() {
    let home = home();
    for tokens in [200, 400, 5000] {
        let budget = tokens.to_string();
        let answer = home.json(&[
            "context",
            "when is a mutex poisoned",
            "notes",
            "--tokens",
            &budget,
            "--json",
        ]);
        assert!(answer["tokens"].as_u64().unwrap() <= tokens, "{answer}");
        let passages = answer["passages"].as_array().unwrap();
        let texts: Vec<&str> = passages.iter().map(|one| one["text"].as_str().unwrap()).collect();
        assert!(
            texts.iter().any(|text| text.contains("poisoned when a thread panics")),
            "{texts:?}"
        );
        let whole = passages.iter().all(|one| one["whole"] == true);
        assert_eq!(whole, tokens == 5000, "{tokens}");
        let location = passages[0]["location"].as_str().unwrap();
        assert!(location.contains("notes/threads.md:"), "{location}");
    }
}

#[test]
fn markdown_names_the_source_and_keeps_text_in_a_block() {
    let home = home();
    home.write("notes/evil.md", "# Evil\n\nXylophones. ``` <script>\u{1b}[2J\n");
    home.sync("notes");
    let done = home.run(&["context", "xylophones", "notes"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains("Source: </evil/#evil>"), "{done:?}");
    assert!(done.out.contains("````\nXylophones."), "a longer fence: {done:?}");
    assert!(findling_build::safe_text::is_safe(&done.out), "{done:?}");
    assert_eq!(home.run(&["context", "zzyzx", "notes", "--verbatim"]).code, 1);
}

#[test]
fn records_that_share_an_address_up_to_the_fragment_have_their_own_texts() {
    let home = Home::new();
    let record = |part: &str, text: &str| {
        let url = format!("https://example.org/kiln#{part}");
        serde_json::json!({"_id": url, "url": url, "title": part, "text": text}).to_string()
    };
    let records = [record("firing", "The kiln fires at noon."), record("glaze", "A kiln glazes.")];
    home.write("notes/records.jsonl", &records.join("\n"));
    home.add("notes");
    let answer = home.json(&["context", "kiln", "notes", "--json"]);
    let passages = answer["passages"].as_array().unwrap();
    let mut texts: Vec<&str> = passages.iter().map(|one| one["text"].as_str().unwrap()).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["A kiln glazes.", "The kiln fires at noon."]);
}

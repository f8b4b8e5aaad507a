//! The commands that write, each with the state before, and a check of the state after.

#[cfg(feature = "onnx")]
use serde_json::{Value, json};

use super::State;
use crate::home::Home;

/// A command that changes files on the disk.
pub struct Scenario {
    pub name: &'static str,
    /// Makes the state before the command.
    pub prepare: fn(&Home),
    pub command: &'static [&'static str],
    /// Returns the present state. The error says what is lost or incomplete.
    pub state: fn(&Home) -> Result<State, String>,
}

pub const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "build",
        prepare: |home| {
            site(home, "before");
            succeeds(home, BUILD);
            site(home, "after");
        },
        command: BUILD,
        state: |home| pages(home, "out"),
    },
    Scenario {
        name: "sync",
        prepare: |home| {
            site(home, "before");
            home.add("site");
            site(home, "after");
        },
        command: &["sync", "site"],
        state: |home| pages(home, "site"),
    },
    Scenario {
        name: "merge",
        prepare: |home| {
            site(home, "before");
            parts(home);
            succeeds(home, MERGE);
            site(home, "after");
            parts(home);
        },
        command: MERGE,
        state: |home| pages(home, "out"),
    },
    Scenario {
        name: "collection import",
        prepare: |home| {
            site(home, "before");
            succeeds(home, SINGLE);
            succeeds(home, &["collection", "import", "site.findling", "imported"]);
            site(home, "after");
            succeeds(home, SINGLE);
        },
        command: &["collection", "import", "site.findling", "imported", "--replace"],
        state: |home| pages(home, "imported"),
    },
    Scenario {
        name: "note add",
        prepare: |home| succeeds(home, &["note", "add", "# Before\n\nThe note before."]),
        command: &["note", "add", "# After\n\nThe note after."],
        state: |home| {
            // A note is kept, and the command has done what it can, if the index cannot be brought
            // up to date. It says that the next sync does that.
            let synced = home.run(&["sync", "assistant-notes"]);
            if synced.code != 0 {
                return Err(format!("the notes are not brought up to date: {synced:?}"));
            }
            let listed = home.run(&["note", "list", "--json"]);
            if listed.code != 0 || !listed.out.contains("Before") {
                return Err(format!("the note of before is not listed: {listed:?}"));
            }
            Ok(if listed.out.contains("After") { State::New } else { State::Old })
        },
    },
    Scenario {
        name: "search with a history",
        prepare: |home| {
            site(home, "before");
            succeeds(home, BUILD);
            home.write("findling.toml", "history = true\n");
            succeeds(home, &["search", "out", "before"]);
        },
        command: &["search", "out", "common"],
        state: |home| {
            let shown = home.run(&["history", "--json"]);
            if shown.code != 0 || !shown.out.contains("before") {
                return Err(format!("the search of before is forgotten: {shown:?}"));
            }
            // A search answers without a history too.
            Ok(State::New)
        },
    },
    #[cfg(feature = "onnx")]
    Scenario {
        name: "models install",
        prepare: |home| model(home, false),
        command: INSTALL,
        state: |home| {
            let done = home.run(&["models", "verify", "mine"]);
            let is_none = done.err.contains("expected a known or installed model");
            if is_none { Ok(State::Old) } else { installed(home) }
        },
    },
    #[cfg(feature = "onnx")]
    Scenario {
        name: "models install in place of another",
        prepare: |home| {
            model(home, false);
            succeeds(home, INSTALL);
            model(home, true);
        },
        command: INSTALL,
        state: installed,
    },
];

const BUILD: &[&str] = &["build", "site", "-o", "out", "--encoder=none", "--no-client"];
const SINGLE: &[&str] =
    &["build", "site", "-o", "site.findling", "--single-file", "--encoder=none", "--no-client"];
#[cfg(feature = "onnx")]
const INSTALL: &[&str] = &["models", "install", "mine", "--from-file", "model"];
const MERGE: &[&str] = &["merge", "one", "two", "--no-client", "-o", "out"];

/// Number of pages of the site.
const N: usize = 6;

fn site(home: &Home, marker: &str) {
    for page in 0..N {
        let text = format!("# Page {page}\n\nEvery page has this: common. {marker} {page}.\n");
        home.write(&format!("site/{page}.md"), &text);
    }
}

fn parts(home: &Home) {
    for (part, output) in [("1/2", "one"), ("2/2", "two")] {
        succeeds(home, &["build", "site", "--encoder=none", "--part", part, "-o", output]);
    }
}

fn succeeds(home: &Home, args: &[&str]) {
    let done = home.run(args);
    assert_eq!(done.code, 0, "{args:?}: {}", done.err);
}

/// Returns whether all pages of a bundle are the old ones, or all are the new ones.
fn pages(home: &Home, target: &str) -> Result<State, String> {
    let count = |query: &str| {
        let args = ["search", target, query, "--json", "--mode=lexical", "--verbatim", "-k100"];
        let done = home.run(&args);
        let response: serde_json::Value = serde_json::from_str(&done.out)
            .map_err(|_| format!("`{query}` is not answered: {done:?}"))?;
        Ok::<_, String>(response["results"].as_array().map_or(0, Vec::len))
    };
    match [count("common")?, count("before")?, count("after")?] {
        [N, N, 0] => Ok(State::Old),
        [N, 0, N] => Ok(State::New),
        found => Err(format!("expected {N} pages, all of before or all of after, found {found:?}")),
    }
}

/// Writes a model of eight dimensions, as the tests of encoders have it. The later one has a file
/// more.
#[cfg(feature = "onnx")]
fn model(home: &Home, is_later: bool) {
    let pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "alpha", "beta", "gamma", "delta"];
    let ids = pieces.iter().zip(0..).map(|(piece, id)| ((*piece).to_owned(), Value::from(id)));
    let tokenizer = json!({
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": Value::Object(ids.collect())},
    });
    home.write("model/tokenizer.json", &tokenizer.to_string());
    let graph = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/encoder/tests/onnx/tokens.onnx");
    std::fs::copy(graph, home.path("model/model.onnx")).unwrap();
    if is_later {
        home.write("model/sentence_bert_config.json", "{\"max_seq_length\": 16}");
    }
}

/// Returns which of both models is installed, if every byte of it is as it was recorded.
#[cfg(feature = "onnx")]
fn installed(home: &Home) -> Result<State, String> {
    let done = home.run(&["models", "verify", "mine", "--json"]);
    let rows: Value = serde_json::from_str(&done.out)
        .map_err(|_| format!("the model is gone, or cannot be verified: {done:?}"))?;
    if rows[0]["status"] != "verified" {
        return Err(format!("the model is damaged: {rows}"));
    }
    let is_later = home.path("model/sentence_bert_config.json").exists();
    let n_files = rows[0]["files"].as_array().map_or(0, Vec::len);
    Ok(if n_files == 2 && is_later { State::Old } else { State::New })
}

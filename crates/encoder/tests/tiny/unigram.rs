//! The tiny BERT with the tokenizer of multilingual models, which has fewer tokens than the table
//! of words has rows.

use serde_json::{Value, json};

use super::*;

/// Returns the tokenizer's file. Row 2 begins a text, row 3 ends it.
fn tokenizer(score_of_lock: f32) -> Value {
    let special = |id: usize, content: &str| {
        json!({
            "id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": false, "special": true,
        })
    };
    let token = |name: &str, id: usize| json!({"id": name, "ids": [id], "tokens": [name]});
    let around = json!([
        {"SpecialToken": {"id": "<s>", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "</s>", "type_id": 0}},
    ]);
    json!({
        "version": "1.0", "truncation": null, "padding": null, "decoder": null,
        "added_tokens": [special(2, "<s>"), special(3, "</s>")],
        "normalizer": {"type": "NFKC"},
        "pre_tokenizer": {
            "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true,
        },
        "post_processor": {
            "type": "TemplateProcessing", "single": around, "pair": around,
            "special_tokens": {"<s>": token("<s>", 2), "</s>": token("</s>", 3)},
        },
        "model": {
            "type": "Unigram", "unk_id": 1, "byte_fallback": false,
            "vocab": [
                ["<pad>", 0.0], ["<unk>", -9.0], ["<s>", 0.0], ["</s>", 0.0], ["▁", -4.0],
                ["▁Schloss", score_of_lock], ["▁Schl", -3.0], ["oss", -3.0],
            ],
        },
    })
}

fn files(tiny: &Tiny, score_of_lock: f32) -> Files {
    let files = Files::write(tiny);
    let path = files.path().join("tokenizer.json");
    std::fs::write(path, tokenizer(score_of_lock).to_string()).unwrap();
    files.replace("config.json", "{", &format!("{{\"vocab_size\":{},", model::VOCABULARY.len()));
    files
}

#[test]
fn a_model_with_another_tokenizer_gives_the_vectors_of_the_twin() {
    let tiny = Tiny::new(6);
    let files = files(&tiny, -2.0);
    let model = Transformer::load_dir(files.path()).unwrap();
    for (text, ids) in [("Schloss", &[2, 5, 3][..]), ("Schloss Schloss", &[2, 5, 5, 3])] {
        let found = model.encode_one(text, Side::Document).unwrap();
        assert_close(&found.values, &twin::embed(&tiny, ids), text);
        assert_eq!(found.n_tokens as usize, ids.len());
    }
    let lazy = Transformer::load_for_queries(files.path(), &Options::default(), "f").unwrap();
    let lazy = lazy.expect("weights in single precision");
    assert_eq!(lazy.fingerprint(), "f");
    assert_eq!(
        lazy.encode_one("Schloss", Side::Query).unwrap(),
        model.encode_one("Schloss", Side::Query).unwrap()
    );
}

#[test]
fn the_fingerprint_tells_tokenizers_of_the_same_tokens_apart() {
    let tiny = Tiny::new(6);
    let fingerprint = |score| {
        let files = files(&tiny, score);
        Transformer::load_dir(files.path()).unwrap().fingerprint().to_owned()
    };
    assert_eq!(fingerprint(-2.0), fingerprint(-2.0));
    assert_ne!(fingerprint(-2.0), fingerprint(-8.0), "it divides the word now");
}

#[test]
fn browsers_get_no_such_model() {
    let files = files(&Tiny::new(6), -2.0);
    assert!(matches!(import_error(&files), Error::Import(_)));
    assert!(!findling_encoder::import::has_wordpiece(files.path()));
}

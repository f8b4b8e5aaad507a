//! Tokenizers of other families than BERT, as small `tokenizer.json` files whose tokens can be
//! found by hand.
#![cfg(feature = "tokenizers")]

use std::path::PathBuf;

use findling_encoder::Error;
use findling_encoder::published_tokenizer::PublishedTokenizer;
use serde_json::{Value, json};

fn directory(test: &str, tokenizer: &Value) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("findling-tokens-{}-{test}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    dir
}

/// Returns a tokenizer of sequences `<s> ... </s>`.
fn file(normalizer: &Value, pre_tokenizer: &Value, model: &Value) -> Value {
    let special = |id: usize, content: &str| {
        json!({
            "id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": false, "special": true,
        })
    };
    let token = |name: &str, id: usize| json!({"id": name, "ids": [id], "tokens": [name]});
    json!({
        "version": "1.0",
        // Stated limits are not used: the model's are.
        "truncation": {
            "direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0,
        },
        "padding": {
            "strategy": {"Fixed": 20}, "direction": "Right", "pad_to_multiple_of": null,
            "pad_id": 1, "pad_type_id": 0, "pad_token": "<pad>",
        },
        "added_tokens": [special(0, "<s>"), special(1, "<pad>"), special(2, "</s>")],
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "<s>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}},
            ],
            "pair": [
                {"Sequence": {"id": "A", "type_id": 0}},
                {"Sequence": {"id": "B", "type_id": 1}},
            ],
            "special_tokens": {"<s>": token("<s>", 0), "</s>": token("</s>", 2)},
        },
        "decoder": null,
        "model": model,
    })
}

fn unigram() -> Value {
    file(
        &json!({"type": "NFKC"}),
        &json!({
            "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true,
        }),
        &json!({
            "type": "Unigram", "unk_id": 3, "byte_fallback": false,
            "vocab": [
                ["<s>", 0.0], ["<pad>", 0.0], ["</s>", 0.0], ["<unk>", -9.0], ["▁", -4.0],
                ["▁lock", -2.0], ["s", -3.0], ["▁thread", -2.5], ["▁loc", -2.0], ["k", -6.0],
            ],
        }),
    )
}

fn bpe() -> Value {
    file(
        &Value::Null,
        &json!({
            "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true,
        }),
        &json!({
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false,
            "vocab": {
                "<s>": 0, "<pad>": 1, "</s>": 2, "l": 3, "o": 4, "c": 5, "k": 6, "Ġ": 7, "lo": 8,
                "ck": 9, "lock": 10, "Ġlock": 11,
            },
            "merges": [["l", "o"], ["c", "k"], ["lo", "ck"], ["Ġ", "lock"]],
        }),
    )
}

fn ids(tokenizer: &PublishedTokenizer, text: &str) -> Vec<u32> {
    let tokens = tokenizer.encode(text, 512).unwrap();
    assert!(!tokens.truncated);
    assert_eq!(tokens.types, vec![0; tokens.ids.len()]);
    tokens.ids
}

#[test]
fn unigram_takes_the_likeliest_pieces() {
    let (tokenizer, _) = PublishedTokenizer::read(&directory("unigram", &unigram())).unwrap();
    // `▁lock` has -2, `▁loc` with `k` -8.
    assert_eq!(ids(&tokenizer, "locks thread"), [0, 5, 6, 7, 2]);
    assert_eq!(ids(&tokenizer, "ｌｏｃｋ"), [0, 5, 2], "NFKC");
    assert_eq!(ids(&tokenizer, "lock Q"), [0, 5, 4, 3, 2]);
    assert_eq!(ids(&tokenizer, ""), [0, 2]);
}

#[test]
fn bpe_merges_in_order() {
    let (tokenizer, _) = PublishedTokenizer::read(&directory("bpe", &bpe())).unwrap();
    assert_eq!(ids(&tokenizer, "lock lock"), [0, 10, 11, 2]);
    assert_eq!(ids(&tokenizer, "clock"), [0, 5, 10, 2]);
}

#[test]
fn long_texts_are_cut_before_the_special_token_at_the_end() {
    let (tokenizer, _) = PublishedTokenizer::read(&directory("cut", &bpe())).unwrap();
    let cut = tokenizer.encode("lock lock lock lock", 4).unwrap();
    assert_eq!((cut.ids, cut.truncated), (vec![0, 10, 11, 2], true));
}

#[test]
fn tokenizers_that_differ_are_told_apart() {
    let identity =
        |test: &str, of: &Value| PublishedTokenizer::read(&directory(test, of)).unwrap().1;
    assert_eq!(identity("one", &bpe()), identity("two", &bpe()));
    assert_ne!(identity("one", &bpe()), identity("three", &unigram()));
}

#[test]
fn tokenizers_of_unknown_kinds_are_refused() {
    let mut unknown = bpe();
    unknown["model"] = json!({"type": "Morphemes", "vocab": {"a": 0}});
    let refused = PublishedTokenizer::read(&directory("unknown", &unknown));
    assert!(matches!(refused, Err(Error::Import(_))));
}

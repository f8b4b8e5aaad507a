//! ONNX graphs: tiny ones made by `onnx/make.py`, whose vectors can be computed by hand.
#![cfg(feature = "onnx")]

use std::path::{Path, PathBuf};

use findling_encoder::artefact::Pooling;
use findling_encoder::import::Options;
use findling_encoder::onnx::OnnxEncoder;
use findling_encoder::{Encoder, Error, Side};

const VOCABULARY: [&str; 13] = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "alpha", "beta", "gamma", "delta", "##s", ",",
    "!", ":",
];

fn graph(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/onnx").join(name)
}

/// Returns a directory with nothing but the vocabulary.
fn tokenizer(test: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("findling-onnx-{}-{test}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("vocab.txt"), VOCABULARY.join("\n")).unwrap();
    dir
}

/// Returns the vector of a token, as `make.py` defines it.
fn token(id: usize) -> Vec<f64> {
    (0..8).map(|j| (((7 * id + 3 * j) % 11) as f64 - 5.0) / 5.0).map(f64::tanh).collect()
}

fn unit(vector: &[f64]) -> Vec<f64> {
    let length = vector.iter().map(|v| v * v).sum::<f64>().sqrt();
    vector.iter().map(|v| v / length).collect()
}

fn assert_close(found: &[f32], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((f64::from(*found) - expected).abs() < 1e-5, "{found} instead of {expected}");
    }
}

#[test]
fn tokens_are_pooled_here_and_pooled_outputs_are_taken() {
    let dir = tokenizer("pooling");
    // [CLS] alpha gamma [SEP]
    let ids = [2, 5, 7, 3];
    let mean: Vec<f64> =
        (0..8).map(|j| ids.iter().map(|id| token(*id)[j]).sum::<f64>() / 4.0).collect();
    for name in ["tokens.onnx", "pooled.onnx"] {
        let encoder = OnnxEncoder::load(&graph(name), &dir, &Options::default()).unwrap();
        assert_eq!(encoder.card().dim, 8);
        let found =
            encoder.encode(&["alpha gamma", "alpha", "Alpha gamma"], Side::Document).unwrap();
        assert_close(&found[0].values, &unit(&mean));
        assert_eq!(found[0], found[2]);
        assert_eq!((found[0].n_tokens, found[1].n_tokens), (4, 3));
    }
    let cls = Options { pooling: Some(Pooling::Cls), ..Options::default() };
    let encoder = OnnxEncoder::load(&graph("tokens.onnx"), &dir, &cls).unwrap();
    assert_close(&encoder.encode(&["beta"], Side::Query).unwrap()[0].values, &unit(&token(2)));
}

/// A tokenizer of words, of another family than BERT's.
const WORDS: &str = r#"{
  "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
  "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": null, "decoder": null,
  "model": {
    "type": "Unigram", "unk_id": 0, "byte_fallback": false,
    "vocab": [["<unk>", -9.0], ["up", -1.0], ["down", -1.0], ["left", -1.0]]
  }
}"#;

fn with_words(test: &str, pooling: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("findling-words-{}-{test}", std::process::id()));
    std::fs::create_dir_all(dir.join("1_Pooling")).unwrap();
    std::fs::write(dir.join("tokenizer.json"), WORDS).unwrap();
    std::fs::write(dir.join("1_Pooling/config.json"), pooling).unwrap();
    dir
}

#[test]
fn other_tokenizers_and_other_ways_of_pooling_are_read_from_the_model() {
    let mean: Vec<f64> = (0..8).map(|j| token(1)[j] + token(3)[j]).collect();
    let max: Vec<f64> = (0..8).map(|j| token(1)[j].max(token(3)[j])).collect();
    let weighted: Vec<f64> = (0..8).map(|j| token(1)[j] + 2.0 * token(3)[j]).collect();
    for (name, expected) in [
        (r#"{"pooling_mode_mean_tokens": true}"#, &mean),
        (r#"{"pooling_mode_mean_sqrt_len_tokens": true}"#, &mean),
        (r#"{"pooling_mode": "max"}"#, &max),
        (r#"{"pooling_mode_weightedmean_tokens": true}"#, &weighted),
        (r#"{"pooling_mode_lasttoken": true}"#, &token(3)),
        (r#"{"pooling_mode_cls_token": true}"#, &token(1)),
    ] {
        let dir = with_words("pooling", name);
        let encoder = OnnxEncoder::load(&graph("tokens.onnx"), &dir, &Options::default()).unwrap();
        let found = encoder.encode(&["up left"], Side::Document).unwrap();
        assert_close(&found[0].values, &unit(expected));
        assert_eq!(encoder.encode(&[""], Side::Document).unwrap()[0].values, [0.0; 8]);
    }
    let two = with_words("two", r#"{"pooling_mode_cls_token": true, "pooling_mode": ["max"]}"#);
    let refused = OnnxEncoder::load(&graph("tokens.onnx"), &two, &Options::default());
    assert!(matches!(refused, Err(Error::Import(_))));
}

#[test]
fn a_dense_layer_must_be_in_the_graph() {
    let dir = with_words("dense", r#"{"pooling_mode_mean_tokens": true}"#);
    let modules = r#"[{"type": "sentence_transformers.models.Transformer"},
        {"type": "sentence_transformers.models.Pooling"},
        {"type": "sentence_transformers.models.Dense"}]"#;
    std::fs::write(dir.join("modules.json"), modules).unwrap();
    let load = |name: &str| OnnxEncoder::load(&graph(name), &dir, &Options::default());
    assert!(matches!(load("tokens.onnx"), Err(Error::Import(_))));
    assert!(load("pooled.onnx").is_ok(), "it has the output sentence_embedding");
}

#[test]
fn long_texts_are_cut_and_say_so() {
    let options = Options { max_tokens: Some(4), ..Options::default() };
    let encoder = OnnxEncoder::load(&graph("tokens.onnx"), &tokenizer("cut"), &options).unwrap();
    let found = encoder.encode(&["alpha beta", "alpha beta gamma"], Side::Document).unwrap();
    assert_eq!((found[0].truncated, found[1].truncated), (false, true));
    assert_eq!(found[0].values, found[1].values);
}

#[test]
fn the_fingerprint_names_graph_and_settings() {
    let dir = tokenizer("fingerprint");
    let of = |name: &str, options: &Options| {
        OnnxEncoder::load(&graph(name), &dir, options).unwrap().card().fingerprint.clone()
    };
    let plain = of("tokens.onnx", &Options::default());
    assert_eq!(plain, of("tokens.onnx", &Options::default()));
    assert_ne!(plain, of("pooled.onnx", &Options::default()));
    assert_ne!(plain, of("tokens.onnx", &Options { max_tokens: Some(4), ..Options::default() }));
}

#[test]
fn graphs_that_are_no_sentence_encoders_are_refused() {
    let dir = tokenizer("refused");
    let refused = |name: &str| {
        let loaded = OnnxEncoder::load(&graph(name), &dir, &Options::default());
        loaded.err().unwrap_or_else(|| panic!("{name} loaded"))
    };
    assert!(matches!(refused("other.onnx"), Error::Import(why) if why.contains("`pixels`")));
    assert!(matches!(refused("make.py"), Error::Import(why) if why.contains("make.py")));
    assert!(refused("missing.onnx").to_string().contains("missing.onnx"));
}

//! The tiny model: its weights, and its files as they would be published.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use findling_encoder::artefact::{Activation, Pooling};
use safetensors::Dtype;
use safetensors::tensor::TensorView;

pub const LAYERS: usize = 2;
pub const HIDDEN: usize = 16;
pub const HEADS: usize = 4;
pub const INTERMEDIATE: usize = 24;
pub const POSITIONS: usize = 32;
pub const EPSILON: f64 = 1e-6;

pub const VOCABULARY: [&str; 13] = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "alpha", "beta", "gamma", "delta", "##s", ",",
    "!", ":",
];
const UNK: u32 = 1;
const CLS: u32 = 2;
pub const SEP: u32 = 3;

/// A BERT of random weights under BERT's own names.
pub struct Tiny {
    pub weights: BTreeMap<String, (Vec<usize>, Vec<f32>)>,
    pub pooling: Pooling,
    pub activation: Activation,
    pub document_prefix: String,
    pub max_tokens: usize,
    /// In front of every tensor's name in the file.
    pub name_prefix: &'static str,
    /// Weights are written as f16.
    pub half: bool,
    /// A tensor that is not written.
    pub leave_out: Option<&'static str>,
}

impl Tiny {
    pub fn new(seed: u64) -> Self {
        let mut state = seed;
        // Knuth's MMIX generator; its upper bits, spread over -1 to 1.
        let mut random = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        let mut weights = BTreeMap::new();
        let mut put = |name: String, shape: &[usize], centre: f32, spread: f32| {
            let values = (0..shape.iter().product()).map(|_| centre + spread * random()).collect();
            weights.insert(name, (shape.to_vec(), values));
        };
        put("embeddings.word_embeddings.weight".into(), &[VOCABULARY.len(), HIDDEN], 0.0, 1.0);
        put("embeddings.position_embeddings.weight".into(), &[POSITIONS, HIDDEN], 0.0, 0.3);
        put("embeddings.token_type_embeddings.weight".into(), &[2, HIDDEN], 0.0, 0.3);
        norm("embeddings.LayerNorm", &mut put);
        for layer in 0..LAYERS {
            let p = format!("encoder.layer.{layer}");
            for (part, rows, cols) in [
                ("attention.self.query", HIDDEN, HIDDEN),
                ("attention.self.key", HIDDEN, HIDDEN),
                ("attention.self.value", HIDDEN, HIDDEN),
                ("attention.output.dense", HIDDEN, HIDDEN),
                ("intermediate.dense", INTERMEDIATE, HIDDEN),
                ("output.dense", HIDDEN, INTERMEDIATE),
            ] {
                put(format!("{p}.{part}.weight"), &[rows, cols], 0.0, 0.6);
                put(format!("{p}.{part}.bias"), &[rows], 0.0, 0.3);
            }
            norm(&format!("{p}.attention.output.LayerNorm"), &mut put);
            norm(&format!("{p}.output.LayerNorm"), &mut put);
        }
        Self {
            weights,
            pooling: Pooling::Mean,
            activation: Activation::Gelu,
            document_prefix: String::new(),
            max_tokens: 16,
            name_prefix: "",
            half: false,
            leave_out: None,
        }
    }

    /// Returns the ids that WordPiece makes of words of this vocabulary, worked out without it.
    pub fn ids(&self, text: &str) -> Vec<u32> {
        let spaced =
            text.to_lowercase().replace(',', " , ").replace('!', " ! ").replace(':', " : ");
        let id = |token: &str| VOCABULARY.iter().position(|v| *v == token).map(|id| id as u32);
        let mut ids = vec![CLS];
        for word in spaced.split_whitespace() {
            match (id(word), word.strip_suffix('s').and_then(id)) {
                (Some(whole), _) => ids.push(whole),
                (None, Some(stem)) => ids.extend([stem, id("##s").unwrap()]),
                (None, None) => ids.push(UNK),
            }
        }
        ids.push(SEP);
        ids
    }
}

/// Puts a norm's tensors. Their values are near the values of a norm that changes nothing.
fn norm(name: &str, put: &mut impl FnMut(String, &[usize], f32, f32)) {
    put(format!("{name}.weight"), &[HIDDEN], 1.0, 0.3);
    put(format!("{name}.bias"), &[HIDDEN], 0.0, 0.3);
}

/// A directory with the model's files, removed when dropped.
pub struct Files(PathBuf);

impl Files {
    pub fn write(tiny: &Tiny) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "findling-tiny-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let files = Self(std::env::temp_dir().join(name));
        std::fs::create_dir_all(files.0.join("1_Pooling")).unwrap();
        let put = |name: &str, value: serde_json::Value| {
            std::fs::write(files.0.join(name), value.to_string()).unwrap();
        };
        put(
            "config.json",
            serde_json::json!({
                "model_type": "bert", "num_hidden_layers": LAYERS, "hidden_size": HIDDEN,
                "num_attention_heads": HEADS, "intermediate_size": INTERMEDIATE,
                "max_position_embeddings": POSITIONS,
                "hidden_act": if tiny.activation == Activation::Gelu { "gelu" } else { "relu" },
                "layer_norm_eps": EPSILON,
            }),
        );
        let vocabulary: BTreeMap<&str, usize> =
            VOCABULARY.iter().enumerate().map(|(id, token)| (*token, id)).collect();
        put(
            "tokenizer.json",
            serde_json::json!({
                "truncation": { "max_length": 4 }, "padding": { "strategy": { "Fixed": 8 } },
                "normalizer": {
                    "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                    "strip_accents": null, "lowercase": true,
                },
                "pre_tokenizer": { "type": "BertPreTokenizer" },
                "model": {
                    "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                    "max_input_chars_per_word": 100, "vocab": vocabulary,
                },
            }),
        );
        put("sentence_bert_config.json", serde_json::json!({ "max_seq_length": tiny.max_tokens }));
        put(
            "config_sentence_transformers.json",
            serde_json::json!({ "prompts": { "passage": tiny.document_prefix } }),
        );
        let cls = tiny.pooling == Pooling::Cls;
        put(
            "1_Pooling/config.json",
            serde_json::json!({ "pooling_mode_cls_token": cls, "pooling_mode_mean_tokens": !cls }),
        );
        let stored: Vec<(String, Vec<usize>, Vec<u8>)> = tiny
            .weights
            .iter()
            .filter(|(name, _)| tiny.leave_out != Some(name))
            .map(|(name, (shape, values))| {
                let bytes = if tiny.half {
                    values.iter().flat_map(|v| half::f16::from_f32(*v).to_le_bytes()).collect()
                } else {
                    values.iter().flat_map(|v| v.to_le_bytes()).collect()
                };
                (format!("{}{name}", tiny.name_prefix), shape.clone(), bytes)
            })
            .collect();
        let dtype = if tiny.half { Dtype::F16 } else { Dtype::F32 };
        let views = stored.iter().map(|(name, shape, bytes)| {
            (name.as_str(), TensorView::new(dtype, shape.clone(), bytes).unwrap())
        });
        std::fs::write(
            files.0.join("model.safetensors"),
            safetensors::serialize(views, None).unwrap(),
        )
        .unwrap();
        files
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Replaces the first `from` in a file, which must be there.
    pub fn replace(&self, file: &str, from: &str, to: &str) {
        let path = self.0.join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no {from}: {text}");
        std::fs::write(path, text.replacen(from, to, 1)).unwrap();
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

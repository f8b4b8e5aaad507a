//! The configuration files of a published model.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{Options, file_error};
use crate::Error;
use crate::artefact::{Activation, Architecture, Pooling};

/// The default number of tokens that a model was trained to read.
const DEFAULT_MAX_TOKENS: u32 = 512;

/// The contents of `config.json`.
#[derive(Deserialize)]
struct ModelConfig {
    #[serde(default = "bert")]
    model_type: String,
    num_hidden_layers: u32,
    hidden_size: u32,
    num_attention_heads: u32,
    intermediate_size: u32,
    max_position_embeddings: u32,
    #[serde(default = "gelu")]
    hidden_act: String,
    #[serde(default = "epsilon")]
    layer_norm_eps: f32,
    #[serde(default = "absolute")]
    position_embedding_type: String,
}

fn bert() -> String {
    "bert".into()
}
fn gelu() -> String {
    "gelu".into()
}
fn epsilon() -> f32 {
    1e-12
}
fn absolute() -> String {
    "absolute".into()
}

/// The contents of `1_Pooling/config.json`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PoolingConfig {
    pooling_mode_cls_token: bool,
    pooling_mode_mean_tokens: bool,
}

/// The contents of `sentence_bert_config.json`.
#[derive(Deserialize)]
struct SentenceConfig {
    max_seq_length: Option<u32>,
}

/// The contents of `config_sentence_transformers.json`.
#[derive(Deserialize)]
struct PromptConfig {
    #[serde(default)]
    prompts: std::collections::BTreeMap<String, String>,
}

/// The settings that sentence-transformers adds to a model, or the options that override them.
pub(crate) struct Sentence {
    pub pooling: Pooling,
    /// The tokens that the model was trained to read. May be more than its positions.
    pub max_tokens: u32,
    pub query_prefix: String,
    pub document_prefix: String,
}

impl Sentence {
    pub fn read(dir: &Path, options: &Options) -> Result<Self, Error> {
        let pooling = match options.pooling {
            Some(pooling) => pooling,
            None => pooling(read_json(&dir.join("1_Pooling/config.json"))?)?,
        };
        let config: Option<SentenceConfig> = read_json(&dir.join("sentence_bert_config.json"))?;
        let trained = config.and_then(|config| config.max_seq_length).unwrap_or(DEFAULT_MAX_TOKENS);
        let prompts = read_json::<PromptConfig>(&dir.join("config_sentence_transformers.json"))?
            .map(|config| config.prompts)
            .unwrap_or_default();
        let prompt = |names: &[&str]| {
            names.iter().find_map(|name| prompts.get(*name)).cloned().unwrap_or_default()
        };
        Ok(Self {
            pooling,
            max_tokens: options.max_tokens.unwrap_or(trained),
            query_prefix: options.query_prefix.clone().unwrap_or_else(|| prompt(&["query"])),
            document_prefix: options
                .document_prefix
                .clone()
                .unwrap_or_else(|| prompt(&["document", "passage"])),
        })
    }
}

/// The architecture that `config.json` describes.
pub(super) fn architecture(dir: &Path, pooling: Pooling) -> Result<Architecture, Error> {
    let path = dir.join("config.json");
    let config: ModelConfig = read_json(&path)?.ok_or_else(|| Error::File {
        path: path.display().to_string(),
        reason:
            "there is no such file; expected model.safetensors, tokenizer.json and config.json in \
             a model's directory"
                .into(),
    })?;
    if config.model_type != "bert" {
        return Err(unsupported("model_type", &config.model_type, "`bert`"));
    }
    if config.position_embedding_type != "absolute" {
        return Err(unsupported(
            "position_embedding_type",
            &config.position_embedding_type,
            "`absolute`",
        ));
    }
    let activation = match config.hidden_act.as_str() {
        "gelu" => Activation::Gelu,
        "relu" => Activation::Relu,
        other => return Err(unsupported("hidden_act", other, "`gelu` or `relu`")),
    };
    Ok(Architecture {
        layers: config.num_hidden_layers,
        hidden: config.hidden_size,
        heads: config.num_attention_heads,
        intermediate: config.intermediate_size,
        max_positions: config.max_position_embeddings,
        pooling,
        activation,
        layer_norm_eps: config.layer_norm_eps,
    })
}

fn pooling(config: Option<PoolingConfig>) -> Result<Pooling, Error> {
    match config {
        None => Ok(Pooling::Mean),
        Some(config) => match (config.pooling_mode_mean_tokens, config.pooling_mode_cls_token) {
            (true, false) => Ok(Pooling::Mean),
            (false, true) => Ok(Pooling::Cls),
            _ => Err(Error::Import(
                "1_Pooling/config.json: expected pooling by the mean or the first token, found \
                 another; an ONNX export of the model may work"
                    .into(),
            )),
        },
    }
}

fn unsupported(key: &str, found: &str, expected: &str) -> Error {
    Error::Import(format!(
        "config.json: expected {key} {expected}, found `{found}`; an ONNX export of the model may \
         work"
    ))
}

/// Reads a JSON file; `None` if there is none.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    match std::fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|e| {
            Error::Import(format!("{}: expected the JSON of its name: {e}", path.display()))
        }),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(file_error(path, &e)),
    }
}

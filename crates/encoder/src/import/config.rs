//! The configuration files of a published model.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{Options, file_error};
use crate::Error;
use crate::artefact::{Activation, Architecture, Pooling};

/// The default number of tokens that a model was trained to read.
const DEFAULT_MAX_TOKENS: u32 = 512;
/// Limits above are no limits.
const MAX_KNOWN_TOKENS: f64 = 100_000.0;

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

/// The way in which the vectors of all tokens become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PoolingMode {
    /// The mean.
    Mean,
    /// The vector of the first token.
    Cls,
    /// The largest number of each dimension.
    Max,
    /// The vector of the last token.
    LastToken,
    /// The mean, each weighted by its place from 1.
    WeightedMean,
}

/// The contents of `1_Pooling/config.json`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PoolingConfig {
    pooling_mode_cls_token: bool,
    pooling_mode_mean_tokens: bool,
    pooling_mode_max_tokens: bool,
    pooling_mode_mean_sqrt_len_tokens: bool,
    pooling_mode_weightedmean_tokens: bool,
    pooling_mode_lasttoken: bool,
    /// Later versions name it.
    pooling_mode: Option<serde_json::Value>,
}

impl PoolingConfig {
    /// Returns the modes that are on.
    fn modes(&self) -> Vec<PoolingMode> {
        let flags = [
            (self.pooling_mode_mean_tokens, PoolingMode::Mean),
            // A factor for all dimensions does not change the direction.
            (self.pooling_mode_mean_sqrt_len_tokens, PoolingMode::Mean),
            (self.pooling_mode_cls_token, PoolingMode::Cls),
            (self.pooling_mode_max_tokens, PoolingMode::Max),
            (self.pooling_mode_lasttoken, PoolingMode::LastToken),
            (self.pooling_mode_weightedmean_tokens, PoolingMode::WeightedMean),
        ];
        let on = flags.into_iter().filter(|(on, _)| *on).map(|(_, mode)| mode);
        let named = match &self.pooling_mode {
            Some(serde_json::Value::String(name)) => vec![name.as_str()],
            Some(serde_json::Value::Array(names)) => {
                names.iter().map(|name| name.as_str().unwrap_or_default()).collect()
            }
            _ => Vec::new(),
        };
        let named = named.into_iter().filter_map(|name| match name {
            "mean" | "mean_sqrt_len_tokens" => Some(PoolingMode::Mean),
            "cls" => Some(PoolingMode::Cls),
            "max" => Some(PoolingMode::Max),
            "lasttoken" => Some(PoolingMode::LastToken),
            "weightedmean" => Some(PoolingMode::WeightedMean),
            _ => None,
        });
        on.chain(named).collect()
    }
}

/// A module of `modules.json`.
#[derive(Deserialize)]
struct Module {
    #[serde(rename = "type")]
    kind: String,
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
    pub pooling: PoolingMode,
    /// The first module after pooling that is not a normalisation, such as a dense layer.
    pub further_module: Option<String>,
    /// The tokens that the model was trained to read. May be more than its positions.
    pub max_tokens: u32,
    pub query_prefix: String,
    pub document_prefix: String,
}

impl Sentence {
    pub fn read(dir: &Path, options: &Options) -> Result<Self, Error> {
        let pooling = match options.pooling {
            Some(Pooling::Mean) => PoolingMode::Mean,
            Some(Pooling::Cls) => PoolingMode::Cls,
            None => pooling(read_json(&dir.join("1_Pooling/config.json"))?)?,
        };
        let config: Option<SentenceConfig> = read_json(&dir.join("sentence_bert_config.json"))?;
        let trained = match config.and_then(|config| config.max_seq_length) {
            Some(trained) => trained,
            None => limit_of_tokenizer(dir)?.unwrap_or(DEFAULT_MAX_TOKENS),
        };
        let prompts = read_json::<PromptConfig>(&dir.join("config_sentence_transformers.json"))?
            .map(|config| config.prompts)
            .unwrap_or_default();
        let prompt = |names: &[&str]| {
            names.iter().find_map(|name| prompts.get(*name)).cloned().unwrap_or_default()
        };
        Ok(Self {
            pooling,
            further_module: further_module(dir)?,
            max_tokens: options.max_tokens.unwrap_or(trained),
            query_prefix: options.query_prefix.clone().unwrap_or_else(|| prompt(&["query"])),
            document_prefix: options
                .document_prefix
                .clone()
                .unwrap_or_else(|| prompt(&["document", "passage"])),
        })
    }
}

/// Returns the longest input that `tokenizer_config.json` states. If none is known, the file has a
/// very large number.
fn limit_of_tokenizer(dir: &Path) -> Result<Option<u32>, Error> {
    #[derive(Deserialize)]
    struct TokenizerConfig {
        model_max_length: Option<f64>,
    }
    let config: Option<TokenizerConfig> = read_json(&dir.join("tokenizer_config.json"))?;
    let limit = config.and_then(|config| config.model_max_length);
    Ok(limit.filter(|&limit| (1.0..=MAX_KNOWN_TOKENS).contains(&limit)).map(|limit| limit as u32))
}

fn further_module(dir: &Path) -> Result<Option<String>, Error> {
    let modules: Vec<Module> = read_json(&dir.join("modules.json"))?.unwrap_or_default();
    let mut kinds = modules.into_iter().map(|module| module.kind);
    let known = ["Transformer", "Pooling", "Normalize"];
    Ok(kinds.find(|kind| !known.iter().any(|known| kind.ends_with(known))))
}

/// Returns the positions that a model of another family has, if `config.json` contains them.
#[cfg(feature = "onnx")]
pub(crate) fn positions(dir: &Path) -> Result<Option<u32>, Error> {
    #[derive(Deserialize)]
    struct Positions {
        #[serde(default)]
        model_type: String,
        max_position_embeddings: Option<u32>,
    }
    let config: Option<Positions> = read_json(&dir.join("config.json"))?;
    Ok(config.and_then(|config| {
        // Their positions begin after the number of the padding token, which is 1.
        let skipped = match config.model_type.as_str() {
            "roberta" | "xlm-roberta" | "camembert" | "mpnet" => 2,
            _ => 0,
        };
        config.max_position_embeddings.map(|positions| positions.saturating_sub(skipped))
    }))
}

/// Returns the rows of the table of words, if `config.json` contains them.
pub(crate) fn vocabulary_size(dir: &Path) -> Result<Option<usize>, Error> {
    #[derive(Deserialize)]
    struct Size {
        vocab_size: Option<usize>,
    }
    Ok(read_json::<Size>(&dir.join("config.json"))?.and_then(|config| config.vocab_size))
}

/// Returns the architecture that `config.json` describes.
pub(super) fn architecture(dir: &Path, sentence: &Sentence) -> Result<Architecture, Error> {
    let pooling = match sentence.pooling {
        PoolingMode::Mean => Pooling::Mean,
        PoolingMode::Cls => Pooling::Cls,
        other => {
            return Err(Error::Import(format!(
                "1_Pooling/config.json: expected pooling by the mean or the first token, found \
                 {other:?}; {OTHERWISE}"
            )));
        }
    };
    if let Some(module) = &sentence.further_module {
        return Err(unsupported("modules.json", "modules up to pooling", module));
    }
    let path = dir.join("config.json");
    let config: ModelConfig = read_json(&path)?.ok_or_else(|| Error::File {
        path: path.display().to_string(),
        reason:
            "there is no such file; expected model.safetensors, tokenizer.json and config.json in \
             a model's directory"
                .into(),
    })?;
    let of_config = |key: &str, found: &str, expected: &str| {
        unsupported("config.json", &format!("{key} {expected}"), found)
    };
    if config.model_type != "bert" {
        return Err(of_config("model_type", &config.model_type, "`bert`"));
    }
    if config.position_embedding_type != "absolute" {
        let found = &config.position_embedding_type;
        return Err(of_config("position_embedding_type", found, "`absolute`"));
    }
    let activation = match config.hidden_act.as_str() {
        "gelu" => Activation::Gelu,
        "relu" => Activation::Relu,
        other => return Err(of_config("hidden_act", other, "`gelu` or `relu`")),
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

fn pooling(config: Option<PoolingConfig>) -> Result<PoolingMode, Error> {
    let Some(config) = config else { return Ok(PoolingMode::Mean) };
    match config.modes()[..] {
        [mode] => Ok(mode),
        ref modes => Err(Error::Import(format!(
            "1_Pooling/config.json: expected one of mean, cls, max, weightedmean, lasttoken, found \
             {} of them; only models with one way of pooling are supported",
            modes.len()
        ))),
    }
}

/// The alternatives for a model that is not of BERT's family.
const OTHERWISE: &str = "supported are BERT-family models in safetensors, and any other family as \
                         an ONNX export with its tokenizer.json (WordPiece, Unigram or BPE): \
                         `findling models add DIR`";

fn unsupported(file: &str, expected: &str, found: &str) -> Error {
    Error::Import(format!("{file}: expected {expected}, found `{found}`; {OTHERWISE}"))
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

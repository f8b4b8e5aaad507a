//! Reads published sentence encoders: `model.safetensors`, `tokenizer.json` and `config.json` of a
//! BERT-family model, and the files of sentence-transformers if there are any.

pub(crate) mod config;
pub(crate) mod tokenizer;

use std::path::Path;

use half::{bf16, f16};
use safetensors::{Dtype, SafeTensors};

use crate::artefact::{Artefact, Pooling, TensorSpec, names};
use crate::{EncoderCard, Error};

/// Settings that override the model's files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The model's name; by default the directory's.
    pub name: Option<String>,
    /// Most tokens of an input, special tokens included.
    pub max_tokens: Option<u32>,
    /// How the vectors of all tokens become one.
    pub pooling: Option<Pooling>,
    /// Put in front of queries.
    pub query_prefix: Option<String>,
    /// Put in front of documents.
    pub document_prefix: Option<String>,
}

/// Reads the model in `dir`.
///
/// | file | fields |
/// |---|---|
/// | `model.safetensors` | weights: f32, f16 or bf16, BERT's names, also with the prefix `bert.` |
/// | `config.json` | sizes, activation, epsilon |
/// | `tokenizer.json`, else `vocab.txt`, `tokenizer_config.json` | vocabulary, normalisation |
/// | `sentence_bert_config.json` | most tokens; else 512, or all positions if fewer |
/// | `1_Pooling/config.json` | pooling; else the mean |
/// | `config_sentence_transformers.json` | prompts `query` and `document` or `passage` |
///
/// # Errors
///
/// [`Error::File`] for a file that cannot be read, [`Error::Import`] for a file with other contents
/// than its name promises or with a model of another family, [`Error::Tensor`] for a tensor that is
/// missing or has another shape.
pub fn import_dir(dir: &Path, options: &Options) -> Result<Artefact, Error> {
    let sentence = config::Sentence::read(dir, options)?;
    let architecture = config::architecture(dir, sentence.pooling)?;
    let (normaliser, vocabulary) = tokenizer::read(dir)?;
    let path = dir.join("model.safetensors");
    let bytes = std::fs::read(&path).map_err(|e| file_error(&path, &e))?;
    let file = SafeTensors::deserialize(&bytes).map_err(|e| {
        Error::Import(format!("{}: expected a safetensors file: {e}", path.display()))
    })?;
    let weights = Weights { file };
    // A length from the user is checked against the positions; a length from a file is cut to them.
    let max_tokens =
        options.max_tokens.unwrap_or(sentence.max_tokens.min(architecture.max_positions));
    let card = EncoderCard {
        name: options.name.clone().unwrap_or_else(|| name_of(dir)),
        dim: architecture.hidden,
        fingerprint: String::new(),
        max_tokens,
        query_prefix: sentence.query_prefix,
        document_prefix: sentence.document_prefix,
        semantic: true,
    };
    Artefact::new(card, architecture, normaliser, vocabulary, |spec| weights.of(spec))
}

/// The default name of a model: its directory's.
pub(crate) fn name_of(dir: &Path) -> String {
    let canonical = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
    canonical
        .file_name()
        .map_or_else(|| "model".into(), |name| name.to_string_lossy().to_lowercase())
}

struct Weights<'a> {
    file: SafeTensors<'a>,
}

impl Weights<'_> {
    /// The values of one of the artefact's tensors, from BERT's.
    fn of(&self, spec: &TensorSpec) -> Result<Vec<f32>, Error> {
        let shape = if spec.is_vector() { vec![spec.cols] } else { vec![spec.rows, spec.cols] };
        if spec.name == names::POSITIONS {
            // All tokens have the first type. Its vector is added to every position's.
            let mut positions = self.read("embeddings.position_embeddings.weight", &shape)?;
            let types = "embeddings.token_type_embeddings.weight";
            if let Some(found) = self.shape(types) {
                let first =
                    self.read(types, &[found.first().copied().unwrap_or(1).max(1), spec.cols])?;
                for row in positions.chunks_exact_mut(spec.cols) {
                    row.iter_mut().zip(&first).for_each(|(position, kind)| *position += kind);
                }
            }
            return Ok(positions);
        }
        self.read(&bert_name(&spec.name), &shape)
    }

    fn shape(&self, name: &str) -> Option<Vec<usize>> {
        self.view(name).map(|view| view.shape().to_vec())
    }

    fn view(&self, name: &str) -> Option<safetensors::tensor::TensorView<'_>> {
        // Some files are of the whole of BERT, some of its encoder. The oldest call norms gamma and
        // beta.
        let old = name
            .replace("LayerNorm.weight", "LayerNorm.gamma")
            .replace("LayerNorm.bias", "LayerNorm.beta");
        [name.to_string(), format!("bert.{name}"), old.clone(), format!("bert.{old}")]
            .into_iter()
            .find_map(|name| self.file.tensor(&name).ok())
    }

    fn read(&self, name: &str, expected: &[usize]) -> Result<Vec<f32>, Error> {
        let missing =
            || Error::Tensor { name: name.into(), expected: expected.to_vec(), found: None };
        let view = self.view(name).ok_or_else(missing)?;
        if view.shape() != expected {
            return Err(Error::Tensor {
                name: name.into(),
                expected: expected.to_vec(),
                found: Some(view.shape().to_vec()),
            });
        }
        let bytes = view.data();
        let values: Vec<f32> = match view.dtype() {
            Dtype::F32 => bytes
                .chunks_exact(4)
                .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                .collect(),
            Dtype::F16 => {
                bytes.chunks_exact(2).map(|b| f16::from_le_bytes([b[0], b[1]]).to_f32()).collect()
            }
            Dtype::BF16 => {
                bytes.chunks_exact(2).map(|b| bf16::from_le_bytes([b[0], b[1]]).to_f32()).collect()
            }
            other => {
                return Err(Error::Import(format!(
                    "tensor `{name}`: expected F32, F16 or BF16, found {other:?}; take the \
                     unquantised weights"
                )));
            }
        };
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::Import(format!(
                "tensor `{name}`: expected finite values, found another at {at}; download it again"
            )));
        }
        Ok(values)
    }
}

/// BERT's name of one of the artefact's tensors.
fn bert_name(name: &str) -> String {
    if name == names::WORDS {
        return "embeddings.word_embeddings.weight".into();
    }
    let Some((layer, part, kind)) = name.strip_prefix("layer.").and_then(|rest| {
        let (layer, rest) = rest.split_once('.')?;
        let (part, kind) = rest.split_once('.')?;
        Some((layer, part, kind))
    }) else {
        return format!("embeddings.LayerNorm.{}", name.rsplit('.').next().unwrap_or_default());
    };
    let part = match part {
        names::QUERY => "attention.self.query",
        names::KEY => "attention.self.key",
        names::VALUE => "attention.self.value",
        names::ATTENTION => "attention.output.dense",
        names::ATTENTION_NORM => "attention.output.LayerNorm",
        names::UP => "intermediate.dense",
        names::DOWN => "output.dense",
        _ => "output.LayerNorm",
    };
    format!("encoder.layer.{layer}.{part}.{kind}")
}

pub(crate) fn file_error(path: &Path, error: &std::io::Error) -> Error {
    Error::File { path: path.display().to_string(), reason: error.to_string() }
}

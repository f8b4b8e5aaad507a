//! A user's own sentence encoder as an ONNX graph, for models of families that [`crate::import`]
//! does not read.
//!
//! It runs natively, for documents and for queries of the command line. Browsers do not get it:
//! there a bundle made with it answers lexically, or with vectors that the host supplies.

use std::path::Path;
use std::sync::Arc;

use tract_core::internal::{TractErrorContext, bail};
use tract_onnx::prelude::*;

use crate::encoder::normalise;
use crate::import::config::{self, PoolingMode};
use crate::import::{Options, file_error, name_of};
use crate::published_tokenizer::{PublishedTokenizer, Tokens};
use crate::{Embedding, Encoder, EncoderCard, Error, Side};

/// The role of a graph's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Ids,
    Mask,
    Types,
    Positions,
}

/// An ONNX graph with its tokenizer, ready to run. Each text is one run, at its own length.
///
/// Inputs are `input_ids` and, if the graph has them, `attention_mask`, `token_type_ids` and
/// `position_ids`, all i64 `[batch, tokens]`. The output is `sentence_embedding` (`[batch, dim]`)
/// if there is one, else the first: `[batch, dim]`, or `[batch, tokens, dim]`, which is pooled
/// here.
pub struct OnnxEncoder {
    card: EncoderCard,
    tokenizer: PublishedTokenizer,
    pooling: PoolingMode,
    roles: Vec<Role>,
    plan: Arc<TypedSimplePlan>,
}

impl OnnxEncoder {
    /// Reads the graph in `file`, and tokenizer and settings in `dir` as
    /// [`crate::import::import_dir`] does.
    ///
    /// # Errors
    ///
    /// [`Error::File`] for a file that cannot be read, [`Error::Import`] for a graph that tract
    /// cannot run or with inputs or outputs other than the ones above.
    pub fn load(file: &Path, dir: &Path, options: &Options) -> Result<Self, Error> {
        let sentence = config::Sentence::read(dir, options)?;
        let (tokenizer, identity) = PublishedTokenizer::read(dir)?;
        let positions = config::positions(dir)?.unwrap_or(u32::MAX);
        let max_tokens = sentence.max_tokens.min(positions).max(3);
        let bytes = std::fs::read(file).map_err(|e| file_error(file, &e))?;
        let refused = |e: TractError| {
            Error::Import(format!("{}: tract cannot run it: {e:#}", file.display()))
        };
        let Graph { plan, roles, is_pooled } = Graph::read(file)?;
        if let (Some(module), false) = (&sentence.further_module, is_pooled) {
            return Err(Error::Import(format!(
                "modules.json: expected a graph with the output sentence_embedding for a model \
                 with the module `{module}`, found one without; export the model with it"
            )));
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(&bytes);
        for path in companions(file)? {
            hasher.update(&std::fs::read(&path).map_err(|e| file_error(&path, &e))?);
        }
        let settings =
            (max_tokens, sentence.pooling as u8, &sentence.query_prefix, &sentence.document_prefix);
        hasher.update(format!("{settings:?}{identity}").as_bytes());
        let mut encoder = Self {
            card: EncoderCard {
                name: options.name.clone().unwrap_or_else(|| name_of(dir)),
                dim: 0,
                fingerprint: hasher.finalize().to_hex()[..32].to_string(),
                max_tokens,
                query_prefix: sentence.query_prefix,
                document_prefix: sentence.document_prefix,
                semantic: true,
            },
            tokenizer,
            pooling: sentence.pooling,
            roles,
            plan,
        };
        // A run is the only certain way to learn the dimensions of the output.
        let probe = encoder.tokenizer.encode("a", 3)?;
        encoder.card.dim = encoder.forward(&probe).map_err(refused)?.len() as u32;
        Ok(encoder)
    }

    fn tokens(&self, text: &str, side: Side, max_tokens: usize) -> Result<Tokens, Error> {
        let prefix = match side {
            Side::Query => &self.card.query_prefix,
            Side::Document => &self.card.document_prefix,
        };
        self.tokenizer.encode(&format!("{prefix}{text}"), max_tokens)
    }

    fn encode_one(&self, text: &str, side: Side) -> Result<Embedding, Error> {
        let tokens = self.tokens(text, side, self.card.max_tokens as usize)?;
        if tokens.ids.is_empty() {
            let values = vec![0.0; self.card.dim as usize];
            return Ok(Embedding { values, n_tokens: 0, truncated: false });
        }
        let values = self.forward(&tokens).map_err(|e| Error::Run(format!("{e:#}")))?;
        Ok(Embedding { values, n_tokens: tokens.ids.len() as u32, truncated: tokens.truncated })
    }

    fn forward(&self, tokens: &Tokens) -> TractResult<Vec<f32>> {
        let ids = &tokens.ids;
        let inputs = self
            .roles
            .iter()
            .map(|role| {
                let values: Vec<i64> = match role {
                    Role::Ids => ids.iter().map(|id| i64::from(*id)).collect(),
                    Role::Mask => vec![1; ids.len()],
                    Role::Types => tokens.types.iter().map(|id| i64::from(*id)).collect(),
                    Role::Positions => (0..ids.len() as i64).collect(),
                };
                Ok(Tensor::from_shape(&[1, ids.len()], &values)?.into())
            })
            .collect::<TractResult<TVec<TValue>>>()?;
        let output = self.plan.run(inputs)?;
        let output = output[0].cast_to::<f32>()?;
        let view = output.try_as_plain_ram()?;
        let rows = view.as_slice::<f32>()?;
        let mut values = match *output.shape() {
            [1, dim] if dim > 0 => rows.to_vec(),
            [1, n, dim] if n == ids.len() && dim > 0 => pool(rows, dim, self.pooling),
            ref other => bail!(
                "the output for {} tokens: expected [1, dim] or [1, {}, dim], found {other:?}",
                ids.len(),
                ids.len()
            ),
        };
        normalise(&mut values);
        Ok(values)
    }
}

impl Encoder for OnnxEncoder {
    fn card(&self) -> &EncoderCard {
        &self.card
    }

    fn encode(&self, texts: &[&str], side: Side) -> Result<Vec<Embedding>, Error> {
        crate::encoder::each(texts, |text| self.encode_one(text, side))
    }

    fn count_tokens(&self, text: &str, side: Side) -> u32 {
        self.tokens(text, side, usize::MAX).map_or(0, |tokens| tokens.ids.len() as u32)
    }
}

/// Returns the vector of a text from the vectors of its tokens, up to a factor.
fn pool(rows: &[f32], dim: usize, mode: PoolingMode) -> Vec<f32> {
    let mut pooled = vec![if mode == PoolingMode::Max { f32::NEG_INFINITY } else { 0.0 }; dim];
    let n_tokens = rows.len() / dim;
    for (at, row) in rows.chunks_exact(dim).enumerate() {
        for (pooled, value) in pooled.iter_mut().zip(row) {
            match mode {
                PoolingMode::Mean => *pooled += value,
                PoolingMode::WeightedMean => *pooled += value * (at + 1) as f32,
                PoolingMode::Max => *pooled = pooled.max(*value),
                PoolingMode::Cls if at == 0 => *pooled = *value,
                PoolingMode::LastToken if at + 1 == n_tokens => *pooled = *value,
                PoolingMode::Cls | PoolingMode::LastToken => {}
            }
        }
    }
    pooled
}

/// A graph with an open number of tokens, ready to run.
struct Graph {
    plan: Arc<TypedSimplePlan>,
    /// The roles of its inputs.
    roles: Vec<Role>,
    /// Whether its output is the vector of the sentence.
    is_pooled: bool,
}

impl Graph {
    fn read(file: &Path) -> Result<Self, Error> {
        let refused = |e: TractError| {
            Error::Import(format!("{}: tract cannot run it: {e:#}", file.display()))
        };
        let mut model = tract_onnx::onnx().model_for_path(file).map_err(refused)?;
        let names: Vec<String> = model
            .input_outlets()
            .map_err(refused)?
            .iter()
            .map(|input| model.node(input.node).name.clone())
            .collect();
        let roles = names
            .iter()
            .map(|name| match name.as_str() {
                "input_ids" => Ok(Role::Ids),
                "attention_mask" => Ok(Role::Mask),
                "token_type_ids" => Ok(Role::Types),
                "position_ids" => Ok(Role::Positions),
                other => Err(Error::Import(format!(
                    "{}: expected a text encoder with inputs input_ids, attention_mask, \
                     token_type_ids, position_ids, found `{other}`; decoders with past keys and \
                     encoders of images are not supported",
                    file.display()
                ))),
            })
            .collect::<Result<Vec<_>, _>>()?;
        if !roles.contains(&Role::Ids) {
            return Err(Error::Import(format!(
                "{}: expected the input input_ids, found {names:?}",
                file.display()
            )));
        }
        let build = |model: &mut InferenceModel| -> TractResult<(Arc<TypedSimplePlan>, bool)> {
            let tokens: TDim = model.symbols.new_with_prefix("tokens").into();
            for input in 0..roles.len() {
                model.set_input_fact(input, i64::fact(&[1.to_dim(), tokens.clone()]).into())?;
            }
            let outputs = model.output_outlets()?.to_vec();
            let pooled = outputs.iter().find(|outlet| {
                model.outlet_label(**outlet) == Some("sentence_embedding")
                    || model.node(outlet.node).name == "sentence_embedding"
            });
            let is_pooled = pooled.is_some();
            let output = pooled.or(outputs.first()).copied().context("it has no output")?;
            model.select_output_outlets(&[output])?;
            Ok((std::mem::take(model).into_optimized()?.into_runnable()?, is_pooled))
        };
        let (plan, is_pooled) = build(&mut model).map_err(refused)?;
        Ok(Self { plan, roles, is_pooled })
    }
}

/// Returns the files with a graph's weights beside it: `model.onnx_data`, `model.onnx.data`.
fn companions(file: &Path) -> Result<Vec<std::path::PathBuf>, Error> {
    let (Some(dir), Some(name)) =
        (file.parent(), file.file_name().map(|name| name.to_string_lossy().into_owned()))
    else {
        return Ok(Vec::new());
    };
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    let mut paths: Vec<_> = std::fs::read_dir(dir)
        .map_err(|e| file_error(dir, &e))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let other = path
                .file_name()
                .map(|other| other.to_string_lossy().into_owned())
                .unwrap_or_default();
            other != name && other.starts_with(&name)
        })
        .collect();
    paths.sort();
    Ok(paths)
}

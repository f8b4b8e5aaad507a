//! A user's own sentence encoder as an ONNX graph, for models of families that [`crate::import`]
//! does not read.
//!
//! It runs natively, for documents and for queries of the command line. Browsers do not get it:
//! there a bundle made with it answers lexically, or with vectors that the host supplies.

use std::path::Path;
use std::sync::Arc;

use findling_text::wordpiece::WordPiece;
use tract_core::internal::{TractErrorContext, bail};
use tract_onnx::prelude::*;

use crate::artefact::Pooling;
use crate::encoder::normalise;
use crate::import::{Options, config, file_error, name_of, tokenizer};
use crate::{Embedding, Encoder, EncoderCard, Error, Side};

/// The role of a graph's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Ids,
    Mask,
    Types,
}

/// An ONNX graph with its tokenizer, ready to run. Each text is one run, at its own length.
///
/// Inputs are `input_ids` and, if the graph has them, `attention_mask` and `token_type_ids`, all
/// i64 `[batch, tokens]`. The output is `sentence_embedding` (`[batch, dim]`) if there is one, else
/// the first: `[batch, dim]`, or `[batch, tokens, dim]`, which is pooled here.
pub struct OnnxEncoder {
    card: EncoderCard,
    tokenizer: WordPiece,
    pooling: Pooling,
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
        let (normaliser, vocabulary) = tokenizer::read(dir)?;
        let tokenizer =
            WordPiece::new(&vocabulary, normaliser).map_err(|e| Error::Import(e.to_string()))?;
        let bytes = std::fs::read(file).map_err(|e| file_error(file, &e))?;
        let refused = |e: TractError| {
            Error::Import(format!("{}: tract cannot run it: {e:#}", file.display()))
        };
        let (plan, roles) = plan(file)?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(&bytes);
        for path in companions(file)? {
            hasher.update(&std::fs::read(&path).map_err(|e| file_error(&path, &e))?);
        }
        let settings = (
            sentence.max_tokens,
            sentence.pooling as u8,
            &sentence.query_prefix,
            &sentence.document_prefix,
        );
        hasher.update(format!("{settings:?}{normaliser:?}{vocabulary:?}").as_bytes());
        let mut encoder = Self {
            card: EncoderCard {
                name: options.name.clone().unwrap_or_else(|| name_of(dir)),
                dim: 0,
                fingerprint: hasher.finalize().to_hex()[..32].to_string(),
                max_tokens: sentence.max_tokens.max(3),
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
        let probe = encoder.tokenizer.encode("", 3).ids;
        encoder.card.dim = encoder.forward(&probe).map_err(refused)?.len() as u32;
        Ok(encoder)
    }

    fn tokens(
        &self,
        text: &str,
        side: Side,
        max_tokens: usize,
    ) -> findling_text::wordpiece::Encoding {
        let prefix = match side {
            Side::Query => &self.card.query_prefix,
            Side::Document => &self.card.document_prefix,
        };
        self.tokenizer.encode(&format!("{prefix}{text}"), max_tokens)
    }

    fn encode_one(&self, text: &str, side: Side) -> Result<Embedding, Error> {
        let tokens = self.tokens(text, side, self.card.max_tokens as usize);
        let values = self.forward(&tokens.ids).map_err(|e| Error::Run(format!("{e:#}")))?;
        Ok(Embedding { values, n_tokens: tokens.ids.len() as u32, truncated: tokens.truncated })
    }

    fn forward(&self, ids: &[u32]) -> TractResult<Vec<f32>> {
        let inputs = self
            .roles
            .iter()
            .map(|role| {
                let values: Vec<i64> = match role {
                    Role::Ids => ids.iter().map(|id| i64::from(*id)).collect(),
                    Role::Mask => vec![1; ids.len()],
                    Role::Types => vec![0; ids.len()],
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
            [1, n, dim] if n == ids.len() && dim > 0 => match self.pooling {
                Pooling::Cls => rows[..dim].to_vec(),
                Pooling::Mean => {
                    let mut sum = vec![0.0f32; dim];
                    for row in rows.chunks_exact(dim) {
                        sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
                    }
                    sum
                }
            },
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
        self.tokens(text, side, usize::MAX).ids.len() as u32
    }
}

/// The graph with an open number of tokens, and the roles of its inputs.
fn plan(file: &Path) -> Result<(Arc<TypedSimplePlan>, Vec<Role>), Error> {
    let refused =
        |e: TractError| Error::Import(format!("{}: tract cannot run it: {e:#}", file.display()));
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
            other => Err(Error::Import(format!(
                "{}: expected inputs input_ids, attention_mask, token_type_ids, found `{other}`",
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
    let build = |model: &mut InferenceModel| {
        let tokens: TDim = model.symbols.new_with_prefix("tokens").into();
        for input in 0..roles.len() {
            model.set_input_fact(input, i64::fact(&[1.to_dim(), tokens.clone()]).into())?;
        }
        let outputs = model.output_outlets()?.to_vec();
        let pooled = outputs.iter().find(|outlet| {
            model.outlet_label(**outlet) == Some("sentence_embedding")
                || model.node(outlet.node).name == "sentence_embedding"
        });
        let output = pooled.or(outputs.first()).copied().context("it has no output")?;
        model.select_output_outlets(&[output])?;
        std::mem::take(model).into_optimized()?.into_runnable()
    };
    Ok((build(&mut model).map_err(refused)?, roles))
}

/// The files with a graph's weights beside it: `model.onnx_data`, `model.onnx.data`.
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

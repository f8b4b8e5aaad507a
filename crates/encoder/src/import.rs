//! Reads published sentence encoders: `model.safetensors`, `tokenizer.json` and `config.json` of a
//! BERT-family model, and the files of sentence-transformers if there are any.

pub(crate) mod config;
pub(crate) mod tokenizer;
pub(crate) mod weights;

use std::path::Path;

use findling_text::wordpiece::Normaliser;

use crate::artefact::{Architecture, Artefact, MAX_VOCABULARY, Pooling};
use crate::{EncoderCard, Error};
use weights::{Weights, WordRows};

/// Settings that override the model's files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The model's name; by default the directory's.
    pub name: Option<String>,
    /// Maximum number of tokens of an input, special tokens included.
    pub max_tokens: Option<u32>,
    /// The way in which the vectors of all tokens become one.
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
/// | `config.json` | sizes, activation, epsilon, rows of the table of words |
/// | `tokenizer.json`, else `vocab.txt`, `tokenizer_config.json` | vocabulary, normalisation |
/// | `sentence_bert_config.json` | most tokens; else those of `tokenizer_config.json`, else 512 |
/// | `1_Pooling/config.json` | pooling; else the mean |
/// | `config_sentence_transformers.json` | prompts `query` and `document` or `passage` |
///
/// # Errors
///
/// [`Error::File`] for a file that cannot be read, [`Error::Import`] for a file with other contents
/// than its name promises or with a model of another family, [`Error::Tensor`] for a tensor that is
/// missing or has another shape.
pub fn import_dir(dir: &Path, options: &Options) -> Result<Artefact, Error> {
    import_dir_or(dir, options, &mut Err)
}

/// Returns the tokens of a tokenizer that is not WordPiece, or why there are none: by default the
/// error that it is given.
pub(crate) type Otherwise<'a> = &'a mut dyn FnMut(Error) -> Result<Vec<String>, Error>;

/// Imports as [`import_dir`] does. If the tokenizer is not WordPiece, `otherwise` gives the text of
/// its tokens.
///
/// # Errors
///
/// The errors of [`import_dir`] and of `otherwise`.
pub(crate) fn import_dir_or(
    dir: &Path,
    options: &Options,
    otherwise: Otherwise<'_>,
) -> Result<Artefact, Error> {
    let (card, architecture) = card(dir, options)?;
    let (tokenizer, weights) = join(|| tokenizer::read(dir), || Weights::read(dir));
    let (normaliser, vocabulary) = words(dir, tokenizer, otherwise)?;
    weights?.into_artefact(card, architecture, normaliser, vocabulary)
}

/// Returns whether the model in `dir` has BERT's tokenizer, which browsers have too.
pub fn has_wordpiece(dir: &Path) -> bool {
    tokenizer::read(dir).is_ok()
}

/// Returns normalisation and vocabulary, of WordPiece or of another tokenizer. The table of words
/// often has more rows than the vocabulary has tokens.
fn words(
    dir: &Path,
    wordpiece: Result<(Normaliser, Vec<String>), Error>,
    otherwise: Otherwise<'_>,
) -> Result<(Normaliser, Vec<String>), Error> {
    let refused = match wordpiece {
        Ok(words) => return Ok(words),
        Err(refused) => refused,
    };
    let mut tokens = otherwise(refused)?;
    let rows = config::vocabulary_size(dir)?.map_or(0, |rows| rows.min(MAX_VOCABULARY));
    tokens.extend((tokens.len()..rows).map(|id| format!("[unused{id}]")));
    Ok((Normaliser::default(), tokens))
}

/// Reads the model in `dir` for a few queries: without the table of words, whose rows are read when
/// they are needed, and without hashing the weights. `fingerprint` is the model's, noted when all
/// of it was read. `None` if the weights are not in single precision.
///
/// # Errors
///
/// The errors of [`import_dir`].
pub(crate) fn import_layers(
    dir: &Path,
    options: &Options,
    fingerprint: &str,
    otherwise: Otherwise<'_>,
) -> Result<Option<(Artefact, WordRows)>, Error> {
    let (card, architecture) = card(dir, options)?;
    let card = EncoderCard { fingerprint: fingerprint.to_owned(), ..card };
    let (tokenizer, weights) = join(|| tokenizer::read(dir), || Weights::read_without_words(dir));
    let Some((weights, rows)) = weights? else { return Ok(None) };
    let (normaliser, vocabulary) = words(dir, tokenizer, otherwise)?;
    let layers = weights.into_layers(card, architecture, normaliser, vocabulary)?;
    Ok(layers.map(|layers| (layers, rows)))
}

/// Returns the model's card without a fingerprint, and its architecture.
fn card(dir: &Path, options: &Options) -> Result<(EncoderCard, Architecture), Error> {
    let sentence = config::Sentence::read(dir, options)?;
    let architecture = config::architecture(dir, &sentence)?;
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
    Ok((card, architecture))
}

/// Runs both, at the same time with feature `parallel`.
fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    #[cfg(feature = "parallel")]
    return rayon::join(a, b);
    #[cfg(not(feature = "parallel"))]
    (a(), b())
}

/// Returns the default name of a model: its directory's.
pub(crate) fn name_of(dir: &Path) -> String {
    let canonical = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
    canonical
        .file_name()
        .map_or_else(|| "model".into(), |name| name.to_string_lossy().to_lowercase())
}

pub(crate) fn file_error(path: &Path, error: &std::io::Error) -> Error {
    Error::File { path: path.display().to_string(), reason: error.to_string() }
}

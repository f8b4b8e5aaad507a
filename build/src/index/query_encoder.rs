//! What embeds queries where the bundle is deployed: an entry in the manifest, and for the transformer the model's artefact
//! beside the bundle, in parts that every host takes.

use std::borrow::Cow;

use anyhow::Result;
use findling_bundle::{FilePart, QueryEncoder, hash128, hex};
#[cfg(feature = "transformer")]
use findling_encoder::artefact::Artefact;

use super::write::{ENCODERS, Extra};
use crate::models;

/// Most bytes of a part. Cloudflare Workers take files of up to 25 MiB; this stays below in every reading of that.
pub const PART_LEN: usize = 20 << 20;

/// Which encoder of queries is deployed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Choice {
    /// Static where there is a table for the documents' encoder, else the documents' encoder itself
    #[default]
    Auto,
    /// The static table's rows, part of the bundle: a few kilobytes a query
    Static,
    /// The documents' transformer, made small: 15 MB once for all-minilm-l6-v2
    Transformer,
    /// Static at once, the transformer when it has been loaded
    Both,
    /// Feature hashing; not semantic
    Hash,
    /// None: hosts supply vectors, or search by words
    None,
}

impl Choice {
    /// Whether the static encoder is asked for.
    pub fn wants_static(self) -> bool {
        matches!(self, Self::Static | Self::Both)
    }

    /// `Auto` decided: `has_table` says whether there is a table for the documents' encoder.
    pub fn decided(self, has_table: bool) -> Self {
        if self == Self::Auto && has_table { Self::Static } else { self }
    }
}

/// The manifest's entries for a choice, and the files they name.
///
/// # Errors
/// Where the choice does not go with the documents' encoder, or the model cannot be read.
pub fn deploy(choice: Choice, encoder: &str) -> Result<(Vec<QueryEncoder>, Vec<Extra>)> {
    let is_hash = encoder == models::HASH;
    let of_table = || QueryEncoder { kind: models::STATIC.to_owned(), files: Vec::new() };
    match choice {
        Choice::Transformer | Choice::Both | Choice::Hash if encoder == models::STATIC => anyhow::bail!(
            "--query-encoder transformer, both and hash: the documents are embedded by the static table, and queries must land \
             in the same space; use static or none, or --encoder with a model"
        ),
        Choice::Static => Ok((vec![of_table()], Vec::new())),
        Choice::Both => {
            let (mut entries, files) = deploy(Choice::Transformer, encoder)?;
            entries.insert(0, of_table());
            Ok((entries, files))
        }
        Choice::None => Ok((Vec::new(), Vec::new())),
        Choice::Hash | Choice::Auto if is_hash => {
            Ok((vec![QueryEncoder { kind: models::HASH.to_owned(), files: Vec::new() }], Vec::new()))
        }
        Choice::Hash => anyhow::bail!(
            "--query-encoder hash: the documents are embedded by `{encoder}`, and queries must land in the same space; use \
             transformer or none"
        ),
        Choice::Transformer if is_hash => anyhow::bail!(
            "--query-encoder transformer: the documents are embedded by `hash`, and queries must land in the same space; use hash \
             or none, or --encoder with a model"
        ),
        Choice::Transformer | Choice::Auto => {
            let (files, extras) = split(&artefact(encoder)?);
            Ok((vec![QueryEncoder { kind: "transformer".to_owned(), files }], extras))
        }
    }
}

/// Whether an installed model is an ONNX graph: these run natively only.
pub fn is_onnx(encoder: &str) -> bool {
    models::locate(encoder).is_ok_and(|model| model.record.kind == models::Kind::Onnx)
}

/// The bytes of the model as browsers load it, kept beside the embedding cache: rounding takes half a minute.
#[cfg(feature = "transformer")]
fn artefact(encoder: &str) -> Result<Vec<u8>> {
    let precision = models::prepare::Precision::default();
    let model = models::prepare::read(&models::locate(encoder)?)?;
    let key = models::prepare::key(&model, precision);
    let kept = super::cache::Cache::default_dir().map(|dir| dir.join(format!("{key}.prepared")));
    if let Some(bytes) = kept.as_ref().and_then(|path| std::fs::read(path).ok())
        && Artefact::from_packed_bytes(bytes.clone()).is_ok_and(|artefact| artefact.card() == model.card())
    {
        return Ok(bytes);
    }
    let activations = models::prepare::activations(&model)?;
    let bytes = models::prepare::prepare(&model, precision, &activations)?.to_packed_bytes();
    // A cache that cannot be written is done without; one that was cut off does not read back.
    if let Some(path) = kept {
        let _ = path.parent().map(std::fs::create_dir_all);
        let _ = std::fs::write(path, &bytes);
    }
    Ok(bytes)
}

#[cfg(not(feature = "transformer"))]
fn artefact(encoder: &str) -> Result<Vec<u8>> {
    Err(models::Error::NoTransformer { name: encoder.to_owned() }.into())
}

/// Cuts a file into parts named by their contents.
fn split(bytes: &[u8]) -> (Vec<FilePart>, Vec<Extra>) {
    bytes
        .chunks(PART_LEN)
        .map(|part| {
            let hash = hash128(part);
            let path = format!("{ENCODERS}/{}.bin", hex(&hash));
            let file = FilePart { path: path.clone(), len: part.len() as u64, hash };
            (file, Extra { path, contents: Cow::Owned(part.to_vec()) })
        })
        .unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_whole_and_fit_every_host() {
        let bytes: Vec<u8> = (0..PART_LEN * 2 + 5).map(|i| (i % 251) as u8).collect();
        let (files, extras) = split(&bytes);
        assert_eq!(files.len(), 3);
        assert!(files.iter().all(|file| file.len <= 25 << 20));
        let whole: Vec<u8> = extras.iter().flat_map(|extra| extra.contents.iter().copied()).collect();
        assert!(whole == bytes);
        assert_eq!(files[0].path, extras[0].path);
    }

    #[test]
    fn a_query_encoder_of_another_space_is_refused() {
        assert!(deploy(Choice::Hash, "all-minilm-l6-v2").is_err());
        assert!(deploy(Choice::Transformer, "hash").is_err());
        assert_eq!(deploy(Choice::None, "hash").unwrap().0, []);
        let (entries, files) = deploy(Choice::Auto, "hash").unwrap();
        assert_eq!((entries[0].kind.as_str(), entries[0].files.len(), files.len()), ("hash", 0, 0));
    }
}

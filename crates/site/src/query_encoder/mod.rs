//! Query encoders on the deployed site: an entry in the manifest, and for the transformer also the
//! model's file, in parts that are small enough for every host.

#[cfg(feature = "transformer")]
pub mod vocabulary;

use std::borrow::Cow;

use findling_base::progress::Progress;
use findling_bundle::{FilePart, QueryEncoder, hash128, hex};
use findling_index::previous_build::PreviousBuild;
use findling_index::write::{ENCODERS, Extra};
use findling_models as models;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Largest number of bytes of a part. Cloudflare Workers accept files of up to 25 MiB; this limit
/// is safe even if they mean MB.
pub const PART_LEN: usize = 20 << 20;

/// The query encoder that is deployed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Choice {
    /// static if there is a table for the documents' encoder, otherwise that encoder itself
    #[default]
    Auto,
    /// The rows of the static table, a part of the bundle: a few kilobytes for a query
    Static,
    /// The documents' transformer, compressed: 15 MB once for all-minilm-l6-v2
    Transformer,
    /// static first, the transformer once it has been loaded
    Both,
    /// Feature hashing; not semantic
    Hash,
    /// None: search by words only, or with vectors that the host supplies
    None,
}

impl Choice {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Auto, Self::Static, Self::Transformer, Self::Both, Self::Hash, Self::None];

    /// Returns whether the static encoder is deployed.
    pub fn wants_static(self) -> bool {
        matches!(self, Self::Static | Self::Both)
    }

    /// Resolves `Auto`. `has_table` is whether there is a table for the documents' encoder.
    pub fn decided(self, has_table: bool) -> Self {
        if self == Self::Auto && has_table { Self::Static } else { self }
    }
}

/// Checks that a choice is possible with the documents' encoder.
///
/// # Errors
/// If it is not.
pub fn check(choice: Choice, encoder: &str) -> Result<()> {
    let is_possible = match (choice, encoder) {
        (Choice::Transformer | Choice::Both | Choice::Hash, models::STATIC) => false,
        (Choice::Transformer | Choice::Both, models::HASH) => false,
        (Choice::Hash, encoder) => encoder == models::HASH,
        (Choice::Transformer | Choice::Both, encoder) if is_native_only(encoder) => {
            return Err(models::Error::NativeOnly { name: encoder.to_owned() }.into());
        }
        _ => true,
    };
    if is_possible { Ok(()) } else { Err(Error::QueryEncoder { documents: encoder.to_owned() }) }
}

/// Returns whether a choice deploys the files of a model. The choice must have passed [`check`].
pub fn has_files(choice: Choice, encoder: &str) -> bool {
    match choice {
        Choice::Transformer | Choice::Both => true,
        Choice::Auto => encoder != models::HASH,
        Choice::Static | Choice::Hash | Choice::None => false,
    }
}

/// The reduction of the vocabulary of a deployed transformer.
#[derive(Debug)]
pub struct Words<'a> {
    /// The site's texts.
    pub texts: Vec<&'a str>,
    /// Largest number of bytes of the vocabulary's download.
    pub budget: usize,
    /// The bundle of the previous build.
    pub earlier: Option<&'a PreviousBuild>,
}

/// Returns the manifest's entries for a choice that has passed [`check`], and the files that they
/// name. The transformer's vocabulary is reduced according to `words`; without `words` it stays
/// complete.
///
/// # Errors
/// If the model cannot be read, or the budget is too small for any vocabulary.
pub fn deploy(
    choice: Choice,
    encoder: &str,
    words: Option<&Words<'_>>,
    progress: &dyn Progress,
) -> Result<(Vec<QueryEncoder>, Vec<Extra>)> {
    let of = |kind: &str| QueryEncoder { kind: kind.to_owned(), files: Vec::new() };
    let (mut entries, mut files) = (Vec::new(), Vec::new());
    if choice.wants_static() {
        entries.push(of(models::STATIC));
    }
    if has_files(choice, encoder) {
        let (parts, extras) = split(&artefact(encoder, words, progress)?);
        entries.push(QueryEncoder { kind: "transformer".to_owned(), files: parts });
        files = extras;
    } else if matches!(choice, Choice::Hash | Choice::Auto) {
        entries.push(of(models::HASH));
    }
    Ok((entries, files))
}

/// Returns whether only native programs can run an installed model.
pub fn is_native_only(encoder: &str) -> bool {
    #[cfg(feature = "transformer")]
    return models::locate(encoder).is_ok_and(|model| models::prepare::is_native_only(&model));
    #[cfg(not(feature = "transformer"))]
    models::locate(encoder).is_ok_and(|model| model.record.kind == models::Kind::Onnx)
}

/// Returns the model's file as browsers load it.
#[cfg(feature = "transformer")]
fn artefact(encoder: &str, words: Option<&Words<'_>>, progress: &dyn Progress) -> Result<Vec<u8>> {
    let precision = models::prepare::Precision::default();
    let full = models::prepare::read(&models::locate(encoder)?)?;
    let model = models::prepare::prepare(&full, precision);
    let Some(Words { texts, budget, earlier }) = words else { return Ok(model.to_packed_bytes()) };
    let choice = vocabulary::Choice::new(&model, precision.words, texts)?;
    let now = choice.within(Some(*budget))?;
    let before = earlier.and_then(|earlier| earlier.query_vocabulary(model.card()));
    let kept = before.and_then(|before| choice.as_before(&now, &before, *budget)).unwrap_or(now);
    let bytes = kept.apply(&model).to_packed_bytes();
    progress.status(
        "Cut",
        format!(
            "the transformer's words: {kept}; {}",
            findling_base::progress::bytes(bytes.len() as u64)
        ),
    );
    Ok(bytes)
}

#[cfg(not(feature = "transformer"))]
fn artefact(encoder: &str, _: Option<&Words<'_>>, _: &dyn Progress) -> Result<Vec<u8>> {
    Err(models::Error::NoTransformer { name: encoder.to_owned() }.into())
}

/// Cuts a file into parts, which are named by their contents.
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
    use findling_base::progress::Silent;

    #[test]
    fn parts_make_the_whole_and_fit_every_host() {
        let bytes: Vec<u8> = (0..PART_LEN * 2 + 5).map(|i| (i % 251) as u8).collect();
        let (files, extras) = split(&bytes);
        assert_eq!(files.len(), 3);
        assert!(files.iter().all(|file| file.len <= 25 << 20));
        let whole: Vec<u8> =
            extras.iter().flat_map(|extra| extra.contents.iter().copied()).collect();
        assert!(whole == bytes);
        assert_eq!(files[0].path, extras[0].path);
    }

    #[test]
    fn a_query_encoder_of_another_space_is_refused() {
        use Choice::*;
        for (encoder, refused) in [
            (models::HASH, &[Transformer, Both][..]),
            (models::STATIC, &[Transformer, Both, Hash]),
            ("all-minilm-l6-v2", &[Hash]),
        ] {
            for choice in [Auto, Static, Transformer, Both, Hash, None] {
                let error = check(choice, encoder).err();
                let code = error.and_then(|error| error.code());
                let expected = refused.contains(&choice).then_some("query-encoder");
                assert_eq!(code, expected, "{choice:?} of {encoder}");
            }
        }
    }

    #[test]
    fn what_needs_no_model_is_an_entry_alone() {
        let progress = &Silent;
        for (choice, encoder, kinds) in [
            (Choice::None, models::HASH, &[][..]),
            (Choice::Auto, models::HASH, &["hash"]),
            (Choice::Hash, models::HASH, &["hash"]),
            (Choice::Static, "all-minilm-l6-v2", &["static"]),
        ] {
            let (entries, files) = deploy(choice, encoder, Option::None, progress).unwrap();
            let found: Vec<&str> = entries.iter().map(|entry| entry.kind.as_str()).collect();
            assert_eq!((&found[..], files.len()), (kinds, 0), "{choice:?} of {encoder}");
        }
    }
}

//! Tables of vectors.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::builder::{
    BinaryBuilder, BooleanBuilder, Float32Builder, Int32Builder, ListBuilder, StringBuilder,
};
use arrow_schema::{DataType, Field, Schema};
use findling_bundle::EncoderCard;
use findling_encoder::Embedding;
use findling_index::embedding::Cache;
use findling_index::embedding::cache::Key;

use super::columns::Batch;
use super::error::Error;
use super::parquet_file;

/// All columns that are read.
const COLUMNS: [&str; 6] = ["key", "text", "model", "vector", "tokens", "truncated"];
/// Columns in which equal values are rare.
const DISTINCT: [&str; 2] = ["key", "vector.list.element"];

/// Tables of vectors.
#[derive(Debug, Default)]
pub struct Vectors {
    paths: Vec<PathBuf>,
}

impl Vectors {
    pub(super) fn of(paths: Vec<PathBuf>) -> Self {
        Self { paths }
    }

    /// Returns whether there are no tables.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Returns the tables.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Returns the vectors of all tables, as a cache in `directory`. Vectors are found by their
    /// text. A vector is left out if its key does not belong to the text in its row.
    ///
    /// # Errors
    /// If a table cannot be read, has other columns, or has vectors of another model.
    pub fn cache(self, directory: &Path, card: &EncoderCard) -> Result<Cache, Error> {
        let mut cache = Cache::open(directory, card).map_err(Error::Keep)?;
        for path in &self.paths {
            let mut failed = None;
            parquet_file::read(path, &COLUMNS, |batch| {
                let found = vectors(&batch, card)?;
                let records: Vec<_> = found.iter().map(|(key, vector)| (*key, vector)).collect();
                // Errors of the disk are not errors of the table.
                failed = cache.put(&records).err();
                Ok(failed.is_none())
            })?;
            if let Some(error) = failed {
                return Err(Error::Keep(error));
            }
        }
        Ok(cache)
    }
}

fn vectors(batch: &Batch<'_>, card: &EncoderCard) -> Result<Vec<(Key, Embedding)>, Error> {
    let models = batch.required("model", batch.texts("model")?)?;
    let other = models.iter().position(|model| *model != card.fingerprint);
    if let Some(at) = other {
        return Err(Error::Model {
            path: batch.path.to_owned(),
            row: batch.first + at as u64,
            name: card.name.clone(),
            expected: card.fingerprint.clone(),
            found: models[at].chars().filter(|c| !c.is_control()).take(80).collect(),
        });
    }
    let (keys, texts) = (batch.bytes("key")?, batch.texts("text")?);
    let (tokens, truncated) = (batch.numbers("tokens")?, batch.truths("truncated")?);
    let vectors = batch.vectors("vector", card.dim as usize)?;
    let mut found = Vec::with_capacity(vectors.len());
    for (at, values) in vectors.into_iter().enumerate() {
        let of_text = texts[at].map(|text| Cache::key(card, text));
        let key =
            match keys[at] {
                None => None,
                Some(key) => Some(Key::try_from(key).map_err(|_| {
                    batch.value(at, "key", "16 bytes", format!("{} bytes", key.len()))
                })?),
            };
        let key = match (key, of_text) {
            // The text was changed after it was embedded.
            (Some(key), Some(of_text)) if key != of_text => continue,
            (Some(key), _) | (None, Some(key)) => key,
            (None, None) => {
                return Err(batch.value(at, "key", "the key of a text, or its `text`", "neither"));
            }
        };
        let n_tokens = tokens[at].unwrap_or_default();
        found.push((key, Embedding { values, n_tokens, truncated: truncated[at] == Some(true) }));
    }
    Ok(found)
}

/// Writes a table of the vectors that a cache has for these texts, given by their keys. Returns its
/// length in bytes.
///
/// # Errors
/// If the system refuses; an earlier file then stays.
pub fn write_vectors(
    path: &Path,
    card: &EncoderCard,
    keys: &[Key],
    cache: &mut Cache,
) -> io::Result<u64> {
    let batches = keys.chunks(1024).map(|keys| batch(card, keys, cache));
    parquet_file::write(path, schema(), &DISTINCT, batches)
}

fn element() -> Field {
    Field::new("element", DataType::Float32, false)
}

fn schema() -> Schema {
    Schema::new(vec![
        Field::new("key", DataType::Binary, false),
        Field::new("encoder", DataType::Utf8, false),
        Field::new("model", DataType::Utf8, false),
        Field::new("vector", DataType::List(Arc::new(element())), false),
        Field::new("tokens", DataType::Int32, false),
        Field::new("truncated", DataType::Boolean, false),
    ])
}

fn batch(card: &EncoderCard, keys: &[Key], cache: &mut Cache) -> io::Result<RecordBatch> {
    let (mut names, mut models) = (StringBuilder::new(), StringBuilder::new());
    let (mut tokens, mut truncated) = (Int32Builder::new(), BooleanBuilder::new());
    let mut vectors = ListBuilder::new(Float32Builder::new()).with_field(element());
    let mut found = BinaryBuilder::new();
    for key in keys {
        let Some(embedding) = cache.get(key)? else { continue };
        found.append_value(key);
        names.append_value(&card.name);
        models.append_value(&card.fingerprint);
        vectors.values().append_slice(&embedding.values);
        vectors.append(true);
        tokens.append_value(i32::try_from(embedding.n_tokens).unwrap_or(i32::MAX));
        truncated.append_value(embedding.truncated);
    }
    let columns: Vec<arrow_array::ArrayRef> = vec![
        Arc::new(found.finish()),
        Arc::new(names.finish()),
        Arc::new(models.finish()),
        Arc::new(vectors.finish()),
        Arc::new(tokens.finish()),
        Arc::new(truncated.finish()),
    ];
    RecordBatch::try_new(schema().into(), columns).map_err(io::Error::other)
}

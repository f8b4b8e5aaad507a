//! What a host needs to know of an opened bundle, as JSON.

use findling_bundle::{AttributeKind, ShardEntry, ShardKind, hex};
use findling_engine::Index;
use serde::Serialize;

/// A bundle's description, a selection from its manifest.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Description<'a> {
    generator: &'a str,
    languages: &'a [String],
    pages: u32,
    sections: u32,
    attributes: Vec<AttributeInfo<'a>>,
    dense: Option<DenseInfo<'a>>,
    /// Bytes of all shards as stored.
    stored_bytes: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AttributeInfo<'a> {
    name: &'a str,
    kind: &'static str,
    facet: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DenseInfo<'a> {
    name: &'a str,
    dim: u32,
    fingerprint: &'a str,
    semantic: bool,
    /// Whether searches fetch the vectors near the query rather than all of them.
    streamed: bool,
    /// How this module embeds queries itself: `hash`, `static`; none where it cannot.
    built_in: Option<&'static str>,
    query_encoders: Vec<QueryEncoderInfo<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct QueryEncoderInfo<'a> {
    kind: &'a str,
    files: Vec<FileInfo<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileInfo<'a> {
    path: &'a str,
    length: u64,
    hash: String,
}

/// A shard that a search waits for.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Wanted {
    id: u32,
    path: String,
    length: u32,
    /// Where it begins in a single-file bundle.
    offset: u64,
    /// Whether what reads it is in the rest of the engine, where a host has the engine in two parts (`deferred.txt`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rest: bool,
    /// Whether the search goes on without it where it cannot be had.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    optional: bool,
}

impl<'a> Description<'a> {
    /// Selects.
    pub fn new(index: &'a Index, hashes: bool) -> Self {
        let manifest = index.manifest();
        Self {
            generator: &manifest.generator,
            languages: &manifest.languages,
            pages: manifest.stats.n_pages,
            sections: manifest.stats.n_sections,
            attributes: manifest
                .attributes
                .iter()
                .map(|attribute| AttributeInfo {
                    name: &attribute.name,
                    kind: match attribute.kind {
                        AttributeKind::String => "string",
                        AttributeKind::Strings => "strings",
                        AttributeKind::Number => "number",
                        AttributeKind::Date => "date",
                        AttributeKind::Bool => "bool",
                    },
                    facet: attribute.facet,
                })
                .collect(),
            dense: manifest.dense.as_ref().map(|dense| DenseInfo {
                name: &dense.encoder.name,
                dim: dense.encoder.dim,
                fingerprint: &dense.encoder.fingerprint,
                semantic: dense.encoder.semantic,
                streamed: index.is_streamed(),
                built_in: match &dense.rows {
                    _ if hashes => Some("hash"),
                    Some(_) => Some("static"),
                    None => None,
                },
                query_encoders: dense
                    .query_encoders
                    .iter()
                    .map(|encoder| QueryEncoderInfo {
                        kind: &encoder.kind,
                        files: encoder
                            .files
                            .iter()
                            .map(|file| FileInfo {
                                path: &file.path,
                                length: file.len,
                                hash: hex(&file.hash),
                            })
                            .collect(),
                    })
                    .collect(),
            }),
            stored_bytes: manifest.shards.iter().map(|shard| u64::from(shard.stored_len)).sum(),
        }
    }
}

impl Wanted {
    /// A line of the shard directory, for fetching.
    pub fn new(id: u32, entry: &ShardEntry, offset: u64) -> Self {
        use ShardKind::{Addresses, Graph, Positions, Sentences, Spelling};
        let rest = matches!(entry.kind, Positions | Graph | Spelling | Addresses | Sentences);
        let optional = entry.kind == Sentences;
        Self { id, path: entry.path(), length: entry.stored_len, offset, rest, optional }
    }
}

//! The contents of a bundle.

use std::collections::BTreeMap;
use std::path::PathBuf;

use findling_bundle::{Attribute, AttributeLevel, Column, Dense, hex};
use serde::Serialize;

use super::verify::{Checked, Decoded, attribute_kind_name, kind_name, verify};
use crate::bundle_files::BundleFiles;
use crate::index::assemble::sizes;
use crate::ranking::{self, Setting};
use crate::ui::Ui;

/// The contents of a bundle, as `--json` prints them.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Contents {
    pub path: PathBuf,
    pub single_file: bool,
    /// Number of packs that shards are in; 0 if each has a file of its own.
    pub packs: usize,
    /// Hash of the manifest, which identifies the bundle's state.
    pub hash: String,
    pub generator: String,
    pub languages: Vec<String>,
    /// Whether this program analyses text as the program that built the bundle did.
    pub analysis_matches: bool,
    pub pages: u32,
    pub sections: u32,
    pub passages: u32,
    pub vectors: u32,
    pub terms: u32,
    /// Mean field lengths in tokens: title, path, heading, ancestors, body, code.
    pub mean_lengths: [f32; 6],
    /// Ranking parameters that differ from the engine's defaults.
    pub ranking: BTreeMap<&'static str, f32>,
    pub attributes: Vec<AttributeLine>,
    pub encoder: Option<EncoderLine>,
    pub graph: Option<GraphLine>,
    pub parts: Vec<Part>,
    pub total_bytes: u64,
    pub damage: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AttributeLine {
    pub name: String,
    pub kind: &'static str,
    pub facet: bool,
    /// The items that have values: `pages` or `sections`.
    pub of: &'static str,
    /// Number of items that have a value.
    pub count: u32,
    /// Number of distinct strings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<u32>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EncoderLine {
    pub name: String,
    pub dim: u32,
    pub fingerprint: String,
    pub max_tokens: u32,
    pub semantic: bool,
    /// Query encoders, with the bytes of their files.
    pub query_encoders: Vec<(String, u64)>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GraphLine {
    pub layers: usize,
    pub edges: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part {
    pub kind: &'static str,
    pub files: usize,
    pub stored_bytes: u64,
    pub raw_bytes: u64,
}

/// Verifies a bundle and describes its contents.
pub(super) fn inspect(files: &BundleFiles, ui: &Ui) -> Contents {
    let manifest = files.manifest();
    let shards = verify(files, ui);
    let parts = parts(files, &shards);
    let dense = manifest.dense.as_ref();
    let graph = shards.iter().find_map(|shard| match &shard.decoded {
        Ok(Decoded::Graph(line)) => Some(GraphLine { ..*line }),
        _ => None,
    });
    let stats = &manifest.stats;
    Contents {
        path: files.path().to_owned(),
        single_file: files.is_single_file(),
        packs: files.packs().map_or(0, |packs| packs.directory().packs.len()),
        hash: hex(&files.entry().manifest_hash),
        generator: manifest.generator.clone(),
        languages: manifest.languages.clone(),
        analysis_matches: manifest.analysis == findling_text::conformance(&manifest.languages),
        pages: stats.n_pages,
        sections: stats.n_sections,
        passages: stats.n_passages,
        vectors: stats.n_vectors,
        terms: stats.n_terms,
        mean_lengths: stats.mean_len,
        ranking: match Setting::try_from(manifest.ranking.as_slice()) {
            Ok(setting) => ranking::differences(&ranking::defaults(), &setting)
                .map(|(name, _, value)| (name, value))
                .collect(),
            Err(_) => BTreeMap::new(),
        },
        attributes: manifest
            .attributes
            .iter()
            .map(|attribute| attribute_line(attribute, &shards))
            .collect(),
        encoder: dense.map(encoder_line),
        graph,
        total_bytes: parts.iter().map(|part| part.stored_bytes).sum(),
        parts,
        damage: damage(files, &shards),
    }
}

/// Returns a message for every shard and every file of a query encoder that is missing or damaged.
fn damage(files: &BundleFiles, shards: &[Checked]) -> Vec<String> {
    let manifest = files.manifest();
    let mut damage: Vec<String> = shards
        .iter()
        .filter_map(|Checked { id, entry, decoded, .. }| {
            let error = decoded.as_ref().err()?;
            let kind = kind_name(entry.kind);
            Some(format!("{} ({kind}): {error:#}", manifest.path(*id, entry)))
        })
        .collect();
    // The site's packs are fetched in parts, each of which is checked.
    if let Some(packs) = files.packs().filter(|_| !files.is_copy()) {
        damage.extend(packs.damage(files.path()));
    }
    for encoder in manifest.dense.iter().flat_map(|dense| &dense.query_encoders) {
        if let Err(error) = files.parts(&encoder.files) {
            damage.push(format!("query encoder `{}`: {error:#}", encoder.kind));
        }
    }
    damage
}

/// Returns the number of files and bytes of each kind of shard, and of the manifest.
fn parts(files: &BundleFiles, shards: &[Checked]) -> Vec<Part> {
    sizes(shards.iter().map(|shard| (shard.entry.kind, shard.lens)))
        .into_iter()
        .map(|(kind, files, stored_bytes, raw_bytes)| Part {
            kind: kind_name(kind),
            files,
            stored_bytes,
            raw_bytes,
        })
        .chain([Part {
            kind: "manifest",
            files: 1,
            stored_bytes: files.stored_manifest().len() as u64,
            raw_bytes: files.manifest().to_bytes().map_or(0, |raw| raw.len() as u64),
        }])
        .collect()
}

fn attribute_line(attribute: &Attribute, shards: &[Checked]) -> AttributeLine {
    let column = match shards.get(attribute.column.index()).map(|shard| &shard.decoded) {
        Some(Ok(Decoded::Column(column))) => Some(column),
        _ => None,
    };
    let with_value = |column: &Column| {
        let items = 0..column.n_items();
        items.filter(|&item| column.value(item).is_some()).count() as u32
    };
    AttributeLine {
        name: attribute.name.clone(),
        kind: attribute_kind_name(attribute.kind),
        facet: attribute.facet,
        of: match attribute.level {
            AttributeLevel::Page => "pages",
            AttributeLevel::Section => "sections",
        },
        count: column.map_or(0, with_value),
        values: match column {
            Some(Column::Strings(strings)) => Some(strings.n_values()),
            _ => None,
        },
    }
}

fn encoder_line(dense: &Dense) -> EncoderLine {
    EncoderLine {
        name: dense.encoder.name.clone(),
        dim: dense.encoder.dim,
        fingerprint: dense.encoder.fingerprint.clone(),
        max_tokens: dense.encoder.max_tokens,
        semantic: dense.encoder.semantic,
        query_encoders: dense
            .query_encoders
            .iter()
            .map(|encoder| (encoder.kind.clone(), encoder.files.iter().map(|file| file.len).sum()))
            .collect(),
    }
}

//! The files that a page downloads besides the shards of queries.

use anyhow::Context;
use findling_bundle::{ShardId, entry, single_file};
use serde::Serialize;

use super::bytes::Bytes;
use super::traffic::Part;
use crate::bundle_files::BundleFiles;
use crate::client::TRANSFORMER;

/// A file, or a part of a file, that is downloaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Download {
    /// Name of the file.
    pub name: String,
    /// Size.
    #[serde(flatten)]
    pub bytes: Bytes,
}

/// Files that are downloaded together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Downloads {
    /// The files, in the order of the requests.
    pub files: Vec<Download>,
    /// Sum over the files.
    pub total: Bytes,
}

impl Downloads {
    /// Adds a file.
    pub(super) fn push(&mut self, name: impl Into<String>, bytes: Bytes) {
        self.files.push(Download { name: name.into(), bytes });
        self.total += bytes;
    }
}

/// Files of the client that a page fetches to open the search, in this order.
pub(super) const CLIENT: [&str; 5] = [
    "findling-ui.js",
    "findling.js",
    "findling-worker.js",
    "findling_engine.wasm",
    "findling-history.js",
];

/// The rest of the engine: for filters, corrections, phrases, explanations
/// (`crates/xtask/src/deferred/mod.rs`).
pub(super) const CLIENT_REST: [&str; 1] = ["findling_engine_rest.wasm"];

/// Bytes of the first range that the client requests from a single-file bundle (`FIRST_BYTES` in
/// `www/src/bundle-layout.ts`).
pub(super) const SINGLE_FILE_FIRST: u64 = 32 << 10;

/// Returns the downloads for opening the search, and whether they include the client.
pub(super) fn opening(files: &BundleFiles) -> anyhow::Result<(bool, Downloads)> {
    let mut opening = Downloads::default();
    push_client(&mut opening, files, &CLIENT)?;
    let has_client = !opening.files.is_empty();
    let manifest = files.stored_manifest();
    if files.is_single_file() {
        let manifest_end = single_file::HEADER_LEN as u64 + manifest.len() as u64;
        let shards: u64 =
            files.manifest().shards.iter().map(|shard| u64::from(shard.stored_len)).sum();
        let positions = files.positions()?.map_or(0, |positions| positions.stored_len());
        let beginning = SINGLE_FILE_FIRST.min(manifest_end + shards + positions);
        opening.push("beginning of the file", Bytes::of_range(beginning));
        if manifest_end > beginning {
            // The client asks for the whole manifest if the first range did not contain it.
            opening.push("manifest", Bytes::of_range(manifest.len() as u64));
        }
    } else {
        opening.push(entry::FILE_NAME, Bytes::of(&files.entry_file().to_bytes()));
        opening.push("manifest", Bytes::of(manifest));
        // Shards are already compressed, so compression by the host gains nothing.
        let with_it = files.with_manifest().iter().map(|(_, bytes)| bytes).sum();
        opening.push("shards with the manifest", Bytes::of_range(with_it));
        if let Some(packs) = files.packs() {
            opening.push("directory of packs", Bytes::of_range(packs.stored_len()));
        }
    }
    Ok((has_client, opening))
}

/// Returns the downloads for a deployed transformer: its module, its model and, if no query has
/// fetched them before, the vectors. For a bundle with cells only the centroids are counted,
/// because the cells depend on the query.
pub(super) fn later_encoder(files: &BundleFiles) -> anyhow::Result<Option<Downloads>> {
    let Some(dense) = &files.manifest().dense else { return Ok(None) };
    let transformer = dense
        .query_encoders
        .iter()
        .find(|encoder| encoder.kind == "transformer" && !encoder.files.is_empty());
    let Some(transformer) = transformer else { return Ok(None) };
    let mut downloads = Downloads::default();
    push_client(&mut downloads, files, &TRANSFORMER)?;
    for part in &transformer.files {
        downloads.push(part.path.clone(), Bytes::of(&files.parts(std::slice::from_ref(part))?));
    }
    if dense.rows.is_none() {
        let (name, shards): (_, Vec<ShardId>) = match dense.centroids {
            Some(centroids) => ("centroids", vec![centroids]),
            None => {
                let vectors = dense.vectors.iter().map(|range| range.shard);
                (Part::Vectors.name(), vectors.chain(dense.graph).collect())
            }
        };
        let bytes: anyhow::Result<Bytes> = shards
            .into_iter()
            .chain(dense.projection)
            .map(|shard| files.shard(shard).map(|stored| Bytes::of(&stored)))
            .sum();
        downloads.push(name, bytes?);
    }
    Ok(Some(downloads))
}

/// Adds the files of the client that exist beside the bundle.
pub(super) fn push_client(
    downloads: &mut Downloads,
    files: &BundleFiles,
    names: &[&str],
) -> anyhow::Result<()> {
    for name in names {
        let path = files.directory().join(name);
        if path.is_file() {
            let contents = std::fs::read(&path)
                .with_context(|| format!("{} cannot be read", path.display()))?;
            downloads.push(*name, Bytes::of(&contents));
        }
    }
    Ok(())
}

//! Reading and checking every shard of a bundle.

use anyhow::Result;
use findling_bundle::cells::Members;
use findling_bundle::projection::Projection;
use findling_bundle::rows::RowsShard;
use findling_bundle::{
    Addresses, Attribute, AttributeKind, CellShard, Centroids, Column, Error, Graph, Manifest,
    PositionsDirectory, PositionsShard, SentencesShard, ShardEntry, ShardId, ShardKind,
    SpellingShard, Structure, TermsShard, TextsShard, VectorsShard, announced_len, decode_shard_of,
};
use rayon::prelude::*;

use super::contents::GraphLine;
use crate::bundle_files::BundleFiles;
use crate::ui::Ui;

/// A shard that was read and decoded.
pub(super) struct Checked {
    pub id: ShardId,
    pub entry: ShardEntry,
    /// Bytes as stored and uncompressed; 0 for a file that cannot be read.
    pub lens: (u64, u64),
    pub decoded: Result<Decoded>,
}

/// Reads and decodes every shard that the manifest, the centroids and the directory of positions
/// list.
pub(super) fn verify(files: &BundleFiles, ui: &Ui) -> Vec<Checked> {
    let manifest = files.manifest();
    // If the centroids or the directory of positions are damaged, their own shard reports it.
    let centroids = files.centroids().ok().flatten();
    let shards = files.listed_shards();
    let bar = ui.bar("Verifying", shards.len() as u64, "shards");
    let columns = columns(manifest);
    let checked = shards
        .par_iter()
        .enumerate()
        .map(|(at, &(id, entry))| {
            bar.add(1);
            let column = columns.get(at).copied().flatten();
            let stored = match files.stored(id, &entry) {
                Ok(stored) => stored,
                Err(error) => return Checked { id, entry, lens: (0, 0), decoded: Err(error) },
            };
            let decoded = decode(manifest, centroids.as_ref(), id, &entry, column, &stored);
            let raw_len = announced_len(&stored).map_or(0, u64::from);
            let lens = (stored.len() as u64, raw_len);
            Checked { id, entry, lens, decoded: decoded.map_err(Into::into) }
        })
        .collect();
    bar.finish();
    checked
}

/// A decoded shard, as far as the report needs it.
pub(super) enum Decoded {
    Column(Column),
    Graph(GraphLine),
    Other,
}

/// Returns the attribute of each shard that is a column.
fn columns(manifest: &Manifest) -> Vec<Option<&Attribute>> {
    let mut columns = vec![None; manifest.shards.len()];
    for attribute in &manifest.attributes {
        if let Some(column) = columns.get_mut(attribute.column.index()) {
            *column = Some(attribute);
        }
    }
    columns
}

/// Checks a shard against its checksum and decodes it by its kind.
fn decode(
    manifest: &Manifest,
    centroids: Option<&Centroids>,
    id: ShardId,
    shard: &ShardEntry,
    column: Option<&Attribute>,
    stored: &[u8],
) -> Result<Decoded, Error> {
    let (stats, dense) = (&manifest.stats, manifest.dense.as_ref());
    let raw = decode_shard_of(stats, shard, stored)?;
    match shard.kind {
        ShardKind::Structure => drop(Structure::from_bytes(&raw, stats)?),
        ShardKind::VectorCounts => Structure::check_vector_counts(&raw, stats)?,
        ShardKind::Terms | ShardKind::SecondTier => drop(TermsShard::from_bytes(raw, stats)?),
        ShardKind::Positions => drop(PositionsShard::from_bytes(raw)?),
        ShardKind::PositionsDirectory => {
            drop(PositionsDirectory::from_bytes(&raw, stats.n_pages, manifest.lexicon.len())?);
        }
        ShardKind::Spelling => drop(SpellingShard::from_bytes(raw)?),
        ShardKind::Addresses => drop(Addresses::from_bytes(&raw, stats)?),
        ShardKind::Sentences => drop(SentencesShard::from_bytes(&raw)?),
        ShardKind::Vectors => {
            drop(VectorsShard::from_bytes(raw, dense.map_or(0, |dense| dense.encoder.dim))?)
        }
        ShardKind::Graph => {
            let graph = Graph::from_bytes(&raw, stats)?;
            return Ok(Decoded::Graph(GraphLine {
                layers: graph.n_layers(),
                edges: graph.n_edges(),
            }));
        }
        ShardKind::Column => {
            if let Some(attribute) = column {
                return attribute.column(&raw, stats).map(Decoded::Column);
            }
        }
        ShardKind::Texts => {
            let texts = TextsShard::from_bytes(raw)?;
            for page in 0..texts.n_pages() {
                texts.page(page)?;
            }
        }
        ShardKind::Rows => {
            if let Some(dense) = dense
                && let Some(rows) = &dense.rows
            {
                drop(RowsShard::from_bytes(&raw, dense.encoder.dim, rows.bits)?);
            }
        }
        ShardKind::Projection => drop(Projection::from_bytes(&raw)?),
        ShardKind::Centroids | ShardKind::Cell | ShardKind::SectionVectors => {
            let dim = dense.map_or(0, |dense| dense.encoder.dim);
            match (shard.kind, centroids) {
                (ShardKind::Centroids, _) => drop(Centroids::from_bytes(&raw, dim, stats)?),
                (_, Some(centroids)) => {
                    let members = match id.index().checked_sub(manifest.shards.len()) {
                        Some(cell) => centroids.members(cell as u32),
                        None => Some(Members::Unknown),
                    };
                    if let Some(members) = members {
                        drop(CellShard::from_bytes(&raw, centroids.coder(), members, stats)?);
                    }
                }
                (_, None) => {}
            }
        }
    }
    Ok(Decoded::Other)
}

/// Returns the name of a kind of shard.
pub(super) fn kind_name(kind: ShardKind) -> &'static str {
    match kind {
        ShardKind::Structure => "structure",
        ShardKind::VectorCounts => "numbers of vectors",
        ShardKind::Terms => "terms",
        ShardKind::SecondTier => "second tier of terms",
        ShardKind::Positions => "positions",
        ShardKind::PositionsDirectory => "directory of positions",
        ShardKind::Spelling => "spelling",
        ShardKind::Addresses => "addresses",
        ShardKind::Sentences => "sentences",
        ShardKind::Vectors => "vectors",
        ShardKind::Graph => "graph",
        ShardKind::Column => "column",
        ShardKind::Texts => "texts",
        ShardKind::Rows => "rows",
        ShardKind::Projection => "projection",
        ShardKind::Centroids => "centroids",
        ShardKind::Cell => "cell",
        ShardKind::SectionVectors => "vectors of sections",
    }
}

/// Returns the name of an attribute's type.
pub(super) fn attribute_kind_name(kind: AttributeKind) -> &'static str {
    match kind {
        AttributeKind::String => "string",
        AttributeKind::Strings => "strings",
        AttributeKind::Number => "number",
        AttributeKind::Date => "date",
        AttributeKind::Bool => "bool",
    }
}

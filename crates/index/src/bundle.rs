//! A bundle in memory.

use findling_bundle::{Manifest, ShardId, ShardKind, opening};
use findling_engine::{BOOST, COPY};

use super::stored::{ShardBytes, Stored};

/// A bundle in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    /// The manifest, which lists everything else.
    pub manifest: Manifest,
    /// The shards as stored, in the order of the manifest's directory.
    pub shards: Vec<ShardBytes>,
    /// The shards that the centroids list.
    pub cells: Vec<Stored>,
    /// The shards that the directory of positions lists.
    pub positions: Vec<Stored>,
}

impl Bundle {
    /// Returns every shard with its path: the shards of the manifest, then the cells, then
    /// positions.
    pub fn stored(&self) -> impl Iterator<Item = (String, &ShardBytes)> {
        let listed = self.manifest.shards.iter().zip(&self.shards);
        let others =
            self.cells.iter().chain(&self.positions).map(|(entry, stored)| (entry, stored));
        // The numbers of cells follow the numbers of the manifest's shards. Positions are named by
        // their hashes alone.
        let ids = (0..).map(ShardId);
        ids.zip(listed.chain(others))
            .map(|(id, (entry, stored))| (self.manifest.path(id, entry), stored))
    }

    /// Returns the shards that nearly every first search reads, with their paths. They come with
    /// the manifest ([`findling_bundle::opening`]).
    pub fn opening(&self) -> impl Iterator<Item = (String, &ShardBytes)> {
        let Manifest { attributes, dense, .. } = &self.manifest;
        // The search box counts the values of all facets. Every search reads boosts and copies.
        let is_read = |name: &str| [BOOST, COPY].contains(&name);
        let read = attributes.iter().filter(move |column| column.facet || is_read(&column.name));
        let columns = read.map(|attribute| attribute.column);
        let dense = dense.iter().flat_map(|dense| {
            let common = dense.rows.iter().map(|rows| rows.common);
            dense.centroids.into_iter().chain(common)
        });
        let ids = self.manifest.structure().into_iter().chain(columns).chain(dense);
        ids.filter_map(|id| {
            let (entry, stored) = (self.manifest.shard(id)?, self.shards.get(id.index())?);
            let is_long = stored.len() > opening::MAX_COLUMN_LEN as usize;
            let is_left_out = entry.kind == ShardKind::Column && is_long;
            (!is_left_out).then(|| (self.manifest.path(id, entry), stored))
        })
    }

    /// Returns the bytes of all shards.
    pub fn n_bytes(&self) -> u64 {
        let others = self.cells.iter().chain(&self.positions).map(|(_, stored)| stored);
        self.shards.iter().chain(others).map(|stored| stored.len() as u64).sum()
    }
}

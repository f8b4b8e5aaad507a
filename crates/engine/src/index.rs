//! An opened bundle: its manifest, and the shards that have arrived so far.

use findling_bundle::{Manifest, ShardId};

use crate::{Error, Request, Search};

/// A bundle as far as it has been fetched.
pub struct Index {
    manifest: Manifest,
}

impl Index {
    /// Opens a bundle by the bytes of its manifest's file.
    ///
    /// # Errors
    /// [`Error::Bundle`] where the bytes are not a manifest this version reads, [`Error::Analysis`] where the bundle was
    /// indexed under other text rules.
    pub fn open(manifest: &[u8]) -> Result<Self, Error> {
        Err(Error::Bundle { message: format!("{} bytes of manifest", manifest.len()) })
    }

    /// What the bundle says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Begins a search: parses the query and the filter, and plans.
    ///
    /// # Errors
    /// Those for which [`Error::is_request`] holds.
    pub fn search(&self, request: Request) -> Result<Search, Error> {
        Search::new(self, request)
    }

    /// Takes the bytes of a shard's file: verifies, decodes and keeps them. Giving a shard again changes nothing.
    ///
    /// # Errors
    /// [`Error::Bundle`] where the bytes are not those the manifest lists, [`Error::NoSuchShard`],
    /// [`Error::Inconsistent`].
    pub fn provide(&mut self, shard: ShardId, _stored: &[u8]) -> Result<(), Error> {
        Err(Error::NoSuchShard { shard: shard.0, n_shards: self.manifest.shards.len() as u32 })
    }

    /// Whether a shard is here.
    pub fn has(&self, _shard: ShardId) -> bool {
        false
    }

    /// Bytes of memory that the shards kept take.
    pub fn resident_bytes(&self) -> usize {
        0
    }
}

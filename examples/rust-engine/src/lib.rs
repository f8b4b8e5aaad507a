//! Searches a bundle that is held in memory.
//!
//! The engine does no IO. It returns the ids of the shards that it needs; the program looks them up
//! in its store and hands over their bytes. Here the store is a single-file bundle in a `Vec<u8>`.
//! A store over HTTP or a database has the same loop.

use anyhow::{Context, Result};
use findling_bundle::single_file::SingleFile;
use findling_engine::{Index, Request, Response, Step};

/// A bundle in memory, open for searching.
pub struct MemorySearch {
    store: SingleFile<Vec<u8>>,
    index: Index,
}

impl MemorySearch {
    /// Opens the bytes of a single-file bundle, as `findling build --single-file` writes it.
    ///
    /// # Errors
    /// If the bytes are not a bundle of the format version that this engine reads.
    pub fn open(bytes: Vec<u8>) -> Result<Self> {
        let store = SingleFile::open(bytes)?;
        let index = Index::open(store.stored_manifest())?;
        Ok(Self { store, index })
    }

    /// Answers a request. Shards that have been provided stay decoded in the index, so that a
    /// later request needs fewer.
    ///
    /// # Errors
    /// If the request is not valid for this bundle, or a shard is damaged.
    pub fn search(&mut self, request: Request) -> Result<Response> {
        let mut search = self.index.search(request)?;
        loop {
            match search.step(&self.index)? {
                Step::Done(response) => return Ok(*response),
                Step::Need(shards) => {
                    for id in shards {
                        let bytes = self.store.shard(id).context("the bundle lacks a shard")?;
                        self.index.provide(id, bytes)?;
                    }
                }
            }
        }
    }
}

//! The engine over one build of a bundle, and the shards on their way to it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use findling_bundle::{EncoderCard, EntryFile, PositionsDirectory, ShardId, single_file};
use findling_encoder::hash::HashEncoder;
use findling_encoder::{Encoder as _, Side};
use findling_engine::{EncoderChoice, Index, Mode, QueryVector, Request};
use js_sys::Promise;
use js_sys::futures::{JsFuture, future_to_promise};
use wasm_bindgen::JsValue;

use crate::Error;
use crate::info::Info;
use crate::packs::Packs;
use crate::source::{Opened, Source};

/// No encoder has longer vectors. A manifest with a larger number must not make the program
/// allocate them.
const MAX_DIMENSIONS: u32 = 4096;

/// The engine over one build.
pub struct Engine {
    pub index: RefCell<Index>,
    entry: EntryFile,
    packs: Option<Packs>,
    /// The range of each shard of the manifest in a single file.
    ranges: Vec<Range<u64>>,
    hash: Option<HashEncoder>,
    /// Shards on their way, each once for all searches that wait for it.
    loads: RefCell<HashMap<u32, Rc<Load>>>,
}

/// A shard on its way.
struct Load {
    /// Resolves when the shard is in memory or has failed.
    done: Promise,
    result: Rc<RefCell<Result<(), Error>>>,
}

impl Engine {
    /// Opens the build that an entry file names.
    pub fn open(entry: EntryFile, opened: Opened, streamed: bool) -> Result<Self, Error> {
        let Opened { stored_manifest, packs } = opened;
        let mut index = Index::open(&stored_manifest)?;
        index.set_streamed(streamed);
        let ranges = single_file::shard_ranges(&entry.entry, index.manifest());
        let hash = index.manifest().dense.as_ref().and_then(|dense| built_in(&dense.encoder));
        let (index, loads) = (RefCell::new(index), RefCell::default());
        Ok(Self { index, entry, packs, ranges, hash, loads })
    }

    /// Names the build.
    pub fn revision(&self) -> String {
        let path = self.entry.entry.manifest_path();
        let name = path.rsplit('/').next().unwrap_or_default();
        name.trim_end_matches(".bin").to_owned()
    }

    /// Returns the entry file of the build.
    pub fn entry(&self) -> &EntryFile {
        &self.entry
    }

    pub fn info(&self) -> Info {
        Info::of(&self.index.borrow(), &self.revision(), self.hash.is_some())
    }

    pub fn has_vectors(&self) -> bool {
        self.index.borrow().manifest().dense.is_some()
    }

    /// Embeds the query of a request that needs it, in a bundle of hashed vectors.
    pub fn embed(&self, request: &mut Request) {
        if let Some(encoder) = &self.hash
            && request.vector.is_none()
            && request.encoder == EncoderChoice::Auto
            && request.mode != Mode::Lexical
        {
            request.vector = embed(encoder, &request.query);
            request.also_vectors = request.also.iter().map(|query| embed(encoder, query)).collect();
        }
    }

    /// Takes a shard of a source, unless it is in memory. An optional one may fail.
    pub async fn load(self: &Rc<Self>, source: &Rc<Source>, shard: ShardId) -> Result<(), Error> {
        if self.index.borrow().has(shard) {
            return Ok(());
        }
        let known = self.loads.borrow().get(&shard.0).cloned();
        let load = known.unwrap_or_else(|| self.begin(source, shard));
        // It never rejects.
        let _ = JsFuture::from(load.done.clone()).await;
        let result = load.result.borrow().clone();
        if self.index.borrow().is_optional(shard) { Ok(()) } else { result }
    }

    fn begin(self: &Rc<Self>, source: &Rc<Source>, shard: ShardId) -> Rc<Load> {
        let result = Rc::new(RefCell::new(Ok(())));
        let (engine, source, outcome) = (self.clone(), source.clone(), result.clone());
        let done = future_to_promise(async move {
            let loaded = engine.fetch(&source, shard).await;
            *outcome.borrow_mut() = loaded;
            engine.loads.borrow_mut().remove(&shard.0);
            Ok(JsValue::UNDEFINED)
        });
        let load = Rc::new(Load { done, result });
        self.loads.borrow_mut().insert(shard.0, load.clone());
        load
    }

    /// Fetches a shard and hands it to the index. Bytes that differ from the manifest's hash are
    /// fetched again past all caches, because a cache may have damaged them.
    async fn fetch(&self, source: &Source, shard: ShardId) -> Result<(), Error> {
        let path = self.index.borrow().path(shard).unwrap_or_default();
        let mut is_fresh = false;
        loop {
            let got = self.stored(source, shard, &path, is_fresh).await;
            let taken = match got {
                Ok(stored) => self.index.borrow_mut().provide(shard, &stored).map_err(Error::from),
                Err(error) => Err(error),
            };
            match (taken, is_fresh) {
                (Err(error), false) if error.code() == "bundle" => is_fresh = true,
                (taken, _) => return taken.map_err(|error| explained(&error, &path)),
            }
        }
    }

    /// Returns a shard's bytes as stored. If `is_fresh`, it is fetched past all caches.
    async fn stored(
        &self,
        source: &Source,
        shard: ShardId,
        path: &str,
        is_fresh: bool,
    ) -> Result<Vec<u8>, Error> {
        if let Some(early) = source.early(path).filter(|_| !is_fresh) {
            return Ok(early);
        }
        match &self.packs {
            Some(packs) => packs.shard(&source.store, shard, path, is_fresh).await,
            None => source.shard(path, self.range(shard), is_fresh).await,
        }
    }

    /// Returns the place of a shard in a single file.
    fn range(&self, shard: ShardId) -> Option<Range<u64>> {
        let index = self.index.borrow();
        single_file::shard_range(
            shard,
            &self.entry.entry,
            &self.ranges,
            index.positions_directory(),
        )
    }

    /// Returns the paths of all files of the build, once they are known.
    pub fn paths(&self) -> Option<Vec<String>> {
        let index = self.index.borrow();
        if !index.knows_all_shards() {
            return None;
        }
        let positions =
            index.positions_directory().into_iter().flat_map(PositionsDirectory::shards);
        let positions = positions.map(|(id, _)| id);
        let others = (0..).map(ShardId).take_while(|&id| index.entry(id).is_some());
        let shards = others.chain(positions).filter_map(|id| index.path(id));
        // The transformer is fetched by the JavaScript client, which shares the cache.
        let encoders = index.manifest().dense.iter().flat_map(|dense| &dense.query_encoders);
        let encoders = encoders.flat_map(|encoder| &encoder.files).map(|file| file.path.clone());
        Some(shards.chain(encoders).collect())
    }
}

/// Explains to the site's operator why a shard is missing.
fn explained(error: &Error, path: &str) -> Error {
    match error.code() {
        "not-found" => Error::new(
            "shard-missing",
            format!("{error} Deploy all files of the bundle together, with the directory shards/."),
        ),
        "bundle" => Error::new(
            "shard-corrupt",
            format!(
                "{path} is damaged: {error}. Deploy the bundle again, and make sure that no server \
                 or proxy rewrites the .bin files."
            ),
        ),
        _ => error.clone(),
    }
}

/// Returns a query's vector, or nothing if the query has nothing to embed. It is then searched by
/// words alone.
fn embed(encoder: &HashEncoder, query: &str) -> Option<QueryVector> {
    let embedding = encoder.encode(&[query], Side::Query).ok()?.into_iter().next()?;
    (embedding.n_tokens > 0).then(|| QueryVector {
        values: embedding.values,
        encoder: "hash".into(),
        truncated: embedding.truncated,
    })
}

/// Returns the encoder for a card, if this crate has it. It has only feature hashing.
fn built_in(card: &EncoderCard) -> Option<HashEncoder> {
    if card.name != "hash" || card.dim > MAX_DIMENSIONS {
        return None;
    }
    let encoder = HashEncoder::new(card.dim);
    (encoder.card().fingerprint == card.fingerprint).then_some(encoder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hashing_is_built_in_and_only_the_same_hashing() {
        let card = HashEncoder::new(64).card().clone();
        assert!(built_in(&card).is_some());
        assert!(built_in(&EncoderCard { fingerprint: "0".repeat(32), ..card.clone() }).is_none());
        assert!(built_in(&EncoderCard { name: "model".into(), ..card.clone() }).is_none());
        assert!(built_in(&EncoderCard { dim: u32::MAX, ..card }).is_none());
    }

    #[test]
    fn a_shard_that_does_not_come_is_missing_or_damaged() {
        for (code, expected) in
            [("not-found", "shard-missing"), ("bundle", "shard-corrupt"), ("network", "network")]
        {
            assert_eq!(explained(&Error::new(code, "reason"), "a.bin").code(), expected);
        }
    }

    #[test]
    fn a_text_without_a_word_has_no_vector() {
        let encoder = HashEncoder::new(64);
        assert!(embed(&encoder, " ").is_none());
        assert_eq!(embed(&encoder, "mutex").unwrap().values.len(), 64);
    }
}

//! The engine's face for JavaScript: [`findling_engine`] behind wasm-bindgen, and nothing more,
//! since every byte here is paid for by a reader before the first result.
//!
//! What crosses the border is JSON text, numbers and byte arrays. Fetching, caching and workers are
//! the host's:
//!
//! ```js
//! // A bundle with a file for each shard (`findling build --host files`).
//! const entry = await get("findling.idx");
//! // Shards lie behind the manifest in its file (docs/format.md).
//! const manifestLen = new DataView(entry.buffer).getUint32(12, true);
//! const manifest = (await get(manifestOf(entry))).subarray(0, manifestLen);
//! const engine = Engine.open(entry, manifest, true);
//! const search = engine.search(JSON.stringify({ query: "shared state" }));
//! let answer = search.step(engine);
//! // Shards are missing: [{"id": 3, "path": "shards/….bin", …}]
//! while (answer.startsWith("[")) {
//!   for (const { id, path } of JSON.parse(answer)) engine.provide(id, await get(path));
//!   answer = search.step(engine);
//! }
//! search.free();
//! const response = JSON.parse(answer);
//! ```
//!
//! Errors are thrown as JavaScript's `Error` with a stable `code` (see [`Failure::code`]).

mod describe;
mod error;

#[cfg(feature = "together")]
use std::sync::Arc;

#[cfg(feature = "together")]
use findling_bundle::Stats;
use findling_bundle::{EncoderCard, Entry, PositionsDirectory, ShardId, single_file};
use findling_encoder::hash::HashEncoder;
use findling_encoder::{Encoder as _, Side};
use findling_engine::json::Json;
use findling_engine::{EncoderChoice, Index, Mode, QueryVector, Request, Step};
#[cfg(feature = "together")]
use findling_engine::{LegBests, Misspelling, QueryTerms, SharedStatistics};
use wasm_bindgen::prelude::*;

pub use error::{Failure, JsError};

/// Vectors longer than this are nobody's; a manifest that says otherwise must not make the module
/// allocate them.
const MAX_DIMENSIONS: u32 = 4096;

/// Where the manifest is that an entry file names, relative to the bundle.
#[wasm_bindgen(js_name = manifestOf)]
pub fn manifest_of(entry: &[u8]) -> Result<String, JsError> {
    Ok(Entry::from_bytes(entry).map_err(Failure::Bundle)?.manifest_path())
}

/// The borders in the beginning of a single-file bundle: where the entry begins, where the manifest
/// begins, where the manifest ends. `head` is at least the first 56 bytes.
#[wasm_bindgen(js_name = singleFileHead)]
pub fn single_file_head(head: &[u8]) -> Result<Vec<u32>, JsError> {
    let entry = single_file::read_header(head).map_err(Failure::Bundle)?;
    let manifest = single_file::HEADER_LEN as u32;
    Ok(vec![manifest - Entry::LEN as u32, manifest, manifest + entry.manifest_len])
}

/// A bundle as far as it has been fetched.
#[wasm_bindgen]
pub struct Engine {
    index: Index,
    /// Where each shard lies in a single file, and where the last of the manifest's ends.
    offsets: Vec<u64>,
    hash: Option<HashEncoder>,
}

#[wasm_bindgen]
impl Engine {
    /// Opens a bundle by the bytes of its entry file and of the manifest that this names.
    /// `streamed`: whether searches look into the cells nearest to the query, where the bundle
    /// has cells, instead of fetching all vectors.
    pub fn open(entry: &[u8], manifest: &[u8], streamed: bool) -> Result<Engine, JsError> {
        let entry = Entry::from_bytes(entry).map_err(Failure::Bundle)?;
        entry.check_manifest(manifest).map_err(|_| Failure::ManifestChanged)?;
        let mut index = Index::open(manifest).map_err(Failure::Engine)?;
        index.set_streamed(streamed);
        let ranges = single_file::shard_ranges(&entry, index.manifest());
        let end = ranges.last().map(|range| range.end);
        let offsets = ranges.into_iter().map(|range| range.start).chain(end).collect();
        let hash = index.manifest().dense.as_ref().and_then(|dense| built_in(&dense.encoder));
        Ok(Self { index, offsets, hash })
    }

    /// What the bundle says of itself, as JSON.
    pub fn describe(&self) -> String {
        describe::description(&self.index, self.hash.is_some())
    }

    /// Begins a search from a request's JSON. In a bundle of hashed vectors the query is embedded
    /// here.
    pub fn search(&self, request: &str) -> Result<Search, JsError> {
        let mut request = Request::from_json(request).map_err(Failure::Engine)?;
        if let Some(encoder) = &self.hash
            && request.vector.is_none()
            && request.encoder == EncoderChoice::Auto
            && request.mode != Mode::Lexical
        {
            request.vector = embed(encoder, &request.query);
            request.also_vectors = request.also.iter().map(|query| embed(encoder, query)).collect();
        }
        Ok(Search(self.index.search(request).map_err(Failure::Engine)?))
    }

    /// Takes a shard's file. One that is not what the manifest lists is refused with the code
    /// `bundle`.
    pub fn provide(&mut self, shard: u32, stored: &[u8]) -> Result<(), JsError> {
        Ok(self.index.provide(ShardId(shard), stored).map_err(Failure::Engine)?)
    }

    /// Bytes of memory that the shards kept take.
    #[wasm_bindgen(js_name = residentBytes)]
    pub fn resident_bytes(&self) -> f64 {
        self.index.resident_bytes() as f64
    }

    /// Lets go of the shards used least recently until those kept take at most so many bytes.
    pub fn shrink(&mut self, limit: f64) {
        self.index.shrink(limit.max(0.0) as usize);
    }

    /// The paths of all shards, one a line; nothing as long as not all of them are known. Those of
    /// positions are known from the first phrase on, and are not waited for: few readers ask
    /// for one.
    #[wasm_bindgen(js_name = shardPaths)]
    pub fn shard_paths(&self) -> Option<String> {
        if !self.index.knows_all_shards() {
            return None;
        }
        let mut paths = String::new();
        let positions =
            self.index.positions_directory().into_iter().flat_map(PositionsDirectory::shards);
        let positions = positions.map(|(id, _)| id);
        // Of the manifest, and behind it the cells.
        let others = (0..).map(ShardId).take_while(|&id| self.index.entry(id).is_some());
        for path in others.chain(positions).filter_map(|id| self.index.path(id)) {
            paths.push_str(&path);
            paths.push('\n');
        }
        Some(paths)
    }
}

/// A search under way.
#[wasm_bindgen]
pub struct Search(findling_engine::Search);

#[wasm_bindgen]
impl Search {
    /// Goes as far as the shards at hand allow: a JSON array of the shards that are missing, or the
    /// response, a JSON object.
    pub fn step(&mut self, engine: &Engine) -> Result<String, JsError> {
        match self.0.step(&engine.index).map_err(Failure::Engine)? {
            Step::Done(response) => Ok(response.to_json()),
            Step::Need(shards) => Ok(missing(engine, shards)),
        }
    }
}

/// Shards that are missing, as JSON.
// Browsers have one caller: a function of its own would cost them bytes.
#[inline(always)]
fn missing(engine: &Engine, shards: Vec<ShardId>) -> String {
    let mut json = Json::default();
    json.array();
    for id in shards {
        describe::wanted(&mut json, &engine.index, id, engine.offset(id));
    }
    json.end_array();
    json.into_text()
}

/// What a part of a search returns: what was asked, or the shards that are missing for it.
#[cfg(feature = "together")]
type Part<T> = Result<Result<T, Vec<ShardId>>, findling_engine::Error>;

/// The statistics of the bundles of one request, which are searched as one: their scores are by the
/// statistics of all. The counts never leave the module.
///
/// After [`Together::add`] for each bundle and [`Together::begin`], every bundle is asked, part by
/// part, as often as it returns shards that are missing: `terms`, then `list`, `count`, `arrange`,
/// `misspellings`, `correct`; from `terms` again if words were corrected; `bests` and `compare` if
/// both legs are fused. Then each is searched by [`Together::step`].
#[cfg(feature = "together")]
#[wasm_bindgen]
#[derive(Default)]
pub struct Together {
    stats: Vec<Stats>,
    shared: SharedStatistics,
    /// What the bundles know of it.
    told: Option<Arc<SharedStatistics>>,
    /// What bundles have answered, until all have.
    terms: Vec<QueryTerms>,
    uncounted: Vec<String>,
    counts: Vec<Vec<u32>>,
    misspellings: Vec<Misspelling>,
    bests: Vec<LegBests>,
}

#[cfg(feature = "together")]
#[wasm_bindgen]
impl Together {
    /// Of no bundle yet.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::new_without_default, reason = "the constructor is for JavaScript")]
    pub fn new() -> Together {
        Self::default()
    }

    /// Adds a bundle.
    pub fn add(&mut self, engine: &Engine) {
        self.stats.push(engine.index.manifest().stats);
    }

    /// Begins a request. `relaxes`: whether a query that leaves nothing is read without its phrases
    /// and exclusions.
    pub fn begin(&mut self, relaxes: bool) {
        self.shared = SharedStatistics::new(&self.stats);
        self.shared.relaxes = relaxes;
        self.told = None;
    }

    /// As [`Search::step`], by the statistics of all.
    pub fn step(&self, engine: &mut Engine, search: &mut Search) -> Result<String, JsError> {
        self.within(engine, |engine| search.step(engine))
    }

    /// Finds the terms that the query looks up in a bundle. Returns the shards that are missing, or
    /// nothing.
    pub fn terms(&mut self, engine: &mut Engine, search: &mut Search) -> Result<String, JsError> {
        let found = self.within(engine, |engine| search.0.terms(&engine.index));
        taken(engine, found, |terms| self.terms.push(terms))
    }

    /// Lists what is to be counted, when all bundles have told their terms.
    pub fn list(&mut self) {
        for terms in self.terms.drain(..) {
            self.shared.add_terms(terms);
        }
        self.uncounted = self.shared.uncounted();
    }

    /// Counts the terms in a bundle. Returns as [`Together::terms`] does.
    pub fn count(&mut self, engine: &mut Engine) -> Result<String, JsError> {
        let terms = &self.uncounted;
        let found = self.within(engine, |engine| Ok(engine.index.frequencies(terms)));
        taken(engine, found, |counts| self.counts.push(counts))
    }

    /// Adds up the counts, when all bundles have told theirs.
    pub fn arrange(&mut self) {
        for counts in self.counts.drain(..) {
            self.shared.add_frequencies(&self.uncounted, &counts);
        }
        self.shared.arrange();
        self.tell();
    }

    /// Finds the words that a bundle would correct. Returns as [`Together::terms`] does.
    pub fn misspellings(
        &mut self,
        engine: &mut Engine,
        search: &mut Search,
    ) -> Result<String, JsError> {
        let found = self.within(engine, |engine| search.0.misspellings(&engine.index));
        taken(engine, found, |words| self.misspellings.extend(words))
    }

    /// Chooses the corrections: JSON of words and their replacements.
    pub fn correct(&mut self) -> String {
        self.shared.correct(self.misspellings.drain(..));
        self.tell();
        let chosen: Vec<(&str, &str)> = self.shared.replacements().collect();
        let mut json = Json::default();
        json.list(&chosen, |json, (word, replacement)| {
            json.object().name("word").text(word);
            json.name("replacement").text(replacement);
            json.end_object();
        });
        json.into_text()
    }

    /// Finds the best scores of both legs in a bundle. Returns as [`Together::terms`] does.
    pub fn bests(&mut self, engine: &mut Engine, search: &mut Search) -> Result<String, JsError> {
        let found = self.within(engine, |engine| search.0.bests(&engine.index));
        taken(engine, found, |bests| self.bests.extend(bests))
    }

    /// Compares the best scores, when all bundles have told theirs.
    pub fn compare(&mut self) {
        self.shared.add_bests(std::mem::take(&mut self.bests));
        self.tell();
    }
}

#[cfg(feature = "together")]
impl Together {
    fn tell(&mut self) {
        self.told = Some(Arc::new(self.shared.clone()));
    }

    /// Works with a bundle while it has the statistics of all. Searches of other requests, which
    /// take turns with this one, have those of the bundle alone.
    fn within<T>(&self, engine: &mut Engine, work: impl FnOnce(&Engine) -> T) -> T {
        engine.index.set_shared(self.told.clone());
        let answer = work(engine);
        engine.index.set_shared(None);
        answer
    }
}

/// Takes what a bundle has answered, or returns the shards that are missing.
#[cfg(feature = "together")]
fn taken<T>(engine: &Engine, found: Part<T>, take: impl FnOnce(T)) -> Result<String, JsError> {
    match found.map_err(Failure::Engine)? {
        Ok(answer) => {
            take(answer);
            Ok(String::new())
        }
        Err(shards) => Ok(missing(engine, shards)),
    }
}

impl Engine {
    /// Where a shard lies in a single file, in which there are no cells.
    fn offset(&self, shard: ShardId) -> u64 {
        match (shard.place_of_positions(), self.index.positions_directory()) {
            (Some(_), Some(positions)) => {
                self.offsets.last().map_or(0, |end| end + positions.offset(shard))
            }
            _ => self.offsets.get(shard.index()).copied().unwrap_or(0),
        }
    }
}

/// A query's vector; nothing to embed has no place in the space: words alone are searched.
fn embed(encoder: &HashEncoder, query: &str) -> Option<QueryVector> {
    let embedding = encoder.encode(&[query], Side::Query).ok()?.into_iter().next()?;
    (embedding.n_tokens > 0).then(|| QueryVector {
        values: embedding.values,
        encoder: "hash".into(),
        truncated: embedding.truncated,
    })
}

/// The encoder for a card, where this module has it: feature hashing alone.
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
        assert!(
            built_in(&EncoderCard { name: "all-minilm-l6-v2".into(), ..card.clone() }).is_none()
        );
        assert!(built_in(&EncoderCard { dim: u32::MAX, ..card }).is_none());
    }
}

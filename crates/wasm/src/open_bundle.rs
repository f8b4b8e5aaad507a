//! An open bundle, with the shards that have been fetched so far, and the searches in it.

use findling_bundle::{EncoderCard, Entry, PositionsDirectory, ShardId, single_file};
use findling_encoder::hash::HashEncoder;
use findling_encoder::{Encoder as _, Side};
use findling_engine::json::Json;
use findling_engine::{EncoderChoice, Index, Mode, QueryVector, Request, Shared, Step};

use crate::describe;
use crate::error::Failure;

/// No encoder has longer vectors. A manifest with a larger number must not make the module allocate
/// them.
const MAX_DIMENSIONS: u32 = 4096;

/// Returns the path of the manifest that an entry file names, relative to the bundle.
pub fn manifest_of(entry: &[u8]) -> Result<String, Failure> {
    Ok(Entry::from_bytes(entry).map_err(Failure::Bundle)?.manifest_path())
}

/// Returns three offsets at the beginning of a single-file bundle: the begin of the entry, the
/// begin of the manifest, and the end of the manifest. `head` is at least the first 56 bytes.
pub fn single_file_head(head: &[u8]) -> Result<Vec<u32>, Failure> {
    let entry = single_file::read_header(head).map_err(Failure::Bundle)?;
    let manifest = single_file::HEADER_LEN as u32;
    Ok(vec![manifest - Entry::LEN as u32, manifest, manifest + entry.manifest_len])
}

/// An open bundle, with the shards that have been fetched so far.
pub struct OpenBundle {
    index: Index,
    /// The beginning of each shard in a single file, and the end of the last of the manifest's
    /// shards.
    offsets: Vec<u64>,
    hash: Option<HashEncoder>,
}

impl OpenBundle {
    /// Opens a bundle by the bytes of its entry file and of the manifest that it names. `streamed`:
    /// whether searches fetch only the cells nearest to the query, if the bundle has cells, instead
    /// of all vectors.
    pub fn open(entry: &[u8], manifest: &[u8], streamed: bool) -> Result<Self, Failure> {
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

    /// Returns the bundle's description, as JSON.
    pub fn describe(&self) -> String {
        describe::description(&self.index, self.hash.is_some())
    }

    /// Begins a search from a request's JSON. In a bundle with hashed vectors, the query is
    /// embedded here. If several bundles are searched as one, `shared` in the request contains
    /// their statistics ([`Shared`]).
    pub fn search(&self, request: &str) -> Result<Search, Failure> {
        let (mut request, shared) = Request::with_shared(request).map_err(Failure::Engine)?;
        if let Some(encoder) = &self.hash
            && request.vector.is_none()
            && request.encoder == EncoderChoice::Auto
            && request.mode != Mode::Lexical
        {
            request.vector = embed(encoder, &request.query);
            request.also_vectors = request.also.iter().map(|query| embed(encoder, query)).collect();
        }
        let shared = shared.map_or_else(|| Ok(Shared::default()), Shared::read);
        let shared = shared.map_err(Failure::Engine)?;
        let search = self.index.search(request).map_err(Failure::Engine)?;
        Ok(Search { search, shared })
    }

    /// Takes a shard's file. A file that differs from the one that the manifest lists is refused
    /// with the code `bundle`.
    pub fn provide(&mut self, shard: u32, stored: &[u8]) -> Result<(), Failure> {
        self.index.provide(ShardId(shard), stored).map_err(Failure::Engine)
    }

    /// Returns the bytes of memory that the kept shards occupy.
    pub fn resident_bytes(&self) -> usize {
        self.index.resident_bytes()
    }

    /// Releases the least recently used shards until the others occupy at most this many bytes.
    pub fn shrink(&mut self, limit: usize) {
        self.index.shrink(limit);
    }

    /// Returns the paths of all shards, one a line; nothing while some of them are unknown. Shards
    /// of positions become known with the first phrase. The list does not wait for them, because
    /// few readers search for phrases.
    pub fn shard_paths(&self) -> Option<String> {
        if !self.index.knows_all_shards() {
            return None;
        }
        let mut paths = String::new();
        let positions =
            self.index.positions_directory().into_iter().flat_map(PositionsDirectory::shards);
        let positions = positions.map(|(id, _)| id);
        // The shards of the manifest, and after them the cells.
        let others = (0..).map(ShardId).take_while(|&id| self.index.entry(id).is_some());
        for path in others.chain(positions).filter_map(|id| self.index.path(id)) {
            paths.push_str(&path);
            paths.push('\n');
        }
        Some(paths)
    }

    /// Returns the place of a shard in a single file, which has no cells.
    fn offset(&self, shard: ShardId) -> u64 {
        match (shard.place_of_positions(), self.index.positions_directory()) {
            (Some(_), Some(positions)) => {
                self.offsets.last().map_or(0, |end| end + positions.offset(shard))
            }
            _ => self.offsets.get(shard.index()).copied().unwrap_or(0),
        }
    }
}

/// A running search.
pub struct Search {
    search: findling_engine::Search,
    shared: Shared,
}

impl Search {
    /// Continues as far as possible with the available shards. Returns a JSON array of the missing
    /// shards, or the response, a JSON object.
    pub fn step(&mut self, bundle: &mut OpenBundle) -> Result<String, Failure> {
        let Self { search, shared: Shared { part, statistics } } = self;
        let index = &mut bundle.index;
        // Searches of one bundle and of several take turns.
        index.swap_statistics(statistics);
        let step = match *part {
            None => search.step(index).map(|step| match step {
                Step::Done(response) => Ok(response.to_json()),
                Step::Need(shards) => Err(shards),
            }),
            Some(part) => search.tell(index, part),
        };
        index.swap_statistics(statistics);
        Ok(match step.map_err(Failure::Engine)? {
            Ok(answer) => answer,
            Err(shards) => missing(bundle, shards),
        })
    }
}

/// Returns the missing shards as JSON.
fn missing(bundle: &OpenBundle, shards: Vec<ShardId>) -> String {
    let mut json = Json::default();
    json.array();
    for id in shards {
        describe::wanted(&mut json, &bundle.index, id, bundle.offset(id));
    }
    json.end_array();
    json.into_text()
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

/// Returns the encoder for a card, if this module has it. It has only feature hashing.
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

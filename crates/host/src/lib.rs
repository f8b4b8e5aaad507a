//! Runs the engine over bundles on a disk: reads the shards that a search needs, and hands them in.
//!
//! [`Host::open`] opens a bundle, or the copy of a deployed site's bundle. [`SharedHost`] serves
//! many searches at once, [`together`] searches several bundles as one.
//!
//! The crate has no command line and prints nothing. It writes only copies of sites' bundles.
//!
//! `examples/search.rs` is a whole program:
//!
#![doc = "```no_run"]
#![doc = include_str!("../examples/search.rs")]
#![doc = "```"]

mod encoder;
mod following;
mod pages;
#[cfg(test)]
#[path = "sample/tests.rs"]
mod sample;
mod shared;
mod similar_addresses;
pub mod together;
mod values;

use std::fmt;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

use anyhow::Context;
use findling_bundle::{Manifest, ShardEntry, ShardId};
use findling_engine::{HitVectors, Index, Step};
use rayon::prelude::*;

use findling_base::bundle_files::{BundleFiles, Location};
use findling_models as models;

use following::is_replaced;

pub use encoder::{EncoderChoice, QueryEncoder};
pub use findling_engine::{Request, Response};
pub use pages::{Document, DocumentSection};
pub use shared::SharedHost;

/// An open bundle, ready to be searched. Shards that have been read stay in memory.
pub struct Host {
    index: Index,
    files: BundleFiles,
    texts: pages::Texts,
    values: values::Values,
    streamed: bool,
    open_time: Duration,
    /// Whether a search ends, and begins again, if the site no longer has a file.
    follows: bool,
}

/// The cost of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Time in the engine: parsing, retrieval, ranking, snippets.
    pub engine: Duration,
    /// Time for reading shards from disk.
    pub read: Duration,
    /// Time for checking, decompressing and decoding shards.
    pub decode: Duration,
    /// Bytes read.
    pub bytes: u64,
    /// Shards read, in the order in which the engine requested them.
    pub shards: Vec<ShardId>,
    /// Number of rounds, in each of which the engine requested shards.
    pub n_rounds: u32,
    /// The number of shards that had been read before each round.
    pub round_starts: Vec<usize>,
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        self.engine += other.engine;
        self.read += other.read;
        self.decode += other.decode;
        self.bytes += other.bytes;
        let n = self.shards.len();
        self.round_starts.extend(other.round_starts.iter().map(|start| n + start));
        self.shards.extend(other.shards);
        self.n_rounds += other.n_rounds;
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.1} ms searching, {:.1} ms reading and {:.1} ms decoding {} in {} shards and {} \
             rounds",
            self.engine.as_secs_f64() * 1e3,
            self.read.as_secs_f64() * 1e3,
            self.decode.as_secs_f64() * 1e3,
            findling_base::progress::bytes(self.bytes),
            self.shards.len(),
            self.n_rounds,
        )
    }
}

impl Host {
    /// Opens a bundle: its directory, its entry file, a single file, or the copy of a site's.
    ///
    /// # Errors
    /// If there is no bundle, or it is damaged or of a version that this program does not read.
    pub fn open(location: impl Into<Location>) -> anyhow::Result<Host> {
        let start = Instant::now();
        let files = BundleFiles::open(location)?;
        let index = open_index(&files)?;
        let mut host = Host {
            index,
            files,
            texts: pages::Texts::default(),
            values: values::Values::default(),
            streamed: false,
            open_time: start.elapsed(),
            follows: false,
        };
        host.set_streamed(false);
        Ok(host)
    }

    /// Returns the time spent on reading and checking the entry file and the manifest.
    pub fn open_time(&self) -> Duration {
        self.open_time
    }

    /// Sets whether to search like a browser: only in the cells near the query, and not in all
    /// vectors. The copy of a site's bundle is always searched in this way, because otherwise all
    /// of its vectors would be fetched.
    pub fn set_streamed(&mut self, streamed: bool) {
        self.streamed = streamed || self.files.is_copy();
        self.index.set_streamed(self.streamed);
    }

    /// Returns the engine's index.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Returns the engine's index, for tuning.
    pub fn index_mut(&mut self) -> &mut Index {
        &mut self.index
    }

    /// Returns the bundle's manifest.
    pub fn manifest(&self) -> &Manifest {
        self.index.manifest()
    }

    /// Returns the bundle's files.
    pub fn files(&self) -> &BundleFiles {
        &self.files
    }

    /// Forgets every shard that was read, so that the next search is like the first after opening.
    ///
    /// # Errors
    /// The errors of [`Host::open`].
    pub fn forget(&mut self) -> anyhow::Result<()> {
        self.index = open_index(&self.files)?;
        self.index.set_streamed(self.streamed);
        Ok(())
    }

    /// Answers a request. Reads the shards that are missing. If a site has been deployed again
    /// meanwhile, its new bundle answers.
    ///
    /// # Errors
    /// The engine's errors, and errors of reading, which name the file.
    pub fn search(&mut self, request: Request) -> anyhow::Result<(Response, Cost)> {
        self.followed(request, |host, request| host.search_once(request))
    }

    fn search_once(&mut self, request: Request) -> anyhow::Result<(Response, Cost)> {
        let mut cost = Cost::default();
        let start = Instant::now();
        let mut search = self.index.search(request)?;
        loop {
            match search.step(&self.index)? {
                Step::Done(response) => {
                    cost.engine = start.elapsed().saturating_sub(cost.read + cost.decode);
                    return Ok((*response, cost));
                }
                Step::Need(wanted) => {
                    cost.n_rounds += 1;
                    self.read(wanted, &mut cost)?;
                }
            }
        }
    }

    /// Answers a request whose vectors come from `encoder`, if there is one. If the engine corrects
    /// a word of the query, the corrected query is embedded and answered again.
    ///
    /// # Errors
    /// The errors of [`Host::search`] and [`QueryEncoder::encode`].
    pub fn search_as_meant(
        &mut self,
        encoder: Option<&QueryEncoder>,
        request: Request,
    ) -> anyhow::Result<(Response, Cost)> {
        let (response, cost, _) = self.search_corrected(encoder, request)?;
        Ok((response, cost))
    }

    /// Answers a request like [`Host::search_as_meant`]. Also returns the vectors of the query and
    /// of the sections shown.
    ///
    /// # Errors
    /// The errors of [`Host::search_as_meant`]; [`findling_engine::Error::Vector`] if the bundle
    /// has no vectors.
    pub fn search_with_vectors(
        &mut self,
        encoder: Option<&QueryEncoder>,
        request: Request,
    ) -> anyhow::Result<(Response, Cost, HitVectors)> {
        let (response, mut cost, request) = self.search_corrected(encoder, request)?;
        let start = Instant::now();
        let before = cost.read + cost.decode;
        let vectors = self.followed(request, |host, request| {
            let mut search = host.index.search(request)?;
            loop {
                match search.vectors(&host.index)? {
                    Ok(vectors) => return Ok(vectors),
                    Err(wanted) => {
                        cost.n_rounds += 1;
                        host.read(wanted, &mut cost)?;
                    }
                }
            }
        })?;
        cost.engine += start.elapsed().saturating_sub(cost.read + cost.decode - before);
        Ok((response, cost, vectors))
    }

    /// Returns the response, its cost, and the request with corrected vectors.
    fn search_corrected(
        &mut self,
        encoder: Option<&QueryEncoder>,
        request: Request,
    ) -> anyhow::Result<(Response, Cost, Request)> {
        let (response, mut cost) = self.search(request.clone())?;
        let Some(corrected) = corrected(encoder, &request, &response)? else {
            return Ok((response, cost, request));
        };
        let request = corrected;
        let (response, again) = self.search(request.clone())?;
        cost += again;
        Ok((response, cost, request))
    }

    /// Answers many requests on all cores. Reads missing shards in between.
    ///
    /// # Errors
    /// The errors of [`Host::search`]: the error of the first request that fails.
    pub fn search_all(&mut self, requests: &[Request]) -> anyhow::Result<Vec<Response>> {
        let mut searches = Vec::with_capacity(requests.len());
        for request in requests {
            searches.push((Some(self.index.search(request.clone())?), None));
        }
        loop {
            let index = &self.index;
            let steps: Vec<_> = searches
                .par_iter_mut()
                .filter_map(|(search, response)| {
                    let step = search.as_mut()?.step(index).map(|step| match step {
                        Step::Need(wanted) => wanted,
                        Step::Done(done) => {
                            (*search, *response) = (None, Some(*done));
                            Vec::new()
                        }
                    });
                    Some(step)
                })
                .collect();
            let mut wanted = std::collections::BTreeSet::new();
            for step in steps {
                wanted.extend(step?);
            }
            if wanted.is_empty() {
                return Ok(searches.into_iter().filter_map(|(_, response)| response).collect());
            }
            self.read(wanted.into_iter().collect(), &mut Cost::default())?;
        }
    }

    /// Reads the shards of one round and gives them to the engine. Reads one shard at a time, so
    /// that the stored bytes of only one shard are in memory.
    fn read(&mut self, wanted: Vec<ShardId>, cost: &mut Cost) -> anyhow::Result<()> {
        cost.round_starts.push(cost.shards.len());
        if self.files.is_copy() {
            let start = Instant::now();
            let listed = wanted.iter().filter_map(|id| Some((*id, *self.index.entry(*id)?)));
            self.files.fetch(&listed.collect::<Vec<_>>());
            cost.read += start.elapsed();
        }
        for shard in wanted {
            let start = Instant::now();
            let entry = *self.index.entry(shard).with_context(|| {
                format!("the engine asked for shard {}, which does not exist", shard.0)
            })?;
            // The engine can do without an optional shard, whether it is missing or damaged.
            let is_optional = self.index.is_optional(shard);
            let stored = match self.files.stored(shard, &entry) {
                Err(error) if is_optional && !(self.follows && is_replaced(&error)) => continue,
                stored => stored?,
            };
            let decoding = Instant::now();
            cost.read += decoding - start;
            cost.bytes += stored.len() as u64;
            cost.shards.push(shard);
            match self.index.provide(shard, &stored) {
                Err(_) if is_optional => {}
                provided => provided.with_context(|| self.damaged(shard, &entry))?,
            }
            cost.decode += decoding.elapsed();
        }
        Ok(())
    }

    fn damaged(&self, shard: ShardId, entry: &ShardEntry) -> String {
        let path = self.files.path().display();
        let name = match self.files.is_single_file() {
            false => self.manifest().path(shard, entry),
            true => format!("shard {}", shard.0),
        };
        format!("{path}: {name} is damaged; build or deploy the bundle again")
    }
}

fn open_index(files: &BundleFiles) -> anyhow::Result<Index> {
    Index::open(files.stored_manifest())
        .with_context(|| format!("{} cannot be searched", files.path().display()))
}

/// Returns the request with the vectors of the corrected query; `None` if the query was not
/// corrected, or only the engine embeds it.
fn corrected(
    encoder: Option<&QueryEncoder>,
    request: &Request,
    response: &Response,
) -> anyhow::Result<Option<Request>> {
    if response.corrections.is_empty() {
        return Ok(None);
    }
    let meant = |text: &str| {
        let corrections = response.corrections.iter();
        corrections
            .fold(text.to_owned(), |text, slip| replace_word(&text, &slip.word, &slip.replacement))
    };
    let mut request = request.clone();
    Ok(embed_meant(encoder, &mut request, meant)?.then_some(request))
}

/// Embeds a query and its further queries, as `meant` spells them. Returns false if there is
/// nothing to embed. The hash encoder embeds the query as typed, in all hosts.
fn embed_meant(
    encoder: Option<&QueryEncoder>,
    request: &mut Request,
    meant: impl Fn(&str) -> String,
) -> anyhow::Result<bool> {
    let embeds =
        |encoder: &&QueryEncoder| request.vector.is_some() && encoder.kind() != models::HASH;
    let Some(encoder) = encoder.filter(embeds) else { return Ok(false) };
    request.vector = encoder.encode(&meant(&request.query))?.0;
    let also = request.also.iter().map(|text| Ok(encoder.encode(&meant(text))?.0));
    request.also_vectors = also.collect::<anyhow::Result<_>>()?;
    Ok(true)
}

/// Replaces every whole-word occurrence of `word`, as the web client does for a corrected query.
fn replace_word(text: &str, word: &str, replacement: &str) -> String {
    let ends = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    let mut replaced = String::with_capacity(text.len());
    let mut copied = 0;
    for (at, _) in text.match_indices(word) {
        let end = at + word.len();
        if !word.is_empty()
            && ends(text[..at].chars().next_back())
            && ends(text[end..].chars().next())
        {
            replaced.push_str(&text[copied..at]);
            replaced.push_str(replacement);
            copied = end;
        }
    }
    replaced.push_str(&text[copied..]);
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_are_replaced() {
        let meant = |text: &str| replace_word(text, "mutx", "mutex");
        assert_eq!(meant("mutx"), "mutex");
        assert_eq!(
            meant("a mutx, (mutx) and mutxes of amutx"),
            "a mutex, (mutex) and mutxes of amutx"
        );
        assert_eq!(meant("ümutx mutxé mutx"), "ümutx mutxé mutex");
        assert_eq!(replace_word("text", "", "x"), "text");
    }
}

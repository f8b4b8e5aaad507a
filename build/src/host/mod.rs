//! The engine's host on this machine: opens a bundle on disk, in either of its shapes, and feeds
//! the engine's state machine.

mod encoder;
mod similar_addresses;

use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use findling_bundle::{Manifest, ShardId};
use findling_engine::{Index, Request, Response, Step};
use rayon::prelude::*;

use crate::bundle_files::BundleFiles;
use crate::models;

pub use encoder::{EncoderChoice, QueryEncoder};

/// An open bundle, ready to be searched. Shards that have been read stay in memory.
pub struct Host {
    index: Index,
    files: BundleFiles,
    streamed: bool,
}

/// What a search took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// In the engine, decoding of shards included.
    pub engine: Duration,
    /// Reading shards.
    pub read: Duration,
    /// Bytes read.
    pub bytes: u64,
    /// Shards read, in the order they were asked for.
    pub shards: Vec<ShardId>,
    /// Times the engine asked for shards.
    pub n_rounds: u32,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.1} ms searching, {:.1} ms reading {} in {} shards and {} rounds",
            self.engine.as_secs_f64() * 1e3,
            self.read.as_secs_f64() * 1e3,
            crate::ui::bytes(self.bytes),
            self.shards.len(),
            self.n_rounds,
        )
    }
}

impl Host {
    /// Opens a bundle: its directory, its entry file, or a single file.
    ///
    /// # Errors
    /// Where there is none, or it is damaged or not one this version reads; with the remedy.
    pub fn open(path: &Path) -> anyhow::Result<Host> {
        let files = BundleFiles::open(path)?;
        let index = open_index(&files)?;
        Ok(Host { index, files, streamed: false })
    }

    /// Whether to search as a browser does, which fetches the cells nearest to a query rather than
    /// all vectors.
    pub fn set_streamed(&mut self, streamed: bool) {
        self.streamed = streamed;
        self.index.set_streamed(streamed);
    }

    /// The engine's index.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The engine's index, for tuning.
    pub fn index_mut(&mut self) -> &mut Index {
        &mut self.index
    }

    /// What the bundle says of itself.
    pub fn manifest(&self) -> &Manifest {
        self.index.manifest()
    }

    /// The bundle's files.
    pub fn files(&self) -> &BundleFiles {
        &self.files
    }

    /// Lets go of every shard read: the next search is as the first after opening.
    ///
    /// # Errors
    /// As [`Host::open`].
    pub fn forget(&mut self) -> anyhow::Result<()> {
        self.index = open_index(&self.files)?;
        self.index.set_streamed(self.streamed);
        Ok(())
    }

    /// Answers a request, reading what is missing.
    ///
    /// # Errors
    /// The engine's, and those of reading, which name the file.
    pub fn search(&mut self, request: Request) -> anyhow::Result<(Response, Cost)> {
        let mut cost = Cost::default();
        let start = Instant::now();
        let mut search = self.index.search(request)?;
        loop {
            match search.step(&self.index)? {
                Step::Done(response) => {
                    cost.engine = start.elapsed().saturating_sub(cost.read);
                    return Ok((*response, cost));
                }
                Step::Need(wanted) => {
                    cost.n_rounds += 1;
                    wanted.into_iter().try_for_each(|shard| self.read(shard, &mut cost))?;
                }
            }
        }
    }

    /// Answers a request whose vectors an encoder made, if any did. Where words of it turn out to
    /// be slips, they are made anew of what was meant, and it is answered again.
    ///
    /// # Errors
    /// As [`Host::search`] and [`QueryEncoder::encode`].
    pub fn search_as_meant(
        &mut self,
        encoder: Option<&QueryEncoder>,
        request: Request,
    ) -> anyhow::Result<(Response, Cost)> {
        // Hashed spellings are made where the engine runs, of what was typed; every host has to do
        // the same.
        let embeds =
            |encoder: &&QueryEncoder| request.vector.is_some() && encoder.kind() != models::HASH;
        let Some(encoder) = encoder.filter(embeds) else { return self.search(request) };
        let (response, mut cost) = self.search(request.clone())?;
        if response.corrections.is_empty() {
            return Ok((response, cost));
        }
        let meant = |text: &str| {
            let corrections = response.corrections.iter();
            corrections.fold(text.to_owned(), |text, slip| {
                replace_word(&text, &slip.word, &slip.replacement)
            })
        };
        let vector = encoder.encode(&meant(&request.query))?.0;
        let also_vectors = request
            .also
            .iter()
            .map(|text| Ok(encoder.encode(&meant(text))?.0))
            .collect::<anyhow::Result<_>>()?;
        let (response, again) = self.search(Request { vector, also_vectors, ..request })?;
        cost.engine += again.engine;
        cost.read += again.read;
        cost.bytes += again.bytes;
        cost.shards.extend(again.shards);
        cost.n_rounds += again.n_rounds;
        Ok((response, cost))
    }

    /// Answers many requests on all cores, reading what is missing in between.
    ///
    /// # Errors
    /// As [`Host::search`]; of several the first request's.
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
            wanted.into_iter().try_for_each(|shard| self.read(shard, &mut Cost::default()))?;
        }
    }

    fn read(&mut self, shard: ShardId, cost: &mut Cost) -> anyhow::Result<()> {
        let reading = Instant::now();
        let entry = *self
            .index
            .entry(shard)
            .with_context(|| format!("shard {} does not exist", shard.0))?;
        let stored = match self.files.stored(shard, &entry) {
            Err(_) if self.index.is_optional(shard) => return Ok(()),
            stored => stored?,
        };
        cost.read += reading.elapsed();
        cost.bytes += stored.len() as u64;
        cost.shards.push(shard);
        let provided = self.index.provide(shard, &stored);
        if self.index.is_optional(shard) {
            return Ok(());
        }
        provided.with_context(|| {
            let path = self.files.path().display();
            match self.files.is_single_file() {
                false => format!("{path}: {} is damaged", self.manifest().path(shard, &entry)),
                true => format!("{path}: shard {} is damaged", shard.0),
            }
        })
    }
}

fn open_index(files: &BundleFiles) -> anyhow::Result<Index> {
    Index::open(files.stored_manifest())
        .with_context(|| format!("{} cannot be searched", files.path().display()))
}

/// The text with another word in place of one, where that is a whole word: as the client's `meant`
/// has it.
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

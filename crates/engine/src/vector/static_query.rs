//! The engine's own query encoder: "which rows does this query add up?"
//!
//! A word's row is looked up in the one shard its key falls into. A word without a row is pieced together as WordPiece
//! does (Schuster and Nakajima, ICASSP 2012): the longest key that begins it, then the longest `##` key that goes on,
//! and so forth; each step is again one shard. Words are resolved side by side, so that most queries need one round
//! of shards, and a word of `n` pieces without a row of its own `n` rounds.
//!
//! Additions run in the query's order in f32: the same bits in every host.

use findling_bundle::rows::pieces;
use findling_bundle::{ShardId, StaticRows};
use findling_text::wordpiece::{Normaliser, for_each_word};

use crate::Index;

/// Most words that are looked up; a longer query is cut.
const MAX_WORDS: usize = 256;

/// A query to be embedded by rows.
pub(crate) struct StaticQuery {
    words: Vec<String>,
    /// Whether words were left out behind.
    pub truncated: bool,
}

/// How far the rows at hand bring a query.
#[derive(Debug, PartialEq)]
pub(crate) enum Embedded {
    /// These shards are needed to go on.
    Need(Vec<ShardId>),
    /// The sum of the rows, not normalised; `None` where no word has rows.
    Done(Option<Vec<f32>>),
}

impl StaticQuery {
    /// The words of `text`, as the encoder reads them.
    pub fn new(text: &str, rows: &StaticRows) -> Self {
        let normaliser = Normaliser { lowercase: rows.lowercase, ..Normaliser::default() };
        let mut query = Self { words: Vec::new(), truncated: false };
        for_each_word(text, normaliser, |word| {
            if query.words.len() < MAX_WORDS {
                query.words.push(word.to_owned());
            } else {
                query.truncated = true;
            }
        });
        query
    }

    /// Adds up the rows of all words, or says which shards that takes. Words without rows have no part.
    pub fn embed(&self, index: &Index, rows: &StaticRows, dim: u32) -> Embedded {
        let mut needed = Vec::new();
        let mut sum = vec![0.0f32; dim as usize];
        let mut any = false;
        for word in &self.words {
            match resolve(word, index, rows) {
                Err(shard) => needed.push(shard),
                Ok(pieces) => {
                    for (shard, row) in pieces {
                        if let Some(shard) = index.rows(shard) {
                            shard.add(row, &mut sum);
                            any = true;
                        }
                    }
                }
            }
        }
        if !needed.is_empty() {
            return Embedded::Need(needed);
        }
        Embedded::Done((any && sum.iter().any(|v| *v != 0.0)).then_some(sum))
    }
}

/// Shard and row of each of a word's pieces, none where it cannot be pieced together; the shard that is needed first
/// where it is not at hand.
fn resolve(word: &str, index: &Index, rows: &StaticRows) -> Result<Vec<(ShardId, usize)>, ShardId> {
    pieces(word, |key, least| {
        let Some(id) = rows.shard_of(key) else { return Ok(None) };
        let shard = index.rows(id).ok_or(id)?;
        Ok(shard.longest_prefix(key, least).map(|(row, end)| ((id, row), end)))
    })
}

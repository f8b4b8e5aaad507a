//! The engine's own query encoder: it adds up the rows of a query's words.
//!
//! A word's row can only be in the one shard whose range contains its key. If a word has no row,
//! the row of its longest known beginning is used, which is in the same shard. A name without a row
//! is replaced by its parts: `HashMap` is then "hash map". So every query takes one round of
//! shards.
//!
//! Additions run in the query's order in f32: the same bits in every host.

use findling_bundle::{ShardId, StaticRows};
use findling_text::wordpiece::{Normaliser, for_each_name, parts};

use crate::index::Index;

/// Maximum number of words that are looked up; a longer query is cut.
const MAX_WORDS: usize = 256;

/// A query to be embedded by rows.
#[derive(Clone)]
pub(crate) struct StaticQuery {
    words: Vec<Word>,
    /// Whether words after the limit were left out.
    pub truncated: bool,
}

#[derive(Clone)]
struct Word {
    whole: String,
    /// The parts; empty if the case of letters does not divide the name.
    parts: Vec<String>,
}

/// The embedding of a query, or the shards it needs.
#[derive(Debug, PartialEq)]
pub(crate) enum Embedded {
    /// Shards that are needed to go on.
    Need(Vec<ShardId>),
    /// The sum of the rows, not normalised; `None` if no word has rows.
    Done(Option<Vec<f32>>),
}

impl StaticQuery {
    /// Returns the words of `text`, as the encoder reads them. A text that consists only of marks
    /// has none: rows of punctuation are near pages with much punctuation, whatever marks the query
    /// has.
    pub fn new(text: &str, rows: &StaticRows) -> Self {
        let normaliser = Normaliser { lowercase: rows.lowercase, ..Normaliser::default() };
        let mut query = Self { words: Vec::new(), truncated: false };
        if !text.contains(char::is_alphanumeric) {
            return query;
        }
        for_each_name(text, normaliser, |word, cuts| {
            if query.words.len() < MAX_WORDS {
                let parts = parts(word, cuts).map(str::to_owned).collect();
                query.words.push(Word { whole: word.to_owned(), parts });
            } else {
                query.truncated = true;
            }
        });
        query
    }

    /// Adds up the rows of all words, or returns the missing shards. Words without rows are left
    /// out.
    pub fn embed(&self, index: &Index, rows: &StaticRows, dim: u32) -> Embedded {
        let mut needed = Vec::new();
        let mut sum = vec![0.0f32; dim as usize];
        let mut any = false;
        // Whether the row was added, or its shard is missing. If a shard is missing, the sum is not
        // used.
        let mut add = |word: &str, only_whole: bool| {
            let Some(id) = rows.shard_of(word) else { return false };
            let Some(shard) = index.rows(id) else {
                needed.push(id);
                return false;
            };
            match shard.standing_for(word) {
                Some((row, end)) if end == word.len() || !only_whole => {
                    shard.add(row, &mut sum);
                    any = true;
                    true
                }
                _ => false,
            }
        };
        for Word { whole, parts } in &self.words {
            if !add(whole, !parts.is_empty()) {
                for part in parts {
                    add(part, false);
                }
            }
        }
        if !needed.is_empty() {
            return Embedded::Need(needed);
        }
        Embedded::Done((any && sum.iter().any(|v| *v != 0.0)).then_some(sum))
    }
}

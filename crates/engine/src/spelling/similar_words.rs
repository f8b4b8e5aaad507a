//! Words of the site that resemble words of a query that it lacks. They are suggested if nothing is
//! found.

use std::ops::Range;

use findling_bundle::ShardId;

use super::nearest::{MAX_LIKE, Mistyped};
use super::{Unknown, is_code, is_small, near_ranges, spellings, unknown_words};
use crate::index::Index;
use crate::lexical::Dictionary;
use crate::messages::resembles;
use crate::query::Query;

/// Words of the site that resemble one of a query.
pub(crate) struct SimilarWords {
    /// The position of the word: a clause, and a byte range of its text.
    pub clause: usize,
    pub range: Range<usize>,
    /// Similar words, the likeliest first; may be empty.
    pub words: Vec<String>,
}

/// Returns the similar words of each word of a query that the bundle does not have, or the shards
/// that are missing for it. Similarity is wider than correction, and words in phrases have similar
/// words too. The terms of the query must be in memory.
pub(crate) fn like(index: &Index, query: &Query) -> Result<Vec<SimilarWords>, Vec<ShardId>> {
    let (mut found, mut needed) = (Vec::new(), Vec::new());
    for word in unknown_words(index, query, false, true) {
        let words = if word.folded.contains(|c: char| c.is_ascii_digit()) {
            Ok(like_name(index, &word.folded))
        } else {
            like_word(index, &word)
        };
        match words {
            Ok(words) => found.push(SimilarWords { clause: word.clause, range: word.range, words }),
            Err(shards) => needed.extend(shards),
        }
    }
    if needed.is_empty() { Ok(found) } else { Err(needed) }
}

fn like_word(index: &Index, word: &Unknown) -> Result<Vec<String>, Vec<ShardId>> {
    let mistyped = Mistyped::new(&word.folded, false);
    let near = near_ranges(index, &word.folded);
    let mut best = Vec::new();
    for wanted in [true, false] {
        for shard in spellings(index, &near, wanted)? {
            mistyped.like(shard, &mut best);
        }
        if !best.is_empty() || !is_small(index) {
            break;
        }
    }
    Ok(best.into_iter().map(|near| near.word).collect())
}

/// Returns terms similar to a code or version (`E0383`): the terms with the same beginning, as far
/// as they are in memory. For a code of one letter and one digit, returns the codes with other
/// digits, the nearest first.
fn like_name(index: &Index, name: &str) -> Vec<String> {
    if is_code(name) {
        let (letter, digit) = name.split_at(name.len() - 1);
        let digit: i32 = digit.parse().unwrap_or(0);
        let others = (1..10)
            .flat_map(|far| [digit - far, digit + far])
            .filter(|other| (0..10).contains(other));
        let dictionary = Dictionary::new(index);
        let codes = others.flat_map(|other| dictionary.complete(&format!("{letter}{other}"), &[]));
        return codes
            .map(|(term, _)| term)
            .filter(|term| resembles(name, term))
            .take(MAX_LIKE)
            .collect();
    }
    let half =
        name.char_indices().nth(name.chars().count().div_ceil(2)).map_or(name.len(), |(at, _)| at);
    let terms =
        Dictionary::new(index).complete(&name[..half], &[]).into_iter().map(|(term, _)| term);
    terms.filter(|term| resembles(name, term)).take(MAX_LIKE).collect()
}
